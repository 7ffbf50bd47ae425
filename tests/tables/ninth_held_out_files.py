"""Ten more tables, written after the rules of the eighth set, each with its right reading before anything read it.

At first eight were right (seven read, one asked about), one was refused, and one misread without a word: whole percentages of
certainty were numbers that tell failures. Now nine are read and one is asked about.
"""

import json

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 220
RNG = np.random.default_rng(90_909)
ROCKS = np.array(["basalt", "chalk", "gneiss", "slate"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 4, SIZE))
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


def of_roboflow_inference() -> bytes:
    """One answer of a hosted classifier for each picture: the top class, its confidence and those of all."""
    return json.dumps(
        [
            {
                "image": {"width": 640, "height": 480},
                "file": f"quarry/{row:04}.jpg",
                "top": str(ROCKS[SAID[row]]),
                "confidence": float(SURE[row]),
                "time": 0.07,
            }
            for row in ROWS
        ]
    ).encode()


def of_sql_export() -> bytes:
    """A database's export with upper-case names, quoted, NULL for what nobody checked."""
    checked = RNG.random(SIZE) < 0.4
    columns = {"SAMPLE_ID": [f"S{row:05}" for row in ROWS], "PREDICTED_ROCK": ROCKS[SAID], "PREDICTED_ROCK_SCORE": SURE}
    columns |= {
        "VERIFIED_ROCK": np.where(checked, ROCKS[TRUTH], "NULL"),
        "CREATED_AT": [f"2026-05-{1 + row % 28:02} 10:00:00" for row in ROWS],
    }
    return delimited(",", "utf-8", **columns)


def of_deepchecks() -> bytes:
    """Index, label, prediction and a column of chances for each class as a list."""
    frame = pd.DataFrame(
        {"user_input": [f"rock {row} is hard" for row in ROWS], "label": ROCKS[TRUTH], "pred": ROCKS[SAID]}
    )
    frame["model_probas"] = [str([float(one) for one in row]) for row in CHANCES]
    return frame.to_csv(index_label="original_index").encode()


def of_support_mails() -> bytes:
    """Mails as a team routes them: what the machine suggested, and where the mail ended."""
    teams = np.array(["billing", "delivery", "returns", "technics"])
    return workbook(
        [
            ["Ticket", "Subject", "Suggested team", "Certainty %", "Final team"],
            *(
                [
                    f"T-{row}",
                    f"A question about order {row}",
                    teams[SAID[row]],
                    round(100 * float(SURE[row])),
                    teams[TRUTH[row]],
                ]
                for row in ROWS
            ),
        ]
    )


def of_credit() -> bytes:
    """A score of default with the decision made by it, and whether the loan was paid back."""
    return delimited(
        ",",
        "utf-8",
        loan_id=[f"L{row * 37:06}" for row in ROWS],
        income=RNG.integers(20_000, 90_000, SIZE),
        pd_probability=CHANCE,
        defaulted=np.where(TWO == 1, "Y", "N"),
    )


def of_rag_triad() -> bytes:
    """An app's records with the three feedbacks and the retrieved contexts."""
    return lines(
        [
            {
                "record_id": f"r{row}",
                "main_input": f"How hard is rock {row}?",
                "main_output": f"Rock {row} has hardness {row % 9}.",
                "contexts": [f"Rock {row} was measured.", "Hardness goes from 1 to 10."],
                "groundedness": round(float(RNG.uniform(0, 1)), 2),
                "context_relevance": round(float(RNG.uniform(0, 1)), 2),
                "total_cost": 0.001,
            }
            for row in ROWS
        ]
    )


def of_two_forecasts() -> bytes:
    """Demand, a model's forecast of it and the plan of last year, by week."""
    demand = RNG.gamma(5, 300, SIZE).round()
    return delimited(
        ";",
        "cp1252",
        "\r\n",
        Week=[f"2022-W{1 + row % 52:02}" for row in ROWS],
        Article=[f"A{row:04}" for row in ROWS],
        Demand=demand.astype(int),
        Forecast=with_comma(demand * RNG.normal(1, 0.15, SIZE), 1),
    )


def of_an_eval_script() -> bytes:
    """A script's results under a heading of settings, with text answers and a boolean."""
    return json.dumps(
        {
            "model": "small",
            "seed": 1,
            "n": SIZE,
            "items": [
                {
                    "idx": row,
                    "question": f"What is {row} + 7?",
                    "model_answer": str(row + 7 if GOOD[row] else row + 8),
                    "correct_answer": str(row + 7),
                    "is_correct": bool(GOOD[row]),
                }
                for row in ROWS
            ],
        },
        indent=1,
    ).encode()


def of_three_models() -> bytes:
    """The answers of three models beside the truth, nothing else: which one is tested must be asked."""
    others = [np.where(RNG.random(SIZE) < share, TRUTH, RNG.integers(0, 4, SIZE)) for share in (0.7, 0.75)]
    return delimited(
        ",",
        "utf-8",
        true_label=ROCKS[TRUTH],
        pred_resnet=ROCKS[SAID],
        pred_vit=ROCKS[others[0]],
        pred_vgg=ROCKS[others[1]],
    )


def of_annotators() -> bytes:
    """Labels that two people gave, and the model's, of tweets."""
    second = np.where(RNG.random(SIZE) < 0.9, TRUTH, RNG.integers(0, 4, SIZE))
    return delimited(
        "\t",
        "utf-8",
        tweet=[f"my stone number {row} is nice" for row in ROWS],
        annotator_1=ROCKS[TRUTH],
        annotator_2=ROCKS[second],
        model_prediction=ROCKS[SAID],
        model_confidence=SURE,
    )


NINTH_HELD_OUT = [
    HeldOut("inference.json", of_roboflow_inference, {"top": "prediction", "confidence": "confidence", "file": "file"}),
    HeldOut(
        "export.csv",
        of_sql_export,
        {"PREDICTED_ROCK": "prediction", "PREDICTED_ROCK_SCORE": "confidence"},
        ["VERIFIED_ROCK"],
    ),
    HeldOut("checks.csv", of_deepchecks, {"pred": "prediction"}, ["label", "model_probas"], RIGHT),
    HeldOut(
        "tickets.xlsx", of_support_mails, {"Suggested team": "prediction", "Certainty %": "confidence"}, ["Final team"]
    ),
    HeldOut("loans.csv", of_credit, {"pd_probability": "confidence"}, ["defaulted"], TWO_RIGHT),
    HeldOut("records.jsonl", of_rag_triad, {"main_input": "input", "main_output": "output"}),
    HeldOut("demand.csv", of_two_forecasts, {"Forecast": "prediction"}, ["Demand"]),
    HeldOut(
        "results_small.json",
        of_an_eval_script,
        {"question": "input", "model_answer": "output", "correct_answer": "reference", "is_correct": "outcome"},
        ["is_correct"],
    ),
    HeldOut("models.csv", of_three_models, asks="may each be the prediction"),
    HeldOut(
        "tweets.tsv",
        of_annotators,
        {"model_prediction": "prediction", "model_confidence": "confidence", "tweet": "text"},
        ["annotator_1", "annotator_2"],
    ),
]
