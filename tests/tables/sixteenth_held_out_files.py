"""Tables laid out as twenty-one drawn anew from public repositories are, each with its right reading before anything read it.

At first sight eleven were read right, two were asked about, six were refused and two were misread without a word: six systems
on the same inputs were drawn as inputs of their own, and chances in five rows were taken for numbers. Of fifteen that have one
reading eleven were read. Now eleven are read, five are asked about and five are refused.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(161_616)
TRUTH = RNG.integers(0, 2, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, 1 - TRUTH)
AMOUNT = RNG.gamma(3, 500, SIZE).round(2)
NEAR = (AMOUNT + RNG.normal(0, 200, SIZE)).round(2)
ROWS = range(SIZE)
MOODS = np.array(["calm", "tense"])


def of_systems() -> bytes:
    """Four systems on the same sixty parts, each system with two names."""
    system, part = np.divmod(np.arange(SIZE), 60)
    return delimited(
        ",",
        "utf-8",
        part_id=[f"part_{row:03}" for row in part],
        setup=np.array(["alone", "pair", "vote", "small"])[system],
        setup_label=np.array(["Alone (local)", "A pair", "By vote", "Small (local)"])[system],
        pred_safe=SAID.astype(bool),
        label=np.where(TRUTH[part], "safe", "unsafe"),
    )


def of_slices() -> bytes:
    """Four numbered slices of each of sixty patients: every one is an input."""
    patient, place = np.divmod(np.arange(SIZE), 4)
    return delimited(
        ",", "utf-8", patient_id=[f"P{row}" for row in patient], slice=place, prediction=MOODS[SAID], label=MOODS[TRUTH]
    )


def of_few_chances() -> bytes:
    """What a server answered five times: a score, which may be a chance or a number."""
    return delimited(
        ",", "utf-8", u=[0.5, 1.0, -0.3, 0.0, 2.0], v=[1, 2, 0.7, 0, 0.1], score=[0.8, 0.94, 0.33, 0.46, 0.9]
    )


def of_six_models() -> bytes:
    """Six models beside the truth."""
    models = {
        f"pred_{name}": (NEAR + step).round(2) for step, name in enumerate(("ar", "lr", "rf", "gb", "nn", "mean"))
    }
    return delimited(",", "utf-8", day=[f"day {row}" for row in ROWS], actual=AMOUNT, **models)


def of_shift() -> bytes:
    """A forecast whose first row lacks every cell."""
    return delimited(",", "utf-8", day=["", *(f"d{row}" for row in ROWS)], y_true=["", *AMOUNT], y_pred=["", *NEAR])


def of_gaps() -> bytes:
    """A predicted class that two rows lack."""
    said = MOODS[SAID].astype(object)
    said[[3, 70]] = ""
    return delimited(",", "utf-8", key=[f"k{row}" for row in ROWS], predicted=said, label=MOODS[TRUTH])


def of_five_prices() -> bytes:
    """Five predicted prices, of which the names alone say what is true."""
    return delimited(",", "utf-8", Actual_Price=[10.5, 20.1, 30.7, 8.2, 9.1], Predicted_Price=[11, 19, 33.2, 7.9, 8.4])


def of_five_words() -> bytes:
    """Five predicted classes, three of them right."""
    return delimited(
        ",", "utf-8", Actual=["cat", "owl", "owl", "cat", "owl"], Predicted=["cat", "cat", "owl", "cat", "cat"]
    )


def of_six_texts() -> bytes:
    """Six texts, as they came and cleaned, and the only answers."""
    texts = [f"The guest of room {row} wrote this" for row in range(6)]
    return delimited(
        ",", "utf-8", message=texts, clean_message=[one.lower() for one in texts], mood=["calm", "tense"] * 3
    )


def of_words_before() -> bytes:
    """What stood before: the price of last year, after which five predictions are named."""
    return delimited(",", "utf-8", price=[10.5, 20.1, 30.7, 8.2, 9.1], predicted_price=[11, 19, 33.2, 7.9, 8.4])


SIXTEENTH_HELD_OUT = [
    HeldOut("systems.csv", of_systems, asks="60 inputs by 'part_id', told apart by 'setup'"),
    HeldOut("slices.csv", of_slices, {"prediction": "prediction", "label": "label"}),
    HeldOut("served.csv", of_few_chances, asks="may be chances of class 1"),
    HeldOut("six.csv", of_six_models, asks="'pred_gb' and 2 more may each"),
    HeldOut("shift.csv", of_shift, refuses="Expected a value in every row"),
    HeldOut("gaps.csv", of_gaps, asks="'predicted' is empty in 2 of 240 rows"),
    HeldOut("prices.csv", of_five_prices, {"Predicted_Price": "prediction", "Actual_Price": "label"}),
    HeldOut("five.csv", of_five_words, {"Predicted": "prediction", "Actual": "label"}, accuracy=0.6),
    HeldOut("guests.csv", of_six_texts, {"mood": "prediction"}),
    HeldOut("last_year.csv", of_words_before, {"predicted_price": "prediction"}, hidden=["price"]),
]
