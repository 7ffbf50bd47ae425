"""Tables laid out as some drawn anew from public repositories are, each with its right reading before anything read it.

Names, grades and the ends of intervals said in them what was predicted, and nothing said so.
"""

import io

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines

RNG = np.random.default_rng(70_010)
GENRES = np.array(["classical", "electronic", "jazz", "rock"])
ARTISTS = np.repeat(np.arange(12), 5)
PLAYED = GENRES[ARTISTS // 3]
HEARD = np.where(RNG.random(60) < 0.85, PLAYED, RNG.permutation(PLAYED))
FAR = RNG.uniform(0.2, 5, 60).round(3)


def of_songs() -> bytes:
    """Songs whose artists are called as their classes are."""
    artists = [f"{genre}_artist{number % 3 + 1}" for genre, number in zip(PLAYED, ARTISTS, strict=True)]
    return delimited(",", "utf-8", song=range(7, 67), true_genre=PLAYED, artist=artists, predicted_genre=HEARD, far=FAR)


def of_composers() -> bytes:
    """Songs of which each composer wrote in one genre alone, and where they were recorded."""
    composers, halls = np.array([f"C. {letter}" for letter in "ABCDEFGHIJKL"])[ARTISTS], RNG.permutation(60) % 7
    told = {"true_genre": PLAYED, "predicted_genre": HEARD, "composer": composers, "hall": [f"hall {h}" for h in halls]}
    return delimited(",", "utf-8", **told)


def of_composers_alone() -> bytes:
    """The same where nothing but the composer tells the songs apart."""
    composers = np.array([f"C. {letter}" for letter in "ABCDEFGHIJKL"])[ARTISTS]
    return delimited(",", "utf-8", true_genre=PLAYED, predicted_genre=HEARD, composer=composers)


def of_reviews() -> bytes:
    """What was written of each song, which names its genre, beside where it was found."""
    said = [
        f"Number {row} lasts {2 + row % 7} minutes, and is heard by many in a {genre} club"
        for row, genre in enumerate(PLAYED)
    ]
    return delimited(
        ",",
        "utf-8",
        review=said,
        shop=RNG.permutation(["north", "south"] * 30),
        true_genre=PLAYED,
        predicted_genre=HEARD,
    )


def of_points() -> bytes:
    """Points as lists of numbers, and on which side of a line each is."""
    points = RNG.uniform(0, 1000, (60, 2)).round(3)
    return lines([{"point": point.tolist(), "side": "above" if point[1] > 500 else "below"} for point in points])


def of_keys() -> bytes:
    """Rows whose keys begin as their true classes are called."""
    keys = [f"{genre}_{row:03}" for row, genre in enumerate(PLAYED)]
    return delimited(",", "utf-8", id=keys, length=FAR, label=PLAYED, prediction=HEARD)


def of_grades() -> bytes:
    """How sure a model is in words, or nothing where it was not asked, and keys of which some are codes."""
    kinds = np.array(["Food Store", "Nursery", "School", "None"])
    true = kinds[RNG.integers(0, 4, 24)]
    said = np.where(RNG.random(24) < 0.9, true, "Nursery")
    keys = [str(73_000_000 + 17 * row) if row % 6 else f"HK-F{row:03}" for row in RNG.permutation(24)]
    sure = np.array(["High", "Medium", ""])[RNG.integers(0, 3, 24)]
    return delimited(",", "utf-8", listing_id=keys, category=said, confidence=sure, manual_category=true)


def of_demand(low: str = "q10", high: str = "q90") -> bytes:
    """Forecasts of which some have the ends of an interval, and one input in numbers with gaps."""
    load = RNG.uniform(8e4, 1.6e5, 90).round(1)
    wide = RNG.uniform(500, 9000, 90).round(1)
    some = RNG.random(90) < 0.4
    wind = [f"{speed:.1f}" if row % 9 else "" for row, speed in enumerate(RNG.uniform(0, 20, 90))]
    ends = {low: np.where(some, load - wide, np.nan), high: np.where(some, load + wide, np.nan)}
    return delimited(",", "utf-8", place=[f"p{n % 5}" for n in range(90)], prediction=load, wind=wind, **ends)


WON = [[f"Q{number}" for number in RNG.choice(300, RNG.integers(0, 5), replace=False)] for _ in range(40)]


def of_prizes() -> bytes:
    """Who won each prize, or nobody, as lists, beside what was asked about it."""
    asked = ["wonBy", "bordersOn", "diedIn"]
    return lines([{"Subject": f"S {row}", "Relation": asked[row % 3], "ObjectIDs": won} for row, won in enumerate(WON)])


def of_winners() -> bytes:
    """The same where nothing was asked."""
    return lines([{"Subject": f"S {row}", "ObjectIDs": won} for row, won in enumerate(WON)])


def of_winners_in_a_cell() -> bytes:
    """The same as words with bars between them."""
    won = [
        "|".join(sorted(RNG.choice(["ann", "ben", "cem", "dora", "eve"], count, replace=False)))
        for count in RNG.integers(1, 5, 40)
    ]
    return delimited(",", "utf-8", Subject=[f"S {row}" for row in range(40)], winners=won)


def of_traces(called: str = "anomaly") -> bytes:
    """Whether each file is out of the ordinary, by how well it was rebuilt."""
    off = RNG.gamma(3, 0.1, 50).round(5)
    told = {"mse": off, "ssim": (1 - off).round(5), called: off > 0.4}
    return delimited(",", "utf-8", file=[f"trace_{row}.npy" for row in range(50)], **told)


def of_hearts() -> bytes:
    """Few patients, their risk in words and its chance in percent; some of their values rise together."""
    told = {
        "timestamp": [f"2026-02-0{day} 14:42:40" for day in (6, 6, 7, 8)],
        "probability": [77.55, 77.55, 1.77, 12.5],
    }
    given = {"creatinine": [500.0, 500, 210, 160], "diabetes": [1.0, 1, 0, 0], "platelets": [25e4, 25e4, 2e5, 1e5]}
    return delimited(",", "utf-8", **told, risk_category=["HIGH", "HIGH", "LOW", "LOW"], **given)


def of_risks() -> bytes:
    """The risk of each patient in words, and the chance in percent of the class that comes first in the alphabet."""
    chance = (RNG.random(40) * 100).round(2)
    told = {"probability": chance, "risk_category": np.where(chance > 50, "HIGH", "LOW")}
    return delimited(",", "utf-8", patient=[f"p{row}" for row in range(40)], **told)


def of_forecasts(models: int = 3) -> bytes:
    """What models forecast at several times for hours of the next day, in Parquet; the last of three began later."""
    made = pd.date_range("2026-06-19", periods=8, freq="D", tz="UTC")
    rows = [
        {
            "made_at": day,
            "model": model,
            "target_hour": day + pd.Timedelta(hours=24 + hour),
            "horizon": hour + 24,
            "prediction": 9e4 + 1e3 * hour + 10.5 * place + day.day / 4,
        }
        for place, model in enumerate(["chronos", "lightgbm", "sarimax"][:models])
        for day in made[4 if place == 2 else 0 :]
        for hour in range(0, 25, 6)
    ]
    buffer = io.BytesIO()
    pd.DataFrame(rows).to_parquet(buffer, index=False)
    return buffer.getvalue()


def of_fruit() -> bytes:
    """When a camera saw which fruit, and how sure a model was in percent, without a header."""
    at = [f"2026-01-21 14:{row:02}:37" for row in range(30)]
    said = np.array(["Good", "Bad"])[np.arange(30) % 2]
    sure = (80 + 19 * RNG.random(30)).round(2)
    return "".join(f"{time},{word},{share}\n" for time, word, share in zip(at, said, sure, strict=True)).encode()


TWENTY_SECOND_HELD_OUT = [
    HeldOut("songs.csv", of_songs, {"predicted_genre": "prediction", "true_genre": "label"}, hidden=["artist"]),
    HeldOut(
        "composers.csv",
        of_composers,
        {"predicted_genre": "prediction", "true_genre": "label", "hall": "shown"},
        hidden=["composer"],
    ),
    HeldOut("composers_alone.csv", of_composers_alone, {"predicted_genre": "prediction", "composer": "shown"}),
    HeldOut("reviews.csv", of_reviews, {"predicted_genre": "prediction", "review": "text"}),
    HeldOut("points.jsonl", of_points, {"side": "prediction", "point": "shown"}),
    HeldOut("named_keys.csv", of_keys, {"id": "row number", "prediction": "prediction"}, hidden=["id"]),
    HeldOut(
        "grades.csv",
        of_grades,
        {"category": "prediction", "manual_category": "label", "listing_id": "row number"},
        hidden=["confidence"],
    ),
    HeldOut("demand.csv", of_demand, {"prediction": "prediction", "place": "shown"}, hidden=["q10", "q90", "wind"]),
    HeldOut(
        "demand_between.csv",
        lambda: of_demand("lower_bound", "upper_bound"),
        {"prediction": "prediction"},
        hidden=["lower_bound", "upper_bound"],
    ),
    HeldOut("prizes.jsonl", of_prizes, asks="'ObjectIDs' and 'Relation' may each be the prediction"),
    HeldOut("winners.jsonl", of_winners, {"ObjectIDs": "prediction", "Subject": "shown"}),
    HeldOut("winners.csv", of_winners_in_a_cell, {"winners": "prediction", "Subject": "shown"}),
    HeldOut("traces.csv", of_traces, {"file": "file", "anomaly": "prediction", "mse": "score"}, hidden=["mse", "ssim"]),
    HeldOut("traces_judged.csv", lambda: of_traces("correct"), refuses="no predictions"),
    HeldOut("hearts.csv", of_hearts, asks="'risk_category' and 'probability' and"),
    HeldOut(
        "forecasts.parquet", of_forecasts, asks="100 rows are of 33 inputs by 'target_hour', told apart by 'model and "
    ),
    HeldOut(
        "forecasts_of_one.parquet",
        lambda: of_forecasts(1),
        {"made_at": "shown", "target_hour": "shown", "prediction": "prediction"},
    ),
    HeldOut("traces_named.csv", lambda: of_traces("is_novel"), {"is_novel": "prediction", "ssim": "score"}),
    HeldOut("fruit.csv", of_fruit, asks="'column 2' contains classes, and 'column 3' numbers from 0 to 100"),
]
