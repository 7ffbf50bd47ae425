"""Labels in votes that are no class of the network: counted as wrong and named, or asked about where they nearly are one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.inputs import Inputs
from testimate.core.reading import AS_THEY_ARE, DIFFERENT, FROM_1, MOST_NAMED, REFUSED, SAME, Tell, way_to_read
from testimate.core.words import counted, spaced
from testimate.planning.votes import Votes
from testimate.tables.spellings import MARKS, folded, nearest, unlike


def with_labels_outside(votes: Votes, inputs: Inputs | None, read: Mapping[str, str], name: str, tell: Tell) -> Votes:
    """The votes with the names that are no class, which count as wrong, said with their counts.

    Words for a missing label stay, to be refused. ``read`` : the answers of "labels", "spelling" and "outside". ``name`` : of
    the file, for people.

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
    listed = ", ".join(f"{one:.40} {spaced(count)}" for one, count in names.most_common(MOST_NAMED))
    more = f" and {counted(len(names) - MOST_NAMED, 'more name')}" if len(names) > MOST_NAMED else ""
    if wrong == labels:
        raise BadInput(
            f"None of the {spaced(labels)} labels in {name!r:.60} is a class of this network: {listed}{more}. Expected some of "
            f"{', '.join(inputs.task.classes[:MOST_NAMED])!s:.200}. Give the votes of this plan."
        )
    tell(
        f"{spaced(wrong)} of {spaced(labels)} labels are no class of this network and count as wrong: {listed}{more}. To "
        "refuse such labels: --strict"
    )
    return replace(votes, outside=frozenset(names))


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
    task, names = inputs.task, _outside(votes, inputs)
    near = {one: close for one in names if (close := nearest(one, task.classes)) is not None}
    if not near or read == DIFFERENT:
        return votes
    if read != SAME:
        one, close = next(iter(near.items()))
        raise ReadingUnclear(
            "Are these the same classes?",
            f"{name!r:.60} has {counted(len(near), 'name')} close to a class, such as {one!r:.40} and {close!r:.40}"
            f"{unlike(one, close)}.",
            [
                way_to_read("spelling", SAME, f"{one} is {close}"),
                way_to_read("spelling", DIFFERENT, f"{one} is no class of this network, and counts as wrong"),
            ],
        )
    cells = {
        row: task.separator.join(near.get(one, one) for one in task.typed_names(cell)) or cell if cell else ""
        for row, cell in votes.cells.items()
    }
    return replace(votes, cells=cells)
