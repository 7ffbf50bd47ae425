"""Which rows of a table belong together: named by a column, or suggested by the names of columns and files."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from testimate.core.inputs import InputGroups, groups_of
from testimate.core.words import spaced
from testimate.subjects.cells import Cells, Column

TELLING = (
    *(
        "patient",
        "subject",
        "user",
        "customer",
        "author",
        "speaker",
        "session",
        "conversation",
        "dialog",
        "dialogue",
        "thread",
    ),
    *("document", "video", "clip", "sequence", "scene", "site", "hospital", "camera", "recording"),
)
"""Words in the name of a column whose equal cells belong together."""

FEWEST_GROUPS = 10
"""File names with fewer distinct beginnings name classes or splits, not groups."""


LOOKED_AT = 100_000
"""First rows that are searched for groups; inputs of one group are mostly near each other."""


def groups_of_table(cells: Cells, column: str | None) -> InputGroups | None:
    """The groups named by this column; None without one. An empty cell is a group of its own."""
    if column is None or column not in cells.columns:
        return None
    return groups_of([text or "" for text in Column(column, cells.columns[column]).texts.to_pylist()], column)


def looks_grouped(cells: Cells, names: Sequence[str] | None) -> str:
    """A sentence if rows seem to belong together but no column of groups is named; else "".

    Judged by a column with a telling name and repeated cells, or by file names: the part before the last "_" or "-" has
    a digit, as in patient12_003.png, and is repeated.
    """
    for name in cells.columns:
        words = "".join(letter if letter.isalpha() else " " for letter in name.casefold()).split()
        if {word.removesuffix("s") for word in words} & {*TELLING} and _repeats(
            Column(name, cells.columns[name].slice(0, LOOKED_AT)).texts.to_pylist(), 2
        ):
            return _words(f"the cells of the column {name!r:.60} repeat", f"--column group={name:.60}")
    if names is None:
        return ""
    stems = [_stem(names[row]) for row in range(min(len(names), LOOKED_AT))]
    if all(stems) and _repeats(stems, FEWEST_GROUPS):
        return _words(f"file names begin alike, such as {stems[0]!r:.60}", "a column group")
    return ""


def _words(seen: str, how: str) -> str:
    return (
        f"Some inputs seem to belong together: {seen}. Drawn one by one, their estimate holds for this set and says "
        f"less about new groups than its interval suggests. To draw them as wholes, name their column ({how}) and "
        "choose "
        "srs-groups or rrs-groups."
    )


def _stem(name: str) -> str:
    """The part of a file's name before the last "_" or "-", if it has a digit; else "".

    >>> _stem("ward/patient12_003.png"), _stem("train_0001.png")
    ('patient12', '')
    """
    own = name.replace("\\", "/").rpartition("/")[2]
    before = own[: max(own.rfind("_"), own.rfind("-"), 0)]
    return before if any(letter.isdigit() for letter in before) else ""


def _repeats(values: Sequence[str | None], fewest: int) -> bool:
    """Whether there are at least ``fewest`` distinct values and on average two inputs of each."""
    counts = Counter(value or "" for value in values)
    return fewest <= len(counts) <= len(values) / 2


def group_facts(groups: InputGroups | None, looks: str) -> tuple[tuple[str, str], ...]:
    """What a tester may want to know about the groups."""
    if groups is None:
        return (("may belong together", looks),) if looks else ()
    sizes = groups.sizes
    reach = f"{spaced(int(sizes.min()))} to {spaced(int(sizes.max()))}"
    alone = int(np.sum([not name for name in groups.names]))
    more = f", {spaced(alone)} of them inputs without one" if alone else ""
    return (("groups", f"{spaced(len(groups.names))} by {groups.column:.60}, of {reach} inputs{more}"),)
