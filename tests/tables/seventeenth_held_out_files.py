"""Tables laid out as twenty-seven drawn anew from public repositories are, each with its right reading before anything read it.

At first sight fourteen were read right, two were asked about, eight were refused and three were misread without a word: counts
were taken for outputs, names of pictures for classes, and the folders of files told testers the truth. Now seventeen are read,
five are asked about and five are refused.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(171_717)
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE))
SURE = RNG.uniform(0.4, 1, SIZE).round(3)
ROWS = range(SIZE)
MOODS = np.array(["calm", "glad", "tense"])
NOTES = [f"The keeper of lamp {row} wrote this" for row in ROWS]
PAY = RNG.gamma(3, 4e6, SIZE).round(0)
GUESS = (PAY + RNG.normal(0, 3e6, SIZE)).round(1)


def of_boxes() -> bytes:
    """A row for each box, several in a picture."""
    edges = {edge: RNG.integers(0, 90, SIZE) for edge in ("xmin", "ymin", "xmax", "ymax")}
    names = [f"p{row // 3}.jpg" for row in ROWS]
    return delimited(",", "utf-8", filename=names, **{"class": MOODS[SAID]}, score=SURE, **edges)


def of_pictures() -> bytes:
    """Pictures of which each is in several rows, and what was seen."""
    return delimited(
        ",", "utf-8", photo_of=[f"p{row // 3}.jpg" for row in ROWS], day=["2024-05-01"] * SIZE, seen=MOODS[SAID]
    )


def of_folders() -> bytes:
    """Predicted numbers, and folders that are called otherwise and go with them."""
    folders = np.array(["Ardea", "Buteo", "Corvus"])[TRUTH]
    paths = [f"/data/{folder}/{row:05}.jpg" for row, folder in enumerate(folders)]
    return delimited(",", "utf-8", filepath=paths, predicted_class=SAID, probability=SURE)


def of_players() -> bytes:
    """Counts under names of outputs, a predicted pay, the pay, and by how much they differ, in millions and in percent."""
    return delimited(
        ",",
        "utf-8",
        player=[f"Player {row}" for row in ROWS],
        completions=RNG.permutation(SIZE) + 100,
        pay=PAY,
        predicted_pay=GUESS,
        delta_m=((GUESS - PAY) / 1e6).round(6),
        delta_pct=(100 * (GUESS - PAY) / PAY).round(4),
    )


def of_three_texts() -> bytes:
    """Three sentences and the mood of each."""
    return delimited(",", "utf-8", Text=NOTES[:3], Sentiment=["Positive", "Negative", "Neutral"])


def of_two_tools() -> bytes:
    """The moods by two tools beside labels, of which all are one class."""
    return delimited(
        ",", "utf-8", message=NOTES, Lexicon_Mood=MOODS[SAID], Manual_Label=["calm"] * SIZE, ML_Mood=["calm"] * SIZE
    )


def of_two_chances() -> bytes:
    """The chances of two things."""
    return delimited(",", "utf-8", person=range(700, 700 + SIZE), flood_prob=SURE, storm_prob=RNG.random(SIZE).round(3))


def of_five_models() -> bytes:
    """The classes that five models predicted, and nothing else."""
    models = {name: np.where(RNG.random(SIZE) < 0.9, SAID, TRUTH) for name in ("SVC", "KNN", "Forest", "Bayes")}
    return delimited(",", "utf-8", Tree=RNG.integers(0, 3, SIZE), **models)


def of_captions() -> bytes:
    """Captions, what was expected, and the names of the pictures."""
    said = [f"A harbor with lamp {row} at night" for row in ROWS]
    return delimited(",", "utf-8", img_name=[f"n{row}.jpg" for row in ROWS], gold=NOTES, pred=said)


def of_words_for_sure() -> bytes:
    """How unsure the model is, in words, beside a chance."""
    unsure = np.where(SURE < 0.7, "high", "low")
    return delimited(
        ",", "utf-8", file=[f"{row}.png" for row in ROWS], predicted=MOODS[SAID], confidence=SURE, uncertainty=unsure
    )


def of_stocks() -> bytes:
    """A predicted price beside prices that rise with it."""
    prices = {name: (GUESS + RNG.normal(0, 1e6, SIZE)).round(1) for name in ("Open", "High", "Low", "Close", "Mean")}
    return delimited(",", "utf-8", Date=[f"day {row}" for row in ROWS], **prices, predicted_price=GUESS)


def of_queries() -> bytes:
    """Pages that a service found for the same few questions."""
    asked = [f"Which lamp is number {row // 60}?" for row in ROWS]
    return delimited(",", "utf-8", Query=asked, Page=[f"https://lamps.example/{row % 80}" for row in ROWS])


SEVENTEENTH_HELD_OUT = [
    HeldOut("boxes.csv", of_boxes, refuses="a row for each box that a detector found"),
    HeldOut("pictures.csv", of_pictures, {"seen": "prediction"}),
    HeldOut("folders.csv", of_folders, {"predicted_class": "prediction", "probability": "confidence"}),
    HeldOut(
        "players.csv", of_players, {"predicted_pay": "prediction", "pay": "label"}, hidden=["delta_m", "delta_pct"]
    ),
    HeldOut("three.csv", of_three_texts, {"Text": "text", "Sentiment": "prediction"}),
    HeldOut("tools.csv", of_two_tools, asks="'Lexicon_Mood' and 'ML_Mood' may each be the prediction"),
    HeldOut("weather.csv", of_two_chances, asks="'flood_prob' and 'storm_prob' may each be the prediction"),
    HeldOut("models.csv", of_five_models, asks="'Tree' and 'SVC' and 'KNN' and 'Forest' and 1 more"),
    HeldOut("captions.csv", of_captions, {"pred": "output", "gold": "reference", "img_name": "shown"}),
    HeldOut("unsure.csv", of_words_for_sure, {"predicted": "prediction"}, hidden=["uncertainty"]),
    HeldOut("stocks.csv", of_stocks, {"predicted_price": "prediction"}),
    HeldOut("queries.csv", of_queries, refuses="has no predictions"),
]
