"""What few rows leave open: words that may be classes though none recurs, and numbers that may be the truth."""

from collections.abc import Mapping

from testimate.core.spellings import folded
from testimate.tables.column_names import CHANCES, SURE
from testimate.tables.first_cells import FEW_ROWS, FEWEST_ROWS, LEAST_KAPPA, YES_OR_NO, FirstCells, agrees, kappa
from testimate.tables.paired_evidence import PairedColumnsEvidence
from testimate.tables.role_questions import prediction_or_output, which_column
from testimate.tables.telling import closeness

OF_KEYS = frozenset(
    {
        *("id", "ids", "identifier", "identifiers", "uuid", "guid", "key", "index", "idx", "row", "serial"),
        *("date", "datetime", "timestamp", "time", "fold", "split"),
    }
)
"""Words in the name of a column that tells rows apart, or parts of the table."""

LEAST_CLOSE = 0.3
"""Correlation with predicted numbers from which on those of few rows may be the truth."""

RISING = 0.6
"""Correlation from which on numbers of few rows rise with each other."""

MOST_OF_FEW = 10
"""Whole numbers up to which few rows may number classes."""


class FewRowsEvidence(PairedColumnsEvidence):
    """What is asked, or told to the owner, because a table has too few rows."""

    def _are_few_words(self, name: str) -> bool:
        """Whether a column of few rows holds a word in each, and has no name of a key."""
        key = self._names_index(name) or bool(self._words(name) & OF_KEYS)
        return self._cells.size < FEWEST_ROWS and not key and all(map(str.isalpha, self._of(name).filled))

    def _ask_about_few_rows(self, taken: str) -> None:
        """ReadingUnclear where a column is the prediction because nothing else recurs, and few rows leave others open."""
        if not self._strict or self._cells.size >= FEW_ROWS or "label" in self._roles:
            return
        free = [
            name for name in self._free() if name != taken and not self._is_sure(name) and not self._names_index(name)
        ]
        words = [name for name in free if self._of(name).filled and self._are_few_words(name)]
        numbers = [name for name in free if self._of(name).are_numbers and not self._of(name).column.is_empty.any()]
        alike = [one for one in numbers for two in numbers if one != two and self._measure_the_same(one, two)]
        found = [*words, *dict.fromkeys(alike), taken]
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)

    def _measure_the_same(self, name: str, other: str) -> bool:
        """Whether numbers of two columns may measure the same: both have decimals, or neither, and they overlap.

        Of ten rows or more, whether they number the same classes and agree at all, or rise with each other.
        """
        one, two = self._of(name), self._of(other)
        if self._cells.size < FEWEST_ROWS:
            return one.are_whole == two.are_whole and overlap(one, two)
        if one.are_measured and two.are_measured:
            return overlap(one, two) and agrees(one, two, whole=True, close=RISING)
        return one.number_classes and {*one.filled} == {*two.filled} and kappa(one, two) > 0

    def _is_sure(self, name: str) -> bool:
        """Whether a column says by its name how sure the model is."""
        return name in self._named_confidences() or bool((SURE | CHANCES | {"score"}) & self._words(name))

    def _ask_about_few_outputs(self, foreign: Mapping[str, str]) -> None:
        """ReadingUnclear where single words of few rows are called an output, and nothing was asked."""
        name = foreign.get("output", "") if {*foreign} <= {"output", "reference", "outcome"} else ""
        if name and self._cells.size < FEWEST_ROWS and self._of(name).filled and self._are_few_words(name):
            raise prediction_or_output(name)

    def _shares_words(self, name: str) -> bool:
        """Whether words of few rows, which stand for nothing else, are among the predicted ones."""
        predicted, one = self._predicted(), self._of(name)
        if not self._strict or predicted is None or one.size >= FEWEST_ROWS or one.are_numbers or predicted.are_numbers:
            return False
        words = {*map(folded, one.filled)}
        return (
            not words <= YES_OR_NO and all(map(str.isalpha, words)) and bool(words & {*map(folded, predicted.filled)})
        )

    def _leaves_open(self, name: str) -> bool:
        """Whether a column of few rows may be the truth, as far as these rows tell."""
        predicted, one = self._predicted(), self._of(name)
        if (
            not self._strict
            or predicted is None
            or one.size >= FEW_ROWS
            or self._is_sure(name)
            or one.size != predicted.size
        ):
            return False
        if one.column.is_empty.any() or self._names_index(name):
            return False
        fewest = one.size < FEWEST_ROWS
        if predicted.are_numbers and one.are_numbers:
            return self._may_be_met(one, predicted)
        if not (predicted.are_numbers or one.are_numbers) and len(predicted.filled) == 2:
            same = {*map(folded, one.filled)} == {*map(folded, predicted.filled)}
            return same and kappa(one, predicted) > 0
        words, numbers = (one, predicted) if predicted.are_numbers else (predicted, one)
        few = numbers.are_whole and numbers.column.values.min() >= 0 and numbers.column.values.max() <= MOST_OF_FEW
        if words.are_numbers or not few or not (words is predicted or all(map(str.isalpha, words.filled))):
            return False
        return fewest or max(closeness(one, predicted), closeness(predicted, one)) > LEAST_KAPPA

    @staticmethod
    def _may_be_met(one: FirstCells, predicted: FirstCells) -> bool:
        """Whether numbers of few rows may be those that predicted numbers should meet."""
        fewest = one.size < FEWEST_ROWS
        if predicted.are_shares or not overlap(one, predicted):
            return False
        if one.are_whole and predicted.are_whole:
            return fewest or kappa(one, predicted) > 0
        return predicted.are_measured and (fewest or agrees(one, predicted, whole=True, close=LEAST_CLOSE))


def overlap(one: FirstCells, other: FirstCells) -> bool:
    """Whether numbers reach into the range of others."""
    ranges = [(float(cells.column.values.min()), float(cells.column.values.max())) for cells in (one, other)]
    return max(low for low, _ in ranges) <= min(high for _, high in ranges)
