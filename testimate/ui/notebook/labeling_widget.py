"""The labeling surface as a widget of Jupyter; anywidget delivers the same modules that the app uses.

The labels are kept in memory, and in a VOTES.csv where one is named.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from testimate.core.errors import BadInput, UnknownRow
from testimate.core.session_record import Event
from testimate.core.stored_record import time_now
from testimate.core.subject import Subject
from testimate.planning.label_exchange import plan_mark
from testimate.planning.plan import Plan, check_fingerprint
from testimate.planning.votes import Votes
from testimate.session.admission import check_event
from testimate.session.votes import LabeledInput, StandingVotes
from testimate.ui import components
from testimate.ui.components.labeling_surface.browser_events import BrowserMessage, PageMemory, read_message
from testimate.ui.components.labeling_surface.view import (
    Past,
    QueuedInput,
    SurfaceView,
    failed_as_shown,
    names_given,
    usual_numbers,
    view_to_json,
)

AHEAD, STRIP = 16, 12
"""Inputs that the browser holds before it, and answers in the strip."""

TESTER = "tester"


class PlanLabels:
    """What has been said about a plan's inputs, event by event.

    Parameters
    ----------
    plan : the inputs to label, in that order.
    subject : what the plan was made for; it says what to show of each input, and what an answer is.
    kept : a VOTES.csv, read if it exists and written again after every answer; None for memory only.

    Attributes
    ----------
    notes : by row, the note of its flag.

    Raises
    ------
    BadInput : a subject without predictions, or a file that holds no labels.
    SubjectChanged : the subject is not the one the plan was made for.
    UnknownRow : a label in the file is of an input that the plan did not draw.
    """

    def __init__(self, plan: Plan, subject: Subject, kept: Path | None = None) -> None:
        if subject.inputs is None:
            raise BadInput(
                f"{subject.name} is a model with its data, which says nothing about its inputs until it has run. "
                "Expected a table of predictions. Label it in the app: testimate app"
            )
        if subject.task.boxed:
            raise BadInput(
                f"The pictures of {subject.name!r:.60} have boxes to judge. Expected one answer for each input. Judge them in "
                "the app: testimate app"
            )
        check_fingerprint(plan, subject.inputs)
        self._plan, self._subject, self._inputs, self._kept = plan, subject, subject.inputs, kept
        self._positions = {row: position for position, row in enumerate(plan.rows)}
        self._standing = StandingVotes(subject.inputs, None)
        self._put_off: dict[int, None] = {}
        self._counted: set[str] = set()
        self._stored: set[str] = set()
        self._refused: dict[str, str] = {}
        self._away = ""
        self.notes: dict[int, list[str]] = {}
        if kept is not None and kept.exists():
            self._read(kept)

    @property
    def votes(self) -> Votes:
        """The labels until now, as ``estimate`` takes them; "cannot tell" is an empty one."""
        given = self._standing.standing
        return Votes.of({row: self._said(given[row]) for row in self._plan.rows if row in given})

    def take(self, message: BrowserMessage) -> None:
        """Counts the browser's events; while the file cannot be written, nothing counts as stored, so it is sent again."""
        self._refused.update(message.refused)
        for event in message.events:
            if event.id in self._counted:
                continue
            try:
                self._count(self._checked(event))
            except (BadInput, UnknownRow) as error:
                self._refused[event.id] = str(error)
            else:
                self._counted.add(event.id)
        self._away = self._written()
        if not self._away:
            self._stored.update(self._counted)

    def view(self) -> SurfaceView:
        """What the surface shows now."""
        given, inputs = self._standing.standing, self._inputs
        open_rows = [row for row in self._plan.rows if row not in given]
        later = [row for row in self._put_off if row not in given]
        asked = [row for row in open_rows if row not in self._put_off] + later
        task = inputs.task
        queue = [QueuedInput(row, self._positions[row], self._subject.dataset.show(row)) for row in asked[:AHEAD]]
        return SurfaceView(
            session=f"notebook-{plan_mark(self._plan)}",
            tester=TESTER,
            task=task,
            queue=queue,
            history=[self._past(one) for one in list(given.values())[-STRIP:]],
            acknowledged=self._stored,
            refused=self._refused,
            done=len(given),
            planned=len(self._positions),
            finished=not asked,
            usual=usual_numbers(inputs.predictions) if task.numeric else None,
            names=names_given(task, (one.answer for one in given.values())),
            offline_error=self._away,
        )

    def __repr__(self) -> str:
        return (
            f"{self._inputs.task.usual_question} {len(self._standing.standing)} of {len(self._positions)} are labeled."
        )

    def _checked(self, event: Event) -> Event:
        checked = check_event(event, self._inputs.task, len(self._inputs))
        if checked.row not in self._positions:
            raise UnknownRow(
                f"Row {checked.row} was not drawn by the plan, so it has no known chance. Run the cell again."
            )
        return checked

    def _count(self, event: Event) -> None:
        if event.kind == "flag":
            self.notes.setdefault(event.row, []).append(str(event.detail.get("note") or ""))
            return
        self._put_off.pop(event.row, None)
        if event.kind == "skip":
            self._put_off[event.row] = None
        self._standing.count(event)

    def _past(self, one: LabeledInput) -> Past:
        task, unsure = self._inputs.task, one.answer is None
        return Past(
            row=one.row,
            position=self._positions[one.row],
            answer=one.answer,
            label="can't tell" if unsure else task.answer_text(one.answer),
            failed=failed_as_shown(task, one.loss),
            shown=self._subject.dataset.show(one.row),
        )

    def _said(self, one: LabeledInput) -> Any:
        """The answer as a label: names of classes, or a number; None for "cannot tell"."""
        task = self._inputs.task
        if one.answer is None or task.numeric:
            return one.answer
        names = task.answer_names(one.answer)
        return names if task.several else names[0]

    def _written(self) -> str:
        """Writes the file, if there is one; a sentence on why it could not be written, or ""."""
        if self._kept is None:
            return ""
        try:
            self.votes.write(self._kept)
        except BadInput as error:
            return f"{error} Until then only the kernel has the labels."
        return ""

    def _read(self, kept: Path) -> None:
        votes = Votes.read(kept)
        if votes.kind != "label":
            raise BadInput(
                f"{kept} contains {votes.kind!r}. Expected labels, which the surface asks for. Name another file."
            )
        for event in _events(votes.cells, self._inputs):
            self._count(self._checked(event))


