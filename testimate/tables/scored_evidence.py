"""What programs that score a table write beside its columns: predictions and chances named after the column that they predict,
the chance of each class, and numbers made of these and of the truth.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import bare, folded
from testimate.tables.cells import pa
from testimate.tables.classes_of_names import NO, YES
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import CHANCES, LIKELY, PREDICTING, SPREAD, TRUE
from testimate.tables.confidence import ROUNDING
from testimate.tables.first_cells import (
    BESIDE_CHANCE,
    FEW_ROWS,
    FEWEST_ROWS,
    FirstCells,
    agrees_rather,
    coded,
    say_the_same,
    where_known,
)
from testimate.tables.lone_evidence import LoneColumnsEvidence
from testimate.tables.pairs import CAME_OUT, EXPECTED
from testimate.tables.role_questions import predicted_or_judged, which_column
from testimate.tables.roles import JUDGED
from testimate.tables.score_names import LARGER_IS_BETTER, MADE_OF_TRUTH, is_in_judgment, is_in_scores, words_in
from testimate.tables.telling import (
    MOST_BANDS,
    OF_BOUNDS,
    bounds_around,
    cut_between,
    is_made_of_chance,
    tells_apart,
    words_meant,
)

CHANCES_ROWS, LEAST_SUM = 1000, 0.02
"""First rows whose chances are added up, and how far from 1 they may be."""

MOSTLY = 0.9
"""Share of rows in which the likeliest class is the predicted one, if its chances are those of the prediction."""

MOST_SHARES = 100
"""Columns of shares up to which one is looked for that they predict."""

SPREAD_APART = 2
"""How many times as large the standard deviation of true numbers may be as that of predicted ones, or these as those."""

OF_RESULTS = frozenset({"result", "results", "outcome", "diagnosis", "diagnosed"})
"""Words in the name of what came out in truth, if the predicted classes stand there."""

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
        by_program = [word for word in rest if word not in CAME_OUT]  # llm_predicted_stance beside stance
        return len(rest) < len(words) and bool(rest) and _in_order(self._called(name)) in (rest, by_program)

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
            known = {name.casefold(): name for name in self._free()}
            into = known.get((INTO + stem).casefold(), holder)
            classes = self._classes_behind(stem, [*shares], into) or self._classes_behind(stem, [*shares], holder)
            if not classes:
                continue
            for rest, word in classes.items():
                self._take(
                    f"p_{word}", shares[rest], f"its name, after {stem!r:.60}, and the chances of a row sum to 1"
                )
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

    def _chances_of(self, predicted: Sequence[str], among: Sequence[str] = ()) -> dict[str, str]:
        """The columns of chances of these classes by their names, none where there are none; ``among`` : those to look at."""
        usual = {name[2:].strip() for name in self._cells.names if name.casefold().startswith("p_")}
        if not 2 <= len(predicted) <= MOST_COLUMNS or (usual and ({*predicted} & usual or not self._seen)):
            return {}
        free, others = [*(among or self._free())], dict[str, str]()
        for first in [name for name in free if predicted[0] in name and (self._asked or name != predicted[0])]:
            before, _, after = first.rpartition(predicted[0])
            if after and not self._seen:
                continue
            named = {
                name[len(before) : len(name) - len(after)]: name
                for name in free
                if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)
            }
            if not {*predicted} <= {*named}:
                continue
            named = {word: name for word, name in named.items() if self._of(name).column.has_numbers_alone}
            if not before:  # names of classes alone, beside any other numbers
                named = {word: name for word, name in named.items() if word in predicted or self._of(name).are_shares}
            flags = self._strict and all(self._of(name).are_whole for name in named.values())
            found = self._summing_to_1(named, predicted) if {*predicted} <= {*named} and not flags else {}
            if found and (not self._strict or self._are_likeliest(found)):
                return found
            others = others or found
        return others

    def _sum_to_1(self, names: Sequence[str]) -> bool:
        """Whether the first rows of these columns are chances that sum to 1."""
        values = np.array([self._of(name).column.values[:CHANCES_ROWS] for name in names])
        return bool((values >= 0).all() and np.abs(values.sum(axis=0) - 1).max() <= LEAST_SUM)

    def _summing_to_1(self, named: Mapping[str, str], predicted: Sequence[str]) -> dict[str, str]:
        """The columns by class whose rows sum to 1: all of them, or all but one that is no predicted class."""
        if self._sum_to_1([*named.values()]):
            return {**named}
        further = [word for word in named if word not in predicted] if self._strict and len(named) > 2 else []
        chances = {word: self._of(name).column.values[:CHANCES_ROWS] for word, name in named.items()}
        in_all = sum(chances.values())
        for left_out in further:
            if np.abs(in_all - chances[left_out] - 1).max() <= LEAST_SUM:
                some = {word: name for word, name in named.items() if word != left_out}
                if self._sum_to_1([*some.values()]):
                    return some
        return {}

    def _are_likeliest(self, named: Mapping[str, str]) -> bool:
        """Whether the largest of these chances is mostly that of the predicted class."""
        predicted = self._predicted()
        return predicted is not None and bool(named) and self._share_likeliest(named, predicted) >= MOSTLY

    def _share_likeliest(self, named: Mapping[str, str], predicted: FirstCells) -> float:
        """The share of rows in which the largest of these chances is that of the predicted class."""
        values, words = np.array([self._of(name).column.values for name in named.values()]), np.array([*named])
        if values.shape[1] != predicted.size:
            return 0.0
        said = np.array(predicted.words)[predicted.column.places]
        return float((words[values.argmax(axis=0)] == said).mean())

    def _ask_which_chance(self) -> None:
        """ReadingUnclear where several columns are chances by their names, and one column of two words alone may be the truth.

        It is the only other one beside keys, or the only one that all of them tell apart, or few rows leave that open. Beside
        a text that is called an output they are its grades.
        """
        if self._has_replies():
            return
        called = LIKELY | {"score"}
        shares = [name for name in self._free() if self._of(name).are_shares and called & self._words(name)]
        shares = [name for name in shares if not (SPREAD & self._words(name) or is_in_judgment(name))]
        label = self._roles.get("label")
        others = [name for name in self._free_or_said() if name not in shares and not self._tells_rows_apart(name)]
        others = others if label is None else [label]
        two = [name for name in others if name in self._cells.columns and len(self._of(name).filled) == 2]
        told = two if others == two[:1] else [name for name in two if self._is_told_by_all(shares, name)]
        open_ = bool(two) and self._cells.size < FEW_ROWS and all(CHANCES & self._words(name) for name in shares)
        if (len(told) == 1 or open_) and 1 < len(shares) <= self._most_asked and not self._sum_to_1(shares):
            raise which_column("prediction", shares)

    def _find_between_bounds(self) -> None:
        """The only numbers beside which the ends of their intervals are called after them; ReadingUnclear where several are."""
        if {"prediction", *JUDGED} & {*self._roles}:
            return
        numbers = [name for name in self._free() if self._of(name).are_numbers]
        ends = [name for name in numbers if OF_BOUNDS.search(name.casefold())]
        found = [
            name
            for name in numbers
            if name not in ends
            and (own := [self._of(end) for end in ends if end.startswith(name)])
            and bounds_around(own, self._of(name))
        ]
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)
        if len(found) == 1:
            self._take("prediction", found[0], "the ends of its interval are beside it")

    def _is_told_by_all(self, shares: Sequence[str], name: str) -> bool:
        """Whether each of several chances tells the two words of a column apart."""
        return all(tells_apart(self._of(one), self._of(name)) for one in shares)

    def _find_split(self) -> bool:
        """Classes that a chance splits at one cut: where a program predicts the one from it on, and the other below.

        A cut that is not a half says so only where another column has the same two classes, which may be true ones.
        """
        named = any(PREDICTING & self._words(name) and self._are_answers(name) for name in self._free())
        if not self._strict or named or self._cells.size < FEWEST_ROWS:
            return False
        shares = [name for name in self._free() if self._of(name).are_shares]
        flags = [name for name in self._free() if self._of(name).are_classes or self._of(name).number_classes]
        flags = [name for name in flags if len(self._of(name).filled) == 2 and not self._is_called_truth(name)]
        flags = [
            name for name in flags if not (is_in_scores(name) or words_in(name) & (MADE_OF_TRUTH | LARGER_IS_BETTER))
        ]
        found: dict[str, list[str]] = {}
        kinds = Counter(frozenset(self._of(name).filled) for name in [*self._cells.columns][:MOST_COLUMNS] if flags)
        for name in flags:
            cuts = {one: cut for one in shares if (cut := cut_between(self._of(one), self._of(name))) is not None}
            at_a_half = [one for one, (low, high) in cuts.items() if low <= 0.5 + ROUNDING and high >= 0.5 - ROUNDING]
            if any(LIKELY & self._words(one) and one not in at_a_half for one in shares) and len(shares) > 1:
                continue  # a chance of another model, so that these may be true classes
            if at_a_half or (cuts and kinds[frozenset(self._of(name).filled)] > 1):
                found[name] = at_a_half
        if len(found) != 1:
            return False
        [(name, at_a_half)] = found.items()
        texts = [one for one in self._free() if self._of(one).hold_long_texts]
        if 1 < len(texts) <= self._most_asked:
            raise predicted_or_judged(name, texts)
        self._take("prediction", name, "a chance splits its classes at one number")
        second = self._of(name).column.places == self._of(name).words.index(max(self._of(name).filled))
        of_second = [one for one in at_a_half if self._of(one).column.values[second].min() >= 0.5 - ROUNDING]
        if of_second:
            self._take("confidence", of_second[0], f"it splits the classes in {name!r:.60} at a half")
        return True

    def _parting_at_a_half(self) -> list[str]:
        """The only shares but errors, whatever they are called, that are a half and more where one of two classes is predicted.

        Of two that add up to 1 the first.
        """
        predicted = self._predicted()
        if not self._strict or predicted is None:
            return []
        shares = [name for name in self._free() if self._of(name).are_shares and not name.casefold().startswith("p_")]
        shares = [name for name in shares if not ((MADE_OF_TRUTH | SPREAD) & words_in(name) or is_in_judgment(name))]
        cuts = {one: cut_between(self._of(one), predicted) for one in shares}
        found = [one for one, cut in cuts.items() if cut and cut[0] <= 0.5 + ROUNDING and cut[1] >= 0.5 - ROUNDING]
        return found[:1] if len(found) == 1 or (len(found) == 2 and self._sum_to_1(found)) else []

    @cached_property
    def _in_its_range(self) -> Sequence[str]:
        """The free columns that rise with predicted numbers and have their range, which a year beside prices has not."""
        predicted = self._predicted()
        if not self._strict or predicted is None or not predicted.column.has_numbers_alone:
            return []
        said, found = predicted.column.values, list[str]()
        numbers = [name for name in self._free() if self._of(name).column.has_numbers_alone]
        for name in [name for name in numbers if self._tells(name) and not PREDICTING & self._words(name)]:
            found += [name] if _are_of_one_range(self._of(name).column.values, said) else []
        return found

    def _named_by_confidence(self) -> str:
        """The only free column of the predicted classes after which the chance of these is named; else ""."""
        sure = self._roles.get("confidence", "")
        if not self._strict or not CHANCES & self._words(sure):
            return ""
        rest = bare(
            " ".join(word for word in re.split(r"[\W_]+", self._called(sure).casefold()) if word not in CHANCES)
        )
        named = [name for name in self._free() if bare(self._called(name)) == rest]
        found = [
            name for name in named if (both := self._beside_predicted(name)) and {*both[0].filled} <= {*both[1].filled}
        ]
        return found[0] if len(found) == 1 else ""

    def _rather_true_number(self) -> str:
        """The only free column of numbers in the range of the predicted ones that rises with them, if weakly; else "".

        Or that has a word for the truth in its name.
        """
        predicted = self._predicted()
        if not self._strict or predicted is None or not predicted.column.has_numbers_alone:
            return ""
        if not predicted.are_measured and len(predicted.filled) <= MOST_BANDS:
            return ""  # numbered classes
        said, found = predicted.column.values, list[str]()
        for name in self._free():
            one = self._of(name)
            known = one.column.is_number
            if not one.are_measured or one.number_rows or PREDICTING & self._words(name) or 2 * known.sum() < len(said):
                continue
            values, beside = one.column.values[known], said[known]
            near = len(values) >= FEWEST_ROWS and beside.std() > 0 and _are_of_one_range(values, beside)
            if near and np.corrcoef(values, beside)[0, 1] * np.sqrt(len(values)) > BESIDE_CHANCE:
                found.append(name)
        true = [name for name in self._free() if (TRUE | EXPECTED) & self._words(name) and self._of(name).are_measured]
        found = true if len(true) == 1 and true[0] not in found else found
        return found[0] if len(found) == 1 else ""

    def _find_said_by_named_chances(self) -> bool:
        """The only column of classes that is the likeliest one in every row, by chances called as these are, or numbered."""
        if not self._strict or self._cells.size < FEWEST_ROWS or "label" in self._found:
            return False
        among = [name for name in self._free() if self._of(name).are_shares]
        if not 1 < len(among) <= MOST_SHARES:
            return False
        columns = [name for name in self._free() if self._of(name).are_classes or self._of(name).number_classes]
        found: dict[str, dict[str, str]] = {}
        of_classes: dict[tuple[str, ...], dict[str, str]] = {}
        for name in [name for name in columns if not self._is_called_truth(name)]:
            classes = tuple(sorted(self._of(name).filled))
            if classes not in of_classes:
                of_classes[classes] = self._chances_of(classes, among)
            chances = of_classes[classes]
            if chances and self._share_likeliest(chances, self._of(name)) == 1:
                found[name] = chances
        for name in columns if not found else ():
            if numbered := self._numbered_chances_of(self._of(name)):
                found[name] = numbered
        if len(found) != 1:
            return False
        [(name, chances)] = found.items()
        self._take("prediction", name, "it is the likeliest class in every row")
        for word, share in chances.items():
            self._take(f"p_{word}", share, "its name, and the chances of a row sum to 1")
        return True

    def _numbered_chances_of(self, one: FirstCells) -> dict[str, str]:
        """The columns of shares, by class, of which in every row the same one is the largest for each class; else none."""
        found: dict[str, str] = {}
        for shares in self._numbered_shares() if self._strict else ():
            places = np.array([self._of(share).column.values for share in shares]).argmax(axis=0)
            likeliest = FirstCells("", pa.chunked_array([pa.array(places)]))
            if len(one.words) == len(shares) == len(likeliest.words) and say_the_same(one, likeliest):
                rows = [int(np.flatnonzero(places == place)[0]) for place in range(len(shares))]
                found = {one.words[one.column.places[row]]: share for row, share in zip(rows, shares, strict=True)}
        return found

    def _numbered_shares(self) -> Iterator[list[str]]:
        """Columns of shares whose names differ in one number, and whose rows sum to 1."""
        groups: dict[str, list[str]] = {}
        for name in [name for name in self._free() if self._of(name).are_shares]:
            for number in re.finditer("[0-9]+", name):
                groups.setdefault(f"{name[: number.start()]}\0{name[number.end() :]}", []).append(name)
        yield from (names for names in groups.values() if len(names) > 1 and self._sum_to_1(names))

    def _is_only_of_the_classes(self, name: str) -> bool:
        """Whether a column may be the truth: it has the predicted classes and is called a result, or alone has them and agrees
        somewhat, or has gaps.
        """
        if self._cells.size < FEWEST_ROWS:
            return False
        if self._strict and OF_RESULTS & self._words(name) and self._has_the_classes(name):
            return True
        alone = name in self._of_the_classes
        return alone and (bool(self._of(name).column.is_empty.any()) or self._agrees_somewhat(name))

    def _has_the_classes(self, name: str) -> bool:
        """Whether a column has the predicted classes and no others."""
        predicted = self._predicted()
        if not self._strict or predicted is None or len(predicted.filled) < 2 or predicted.are_measured:
            return False
        return {*map(folded, self._of(name).filled)} == {*map(folded, predicted.filled)}

    def _may_be_group_of_truth(self, name: str) -> bool:
        """Whether a column has the predicted classes and no others, and agrees somewhat, though its name is that of a group."""
        return self._has_the_classes(name) and self._agrees_somewhat(name)

    def _agrees_somewhat(self, name: str) -> bool:
        """Whether a column agrees with the predictions in more rows than chance would mostly give."""
        both = self._beside_predicted(name)
        return both is not None and agrees_rather(*both)

    @cached_property
    def _of_the_classes(self) -> Sequence[str]:
        """The only free column with the predicted classes, or the only one that has them in some rows and nothing in others."""
        found = [name for name in self._free() if self._has_the_classes(name)]
        gaps = [name for name in found if self._of(name).column.is_empty.any()]
        return found if len(found) == 1 else gaps if len(gaps) == 1 else []

    def _flags_class(self, name: str) -> bool:
        """Whether a column is called as one of two predicted classes, and says yes or no."""
        predicted, one = self._predicted(), self._of(name)
        if not self._strict or predicted is None or predicted.are_numbers or len(predicted.filled) != 2:
            return False
        return folded(name) in {*map(folded, predicted.filled)} and {*map(folded, one.filled)} <= YES | NO

    def _known_right(self, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Which rows are right if a column holds the truth, or says so, and in which rows it says anything; None elsewhere."""
        predicted = self._predicted()
        if predicted is None or predicted.are_measured or not {name} & {*self._first, *self._cells.columns}:
            return None
        one = self._of(name)
        if one.size != predicted.size:
            return None
        known, said = where_known(one, predicted), {*map(folded, predicted.filled)}
        first, second = coded(one, predicted, sets=True)
        if {*map(folded, one.filled)}.isdisjoint(said):
            meant = words_meant(one.of(known), predicted.of(known)) if known.sum() > 1 else None
            if meant is None:
                return None
            right = np.zeros(one.size, np.bool_)
            right[known] = meant[one.of(known).column.places] == predicted.of(known).column.places
        else:
            right = first == second
        return (right, known) if 0 < right[known].sum() < known.sum() else None

    def _hide_what_is_made_of_chances(self, label: str | None) -> None:
        """Hides numbers made of the chance of the true class, which none but the truth tells; a confidence is none."""
        largest, predicted = self._largest_chances(), self._predicted()
        if largest is None or predicted is None or len(largest) != predicted.size:
            return
        for true in [name for name in (label, *self._true) if name is not None and name in self._cells.columns]:
            found = self._known_right(true)
            if found is None:
                continue
            right, known = found
            of_true = np.where(right, largest, 1 - largest)
            told = self._chances_of_words(true)
            if len(predicted.filled) > 2:
                of_true = np.where(np.isnan(told), of_true, told)
                known = known & (right | ~np.isnan(told))
            for name in [*self._free()]:
                if is_made_of_chance(self._of(name), of_true, largest, known):
                    self._hide(name, f"it is made from the chances and the truth in {true!r:.60}")

    def _chances_of_words(self, name: str) -> NDArray[np.float64]:
        """The chance of the class that a column names in each row; not a number where it has none."""
        one, found = self._of(name), np.full(self._of(name).size, np.nan)
        chances = {folded(role[2:]): column for role, column in self._roles.items() if role.startswith("p_")}
        chances = chances or {
            folded(column[2:]): column for column in self._cells.columns if column.casefold()[:2] == "p_"
        }
        for place, word in enumerate(one.words):
            column = chances.get(folded(word))
            if column is not None and column in self._cells.columns:
                rows = one.column.places == place
                found[rows] = self._of(column).column.values[rows]
        return found

    def _largest_chances(self) -> NDArray[np.float64] | None:
        """The chance of the likeliest class in the first rows; None where nothing says it."""
        names = [name for role, name in self._roles.items() if role.startswith("p_") and name in self._cells.columns]
        names = names or [one for one in self._cells.columns if one.casefold().startswith("p_")]
        sure = self._roles.get("confidence", "")
        if len(names) > 1 and all(self._of(name).column.has_numbers_alone for name in names):
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


def _are_of_one_range(values: NDArray[np.float64], said: NDArray[np.float64]) -> bool:
    """Whether numbers spread about as predicted ones do, with their mean among these."""
    near = said.std() / SPREAD_APART <= values.std() <= SPREAD_APART * said.std()
    return bool(near and said.min() <= values.mean() <= said.max())
