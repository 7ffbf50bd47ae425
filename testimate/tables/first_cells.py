"""The first cells of a column: what stands in them, and whether they agree with another column far above chance."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import MARKS, folded
from testimate.tables.cells import Array, Column, pa
from testimate.tasks.classification import form_of_sets, names_in_set

FEWEST_ROWS = 10
"""Rows below which agreement or order may be chance."""

BESIDE_CHANCE, LEAST_KAPPA, LEAST_SHARED = 4.0, 0.2, 0.7
"""Standard errors and Cohen's kappa (1960) beyond which two columns agree far above chance, and the share of the cells that
are classes of both."""

MOST_SPELLINGS = 20
"""Ways to write one class, in a column, beyond which nobody looks."""

OFTEN = 0.2
"""Share of rows in which numbers that hardly recur are not equal by chance."""

LEAST_LISTS = 0.1
"""Share of the distinct lists of names that hold several."""

FEW_ROWS, SURELY = 50, 0.6
"""Rows below which agreement may be too rare to tell, and Cohen's kappa from which on it does of columns that say yes or no."""

CLOSE = 0.8
"""Correlation with predicted numbers from which on a column may be the truth."""

SPACELESS, LEAST_LETTERS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"), 8
"""Letters of Thai, Lao, Japanese, Chinese and Korean, and how many of them make a sentence."""

LONG_TEXT = 8
"""Spaces in a text that is no name of a class."""

WORDS_OF_NAME = 5
"""Words from which on what stands between separators is no name."""

YES_OR_NO = frozenset({"yes", "no", "true", "false", "y", "n", "t", "f"})
"""Words that columns of other things have, too."""

SOUND_ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus")
"""How the names of files of sounds end that can be read."""

FILE_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")

THINGS = re.compile(
    r".*\.(png|jpe?g|bmp|gif|webp|tiff?|dcm|nii|npy|wav|flac|mp3|ogg|mp4|avi|mov|txt|csv|json|xml|html?|pdf)(\.gz)?"
    r"|https?://.*"
    r"|[0-9]{1,4}([-/.])[0-9]{1,2}\3[0-9]{1,4}([ T].*)?"
    r"|[0-9]{1,2}:[0-9]{2}(:[0-9.]+)?( ?[ap]m)?",
    re.IGNORECASE,
)
"""A name of a file, an address, a date or a time, which stands for no class."""

TIME = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}([ T].*)?$")
"""A day, or a time of one."""

CODE_BEGINS = re.compile(
    r"\s*(?:```|SELECT\s.*\bFROM\s|WITH\s+\w+\s+AS\b|INSERT\s+INTO\s|def \w+\(|import \w+|from [\w.]+ import )",
    re.DOTALL,
)
MOST_CODE = 0.8
"""How code begins, and the share of the cells that do in a column of it."""


