"""A plan's inputs as tasks for another labeling tool, and the labels that come back, matched by their keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_bytes
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.core.words import spaced
from testimate.planning.plan import Plan
from testimate.tasks.boxes import Boxes

NAMED = 3
"""Keys that a sentence names before it only counts."""


@dataclass(frozen=True)
class LabelTask:
    """One input to label: ``key`` names plan and row, ``file`` and ``text`` are what it is about, empty where there is none.

    ``prediction`` is the network's answer, and ``confidence`` how sure it was; None unless they were asked for.
    """

    key: str
    row: int
    file: str
    text: str
    prediction: Any = None
    confidence: float | None = None


@dataclass(frozen=True)
class CarriedLabel:
    """What another tool says about one input: its key, and the answer as VOTES.csv holds it; "" is "cannot tell"."""

    key: str
    answer: str


# Labels come back by key, because a vote on the wrong input is an error nobody sees: decision 99.
def plan_mark(plan: Plan) -> str:
    """Eight hex digits that stay as they are while the plan goes on, and that another plan or table does not share."""
    request = plan.request
    return of_bytes(f"{plan.fingerprint} {request.technique} {request.seed} {request.budget}".encode())[:8]


def label_tasks(plan: Plan, subject: Subject, *, predictions: bool = False) -> list[LabelTask]:
    """The plan's inputs in labeling order, each once; with the network's answers where they are asked for."""
    mark, inputs, tasks = plan_mark(plan), subject.inputs, []
    for row in plan.rows:
        shown = subject.dataset.show(row) if not plan.names else None
        text = "" if shown is None else shown.text or "; ".join(f"{name}: {value}" for name, value in shown.cells)
        task = LabelTask(f"{mark}-{row}", row, plan.names.get(row, ""), text)
        if predictions and inputs is not None:
            sure = None if inputs.confidence is None else float(inputs.confidence[row])
            task = replace(task, prediction=inputs.predictions[row], confidence=sure)
        tasks.append(task)
    return tasks


def votes_of_labels(plan: Plan, labels: Iterable[CarriedLabel]) -> dict[int, str]:
    """The answers by row, in labeling order; inputs without one are left out.

    Raises
    ------
    BadInput : labels of another plan or of inputs that were not drawn, two different answers to one input, or none at all.
    """
    keys = {f"{plan_mark(plan)}-{row}": row for row in plan.rows}
    found: dict[str, str] = {}
    strangers, twice = [], []
    for label in labels:
        if label.key not in keys:
            strangers.append(label.key)
        elif found.setdefault(label.key, label.answer) != label.answer:
            twice.append(label.key)
    if strangers:
        raise BadInput(
            f"{_counted(strangers, 'label')} of inputs that this plan did not draw: {_some(strangers)}; expected keys "
            f"that begin with {plan_mark(plan)}. Export the project that was made from this plan."
        )
    if twice:
        raise BadInput(
            f"{_counted(twice, 'input')} with two different answers: {_some(twice)}; expected one for each. Settle them "
            "there, and export again."
        )
    if not found:
        raise BadInput("There is no label for any input of the plan. Label some, and export again.")
    return {row: found[key] for key, row in keys.items() if key in found}


def _counted(keys: list[str], what: str) -> str:
    return f"{spaced(len(keys))} {what}{'' if len(keys) == 1 else 's'}"


def _some(keys: list[str]) -> str:
    more = ", ..." if len(keys) > NAMED else ""
    return ", ".join(f"{key!r:.60}" for key in keys[:NAMED]) + more


def check_files(tasks: Sequence[LabelTask]) -> None:
    """BadInput where a task has no file, or two have one of the same name."""
    names: set[str] = set()
    for task in tasks:
        if not task.file or task.file in names:
            found = "has no file" if not task.file else f"has the same file as another, {task.file!r:.60}"
            raise BadInput(
                f"Row {task.row} {found}; expected a file of its own for every input, by which this format names it. "
                "Give the files with --inputs, or use the format csv or label-studio."
            )
        names.add(task.file)


def keys_by_file(plan: Plan) -> Mapping[str, str]:
    """The key of each file: of one that was copied its name is the key; of any other the plan says it."""
    keys = {name: f"{plan_mark(plan)}-{row}" for row, name in plan.names.items() if name}
    return {**{key: key for key in (f"{plan_mark(plan)}-{row}" for row in plan.rows)}, **keys}


def check_classes(task: Task, what: str) -> None:
    """BadInput where the answers are numbers or lists of boxes, which the format cannot hold."""
    if isinstance(task, Boxes):
        raise BadInput(
            f"This is a plan of boxes, and {what} cannot hold which of them are wrong. Take the format csv or jsonl, or label "
            "them in the app."
        )
    if task.numeric:
        raise BadInput(f"This is a regression, and {what} holds classes alone. Take the format csv or label-studio.")
