"""Tables of twenty more tools and habits, and of ten after them, each written with its right reading before anything read it.

Of the twenty, four were misread at first without a word: classes beside their chances as outputs to judge, a truth called gt as
a score, and lists of chances shown to testers. Of the ten one was: sets in braces. Now none is.
"""

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(2_026_1129)
CLASSES = np.array(["maple", "oak", "birch"])
TRUTH = RNG.choice(3, SIZE, p=(0.5, 0.3, 0.2))
SAID = np.where(RNG.random(SIZE) < 0.83, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.45, 0.99, SIZE).round(4)
CHANCES = np.repeat(((1 - SURE) / 2)[:, None], 3, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
TWO = RNG.integers(0, 2, SIZE)
TWO_SAID = np.where(RNG.random(SIZE) < 0.86, TWO, 1 - TWO)
TWO_RIGHT = float((TWO == TWO_SAID).mean())
YES = np.array(["No", "Yes"])
OF_YES = np.where(TWO_SAID == 1, SURE, 1 - SURE).round(4)
ROWS = range(SIZE)
GOOD = RNG.random(SIZE) < 0.8
ASKED = [f"How many wheels do {row} bicycles have?" for row in ROWS]
ANSWERED = [f"{row} bicycles have {2 * row if GOOD[row] else 3 * row} wheels." for row in ROWS]
EXPECTED = [f"{2 * row} wheels" for row in ROWS]
PRICES = RNG.uniform(900, 90_000, SIZE).round(2)
GUESSED = (PRICES * RNG.uniform(0.9, 1.1, SIZE)).round(2)


def of_tidymodels() -> bytes:
    chances = {".pred_No": (1 - OF_YES).round(4), ".pred_Yes": OF_YES}
    return delimited(",", "utf-8", **{".row": ROWS, ".pred_class": YES[TWO_SAID], **chances, "truth": YES[TWO]})


def of_mlr3() -> bytes:
    chances = {f"prob.{word}": CHANCES[:, k].round(4) for k, word in enumerate(CLASSES)}
    return delimited(
        ",", "utf-8", row_ids=RNG.permutation(SIZE) + 1, truth=CLASSES[TRUTH], response=CLASSES[SAID], **chances
    )


def of_autopilot() -> bytes:
    return delimited(
        ",",
        "utf-8",
        predicted_label=CLASSES[SAID],
        probability=SURE,
        probabilities=[json.dumps(row) for row in CHANCES.round(4).tolist()],
        labels=[str([*map(str, CLASSES)])] * SIZE,
    )


def of_datarobot() -> bytes:
    chances = {f"species_{word}_PREDICTION": CHANCES[:, k].round(4) for k, word in enumerate(CLASSES)}
    actual = {"species (actual)": CLASSES[TRUTH]}
    return delimited(
        ",", "utf-8", **chances, species_PREDICTION=CLASSES[SAID], DEPLOYMENT_APPROVAL_STATUS="APPROVED", **actual
    )


def of_dataiku() -> bytes:
    return delimited(
        ",",
        "utf-8",
        tenure=RNG.integers(1, 60, SIZE),
        churned=YES[TWO],
        proba_No=(1 - OF_YES).round(4),
        proba_Yes=OF_YES,
        prediction=YES[TWO_SAID],
        prediction_correct=TWO == TWO_SAID,
        smmd_savedModelId="S-TREES-1",
    )


def of_spark() -> bytes:
    return delimited(
        ",",
        "utf-8",
        label=TWO.astype(float),
        rawPrediction=[f"[{-x:.3f},{x:.3f}]" for x in np.log(OF_YES / (1 - OF_YES))],
        probability=[f"[{1 - x:.4f},{x:.4f}]" for x in OF_YES],
        prediction=TWO_SAID.astype(float),
    )


def in_spanish() -> bytes:
    return delimited(
        ";", "cp1252", identificador=RNG.permutation(SIZE), etiqueta=CLASSES[TRUTH], predicción=CLASSES[SAID]
    )


def reviewed() -> bytes:
    return delimited(
        ",", "utf-8", **{"Question": ASKED, "Model answer": ANSWERED, "Correct?": np.where(GOOD, "yes", "no")}
    )


def with_certainty() -> bytes:
    columns = {"Predicted class": CLASSES[SAID], "Certainty (%)": (SURE * 100).round(1), "Actual class": CLASSES[TRUTH]}
    return delimited(",", "utf-8", **{"Sample no.": np.arange(SIZE) + 1, **columns})


def of_autogluon() -> bytes:
    chances = {str(word): CHANCES[:, k].round(4) for k, word in enumerate(CLASSES)}
    return delimited(
        ",", "utf-8", **{"": RNG.permutation(SIZE), **chances, "pred": CLASSES[SAID], "target": CLASSES[TRUTH]}
    )


def numbered_from_1() -> bytes:
    return delimited(",", "utf-8", pred_class=SAID, gt_class=TRUTH + 1)


def in_dollars() -> bytes:
    columns = {"actual_price": PRICES, "predicted_price": GUESSED}
    written = {name: [f"USD {price:,.2f}" for price in prices] for name, prices in columns.items()}
    return delimited(
        "\t",
        "utf-8",
        sku=[f"S{row}" for row in ROWS],
        **written,
    )


def of_lists() -> bytes:
    instances = [{"sepal": float(x)} for x in SURE]
    return json.dumps(
        {"instances": instances, "predictions": CLASSES[SAID].tolist(), "labels": CLASSES[TRUTH].tolist()}
    ).encode()


def of_braintrust() -> bytes:
    return lines(
        [
            {
                "id": f"{row:04x}",
                "input": {"question": ASKED[row]},
                "output": ANSWERED[row],
                "expected": EXPECTED[row],
                "scores": {"Factuality": float(GOOD[row]) * 0.6 + 0.4 * float(SURE[row])},
                "metadata": {"model": "m"},
                "metrics": {"duration": float(SURE[row])},
            }
            for row in ROWS
        ]
    )


def of_lighteval() -> bytes:
    table = pd.DataFrame(
        {
            "doc": [
                {"query": ASKED[row], "gold_index": [0], "choices": [EXPECTED[row]], "id": str(row)} for row in ROWS
            ],
            "model_response": [{"text": [ANSWERED[row]], "input": ASKED[row]} for row in ROWS],
            "metric": [{"exact_match": float(GOOD[row])} for row in ROWS],
        }
    )
    held = io.BytesIO()
    table.to_parquet(held)
    return held.getvalue()


def of_speech() -> bytes:
    wrong = [f"turn left at number {row if GOOD[row] else row + 1}" for row in ROWS]
    return delimited(
        ",",
        "utf-8",
        wav=[f"clips/{row}.wav" for row in ROWS],
        duration=SURE * 4,
        transcript=[f"turn left at number {row}" for row in ROWS],
        hyp=wrong,
    )


def zipped_on_a_mac() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr("results/", b"")
        made.writestr("results/preds.csv", delimited(",", "utf-8", y_true=CLASSES[TRUTH], y_pred=CLASSES[SAID]))
        made.writestr("__MACOSX/results/._preds.csv", b"\0\5\x16\7" + bytes(60))
        made.writestr("results/.DS_Store", bytes(40))
    return held.getvalue()


def unicode_text_of_excel() -> bytes:
    return delimited(
        "\t", "utf-16", "\r\n", Vorhersage=CLASSES[SAID], Konfidenz=[f"{x:.3f}".replace(".", ",") for x in SURE]
    )


def half_unlabeled() -> bytes:
    truth = np.where(RNG.random(SIZE) < 0.5, TRUTH, -1)
    return delimited(",", "utf-8", ground_truth=truth, model_prediction=SAID, model_confidence=SURE)


def of_an_arena() -> bytes:
    winner = RNG.choice(["A", "B", "tie"], SIZE)
    return delimited(",", "utf-8", prompt=ASKED, answer_a=ANSWERED, answer_b=EXPECTED, winner=winner)


def with_a_title() -> bytes:
    pairs = zip(CLASSES[SAID].tolist(), CLASSES[TRUTH].tolist(), strict=True)
    return workbook([["Report of November"], [], ["predicted", "actual"], *pairs])


def of_two_headers() -> bytes:
    table = pd.DataFrame({("model", "prediction"): CLASSES[SAID], ("truth", "label"): CLASSES[TRUTH]})
    return table.to_csv(index=False).encode()


TAGS = [[str(CLASSES[k]) for k in range(3) if (row + k) % 3 or row % 7 == k] for row in ROWS]
MEANT = [tags if GOOD[row] else ["oak"] for row, tags in enumerate(TAGS)]
SAME = float(np.mean([{*one} == {*other} for one, other in zip(TAGS, MEANT, strict=True)]))


def in_braces() -> bytes:
    said, true = (["{" + ", ".join(one) + "}" for one in many] for many in ([tags[::-1] for tags in TAGS], MEANT))
    return delimited(",", "utf-8", pred_tags=said, true_tags=true)


def a_row_for_each_box() -> bytes:
    corners = {name: RNG.integers(0, 300, SIZE) for name in ("xmin", "ymin", "xmax", "ymax")}
    return delimited(",", "utf-8", image=[f"{row // 3}.jpg" for row in ROWS], label=CLASSES[SAID], conf=SURE, **corners)


def of_raters() -> bytes:
    return lines(
        [
            {
                "prompt": ASKED[row],
                "response": ANSWERED[row],
                "human_mean": round(1 + (row * 7 % 13) / 3, 2),
                "judge_score": 1 + row * 5 % 5,
            }
            for row in ROWS
        ]
    )


def of_folds() -> bytes:
    return delimited(
        ",", "utf-8", fold=np.arange(SIZE) % 5, y=CLASSES[TRUTH], y_hat=CLASSES[SAID], log_proba=np.log(SURE).round(4)
    )


def of_vectors() -> bytes:
    chances = [[1 - x, x] for x in OF_YES]
    held = io.BytesIO()
    pd.DataFrame({"label": TWO.astype(float), "probability": chances, "prediction": TWO_SAID.astype(float)}).to_parquet(
        held
    )
    return held.getvalue()


def packed_under_another_name() -> bytes:
    rows = [{"y_true": str(CLASSES[TRUTH[row]]), "y_pred": str(CLASSES[SAID[row]])} for row in ROWS]
    return gzip.compress(lines(rows))


def with_classes_like_gaps() -> bytes:
    names = np.array(["nan", "null", "ok"])
    return delimited(",", "utf-8", actual=names[TRUTH], predicted=names[SAID])


def of_preferences() -> bytes:
    def chat(answer: str, row: int) -> list[dict[str, str]]:
        return [{"role": "user", "content": ASKED[row]}, {"role": "assistant", "content": answer}]

    return lines(
        [
            {
                "chosen": chat(ANSWERED[row], row),
                "rejected": chat(EXPECTED[row], row),
                "score_chosen": 9.0 - row % 3,
                "score_rejected": 2.0 + row % 4,
            }
            for row in ROWS
        ]
    )


FIFTH_HELD_OUT = [
    HeldOut("title.xlsx", with_a_title, {"predicted": "prediction"}, ["actual"], RIGHT),
    HeldOut("multi.csv", of_two_headers, refuses="has no predictions"),
    HeldOut("braces.csv", in_braces, {"pred_tags": "prediction"}, ["true_tags"], SAME),
    HeldOut("boxes.csv", a_row_for_each_box, refuses="has no predictions"),
    HeldOut("raters.jsonl", of_raters, {"response": "output", "prompt": "input"}, ["human_mean", "judge_score"]),
    HeldOut("folds.csv", of_folds, {"y_hat": "prediction"}, ["y"], RIGHT),
    HeldOut("vectors.parquet", of_vectors, {"prediction": "prediction"}, ["label", "probability"], TWO_RIGHT),
    HeldOut("plain.json", packed_under_another_name, {"y_pred": "prediction"}, ["y_true"], RIGHT),
    HeldOut("nan.csv", with_classes_like_gaps, {"predicted": "prediction"}, ["actual"], RIGHT),
    HeldOut(
        "pairs.jsonl", of_preferences, {"chosen.output": "output_a", "rejected.output": "output_b"}, ["score_chosen"]
    ),
]

FOURTH_HELD_OUT = [
    HeldOut("tidymodels.csv", of_tidymodels, {".pred_class": "prediction", ".pred_Yes": "p_Yes"}, ["truth"], TWO_RIGHT),
    HeldOut("mlr3.csv", of_mlr3, {"response": "prediction", "prob.oak": "p_oak"}, ["truth"], RIGHT),
    HeldOut("autopilot.csv", of_autopilot, {"predicted_label": "prediction", "probability": "confidence"}),
    HeldOut(
        "datarobot.csv",
        of_datarobot,
        {"species_PREDICTION": "prediction", "species_oak_PREDICTION": "p_oak"},
        ["species (actual)"],
        RIGHT,
    ),
    HeldOut("dataiku.csv", of_dataiku, {"prediction": "prediction"}, ["churned", "prediction_correct"]),
    HeldOut("spark.csv", of_spark, {"prediction": "prediction"}, ["label"], TWO_RIGHT),
    HeldOut("resultados.csv", in_spanish, {"predicción": "prediction"}, ["etiqueta"], RIGHT),
    HeldOut("reviewed.csv", reviewed, {"Model answer": "output", "Question": "input"}, ["Correct?"]),
    HeldOut(
        "certainty.csv",
        with_certainty,
        {"Predicted class": "prediction", "Certainty (%)": "confidence"},
        ["Actual class"],
        RIGHT,
    ),
    HeldOut("autogluon.csv", of_autogluon, {"pred": "prediction", "oak": "p_oak"}, ["target"], RIGHT),
    HeldOut("numbered.csv", numbered_from_1, asks="labels go from 1"),
    HeldOut("prices.tsv", in_dollars, {"predicted_price": "prediction"}, ["actual_price"]),
    HeldOut("lists.json", of_lists, {"predictions": "prediction"}, ["labels"], RIGHT),
    HeldOut("experiment-2.jsonl", of_braintrust, {"output": "output", "expected": "reference"}, ["scores.Factuality"]),
    HeldOut(
        "details.parquet",
        of_lighteval,
        {"model_response.input": "input", "model_response.text": "output"},
        ["metric.exact_match"],
    ),
    HeldOut("asr.csv", of_speech, {"hyp": "output", "transcript": "reference"}),
    HeldOut("mac.zip", zipped_on_a_mac, {"y_pred": "prediction"}, ["y_true"], RIGHT),
    HeldOut("unicode.txt", unicode_text_of_excel, {"Vorhersage": "prediction", "Konfidenz": "confidence"}),
    HeldOut(
        "half.csv",
        half_unlabeled,
        {"model_prediction": "prediction", "model_confidence": "confidence"},
        ["ground_truth"],
    ),
    HeldOut("arena.csv", of_an_arena, {"answer_a": "output_a", "answer_b": "output_b", "prompt": "input"}, ["winner"]),
]
"""The files, in the order of the list that was written before."""