class FirstCells:
    """The first cells of a column, and what stands in them.

    ``strict`` : whether names of files, addresses and times are no classes, however often they recur.
    """

    def __init__(self, name: str, cells: Array | Column, *, codes: bool = False, strict: bool = False) -> None:
        given = cells if isinstance(cells, Column) else Column(name, cells, codes=codes)
        self.column = given if given.codes == codes else Column(name, given.cells, codes=codes)
        self.size, self._strict, self._codes = len(given.cells), strict, codes

    def of(self, rows: NDArray[np.bool_]) -> "FirstCells":
        """The cells of these rows, a mask (n,), alone."""
        cells = self.column.cells.filter(pa.array(rows))
        return FirstCells(self.column.name, cells, codes=self._codes, strict=self._strict)

    @cached_property
    def words(self) -> list[str]:
        """The distinct texts."""
        found: list[str] = self.column.words.to_pylist()
        return found

    @cached_property
    def filled(self) -> list[str]:
        """The distinct texts but the empty one."""
        return [word for word in self.words if word]

    @cached_property
    def sets(self) -> list[frozenset[str]] | None:
        """The names in each of the distinct texts, one or none where the column writes no sets; None for texts and files."""
        form = form_of_sets(self.filled) if self.are_lists or not self.are_texts else None
        if form is None and (self.are_texts or self.are_files):
            return None
        if form is None:
            return [frozenset([folded(word)] if word else []) for word in self.words]
        return [_set_of(word, form.form) for word in self.words]

    @cached_property
    def are_numbers(self) -> bool:
        """Whether every filled cell is a number."""
        column = self.column
        return bool((column.is_number | column.is_empty).all() and column.is_number.any())

    @cached_property
    def are_whole(self) -> bool:
        """Whether every filled cell is a whole number."""
        return self.are_numbers and self.column.is_whole

    @cached_property
    def are_measured(self) -> bool:
        """Whether these are numbers that name no classes: not whole, or mostly distinct."""
        return self.are_numbers and (not self.are_whole or 2 * len(self.filled) > self.size)

    @cached_property
    def are_shares(self) -> bool:
        """Whether every cell is a number from 0 to 1, and some lie between."""
        if not self.column.has_numbers_alone:
            return False
        values = self.column.values
        return bool(values.min() >= 0 and values.max() <= 1 and ((values > 0) & (values < 1)).any())

    @cached_property
    def number_rows(self) -> bool:
        """Whether these are whole numbers that rise or are all distinct: keys, not measurements."""
        if self.size < FEWEST_ROWS or not self.column.has_numbers_alone or not self.column.is_whole:
            return False
        values = self.column.values
        return bool((np.diff(values) > 0).all() or len(np.unique(values)) == len(values))

    @cached_property
    def mostly_number_rows(self) -> bool:
        """Whether all cells are distinct, and most are whole numbers that rise or, by the name of the column, are keys."""
        numbers = self.column.values[self.column.is_number]
        if self.size < FEWEST_ROWS or len(self.words) < self.size or not self.size / 2 < len(numbers) < self.size:
            return False
        keyed = re.search("(^|[^a-z])ids?([^a-z]|$)", self.column.name.casefold()) or (np.diff(numbers) > 0).all()
        return bool((numbers == np.round(numbers)).all() and keyed)

    @cached_property
    def are_files(self) -> bool:
        """Whether the cells are names of files, mostly distinct."""
        some = self.filled[:1000]
        named = sum(FILE_ENDING.search(word) is not None and " " not in word.rpartition("/")[2][:1] for word in some)
        return bool(some) and named >= 0.9 * len(some) and 2 * len(self.words) > self.size

    @cached_property
    def are_texts(self) -> bool:
        """Whether the cells are sentences, mostly distinct."""
        some = self.filled[:1000]
        spaces = sum(word.count(" ") >= 2 for word in some)
        return bool(some) and 2 * len(self.words) > self.size and 2 * spaces > len(some) and not self.are_sets

    @cached_property
    def are_sets(self) -> bool:
        """Whether the cells are names between separators, of which nearly all recur in other cells, and no prose."""
        some = self.filled[:1000] if self._strict else []
        form = form_of_sets(some)
        if form is None or len(some) < FEWEST_ROWS or some[0].startswith(("[", "{")):
            return False
        names = {name for word in some for name in names_in_set(word, form.form)}
        several = sum(len(names_in_set(word, form.form)) > 1 for word in some)
        return 2 * several > len(some) and all(name.count(" ") < WORDS_OF_NAME for name in names)

    @cached_property
    def are_sentences(self) -> bool:
        """Whether the cells are sentences, mostly distinct, also in letters that need no spaces between words."""
        some = self.filled[:1000]
        letters = sum(map(_has_many_letters, some))
        many = bool(some) and 2 * len(self.words) > self.size and 2 * letters > len(some)
        return self.are_texts or (many and not self.are_sets)

    @cached_property
    def are_lists(self) -> bool:
        """Whether most of the cells are lists or objects, as JSON writes them."""
        some = self.filled[:1000]
        return 2 * sum(word.startswith(("[", "{")) for word in some) > len(some)

    @cached_property
    def list_several(self) -> bool:
        """Whether most of the distinct cells are lists of two names or more."""
        lists = self.sets if self.are_lists else None
        return lists is not None and 2 * sum(len(names) > 1 for names in lists) > len(lists)

    @cached_property
    def list_names(self) -> bool:
        """Whether the cells are lists or sets of names, of which some are several; numbers and records are none."""
        written = self.are_lists or not (self.are_texts or self.are_files or self.are_numbers)
        lists = self.sets if written else None
        if lists is None or not self.filled[1:] or any(word.startswith(("{", "[{")) for word in self.filled[:1000]):
            return False
        names = {name for one in lists[:1000] for name in one}
        numbers = sum(name.replace(".", "", 1).lstrip("-").isdecimal() for name in names)
        return (
            bool(names) and 2 * numbers < len(names) and LEAST_LISTS * len(lists) < sum(len(one) > 1 for one in lists)
        )

    @cached_property
    def list_words_of_texts(self) -> bool:
        """Whether most cells list many names, which are more in all than there are cells: a text that was cut into words."""
        lists = (self.sets or [])[:1000] if self.list_names else []
        several = 2 * sum(len(names) >= LONG_TEXT for names in lists) > len(lists) >= FEWEST_ROWS
        return several and len({name for names in lists for name in names}) > len(lists)

    @cached_property
    def list_keys(self) -> bool:
        """Whether the cells are several whole numbers with commas, spaces or brackets between them."""
        some = self.filled[:1000]
        return bool(some) and all(re.fullmatch(r"[\[({]?\s*\d+(?:[,;\s]+\d+)+\s*[\])}]?", word) for word in some)

    @cached_property
    def hold_sentences(self) -> bool:
        """Whether most of the distinct cells are sentences, in however many rows they recur; lists and objects are none."""
        ends = ("]", "}") if self._strict else ""  # a text may begin with a name in brackets
        some = [word for word in self.filled[:1000] if not (word.startswith(("[", "{")) and word.endswith(ends))]
        most = bool(self.filled[1:]) and 2 * sum(map(looks_like_sentence, some)) > min(len(self.filled), 1000)
        return most and not self.are_sets

    @cached_property
    def hold_code(self) -> bool:
        """Whether most cells begin as a program or a query of a database does."""
        some = self.filled[:1000]
        return len(some) > 2 and sum(CODE_BEGINS.match(word) is not None for word in some) > MOST_CODE * len(some)

    @cached_property
    def hold_long_texts(self) -> bool:
        """Whether most of the distinct cells are longer than names of classes are, in however many rows they recur."""
        some = self.filled[:1000]
        return self.hold_sentences and 2 * sum(word.count(" ") >= LONG_TEXT for word in some) > len(some)

    @cached_property
    def are_classes(self) -> bool:
        """Whether words recur: each stands in two rows or more on average."""
        recur = bool(self.filled) and not self.are_numbers and 2 * len(self.filled) <= self.size
        return recur and not (self._strict and self.name_things)

    @cached_property
    def name_things(self) -> bool:
        """Whether the cells name files, addresses, dates or times."""
        some = self.filled[:100]
        return sum(THINGS.fullmatch(word) is not None for word in some) >= 0.9 * len(some)

    @cached_property
    def number_classes(self) -> bool:
        """Whether whole numbers recur, and count from 0 or 1 without a gap."""
        if not self.column.has_numbers_alone or not self.column.is_whole or 2 * len(self.filled) > self.size:
            return False
        numbers = np.unique(self.column.values)
        return bool(len(numbers) > 1 and numbers[0] in (0, 1) and (np.diff(numbers) == 1).all())


