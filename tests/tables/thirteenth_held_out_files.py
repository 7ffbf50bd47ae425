"""Ten more tables, written after the rules of the twelfth set, each with its right reading before anything read it.

At first six were read right, four were refused, and none was misread. Now nine are read and one is refused: chances of which
each is judged by itself may be those of several labels.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(131_313)
FRUITS = np.array(["apple", "fig", "lemon", "plum"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.83, TRUTH, RNG.integers(0, 4, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.45, 0.98, SIZE).round(4)
LOSS = np.where(SAID == TRUTH, -np.log(SURE), -np.log((1 - SURE) / 3)).round(4)
FLAGGED = RNG.random(SIZE) < 0.3
HUMAN = FLAGGED ^ (RNG.random(SIZE) < 0.08)
GOOD = RNG.random(SIZE) < 0.7
ROWS = range(SIZE)


def of_rekognition() -> bytes:
    """Custom labels with confidences in per cent, in the order of the alphabet."""
    return lines(
        [
            {
                "Image": f"s3://fruit/{row:05}.jpg",
                "CustomLabels": [
                    {
                        "Name": str(name),
                        "Confidence": round(float(100 * SURE[row] if k == SAID[row] else 100 * (1 - SURE[row]) / 3), 3),
                    }
                    for k, name in enumerate(FRUITS)
                ],
                "GroundTruth": str(FRUITS[TRUTH[row]]),
            }
            for row in ROWS
        ]
    )


def of_zero_shot() -> bytes:
    """What zero-shot classification returns where each label is judged by itself, so that nothing sums to 1."""
    return lines(
        [
            {
                "sequence": f"The fruit of number {row} was sold at the market.",
                "labels": [str(FRUITS[(SAID[row] + step) % 4]) for step in range(4)],
                "scores": [round(float(0.6 + SURE[row] / 3 - step / 10), 4) for step in range(4)],
                "true_label": str(FRUITS[TRUTH[row]]),
            }
            for row in ROWS
        ]
    )


def of_an_office() -> bytes:
    return workbook(
        [
            ["Invoice", "Actual Category", "Predicted Category", "Score", "Match?", "Log Loss"],
            *(
                [
                    f"I-{row:04}",
                    str(FRUITS[TRUTH[row]]),
                    str(FRUITS[SAID[row]]),
                    float(SURE[row]),
                    "yes" if SAID[row] == TRUTH[row] else "no",
                    float(LOSS[row]),
                ]
                for row in ROWS
            ),
        ]
    )


def of_boosted_trees() -> bytes:
    real = RNG.normal(60, 12, SIZE).round(2)
    said = (real + RNG.normal(0, 5, SIZE)).round(2)
    return delimited(
        ",", "utf-8", y_test=real, y_pred=said, residual=(real - said).round(2), sq_error=((real - said) ** 2).round(4)
    )


def of_a_training_loop() -> bytes:
    """Numbers of classes, the logits as a list, and the loss of each row."""
    logits = RNG.normal(0, 1, (SIZE, 4))
    logits[np.arange(SIZE), SAID] += 5
    return delimited(
        ",",
        "utf-8",
        path=[f"val/{row:05}.png" for row in ROWS],
        logits=[str([round(float(x), 3) for x in one]) for one in logits],
        pred=SAID,
        target=TRUTH,
        loss=LOSS,
    )


def of_moderation() -> bytes:
    return lines(
        [
            {
                "input": f"Message number {row} about fruit and what to do with it",
                "results": [
                    {
                        "flagged": bool(FLAGGED[row]),
                        "category_scores": {
                            "hate": round(float(RNG.uniform(0, 0.3) + 0.6 * FLAGGED[row]), 4),
                            "spam": round(float(RNG.uniform(0, 0.3)), 4),
                        },
                    }
                ],
                "human_flag": bool(HUMAN[row]),
            }
            for row in ROWS
        ]
    )


def of_translations() -> bytes:
    return delimited(
        "\t",
        "utf-8",
        src=[f"Die Pflaume Nummer {row} ist reif" for row in ROWS],
        mt=[f"The plum number {row} is {'ripe' if GOOD[row] else 'late'}" for row in ROWS],
        ref=[f"Plum number {row} is ripe" for row in ROWS],
        sentence_bleu=RNG.uniform(5, 60, SIZE).round(2),
    )


def of_screening() -> bytes:
    """A program, a test of a laboratory and two readers, each with the same two words."""
    words = np.array(["negative", "positive"])
    ill = RNG.random(SIZE) < 0.35

    def seen(share: float) -> list[str]:
        return [str(word) for word in words[(ill ^ (RNG.random(SIZE) < share)).astype(int)]]

    columns = {"PCR result": seen(0), "AI result": seen(0.1), "Reader 1": seen(0.15), "Reader 2": seen(0.2)}
    return delimited(";", "utf-8", Patient=[f"P{row:04}" for row in RNG.permutation(SIZE)], **columns)


def of_a_finetuned_model() -> bytes:
    """A language model that answers with a class, with a space before it."""
    return lines(
        [
            {
                "prompt": f"Which fruit is meant in sentence {row}? It is round and sweet.",
                "completion": f" {FRUITS[SAID[row]]}",
                "label": str(FRUITS[TRUTH[row]]),
            }
            for row in ROWS
        ]
    )


def of_a_competition() -> bytes:
    usage = np.where(RNG.random(SIZE) < 0.3, "Public", "Private")
    return delimited(",", "utf-8", Id=range(1, SIZE + 1), Predicted=FRUITS[SAID], Usage=usage, Solution=FRUITS[TRUTH])


THIRTEENTH_HELD_OUT = [
    HeldOut(
        "rekognition.jsonl",
        of_rekognition,
        {"CustomLabels[0].Name": "prediction", "CustomLabels[0].Confidence": "confidence"},
        ["GroundTruth"],
        RIGHT,
    ),
    HeldOut("zeroshot.jsonl", of_zero_shot, refuses="has no predictions"),
    HeldOut(
        "office.xlsx",
        of_an_office,
        {"Predicted Category": "prediction", "Score": "confidence"},
        ["Actual Category", "Match?", "Log Loss"],
        RIGHT,
    ),
    HeldOut(
        "boosted.csv",
        of_boosted_trees,
        {"y_pred": "prediction", "y_test": "label"},
        ["y_test", "residual", "sq_error"],
    ),
    HeldOut(
        "loop.csv", of_a_training_loop, {"pred": "prediction", "target": "label"}, ["target", "loss", "logits"], RIGHT
    ),
    HeldOut(
        "moderation.jsonl",
        of_moderation,
        {"results[0].flagged": "prediction"},
        ["human_flag"],
        float((FLAGGED == HUMAN).mean()),
    ),
    HeldOut(
        "mt.tsv",
        of_translations,
        {"src": "input", "mt": "output", "ref": "reference", "sentence_bleu": "score"},
        ["sentence_bleu"],
    ),
    HeldOut("screening.csv", of_screening, {"AI result": "prediction"}, ["PCR result", "Reader 1", "Reader 2"]),
    HeldOut("finetuned.jsonl", of_a_finetuned_model, {"completion": "prediction", "label": "label"}, ["label"], RIGHT),
    HeldOut("competition.csv", of_a_competition, {"Predicted": "prediction"}, ["Solution"], RIGHT),
]
