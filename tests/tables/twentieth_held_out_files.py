"""Tables laid out as some drawn anew from public repositories are, each with its right reading before anything read it.

Of the twelve of which something could be read, none was read wrong in silence. Names of several words in one and of other
languages were not known, and lists of guesses beside one true name were shown it.
"""

import json

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(202_020)
ROWS = range(SIZE)
BIRDS = np.array([f"B{number}" for number in range(60)])
TRUTH = RNG.integers(0, 60, SIZE)
GUESSES = np.array([RNG.permutation(60)[:5] for _ in ROWS])
FIRST_IS_TRUE, ONE_IS_TRUE = RNG.random(SIZE) < 0.6, RNG.random(SIZE) < 0.7
GUESSES[ONE_IS_TRUE, 3] = TRUTH[ONE_IS_TRUE]
GUESSES[FIRST_IS_TRUE, 0] = TRUTH[FIRST_IS_TRUE]


def of_ranked_guesses() -> bytes:
    """Lists of five guesses, the likeliest first, and the true one under a name that says nothing."""
    lists = [[*dict.fromkeys(BIRDS[some].tolist())] for some in GUESSES]
    rows = zip(ROWS, BIRDS[TRUTH].tolist(), lists, strict=True)
    lines = [json.dumps({"sound": f"s{row}", "bird": bird, "pred_birds": some}) for row, bird, some in rows]
    return "\n".join(lines).encode()


def of_races() -> bytes:
    """Which horse wins each race of five, by names of which each is several words in one."""
    chance = RNG.dirichlet(np.ones(5), SIZE // 5)
    wins = (chance == chance.max(axis=1, keepdims=True)).ravel().astype(int)
    won = np.where(RNG.random(SIZE) < 0.9, wins, 1 - wins)
    races = {"Race": np.arange(SIZE) // 5 + 9000, "Horse": RNG.permutation(SIZE) + 70}
    told = {"win_classprediction": wins, "win_groundtruth": won, "winprobability": chance.ravel().round(4)}
    return delimited(",", "utf-8", **races, **told)


def of_alloys() -> bytes:
    """Two predicted numbers of each alloy, which rise together, with what was measured of both."""
    heat = RNG.normal(500, 40, SIZE)
    said = {"pred_strain": (heat / 90).round(3), "pred_strength": (heat / 2).round(2)}
    true = {f"true_{name[5:]}": (one * RNG.normal(1, 0.02, SIZE)).round(3) for name, one in said.items()}
    return delimited(",", "utf-8", heat=heat.round(1), **said, **true)


def of_days() -> bytes:
    """What three models say of each day's price."""
    days = [f"2024-03-{day:02}" for day in range(1, 21)]
    price = RNG.gamma(9, 20, 20).round(2)
    models = ["Ridge", "Forest", "Last day"]
    said = (np.tile(price, 3) + RNG.normal(0, 5, 60)).round(2)
    told = {"Actual_Close": np.tile(price, 3), "Predicted_Close": said, "Model": np.repeat(models, 20)}
    return delimited(",", "utf-8", Date=days * 3, **told)


def of_ratings() -> bytes:
    """What several models predict of each program's rating, in Hebrew: they agree with each other more than with it."""
    rating = RNG.gamma(5, 2, SIZE).round(2)
    alike = rating + RNG.normal(0, 3.8, SIZE)
    said = {f"חזוי_{model}": (alike + RNG.normal(0, 1, SIZE)).round(2) for model in ("Ridge", "Forest", "XGB")}
    length = RNG.uniform(5, 90, SIZE).round(1)
    return delimited(",", "utf-8", תוכנית=[f"p{row}" for row in ROWS], אורך=length, רייטינג=rating, **said)


def of_names_unknown() -> bytes:
    """The same in a language of which no word is known."""
    rating = RNG.gamma(5, 2, SIZE).round(2)
    said = {f"utabiri_{model}": (rating + RNG.normal(0, 1, SIZE)).round(2) for model in ("Ridge", "Forest", "XGB")}
    return delimited(",", "utf-8", kipindi=[f"p{row}" for row in ROWS], alama=rating, **said)


TWENTIETH_HELD_OUT = [
    HeldOut("guesses.jsonl", of_ranked_guesses, asks="contains lists, among which 'bird' names one"),
    HeldOut(
        "races.csv",
        of_races,
        {"win_classprediction": "prediction", "win_groundtruth": "label"},
        hidden=["win_groundtruth"],
    ),
    HeldOut("ratings.csv", of_ratings, asks="'חזוי_Ridge' and 'חזוי_Forest' and 'חזוי_XGB'"),
    HeldOut("unknown_names.csv", of_names_unknown, asks="'utabiri_Ridge' and 'utabiri_Forest' and 'utabiri_XGB'"),
    HeldOut("days.csv", of_days, asks="60 rows are of 20 inputs by 'Date', told apart by 'Model'"),
]
