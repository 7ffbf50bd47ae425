"""Which file of a folder or zip belongs to which row of a table, by the names in one of its columns."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from testimate.core.errors import BadInput


@dataclass(frozen=True, eq=False)
class MatchedFiles:
    """The files of N rows.

    ``files`` : the file of each row, None where there is none. ``missing`` : (row, name) of rows without one.
        ``superfluous`` : files that belong to no row.
    """

    files: tuple[str | None, ...]
    missing: tuple[tuple[int, str], ...]
    superfluous: tuple[str, ...]


def match_files(cells: Sequence[str], files: Sequence[str]) -> MatchedFiles:
    """Finds the file that each cell names: by its path, else by its own name with or without ending.

    If the name itself is unambiguous, folders before it may differ between table and files. The way Unicode composes
    letters may differ, too, and so may case if no two files differ only in case, as on Windows and macOS. BadInput
    where a cell may mean several files.

    >>> match_files(["/data/cat/1.png", "2"], ["pictures/1.png", "pictures/2.png", "pictures/3.png"])
    MatchedFiles(files=('pictures/1.png', 'pictures/2.png'), missing=(), superfluous=('pictures/3.png',))
    """
    paths = {_plain(file): file for file in files}
    if len(paths) < len(files):
        twice = next(file for file in files if paths[_plain(file)] != file)
        raise BadInput(
            f"Two files are called {twice!r:.100}, in different Unicode forms; expected each name once. Rename one."
        )
    names = _by_name(paths)
    meant: dict[str, str | None] = {}  # of each cell
    asked = _counted({_plain(cell) for cell in cells})
    for row, cell in enumerate(cells):
        if cell not in meant:
            meant[cell] = _file_of(_plain(cell), row, cell, paths, names, asked)
    if None in meant.values():
        _match_without_case(cells, paths, meant)
    found = tuple(meant[cell] for cell in cells)
    used = set(found)
    return MatchedFiles(
        files=found,
        missing=tuple((row, cell) for row, cell in enumerate(cells) if meant[cell] is None),
        superfluous=tuple(file for file in files if file not in used),
    )


def _match_without_case(cells: Sequence[str], paths: Mapping[str, str], meant: dict[str, str | None]) -> None:
    """Fills in the files of cells that differ in case; does nothing if two files differ only in case."""
    folded = {path.casefold(): file for path, file in paths.items()}
    if len(folded) < len(paths):
        return
    names, asked = _by_name(folded), _counted({_plain(cell).casefold() for cell in meant})
    for row, cell in enumerate(cells):
        if meant[cell] is None:
            meant[cell] = _file_of(_plain(cell).casefold(), row, cell, folded, names, asked)


def _file_of(
    path: str,
    row: int,
    cell: str,
    paths: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    asked: Mapping[str, int],
) -> str | None:
    if not path:
        return None
    if path in paths:
        return paths[path]
    own = path.rsplit("/", 1)[-1]
    candidates = names.get(own, ())
    ends = [one for one in candidates if one.endswith(f"/{path}") or path.endswith(f"/{one}")]
    if len(ends) == 1:
        return paths[ends[0]]
    if len(candidates) > 1 and ("/" not in path or len(ends) > 1):
        two = " and ".join(repr(paths[one]) for one in (ends or candidates)[:2])
        raise BadInput(
            f"Row {row} (counted from 0) names the file {cell!r:.100}, and {len(ends or candidates)} are called so, {two}; "
            "expected one. Write the folder before the name in that column."
        )
    return paths[candidates[0]] if len(candidates) == 1 and asked[own] == 1 else None


def _by_name(paths: Mapping[str, str]) -> dict[str, list[str]]:
    """The paths by their own name, and by that without its ending where no file has just this name."""
    names: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        names[path.rsplit("/", 1)[-1]].append(path)
    stems: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stem, dot, _ = path.rsplit("/", 1)[-1].rpartition(".")
        if dot and stem and stem not in names:
            stems[stem].append(path)
    return {**names, **stems}


def _counted(paths: set[str]) -> Mapping[str, int]:
    """How many distinct paths end in each name."""
    counts: dict[str, int] = defaultdict(int)
    for path in paths:
        counts[path.rsplit("/", 1)[-1]] += 1
    return counts


def _plain(name: str) -> str:
    """The name with "/" between folders, without "." parts, in composed Unicode form."""
    return unicodedata.normalize("NFC", name.strip().replace("\\", "/")).removeprefix("./").lstrip("/")
