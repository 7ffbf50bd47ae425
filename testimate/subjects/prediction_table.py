"""Makes a subject of a prediction table: a model's predictions for every input, without the model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.inputs import Inputs, PartialTruth
from testimate.core.reading import (
    CHOSEN,
    READ_AS,
    ROW_NUMBER,
    UNUSABLE,
    ColumnRole,
    Read,
    Reading,
    checked_read,
    way_to_read,
)
from testimate.core.spellings import MARKS, folded
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.words import commas
from testimate.subjects.box_table import BOXES, BoxedPictures, is_detections, read_boxes, read_detections
from testimate.subjects.media import NamedFiles, Names, media_of, names_of
from testimate.subjects.saved_table import read_table_folder
from testimate.subjects.verdict_table import asking_for_judges, judge_columns, judged_answers, judged_media
from testimate.tables import limits
from testimate.tables.answers import (
    LOOKED_AT,
    Answers,
    Undecided,
    among_the_first,
    answers,
    check_no_vectors,
    group_facts,
    groups_of_table,
    looks_grouped,
    way_of_task,
    with_further_classes,
    written_sets,
)
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.chats import with_chats
from testimate.tables.confidence import OF_SECOND, Confidence, against_chances, confidence_of
from testimate.tables.confidence import meaning as confidence_words
from testimate.tables.content import ContentRoles, roles_by_content
from testimate.tables.data_frame import Columns, parquet_of
from testimate.tables.evaluations import several_rows
from testimate.tables.files import file_bytes, read_cells, read_table_file
from testimate.tables.numbers import Spelled, plainly_written
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.results_of_models import history_of_columns
from testimate.tables.role_questions import grouped_numbers
from testimate.tables.roles import (
    SHOWN,
    Chosen,
    Roles,
    TableRows,
    column_roles,
    is_index_name,
    roles_of,
    with_class_names,
)
from testimate.tables.rules import ASKED, BY_CONTENT, COUNTED, EVERYWHERE, LATEST, SEEN, TRANSLATED
from testimate.tables.scores import TableScores, scores_among
from testimate.tables.truth import FEWEST_ROWS, ReadTruth, read_truth
from testimate.tasks import TASKS, check_kind
from testimate.tasks.boxes import EXPECTED_ERRORS
from testimate.tasks.regression import SaidTolerance

SUM_TOLERANCE = 0.02
"""How far the probabilities of a row may be from a sum of 1: allows for a thousand of them, rounded to four digits."""


@dataclass(frozen=True)
class TableChoices:
    """The choices for a table besides its task.

    Attributes
    ----------
    columns : (role, column) pairs for columns whose names do not show their role; see ``table_roles``.
    inputs : a folder or zip of the pictures, sounds or texts that the rows name.
    top_k : of a classification with probabilities, among how many of the most probable classes the true one counts as right.
    further : classes that were never predicted and may still be answers.
    probabilities_by_name : whether columns such as ``p_cat`` are probabilities of the classes they name; False for
        tables stored before they were read so.
    class_names : whether numbered classes get the names that the table lists for them, as in the datasets library's
        ClassLabel; False for tables stored before they did.
    grades : the scale of judged outputs; see ``verdict.SCALES``. "" for the usual one. least_score : the lowest score
        of a detector's boxes that are judged, 0..1; 0 for all.
    read : what was said where the table may be read in several ways; see ``core.reading.READS``.
    rules : by which rules the columns are read, the latest by default; tables stored before have the ones they were read by.
    judges : columns with a judge's grades of outputs, beside those whose name says so.
    """

    columns: Chosen = ()
    inputs: Path | None = None
    top_k: int = 1
    further: tuple[str, ...] = ()
    probabilities_by_name: bool = True
    class_names: bool = True
    grades: str = ""
    least_score: float = 0.0
    read: Read = ()
    rules: int = LATEST
    judges: tuple[str, ...] = ()


AS_NAMED = TableChoices()
"""No choices: the names of the columns decide."""


@dataclass(frozen=True, eq=False)
class TableContent:
    """A table's columns before their roles are known, and the fingerprint of its content."""

    cells: Cells
    fingerprint: str


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
    and ``reference``, or ``output_a`` and ``output_b``, are judged by people, see ``table_verdicts``; so are the boxes
    in ``boxes`` if the task is boxes, see ``table_boxes``. Every other column of numbers is an auxiliary variable under
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
    content = source if isinstance(source, TableContent) else table_content(source, name, choices.inputs)
    digest = content.fingerprint
    boxed = task == "boxes" or (task is None and BOXES in content.cells.class_names)
    columns_read = read_columns(content.cells, choices, task, boxed=boxed)
    cells, roles, by_content = columns_read.cells, columns_read.roles, columns_read.by_content
    judged = bool(roles.judged) or task == "verdict"
    _check_judged(judged, boxed, task, tolerance, choices)
    together, repeated = None, ""
    if by_content and judged:
        together = _key_of_several_rows(cells, roles, columns_read.read)
    elif by_content and not boxed:
        together, repeated = _repeated_inputs(cells, roles, columns_read.read)
    if choices.class_names and task in (None, "classification") and tolerance is None and not boxed:
        roles = with_class_names(roles, cells)
    probabilities = None if judged or boxed else _probabilities(cells, roles.probabilities)
    boxes, truth = None, ReadTruth(roles)
    if by_content and not judged and not boxed and probabilities is None:
        roles, columns_read = _as_chances(roles, task, tolerance, columns_read)
    if by_content and not judged and not boxed:
        sets = _has_sets(roles, task, every=choices.rules >= SEEN)
        truth = read_truth(
            roles, columns_read.read, several=sets, alike=choices.rules >= SEEN, mirrored=choices.rules >= TRANSLATED
        )
        roles = truth.roles
    if choices.rules >= TRANSLATED and task is None and not judged and not boxed:
        check_no_vectors(roles.prediction)
    if boxed:
        named_by = None if roles.file is None or roles.file[1] in cells.embedded else names_of(cells, roles, None)
        boxes = read_boxes(cells, roles.label, choices.least_score, named_by)
    if boxes is not None:
        said = boxes.answers
    elif judged:
        said = judged_answers(roles, choices.grades, digest, cells.size, own_scale=by_content)
    else:
        said = answers(
            roles,
            probabilities,
            tolerance,
            task,
            undecided=undecided,
            by_content=by_content,
            every=choices.rules >= SEEN,
            from_1=choices.rules >= COUNTED,
        )
    probabilities = _of_all_classes(probabilities, said)
    if choices.top_k > 1:
        said = among_the_first(choices.top_k, probabilities, said)
    said = with_further_classes(choices.further, said)
    against = ""
    if (
        by_content
        and probabilities is not None
        and roles.prediction is not None
        and said.task.one_class
        and choices.top_k == 1
    ):
        chances = columns_read.read.get("chances", "")
        against = against_chances(said.predictions, probabilities, roles.prediction.name, read=chances)
    sure = _confidence(roles.confidence if choices.top_k == 1 else None, probabilities, said, columns_read)
    confidence = None if sure is None else sure.values
    if boxes is not None and confidence is None:
        confidence = boxes.chance
    found = scores_among(cells.columns, roles.candidates, whole=not by_content)
    auxiliary, columns = [*found.names], cells.columns
    changes = (*columns_read.changes, *truth.changes, *(f"gaps in {name}" for name in found.left_out))
    if sure is not None and sure.rule:
        changes = (*changes, f"confidence {sure.rule}")
    digest = _as_read(digest, said, roles, choices, (*changes, *([] if together is None else ["rows together"])))
    known: Mapping[int, str] = {}
    if truth.known is not None and said.truth is not None:
        known = PartialTruth(np.flatnonzero(truth.known), said.truth[truth.known], said.task)
    if truth.known is not None:
        said = replace(said, truth=None, losses=None)
    if boxes is not None and boxes.errors is not None:
        auxiliary = [EXPECTED_ERRORS, *auxiliary]
        columns = {**columns, EXPECTED_ERRORS: pa.chunked_array([pa.array(boxes.errors)])}
    at = choices.inputs
    if boxed and at is None and isinstance(source, Path) and source.is_dir():
        at = source  # the pictures are beside the texts
    media = judged_media(cells, roles, at, said) if judged else media_of(cells, roles, at)
    judges = judge_columns(cells, roles, said.task, choices.judges) if judged else {}
    if judged:
        roles = replace(roles, judges=tuple(judges))
        columns_read = replace(columns_read, content=asking_for_judges(columns_read.content, cells, roles, said.task))
    groups, names = groups_of_table(cells, together or roles.group), names_of(cells, roles, media)
    named = media if isinstance(media, NamedFiles) else None
    if boxes is not None and media is not None:
        media = BoxedPictures(media, boxes)
    inputs = Inputs(
        fingerprint=digest,
        task=said.task,
        predictions=said.predictions,
        confidence=confidence,
        probabilities=probabilities,
        scores=TableScores(columns, auxiliary, confidence),
        judges=judges,
        history=history_of_columns(cells, roles.history, said.task),
        truth=said.truth,
        losses=said.losses,
        known=known,
        names=names,
        groups=groups,
        looks_grouped="" if groups is not None else looks_grouped(cells, names),
    )
    shown = tuple(other for other in roles.others if other not in (*auxiliary, *judges))
    reading = Reading(
        name,
        cells.format,
        cells.written,
        roles=_column_roles(columns_read, roles, choices, auxiliary, boxed=boxed),
        task=said.task.kind,
        task_reason=_task_reason(said, roles, task, tolerance, boxed=boxed),
        classes=said.task.classes,
        classes_from=_classes_from(said, roles, cells, choices, boxed=boxed),
        doubtful=(
            *_doubtful(said, inputs, cells),
            *(_like_gaps(said) if choices.rules >= TRANSLATED else ()),
            *columns_read.content.doubts,
            *filter(None, (against, repeated)),
            *([sure.doubt] if sure is not None and sure.doubt else []),
        ),
        size=cells.size,
        rules=choices.rules,
        read=choices.read,
    )
    left_out = _left_out(cells, reading.roles, choices.columns, columns_read.content.hidden)
    left_out |= {column: why for column, why in found.left_out.items() if column not in judges}
    if media is not None and choices.rules >= EVERYWHERE:
        left_out |= dict.fromkeys(_unseen(reading, roles), UNSEEN)
    meanings = _meanings(said, truth, sure, inputs)
    reading = replace(
        reading,
        left_out=left_out,
        roles={
            column: replace(
                one,
                meaning=", ".join(filter(None, (meanings.get(one.role), columns_read.spelled.meanings.get(column)))),
            )
            for column, one in reading.roles.items()
            if column not in left_out
        },
    )
    dataset = TableRows(
        cells.columns, shown, cells.size, digest, media, roles.code, columns_read.content.without_folders
    )
    numbers = (column for column in reading.with_role(ROW_NUMBER) if column)
    keys = {column: Names(partial(dataset.text, column), cells.size) for column in numbers}
    inputs = replace(inputs, reading=reading, keys=keys)
    return Subject(
        key=f"table-{digest[:12]}",
        name=name,
        task=said.task,
        dataset=dataset,
        fingerprint=digest,
        truth=said.truth,
        inputs=inputs,
        facts=(
            *_facts(cells.size, inputs, reading),
            *([] if boxes is None else [("boxes", boxes.fact)]),
            *(() if named is None else named.facts()),
        ),
        readable_as=said.readable_as,
        reading=reading,
    )


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """A table's columns as they are read, before its answers are.

    ``changes`` : what was read otherwise than the names of the columns say, for the fingerprint.
    """

    cells: Cells
    roles: Roles
    content: ContentRoles
    spelled: Spelled
    read: Mapping[str, str]
    by_content: bool
    changes: tuple[str, ...] = ()


