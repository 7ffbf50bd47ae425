"""What is known of each column of a table before its role is found: its name in English, its first cells, and how they compare
with what is predicted.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import bare
from testimate.tables.cells import Cells, pa
from testimate.tables.column_names import (
    ANSWER_KEYS,
    CHANCES,
    CONFIDENCES,
    FURTHER_CONFIDENCES,
    FURTHER_TRUTHS,
    PREDICTING,
    PREDICTIONS,
    SCORED,
    SPREAD,
    SURE,
    TRUTHS,
    in_english,
    without_units,
    words_of,
)
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    FirstCells,
    agrees,
    agrees_in_order,
    are_often_equal,
    coded,
    may_agree,
    say_the_same,
    where_known,
)
from testimate.tables.pairs import says_who
from testimate.tables.parquet import first_column
from testimate.tables.role_questions import MOST_ASKED, MOST_OF_LONE
from testimate.tables.roles import (
    CODE,
    JUDGED,
    SEVERAL,
    Chosen,
    is_index_name,
    roles_by_name,
)
from testimate.tables.rules import ASKED, COUNTED, EVERYWHERE, FOUND, LONE, PAIRED, SEEN, TOLD, TRANSLATED
from testimate.tables.score_names import path_end
from testimate.tables.telling import exchanges, in_other_words
from testimate.tasks.verdict import RIGHT_OR_WRONG, folded_grade, grade_in_words

FIRST_ROWS = 20_000
"""First rows whose cells decide what a column is."""

MOST_COLUMNS = 1000
"""Columns that are looked at; in a wider table the others have the roles that their names give them."""


LEAST_OFF = 0.02
"""By how much shares that are no chances of all classes differ from 1 in most rows, when they are added up."""


class ColumnEvidence:
    """The columns of a table, of which each has at most one role; ``content`` finds the roles one after another."""

    def __init__(
        self,
        cells: Cells,
        chosen: Chosen,
        *,
        verdicts: bool | None,
        boxed: bool,
        codes: Collection[str],
        rules: int,
        chance: bool = False,
    ) -> None:
        self._rules, self._chance = rules, chance
        self._asked, self._seen, self._told, self._counted = (rules >= one for one in (ASKED, SEEN, TOLD, COUNTED))
        self._translated, self._everywhere, self._paired = (rules >= one for one in (TRANSLATED, EVERYWHERE, PAIRED))
        self._lone, self._strict = rules >= LONE, rules >= FOUND
        self._english: dict[str, str] = {}
        self._predictions = (*PREDICTIONS, *(SCORED if self._seen else ()))
        self._truths = (*TRUTHS, *(FURTHER_TRUTHS if self._seen else ()), *(ANSWER_KEYS if self._paired else ()))
        said = {column for role, column in chosen if role != CODE}
        if (
            self._strict and "" in cells.columns and "" not in said
        ):  # it numbers the rows, and "" stands for no column here
            cells = replace(cells, columns={name: column for name, column in cells.columns.items() if name})
        self._cells, self._chosen, self._verdicts, self._boxed, self._codes = cells, chosen, verdicts, boxed, codes
        named = {
            role: column
            for role, column in roles_by_name([name for name in cells.names if name not in said]).items()
            if role not in {one for one, _ in chosen} and not (verdicts is False and role in JUDGED)
        }
        self._roles = {**named, **{role: column for role, column in chosen if role not in (*SEVERAL, CODE)}}
        self._taken = {*said, *self._roles.values()}
        self._found: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._hidden: dict[str, str] = {}
        self._true: list[str] = []
        self._doubts: list[str] = []
        self._unseen: list[str] = []
        self._offered: dict[tuple[str, str], list[str]] = {}
        self._first: dict[str, FirstCells] = {}
        self._both: dict[str, tuple[FirstCells, FirstCells]] = {}
        self._likeliest: FirstCells | None = None

    @property
    def _most_asked(self) -> int:
        """Columns among which a person chooses; of more, none is asked about."""
        return MOST_OF_LONE if self._lone else MOST_ASKED

    def _free(self) -> Iterator[str]:
        """The columns of cells without a role, of those that are looked at."""
        for name in [*self._cells.columns][:MOST_COLUMNS]:
            if name not in self._taken:
                yield name

    def _of(self, name: str) -> FirstCells:
        if name not in self._first:
            column = first_column(self._cells, name, FIRST_ROWS)
            self._first[name] = FirstCells(name, column, codes=name in self._codes, strict=self._strict)
        return self._first[name]

    def _called(self, name: str) -> str:
        """The name of a column, in English where its words are known of another language."""
        if not self._translated:
            return name
        if name not in self._english:
            plain = self._without_units.get(name, name) if self._strict else name
            self._english[name] = in_english(plain, self._rules)
        return self._english[name]

    @cached_property
    def _without_units(self) -> dict[str, str]:
        names = without_units([*self._cells.columns][:MOST_COLUMNS])
        return {name: plain for name, plain in names.items() if not says_who(name[len(plain) :])}

    def _names_index(self, name: str) -> bool:
        return is_index_name(name, self._rules) and not (self._strict and self._is_answer_key(name))

    def _is_answer_key(self, name: str) -> bool:
        """Whether a column that is called a key holds recurring words, or sentences, which number no rows."""
        if bare(name) != "key" or name not in self._cells.columns:
            return False
        return self._of(name).are_classes or self._of(name).hold_sentences

    def _recurs(self, name: str) -> bool:
        """Whether each cell stands in two rows or more on average."""
        return 2 * len(self._of(name).words) <= self._of(name).size

    def _names_rows(self, name: str) -> bool:
        one = self._of(name)
        return self._names_index(name) or one.number_rows or one.are_files or (self._strict and one.mostly_number_rows)

    def _words(self, name: str) -> set[str]:
        return words_of(self._called(name))

    def _named(self, names: Sequence[str]) -> list[str]:
        """The free columns with one of these names, in the order of the names."""
        free = {bare(self._called(name)): name for name in self._free()}
        return [free[name] for name in names if name in free]

    def _named_confidences(self) -> list[str]:
        """The free columns with the name of a confidence, and those whose path ends in one."""
        known = (*CONFIDENCES, *(FURTHER_CONFIDENCES if self._strict else ()))
        wanted = (*known, *(("confidence",) if self._told else ()))
        ends = [name for name in self._free() if bare(path_end(self._called(name)).rpartition(".")[2]) in wanted]
        return [*dict.fromkeys((*self._named(known), *(ends if self._seen else ())))]

    def _take(self, role: str, column: str, reason: str) -> None:
        self._found[role], self._roles[role], self._reasons[column] = column, column, reason
        self._taken.add(column)

    def _hide(self, column: str, reason: str, *, true: bool = False) -> None:
        """Leaves a column out, which nobody sees; ``true`` : whether it may be the truth."""
        self._hidden[column] = reason
        self._true += [column] if true else []
        self._taken.add(column)

    @property
    def _predicts(self) -> bool:
        """Whether something says what was predicted, or is right."""
        if {"prediction", "outcome"} & {*self._roles} or any(role.startswith("p_") for role in self._roles):
            return True
        called = [name for name in self._cells.names if name.casefold().startswith("p_") and name not in self._taken]
        return bool(called) and not (self._strict and self._chances_of_models >= {*called})

    @cached_property
    def _chances_of_models(self) -> frozenset[str]:
        """The columns that are called as the chances of classes are, if these are no numbers and do not add up to 1."""
        called = [name for name in self._cells.names if name.casefold().startswith("p_")]
        known = [name for name in called if name in self._cells.columns and self._of(name).are_shares]
        if len(known) < 2 or any(name[2:].strip().isdecimal() for name in called):
            return frozenset()
        far = np.abs(np.sum([self._of(name).column.values for name in known], axis=0) - 1) > LEAST_OFF
        return frozenset(called if 2 * far.sum() > len(far) else ())

    def _field(self, name: str) -> str:
        """The last field of a path, by which columns are known now."""
        return name.rpartition(".")[2] if self._asked else name

    def _is_number(self, role: str) -> bool:
        """Whether the column of this role holds numbers that are no classes."""
        one = self._of(self._roles[role]) if self._roles[role] in self._cells.columns else None
        return one is not None and one.are_measured

    def _may_be_chances(self, name: str) -> bool:
        one = self._of(name)
        if not one.are_numbers or one.column.is_empty.any() or one.number_rows:
            return False
        low, high = float(one.column.values.min()), float(one.column.values.max())
        logarithm = high <= 0 and "log" in name.casefold()
        sure = SURE | (CHANCES - {"p"} if self._strict else frozenset())
        whole = one.are_whole and not (self._paired and sure & self._words(name))
        return low < high and ((low >= 0 and high <= 1) or (low >= 0 and 2 < high <= 100 and not whole) or logarithm)

    def _predicted(self) -> FirstCells | None:
        """What is predicted in the first rows, by its column, or the most probable class; None where nothing says it."""
        name = self._roles.get("prediction")
        if name is not None:
            return self._of(name) if name in self._cells.columns else None
        if self._likeliest is None:
            said = {role[2:]: name for role, name in self._roles.items() if role.startswith("p_")}
            chances = {name[2:].strip(): name for name in self._cells.names if name.casefold().startswith("p_")}
            chances = said if said and self._strict else {**chances, **said}
            chances = {word: name for word, name in chances.items() if name in self._cells.columns}
            if len(chances) < 2 or not all(self._of(name).column.has_numbers_alone for name in chances.values()):
                return None
            places = np.array([self._of(name).column.values for name in chances.values()]).argmax(axis=0)
            words = pa.array([*chances], pa.large_string()).take(pa.array(places))
            self._likeliest = FirstCells("", pa.chunked_array([words]))
        return self._likeliest

    def _beside_predicted(self, name: str) -> tuple[FirstCells, FirstCells] | None:
        """A column and what is predicted, in the first rows in which the column holds an answer; None of no predictions."""
        predicted = self._predicted()
        if predicted is None:
            return None
        one = self._of(name)
        if not self._strict or one.size != predicted.size:
            return one, predicted
        key = f"{name}\0{predicted.column.name}"
        if key not in self._both:
            known = where_known(one, predicted)
            few = known.all() or known.sum() < 2
            self._both[key] = (one, predicted) if few else (one.of(known), predicted.of(known))
        return self._both[key]

    def _exchanged_share(self, name: str) -> float:
        """The share of rows in which a column has another class than the prediction, but always the same; 0 if it does not."""
        both = self._beside_predicted(name)
        return 0.0 if both is None or both[1].are_measured else exchanges(*both)

    def _says_the_same(self, name: str, other: str) -> bool:
        """Whether a column stands for another one of two words, row for row."""
        if other not in self._cells.columns or name.casefold() in JUDGED or self._of(name).size < FEWEST_ROWS:
            return False
        return len(self._of(other).filled) == 2 and say_the_same(self._of(name), self._of(other))

    def _numbers_predictions(self, name: str) -> bool:
        """Whether each word or number of a column stands beside one class that is predicted, and the other way round."""
        predicted = self._roles.get("prediction")
        if predicted is None or predicted not in self._cells.columns or not self._of(predicted).filled[1:]:
            return False
        few = 2 * len(self._of(predicted).filled) <= self._of(predicted).size
        return few and say_the_same(self._of(name), self._of(predicted))

    @cached_property
    def _predicted_numbers(self) -> list[str]:
        """The columns of numbers whose names have a word for predictions: those of several models, if there are three."""
        named = [name for name in [*self._cells.columns][:MOST_COLUMNS] if PREDICTING & self._words(name)]
        return [name for name in named if self._of(name).are_measured and not SPREAD & self._words(name)]

    @property
    def _predicts_numbers(self) -> bool:
        """Whether the predictions are numbers, with which a score may rise without telling the truth."""
        predicted = self._predicted()
        return predicted is None or predicted.are_measured

    def _tells(self, name: str) -> bool:
        """Whether the column agrees with the prediction far above chance."""
        both = self._beside_predicted(name)
        return both is not None and agrees(*both, sets=self._asked, whole=self._paired)

    def _may_tell(self, one: FirstCells, answers: FirstCells, *, whole: bool = False) -> bool:
        """Whether a column agrees with answers, or numbers them in order, or few rows cannot tell that it does not."""
        if not self._strict:
            return agrees(one, answers, whole=whole)
        if one.size == answers.size and not (known := where_known(one, answers)).all() and known.sum() > 1:
            one, answers = one.of(known), answers.of(known)
        further = any(tell(one, answers) for tell in (may_agree, agrees_in_order, are_often_equal))
        kinds = (one.are_classes and answers.number_classes) or (one.number_classes and answers.are_classes)
        return further or agrees(one, answers, whole=whole) or (kinds and in_other_words(one, answers, named=False))

    def _say_grades(self, words: Collection[str]) -> bool:
        """Whether each of these words says right or wrong, or how far, in English by earlier rules."""
        return all(map(grade_in_words, words)) if self._strict else {*map(folded_grade, words)} <= RIGHT_OR_WRONG

    def _flags(self) -> list[str]:
        """The free columns of two words that say right and wrong."""
        free = [name for name in self._free() if len(self._of(name).words) == 2]
        return [name for name in free if self._say_grades(self._of(name).words)]

    def _says_where_equal(self, flag: str, name: str, other: str) -> bool:
        """Whether a flag has one value where two columns are the same, and its other one where they are not."""
        same = np.equal(*coded(self._of(name), self._of(other)))
        return say_the_same(self._of(flag), FirstCells("", pa.chunked_array([pa.array(same)])))

    def _shares_classes(self, name: str) -> bool:
        predicted = self._predicted()
        return predicted is None or predicted.are_numbers == self._of(name).are_numbers

    def _agreement(self, name: str) -> float:
        both = self._beside_predicted(name)
        assert both is not None  # it agrees with the column
        one, other = coded(*both, sets=self._asked)
        return float((one == other).mean())

    def _right(self, label: str) -> NDArray[np.bool_] | None:
        """Which of the first rows are right, where the truth is known."""
        predicted = self._predicted()
        if predicted is None or label not in self._cells.columns:
            return None
        one, other = coded(self._of(label), predicted, sets=self._asked)
        right: NDArray[np.bool_] = one == other
        return right if 0 < right.sum() < right.size and right.size >= FEWEST_ROWS else None
