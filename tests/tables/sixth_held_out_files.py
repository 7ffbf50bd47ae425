"""Ten more tables as tools and people write them, each written with its right reading before anything read it.

At first four were read right, two were asked about, two refused and two misread without a word: lists of the answers in each
fold as sets, and what users thought of an answer as something to show. Now eight are read, one is asked about and one refused.
"""

import io
import json

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(60_606)
TREES = np.array(["ash", "elm", "yew"])
TRUTH = RNG.choice(3, SIZE, p=(0.5, 0.3, 0.2))
SAID = np.where(RNG.random(SIZE) < 0.82, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.4, 0.99, SIZE).round(4)
CHANCES = np.repeat(((1 - SURE) / 2)[:, None], 3, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
ROWS = range(SIZE)
GOOD = RNG.random(SIZE) < 0.75


def of_batch_transform() -> bytes:
    return lines(
        [
            {
                "height": round(float(RNG.normal(12, 4)), 2),
                "species": str(TREES[TRUTH[row]]),
                "SageMakerOutput": {"predicted_label": str(TREES[SAID[row]]), "probability": float(SURE[row])},
            }
            for row in ROWS
        ]
    )


def in_french() -> bytes:
    columns = {"Fichier": [f"img/{row:04}.png" for row in ROWS], "Classe réelle": TREES[TRUTH]}
    sure = [f"{x:.4f}".replace(".", ",") for x in SURE]
    return delimited(";", "cp1252", "\r\n", **columns, **{"Classe prédite": TREES[SAID], "Confiance": sure})


def of_phoenix() -> bytes:
    table = pd.DataFrame(
        {
            "context.span_id": [f"{row * 7919:016x}" for row in ROWS],
            "start_time": pd.date_range("2026-01-01", periods=SIZE, freq="min"),
            "attributes.input.value": [f"How many rings has a tree after {row} years?" for row in ROWS],
            "attributes.output.value": [f"It has {row if GOOD[row] else row + 3} of them by then." for row in ROWS],
            "eval.Correctness.label": np.where(GOOD, "correct", "incorrect"),
            "eval.Correctness.score": GOOD.astype(float),
        }
    )
    held = io.BytesIO()
    table.to_parquet(held)
    return held.getvalue()


def of_a_cross_table() -> bytes:
    table = pd.crosstab(pd.Series(TREES[TRUTH], name="actual"), pd.Series(TREES[SAID], name="predicted"))
    return table.to_csv().encode()


def of_three_raters() -> bytes:
    raters = {f"rater_{k}": TREES[np.where(RNG.random(SIZE) < 0.9, TRUTH, RNG.integers(0, 3, SIZE))] for k in (1, 2, 3)}
    return delimited(",", "utf-8", photo=[f"p{row:04}.jpg" for row in ROWS], model_label=TREES[SAID], **raters)


def of_a_log() -> bytes:
    said = np.where(SAID == TRUTH, "thumbs_up", "thumbs_down")
    return delimited(
        ",",
        "utf-8",
        timestamp=pd.date_range("2026-03-01", periods=SIZE, freq="37s").astype(str),
        request_id=[f"r-{row * 104729 % 99991:05}" for row in ROWS],
        latency_ms=RNG.gamma(2, 40, SIZE).round(1),
        predicted_class=TREES[SAID],
        predicted_class_prob=SURE,
        feedback=np.where(RNG.random(SIZE) < 0.4, said, ""),
    )


def of_folds_of_lists() -> bytes:
    folds = np.array_split(np.arange(SIZE), 5)
    return json.dumps(
        [
            {"fold": k, "y_true": TREES[TRUTH[rows]].tolist(), "y_pred": TREES[SAID[rows]].tolist(), "n": len(rows)}
            for k, rows in enumerate(folds)
        ]
    ).encode()


def with_soll_and_ist() -> bytes:
    names = ["Nr.", "Soll", "Ist", "Sicherheit"]
    return workbook([names, *([row + 1, TREES[TRUTH[row]], TREES[SAID[row]], float(SURE[row])] for row in ROWS)])


def of_a_pipeline_with_all_classes() -> bytes:
    rows = [
        sorted(
            ({"label": str(tree), "score": float(x)} for tree, x in zip(TREES, row, strict=True)),
            key=lambda one: -one["score"],
        )
        for row in CHANCES
    ]
    return json.dumps(rows).encode()


def of_sentence_pairs() -> bytes:
    truth = RNG.uniform(0, 5, SIZE)
    return delimited(
        "\t",
        "utf-8",
        sentence1=[f"The tree number {row} stands here" for row in ROWS],
        sentence2=[f"There is a tree called {row * 3}" for row in ROWS],
        gold_score=truth.round(2),
        predicted_score=(truth + RNG.normal(0, 0.4, SIZE)).round(3),
    )


SIXTH_HELD_OUT = [
    HeldOut(
        "batch.jsonl.out",
        of_batch_transform,
        {"SageMakerOutput.predicted_label": "prediction", "SageMakerOutput.probability": "confidence"},
        ["species"],
    ),
    HeldOut(
        "previsions.csv",
        in_french,
        {"Classe prédite": "prediction", "Confiance": "confidence", "Fichier": "file"},
        ["Classe réelle"],
        RIGHT,
    ),
    HeldOut(
        "spans.parquet",
        of_phoenix,
        {"attributes.input.value": "input", "attributes.output.value": "output"},
        ["eval.Correctness.label", "eval.Correctness.score"],
    ),
    HeldOut("crosstab.csv", of_a_cross_table, refuses="has no predictions"),
    HeldOut("raters.csv", of_three_raters, {"model_label": "prediction"}, ["rater_1", "rater_2", "rater_3"]),
    HeldOut("log.csv", of_a_log, {"predicted_class": "prediction", "predicted_class_prob": "confidence"}, ["feedback"]),
    HeldOut("folds.json", of_folds_of_lists, {"y_pred": "prediction"}, ["y_true"], RIGHT),
    HeldOut("soll.xlsx", with_soll_and_ist, asks="contain the same classes"),
    HeldOut("pipeline.json", of_a_pipeline_with_all_classes, {"ash": "p_ash", "elm": "p_elm", "yew": "p_yew"}),
    HeldOut("sts.tsv", of_sentence_pairs, {"predicted_score": "prediction", "gold_score": "label"}),
]