def read_columns(cells: Cells, choices: TableChoices, task: TaskKind | None, *, boxed: bool = False) -> ReadColumns:
    """The columns with their roles, by the rules of the choices.

    Raises ReadingUnclear where two columns fit one role, or two readings the numbers of one, and BadInput as ``roles_of`` does.
    """
    read = dict(checked_read(choices.read))
    verdicts = None if task is None and not boxed else task == "verdict"
    spelled, content = Spelled(cells), ContentRoles(choices.columns)
    if choices.rules >= BY_CONTENT:
        cells = with_opened_cells(cells, choices.rules)
        spelled = plainly_written(cells, read.get("numbers", ""), latest=choices.rules >= ASKED)
        content = roles_by_content(
            spelled.cells, choices.columns, verdicts=verdicts, boxed=boxed, codes=spelled.codes, rules=choices.rules
        )
    roles = roles_of(
        spelled.cells,
        content.columns,
        probabilities_by_name=choices.probabilities_by_name,
        verdicts=verdicts,
        passed_over=(BOXES,) if boxed else (),
        keys=(*content.keys, *spelled.codes),
        rules=choices.rules,
    )
    used = [one for one in (roles.prediction, roles.label, roles.confidence) if one is not None]
    for column in used:
        if column.name in spelled.either:
            raise grouped_numbers(column.name, spelled.either[column.name])
    coded = bool(spelled.codes & {column.name for column in used})
    if coded:
        prediction, label = (
            None if one is None else Column(one.name, spelled.cells.columns[one.name], codes=True)
            for one in (roles.prediction, roles.label)
        )
        roles = replace(roles, prediction=prediction, label=label)
    found = [f"{role}={column}" for role, column in content.columns if (role, column) not in choices.columns]
    keys = [f"no score {name}" for name in content.keys if not is_index_name(name, choices.rules)]
    changes = (*cells.changes, *found, *keys, *spelled.meanings, *(["digits are words"] if coded else []))
    return ReadColumns(spelled.cells, roles, content, spelled, read, choices.rules >= BY_CONTENT, changes)


