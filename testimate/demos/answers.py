"""The demo of outputs to judge: questions, and answers that a program made up, some of them wrong on purpose.

No language model wrote them. Every question has an answer that can be checked, so the truth is known; the answerer's mistakes
are made on purpose: sums off by ten, another country's capital, a list that lacks a name, a number without its unit. The
judge's score is made up as well: it knows most mistakes, misses those in units, and is too strict with lists. Two further
judges grade all answers, one too kind, one too strict. They are no part of the table, so sessions from before they came go on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress
from testimate.core.spreadsheet_cells import plain_csv
from testimate.core.subject import Subject

SIZE = 900
SEED = 20
KEY = "answers"

CAPITALS = (
    ("Austria", "Vienna"), ("Belgium", "Brussels"), ("Bulgaria", "Sofia"), ("Chile", "Santiago"), ("Colombia", "Bogotá"),
    ("Croatia", "Zagreb"), ("Cuba", "Havana"), ("Denmark", "Copenhagen"), ("Ecuador", "Quito"), ("Egypt", "Cairo"),
    ("Estonia", "Tallinn"), ("Ethiopia", "Addis Ababa"), ("Finland", "Helsinki"), ("France", "Paris"), ("Ghana", "Accra"),
    ("Greece", "Athens"), ("Hungary", "Budapest"), ("Iceland", "Reykjavík"), ("Indonesia", "Jakarta"), ("Ireland", "Dublin"),
    ("Italy", "Rome"), ("Japan", "Tokyo"), ("Kenya", "Nairobi"), ("Latvia", "Riga"), ("Lithuania", "Vilnius"),
    ("Mexico", "Mexico City"), ("Morocco", "Rabat"), ("Nepal", "Kathmandu"), ("Norway", "Oslo"), ("Peru", "Lima"),
    ("Poland", "Warsaw"), ("Portugal", "Lisbon"), ("Romania", "Bucharest"), ("Serbia", "Belgrade"), ("Spain", "Madrid"),
    ("Sweden", "Stockholm"), ("Thailand", "Bangkok"), ("Tunisia", "Tunis"), ("Uruguay", "Montevideo"), ("Vietnam", "Hanoi"),
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = (("kilometres", "metres", 1000), ("hours", "minutes", 60), ("kilograms", "grams", 1000), ("days", "hours", 24))
FAMILIES = {
    "planets between the Sun and Jupiter": ("Mercury", "Venus", "Earth", "Mars"),
    "colours of the French flag": ("blue", "white", "red"),
    "strings of a violin": ("G", "D", "A", "E"),
    "even numbers from 10 to 20": ("10", "12", "14", "16", "18", "20"),
    "vowels of the English alphabet": ("a", "e", "i", "o", "u"),
}

Chance = np.random.Generator


@dataclass(frozen=True)
class GradedAnswer:
    """A question with what was answered, what should have been, the true grade, and the judge's score, 0..1."""

    topic: str
    question: str
    answer: str
    expected: str
    grade: str
    score: float


@dataclass(frozen=True)
class _Question:
    """A question with its right answer, and one that is partly right (or None) and one that is wrong."""

    topic: str
    asked: str
    right: str
    partly: str | None
    wrong: str


def _sum(chance: Chance) -> _Question:
    one, other = chance.integers(12, 90, 2).tolist()
    off = int(chance.choice([-10, 10, 1, -1]))
    said = f"{one} + {other} = "
    return _Question(
        "sums", f"What is {one} plus {other}?", f"{said}{one + other}.", None, f"{said}{one + other + off}."
    )


def _capital(chance: Chance) -> _Question:
    place, other = chance.choice(len(CAPITALS), 2, replace=False).tolist()
    country, city = CAPITALS[place]
    right = f"The capital of {country} is {city}."
    return _Question(
        "capitals",
        f"What is the capital of {country}?",
        right,
        None,
        f"The capital of {country} is {CAPITALS[other][1]}.",
    )


def _weekday(chance: Chance) -> _Question:
    today, ahead = int(chance.integers(7)), int(chance.integers(3, 40))
    then, off = DAYS[(today + ahead) % 7], DAYS[(today + ahead + 1) % 7]
    asked = f"Today is {DAYS[today]}. Which day of the week is it in {ahead} days?"
    return _Question("weekdays", asked, f"In {ahead} days it is a {then}.", None, f"In {ahead} days it is a {off}.")


def _unit(chance: Chance) -> _Question:
    large, small, factor = UNITS[int(chance.integers(len(UNITS)))]
    count = int(chance.integers(2, 30))
    right = f"{count} {large} are {count * factor} {small}."
    return _Question(
        "units",
        f"How many {small} are {count} {large}?",
        right,
        f"{count} {large} are {count * factor}.",
        f"{count} {large} are {count * factor // 10} {small}.",
    )


def _list(chance: Chance) -> _Question:
    name = str(chance.choice(list(FAMILIES)))
    members = FAMILIES[name]
    missing = int(chance.integers(len(members)))
    partly = [member for place, member in enumerate(members) if place != missing]
    said = f"The {name} are "
    return _Question(
        "lists",
        f"Name the {name}.",
        f"{said}{', '.join(members)}.",
        f"{said}{', '.join(partly)}.",
        f"{said}{', '.join(members[:1])} and many others that cannot be named.",
    )


MAKERS: tuple[tuple[Callable[[Chance], _Question], float, float], ...] = (
    (_sum, 0.85, 0.0),
    (_capital, 0.9, 0.0),
    (_weekday, 0.65, 0.0),
    (_unit, 0.7, 0.15),
    (_list, 0.6, 0.3),
)
"""Kinds of question, with the chances that the answerer is right and that it is partly right."""