def _has_many_letters(word: str) -> bool:
    return not word.isascii() and len(SPACELESS.findall(word)) >= LEAST_LETTERS


def looks_like_sentence(word: str) -> bool:
    """Whether a text has three words or more, or as many letters of a language without spaces.

    >>> looks_like_sentence("A dog ran."), looks_like_sentence("true label"), looks_like_sentence("先叉北土法師曇准聞")
    (True, False, True)
    """
    return word.count(" ") >= 2 or _has_many_letters(word)


FURTHER_MARKS = MARKS | {
    *(
        "tbd",
        "todo",
        "to do",
        "pending",
        "missing",
        "unassigned",
        "undecided",
        "not decided",
        "no label",
        "not labeled",
    ),
    *(
        "not annotated",
        "skip",
        "skipped",
        "n.a.",
        "n/d",
        "empty",
        "not available",
        ".",
        "..",
        "...",
        "--",
        "---",
        "–",
        "—",
        "…",
    ),
}
"""What stands in place of an answer in tables that people fill in, folded, unless it is predicted."""


def where_known(one: FirstCells, prediction: FirstCells) -> NDArray[np.bool_]:
    """Which cells of a column hold an answer, (n,): no mark that is never predicted, and no -1 among numbers from 0 on."""
    predicted = {*map(folded, prediction.words)} if not prediction.are_measured else set()
    if prediction.are_measured and prediction.column.has_numbers_alone:
        found, values = one.column.is_number.copy(), one.column.values
        numbers = Column("", pa.chunked_array([pa.array(one.words, pa.large_string())])).is_number
        others = {folded(word) for word, number in zip(one.words, numbers.tolist(), strict=True) if not number}
        if len(others - FURTHER_MARKS) > 1:
            return np.ones(one.size, np.bool_)  # words, which no number stands beside
        below = found & (values < 0)
        if prediction.column.values.min() >= 0 and below.sum() > 1 and (values[below] == -1).all():
            found &= ~below
        return found
    marks = np.array([folded(word) in FURTHER_MARKS and folded(word) not in predicted for word in one.words], np.bool_)
    known: NDArray[np.bool_] = ~marks[one.column.places]
    return known


