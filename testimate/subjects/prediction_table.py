"""Makes a subject of a prediction table: a model's predictions for every input, without the model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.reading import CHOSEN, ROW_NUMBER
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.models.kinds import ALWAYS_MODELS, called_model
from testimate.subjects.box_table import BoxedPictures, are_texts, is_detections, read_detections
from testimate.subjects.media import NamedFiles, Names, media_of, names_of
from testimate.subjects.saved_table import read_table_folder
from testimate.subjects.stored_roles import changes_as_stored
from testimate.subjects.table_answers import AnsweredTable, read_answers
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.subjects.table_reading import facts_of, reading_of
from testimate.subjects.verdict_table import asking_for_judges, judge_columns, judged_media
from testimate.tables.answers import (
    Undecided,
    groups_of_table,
    looks_grouped,
)
from testimate.tables.cells import Cells, pa
from testimate.tables.chats import with_chats
from testimate.tables.data_frame import Columns, parquet_of
from testimate.tables.files import file_bytes, read_cells, read_table_file
from testimate.tables.kinds import START_BYTES
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.results_of_models import history_of_columns
from testimate.tables.roles import TableRows
from testimate.tables.rules import FOUND
from testimate.tables.scores import FoundScores, TableScores, scores_among
from testimate.tasks import check_kind
from testimate.tasks.boxes import EXPECTED_ERRORS
from testimate.tasks.regression import SaidTolerance


@dataclass(frozen=True, eq=False)
class TableContent:
    """A table's columns before their roles are known, and the fingerprint of its content."""

    cells: Cells
    fingerprint: str

    def by(self, rules: int) -> "TableContent":
        """The columns with a row for each input, as these rules read them: also of lines without a header, and of lists."""
        return replace(self, cells=with_opened_cells(self.cells, rules))


