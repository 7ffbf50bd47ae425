"""The labels of files in a table beside them, or anywhere in their folder."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.spellings import bare
from testimate.core.words import commas
from testimate.datasets.dataset import KnownAnswers, from_column
from testimate.datasets.label_columns import MOST_COLUMNS, may_be_labels, words_of_labels
from testimate.datasets.limits import MAX_CLASSES
from testimate.datasets.rows import Files
from testimate.datasets.tables import LABEL_NAMES, find_name
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import (
    OF_GROUPS,
    OF_PARTS,
    TRUE,
    TRUTHS,
    WHO_LABELED,
    in_english,
    is_predicted,
    words_of,
)
from testimate.tables.files import read_cells
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells
from testimate.tables.lone_evidence import OF_CLASSES
from testimate.tables.rules import FOUND, LATEST, PAIRED

FILE_NAMES = ("file", "filename", "file_name", "path", "filepath", "image", "image_id", "name", "id")
"""Names of the column that names the files, the likeliest first."""

LABELS = ("labels.csv", "labels.tsv", "labels.jsonl", "labels.json", "metadata.csv", "metadata.jsonl")
"""The names of tables with labels, the likeliest first; only these are searched for above the folder of the inputs. A folder of
the datasets library has its labels, or something else about its files, in a table called metadata."""

Facts = tuple[tuple[str, str], ...]

LABELS_FROM, NOT_USED = "labels from", "not used"
"""The names of the facts about the table that has the labels, and about one that has none for certain."""


@dataclass(frozen=True, eq=False)
class FoundLabels:
    """The answers in a table beside the inputs, None without any, what is said about it, and classes that it numbers.

    ``columns`` : those that may hold the answers, where none clearly does, and ``words`` the classes in some of them.
    ``numbers`` : further columns, of numbers that a model may be to meet.
    """

    known: KnownAnswers | None = None
    said: Facts = ()
    listed: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()


def labels_in(
    files: Files, place: str, names: Sequence[str], label: str | None, *, above: bool, apart: bool, rules: int
) -> FoundLabels:
    """The answers that a table at ``place`` gives for the files ``names``, and a fact about it; nothing without a table.

    ``apart`` : whether a table elsewhere may name a file by the only number in its name, any table by another path to it, and
    files with several labels have none. ``above`` : else one of ``LABELS``
    in a folder around ``place`` counts, such as the one beside ``images/``. A file is named by its path below the table, by
    its own name, or by that without the ending, where these are unambiguous. Files the table does not name are unlabeled;
    lines that name no file are skipped.
    ``rules`` : a dataset that was opened before ``PAIRED`` has its labels in a CSV alone, whatever that is called.

    Raises
    ------
    BadInput : there are several CSVs and none of them is labels.csv, its columns are unclear, or it names none of the
        files.
    """
    called = LABELS if rules >= PAIRED else LABELS[:1]
    table = _table_at(files, place, called) or (_table_above(files, place, called) if above else None)
    if table is None:
        return _named_elsewhere(files, place, names, label, apart) if above and rules >= FOUND else FoundLabels()
    start = table[: table.rfind("/") + 1]
    below = place[len(start) :]
    cells = read_cells(files.read(table), table)
    columns = tuple(cells.columns)
    keys = keys_of(below, names)
    file_column = find_name(columns, FILE_NAMES)
    if rules >= FOUND and (file_column is None or not _named(cells, file_column, keys)):
        file_column = _column_of_names(cells, keys) or file_column
    others = tuple(name for name in columns if name != file_column)
    about = rules >= PAIRED and table.rsplit("/", 1)[-1].lower().startswith("metadata")  # which may be captions
    label_column = find_name(others, LABEL_NAMES, label)
    if label_column is None and rules >= FOUND:
        label_column = _label_column(cells, others, lone=not about)
    elif label_column is None and len(others) == 1 and not about:
        label_column = others[0]
    if label_column is None and apart and (marked := _marked_classes(cells, others)) is not None:
        cells, label_column = marked
    if about and (file_column is None or label_column is None):
        return FoundLabels(said=((NOT_USED, f"{table} ({', '.join(map(repr, columns))!s:.100})"),))
    if rules >= FOUND and file_column is not None and label_column is None and others:
        return _without_clear_label(table, cells, others)
    if apart and file_column is not None and not others:
        return FoundLabels()  # a list of the files
    if file_column is None or label_column is None:
        raise BadInput(
            f"{table!r:.100} has the columns {', '.join(map(repr, columns))!s:.200}. Expected 'file' and 'label'. Rename "
            "them."
        )
    given, several = _given(cells, file_column, label_column, apart=apart)
    known = _answers(given, keys, label_column)
    if known is None and apart:
        known = _answers(_by_other_paths(given), [tuple(map(str.casefold, one)) for one in keys], label_column)
    _check_one_label(table, several, given)
    if known is None and start != place and any(start + str(name) in files.sizes for name in given):
        return FoundLabels(said=((LABELS_FROM, f"{table} (none of these files)"),))  # it names those of another split
    if known is None:
        raise BadInput(
            f"{table!r:.100} labels none of the {commas(len(names))} files. Expected their names under {file_column!r:.60}, "
            f"such as {below + names[0]!r:.60}. Correct it."
        )
    taken = f", read as {'; '.join(cells.taken)}" if cells.taken else ""
    said = ((LABELS_FROM, f"{table} ({commas(len(known.rows))} of {commas(len(names))}){taken}"), *_on_several(several))
    return FoundLabels(known, said, numbers=_measured(cells, others, label_column))


def _label_column(cells: Cells, others: Sequence[str], *, lone: bool) -> str | None:
    """The column besides the names of files that holds the labels; None where it is not clear.

    By a name of labels or of the truth, or of what things are, if only one has one and no other has its classes; or the only
    one that holds classes.
    ``lone`` : whether the only column besides the names holds them, whatever stands in it.
    """
    free = [name for name in others[:MOST_COLUMNS] if not is_predicted(name)]
    if lone and len(others) == 1:
        return free[0] if free else None
    first = [FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS), strict=True) for name in free]
    classes = [one.column.name for one in first if one.are_classes or one.number_classes]
    classes = [name for name in classes if len(Column(name, cells.columns[name]).words) > 1]
    called = {name: in_english(name, LATEST) for name in classes}
    usual = [name for name in LABELS_BESIDE if name in {one.strip().casefold() for one in classes}]
    if usual:
        return find_name(tuple(classes), tuple(usual))
    true = [name for name in classes if bare(called[name]) in TRUTHS or TRUE & words_of(called[name])]
    what = [name for name in classes if OF_CLASSES & words_of(called[name])]
    apart = OF_PARTS | OF_GROUPS | WHO_LABELED
    rest = [name for name in classes if not apart & words_of(called[name])] if cells.size >= FEWEST_ROWS else []
    found = next((one for one in (true, what, rest) if one), [])
    words = {one.column.name: {*one.filled} for one in first}
    alike = [name for name in classes if found and name != found[0] and words[name] & words[found[0]]]
    return found[0] if len(found) == 1 and not (alike and found != true) else None


def _given(cells: Cells, file: str, label: str, *, apart: bool) -> tuple[dict[Any, Any], list[str]]:
    """The label of each name in the column ``file``, and the names with several, which have none if ``apart``."""
    pairs = [*zip(*(Column(name, cells.columns[name]).texts.to_pylist() for name in (file, label)), strict=True)]
    given = dict(pairs)
    several = sorted({str(name) for name, word in pairs if word != given[name]}) if apart else []
    return {name: word for name, word in given.items() if name not in {*several}}, several


SEVERAL = "files with several labels"
"""The name of the fact about files that have no label because a table gives them different ones."""


def _on_several(several: Sequence[str]) -> Facts:
    return ((SEVERAL, f"{commas(len(several))}, which have none here, such as {several[0]:.100}"),) if several else ()


def _check_one_label(table: str, several: Sequence[str], given: Mapping[Any, Any]) -> None:
    """BadInput where most files of a table have several labels, as the parts of a sound do."""
    if several and len(several) >= len(given):
        raise BadInput(
            f"{table!r:.100} gives {commas(len(several))} files several labels each, such as {several[0]:.100}. Expected one "
            "label per file. Cut the files into the parts that have one, or keep one row for each."
        )


def _by_other_paths(given: Mapping[Any, Any]) -> dict[str, Any]:
    """The labels by the ends of the paths, in lower case; without those that name files with different labels.

    >>> _by_other_paths({"/set/Images/1.PNG": "cat", "b/1.png": "owl"})
    {'/set/images/1.png': 'cat', 'set/images/1.png': 'cat', 'images/1.png': 'cat', 'b/1.png': 'owl'}
    """
    found: dict[str, Any] = {}
    unclear = set[str]()
    for name, word in given.items():
        parts = str(name).replace("\\", "/").strip().casefold().split("/")
        for start in range(len(parts)):
            path = "/".join(parts[start:])
            if found.setdefault(path, word) != word:
                unclear.add(path)
    return {path: word for path, word in found.items() if path not in unclear}


def _answers(given: Mapping[Any, Any], keys: Sequence[tuple[str, ...]], label: str) -> KnownAnswers | None:
    """The answers of files that may be found by any of their keys; None where none is."""
    words = [next((given[key] for key in one if key in given), "") for one in keys]
    return from_column(Column(label, pa.chunked_array([pa.array(words, pa.large_string())])))


SUBMISSION = "submission"
"""What the names of tables say that are to be filled in with predictions."""

MOST_TABLES = 20
"""Tables of a folder in which the names of the inputs are looked for."""

LABELS_BESIDE = (*LABEL_NAMES, "labels", "class_name", "classname", "class_id", "classid")
"""Names of the labels in a table that names the inputs, the likeliest first."""


def _named_elsewhere(files: Files, place: str, names: Sequence[str], label: str | None, apart: bool) -> FoundLabels:
    """The labels in the only table, anywhere in the folder and whatever it is called, that names most of the inputs.

    Where none of its columns is clearly the label, a fact says that it was not used.
    """
    tables = [name for name in files.names if name.lower().endswith((".csv", ".tsv"))]
    tables = [name for name in tables if SUBMISSION not in name.lower()][:MOST_TABLES]
    read = []
    for table in tables:
        with suppress(BadInput):  # it may be anything
            keys = keys_of(place.removeprefix(table[: table.rfind("/") + 1]), names)
            read.append((table, read_cells(files.read(table), table), keys))
    whole = [(table, cells, keys, [one[:2] for one in keys]) for table, cells, keys in read]
    ended = [
        (table, cells, keys, [one[2:] for one in keys]) for table, cells, keys in read
    ]  # any number may equal these
    numbers = [*_only_numbers(names)] if apart else []
    counted = [(table, cells, numbers, numbers) for table, cells, _ in read if numbers]
    paths = [(table, cells, keys, keys) for table, cells, keys in read if apart]
    for tried in (whole, ended, counted, paths):
        found = [
            (table, cells, column, keys)
            for table, cells, keys, by in tried
            if (column := _column_of_names(cells, by, all_of_them=tried is counted, elsewhere=tried is paths))
            is not None
        ]
        if found:
            break
    if len(found) != 1:
        return FoundLabels(said=tuple((NOT_USED, f"{table}, as others name the inputs, too") for table, *_ in found))
    [(table, cells, file_column, keys)] = found
    others = tuple(name for name in cells.columns if name != file_column)
    if not others:
        return FoundLabels()
    label_column = find_name(others, LABELS_BESIDE, label) or _label_column(cells, others, lone=True)
    if label is None and label_column is not None and len(Column(label_column, cells.columns[label_column]).words) < 2:
        label_column = None  # one value for all is to be filled in
    if label_column is None and apart and (marked := _marked_classes(cells, others)) is not None:
        cells, label_column = marked
    if label_column is None:
        return _without_clear_label(table, cells, others)
    given, several = _given(cells, file_column, label_column, apart=apart)
    _check_one_label(table, several, given)
    known = _answers(given, keys, label_column)
    if known is None and apart:
        known = _answers(_by_other_paths(given), [tuple(map(str.casefold, one)) for one in keys], label_column)
    count = 0 if known is None else len(known.rows)
    said = f"{table} ({commas(count)} of {commas(len(names))}), column {label_column!r:.60}"
    facts = ((LABELS_FROM, said), *_on_several(several))
    measured = _measured(cells, others, label_column)
    return FoundLabels(known, facts, _numbered(cells, label_column, others), numbers=measured)


def _measured(cells: Cells, others: Sequence[str], label: str) -> tuple[str, ...]:
    """The columns of more numbers than two beside the labels, without keys, parts and predictions."""
    free = may_be_labels([name for name in others if name != label])
    columns = [Column(name, cells.columns[name]) for name in free]
    return tuple(one.name for one in columns if one.is_number[~one.is_empty].all() and len(one.words) > 2)


def _without_clear_label(table: str, cells: Cells, others: tuple[str, ...]) -> FoundLabels:
    columns = ", ".join(map(repr, others))
    said = ((NOT_USED, f"{table} ({columns:.100}), of which none is clearly the label"),)
    return FoundLabels(said=said, columns=others, words=words_of_labels(cells, others))


def _numbered(cells: Cells, label: str, others: Sequence[str]) -> tuple[str, ...]:
    """The names of the classes by their numbers, where one of two columns numbers the words of the other from 0; else none."""
    own = Column(label, cells.columns[label]).texts.to_pylist()
    for other in [one for one in others[:MOST_COLUMNS] if one != label]:
        pairs = {*zip(own, Column(other, cells.columns[other]).texts.to_pylist(), strict=True)}
        if len(pairs) > MAX_CLASSES or not len(pairs) == len({one for one, _ in pairs}) == len(
            {one for _, one in pairs}
        ):
            continue
        for names in (dict(pairs), {one: word for word, one in pairs}):
            by_number = [names.get(str(number), "") for number in range(len(pairs))]
            if all(by_number) and not any(name.isdecimal() for name in by_number):
                return tuple(by_number)
    return ()


def _column_of_names(
    cells: Cells, keys: Sequence[tuple[str, ...]], *, all_of_them: bool = False, elsewhere: bool = False
) -> str | None:
    """The first column that names more than half of the inputs, or all, each in one row; None without one.

    ``elsewhere`` : by paths of any folder.
    """
    for column in tuple(cells.columns)[:MOST_COLUMNS]:
        named = _named(cells, column, keys, elsewhere=elsewhere)
        if all_of_them and named == len(keys) and len(Column(column, cells.columns[column]).words) == cells.size:
            return column
        if not all_of_them and 2 * named > len(keys):
            return column
    return None


def _only_numbers(names: Sequence[str]) -> Sequence[tuple[str, ...]]:
    """The only number in the name of each file, with and without zeros before it; nothing where two have the same, or one none.

    >>> _only_numbers(["a/XC0017.flac", "XC108.flac"]), _only_numbers(["1.png", "01.png"])
    ([('0017', '17'), ('108', '108')], [])
    """
    found = [re.findall("[0-9]+", PurePosixPath(name).stem) for name in names]
    if not all(len(one) == 1 for one in found):
        return []
    numbers: list[tuple[str, ...]] = [(one[0], one[0].lstrip("0") or "0") for one in found]
    return numbers if len({one[1] for one in numbers}) == len(names) else []


def _named(cells: Cells, column: str, keys: Sequence[tuple[str, ...]], *, elsewhere: bool = False) -> int:
    """How many of the inputs a column names; ``elsewhere`` : by the ends of its paths."""
    given = {*Column(column, cells.columns[column]).texts.to_pylist()}
    if elsewhere:
        given = {text.replace("\\", "/").rpartition("/")[2] for text in given if "/" in text or "\\" in text}
    return sum(any(key in given for key in one) for one in keys)


def _marked_classes(cells: Cells, others: Sequence[str]) -> tuple[Cells, str] | None:
    """The cells with a column of the classes, and its name, where a column for each class is 1 in its rows and 0 elsewhere."""
    columns = {name: Column(name, cells.columns[name]) for name in others[:MOST_COLUMNS]}
    marks = {
        name: one.values
        for name, one in columns.items()
        if one.is_number.all() and ((one.values == 0) | (one.values == 1)).all()
    }
    if len(marks) < 2 or not all(one.any() for one in marks.values()):
        return None
    table = np.stack([*marks.values()], axis=1)
    if (table.sum(axis=1) != 1).any():
        return None
    words, called = [[*marks][place] for place in table.argmax(axis=1)], ", ".join(marks)
    made = pa.chunked_array([pa.array(words, pa.large_string())])
    return replace(cells, columns={**cells.columns, called: made}), called


def _table_at(files: Files, place: str, called: Sequence[str]) -> str | None:
    """The table that lies beside the inputs: one whose name ends so, or the only CSV."""
    found = [name for name in files.names if name.startswith(place) and "/" not in name[len(place) :]]
    table = next((name for ending in called for name in found if name.lower().endswith(ending)), None)
    tables = [name for name in found if name.lower().endswith(".csv")]
    if table is not None or not tables:
        return table
    if len(tables) > 1:  # those of several splits name the files of each, which is found by what they name
        raise BadInput(
            f"There are {len(tables)} CSV files beside the inputs. Expected one with their labels. Name it labels.csv."
        )
    return tables[0]


def _table_above(files: Files, place: str, called: Sequence[str]) -> str | None:
    """One that is called so in the nearest folder around the inputs."""
    there = {name.lower(): name for name in files.names}
    while place:
        place = place[: place.rstrip("/").rfind("/") + 1]
        found = next((there[place.lower() + name] for name in called if place.lower() + name in there), None)
        if found is not None:
            return found
    return None


def keys_of(below: str, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the names by which each file may be found: its path, and its name with and without ending if unambiguous."""
    paths = [PurePosixPath(name) for name in names]
    counts = Counter(path.name for path in paths) + Counter(path.stem for path in paths if path.stem != path.name)
    return [(below + str(path), *(key for key in (path.name, path.stem) if counts[key] == 1)) for path in paths]
