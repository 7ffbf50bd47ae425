"""Which inputs belong together, as the owner of the set says: of one patient, one conversation, one video."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput


@dataclass(frozen=True, eq=False)
class InputGroups:
    """The group of each input.

    Attributes
    ----------
    codes : (N,) places in ``names``, each of which occurs.
    names : what the owner calls each group, untrusted text; "" for an input that is in no group.
    column : the column that says so.
    """

    codes: NDArray[np.intp]
    names: tuple[str, ...]
    column: str = "group"

    def __post_init__(self) -> None:
        met = np.unique(self.codes)
        if not np.array_equal(met, np.arange(len(self.names))):
            raise BadInput(
                f"{len(self.names)} groups are named and the inputs are of {len(met)}; expected a name "
                "for each group and an input in each. Correct the groups."
            )

    @property
    def sizes(self) -> NDArray[np.intp]:
        """(G,) inputs of each group."""
        return np.bincount(self.codes, minlength=len(self.names))

    def part(self, rows: NDArray[np.intp]) -> "InputGroups":
        """The groups of these rows alone, (k,)."""
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        return InputGroups(codes.astype(np.intp), tuple(self.names[one] for one in kept.tolist()), self.column)


def groups_of(values: Sequence[str], column: str = "group") -> InputGroups:
    """The groups that these words name, (N,), in the order in which they first occur; an empty one stands alone.

    >>> found = groups_of(["anna", "ben", "", "anna", ""])
    >>> found.codes.tolist(), found.names
    ([0, 1, 2, 0, 3], ('anna', 'ben', '', ''))
    """
    places: dict[str, int] = {}
    names: list[str] = []
    codes = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values):
        if value and value in places:
            codes[row] = places[value]
            continue
        codes[row] = len(names)
        if value:
            places[value] = len(names)
        names.append(value)
    return InputGroups(codes, tuple(names), column)