def _key_of_several_rows(cells: Cells, roles: Roles, read: Mapping[str, str]) -> str | None:
    """The column by which rows of one input are drawn together, where a person says so; None where each row is an input.

    ReadingUnclear where inputs have several rows and nobody has said what these are.
    """
    several = several_rows(cells, roles.judged.get("input"))
    if several is None or roles.group is not None or read.get("rows") == EACH:
        return None
    if read.get("rows") == TOGETHER:
        return several.key
    raise ReadingUnclear(
        "What is a row?",
        f"The {commas(cells.size)} rows are of {commas(several.inputs)} inputs by {several.key!r:.60}, told apart by "
        f"{several.by!r:.60}.",
        [
            way_to_read("rows", TOGETHER, "rows of one input belong together and are drawn together"),
            way_to_read("rows", EACH, "each row is an input of its own"),
        ],
    )


def _repeated_inputs(cells: Cells, roles: Roles, read: Mapping[str, str]) -> tuple[str | None, str]:
    """The column by which rows of one file or text are drawn together, where a person says so, and a sentence on such rows.

    BadInput where that is said and each row is of another.
    """
    name = roles.file[1] if roles.file is not None else roles.text
    inputs = 0
    if name is not None and name in cells.columns and roles.group is None:
        inputs = len(Column(name, cells.columns[name].slice(0, LOOKED_AT)).words)
    rows, said = min(cells.size, LOOKED_AT), read.get("rows", "")
    if not inputs or inputs > MOST_DISTINCT * rows:
        if said == TOGETHER:
            raise BadInput(
                f"There is one row for each input among {commas(rows)} rows. Expected several, which are drawn together. Leave "
                "--read rows out, or name the column of a group: --column group=NAME."
            )
        return None, ""
    if said:
        return (name if said == TOGETHER else None), ""
    return None, (
        f"{'The' if rows == cells.size else 'The first'} {commas(rows)} rows are of {commas(inputs)} inputs by {name!r:.60}. "
        f"To draw those of one input together: --read rows={TOGETHER}."
    )


