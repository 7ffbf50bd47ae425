"""Tables laid out as twenty drawn anew from public repositories are, each with its right reading before anything read it.

At first sight ten were read right, two were asked about and six were refused; in two, testers were told what is right: by a
mark of the rows that were predicted well, and by names of files that begin as the classes are called. Now thirteen are read,
two are asked about and five are refused. One more shows the true classes by other names than the predicted numbers.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(191_919)
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE))
MOODS = np.array(["calm", "glad", "tense"])
PRICE = RNG.gamma(3, 500, SIZE).round(2)
ROWS = range(SIZE)


def of_prices() -> bytes:
    """Predicted prices, and which came true."""
    said = (PRICE + RNG.normal(0, 90, SIZE)).round(2)
    result = np.where(np.abs(said - PRICE) < 90, "Predicted", "Not predicted")
    tickets = [f"T{row}" for row in ROWS]
    return delimited(",", "utf-8", Ticket=tickets, **{"Price prediction": said, "Price after": PRICE}, Result=result)


def of_few_moods() -> bytes:
    """The moods of seventeen texts, and a score of each."""
    scores = np.full((SIZE, 3), 0.1)
    scores[np.arange(SIZE), SAID] = 0.8
    named = {f"{mood}_score": scores[:17, place] for place, mood in enumerate(MOODS)}
    moods = [*MOODS[SAID][:15], "mixed", "mixed"]
    texts = [f"The keeper of lamp {row} wrote this" for row in ROWS]
    return delimited(",", "utf-8", id=ROWS[1:18], text=texts[:17], mood=moods, **named)


def of_told_names() -> bytes:
    """Files that are called as their classes are, and why each was predicted."""
    names = [f"{mood}_{row}.csv" for row, mood in enumerate(MOODS[TRUTH])]
    why = np.array(["A flat line", "A wave", "Many peaks"])[SAID]
    return delimited(",", "utf-8", file=names, true_class=MOODS[TRUTH], predicted_class=MOODS[SAID], reasons=why)


def of_numbered_classes() -> bytes:
    """Predicted numbers, the true classes by name and by other numbers, and something else of three kinds."""
    season = np.array(["spring", "summer", "winter"])[RNG.integers(0, 3, SIZE)]
    files = [f"{row}.png" for row in ROWS]
    true = {"mood": MOODS[TRUTH], "mood_id": TRUTH * 10 + 7}
    return delimited(",", "utf-8", file=files, predicted_class=SAID, **true, season=season)


NINETEENTH_HELD_OUT = [
    HeldOut("stock.csv", of_prices, {"Price prediction": "prediction"}, hidden=["Result"]),
    HeldOut("numbered_moods.csv", of_numbered_classes, {"season": "shown"}, hidden=["mood", "mood_id"]),
    HeldOut("moods.csv", of_few_moods, {"mood": "prediction", "text": "text"}),
    HeldOut("told.csv", of_told_names, {"predicted_class": "prediction", "true_class": "label"}, hidden=["reasons"]),
]
