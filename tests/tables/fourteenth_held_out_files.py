"""Tables laid out as twenty-three drawn from public repositories are, each with its right reading before anything read it.

Of those that hold predictions at first sight ten were read right and two in part, one was asked about, eight were refused and
two were misread without a word: one took the spread of a predicted number for the number. Now sixteen are read and four are
asked about.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 220
RNG = np.random.default_rng(141_414)
TRUTH = RNG.integers(0, 2, SIZE)
CHANCE = np.clip(RNG.normal(0.3 + 0.3 * TRUTH, 0.2), 0.001, 0.999).round(4)
AMOUNT = RNG.gamma(3, 700, SIZE).round(2)
OTHER = (AMOUNT + RNG.normal(0, 300, SIZE)).round(2)
THIRD = (AMOUNT + RNG.normal(0, 200, SIZE)).round(2)
ROWS = range(SIZE)
FEW = slice(0, 40)
SAID = np.where(RNG.random(SIZE) < 0.72, TRUTH, 1 - TRUTH)


def of_percent() -> bytes:
    """Predicted numbers from 0 to 100 under a name of their own, beside files."""
    return delimited(
        ",", "utf-8", filename=[f"vine_{row:03}.jpg" for row in ROWS], predicted_sugar=(100 * CHANCE).round(3)
    )


def of_submission() -> bytes:
    """A submission of two keys, of which one recurs, and a number."""
    return delimited(
        ",",
        "utf-8",
        Shelf_Identifier=[f"SH{row:04}" for row in ROWS],
        Shop_Identifier=[f"S{row % 9}" for row in ROWS],
        Shelf_Sales=AMOUNT,
    )


def of_target() -> bytes:
    """A submission of a key and a class under a name of the truth."""
    return delimited(",", "utf-8", SK_ID=[100_001 + 4 * row for row in ROWS], TARGET=SAID)


def of_titles() -> bytes:
    """Texts and a class of each, of which nothing says that it was predicted."""
    titles = [f"The council of ward {row} has met again" for row in ROWS]
    return delimited("\t", "utf-8", title=titles, is_rumor=SAID.astype(float))


def of_chances() -> bytes:
    """Rows and the chance of one class by its name."""
    return delimited(",", "utf-8", Shrub=[f"RS{row}-P" for row in ROWS], evergreen_probability=CHANCE)


def of_three_models() -> bytes:
    """Chances by three models and nothing else."""
    chances = {f"{name} predictions": np.roll(CHANCE, step) for step, name in enumerate(("Forest", "Trees", "Linear"))}
    return delimited(",", "utf-8", **chances)


def of_all_distinct() -> bytes:
    """Numbers predicted by three models, hardly two of them alike, beside the true ones."""
    return delimited(",", "utf-8", y_true=AMOUNT, yhat_A=OTHER, yhat_B=THIRD, yhat_C=(OTHER + THIRD) / 2)


def of_spreads() -> bytes:
    """What a model predicts under names that do not say so, and how far that may be off."""
    return delimited(
        ",",
        "utf-8",
        player=[f"P {row}" for row in ROWS],
        points_mean=AMOUNT,
        points_std_pred=OTHER / 7,
        assists_mean=THIRD,
    )


def of_few() -> bytes:
    """The truth beside the predictions of few rows, which agree too seldom to say so by themselves."""
    return delimited(
        ",", "utf-8", y_true=TRUTH[FEW], y_pred=np.where(np.arange(40) % 3 == 0, 1 - TRUTH[FEW], TRUTH[FEW])
    )


def of_letters() -> bytes:
    """Words that a model wrote in other letters, beside what was asked, the expected word, and whether they are the same."""
    asked = [f"kal{row}a" for row in ROWS]
    return delimited(
        ",",
        "utf-8",
        **{
            "Input Data": asked,
            "True target": [word.upper() for word in asked],
            "Predicted Target": [word.upper() if TRUTH[row] else word[::-1].upper() for row, word in enumerate(asked)],
            "Matched": [bool(one) for one in TRUTH],
        },
    )


def of_results() -> bytes:
    """Results of models, a row for each, in which nothing is predicted."""
    return delimited(",", "utf-8", Model=[f"net {row}" for row in ROWS], Accuracy=CHANCE)


FOURTEENTH_HELD_OUT = [
    HeldOut("sugar.csv", of_percent, {"predicted_sugar": "prediction", "filename": "file"}),
    HeldOut("submission.csv", of_submission, {"Shelf_Sales": "prediction", "Shop_Identifier": "shown"}),
    HeldOut("target.csv", of_target, {"TARGET": "prediction", "SK_ID": "row number"}),
    HeldOut("titles.tsv", of_titles, {"is_rumor": "prediction", "title": "text"}),
    HeldOut("evergreen.csv", of_chances, {"evergreen_probability": "confidence"}),
    HeldOut("three_models.csv", of_three_models, asks="Linear predictions"),
    HeldOut("all_distinct.csv", of_all_distinct, asks="yhat_A.*yhat_B.*yhat_C"),
    HeldOut("spreads.csv", of_spreads, refuses="has no predictions"),
    HeldOut(
        "few.csv",
        of_few,
        {"y_pred": "prediction", "y_true": "label"},
        accuracy=26 / 40,
    ),
    HeldOut(
        "letters.csv",
        of_letters,
        {"Predicted Target": "output", "Input Data": "input", "True target": "reference"},
        hidden=["Matched"],
    ),
    HeldOut("results_of_models.csv", of_results, refuses="has no predictions"),
]