MOST_DISTINCT = 0.9
"""Share of the rows up to which distinct files or texts say that inputs have several rows."""

TOGETHER, EACH = "together", "each"
"""What rows of one input are."""


def _column_roles(
    columns: ReadColumns, roles: Roles, choices: TableChoices, scores: Sequence[str], *, boxed: bool
) -> dict[str, ColumnRole]:
    content = columns.content
    found = column_roles(
        columns.cells,
        roles,
        choices.columns,
        scores,
        keys=content.keys,
        reasons=content.reasons,
        rules=choices.rules,
    )
    boxes = next((name for name in columns.cells.names if name.casefold() == BOXES), None)
    return found if not boxed or boxes is None else {**found, boxes: ColumnRole(BOXES, "its name")}


def _left_out(
    cells: Cells, roles: Mapping[str, ColumnRole], chosen: Chosen, hidden: Mapping[str, str]
) -> dict[str, str]:
    """The columns that are not used, and why."""
    ignored = {column for role, column in chosen if role == "ignore"}
    unused = {
        name: CHOSEN if name in ignored else hidden.get(name, "empty in every row")
        for name in cells.names
        if name not in roles
    }
    return unused | dict.fromkeys(cells.left_out, UNUSABLE)


UNSEEN = "not shown"
"""Why a column without another role is not used, where rows have a picture, a sound, a text or an output to look at."""