def _events(cells: Mapping[int, str], inputs: Any) -> Sequence[Event]:
    """The labels of a file as events of their own."""
    now = time_now("milliseconds")
    return [
        Event(f"file-row-{row}", "answer", row, TESTER, now, answer=inputs.task.typed_answer(cell, row))
        if cell
        else Event(f"file-row-{row}", "cannot tell", row, TESTER, now)
        for row, cell in cells.items()
    ]


[_SCRIPT] = (Path(components.__file__).parent / "bundle").glob("notebook-*.js")


class LabelingWidget(anywidget.AnyWidget):
    """Asks for the labels of a plan in the cell's output; ``votes`` are those given until now."""

    _esm = _SCRIPT.read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, labels: PlanLabels) -> None:
        super().__init__()
        self._labels = labels
        self._memory, self._turn = PageMemory(("", "")), 0
        self.on_msg(self._arrived)
        self._deliver()

    @property
    def votes(self) -> Votes:
        """The labels until now, as ``estimate`` takes them."""
        return self._labels.votes

    @property
    def notes(self) -> dict[int, list[str]]:
        """What was written when an input was flagged, by row."""
        return self._labels.notes

    def __repr__(self) -> str:
        return repr(self._labels)

    def _arrived(self, _widget: Any, message: Any, _buffers: Any) -> None:
        read = read_message(message.get("message") if isinstance(message, dict) else None, self._labels.view())
        if read is None:
            return
        self._memory.take(read)
        self._labels.take(read)
        self._deliver()

    def _deliver(self) -> None:
        memory, self._turn = self._memory, self._turn + 1
        said = view_to_json(self._labels.view(), held=memory.held, asked=memory.asked, refused=memory.refused)
        self.view = {**said, "delivery": self._turn}  # an equal value would not be sent again
