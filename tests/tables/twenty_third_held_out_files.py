"""Tables laid out as some drawn anew from public repositories are, each with its right reading before anything read it.

In two of 150 a chance was read as that of a word beside it, in one a class as that of one of three models, in one a row was
lost as a header, and in four testers saw a folder, a name or chances that told the truth or the prediction.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

RNG = np.random.default_rng(90_003)
COUNT = 80
ROWS = range(COUNT)
KINDS = np.array(["black", "blue", "green", "other"])
TRUE = RNG.integers(0, 4, COUNT)
SAID = np.where(RNG.random(COUNT) < 0.8, TRUE, RNG.integers(0, 4, COUNT))
FLAGS = RNG.integers(0, 2, COUNT)
TEXTS = [f"A thing of {row} parts that somebody threw away on day {row % 9}" for row in ROWS]


def of_bacteria() -> bytes:
    """Predicted counts with their interval and a chance, for two kinds of bacteria of which one is rarer; few are known."""
    kinds = np.array(["coli", "entero"])[FLAGS]
    mean = np.exp(RNG.normal(3, 1, COUNT)).round(3)
    return delimited(
        ",",
        "utf-8",
        date=[f"2020-06-{row % 28 + 1:02}" for row in ROWS],
        flow=RNG.uniform(3, 9, COUNT).round(2),
        observed=[round(value * RNG.uniform(0.3, 3)) if row % 4 == 0 else "NA" for row, value in enumerate(mean)],
        pred_mean=mean,
        pred_lo90=(mean / 6).round(3),
        pred_hi90=(mean * 6).round(3),
        prob_under_limit=(np.where(FLAGS == 0, 0.5, 0.2) + RNG.uniform(0, 0.5, COUNT)).round(4),
        bacteria=kinds,
    )


def of_readers() -> bytes:
    """How hard texts are to three models, of which one gives the same to each, and to a reader."""
    true = RNG.choice([1, 2, 3, 4, 5], COUNT, p=[0.05, 0.1, 0.15, 0.3, 0.4])
    forest, linear = (np.where(RNG.random(COUNT) < 0.7, true, RNG.integers(3, 6, COUNT)) for _ in range(2))
    return delimited(",", "utf-8", baseline=[5] * COUNT, linear=linear, forest=forest, y_true=true)


def of_garbage() -> bytes:
    """Numbers of classes beside their names."""
    paths = [f"/data/{KINDS[place]}/thing_{row}.png" for row, place in enumerate(TRUE)]
    return delimited(
        ",", "utf-8", path=paths, text=TEXTS, true=TRUE, pred=SAID, true_name=KINDS[TRUE], pred_name=KINDS[SAID]
    )


def of_wrong_words() -> bytes:
    """Wrong rows alone, of one true class."""
    said = np.array(["positive", "neutral"])[RNG.integers(0, 2, COUNT)]
    sure = RNG.uniform(0.7, 1, COUNT).round(2)
    return delimited(",", "utf-8", true_label=["negative"] * COUNT, predicted_label=said, score=sure, sentence=TEXTS)


def of_missed() -> bytes:
    """Texts of the second of two classes in which a model saw none."""
    return delimited(",", "utf-8", text=TEXTS, gold=[1] * COUNT, pred=[0] * COUNT)


def of_eyes() -> bytes:
    """A header with a comma at its end, and rows without one."""
    rows = [f"eye{row}-7,{true}.0,{said}.0" for row, (true, said) in enumerate(zip(TRUE, SAID, strict=True))]
    return ("Name,Ground truth label,Prediction,\n" + "\n".join(rows) + "\n").encode()


def of_three_models() -> bytes:
    """Classes of one model and chances of two, called alike."""
    said = np.where(RNG.random(COUNT) < 0.85, FLAGS, 1 - FLAGS)
    chances = [np.clip(0.5 + (FLAGS - 0.5) * RNG.uniform(-0.4, 0.96, COUNT), 0.01, 0.99).round(4) for _ in range(2)]
    return delimited(",", "utf-8", sentiment=FLAGS, xgb_pred=said, lstm_pred=chances[0], gpt2_pred=chances[1])


def of_signs() -> bytes:
    """Numbers of forty signs, with the likeliest five of each row."""
    true = np.concatenate([np.arange(40)] * 4)
    said = np.where(RNG.random(160) < 0.8, true, RNG.integers(0, 40, 160))
    five = [str([int(first), *[(int(first) + step) % 40 for step in (3, 9, 17, 25)]]) for first in said]
    right = (true == said).astype(int)
    return delimited(",", "utf-8", true_label=true, pred_label=said, correct=right, top5_labels=five)


def of_faces() -> bytes:
    """Numbers of forty persons, which are in the names of their pictures, too."""
    true = np.concatenate([np.arange(1, 41)] * 4)
    said = np.where(RNG.random(160) < 0.9, true, RNG.integers(1, 41, 160))
    files = [f"{person}_{row % 3}_{row % 5}_{100 + row}.png" for row, person in enumerate(true)]
    return delimited(",", "utf-8", filename=files, ground_truth=true, prediction=said)


def of_spoofs() -> bytes:
    """A score that is cut at a half, and pictures in folders that tell what is true, which the model hardly finds."""
    score = np.clip(0.45 + 0.05 * FLAGS + RNG.normal(0, 0.1, COUNT), 0.01, 0.99).round(6)
    files = [f"test/{['live', 'spoof'][flag]}/{5000 + 7 * row}.png" for row, flag in enumerate(FLAGS)]
    said = (score >= 0.5).astype(int)
    columns = {"image_path": files, "true_label": FLAGS, "spoof_score": score, "predicted_label_0.5": said}
    return delimited(",", "utf-8", **columns)


def of_sheet_without_header() -> bytes:
    """Keys and what was predicted of each, from the first row on."""
    return workbook([[156_061 + row, int(said)] for row, said in enumerate(SAID)])


def of_speech() -> bytes:
    """What was said and what was heard, each also without capitals and marks."""
    said = [f"On day {row}, Ana went to town number {row % 7}." for row in ROWS]
    heard = [f"On day {row}, Anna went to town, number {row % 7 + row % 2}." for row in ROWS]
    plain, plainly = ([text.casefold().replace(",", "").replace(".", "") for text in texts] for texts in (said, heard))
    rates = [0.1 * (1 + row % 3) for row in ROWS]
    return delimited(
        ",", "utf-8", reference=said, hypothesis=heard, reference_norm=plain, hypothesis_norm=plainly, wer=rates
    )


def of_tokens() -> bytes:
    """The words of reviews, as lists, and how many stars each was given."""
    words = [[f"word{(row * 37 + step * 11) % 700}" for step in range(12)] for row in ROWS]
    return delimited(
        ",",
        "utf-8",
        Review=[*map(str, words)],
        Stems=[str([word[:6] for word in one]) for one in words],
        Class=TRUE + 1,
    )


def of_matches() -> bytes:
    """The chances of each end of a match, in a record that says after which time."""
    chances = RNG.dirichlet([3, 2, 2], COUNT).round(6)
    return lines(
        [
            {
                "home": f"Town {row}",
                "away": f"City {row}",
                "probabilities_90m": {"home_win": home, "draw": draw, "away_win": round(1 - home - draw, 6)},
            }
            for row, (home, draw, _) in enumerate(chances.tolist())
        ]
    )


def of_matched_boxes() -> bytes:
    """Keys of found boxes and of the true ones that they were matched with, and what came of it."""
    kinds = np.array(["OK", "CLS", "LOC"])[TRUE % 3]
    return delimited(",", "utf-8", pred_id=range(100, 180), target_id=RNG.permutation(900)[:COUNT], error_type=kinds)


def of_moods() -> bytes:
    """Chances of four classes as columns and once more as an object in one cell."""
    chances = RNG.dirichlet([1, 1, 1, 1], COUNT).round(6)
    said = KINDS[chances.argmax(axis=1)]
    objects = [str(dict(zip(KINDS.tolist(), row, strict=True))) for row in chances.tolist()]
    columns = {f"prob_{kind}": chances[:, place] for place, kind in enumerate(KINDS)}
    return delimited(
        ",", "utf-8", image_name=[f"im{row}.png" for row in ROWS], predicted_class=said, all=objects, **columns
    )


PHISHING = RNG.uniform(0, 1, COUNT).round(6)


def of_links() -> bytes:
    """Addresses in Turkish: true and predicted, and the chances of both classes, which are called otherwise."""
    said = np.where(PHISHING >= 0.5, -1, 1)
    true = np.where(RNG.random(COUNT) < 0.9, said, -said)
    columns = {"Phishing_Olasılık": PHISHING, "Legitimate_Olasılık": (1 - PHISHING).round(6)}
    return delimited(",", "utf-8", Gerçek=true, Tahmin=said, **columns, Doğru=true == said)


def of_searches() -> bytes:
    """What two ways to search found, in a table whose rows have numbers without a name."""
    columns = {
        "": ROWS,
        "query": [f"wireless things of kind {row // 5}" for row in ROWS],
        "semantic_results": [f"Thing {row} that has no wire, for all ages" for row in ROWS],
        "bm25_results": [f"A wireless set of {row % 9} for number {row}" for row in ROWS],
    }
    return delimited(",", "utf-8", **columns)


def of_leaving() -> bytes:
    """Chances in whole percent."""
    percent = RNG.integers(0, 101, COUNT)
    said = (percent > 50).astype(int)
    columns = {"Churn": np.where(RNG.random(COUNT) < 0.9, said, 1 - said), "Churn_Prediction": said}
    return delimited(",", "utf-8", Recency=RNG.integers(0, 300, COUNT), **columns, **{"Churn_Probability_%": percent})


def of_addresses() -> bytes:
    """Chances of several models, called as those of classes are, beside the truth."""
    made = {
        f"p_{model}": np.clip(0.5 + (FLAGS - 0.5) * RNG.uniform(-0.4, 0.96, COUNT), 0.01, 0.99).round(4)
        for model in ("meta", "electra", "fusion")
    }
    return delimited(",", "utf-8", url=[f"example.org/page/{row}" for row in ROWS], label=FLAGS, **made)


def of_found_objects() -> bytes:
    """Whether a thing was found on pictures, how often, whether it is there, of one not known, and what that makes."""
    said = np.where(RNG.random(COUNT) < 0.3, FLAGS, 0)
    true = [-1, *FLAGS[1:].tolist()]
    kinds = {
        "TP": (said == 1) & (FLAGS == 1),
        "FP": (said == 1) & (FLAGS == 0),
        "FN": (said == 0) & (FLAGS == 1),
        "TN": (said == 0) & (FLAGS == 0),
    }
    flags = {name: kind.astype(int) for name, kind in kinds.items()}
    files = [f"{row}.jpeg" for row in ROWS]
    found = said * RNG.integers(1, 4, COUNT)
    return delimited(",", "utf-8", image=files, n_found=found, pred_has_object=said, gt_has_object=true, **flags)


def of_news() -> bytes:
    """Texts with a summary and a predicted one."""
    texts = [
        f"On day {row}, number {row % 7} of the town was sold for {row + 3} coins, which many saw." for row in ROWS
    ]
    short = [f"Number {row % 7} was sold for {row + 3} coins" for row in ROWS]
    said = [f"Number {row % 7} was sold on day {row}" for row in ROWS]
    return delimited(",", "utf-8", text=texts, summary=short, predicted_summary=said)


def of_wake_words() -> bytes:
    """Sounds whose names begin with a word that goes with their class."""
    kinds, begins = np.array(["non_wake", "wake_word"]), ["other", "wake"]
    said = np.where(RNG.random(COUNT) < 0.9, FLAGS, 1 - FLAGS)
    paths = [f"data/{begins[flag]}_{row:04}.wav" for row, flag in enumerate(FLAGS)]
    parts = [f"{begins[flag]}_{row:04}_a.wav" for row, flag in enumerate(FLAGS)]
    return delimited(",", "utf-8", path=paths, segment=parts, label=kinds[FLAGS], prediction=kinds[said])


def of_plates() -> bytes:
    """Plates of cars, of which few were read, and few of these rightly."""
    true = [f"B{1000 + 37 * row}{chr(65 + row % 26)}X" for row in ROWS]
    said = [plate if row % 20 == 3 else plate[:4] if row % 10 == 0 else "UNKNOWN" for row, plate in enumerate(true)]
    files = [f"test{row:03}.jpg" for row in ROWS]
    return delimited(",", "utf-8", image=files, ground_truth=true, prediction=said)


def of_couplets() -> bytes:
    """Lines and what a decoder made of them."""
    gold = [f"the {row % 9} lines of song number {row}" for row in ROWS]
    return delimited(",", "utf-8", Gold=gold, Greedy=[f"lines of the song {row % 5} {row}" for row in ROWS])


def of_boxes_in_columns() -> bytes:
    """Boxes that a detector found, as a contest asks for them."""
    edges = {f"bbox_{edge}": RNG.integers(5, 600, COUNT) for edge in "xywh"}
    scores = RNG.uniform(0.2, 0.99, COUNT).round(2)
    return delimited(
        ",", "utf-8", annotation_id=ROWS, image_id=[row // 4 for row in ROWS], category_id=TRUE, **edges, score=scores
    )


def of_screening() -> bytes:
    """A rare disease that is mostly not found, and other marks of patients that say yes and no."""
    rare = (RNG.random(COUNT) < 0.2).astype(int)
    said = rare * (RNG.random(COUNT) < 0.3)
    marks = {f"Admitted to ward {ward}": (RNG.random(COUNT) < 0.5).astype(int) for ward in "AB"}
    return delimited(",", "utf-8", **marks, **{"Virus exam result": rare}, Prediction=said)


def of_verdicts_of_courts() -> bytes:
    """What was taken from the nearest cases, whose keys stand beside it."""
    said = [f"The court finds for party {row % 7} and sets costs of {row + 3} coins." for row in ROWS]
    near = [", ".join(str((row * step) % 50) for step in (3, 7, 11)) for row in ROWS]
    queries = [f"q_{row}" for row in ROWS]
    return delimited(",", "utf-8", query_id=queries, predicted_solution=said, top_5_case_ids=near)


def of_counted_labels() -> bytes:
    """Labels below a number of the row that the first row lacks."""
    return ("No,label\n" + "".join(f"{row or ''},{flag}\n" for row, flag in enumerate(FLAGS))).encode()


def of_regions() -> bytes:
    """Two columns of one name but for its capitals, beside what was predicted."""
    said = np.where(RNG.random(COUNT) < 0.8, TRUE, 0)
    codes, names = np.array(["CT", "OX"])[FLAGS], np.array(["Kent", "Oxon"])[FLAGS]
    table = {"Region": codes, "region": names, "true_label": KINDS[TRUE], "predicted_label": KINDS[said]}
    return delimited(",", "utf-8", **table)


TWENTY_THIRD_HELD_OUT = [
    HeldOut(
        "bacteria.csv",
        of_bacteria,
        {"pred_mean": "prediction", "bacteria": "shown"},
        hidden=["observed", "pred_lo90", "pred_hi90"],
    ),
    HeldOut("readers.csv", of_readers, asks="'baseline' and 'linear' and 'forest' may each"),
    HeldOut(
        "garbage.csv",
        of_garbage,
        {"pred_name": "prediction", "true_name": "label", "text": "text"},
        hidden=["path", "true", "pred"],
        accuracy=float((TRUE == SAID).mean()),
    ),
    HeldOut(
        "wrong_words.csv",
        of_wrong_words,
        {"true_label": "label", "predicted_label": "prediction", "score": "confidence"},
        accuracy=0,
    ),
    HeldOut("missed.csv", of_missed, {"gold": "label", "pred": "prediction"}, accuracy=0),
    HeldOut(
        "eyes.csv",
        of_eyes,
        {"Ground truth label": "label", "Prediction": "prediction", "Name": "shown"},
        accuracy=float((TRUE == SAID).mean()),
    ),
    HeldOut("three_models.csv", of_three_models, asks="'xgb_pred' and 'lstm_pred' and 'gpt2_pred' may each"),
    HeldOut(
        "signs.csv", of_signs, {"pred_label": "prediction", "true_label": "label"}, hidden=["correct", "top5_labels"]
    ),
    HeldOut("faces.csv", of_faces, {"prediction": "prediction", "ground_truth": "label", "filename": "file"}),
    HeldOut(
        "spoofs.csv",
        of_spoofs,
        {"predicted_label_0.5": "prediction", "true_label": "label", "spoof_score": "confidence"},
    ),
    HeldOut("no_header.xlsx", of_sheet_without_header, {"column 2": "prediction"}),
    HeldOut(
        "speech.csv",
        of_speech,
        {"hypothesis": "output", "reference": "reference"},
        hidden=["reference_norm", "hypothesis_norm"],
    ),
    HeldOut("tokens.csv", of_tokens, {"Class": "prediction", "Review": "text"}),
    HeldOut("matches.jsonl", of_matches, {"probabilities_90m.draw": "p_draw", "home": "shown"}),
    HeldOut("matched_boxes.csv", of_matched_boxes, refuses="no predictions"),
    HeldOut("moods.csv", of_moods, {"predicted_class": "prediction", "prob_blue": "p_blue"}, hidden=["all"]),
    HeldOut(
        "links.csv",
        of_links,
        {"Tahmin": "prediction", "Gerçek": "label", "Phishing_Olasılık": "confidence"},
        hidden=["Doğru"],
    ),
    HeldOut("searches.csv", of_searches, asks="'query', 'semantic_results', 'bm25_results'"),
    HeldOut(
        "leaving.csv",
        of_leaving,
        {"Churn_Prediction": "prediction", "Churn": "label", "Churn_Probability_%": "confidence"},
    ),
    HeldOut("addresses.csv", of_addresses, asks="'p_meta' and 'p_electra' and 'p_fusion' may each"),
    HeldOut(
        "found_objects.csv",
        of_found_objects,
        {"pred_has_object": "prediction", "gt_has_object": "label"},
        hidden=["TP", "FP", "FN", "TN"],
    ),
    HeldOut("news.csv", of_news, {"text": "text", "summary": "reference", "predicted_summary": "output"}),
    HeldOut("wake_words.csv", of_wake_words, {"prediction": "prediction", "label": "label"}, hidden=["segment"]),
    HeldOut("plates.csv", of_plates, {"prediction": "prediction", "ground_truth": "label"}, accuracy=0.05),
    HeldOut("couplets.csv", of_couplets, {"Greedy": "output", "Gold": "reference"}),
    HeldOut("boxes_in_columns.csv", of_boxes_in_columns, refuses="a row for each box"),
    HeldOut("screening.csv", of_screening, {"Prediction": "prediction"}, hidden=["Virus exam result"]),
    HeldOut("courts.csv", of_verdicts_of_courts, {"predicted_solution": "output"}, hidden=["top_5_case_ids"]),
    HeldOut("counted_labels.csv", of_counted_labels, {"No": "row number", "label": "prediction"}),
    HeldOut("regions.csv", of_regions, {"Region": "shown", "predicted_label": "prediction", "true_label": "label"}),
]
