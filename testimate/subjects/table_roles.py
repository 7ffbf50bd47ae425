"""Which column of a prediction table means what, by its name alone."""

import re
from dataclasses import dataclass

from testimate.core.errors import BadInput
from testimate.subjects.cells import Cells, Column

INDEX_NAMES = frozenset({"", "id", "row", "rowid", "rowindex", "rownumber", "index", "idx", "unnamed0"})
"""Names of columns that only number the rows, written in small letters and digits alone."""


@dataclass(frozen=True, eq=False)
class Roles:
    """The columns of a table by what they mean; names as they stand in the file.

    ``probabilities`` : C names, p_0 to p_{C-1} in order. ``others`` : every column that tells a tester nothing about
    right or wrong and may be shown. ``candidates`` : those of the others that may be an auxiliary variable.
    """

    label: Column | None
    prediction: Column | None
    outcome: Column | None
    confidence: Column | None
    probabilities: tuple[str, ...]
    others: tuple[str, ...]
    candidates: tuple[str, ...]


def roles_of(cells: Cells) -> Roles:
    """Sorts the columns by their names, upper or lower case alike; BadInput where two play one part."""
    named = {name.casefold(): name for name in cells.columns}

    def column(name: str) -> Column | None:
        return Column(named[name], cells.columns[named[name]]) if name in named else None

    if "prediction" in named and "sut" in named:
        raise BadInput(
            f"The columns {named['prediction']!r} and {named['sut']!r} both hold predictions; expected one of them. "
            "Remove or rename the other."
        )
    probabilities = _probabilities(list(cells.columns))
    taken = {"label", "prediction", "sut", "outcome", "confidence"} | {name.casefold() for name in probabilities}
    others = tuple(name for name in cells.columns if name.casefold() not in taken)
    return Roles(
        label=column("label"),
        prediction=column("prediction") or column("sut"),
        outcome=column("outcome"),
        confidence=column("confidence"),
        probabilities=probabilities,
        others=others,
        candidates=tuple(name for name in others if re.sub("[^a-z0-9]", "", name.casefold()) not in INDEX_NAMES),
    )


def _probabilities(names: list[str]) -> tuple[str, ...]:
    """The names of p_0 to p_{C-1}, in that order; BadInput where one is missing or doubled."""
    found: dict[int, str] = {}
    for name in names:
        match = re.fullmatch(r"p_([0-9]{1,6})", name.casefold())
        if match is None:
            continue
        place = int(match.group(1))
        if place in found:
            raise BadInput(
                f"The columns {found[place]!r} and {name!r} hold the probability of the same class; expected one. "
                "Remove or rename the other."
            )
        found[place] = name
    missing = next(place for place in range(len(found) + 1) if place not in found)
    if missing < len(found):
        raise BadInput(
            f"There are {len(found)} columns of probabilities and 'p_{missing}' is missing; expected one per class, "
            f"from 'p_0' on. Add it or rename them."
        )
    return tuple(found[place] for place in range(len(found)))
