"""The one map from the name of a class to its index, and what each caller makes of a name that is no class."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1
"""The index of a class that the task does not have: it equals none of them."""


class ClassIndex:
    """The index of each class by its name.

    Who looks up says what an unknown name means: ``[]`` raises KeyError, ``get`` gives a default, ``indices`` a number in
    its place, ``first_unknown`` names it for a sentence. ``key`` folds names that count as the same.

    >>> index = ClassIndex(("cat", "3"))
    >>> index["cat"], index.get("owl"), index.as_typed("3.0"), index.indices(["3", "owl"], UNKNOWN)
    (0, None, 1, array([ 1, -1]))
    """

    def __init__(self, classes: Iterable[str], key: Callable[[str], str] = str) -> None:
        self._key = key
        self._index = {key(name): index for index, name in enumerate(classes)}

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __contains__(self, name: str) -> bool:
        return self._key(name) in self._index

    def __getitem__(self, name: str) -> int:
        return self._index[self._key(name)]

    def get(self, name: str, default: int | None = None) -> int | None:
        """Return the index of the class, or the default where there is none of this name."""
        return self._index.get(self._key(name), default)

    def as_typed(self, cell: str) -> int | None:
        """Return the index of the class that a cell names, "3.0" being class "3"; None where there is none."""
        if cell in self:
            return self[cell]
        try:
            return self.get(f"{float(cell):g}")
        except ValueError:
            return None

    def indices(self, names: Sequence[str], unknown: int | None = None) -> NDArray[np.intp]:
        """Return the index of each name, (n,): ``unknown`` in place of those that are no class, KeyError if it is None."""
        found = [self[name] if unknown is None else self._index.get(self._key(name), unknown) for name in names]
        return np.array(found, dtype=np.intp)

    def first_unknown(self, names: Iterable[str]) -> str | None:
        """Return the first name that is no class, None where all are."""
        return next((name for name in names if name not in self), None)
