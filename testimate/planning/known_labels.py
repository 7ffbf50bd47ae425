"""Labels that exist before a plan: joined with the table's own, and counted apart from what testers say."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.core.words import commas, counted, is_or_are
from testimate.planning.draws import reached_by
from testimate.planning.plan import Plan
from testimate.planning.votes import Votes, losses_of_known, names_outside

MOST_ROWS = 5
"""Rows that are named of those whose known label is disputed."""


def with_known(inputs: Inputs, votes: Votes, name: str = "these labels") -> Inputs:
    """The inputs with these labels beside those that their table has; ``name`` : where they are from, for people.

    Raises
    ------
    BadInput : votes without labels, a row that is no input, or a label that contradicts the table's.
    """
    if votes.kind != "label":
        raise BadInput(
            f"{name!s:.60} says {votes.kind}, and not what the inputs are. Expected the columns row and label. Give the labels."
        )
    given = {row: cell for row, cell in votes.cells.items() if cell}
    strange = next((row for row in given if not 0 <= row < len(inputs)), None)
    if strange is not None:
        raise BadInput(
            f"{name!s:.60} has a label of row {strange}. Expected rows 0 to {commas(len(inputs) - 1)}. Correct it."
        )
    for row, label in given.items():
        if row in inputs.known and not same_label(inputs.task, label, inputs.known[row]):
            raise BadInput(
                f"Row {row} is {label!r:.40} in {name!s:.60} and {inputs.known[row]!r:.40} in the table. Expected one label. "
                "Correct one of them."
            )
    return replace(inputs, known={**inputs.known, **given})


def labels_of(task: Task, answers: Iterable[tuple[int, Any]]) -> dict[int, str]:
    """The labels by row, as files of votes have them, that these answers are."""
    return {row: task.answer_text(answer, in_full=True) for row, answer in answers}


def same_label(task: Task, one: str, other: str) -> bool:
    """Whether two labels, as files of votes have them, say the same; of numbers, whether they lie within the tolerance."""
    if one == other:
        return True
    try:
        return task.same_answer(task.typed_answer(one, 0), task.typed_answer(other, 0))
    except BadInput:  # a name that is no class is like no other
        return False


@dataclass(frozen=True)
class KnownCounts:
    """How many draws of a plan had a label before, and where testers contradict it.

    Attributes
    ----------
    used : draws that count by their known label. drawn : all draws that are reached.
    beside : known labels of inputs that were not drawn, which enter no estimate.
    disputed : rows whose vote contradicts the known label; there the vote counts.
    """

    used: int = 0
    drawn: int = 0
    beside: int = 0
    disputed: tuple[int, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """What is to be said beside an estimate; nothing where no label was known.

        >>> KnownCounts(34, 200, 0, (17,)).sentences()
        ('34 of 200 were known and not asked.', 'Vote and known label differ in 1 row: 17. The vote counts.')
        """
        said = []
        if self.used:
            said.append(f"{commas(self.used)} of {commas(self.drawn)} {_was_or_were(self.used)} known and not asked.")
        if self.disputed:
            rows = ", ".join(map(commas, self.disputed[:MOST_ROWS])) + (
                ", ..." if len(self.disputed) > MOST_ROWS else ""
            )
            said.append(
                f"Vote and known label differ in {counted(len(self.disputed), 'row')}: {rows}. The vote counts."
            )
        return tuple(said)

    def to_json(self) -> dict[str, object]:
        """Plain JSON values."""
        return {"used": self.used, "drawn": self.drawn, "beside": self.beside, "disputed": list(self.disputed)}


def known_counts(plan: Plan, votes: Votes, reached: int, inputs: Inputs | None) -> KnownCounts:
    """What became of the plan's known labels by these votes; ``reached`` : how many draws these reach."""
    rows = [draw.row for draw in plan.draws[:reached]]
    used = sum(row in plan.known and row not in votes.cells for row in rows)
    beside = len(plan.known.keys() - {draw.row for draw in plan.draws})
    return KnownCounts(used, reached, beside, _disputed(plan, votes, inputs))


def _disputed(plan: Plan, votes: Votes, inputs: Inputs | None) -> tuple[int, ...]:
    both = [row for row, cell in votes.cells.items() if cell and row in plan.known]
    if not both or inputs is None:
        return ()
    if votes.kind == "label":
        return tuple(row for row in both if not same_label(inputs.task, votes.cells[row], plan.known[row]))
    said = {one.draw.row: one.loss for one in votes.verdicts(plan.draws, inputs)}
    known = losses_of_known({row: plan.known[row] for row in both}, inputs)
    return tuple(row for row in both if said[row] is not None and (said[row] == 0) != (known[row] == 0))


def with_known_labels(plan: Plan, votes: Votes, inputs: Inputs | None = None) -> Votes:
    """The votes with the known labels of the draws that they reach; those of verdicts and losses as they are.

    ``inputs`` : which show the names that are no class; without them such a name is refused as that of a vote is.
    """
    if votes.kind != "label" or not plan.known:
        return votes
    known = {
        draw.row: plan.known[draw.row] for draw in plan.draws[: reached_by_votes(plan, votes)] if draw.row in plan.known
    }
    outside = votes.outside if inputs is None else votes.outside | names_outside(known.values(), inputs.task)
    return replace(votes, cells={**known, **votes.cells}, outside=outside)


def reached_by_votes(plan: Plan, votes: Votes) -> int:
    """How many draws the votes reach, and the known ones right after these."""
    voted = [place for place, draw in enumerate(plan.draws) if draw.row in votes.cells]
    first: dict[int, int] = {}
    for place in voted:
        first.setdefault(plan.draws[place].row, place)
    return reached_by(plan.draws, max(first.values(), default=-1) + 1, votes.cells.keys() | plan.known.keys())


def drawn_words(plan: Plan) -> tuple[str, ...]:
    """What to say about known labels when a plan is made; nothing where there are none."""
    if not plan.known:
        return ()
    draws, known = len(plan.draws), len(plan.known_draws)
    beside = len(plan.known.keys() - {draw.row for draw in plan.draws})
    said = [f"{commas(known)} of {commas(draws)} {is_or_are(known)} known and not asked."]
    if beside:
        said.append(
            f"{counted(beside, 'more known label')} {_was_or_were(beside)} not drawn. What is not drawn enters no estimate. "
            "It helps to find weak spots."
        )
    return tuple(said)


def _was_or_were(number: int) -> str:
    return "was" if number == 1 else "were"