def _unseen(reading: Reading, roles: Roles) -> Iterator[str]:
    """The columns that may be seen, but stand on no screen: nobody chose them."""
    for name, one in reading.roles.items():
        if one.role == SHOWN and one.reason != CHOSEN and name not in roles.show:
            yield name


def _meanings(said: Answers, truth: ReadTruth, sure: Confidence | None, inputs: Inputs) -> dict[str, str]:
    """What the cells of each role are, for people."""
    classes = said.task.classes
    found = {"label": truth.said}
    if classes and not said.task.graded:
        found["prediction"] = (
            f"sets of {commas(len(classes))} classes" if said.task.several else f"{commas(len(classes))} classes"
        )
    elif said.task.numeric and inputs.predictions.size:
        low, high = float(np.min(inputs.predictions)), float(np.max(inputs.predictions))
        found["prediction"] = f"numbers from {low:.4g} to {high:.4g}"
    if sure is not None:
        found["confidence"] = confidence_words(sure, classes)
    return found


def _as_chances(
    roles: Roles, task: TaskKind | None, tolerance: SaidTolerance | None, columns: ReadColumns
) -> tuple[Roles, ReadColumns]:
    """The roles with predictions from 0 to 1 read as chances of class 1, where a person says so.

    ReadingUnclear where they may be that, or numbers to be met.
    """
    prediction, label = roles.prediction, roles.label
    said = columns.read.get("prediction")
    if prediction is None or task == "regression" or tolerance is not None or roles.outcome is not None:
        return roles, columns
    if said is None and (task is not None or not _may_be_chances(prediction, label)):
        return roles, columns
    if said is None:
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
    classes = Column(prediction.name, pa.chunked_array([pa.array((chances >= 0.5).astype(np.int64))]))
    roles = replace(roles, prediction=classes, confidence=prediction)
    read = {**columns.read, "confidence": OF_SECOND}
    return roles, replace(columns, read=read, changes=(*columns.changes, "chances of class 1"))


def _may_be_chances(prediction: Column, label: Column | None) -> bool:
    """Whether predicted numbers lie in 0..1, on both sides of a half, and the labels are 0 and 1 or none are known."""
    if not prediction.has_numbers_alone:
        return False
    low, high = float(prediction.values.min()), float(prediction.values.max())
    if not 0 <= low < 0.5 <= high <= 1 or prediction.is_whole or len(prediction.values) < FEWEST_ROWS:
        return False  # chances that all say the same class would be none
    return label is None or {folded(word) for word in label.words.to_pylist()} <= {"0", "1", *MARKS}


def _has_sets(roles: Roles, task: TaskKind | None, *, every: bool) -> bool:
    """Whether the cells are sets of classes, or may be."""
    if task is not None or roles.prediction is None or roles.prediction.has_numbers_alone:
        return task is not None and TASKS[task].several
    return written_sets(roles.prediction, roles.label, every=every) is not None


def _task_reason(
    said: Answers, roles: Roles, task: TaskKind | None, tolerance: SaidTolerance | None, *, boxed: bool
) -> str:
    if task is not None:
        return CHOSEN
    if boxed:
        return "the table lists a detector's boxes"
    if roles.judged:
        return "there is an output, and neither a prediction nor an outcome"
    if said.task.numeric:
        return "a tolerance was given" if tolerance is not None else "the numbers are not all whole"
    if roles.prediction is None and not roles.probabilities:
        return "only the outcome says right or wrong"
    return "the answers are words or whole numbers"


def _classes_from(said: Answers, roles: Roles, cells: Cells, choices: TableChoices, *, boxed: bool) -> str:
    """Where the names of the classes and their order come from; "" where the task has none."""
    if not said.task.classes:
        return ""
    if boxed:
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


