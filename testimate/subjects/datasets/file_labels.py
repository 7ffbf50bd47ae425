"""The labels of a folder's files, from a CSV among them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.arrow import pa
from testimate.subjects.cells import Column
from testimate.subjects.datasets.answers import KnownAnswers, from_column
from testimate.subjects.datasets.file_rows import Files
from testimate.subjects.datasets.table_dataset import LABEL_NAMES, find_name
from testimate.subjects.table_file import read_cells

FILE_NAMES = ("file", "filename", "file_name", "path", "filepath", "image", "image_id", "name", "id")
"""Names of the column that names the files, the likeliest first."""

LABELS = "labels.csv"
"""The name of a CSV with labels; the only one searched for above the folder of the inputs."""

Facts = tuple[tuple[str, str], ...]


def labels_in(
    files: Files, place: str, names: Sequence[str], label: str | None, *, above: bool
) -> tuple[KnownAnswers | None, Facts]:
    """The answers that a CSV at ``place`` gives for the files ``names``, and a fact about it; nothing without a CSV.

    ``above`` : else a labels.csv in a folder around ``place`` counts, such as the one beside ``images/``. A file is named by
    its path below the CSV, by its own name, or by that without the ending, where these are unambiguous. Files the CSV does
    not name are unlabeled; lines that name no file are skipped.

    Raises
    ------
    BadInput : there are several CSVs and none of them is labels.csv, its columns are unclear, or it names none of the
        files.
    """
    table = _table_at(files, place) or (_table_above(files, place) if above else None)
    if table is None:
        return None, ()
    start = table[: table.rfind("/") + 1]
    below = place[len(start) :]
    cells = read_cells(files.read(table), "labels.csv")
    columns = tuple(cells.columns)
    file_column = find_name(columns, FILE_NAMES)
    others = tuple(name for name in columns if name != file_column)
    label_column = find_name(others, LABEL_NAMES, label) or (others[0] if len(others) == 1 else None)
    if file_column is None or label_column is None:
        raise BadInput(
            f"{table!r:.100} has the columns {', '.join(map(repr, columns))!s:.200}; expected 'file' and 'label'. Rename "
            "them."
        )
    texts = [Column(name, cells.columns[name]).texts.to_pylist() for name in (file_column, label_column)]
    given = dict(zip(*texts, strict=True))
    words = [next((given[key] for key in keys if key in given), "") for keys in _keys(below, names)]
    known = from_column(Column(label_column, pa.chunked_array([pa.array(words, pa.large_string())])))
    if known is None and start != place and any(start + str(name) in files.sizes for name in given):
        return None, (("labels from", f"{table} (none of these files)"),)  # it names those of another split
    if known is None:
        raise BadInput(
            f"{table!r:.100} labels none of the {spaced(len(names))} files; expected their names under {file_column!r:.60}, "
            f"such as {below + names[0]!r:.60}. Correct it."
        )
    taken = f", read as {'; '.join(cells.taken)}" if cells.taken else ""
    return known, (("labels from", f"{table} ({spaced(len(known.rows))} of {spaced(len(names))}){taken}"),)


def _table_at(files: Files, place: str) -> str | None:
    """The CSV that lies beside the inputs."""
    found = [name for name in files.names if name.startswith(place) and "/" not in name[len(place) :]]
    tables = [name for name in found if name.lower().endswith(".csv")]
    if not tables:
        return None
    table = next((name for name in tables if name.lower().endswith(LABELS)), tables[0])
    if len(tables) > 1 and not table.lower().endswith(LABELS):
        raise BadInput(
            f"There are {len(tables)} CSV files beside the inputs; expected one with their labels. Name it labels.csv."
        )
    return table


def _table_above(files: Files, place: str) -> str | None:
    """The labels.csv in the nearest folder around the inputs."""
    there = {name.lower(): name for name in files.names}
    while place:
        place = place[: place.rstrip("/").rfind("/") + 1]
        if (found := there.get(place.lower() + LABELS)) is not None:
            return found
    return None


def _keys(below: str, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names by which each file may be found: its path, and its name with and without ending if unambiguous."""
    paths = [PurePosixPath(name) for name in names]
    counts = Counter(path.name for path in paths) + Counter(path.stem for path in paths if path.stem != path.name)
    return [(below + str(path), *(key for key in (path.name, path.stem) if counts[key] == 1)) for path in paths]