def say_the_same(one: FirstCells, other: FirstCells) -> bool:
    """Whether each word of a column stands beside one of the other alone, as numbers of classes do beside their names."""
    if one.size != other.size or not one.size:
        return False
    pairs = np.unique(one.column.places.astype(np.int64) * (len(other.words) + 1) + other.column.places)
    return len(pairs) == len(np.unique(one.column.places)) == len(np.unique(other.column.places))


def are_often_equal(one: FirstCells, other: FirstCells) -> bool:
    """Whether numbers that hardly recur are the same in many rows, as read and true amounts are, however far off the others."""
    if one.size != other.size or one.size < FEWEST_ROWS or not (one.are_measured and other.are_measured):
        return False
    return bool((one.column.values == other.column.values).mean() >= OFTEN and 2 * len(other.filled) > other.size)


FEWEST_STEPS = 5
"""Distinct whole numbers from which on they may count something, such as days, as well as number classes."""


def rise_together(one: FirstCells, other: FirstCells) -> bool:
    """Whether whole numbers, of which few are equal, rise nearly in a line with each other, as predicted and true days do."""
    if one.size != other.size or one.size < FEWEST_ROWS or not (one.are_whole and other.are_whole):
        return False
    return min(len(one.filled), len(other.filled)) >= FEWEST_STEPS and _in_line(one, other, whole=True)