def read_table(
    source: Path | bytes | Columns | TableContent,
    *,
    name: str,
    tolerance: SaidTolerance | None = None,
    task: TaskKind | None = None,
    undecided: Undecided = "ask",
    choices: TableChoices = AS_NAMED,
) -> Subject:
    """Reads a table of any kind (``kinds.TABLE_KINDS``), a saved Hugging Face dataset or a table in memory, one row per
    input; or a detector's output, COCO's JSON or a folder of YOLO's texts.

    Columns, upper or lower case alike: ``label`` the truth; ``prediction`` or ``SUT``; ``outcome`` (Pass / Fail, 1 / 0)
    in place of the truth or of both; ``confidence``; ``p_0`` to ``p_{C-1}`` or ``p_<class>``, from which prediction and
    confidence are taken where they are missing; ``image``, ``audio`` or ``file``, which name the file of each row or
    hold its bytes; ``text``; ``group``, for rows that belong together. Without a prediction, ``output`` with ``input``
    and ``reference``, or ``output_a`` and ``output_b``, are judged by people, see ``verdict_table``; so are the boxes
    in ``boxes`` if the task is boxes, see ``box_table``. Every other column of numbers is an auxiliary variable under
    its own name (larger = more likely to fail), except those that number the rows, and no tester sees it; words are
    shown if there is nothing better to show.

    Parameters
    ----------
    source : the file, or the content of an uploaded one; or a folder written by save_to_disk, or of Parquet files; or a
        DataFrame or arrays, see ``parquet_of``; or the result of ``table_content`` for one of these.
    name : for people; for an uploaded file its name, whose ending (.csv, .csv.gz, .parquet) shows its kind.
    tolerance : of a regression, the error beyond which an input counts as a failure, in the unit of the predictions or, as
        "10%", of the true number; one standard deviation of the predictions if none is given. Whole-number predictions
        with a tolerance are a regression.
    task : what the predictions are, if specified; otherwise the columns decide. "multi-label" reads sets such as "cat;dog".
    undecided : what to do if whole numbers may be classes or numbers and ``task`` is None: "ask" raises ReadingUnclear;
        "classes" reads them as classes, as was done before the task was stored.

    choices : the roles of columns, the place of the inputs, and so on.

    Returns
    -------
    Subject without a model; ``inputs`` holds all that the table says, ``scores["confidence"]`` being 1 - confidence.
    Its fingerprint is that of the file's content. If it is read in another way than its columns imply (whole numbers as
    a regression, words as sets, columns in other roles), it has another one, so that no session of the one opens with
    the other. The pictures, sounds and texts beside it are not part of it: they may be added later.

    Raises
    ------
    ReadingUnclear : whole-number predictions may be classes or numbers, and it is not known which.
    BadInput : the file or a column cannot be used as it is; the sentence says which and what to do.

    >>> table = read_table(b"SUT,confidence,outcome\\n3,0.75,Pass\\n1,0.5,Fail\\n", name="two.csv")
    >>> table.inputs.predictions, table.inputs.scores["confidence"], table.inputs.losses
    (array([3, 1]), array([0.25, 0.5 ]), array([0., 1.]))
    """
    if task is not None:
        check_kind(task)
    if choices.stored is not None and choices.stored.task_reason != CHOSEN:
        task = None  # its columns decided it then, and do so again
    content = source if isinstance(source, TableContent) else table_content(source, name, choices.inputs)
    table = read_answers(content.cells, content.fingerprint, choices, task, tolerance, undecided)
    columns, said = table.columns, table.answers
    cells, roles = columns.cells, columns.roles
    found = scores_among(cells.columns, roles.candidates, whole=not columns.by_content)
    digest = _as_read(content.fingerprint, table, found)
    values = cells.columns
    if table.boxes is not None and table.boxes.errors is not None:
        found = replace(found, names=(EXPECTED_ERRORS, *found.names))
        values = {**values, EXPECTED_ERRORS: pa.chunked_array([pa.array(table.boxes.errors)])}
    at = choices.inputs
    if table.boxed and at is None and isinstance(source, Path) and are_texts(source):
        at = source  # the pictures are beside the texts
    media = judged_media(cells, roles, at, said) if table.judged else media_of(cells, roles, at)
    judges: dict[str, NDArray[np.float64]] = {}
    if table.judged:
        judges = judge_columns(cells, roles, said.task, choices.judges, rules=choices.rules)
        roles = replace(roles, judges=tuple(judges))
        asking = asking_for_judges(columns.content, cells, roles, said.task)
        table = replace(table, columns=replace(columns, roles=roles, content=asking))
    names, groups = names_of(cells, roles, media), groups_of_table(cells, table.together or roles.group)
    said_or_true = [one.name for one in (roles.prediction, roles.label) if one is not None and choices.rules >= FOUND]
    grouped = "" if groups is not None else looks_grouped(cells, names, answers=said_or_true)
    named = media if isinstance(media, NamedFiles) else None
    if table.boxes is not None and media is not None:
        media = BoxedPictures(media, table.boxes)
    inputs = Inputs(
        fingerprint=digest,
        task=said.task,
        predictions=said.predictions,
        confidence=table.confidence,
        probabilities=table.probabilities,
        scores=TableScores(values, found.names, table.confidence),
        judges=judges,
        history=history_of_columns(cells, roles.history, said.task),
        truth=said.truth,
        losses=said.losses,
        known=table.known,
        names=names,
        groups=groups,
        looks_grouped=grouped,
    )
    reading = reading_of(table, name, inputs, found, seen=media is not None)
    unseen = (*found.names, *judges, *(reading.left_out if choices.rules >= FOUND else ()), *columns.content.unseen)
    shown = tuple(other for other in roles.others if other not in unseen)
    dataset = TableRows(cells.columns, shown, cells.size, digest, media, roles.code, columns.content.without_folders)
    numbers = (column for column in reading.with_role(ROW_NUMBER) if column)
    keys = {column: Names(partial(dataset.text, column), cells.size) for column in numbers}
    return Subject(
        key=f"table-{digest[:12]}",
        name=name,
        task=said.task,
        dataset=dataset,
        fingerprint=digest,
        truth=said.truth,
        inputs=replace(inputs, reading=reading, keys=keys),
        facts=(
            *facts_of(cells.size, inputs, reading),
            *([] if table.boxes is None else [("boxes", table.boxes.fact)]),
            *(() if named is None else named.facts()),
        ),
        readable_as=said.readable_as,
        reading=reading,
    )


