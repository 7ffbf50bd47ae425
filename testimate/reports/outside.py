"""What a network meets but does not know: labels that are none of its classes, by name, and their share of all inputs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from testimate.core.draw import Estimate
from testimate.core.errors import NotEnoughLabels
from testimate.core.spellings import counted_names, folded
from testimate.core.words import commas, counted, is_or_are, level_words
from testimate.planning.parts import outside_row
from testimate.session.session import Session

MOST_TAKEN = 3
"""Predictions of one name that are shown."""


@dataclass(frozen=True)
class NamedOutside:
    """Inputs of one name, "" where nobody named them: ``rows`` in draw order, ``taken`` what was predicted, and how often."""

    name: str
    rows: tuple[int, ...]
    taken: tuple[tuple[str, int], ...]

    @property
    def taken_words(self) -> str:
        """What they were taken for most often.

        >>> NamedOutside("fox", (1, 2, 3), (("dog", 2), ("cat", 1))).taken_words
        'dog 2, cat 1'
        """
        return ", ".join(f"{name} {commas(count)}" for name, count in self.taken[:MOST_TAKEN])


@dataclass(frozen=True)
class Outside:
    """What the labels of a session say that is none of the classes.

    ``row`` : its row in tables, with the names. ``rows`` : the inputs in draw order. ``estimate`` : of the share of all inputs
    that is of the classes; None while there are too few labels. ``named`` : the commonest first, those without a name last.
    """

    row: str
    rows: tuple[int, ...]
    estimate: Estimate | None
    named: tuple[NamedOutside, ...]

    def words(self, session: Session) -> str:
        """How many they are, and about which share of all inputs."""
        task, size = session.inputs.task, commas(len(session.inputs))
        known = f"{counted(len(self.rows), 'labeled input')} {is_or_are(len(self.rows))} "
        known += "none of the classes" if task.one_class else "partly outside the classes"
        if self.estimate is None or not session.selector.design.at_random:
            return f"{known}."
        share, found = task.measure, self.estimate
        said = f"{known}: about {share.value(1 - found.accuracy)} of all {size} inputs"
        if found.low is None or found.high is None:
            return f"{said}."
        return f"{said} ({level_words(found.level)} interval {share.range(1 - found.high, 1 - found.low)})."


def outside_of(session: Session) -> Outside | None:
    """What the session's labels say that is none of the classes; None where they name nothing of that kind."""
    task, answers, inputs = session.inputs.task, session.answers(), session.inputs
    names = {row: task.names_outside(answer) for row, answer in answers.items()}
    rows = tuple(row for row in dict.fromkeys(draw.row for draw in session.draws) if names.get(row))
    if not rows:
        return None
    inside = [
        verdict if verdict.loss is None else replace(verdict, loss=float(bool(names[verdict.draw.row])), answer=None)
        for verdict in session.verdicts()
    ]
    try:
        estimate = session.estimate_of(inside)
    except NotEnoughLabels:
        estimate = None
    met = [(name, row) for row in rows for name in dict.fromkeys(names[row])]
    of_name: dict[str, list[int]] = {}
    for name, row in met:
        of_name.setdefault(folded(name), []).append(row)
    spelled = counted_names(name for name, _ in met if name)
    named = []
    for name in [*(name for name, _ in spelled), *([""] if "" in of_name else [])]:
        mine = of_name[folded(name)]
        taken = Counter(task.prediction_text(inputs.predictions[row]) for row in mine)
        named.append(NamedOutside(name, tuple(mine), tuple(taken.most_common())))
    return Outside(outside_row(task.outside, [name for name, _ in met]), rows, estimate, tuple(named))


def counts_outside(session: Session) -> Mapping[int, int]:
    """Of each input whose label is none of the classes a 1, by row."""
    names_outside = session.inputs.task.names_outside
    return {row: 1 for row, answer in session.answers().items() if names_outside(answer)}
