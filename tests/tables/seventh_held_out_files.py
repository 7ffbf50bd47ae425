"""Ten more tables, of kinds that are in none of the other sets, each written with its right reading before anything read it.

At first five were read right, three refused, and two misread without a word: a model's second and third guesses were shown to
testers, and answers of four words were outputs to judge. Now all are read.
"""

import gzip
import json

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 200
RNG = np.random.default_rng(70_707)
FISH = np.array(["carp", "pike", "tench", "bream"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 4, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.4, 0.99, SIZE).round(4)
ROWS = range(SIZE)
GOOD = RNG.random(SIZE) < 0.7
TRUE_FLAGS = RNG.random((SIZE, 3)) < 0.4
SAID_FLAGS = TRUE_FLAGS ^ (RNG.random((SIZE, 3)) < 0.1)
SAME_FLAGS = float((TRUE_FLAGS == SAID_FLAGS).all(axis=1).mean())


def in_russian() -> bytes:
    columns = {"№": [row + 1 for row in ROWS], "Файл": [f"рыба_{row:03}.jpg" for row in ROWS]}
    columns |= {"Предсказание": FISH[SAID], "Уверенность": with_comma(SURE, 4), "Истинный класс": FISH[TRUTH]}
    return delimited(";", "utf-8-sig", "\r\n", **columns)


def of_top_three() -> bytes:
    """The three likeliest classes with their chances, side by side."""
    others = np.array([RNG.permutation([k for k in range(4) if k != said])[:2] for said in SAID])
    columns = {"img": [f"{row:04}.png" for row in ROWS], "gt": FISH[TRUTH], "top1": FISH[SAID], "top1_prob": SURE}
    for place in (0, 1):
        columns |= {
            f"top{place + 2}": FISH[others[:, place]],
            f"top{place + 2}_prob": ((1 - SURE) / (place + 2)).round(4),
        }
    return delimited(",", "utf-8", **columns)


def of_judged_answers() -> bytes:
    """One answer to each question, graded 1 to 5 by a model, with its reasoning and a mean of two people's grades."""
    return lines(
        [
            {
                "prompt": f"What does fish number {row} eat?",
                "completion": f"It eats {'snails' if GOOD[row] else 'stones'} on day {row}.",
                "judge_score": int(RNG.integers(4, 6) if GOOD[row] else RNG.integers(1, 3)),
                "judge_reasoning": "It is right." if GOOD[row] else "It is wrong: no fish does.",
                "human_mean": float(4.5 if GOOD[row] else 1.5),
            }
            for row in ROWS
        ]
    )


def of_multi_label_flags() -> bytes:
    """A column of 0 and 1 for the truth and one for the prediction of each label."""
    columns = {f"true_{name}": TRUE_FLAGS[:, k].astype(int) for k, name in enumerate(("mud", "sand", "reed"))}
    columns |= {f"pred_{name}": SAID_FLAGS[:, k].astype(int) for k, name in enumerate(("mud", "sand", "reed"))}
    return delimited(",", "utf-8", site=[f"s{row:03}" for row in ROWS], **columns)


def packed_with_comments() -> bytes:
    text = (
        "# model: fishnet 2\n# date: 2026-05-01\n" + delimited("\t", "utf-8", y_hat=FISH[SAID], y=FISH[TRUTH]).decode()
    )
    return gzip.compress(text.encode())


def of_keys_and_objects() -> bytes:
    """An object by the name of each picture, as scripts write their results."""
    return json.dumps(
        {
            f"pond/{row:04}.jpg": {
                "pred": str(FISH[SAID[row]]),
                "true": str(FISH[TRUTH[row]]),
                "conf": float(SURE[row]),
            }
            for row in ROWS
        }
    ).encode()


def of_weights_in_grams() -> bytes:
    weight = RNG.gamma(3, 400, SIZE)
    return workbook(
        [
            ["Fish", "Weight (g)", "Predicted weight (g)", "Length (cm)"],
            *(
                [
                    f"F-{row:03}",
                    round(float(weight[row]), 1),
                    round(float(weight[row] * RNG.normal(1, 0.1)), 1),
                    20 + row % 30,
                ]
                for row in ROWS
            ),
        ]
    )


def of_a_chance_and_a_threshold() -> bytes:
    truth = RNG.random(SIZE) < 0.4
    chance = np.clip(np.where(truth, 0.7, 0.3) + RNG.normal(0, 0.2, SIZE), 0.001, 0.999).round(4)
    return delimited(
        ",", "utf-8", customer=[f"c{row:04}" for row in ROWS], churn_probability=chance, churned=truth.astype(int)
    )


def of_a_tool_that_was_called() -> bytes:
    """What an agent called, what was expected, and whether the two match."""
    calls = [json.dumps({"name": "feed", "arguments": {"pond": row if GOOD[row] else row + 1}}) for row in ROWS]
    return lines(
        [
            {
                "task_id": f"task-{row:03}",
                "instruction": f"Feed the fish in pond {row}.",
                "actual_call": calls[row],
                "expected_call": json.dumps({"name": "feed", "arguments": {"pond": row}}),
                "match": bool(GOOD[row]),
            }
            for row in ROWS
        ]
    )


def of_words_about_certainty() -> bytes:
    words = np.array(["low", "medium", "high"])[np.digitize(SURE, (0.6, 0.8))]
    keys = [f"q-{row * 31 % 997:03}" for row in ROWS]
    return delimited("|", "utf-8", id=keys, Answer=FISH[SAID], Certainty=words, Key=FISH[TRUTH])


SEVENTH_HELD_OUT = [
    HeldOut(
        "ryby.csv", in_russian, {"Предсказание": "prediction", "Уверенность": "confidence"}, ["Истинный класс"], RIGHT
    ),
    HeldOut("top3.csv", of_top_three, {"top1": "prediction", "top1_prob": "confidence"}, ["gt", "top2", "top3"], RIGHT),
    HeldOut(
        "judged.jsonl",
        of_judged_answers,
        {"prompt": "input", "completion": "output"},
        ["judge_reasoning", "judge_score", "human_mean"],
    ),
    HeldOut("flags.csv", of_multi_label_flags, {"prediction": "prediction"}, ["label"], SAME_FLAGS),
    HeldOut("fishnet.tsv.gz", packed_with_comments, {"y_hat": "prediction"}, ["y"], RIGHT),
    HeldOut("results.json", of_keys_and_objects, {"pred": "prediction", "conf": "confidence"}, ["true"], RIGHT),
    HeldOut("weights.xlsx", of_weights_in_grams, {"Predicted weight (g)": "prediction"}, ["Weight (g)"]),
    HeldOut("churn.csv", of_a_chance_and_a_threshold, {"churn_probability": "confidence"}, ["churned"]),
    HeldOut(
        "calls.jsonl",
        of_a_tool_that_was_called,
        {"instruction": "input", "actual_call": "output", "expected_call": "reference"},
        ["match"],
    ),
    HeldOut("exam.txt", of_words_about_certainty, {"Answer": "prediction"}, ["Key", "Certainty"], RIGHT),
]
