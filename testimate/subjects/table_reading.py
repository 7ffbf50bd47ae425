"""How a prediction table was read, for people: the roles and meanings of its columns, and what is doubtful."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.reading import (
    CHOSEN,
    EMPTY_COLUMN,
    ON_SCREEN,
    READ_AS,
    ROW_NUMBER,
    UNSEEN,
    UNUSABLE,
    ColumnRole,
    Reading,
)
from testimate.core.spellings import folded
from testimate.core.words import commas
from testimate.subjects.box_table import BOXES
from testimate.subjects.table_answers import AnsweredTable
from testimate.tables.answers import Answers, group_facts
from testimate.tables.cells import Cells
from testimate.tables.confidence import meaning as confidence_words
from testimate.tables.roles import SHOWN, Chosen, Roles, column_roles
from testimate.tables.rules import EVERYWHERE, FOUND, TRANSLATED
from testimate.tables.scores import FoundScores


def reading_of(table: AnsweredTable, name: str, inputs: Inputs, found: FoundScores, *, seen: bool) -> Reading:
    """How the table was read, for people.

    ``found`` : its columns of numbers that are scores, and why others are not. ``seen`` : whether rows have a picture, a sound,
    a text or an output to look at.
    """
    columns, said, choices = table.columns, table.answers, table.choices
    cells = columns.cells
    reading = Reading(
        name,
        cells.format,
        cells.written,
        roles=_column_roles(table, found.names),
        task=said.task.kind,
        task_reason=_task_reason(table),
        classes=said.task.classes,
        classes_from=_classes_from(table),
        doubtful=tuple(
            dict.fromkeys(
                (
                    *_doubtful(said, inputs, cells),
                    *(_like_gaps(said) if choices.rules >= TRANSLATED else ()),
                    *columns.content.doubts,
                    *table.doubts,
                )
            )
        ),
        size=cells.size,
        rules=choices.rules,
        read=choices.read,
    )
    left_out = _left_out(cells, reading.roles, choices.columns, columns.content.hidden)
    left_out |= {column: why for column, why in found.left_out.items() if column not in inputs.judges}
    if seen and choices.rules >= EVERYWHERE:
        left_out = {**dict.fromkeys(_unseen(reading, columns.roles), UNSEEN), **left_out}
    meanings = _meanings(table, inputs)
    if not seen and choices.rules >= FOUND:
        meanings[ROW_NUMBER] = ON_SCREEN
    used = {column: one for column, one in reading.roles.items() if column not in left_out}
    said_of = {column: (meanings.get(one.role), columns.spelled.meanings.get(column)) for column, one in used.items()}
    said_of |= dict.fromkeys(columns.content.unseen, (None, None))
    roles = {column: replace(one, meaning=", ".join(filter(None, said_of[column]))) for column, one in used.items()}
    return replace(reading, left_out=left_out, roles=roles)


def _column_roles(table: AnsweredTable, scores: Sequence[str]) -> dict[str, ColumnRole]:
    columns, content, choices = table.columns, table.columns.content, table.choices
    found = column_roles(
        columns.cells,
        columns.roles,
        choices.columns,
        scores,
        keys=content.keys,
        reasons=content.reasons,
        rules=choices.rules,
    )
    boxes = next((name for name in columns.cells.names if name.casefold() == BOXES), None)
    return found if not table.boxed or boxes is None else {**found, boxes: ColumnRole(BOXES, "its name")}


def _left_out(
    cells: Cells, roles: Mapping[str, ColumnRole], chosen: Chosen, hidden: Mapping[str, str]
) -> dict[str, str]:
    """The columns that are not used, and why."""
    ignored = {column for role, column in chosen if role == "ignore"}
    unused = {
        name: CHOSEN if name in ignored else hidden.get(name, EMPTY_COLUMN) for name in cells.names if name not in roles
    }
    second = {f"{name} (second)": f"a column before it is called {name!r:.60}, too" for name in cells.repeated if name}
    return unused | dict.fromkeys(cells.left_out, UNUSABLE) | second


def _unseen(reading: Reading, roles: Roles) -> Iterator[str]:
    """The columns that may be seen, but stand on no screen: nobody chose them."""
    for name, one in reading.roles.items():
        if one.role == SHOWN and one.reason != CHOSEN and name not in roles.show:
            yield name


def _meanings(table: AnsweredTable, inputs: Inputs) -> dict[str, str]:
    """What the cells of each role are, for people."""
    said, classes = table.answers, table.answers.task.classes
    found = {"label": table.truth.said}
    if classes and not said.task.graded:
        found["prediction"] = (
            f"sets of {commas(len(classes))} classes" if said.task.several else f"{commas(len(classes))} classes"
        )
    elif said.task.numeric and inputs.predictions.size:
        low, high = float(np.min(inputs.predictions)), float(np.max(inputs.predictions))
        found["prediction"] = f"numbers from {low:.4g} to {high:.4g}"
    if table.sure is not None:
        found["confidence"] = confidence_words(table.sure, classes, graded=said.task.graded)
    return found


def _task_reason(table: AnsweredTable) -> str:
    roles = table.columns.roles
    if table.task is not None:
        return CHOSEN
    if table.boxed:
        return "the table lists a detector's boxes"
    if roles.judged:
        return "there is an output, and neither a prediction nor an outcome"
    if table.answers.task.numeric:
        if table.tolerance is None and table.answers.readable_as:
            return "its name is that of an amount"
        return "a tolerance was given" if table.tolerance is not None else "the numbers are not all whole"
    if roles.prediction is None and not roles.probabilities:
        return "only the outcome says right or wrong"
    return "the answers are words or whole numbers"


def _classes_from(table: AnsweredTable) -> str:
    """Where the names of the classes and their order come from; "" where the task has none."""
    cells, roles, choices = table.columns.cells, table.columns.roles, table.choices
    if not table.answers.task.classes:
        return ""
    if table.boxed:
        return "the detector"
    if roles.judged:
        return CHOSEN if choices.grades else "the usual grades"
    given = [one.name for one in (roles.prediction, roles.label) if one is not None]
    if roles.classes and any(cells.class_names.get(name) for name in given):
        found = "the list of classes in the file"
    elif roles.probabilities:
        found = "the columns of probabilities"
    else:
        found = f"the columns {' and '.join(map(repr, given))!s:.120}" if given else "the outcome"
    return f"{found}, and those named besides" if choices.further else found


def _doubtful(said: Answers, inputs: Inputs, cells: Cells) -> tuple[str, ...]:
    """Sentences on what may be otherwise."""
    clear = inputs.confidence is not None or bool(said.task.separator)
    others = [] if clear else [kind for kind in said.readable_as if kind != said.task.kind]
    found = [f"The answers may also be read as {kind}. To do so: --task {kind}." for kind in others]
    if cells.written is not None and cells.written.example:
        found.append(
            f"Nothing in the file says its encoding; it was judged by letters such as {cells.written.example!r}."
        )
    return (*found, *cells.notes, *([inputs.looks_grouped] if inputs.looks_grouped else []))


GAPS = frozenset({"nan", "null", "na", "n/a"})
"""Classes that programs write where there is no value, folded."""


def _like_gaps(said: Answers) -> tuple[str, ...]:
    """A sentence on a class that may be a gap."""
    names = [name for name in said.task.classes if folded(name) in GAPS] if said.task.one_class else []
    if not names:
        return ()
    count = int((said.predictions == said.task.classes.index(names[0])).sum())
    where = f"{names[0]!r} is a class here, predicted in {commas(count)} rows"
    return (f"{where}. If it stands for no prediction, leave these rows out.",)


def facts_of(size: int, inputs: Inputs, reading: Reading) -> tuple[tuple[str, str], ...]:
    """The facts of a table for its card."""
    if inputs.truth is not None:
        known = "the true answers"
    else:
        known = "which inputs are right" if inputs.losses is not None else "nothing yet"
    facts = [
        ("inputs", commas(size)),
        ("task", inputs.task.kind),
        ("failure scores", ", ".join(inputs.scores) or "none"),
        ("known in advance", known),
    ]
    facts += group_facts(inputs.groups, inputs.looks_grouped)
    if reading.taken:
        facts.append((READ_AS, "; ".join(reading.taken)))
    if unusable := reading.left_out_because(UNUSABLE):
        facts.append(("columns left out", ", ".join(unusable)))
    return tuple(facts)