def table_content(source: Path | bytes | Columns, name: str, pictures: Path | None = None) -> TableContent:
    """The columns of a table, read once; ``source`` and ``name`` as ``read_table`` takes them. BadInput as there.

    ``pictures`` : those of a detector's boxes, one for each row.
    """
    if not isinstance(source, Path | bytes):
        return _table_content(source, name, pictures)
    _check_no_model(source, name, ALWAYS_MODELS.match(_start(source)) is not None)
    try:
        return _table_content(source, name, pictures)
    except BadInput:
        _check_no_model(source, name, not isinstance(source, Path) or source.is_file())
        raise


def _start(source: Path | bytes) -> bytes:
    """The first bytes of a file, none where it cannot be read, which reading it will say."""
    if isinstance(source, bytes):
        return source[:START_BYTES]
    try:
        with source.open("rb") as file:
            return file.read(START_BYTES)
    except OSError:
        return b""


def _check_no_model(source: Path | bytes, name: str, may_be: bool) -> None:
    """BadInput with the command that runs it, where a model's file was given for a table of its predictions."""
    if may_be and (called := called_model(file_bytes(source), Path(name))):
        raise BadInput(
            f"{name!r:.100} is {called}, not a table of its predictions. Expected such a table. Make one: testimate features "
            f"{quote(name):.100} DATASET --out table.parquet"
        )


def _table_content(source: Path | bytes | Columns, name: str, pictures: Path | None) -> TableContent:
    if isinstance(source, Path | bytes) and is_detections(source):
        return TableContent(*read_detections(source, name, pictures))
    if isinstance(source, Path) and source.is_dir():
        return TableContent(*read_table_folder(source))
    if isinstance(source, Path):
        cells, digest = read_table_file(source, "" if source.suffix else name, repeated=True)
        return TableContent(with_chats(cells), digest)
    content = file_bytes(source) if isinstance(source, bytes) else parquet_of(source)
    cells = read_cells(content, name if isinstance(source, bytes) else "frame.parquet", repeated=True)
    return TableContent(with_chats(cells), fingerprint.of_bytes(content))


def _as_read(digest: str, table: AnsweredTable, found: FoundScores) -> str:
    """The fingerprint of the content as it was read: that of the content alone if the columns decided everything."""
    said, choices = table.answers, table.choices
    changes = [*table.columns.changes, *table.truth.changes, *(f"gaps in {name}" for name in found.left_out)]
    if table.sure is not None and table.sure.rule:
        changes.append(f"confidence {table.sure.rule}")
    if table.together is not None:
        changes.append("rows together")
    if said.readable_as and not said.task.one_class:
        digest = fingerprint.of_bytes(digest.encode(), said.task.kind.encode())
    if table.columns.roles.classes:
        digest = fingerprint.of_bytes(digest.encode(), b"probabilities by class")
    if choices.columns:
        digest = fingerprint.of_bytes(digest.encode(), repr(sorted(choices.columns)).encode())
    if said.task.relative:
        digest = fingerprint.of_bytes(digest.encode(), b"relative tolerance")
    if said.task.grades:
        digest = fingerprint.of_bytes(digest.encode(), f"verdict {said.task.grades}".encode())
    if said.task.boxed:
        digest = fingerprint.of_bytes(digest.encode(), f"boxes from {choices.least_score!r}".encode())
    if choices.top_k > 1:
        digest = fingerprint.of_bytes(digest.encode(), f"top {choices.top_k}".encode())
    if choices.stored is not None and choices.stored_as:
        changes = changes_as_stored(
            changes, choices.stored, lambda some: _with_changes(digest, some) == choices.stored_as
        )
    return _with_changes(digest, changes)


def _with_changes(digest: str, changes: Sequence[str]) -> str:
    return fingerprint.of_bytes(digest.encode(), repr(sorted(changes)).encode()) if changes else digest
