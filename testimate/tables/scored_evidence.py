"""What programs that score a table write beside its columns: predictions and chances named after the column that they predict,
the chance of each class, and numbers made of these and of the truth.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import folded
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import PREDICTING
from testimate.tables.lone_evidence import LoneColumnsEvidence
from testimate.tables.telling import is_made_of_chance

CHANCES_ROWS, LEAST_SUM = 1000, 0.02
"""First rows whose chances are added up, and how far from 1 they may be."""

MOSTLY = 0.9
"""Share of rows in which the likeliest class is the predicted one, if its chances are those of the prediction."""

INTO, FROM = "i_", "f_"
"""What SAS sets before the name of a column for the class it predicts, and for the true one."""


class ScoredColumnsEvidence(LoneColumnsEvidence):
    """What is known of each column, and the roles that its name shares with the column that was predicted."""

    def _is_predicted_column(self, name: str) -> bool:
        """Whether the prediction is called as this column is, but for a word that says that it is predicted."""
        said = self._roles.get("prediction")
        if not self._strict or said is None or said == name:
            return False
        words = _in_order(self._called(said))
        rest = [word for word in words if word not in PREDICTING]
        return len(rest) < len(words) and bool(rest) and rest == _in_order(self._called(name))

    def _find_chances_of_column(self) -> None:
        """The chances P_<column><class> of a column of the table, as SAS writes them, its prediction I_<column>, and the truth.

        The classes are those that stand in the column, or in its prediction.
        """
        shares = {
            name[2:]: name
            for name in self._free()
            if name.casefold().startswith("p_") and len(name) > 2 and self._of(name).are_shares
        }
        if not self._strict or len(shares) < 2 or any(role.startswith("p_") for role in self._roles):
            return
        for stem, holder in self._stems():
            classes = self._classes_behind(stem, [*shares], holder)
            if not classes:
                continue
            for rest, word in classes.items():
                self._take(
                    f"p_{word}", shares[rest], f"its name, after {stem!r:.60}, and the chances of a row sum to 1"
                )
            known = {name.casefold(): name for name in self._free()}
            words = {*map(folded, classes.values())}
            for role, names in (("prediction", (INTO + stem,)), ("label", (stem, FROM + stem))):
                found = [known[name.casefold()] for name in names if name.casefold() in known]
                found = [name for name in found if words >= {*map(folded, self._of(name).filled)}]
                if found and role not in self._roles and not ({"outcome"} & {*self._roles}):
                    self._take(role, found[0], f"the chances are named after {stem!r:.60}")
            return

    def _stems(self) -> Iterator[tuple[str, str]]:
        """What chances may be named after, and the column in which its classes stand."""
        for name in [*self._cells.columns][:MOST_COLUMNS]:
            if not name.casefold().startswith("p_"):
                yield name, name
        for name in [*self._cells.columns][:MOST_COLUMNS]:
            if name.casefold().startswith((INTO, FROM)) and len(name) > 2:
                yield name[2:], name

    def _classes_behind(self, stem: str, rests: Sequence[str], holder: str) -> dict[str, str]:
        """The class behind a stem at the end of each name; none where a name has another beginning, or a class has no name."""
        if not all(rest.casefold().startswith(stem.casefold()) and len(rest) > len(stem) for rest in rests):
            return {}
        one = self._of(holder)
        spelled = {folded(word): word for word in one.filled}
        ends = {rest: folded(rest[len(stem) :].lstrip("_ ")) for rest in rests}
        if not spelled or 2 * len(spelled) > one.size or not {*spelled} <= {*ends.values()}:
            return {}
        found = {rest: spelled.get(word, rest[len(stem) :].lstrip("_ ")) for rest, word in ends.items()}
        names = [next(name for name in self._free() if name[2:] == rest) for rest in rests]
        return found if len({*found.values()}) == len(found) and self._sum_to_1(names) else {}

    def _sum_to_1(self, names: Sequence[str]) -> bool:
        """Whether the first rows of these columns are chances that sum to 1."""
        values = np.array([self._of(name).column.values[:CHANCES_ROWS] for name in names])
        return bool((values >= 0).all() and np.abs(values.sum(axis=0) - 1).max() <= LEAST_SUM)

    def _summing_to_1(self, named: Mapping[str, str], predicted: Sequence[str]) -> dict[str, str]:
        """The columns by class whose rows sum to 1: all of them, or all but one that is no predicted class."""
        further = [word for word in named if word not in predicted] if self._strict else []
        for left_out in ("", *further):
            some = {word: name for word, name in named.items() if word != left_out}
            if len(some) > 1 and self._sum_to_1([*some.values()]):
                return some
        return {}

    def _are_likeliest(self, named: Mapping[str, str]) -> bool:
        """Whether the largest of these chances is mostly that of the predicted class."""
        predicted = self._predicted()
        if predicted is None or not named:
            return False
        values, words = np.array([self._of(name).column.values for name in named.values()]), np.array([*named])
        if values.shape[1] != predicted.size:
            return False
        said = np.array(predicted.words)[predicted.column.places]
        return bool((words[values.argmax(axis=0)] == said).mean() >= MOSTLY)

    def _hide_what_is_made_of_chances(self, label: str | None) -> None:
        """Hides numbers made of the chance of the true class, which none but the truth tells; a confidence is none."""
        chances = self._largest_chances()
        if chances is None:
            return
        for true in [name for name in (label, *self._true) if name is not None]:
            right = self._right(true)
            if right is None or len(right) != len(chances):
                continue
            for name in [*self._free()]:
                if is_made_of_chance(self._of(name), right, chances):
                    self._hide(name, f"it is made from the chances and the truth in {true!r:.60}")

    def _largest_chances(self) -> NDArray[np.float64] | None:
        """The chance of the likeliest class in the first rows; None where nothing says it."""
        names = [name for role, name in self._roles.items() if role.startswith("p_") and name in self._cells.columns]
        names = names or [one for one in self._cells.columns if one.casefold().startswith("p_")]
        sure = self._roles.get("confidence", "")
        if len(names) > 1:
            values: NDArray[Any] = np.array([self._of(name).column.values for name in names])
            return np.asarray(values.max(axis=0), np.float64)
        if sure not in self._cells.columns or not self._of(sure).are_shares:
            return None
        found, predicted = self._of(sure).column.values, self._predicted()
        return np.maximum(found, 1 - found) if predicted is not None and len(predicted.filled) == 2 else found


def _in_order(name: str) -> list[str]:
    """The words and numbers of a name, in lower case."""
    plain = re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    return [word for word in re.split(r"[^\w]+|_+", plain) if word]