def _check_judged(
    judged: bool, boxed: bool, task: TaskKind | None, tolerance: SaidTolerance | None, choices: TableChoices
) -> None:
    """BadInput where a choice does not fit verdicts, boxes or any other task."""
    if (judged or boxed) and (tolerance is not None or choices.top_k > 1 or choices.further):
        raise BadInput(
            f"{'Boxes' if boxed else 'Outputs'} are judged here, and a tolerance, top k or further classes were given. "
            "Expected none of these. Leave them out."
        )
    if choices.least_score and not boxed:
        raise BadInput(
            f"A least score of {choices.least_score:g} was given and the task is {task or 'not boxes'}. Expected a detector's "
            "boxes. Give these, or leave it out."
        )
    if choices.grades and not judged:
        raise BadInput(
            f"The grades {choices.grades!r:.40} were given and the task is {task or 'not verdict'}. Expected outputs that are "
            "judged. Add a column 'output' and the task verdict, or leave the grades out."
        )


def table_content(source: Path | bytes | Columns, name: str, pictures: Path | None = None) -> TableContent:
    """The columns of a table, read once; ``source`` and ``name`` as ``read_table`` takes them. BadInput as there.

    ``pictures`` : those of a detector's boxes, one for each row.
    """
    if isinstance(source, Path | bytes) and is_detections(source):
        return TableContent(*read_detections(source, name, pictures))
    if isinstance(source, Path) and source.is_dir():
        return TableContent(*read_table_folder(source))
    if isinstance(source, Path):
        cells, digest = read_table_file(source, "" if source.suffix else name)
        return TableContent(with_chats(cells), digest)
    content = file_bytes(source) if isinstance(source, bytes) else parquet_of(source)
    cells = read_cells(content, name if isinstance(source, bytes) else "frame.parquet")
    return TableContent(with_chats(cells), fingerprint.of_bytes(content))


def _as_read(digest: str, said: Answers, roles: Roles, choices: TableChoices, changes: Sequence[str]) -> str:
    """The fingerprint of the content as it was read: that of the content alone if the columns decided everything."""
    if said.readable_as and not said.task.one_class:
        digest = fingerprint.of_bytes(digest.encode(), said.task.kind.encode())
    if roles.classes:
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
    if changes:
        digest = fingerprint.of_bytes(digest.encode(), repr(sorted(changes)).encode())
    return digest


def _of_all_classes(probabilities: NDArray[np.float64] | None, said: Answers) -> NDArray[np.float64] | None:
    """The probabilities with a column of zeros for each true class that the table has no probabilities of, (N, C)."""
    if probabilities is None:
        return None
    lacking = len(said.task.classes) - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, lacking))) if lacking > 0 else probabilities


def _probabilities(cells: Cells, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """The probabilities as (N, C) rows summing to 1, or None; BadInput where they do not sum to about 1."""
    if not names:
        return None
    limits.check_shape(cells.size, len(names), held=len(names))
    table = np.empty((cells.size, len(names)))
    for place, name in enumerate(names):
        table[:, place] = Column(name, cells.columns[name]).numbers_between_0_and_1()
    sums = table.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    if bad.size:
        raise BadInput(
            f"The probabilities of row {bad[0]} (counted from 0) sum to {sums[bad[0]]:.4g}. Expected 1, give or take "
            f"{SUM_TOLERANCE:g}. Apply softmax once, or rename columns that are not probabilities."
        )
    if np.abs(sums - 1).max() > 1e-6:  # rounded in the file
        table /= sums[:, None]
    return table


def _confidence(
    column: Column | None, probabilities: NDArray[np.float64] | None, said: Answers, columns: ReadColumns
) -> Confidence | None:
    """The chance of what was predicted; None where nothing says it."""
    if column is not None and not columns.by_content:
        return Confidence(column.numbers_between_0_and_1())
    if column is not None:
        single = said.task.one_class and said.predictions.ndim == 1
        return confidence_of(
            column,
            said.predictions if single else None,
            said.task.classes if single else (),
            percent=column.name in columns.spelled.percents,
            read=columns.read.get("confidence", ""),
            graded=said.task.graded,
        )
    if probabilities is None:
        return None
    predicted = said.predictions.reshape(len(said.predictions), -1).astype(np.intp)  # (N, top_k)
    chances: NDArray[np.float64] = np.take_along_axis(probabilities, predicted, axis=1).sum(axis=1)
    return Confidence(chances.clip(0, 1))


def _facts(size: int, inputs: Inputs, reading: Reading) -> tuple[tuple[str, str], ...]:
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
