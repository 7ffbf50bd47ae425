"""Twenty more tables as tools and people write them, each written with its right reading before anything read it.

At first 11 were read right, 7 refused, of which one should be asked about, and 2 misread without a word: a program's score was
like any other number, and a judge's verdict was taken for the truth beside a person's. Now 18 are read and 2 refused.
"""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 250
RNG = np.random.default_rng(80_808)
BIRDS = np.array(["coot", "crane", "heron", "stork"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.82, TRUTH, RNG.integers(0, 4, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.45, 0.99, SIZE).round(4)
CHANCES = np.repeat(((1 - SURE) / 3)[:, None], 4, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
CHANCES = CHANCES.round(6)
TWO = RNG.integers(0, 2, SIZE)
CHANCE = np.clip(0.5 + (TWO - 0.5) * RNG.uniform(-0.4, 0.96, SIZE), 0.01, 0.99).round(4)
TWO_RIGHT = float(((CHANCE >= 0.5) == (TWO == 1)).mean())
GOOD = RNG.random(SIZE) < 0.75
ROWS = range(SIZE)
WORTH = RNG.gamma(4, 60_000, SIZE).round()
GUESS = (WORTH * RNG.normal(1, 0.12, SIZE)).round(2)


def of_spss_modeler() -> bytes:
    """The fields of a C5.0 node behind those of the data, with its confidence."""
    columns = {"Weight": RNG.normal(900, 200, SIZE).round(1), "Legs": RNG.choice(["long", "short"], SIZE)}
    return delimited(",", "utf-8", **columns, Species=BIRDS[TRUTH], **{"$C-Species": BIRDS[SAID], "$CC-Species": SURE})


def of_orange() -> bytes:
    """The Predictions widget's table saved with Orange's three rows of header."""
    head = "Weight\tspecies\tTree\tTree (coot)\tTree (crane)\tTree (heron)\tTree (stork)\n"
    kinds = "continuous\t" + "\t".join(["coot crane heron stork"] * 2 + ["continuous"] * 4) + "\n"
    flags = "\tclass" + "\tmeta" * 5 + "\n"
    rows = "".join(
        f"{900 + row % 70}\t{BIRDS[TRUTH[row]]}\t{BIRDS[SAID[row]]}\t" + "\t".join(map(str, CHANCES[row])) + "\n"
        for row in ROWS
    )
    return (head + kinds + flags + rows).encode()


def of_birdnet() -> bytes:
    """Detections with a column in which a person checked each."""
    return delimited(
        ",",
        "utf-8",
        **{
            "Begin Path": [f"rec/site_{row:04}.wav" for row in ROWS],
            "Start (s)": [3.0 * (row % 20) for row in ROWS],
            "End (s)": [3.0 * (row % 20) + 3 for row in ROWS],
            "Common name": BIRDS[SAID],
            "Confidence": SURE,
            "verify": np.where(SAID == TRUTH, "yes", "no"),
        },
    )


def of_weave() -> bytes:
    """An evaluation's calls: inputs, output and a scorer's answer."""
    return lines(
        [
            {
                "id": f"01{row:06}",
                "inputs": {"example": {"sentence": f"A bird with number {row} was seen.", "target": f"number {row}"}},
                "output": {
                    "output": f"The bird is number {row if GOOD[row] else row + 1}.",
                    "scores": {"match_score": {"correct": bool(GOOD[row])}},
                    "model_latency": 0.4,
                },
            }
            for row in ROWS
        ]
    )


def of_opik() -> bytes:
    """A trace export: input, output, expected output and feedback scores."""
    return json.dumps(
        [
            {
                "dataset_item_id": f"d{row}",
                "input": {"question": f"How many birds sit on pole {row}?"},
                "evaluation_task_output": {"output": f"There are {row if GOOD[row] else row + 2} birds."},
                "expected_output": f"{row} birds",
                "feedback_scores": [{"name": "answer_relevance", "value": round(float(RNG.uniform(0.5, 1)), 3)}],
            }
            for row in ROWS
        ]
    ).encode()


def of_pydantic_evals() -> bytes:
    return json.dumps(
        {
            "name": "birds",
            "cases": [
                {
                    "name": f"case {row}",
                    "inputs": f"Which bird stands on one leg at pond {row}?",
                    "expected_output": f"A stork at pond {row}.",
                    "output": f"A {'stork' if GOOD[row] else 'coot'} at pond {row}.",
                    "assertions": {"IsRight": {"name": "IsRight", "value": bool(GOOD[row]), "reason": None}},
                    "task_duration": 0.5,
                }
                for row in ROWS
            ],
        }
    ).encode()


def of_automl_images() -> bytes:
    """A line for each picture with the likeliest annotations, the best first."""
    return lines(
        [
            {
                "ID": f"gs://birds/{row:04}.jpg",
                "annotations": [
                    {
                        "annotation_spec_id": "17",
                        "classification": {"score": float(SURE[row])},
                        "display_name": str(BIRDS[SAID[row]]),
                    },
                    {
                        "annotation_spec_id": "18",
                        "classification": {"score": float((1 - SURE[row]) / 2)},
                        "display_name": str(BIRDS[(SAID[row] + 1) % 4]),
                    },
                ],
            }
            for row in ROWS
        ]
    )


def of_arize() -> bytes:
    """An inference log in Parquet: prediction and actual labels and scores, with ids and times."""
    table = pa.table(
        {
            "prediction_id": [f"p-{row}" for row in ROWS],
            "prediction_ts": [1_700_000_000 + 60 * row for row in ROWS],
            "predicted_label": BIRDS[SAID].tolist(),
            "prediction_score": SURE.tolist(),
            "actual_label": BIRDS[TRUTH].tolist(),
            "wing_cm": RNG.normal(40, 5, SIZE).round(1).tolist(),
        }
    )
    out = io.BytesIO()
    pa.parquet.write_table(table, out)
    return out.getvalue()


def of_fastai() -> bytes:
    """Predictions with the loss of each, as interp.top_losses gives them."""
    losses = np.where(SAID == TRUTH, -np.log(SURE), -np.log((1 - SURE) / 3)).round(4)
    order = np.argsort(-losses)
    return delimited(
        ",",
        "utf-8",
        fname=[f"{row:04}.jpg" for row in order],
        predicted=BIRDS[SAID][order],
        actual=BIRDS[TRUTH][order],
        loss=losses[order],
        probability=SURE[order],
    )


def of_a_teacher() -> bytes:
    """Essays graded by a program and by a teacher, in a workbook."""
    grade = np.clip(TRUTH + 2, 1, 6)
    said = np.clip(SAID + 2, 1, 6)
    return workbook(
        [
            ["Essay", "Words", "AI grade", "Teacher grade"],
            *([f"Essay {row}", 300 + row % 90, int(said[row]), int(grade[row])] for row in ROWS),
        ]
    )


def of_a_radiologist() -> bytes:
    words = np.array(["normal", "effusion", "nodule", "pneumonia"])
    return delimited(
        ";",
        "cp1252",
        "\r\n",
        StudyUID=[f"1.2.840.{row * 7919}" for row in ROWS],
        Ai_finding=words[SAID],
        Ai_score=with_comma(SURE),
        Radiologist_finding=words[TRUTH],
    )


def of_late_trains() -> bytes:
    """The chance of a late train and whether it was late, in words."""
    return delimited(
        "\t",
        "utf-8",
        train=[f"IC {row}" for row in ROWS],
        distance_km=RNG.integers(20, 600, SIZE),
        late_prob=CHANCE,
        outcome_late=np.where(TWO == 1, "late", "on time"),
    )


def of_toxicity() -> bytes:
    """Flags for several labels behind their names, for comments."""
    truth, said = FLAGS
    columns = {"comment": [f"this is what person {row} wrote" for row in ROWS]}
    for place, name in enumerate(("toxic", "insult", "threat")):
        columns |= {name: truth[:, place].astype(int), f"{name}_pred": said[:, place].astype(int)}
    return delimited(",", "utf-8", **columns)


FLAGS_TRUE = RNG.random((SIZE, 3)) < 0.3
FLAGS = (FLAGS_TRUE, FLAGS_TRUE ^ (RNG.random((SIZE, 3)) < 0.08))
SAME_FLAGS = float((FLAGS[0] == FLAGS[1]).all(axis=1).mean())


def of_ocr() -> bytes:
    """What a program read on a form, and what is written there."""
    written = [f"{row:05}-{'ABCD'[row % 4]}" for row in ROWS]
    read = [text if GOOD[row] else text.replace("0", "O", 1) for row, text in enumerate(written)]
    return delimited(
        ",",
        "utf-8",
        image=[f"forms/{row}.png" for row in ROWS],
        ocr_text=read,
        true_text=written,
        cer=(~GOOD * 0.14).round(2),
    )


def of_translations() -> bytes:
    """Two systems' translations of a sentence, with a person's preference."""
    return delimited(
        "\t",
        "utf-8",
        source=[f"Der Vogel Nummer {row} fliegt." for row in ROWS],
        system_a=[f"Bird number {row} flies." for row in ROWS],
        system_b=[f"The bird number {row} is flying." for row in ROWS],
        better=[("A", "B", "tie")[row % 3] for row in ROWS],
    )


def of_house_prices() -> bytes:
    return delimited(
        ";",
        "utf-8-sig",
        "\r\n",
        Parcel=[f"7/{row:04}" for row in ROWS],
        AssessedValue=[f"{int(value):,} €".replace(",", " ") for value in WORTH],
        ModelEstimate=[f"{value:,.2f} €".replace(",", " ").replace(".", ",") for value in GUESS],
    )


def of_sklearn_report() -> bytes:
    """A pickle of pandas turned into CSV: index, decision values of two classes, prediction and truth in words."""
    frame = pd.DataFrame(
        {
            "decision_function": (6 * (CHANCE - 0.5)).round(4),
            "y_pred": np.where(CHANCE >= 0.5, "spam", "ham"),
            "y_test": np.where(TWO == 1, "spam", "ham"),
        },
        index=RNG.permutation(4_000)[:SIZE],
    )
    return frame.to_csv().encode()


def of_content_moderation() -> bytes:
    """The categories of a moderation service, each flagged and scored, with what it decided."""
    return lines(
        [
            {
                "content": f"What person {row} said about birds.",
                "flagged": bool(CHANCE[row] >= 0.5),
                "categories": {"hate": bool(CHANCE[row] >= 0.5), "violence": bool(row % 5 == 0)},
                "category_scores": {"hate": float(CHANCE[row]), "violence": 0.7 if row % 5 == 0 else 0.1},
                "human_review": bool(TWO[row]),
            }
            for row in ROWS
        ]
    )


def of_intents() -> bytes:
    """A chatbot's test report: an utterance, the expected and the matched intent, and whether they are one."""
    names = np.array(["opening_hours", "ticket", "parking", "lost_bird"])
    return delimited(
        ",",
        "utf-8",
        **{
            "Utterance": [f"I ask question {row} about birds" for row in ROWS],
            "Expected Intent": names[TRUTH],
            "Matched Intent": names[SAID],
            "Score": SURE,
            "Result": np.where(SAID == TRUTH, "PASS", "FAIL"),
        },
    )


def of_a_judge_of_pairs() -> bytes:
    """A judge's verdicts over answers with its reason, and a person's verdict for some."""
    return lines(
        [
            {
                "question": f"How far does bird {row} fly?",
                "model_answer": f"It flies {row if GOOD[row] else 3 * row} km.",
                "gold": f"{row} km",
                "judge": {
                    "verdict": "correct" if GOOD[row] or row % 9 == 0 else "incorrect",
                    "reason": f"{row} is far.",
                },
                "human_verdict": ("correct" if GOOD[row] else "incorrect") if row % 4 == 0 else None,
            }
            for row in ROWS
        ]
    )


EIGHTH_HELD_OUT = [
    HeldOut(
        "modeler.csv", of_spss_modeler, {"$C-Species": "prediction", "$CC-Species": "confidence"}, ["Species"], RIGHT
    ),
    HeldOut(
        "orange.tab", of_orange, {"Tree": "prediction", "species": "label", "Tree (coot)": "p_coot"}, accuracy=RIGHT
    ),
    HeldOut("birdnet.csv", of_birdnet, {"Common name": "prediction", "Confidence": "confidence"}, ["verify"]),
    HeldOut("weave.jsonl", of_weave, {"output.output": "output"}, ["output.scores.match_score.correct"]),
    HeldOut(
        "opik.json",
        of_opik,
        {"input.question": "input", "evaluation_task_output.output": "output", "expected_output": "reference"},
    ),
    HeldOut(
        "cases.json",
        of_pydantic_evals,
        {"inputs": "input", "output": "output", "expected_output": "reference"},
        ["assertions.IsRight.value"],
    ),
    HeldOut(
        "image_classification_1.jsonl",
        of_automl_images,
        {"annotations[0].display_name": "prediction", "annotations[0].classification.score": "confidence"},
    ),
    HeldOut(
        "inferences.parquet",
        of_arize,
        {"predicted_label": "prediction", "prediction_score": "confidence"},
        ["actual_label"],
        RIGHT,
    ),
    HeldOut(
        "top_losses.csv", of_fastai, {"predicted": "prediction", "probability": "confidence"}, ["actual", "loss"], RIGHT
    ),
    HeldOut("essays.xlsx", of_a_teacher, {"AI grade": "prediction"}, ["Teacher grade"], RIGHT),
    HeldOut(
        "xray.csv",
        of_a_radiologist,
        {"Ai_finding": "prediction", "Ai_score": "confidence"},
        ["Radiologist_finding"],
        RIGHT,
    ),
    HeldOut("trains.tsv", of_late_trains, {"late_prob": "confidence"}, ["outcome_late"], TWO_RIGHT),
    HeldOut("toxicity.csv", of_toxicity, {"prediction": "prediction", "comment": "text"}, ["label"], SAME_FLAGS),
    HeldOut("ocr.csv", of_ocr, {"ocr_text": "output", "true_text": "reference"}, ["cer"]),
    HeldOut(
        "translations.tsv",
        of_translations,
        {"source": "input", "system_a": "output_a", "system_b": "output_b"},
        ["better"],
    ),
    HeldOut("parcels.csv", of_house_prices, {"ModelEstimate": "prediction"}, ["AssessedValue"]),
    HeldOut("svm.csv", of_sklearn_report, {"y_pred": "prediction"}, ["y_test", "decision_function"], TWO_RIGHT),
    HeldOut("moderation.jsonl", of_content_moderation, refuses="has no predictions"),
    HeldOut(
        "intents.csv",
        of_intents,
        {"Matched Intent": "prediction", "Score": "confidence"},
        ["Expected Intent", "Result"],
        RIGHT,
    ),
    HeldOut(
        "judged.jsonl",
        of_a_judge_of_pairs,
        {"question": "input", "model_answer": "output", "gold": "reference"},
        ["human_verdict", "judge.verdict"],
    ),
]
