"""Predictions of other models for a subject's inputs, from a table of their own or from columns of the subject's.

Results of earlier models, which need no predictions, are read here, too.
"""

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.inputs import EarlierResults, Inputs, OtherModel
from testimate.core.reading import Tell, read_as
from testimate.core.spellings import bare
from testimate.core.words import commas
from testimate.subjects.prediction_table import TableContent, table_content
from testimate.subjects.read_columns import ReadColumns, read_columns
from testimate.subjects.table_choices import TableChoices
from testimate.tables.cells import Cells, Column
from testimate.tables.confidence import confidence_of, meaning
from testimate.tables.numbers import plainly_written
from testimate.tables.results_of_models import history_of_columns
from testimate.tables.roles import is_index_name, roles_of
from testimate.tables.rules import BY_NAME, EVERYWHERE, LATEST, PAIRED
from testimate.tasks.classification import form_of_sets, names_in_set

KEYS = ("key", "id", "file", "image", "audio", "name")
"""Columns that identify the same input in two tables; the first that both have is used."""

_NAMES_KEY = re.compile(r"(id|key|file|name|path|url|guid|(?<![a-z])(no|nr|number))$", re.IGNORECASE)
"""Endings of names of further columns that may identify inputs: ``review_id``, ``filename``, ``image path``."""

Keys = Mapping[str, Sequence[str]]


def keys_of(cells: Cells) -> Keys:
    """The columns of a table that may identify its inputs, whose cells all differ, by their names in lower-case letters.

    Those of ``KEYS``, and since ``rules.PAIRED`` others whose names say so.
    """
    further = [name for name in cells.columns if _NAMES_KEY.search(name.strip())]
    named = {name.casefold() if bare(name) in KEYS else bare(name): name for name in further}
    named |= {name.casefold(): name for name in cells.columns if name.casefold() in KEYS}
    found = {key: Column(name, cells.columns[name]).texts.to_pylist() for key, name in named.items()}
    return {key: texts for key, texts in found.items() if len(set(texts)) == len(texts)}


def shared_key(own: Keys, others: Keys, rules: int = LATEST) -> str | None:
    """The key by which two tables are matched; None where they have none in common.

    One that is not among ``KEYS`` counts where one table has all inputs of the other: the id of a run is another each time.
    """
    known = next((key for key in KEYS if key in own and key in others), None)
    if known is not None or rules < PAIRED:
        return known
    common = (key for key in own if key in others)
    return next((key for key in common if _includes(own[key], others[key])), None)


def _includes(one: Sequence[str], other: Sequence[str]) -> bool:
    smaller, larger = sorted((set(one), set(other)), key=len)
    return smaller <= larger


def other_content(source: Path | bytes, name: str, tell: Tell = warnings.warn) -> TableContent:
    """The columns of another model's table; ``tell`` is called with what was assumed about the file's format."""
    content = table_content(source, name)
    if content.cells.taken:
        tell(read_as(name, content.cells.taken))
    return content