def coded(one: FirstCells, other: FirstCells, *, sets: bool = False) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Both columns in one numbering of their folded words, (n,) each.

    ``sets`` : whether sets of words, if both columns hold such, are the same in any order and any way to write them.
    """
    forms = [form_of_sets(cells.filled) for cells in (one, other)] if sets else [None]
    numbers: dict[str | frozenset[str], int] = {}
    found = []
    for place, cells in enumerate((one, other)):
        form = None if None in forms else forms[place]
        names = [folded(word) if form is None else _set_of(word, form.form) for word in cells.words]
        of_word = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
        found.append(of_word[cells.column.places])
    return found[0], found[1]


def _set_of(cell: str, form: str) -> frozenset[str]:
    return frozenset(map(folded, names_in_set(cell, form)))


def agrees(
    one: FirstCells, prediction: FirstCells, *, sets: bool = False, whole: bool = False, close: float = CLOSE
) -> bool:
    """Whether the first cells of a column are those of the prediction far more often than by chance.

    Of numbers that are no classes: whether they rise with it nearly in a line. ``whole`` : whether they may be whole and all
    distinct, as prices are and keys that rise are not. ``close`` : the correlation of such numbers, at least.
    """
    n = prediction.size
    if n < FEWEST_ROWS or one.size != n:
        return False
    if prediction.are_measured:
        return _in_line(one, prediction, whole=whole, close=close)
    if len(prediction.filled) < 2 or 2 * len(prediction.filled) > n:
        return False
    if len(one.words) - MOST_SPELLINGS * len(prediction.words) > (1 - LEAST_SHARED) * n:
        return False  # too many words for so few classes: nothing is spelled in as many ways
    first, second = coded(one, prediction, sets=sets)
    known = np.array([folded(word) not in MARKS for word in one.words], dtype=np.bool_)[one.column.places]
    known |= first == second  # a mark that is predicted is a class
    first, second = first[known], second[known]
    if len(first) < FEWEST_ROWS or np.isin(first, np.unique(second)).mean() < LEAST_SHARED:
        return False
    same, chance = same_and_by_chance(first, second)
    far = same - chance > BESIDE_CHANCE * np.sqrt(max(chance * (1 - chance), 1e-9) / len(first))
    return bool(far and same - chance > LEAST_KAPPA * (1 - chance))


def may_agree(one: FirstCells, prediction: FirstCells) -> bool:
    """Whether too few rows leave open whether a column holds the truth of the predicted classes: it has these, and agrees with
    them more often than chance would.
    """
    few = one.size == prediction.size < FEW_ROWS and not {one.size, *map(len, (one.filled, prediction.filled))} & {0, 1}
    if not few or one.are_numbers != prediction.are_numbers or prediction.are_shares or one.are_shares:
        return False
    if prediction.are_measured:
        return one.size < FEWEST_ROWS and _in_line(one, prediction, whole=True)
    if prediction.are_numbers and not (one.are_whole and prediction.are_whole):
        return False
    first, second = coded(one, prediction)
    if np.isin(first, np.unique(second)).mean() < LEAST_SHARED or len(np.intersect1d(first, second)) < 2:
        return False
    plain = len(prediction.filled) < 3 and (one.are_numbers or {*map(folded, prediction.filled)} <= YES_OR_NO)
    return _kappa(first, second) > (SURELY if plain else LEAST_KAPPA)


RATHER = 2.0
"""Standard errors beyond which a column agrees more often than chance would, if not by far."""


def agrees_rather(one: FirstCells, prediction: FirstCells, *, errors: float = RATHER) -> bool:
    """Whether a column agrees with classes more often than chance would, by these standard errors."""
    if one.size != prediction.size or not one.size:
        return False
    same, chance = same_and_by_chance(*coded(one, prediction))
    return bool(same - chance > errors * np.sqrt(max(chance * (1 - chance), 1e-9) / one.size))


def agrees_in_order(one: FirstCells, prediction: FirstCells) -> bool:
    """Whether the numbers of classes agree with their names in order, as a label encoder numbers them, far above chance."""
    words, numbers = (prediction, one) if one.are_numbers else (one, prediction)
    if one.size != prediction.size or not (words.are_classes and numbers.number_classes):
        return False
    names, values = sorted(words.filled), numbers.column.values - numbers.column.values.min()
    if len(names) != len(numbers.filled) or len(names) != len(words.words):
        return False
    named = pa.array(names, pa.large_string()).take(pa.array(values.astype(np.int64)))
    first, second = coded(FirstCells("", pa.chunked_array([named])), words)
    return _kappa(first, second) > (SURELY if len(names) < 3 else LEAST_KAPPA)


def kappa(one: FirstCells, other: FirstCells) -> float:
    """Cohen's kappa (1960) of two columns."""
    return _kappa(*coded(one, other))


