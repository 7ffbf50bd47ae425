"""Labels in votes that are no class of the network: counted as wrong and named, or asked about where they nearly are one."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.inputs import Inputs
from testimate.core.reading import AS_THEY_ARE, DIFFERENT, FROM_1, MOST_NAMED, REFUSED, SAME, WRONG, Tell, way_to_read
from testimate.core.spellings import MARKS, folded, nearest, unlike
from testimate.core.task import Task
from testimate.core.words import commas, counted
from testimate.planning.votes import Votes, names_outside


def with_labels_outside(
    votes: Votes,
    inputs: Inputs | None,
    read: Mapping[str, str],
    name: str,
    tell: Tell,
    learned: Collection[str] = (),
) -> Votes:
    """The votes with the names that are no class, which count as wrong, said with their counts.

    Words for a missing label stay, to be refused. ``read`` : the answers of "labels", "spelling" and "outside". ``name`` : of
    the file, for people. ``learned`` : classes that a version predicts and no tester could choose; where it predicts one, a
    label without a name stays open.

    Raises
    ------
    ReadingUnclear : a name that is nearly a class, or labels that seem to count from 1. BadInput : no label is a class.
    """
    if votes.kind != "label" or inputs is None or read.get("outside") == REFUSED or not _outside(votes, inputs):
        return votes
    votes = _respelled(_from_0(votes, inputs, read.get("labels", ""), name), inputs, read.get("spelling", ""), name)
    names, labels = _outside(votes, inputs), sum(cell != "" for cell in votes.cells.values())
    wrong = sum(any(one in names for one in inputs.task.typed_names(cell)) for cell in votes.cells.values() if cell)
    if not names:
        return votes
    tell(_counts_as_wrong(names, wrong, labels, inputs.task, read, name, learned))
    return replace(votes, outside=frozenset(names))


def with_answers_outside(
    answers: Sequence[Any], task: Task, read: Mapping[str, str], name: str, tell: Tell
) -> list[Any]:
    """The answers made elsewhere, None among them, in which names that are no class count as wrong, said with their counts.

    ``read`` : the answers of "spelling" and "outside". ``name`` : of the file, for people.

    Raises
    ------
    ReadingUnclear : a name that is nearly a class. BadInput : no label is a class, or such names are refused.
    """
    labels = [answer for answer in answers if answer is not None]
    met = {one for answer in labels for one in task.names_outside(answer) if one}
    if met and read.get("outside") == REFUSED:
        raise BadInput(
            f"{name!r:.60} names the class {min(met)!r:.40}, and names outside the classes are refused. Expected some of "
            f"{', '.join(task.classes[:MOST_NAMED])!s:.200}. Correct it, or leave --strict out."
        )
    near = _spelled_as(met, task, read.get("spelling", ""), name)

    def respelled(answer: Any) -> Any:
        if isinstance(answer, str):
            return task.stored_answer(near.get(answer, answer))
        return task.stored_answer([near.get(one, one) if isinstance(one, str) else one for one in answer])

    mended = [respelled(one) if near and one is not None and task.names_outside(one) else one for one in answers]
    outside = [task.names_outside(answer) for answer in mended if answer is not None]
    names = Counter(one or task.outside for of in outside for one in of)
    if names:
        tell(_counts_as_wrong(names, sum(map(bool, outside)), len(labels), task, read, name))
    return mended


def surely_outside(labels: Iterable[str], task: Task) -> frozenset[str]:
    """The names in these labels that are no class, nor nearly one, nor a word for a label that is missing."""
    names = names_outside(labels, task)
    return frozenset(one for one in names if folded(one) not in MARKS and nearest(one, task.classes) is None)


def _counts_as_wrong(
    names: Counter[str],
    wrong: int,
    labels: int,
    task: Task,
    read: Mapping[str, str],
    name: str,
    learned: Collection[str] = (),
) -> str:
    """How many labels are no class, with the names; BadInput where none is one, and nobody said that it is right so."""
    listed = ", ".join(f"{one:.40} {commas(count)}" for one, count in names.most_common(MOST_NAMED))
    more = f" and {counted(len(names) - MOST_NAMED, 'more name')}" if len(names) > MOST_NAMED else ""
    if wrong == labels and read.get("outside") != WRONG and task.outside not in names:
        raise BadInput(
            f"None of the {commas(labels)} labels in {name!r:.60} is a class of this network: {listed}{more}. Expected some of "
            f"{', '.join(task.classes[:MOST_NAMED])!s:.200}. Give the votes of this plan, or say that all are wrong: --read "
            f"outside={WRONG}"
        )
    unnamed = sum(count for one, count in names.items() if folded(one) == folded(task.outside))
    but = ""
    if learned and unnamed:
        but = (
            f"But the {commas(unnamed)} without a name {'stays' if unnamed == 1 else 'stay'} open where a version predicts "
            f"a new class ({', '.join(sorted(learned))!s:.200}). "
        )
    return (
        f"{commas(wrong)} of {commas(labels)} labels are no class of this network and count as wrong: {listed}{more}. "
        f"{but}To refuse such labels: --strict"
    )


def _outside(votes: Votes, inputs: Inputs) -> Counter[str]:
    """How often each name occurs that is no class, without the words for a label that is not known."""
    classes = {*inputs.task.classes}
    names = (one for cell in votes.cells.values() if cell for one in inputs.task.typed_names(cell))
    return Counter(one for one in names if one not in classes and folded(one) not in MARKS)


def _from_0(votes: Votes, inputs: Inputs, read: str, name: str) -> Votes:
    """The votes with labels that count from 0 as the classes do; ReadingUnclear where they seem to count from 1."""
    last, cells = len(inputs.task.classes), [cell for cell in votes.cells.values() if cell]
    whole = [str(number) for number in range(last + 1)]
    counts_from_0 = not inputs.task.several and {*inputs.task.classes} == {*whole[:last]}
    if read == AS_THEY_ARE or not counts_from_0 or not {*cells} <= {*whole[1:]} or str(last) not in cells:
        return votes
    if read != FROM_1:
        raise ReadingUnclear(
            "Do the labels count from 1?",
            f"The labels in {name!r:.60} go up to {last} and never are 0. The classes go from 0 to {last - 1}.",
            [
                way_to_read("labels", FROM_1, "labels count from 1, classes from 0"),
                way_to_read("labels", AS_THEY_ARE, f"both count alike, and {last} is no class of this network"),
            ],
        )
    return replace(votes, cells={row: str(int(cell) - 1) if cell else "" for row, cell in votes.cells.items()})


def _respelled(votes: Votes, inputs: Inputs, read: str, name: str) -> Votes:
    """The votes in the spelling of the classes; ReadingUnclear where a name is nearly one and nobody said whether it is."""
    task = inputs.task
    near = _spelled_as(_outside(votes, inputs), task, read, name)
    cells = {
        row: task.separator.join(near.get(one, one) for one in task.typed_names(cell)) or cell if cell else ""
        for row, cell in votes.cells.items()
    }
    return replace(votes, cells=cells) if near else votes


def _spelled_as(names: Iterable[str], task: Task, read: str, name: str) -> dict[str, str]:
    """The class that each of the names is nearly, where a person said that it is; ReadingUnclear where nobody did."""
    near = {one: close for one in names if (close := nearest(one, task.classes)) is not None}
    if not near or read == DIFFERENT:
        return {}
    if read != SAME:
        one, close = min(near.items())
        raise ReadingUnclear(
            "Are these the same classes?",
            f"{name!r:.60} has {counted(len(near), 'name')} close to a class, such as {one!r:.40} and {close!r:.40}"
            f"{unlike(one, close)}.",
            [
                way_to_read("spelling", SAME, f"{one} is {close}"),
                way_to_read("spelling", DIFFERENT, f"{one} is no class of this network, and counts as wrong"),
            ],
        )
    return near