def read_other(
    source: Path | bytes | TableContent,
    inputs: Inputs,
    *,
    name: str,
    keys: Keys | None = None,
    prediction: str | None = None,
    confidence: str | None = None,
    rules: int = LATEST,
    tell: Tell = warnings.warn,
) -> OtherModel:
    """Another model's predictions for these inputs, its table read by the rules of a tested model's.

    Parameters
    ----------
    source : a table with a column ``prediction`` (or ``SUT``) and perhaps ``confidence``, or with ``p_<class>`` for
        both.
    name : of the model, for people; of an uploaded file, whose ending says what it is.
    keys : the key columns of the subject's own table; if the other table has one of them, its order does not matter and
        it may have further rows. Otherwise row i is input i.
    prediction, confidence : the columns' names, if they differ. With a named prediction no other column is used.
    rules : by which the table is read; a plan that was stored keeps its own.
    tell : called with what was assumed about a file that is not UTF-8 with commas, and with what its confidence is, where
        that is no chance of the predicted class.

    Raises
    ------
    BadInput : another number of rows and no key, an input the table lacks, an unusable column, two columns that may be its
        predictions, or classes that the tested model does not know in more than half of the rows.
    """
    cells = source.cells if isinstance(source, TableContent) else other_content(source, name, tell).cells
    alike = rules >= PAIRED and not inputs.task.graded and not inputs.task.boxed
    roles, percents = None, frozenset[str]()
    if alike and prediction is None:
        columns = _read_one_way(cells, inputs, name, rules)
        cells, roles, percents = columns.cells, columns.roles, columns.spelled.percents
    elif alike:
        spelled = plainly_written(cells)
        cells, percents = spelled.cells, spelled.percents
    order = rows_of_inputs(cells, keys if keys is not None else names_as_keys(inputs), len(inputs), name, rules)
    if prediction is not None:
        sure = None if confidence is None else _column(cells, confidence, name)
        return _other(name, inputs, _column(cells, prediction, name), sure, order, percents if alike else None, tell)
    roles = roles or roles_of(cells)
    if roles.prediction is not None and not roles.probabilities:
        return _other(name, inputs, roles.prediction, roles.confidence, order, percents if alike else None, tell)
    if not roles.probabilities:
        raise BadInput(
            f"{name!r:.60} has no column 'prediction'; its columns are {', '.join(map(repr, cells.names))!s:.120}. Rename the "
            "one that contains the other model's predictions."
        )
    table = np.column_stack([Column(one, cells.columns[one]).numbers_between_0_and_1() for one in roles.probabilities])
    classes = roles.classes or tuple(str(place) for place in range(table.shape[1]))
    said = [classes[place] for place in table.argmax(axis=1)]
    return _named_model(name, _places(said, said, inputs, name), said, table.max(axis=1), order)


def _read_one_way(cells: Cells, inputs: Inputs, name: str, rules: int) -> ReadColumns:
    """The columns with their roles; BadInput where they fit two, which nobody is asked about another model's table."""
    try:
        return read_columns(cells, TableChoices(rules=rules), inputs.task.kind)
    except ReadingUnclear as unclear:
        raise BadInput(
            f"{name!r:.60}: {unclear.found} Expected a table with one reading. Call its predictions 'prediction', leave out "
            "what else they may be, and write numbers plainly."
        ) from unclear


def _other(
    name: str,
    inputs: Inputs,
    prediction: Column,
    confidence: Column | None,
    order: NDArray[np.intp],
    percents: Collection[str] | None,
    tell: Tell,
) -> OtherModel:
    """``percents`` : the columns in percent; None of a table that was read before confidences were anything but chances."""
    if percents is None or not inputs.task.several:  # an empty cell is a set without classes
        prediction.check_filled(words=not prediction.has_numbers)
    numeric = inputs.task.numeric
    texts = [] if numeric else prediction.texts.to_pylist()
    whole = not numeric and prediction.has_numbers_alone and prediction.is_whole
    numbers = [str(int(value)) for value in prediction.values] if whole else texts
    said = prediction.numbers() if numeric else _places(texts, numbers, inputs, name)
    sure = None
    if confidence is not None and percents is None:
        sure = confidence.numbers_between_0_and_1()
    elif confidence is not None:
        sure = _chances(confidence, said, inputs, name, percent=confidence.name in (percents or ()), tell=tell)
    if numeric:
        return OtherModel(name, said[order], None if sure is None else sure[order])
    return _named_model(name, said, numbers, sure, order)


def _chances(
    column: Column, said: NDArray[Any], inputs: Inputs, name: str, *, percent: bool, tell: Tell
) -> NDArray[np.float64] | None:
    """The confidence as chances of what was predicted; None where it may be several things, which is said."""
    single = inputs.task.one_class
    classes = inputs.task.classes if single else ()
    try:
        found = confidence_of(column, said if single else None, classes, percent=percent)
    except ReadingUnclear as unclear:
        tell(f"{name}: {unclear.found} It is not used.")
        return None
    if found.rule:
        tell(f"{name}: {column.name!r:.60} = {meaning(found, classes)}.")
    return found.values


def _named_model(
    name: str, said: NDArray[Any], names: Sequence[str], sure: NDArray[np.float64] | None, order: NDArray[np.intp]
) -> OtherModel:
    """The model in the order of the inputs, with the names of the classes that the tested one does not have."""
    places, strange = said[order], np.flatnonzero(said[order] == UNKNOWN) if said.ndim == 1 else ()
    unknown = {int(row): names[order[row]] for row in strange}
    return OtherModel(name, places, None if sure is None else sure[order], unknown)


