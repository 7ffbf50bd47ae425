"""Which inputs of a folder belong to which split, as tables or lists that are called after splits say."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from testimate.core.errors import BadInput
from testimate.datasets.array_files import words_of
from testimate.datasets.label_columns import MOST_COLUMNS
from testimate.datasets.labels_beside import MOST_TABLES, SUBMISSION, keys_of
from testimate.datasets.rows import Files
from testimate.tables.cells import Column
from testimate.tables.column_names import SPLITS
from testimate.tables.files import read_cells

TABLES, LISTS = (".csv", ".tsv"), (".txt", ".lst")


@dataclass
class _Without:
    """Files without those of some names."""

    names: tuple[str, ...]
    sizes: dict[str, int]
    read: Callable[[str], bytes]


@dataclass(frozen=True)
class NamedSplit:
    """The inputs of a split, and the table or list that names them."""

    names: tuple[str, ...]
    file: str

    @property
    def is_table(self) -> bool:
        """Whether it may have labels, too."""
        return self.file.lower().endswith(TABLES)


def named_splits(files: Files, place: str, names: Sequence[str], *, lists: bool) -> dict[str, NamedSplit]:
    """The inputs of each split by the table or list of them, such as test.tsv; empty unless two are named, and none in both.

    ``names`` : of the inputs, below ``place``. A table or a list counts that is called after one split and most of whose rows
    name inputs. ``lists`` : whether texts may be such lists.
    """
    found: dict[str, NamedSplit] = {}
    endings = (*TABLES, *LISTS) if lists else TABLES
    for file in [name for name in files.names if name.lower().endswith(endings)][:MOST_TABLES]:
        said = {SPLITS[word] for word in words_of(PurePosixPath(file).stem) if word in SPLITS}
        if len(said) != 1 or SUBMISSION in file.lower():
            continue
        [split] = said
        keys = keys_of(place.removeprefix(file[: file.rfind("/") + 1]), names)
        by_key = {key: name for name, one in zip(names, keys, strict=True) for key in one}
        by_key |= {str(PurePosixPath(name).with_suffix("")): name for name in names}
        for rows in _columns(files, file):
            named = {by_key[text] for text in rows if text in by_key}
            if 2 * len(named) > len(rows):
                inputs = tuple(name for name in names if name in named)
                if split in found and found[split].names != inputs:
                    return {}  # two lists of one split
                found.setdefault(split, NamedSplit(inputs, file))
                break
    all_named = [name for one in found.values() for name in one.names]
    return found if len(found) > 1 and len({*all_named}) == len(all_named) else {}


def _columns(files: Files, file: str) -> Iterator[list[str]]:
    """The cells of each column of a table; of a list its lines, and the first word of each."""
    with suppress(BadInput):  # it may be anything
        if file.lower().endswith(TABLES):
            cells = read_cells(files.read(file), file)
            for column in tuple(cells.columns)[:MOST_COLUMNS]:
                yield Column(column, cells.columns[column]).texts.to_pylist()
            return
        lines = [line for line in files.read(file).decode("utf-8-sig", "replace").splitlines() if line.strip()]
        yield [line.strip() for line in lines]
        yield [line.replace(",", " ").split(maxsplit=1)[0] for line in lines if line.strip(" ,")]


def without_tables(files: Files, *, but: str) -> Files:
    """The files without the tables among them, except for that of a split."""
    names = tuple(name for name in files.names if name == but or not name.lower().endswith(TABLES))
    return _Without(names, {name: files.sizes[name] for name in names}, files.read)
