"""Ten more tables, written after the rules of the ninth set, each with its right reading before anything read it.

At first six were read right, one was asked about, two were refused, of which one should be asked about, and one was misread
without a word: of a service's answer one row was read where 230 lie a level deeper. Now eight are read, one is asked about
and one refused.
"""

import io
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 230
RNG = np.random.default_rng(101_010)
TREES = np.array(["alder", "beech", "cedar"])
TRUTH = RNG.choice(3, SIZE, p=(0.5, 0.3, 0.2))
SAID = np.where(RNG.random(SIZE) < 0.81, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.5, 0.99, SIZE).round(4)
TWO = RNG.integers(0, 2, SIZE)
CHANCE = np.clip(0.5 + (TWO - 0.5) * RNG.uniform(-0.4, 0.96, SIZE), 0.01, 0.99).round(4)
TWO_RIGHT = float(((CHANCE >= 0.5) == (TWO == 1)).mean())
GOOD = RNG.random(SIZE) < 0.75
ROWS = range(SIZE)


def of_huggingface_trainer() -> bytes:
    """index, prediction and label of a fine-tuned classifier with its logits as columns."""
    logits = np.log(np.where(np.arange(3)[None] == SAID[:, None], SURE[:, None], (1 - SURE[:, None]) / 2)).round(3)
    columns = {
        "sentence": [f"tree {row} has many leaves" for row in ROWS],
        "label": TREES[TRUTH],
        "predicted_label": TREES[SAID],
    }
    return delimited("\t", "utf-8", **columns, **{f"logit_{name}": logits[:, k] for k, name in enumerate(TREES)})


def of_azure_language() -> bytes:
    """Sentiment of documents with the three scores, as an Azure answer's documents."""
    words = ["negative", "neutral", "positive"]
    return json.dumps(
        {
            "kind": "SentimentAnalysisResults",
            "results": {
                "documents": [
                    {
                        "id": str(row),
                        "sentiment": words[SAID[row]],
                        "confidenceScores": {
                            word: float(SURE[row]) if k == SAID[row] else round(float(1 - SURE[row]) / 2, 4)
                            for k, word in enumerate(words)
                        },
                        "warnings": [],
                    }
                    for row in ROWS
                ],
                "errors": [],
            },
        }
    ).encode()


def of_label_studio_csv() -> bytes:
    """Label Studio's CSV: the picture, the choice of a person, who and when."""
    return delimited(
        ",",
        "utf-8",
        id=[row + 100 for row in ROWS],
        image=[f"/data/upload/1/{row:04}.jpg" for row in ROWS],
        model_choice=TREES[SAID],
        choice=TREES[TRUTH],
        annotator=[1 + row % 3 for row in ROWS],
        lead_time=RNG.uniform(1, 30, SIZE).round(2),
    )


def of_churn_scores() -> bytes:
    """A scored list without an outcome: only a chance, which is to be asked about."""
    return delimited(
        ",", "utf-8", customer=[f"K{row * 13:05}" for row in ROWS], tenure=RNG.integers(1, 90, SIZE), churn_score=CHANCE
    )


def of_fraud_workbook() -> bytes:
    return workbook(
        [
            ["Transaction", "Amount", "Fraud probability", "Alert", "Confirmed fraud"],
            *(
                [
                    f"X{row}",
                    round(float(RNG.gamma(2, 80)), 2),
                    float(CHANCE[row]),
                    "yes" if CHANCE[row] >= 0.5 else "no",
                    "yes" if TWO[row] else "no",
                ]
                for row in ROWS
            ),
        ]
    )


def of_a_database_of_runs() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.sqlite"
        with closing(sqlite3.connect(path)) as base:
            base.execute(
                "create table results (uid text, question text, llm_response text, expected_response text, latency real)"
            )
            base.executemany(
                "insert into results values (?, ?, ?, ?, ?)",
                [
                    (
                        f"u{row}",
                        f"How old is tree {row}?",
                        f"Tree {row} is {row if GOOD[row] else row + 9} years old.",
                        f"{row} years",
                        0.5,
                    )
                    for row in ROWS
                ],
            )
            base.commit()
        return path.read_bytes()


def of_extraction() -> bytes:
    """Fields that a model read from invoices, next to what a clerk typed."""
    total = [f"{100 + row}.00" for row in ROWS]
    read = [text if GOOD[row] else text[::-1] for row, text in enumerate(total)]
    return delimited(
        ",", "utf-8", file=[f"inv/{row:04}.pdf" for row in ROWS], extracted_value=read, correct_value=total
    )


def of_pairwise_humans() -> bytes:
    """Two answers with a person's vote by the model's name."""
    return lines(
        [
            {
                "prompt": f"Describe tree {row}.",
                "model_a": "small",
                "model_b": "large",
                "answer_a": f"Tree {row} is tall.",
                "answer_b": f"Tree {row} is a tall tree with leaves.",
                "vote": ("answer_a", "answer_b", "tie")[row % 3],
            }
            for row in ROWS
        ]
    )


def of_sensor_regression() -> bytes:
    truth = RNG.normal(20, 6, SIZE).round(2)
    return delimited(
        ";",
        "utf-8",
        time=[f"2026-05-{1 + row % 28:02}T{row % 24:02}:00" for row in ROWS],
        temp_measured=with_comma(truth, 2),
        temp_model=with_comma(truth + RNG.normal(0, 1, SIZE), 2),
        humidity=RNG.integers(20, 100, SIZE),
    )


def of_grouped_parquet() -> bytes:
    table = pa.table(
        {
            "patient_id": [f"P{row // 5:03}" for row in ROWS],
            "slice": [row % 5 for row in ROWS],
            "y_hat": TREES[SAID].tolist(),
            "y_true": TREES[TRUTH].tolist(),
            "prob": SURE.tolist(),
        }
    )
    out = io.BytesIO()
    pa.parquet.write_table(table, out)
    return out.getvalue()


TENTH_HELD_OUT = [
    HeldOut(
        "eval_predictions.tsv",
        of_huggingface_trainer,
        {"predicted_label": "prediction", "sentence": "text"},
        ["label", "logit_alder"],
        RIGHT,
    ),
    HeldOut("sentiment.json", of_azure_language, {"sentiment": "prediction"}, ["confidenceScores.neutral"]),
    HeldOut("project-1.csv", of_label_studio_csv, {"model_choice": "prediction", "image": "image"}, ["choice"]),
    HeldOut("scores.csv", of_churn_scores, asks="chance"),
    HeldOut("fraud.xlsx", of_fraud_workbook, {"Alert": "prediction"}, ["Confirmed fraud", "Fraud probability"]),
    HeldOut(
        "runs.sqlite",
        of_a_database_of_runs,
        {"question": "input", "llm_response": "output", "expected_response": "reference"},
    ),
    HeldOut("invoices.csv", of_extraction, {"extracted_value": "prediction", "correct_value": "label"}),
    HeldOut(
        "votes.jsonl",
        of_pairwise_humans,
        {"prompt": "input", "answer_a": "output_a", "answer_b": "output_b"},
        ["vote", "model_a", "model_b"],
    ),
    HeldOut("sensor.csv", of_sensor_regression, {"temp_model": "prediction"}, ["temp_measured"]),
    HeldOut("slices.parquet", of_grouped_parquet, {"y_hat": "prediction", "prob": "confidence"}, ["y_true"], RIGHT),
]