def _places(texts: Sequence[str], numbers: Sequence[str], inputs: Inputs, name: str) -> NDArray[Any]:
    """The predictions in the tested model's numbering of classes, -1 where it has no such class."""
    index = ClassIndex(inputs.task.classes)
    if inputs.task.several:
        sets = np.zeros((len(texts), len(index) + 1), dtype=np.uint8)
        written = form_of_sets(set(texts))
        for row, text in enumerate(texts):
            names = names_in_set(text) if written is None else names_in_set(text, written.form)
            sets[row, index.indices(names, len(index))] = 1
        known = sets[:, -1] == 0
        said: NDArray[Any] = np.where(known[:, None], sets[:, :-1], 2)  # 2 equals no set
    else:
        by_text, by_number = index.indices(texts, UNKNOWN), index.indices(numbers, UNKNOWN)
        said = by_text if (by_text >= 0).sum() >= (by_number >= 0).sum() else by_number
        known = said >= 0
    if 2 * known.sum() < known.size:
        strange = texts[int(np.flatnonzero(~known)[0])]
        raise BadInput(
            f"{name!r:.60} predicts {strange!r:.40} and others that are not classes here. Expected the names "
            f"{_some(inputs)}. Use the same class names in both tables."
        )
    return said


def _some(inputs: Inputs) -> str:
    """The first classes, for a sentence."""
    classes = inputs.task.classes
    return ", ".join(map(repr, classes[:4])) + (" and so on" if len(classes) > 4 else "")


def rows_of_inputs(cells: Cells, keys: Keys, size: int, name: str, rules: int) -> NDArray[np.intp]:
    """Return the row of the other table for each input, (N,)."""
    own = keys_of(cells)
    shared = shared_key(own, keys, rules)
    if shared is None:
        if cells.size != size:
            raise BadInput(
                f"{name!r:.60} has {commas(cells.size)} rows and the tested model {commas(size)} inputs. "
                f"Expected a row for each in the same order, or a column {KEYS[0]!r} in both tables that says which is which. "
                "Export them again."
            )
        return np.arange(size)
    rows = {text: row for row, text in enumerate(own[shared])}
    missing = [text for text in keys[shared] if text not in rows]
    if missing:
        raise BadInput(
            f"{name!r:.60} has no row whose {shared} is {missing[0]!r:.60}, one of {len(missing)} inputs that it lacks. "
            "Expected them all. Export it again."
        )
    return np.array([rows[text] for text in keys[shared]], dtype=np.intp)


def names_as_keys(inputs: Inputs) -> Keys:
    """Return the names of the inputs, as a key."""
    names = [] if inputs.names is None else [inputs.name_of(row) for row in range(len(inputs))]
    return {"file": names} if names and len(set(names)) == len(names) else {}


def _column(cells: Cells, column: str, name: str) -> Column:
    if column not in cells.columns:
        raise BadInput(
            f"{name!r:.60} has no column {column!r:.60}; there are {', '.join(map(repr, cells.columns))!s:.120}. Choose one of "
            "these."
        )
    return Column(column, cells.columns[column])


def read_history(
    source: Path | bytes,
    inputs: Inputs,
    *,
    name: str,
    keys: Keys | None = None,
    rules: int = LATEST,
    tell: Tell = warnings.warn,
) -> EarlierResults:
    """Read a table with a row for each input and a column for each earlier model.

    Parameters
    ----------
    source, name, keys, tell : as for ``read_other``.
    rules : by which the table of the inputs is read; a plan that was stored keeps its own.

    Raises
    ------
    BadInput : another number of rows and no key, no column of results, or one whose cells are none.
    """
    cells = other_content(source, name, tell).cells
    order = rows_of_inputs(cells, keys if keys is not None else names_as_keys(inputs), len(inputs), name, rules)
    by = rules if rules >= EVERYWHERE else BY_NAME
    columns = [one for one in cells.columns if one.casefold() not in KEYS and not is_index_name(one, by)]
    found = history_of_columns(cells, columns, inputs.task)
    if found is None:
        raise BadInput(
            f"{name!r:.60} has no results, only {', '.join(map(repr, cells.names))!s:.120}. Expected a column for each earlier "
            "model. Add them."
        )
    return replace(found, name=name, losses=found.losses[order])
