"""Tables laid out as twenty-two drawn anew from public repositories are, each with its right reading before anything read it,
and tables in which a reading spoke though nothing said it.

Of the twenty-two, thirteen were read at first sight, four were asked about and five were refused; none was misread without a
word, but a first value was said to be taken for a name, and votes would have counted for the row after theirs. Now twelve are
read, seven are asked about and three are refused.
"""

import numpy as np

from tests.tables.held_out_files import HeldOut, delimited

SIZE = 240
RNG = np.random.default_rng(181_818)
TRUTH = RNG.integers(0, 2, SIZE)
ROWS = range(SIZE)
AMOUNT = RNG.gamma(3, 500, SIZE).round(2)
SCORE = RNG.random(SIZE).round(3)
KEYS = [f"k{row}" for row in ROWS]
NOTES = [f"The keeper of lamp {row} wrote this" for row in ROWS]


def words(*names: str) -> np.ndarray:
    return RNG.choice(names, SIZE)


def of_lone_zero() -> bytes:
    """One class in each line, and no name."""
    return "".join(f"{said}\n" for said in (0, *TRUTH)).encode()


def of_five_models() -> bytes:
    """Numbers under the names of five methods, beside the true ones."""
    models = {
        name: (AMOUNT + RNG.normal(0, 90, SIZE)).round(2) for name in ("Linear Regression", "SVR", "MLP", "Trees")
    }
    return delimited(",", "utf-8", Actual=AMOUNT, **models)


def of_two_answers() -> bytes:
    """Two things that were seen in each picture."""
    names = [f"p{row}.jpg" for row in ROWS]
    return delimited(",", "utf-8", name=names, weather=words("clear", "rain"), fog=words("fog", "none"))


def of_answers_of_people() -> bytes:
    """Answers under a name of outputs, of which nobody can judge one."""
    return delimited(",", "utf-8", id=KEYS, response=words("glad", "calm", "tense"))


def of_survey() -> bytes:
    """The same beside another number."""
    return delimited(",", "utf-8", id=KEYS, age=RNG.integers(20, 60, SIZE), answer=words("agree", "disagree"))


def of_users() -> bytes:
    """Who was offered what, with a score that tells no class of theirs."""
    return delimited(",", "utf-8", user=words("u1", "u2", "u3"), item=KEYS, score=SCORE)


def of_lands() -> bytes:
    """Where each comes from, with a score that is too small for a chance of that."""
    return delimited(",", "utf-8", id=KEYS, country=words("de", "fr", "it"), score=SCORE)


def of_two_systems() -> bytes:
    """Texts of two systems with scores."""
    return delimited(",", "utf-8", text=NOTES, model=words("small", "large"), score=SCORE)


def of_speakers() -> bytes:
    """Texts and who spoke them."""
    return delimited(",", "utf-8", text=NOTES, speaker=words("Ann", "Ben", "Cem"))


def of_topics() -> bytes:
    """The topic of each text, with the chance of it."""
    return delimited(",", "utf-8", text=NOTES, topic=words("sea", "land"), score=(0.5 + SCORE / 2).round(3))


EIGHTEENTH_HELD_OUT = [
    HeldOut("lone.csv", of_lone_zero, asks="The first line is 0, which stands below it, too"),
    HeldOut("methods.csv", of_five_models, asks="'Linear Regression' and 'SVR' and 'MLP' and 'Trees' may each"),
    HeldOut("weather_fog.csv", of_two_answers, asks="'weather' and 'fog' may each be the prediction"),
    HeldOut("people.csv", of_answers_of_people, asks="called an output, and holds classes or numbers"),
    HeldOut("survey.csv", of_survey, asks="called an output, and holds classes or numbers"),
    HeldOut("users.csv", of_users, refuses="has no predictions"),
    HeldOut("lands.csv", of_lands, refuses="has no predictions"),
    HeldOut("systems_of_two.csv", of_two_systems, refuses="has no predictions"),
    HeldOut("speakers.csv", of_speakers, refuses="has no predictions"),
    HeldOut("topics.csv", of_topics, {"topic": "prediction", "score": "confidence", "text": "text"}),
]