def answered_questions(size: int = SIZE, *, seed: int, better: float = 0.0) -> list[GradedAnswer]:
    """``size`` questions with their answers; ``better`` moves the chance of a right answer, for another answerer.

    The questions depend on the seed alone, so that two answerers answer the same.
    """
    asking, answering = (np.random.default_rng([seed, stream]) for stream in (0, 1 + round(1000 * better)))
    made = []
    for _ in range(size):
        maker, right, partly = MAKERS[int(asking.integers(len(MAKERS)))]
        question = maker(asking)
        luck = float(answering.random())
        right = min(right + better, 1.0)
        grade = "right" if luck < right else "partly" if luck < right + partly else "wrong"
        if grade == "partly" and question.partly is None:
            grade = "wrong"
        answer = {"right": question.right, "partly": question.partly or "", "wrong": question.wrong}[grade]
        made.append(
            GradedAnswer(
                question.topic, question.asked, answer, question.right, grade, _score(grade, question.topic, answering)
            )
        )
    return made


def _score(grade: str, topic: str, chance: Chance) -> float:
    """The judge's score: usually sure and right; it misses wrong units, and often calls a list wrong."""
    middle = {"right": 0.9, "partly": 0.45, "wrong": 0.15}[grade]
    if topic == "units":
        middle = 0.88
    if topic == "lists":
        middle -= 0.25
    return round(float(np.clip(middle + chance.normal(0, 0.12), 0.01, 0.99)), 3)


JUDGES: Mapping[str, tuple[Mapping[str, float], float]] = {
    "judge_kind": ({"right": 1.0, "partly": 0.9, "wrong": 0.62}, 0.2),
    "judge_strict": ({"right": 0.65, "partly": 0.4, "wrong": 0.35}, 0.25),
}
"""Each further judge with the grade it tends to by the true one, 0..1, and how far it strays."""


def judges_grades(rows: Sequence[GradedAnswer], *, seed: int = SEED) -> dict[str, NDArray[np.float64]]:
    """Return what each further judge gives the answers, (N,): 0, a quarter, half, three quarters or 1."""
    found = {}
    for place, (name, (tends_to, strays)) in enumerate(JUDGES.items()):
        chance = np.random.default_rng([seed, 0x4A55, place + 1])  # of its own: no other draw of the demo moves
        grades = np.array([tends_to[row.grade] for row in rows]) + chance.normal(0, strays, len(rows))
        found[name] = np.clip(np.round(4 * grades), 0, 4) / 4
    return found


EARLIER: Mapping[str, tuple[float, float]] = {"version 1": (0.8, 0.25), "version 2": (0.75, 0.12)}
"""Earlier versions of the program, with the chances that they were not right where this one is not, and where it is."""


def earlier_versions_csv(rows: Sequence[GradedAnswer], *, seed: int = SEED) -> bytes:
    """Return which questions each earlier version of the program answered right, as a table, row for row."""
    chance = np.random.default_rng([seed, 0x4F4C44])  # of its own, as the judges'
    is_right = np.array([row.grade == "right" for row in rows])
    wrong = [chance.random(len(rows)) < np.where(is_right, *likely[::-1]) for likely in EARLIER.values()]
    lines = [["wrong" if one else "right" for one in row] for row in zip(*wrong, strict=True)]
    return plain_csv([[*EARLIER], *lines]).encode()


def results_of_earlier_versions() -> bytes:
    """Return the table of ``earlier_versions_csv`` on the demo's own questions."""
    return earlier_versions_csv(answered_questions(seed=SEED))


CRITERIA = (
    "correct=judge_kind | right: nothing in it is false",
    "complete=judge_strict | right: nothing is missing, such as a name or the unit",
    "in a sentence | right: it is a whole sentence, and not only a sum",
)
"""What may be asked of each answer in place of one grade, as a person types it."""


def answers_csv(rows: list[GradedAnswer]) -> bytes:
    """The answers as a table to be judged, with the truth."""
    lines = [[row.question, row.answer, row.expected, row.score, row.topic, row.grade] for row in rows]
    return plain_csv([["input", "output", "reference", "confidence", "topic", "label"], *lines]).encode()


def two_answerers_csv(size: int = SIZE, *, seed: int, better: float) -> bytes:
    """The same questions answered twice, the second time by an answerer that is right so much more often, to be compared."""
    lines = [["input", "output_a", "output_b", "reference", "label"]]
    grades = ("wrong", "partly", "right")
    for one, other in zip(
        answered_questions(size, seed=seed), answered_questions(size, seed=seed, better=better), strict=True
    ):
        lead = grades.index(one.grade) - grades.index(other.grade)
        lines.append(
            [one.question, one.answer, other.answer, one.expected, "tie" if lead == 0 else "a" if lead > 0 else "b"]
        )
    return plain_csv(lines).encode()


def open_answers(folder: Path, progress: Progress) -> Subject:  # noqa: ARG001 - as every demo: nothing is kept, nothing takes long
    """The demo's subject; its table is made each time it is opened, always the same."""
    from testimate.subjects.prediction_table import read_table

    rows = answered_questions(seed=SEED)
    subject = read_table(answers_csv(rows), name="answers.csv", task="verdict")
    assert subject.inputs is not None
    facts = (
        *subject.facts,
        ("judges besides", "one too kind, one too strict"),
        ("made by", "a program of this project, with mistakes on purpose; no language model"),
    )
    inputs = replace(subject.inputs, judges=judges_grades(rows))
    return replace(subject, key=KEY, name="Questions and answers", facts=facts, inputs=inputs)
