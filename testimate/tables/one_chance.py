"""Predictions that are the chance of one of two classes: the class from 0.5 on, the other below."""

from dataclasses import dataclass, replace

import numpy as np

from testimate.core.errors import ReadingUnclear
from testimate.core.reading import way_to_read
from testimate.core.spellings import MARKS, folded
from testimate.tables.answers import way_of_task
from testimate.tables.cells import Column, pa
from testimate.tables.column_names import CHANCES, words_of
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells
from testimate.tables.roles import Roles
from testimate.tables.rules import FOUND, PAIRED
from testimate.tables.telling import tells_apart


@dataclass(frozen=True, eq=False)
class OneChance:
    """The roles with classes as predictions, whether the confidence is the chance of the second class, and a sentence."""

    roles: Roles
    of_second: bool
    said: str = ""


def as_one_chance(roles: Roles, read: str | None, *, asked: bool, lone: bool, rules: int) -> OneChance | None:
    """Return the roles with predictions from 0 to 1 read as chances of a class; None where they are none.

    ``read`` : "chance" where a person says that they are. ``asked`` : whether the task is open. By the rules ``PAIRED`` a name
    says so, too, where the truth is two words that the chances tell apart. ``lone`` : or where nothing else is known.

    Raises
    ------
    ReadingUnclear : they may be chances, or numbers to be met.
    """
    prediction, label = roles.prediction, roles.label
    if prediction is None or (read is None and not asked):
        return None
    of = _class_of(prediction, label) if rules >= PAIRED else ""
    called = rules >= FOUND and bool(CHANCES & words_of(prediction.name))
    may_be = _may_be_chances(prediction, label, fewest=1 if lone or called else FEWEST_ROWS)
    of = of or ("1" if lone and label is None and may_be else "")
    if read is None and not (of or may_be):
        return None
    if read is None and not (of and CHANCES & words_of(prediction.name)):
        raise ReadingUnclear(
            "What is a prediction?",
            f"The predictions in {prediction.name!r:.60} are numbers from 0 to 1, which may be chances of class 1, "
            "or numbers to be met.",
            [
                way_to_read("prediction", "chance", "the chance of class 1: from 0.5 on it is predicted"),
                way_of_task("regression"),
            ],
        )
    chances = prediction.numbers_between_0_and_1()
    said = f"{prediction.name!r:.60} is the chance of {of!r:.60}, which is predicted from 0.5 on." if of else ""
    if label is None or not of or {*label.words.to_pylist()} <= {"0", "1"}:
        classes = pa.array((chances >= 0.5).astype(np.int64))
        return OneChance(_with(roles, prediction, classes, chances), of_second=True, said=said)
    other = next(word for word in label.words.to_pylist() if word != of)
    words = pa.array([other, of], pa.large_string()).take(pa.array((chances >= 0.5).astype(np.int64)))
    return OneChance(_with(roles, prediction, words, np.maximum(chances, 1 - chances)), of_second=False, said=said)


def _with(roles: Roles, prediction: Column, classes: object, confidence: object) -> Roles:
    return replace(
        roles,
        prediction=Column(prediction.name, pa.chunked_array([classes])),
        confidence=Column(prediction.name, pa.chunked_array([pa.array(confidence)])),
    )


def _may_be_chances(prediction: Column, label: Column | None, *, fewest: int = FEWEST_ROWS) -> bool:
    """Whether predicted numbers lie in 0..1, on both sides of a half, and the labels are 0 and 1 or none are known."""
    if not prediction.has_numbers_alone:
        return False
    low, high = float(prediction.values.min()), float(prediction.values.max())
    if not 0 <= low < 0.5 <= high <= 1 or prediction.is_whole or len(prediction.values) < fewest:
        return False  # chances that all say the same class would be none
    return label is None or {folded(word) for word in label.words.to_pylist()} <= {"0", "1", *MARKS}


def _class_of(prediction: Column, label: Column | None) -> str:
    """The one of two true words of which predicted numbers from 0 to 1 are the chance; "" where they tell none."""
    if label is None or len(label.words) != 2 or not _may_be_chances(prediction, None):
        return ""
    both = (FirstCells(one.name, one.texts) for one in (prediction, label))
    if label.is_empty.any() or not tells_apart(*both):
        return ""
    values = prediction.values
    means = [float(values[label.places == place].mean()) for place in (0, 1)]
    found: str = label.words.to_pylist()[int(means[1] > means[0])]
    return found