def _kappa(first: NDArray[np.intp], second: NDArray[np.intp]) -> float:
    """Cohen's kappa (1960) of two columns of numbered words."""
    same, chance = same_and_by_chance(first, second)
    return (same - chance) / max(1 - chance, 1e-9)


def same_and_by_chance(first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[float, float]:
    """Return the share of rows in which two columns of numbered words, (n,) each, are equal, and that which chance would give.

    >>> same_and_by_chance(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]))
    (0.75, 0.5)
    """
    count = int(max(first.max(), second.max())) + 1
    shares = [np.bincount(part, minlength=count) / len(part) for part in (first, second)]
    return float((first == second).mean()), float(shares[0] @ shares[1])


def stands_among(one: FirstCells, predicted: FirstCells) -> bool:
    """Whether what a column names is in the predicted sets or lists of names far more often than by chance.

    One that always holds all that is predicted, and more, holds what could be. As few rows as in ``may_agree`` may not tell.
    """
    if one.size != predicted.size or (one.are_numbers and not one.are_whole) or predicted.are_numbers:
        return False
    sets = predicted.sets
    if sets is None or not any(len(names) > 1 for names in sets):
        return False
    named = one.sets
    if named is None:
        return False
    counts = np.bincount(predicted.column.places, minlength=len(sets)) / predicted.size
    often: Counter[str] = Counter()
    for names, share in zip(sets, counts.tolist(), strict=True):
        often.update(dict.fromkeys(names, share))
    places = zip(one.column.places.tolist(), predicted.column.places.tolist(), strict=True)
    pairs = [(named[place], sets[other]) for place, other in places if named[place]]
    if len(pairs) < 2 or all(said < names for names, said in pairs):
        return False
    same = float(np.mean([len(names & said) / len(names) for names, said in pairs]))
    chance = float(np.mean([sum(often[name] for name in names) / len(names) for names, _ in pairs]))
    far = same - chance > BESIDE_CHANCE * np.sqrt(max(chance * (1 - chance), 1e-9) / len(pairs))
    return bool((far or len(pairs) < FEW_ROWS) and same - chance > LEAST_KAPPA * (1 - chance))


def always_among(one: FirstCells, sets: FirstCells) -> bool:
    """Whether what a column names is in the sets or lists of another one in every row."""
    named, held = one.sets, sets.sets
    if named is None or held is None or one.size != sets.size:
        return False
    return all(
        named[place] <= held[other]
        for place, other in zip(one.column.places.tolist(), sets.column.places.tolist(), strict=True)
    )


def _in_line(one: FirstCells, prediction: FirstCells, *, whole: bool, close: float = CLOSE) -> bool:
    if not one.are_numbers or one.column.is_empty.any() or (one.number_rows and not whole):
        return False
    values, predicted = one.column.values, prediction.column.values
    if whole and (np.diff(values) > 0).all():
        return False
    if not (np.isfinite(predicted).all() and values.std() > 0 and predicted.std() > 0):
        return False
    return bool(np.corrcoef(values, predicted)[0, 1] > close)


def resemblance(texts: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of the words of two texts that both have, (n,) for n pairs of texts (Jaccard 1901).

    >>> resemblance(["a red dog"], ["a red cat"]).tolist()
    [0.5]
    """
    pairs = [[{*re.findall(r"\w+", text.casefold())} for text in pair] for pair in zip(texts, others, strict=True)]
    return np.array([len(one & two) / max(len(one | two), 1) for one, two in pairs])
