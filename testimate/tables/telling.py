"""What tells a tester right or wrong besides the truth itself: remainders and losses, marks of wrong rows, folders called as
classes."""

import json
import re
from collections.abc import Collection, Iterable
from math import lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import MARKS, folded
from testimate.tables.cells import pa
from testimate.tables.classes_of_names import NO, YES
from testimate.tables.column_names import CHANCES, PREDICTING, words_of
from testimate.tables.first_cells import (
    BESIDE_CHANCE,
    FEW_ROWS,
    FEWEST_ROWS,
    LEAST_KAPPA,
    FirstCells,
    agrees,
    coded,
    say_the_same,
)
from testimate.tables.likeliest import are_chances
from testimate.tables.score_names import MADE_OF_TRUTH, words_in

REMAINDERS = frozenset(
    {"residual", "residuals", "resid", "remainder", "error", "errors", "deviation", "diff", "difference"}
)
"""Words in the name of a column that may hold by how much a predicted number is off."""

OF_CLASSES = frozenset({"raw", "logit", "logits", "prob", "probs", "probability", "probabilities", "softmax"})
"""Words in the name of a column that lists a number for each class."""

CHANCES_IN_ALL = 0.98
"""What the chances of a row come to, but for their rounding."""

BY_CHANCE = 1e-4
"""How likely it may be that rows at random are all wrong."""

LEAST_AREA = 0.1
"""How far from a half the area under the curve of a chance is at least that tells two words apart."""

ROUNDED = 0.01
"""By how much, of the spread of the predicted numbers, a remainder may differ for its rounding."""


class Remainder(NamedTuple):
    """A column that says by how much predicted numbers are off, and the column of true ones, "" if there is none."""

    name: str
    truth: str


def remainder_of(columns: Iterable[FirstCells], predicted: FirstCells, *, of_any_unit: bool) -> Remainder | None:
    """Return the remainder of predicted numbers by its name, and the true ones by its sum with these; None without any.

    ``of_any_unit`` : whether it may be one of several, or have another unit, such as millions.
    """
    numbers = [one for one in columns if one.column.has_numbers_alone and one.size == predicted.size]
    named = [one for one in numbers if words_of(one.column.name) & REMAINDERS]
    if of_any_unit:
        also = [one for one in numbers if words_of(one.column.name) & (REMAINDERS | {"delta"})]
        return _remainder_in_its_unit(also, numbers, predicted)
    if len(named) != 1 or not predicted.column.has_numbers_alone:
        return None
    off, said = named[0].column.values, predicted.column.values
    within = ROUNDED * max(float(said.std()), 1e-12)
    for one in numbers:
        if one is not named[0] and np.abs(np.abs(one.column.values - said) - np.abs(off)).max() <= within:
            return Remainder(named[0].column.name, one.column.name)
    return Remainder(named[0].column.name, "")


def _remainder_in_its_unit(
    named: list[FirstCells], numbers: list[FirstCells], predicted: FirstCells
) -> Remainder | None:
    """The first of these that is by how much predicted numbers are off from others, times a number; else the only one."""
    if not named or not predicted.column.has_numbers_alone:
        return None
    for one in named:
        off = np.abs(one.column.values)
        for true in (other for other in numbers if other not in named):
            made = np.abs(true.column.values - predicted.column.values)
            if made.any() and _is_nearly(off, made * float(off @ made / (made @ made))):
                return Remainder(one.column.name, true.column.name)
    return Remainder(named[0].column.name, "") if len(named) == 1 else None


def is_difference(one: FirstCells, first: FirstCells, second: FirstCells) -> bool:
    """Whether numbers are by how much two others differ, but for their rounding."""
    if not all(cells.column.has_numbers_alone and cells.size == first.size for cells in (one, first, second)):
        return False
    made = np.abs(first.column.values - second.column.values)
    return len(made) > 2 and bool(np.abs(np.abs(one.column.values) - made).max() <= BESIDE_ROUNDING * made.std())


BESIDE_ROUNDING = 0.1
"""By how much, of the spread of differences, those that stand beside the numbers may differ for the rounding of each."""


def tells_apart(chances: FirstCells, flags: FirstCells) -> bool:
    """Whether chances of a class are larger beside one of two words than beside the other, far more than by chance."""
    if len(flags.words) != 2 or flags.size != chances.size or flags.size < FEWEST_ROWS:
        return False
    return _parts(chances.column.values, flags.column.places == 1)


def _parts(values: NDArray[np.float64], of_one: NDArray[np.bool_]) -> bool:
    """Whether numbers are larger in some rows than in the others, far more than by chance.

    By the area under the ROC curve (Hanley and McNeil 1982), which is 1/2 of numbers that tell nothing.
    """
    first, second = int((~of_one).sum()), int(of_one.sum())
    if not first or not second:
        return False
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[places]
    area = (ranks[of_one].sum() - second * (second + 1) / 2) / (first * second)
    return bool(
        abs(area - 0.5) > max(LEAST_AREA, BESIDE_CHANCE * np.sqrt((first + second + 1) / (12 * first * second)))
    )


GUESSED = frozenset(
    {"reconstruction", "recon", "expected", "estimated", "estimate", "est", "uncertainty", *PREDICTING, *CHANCES}
)
"""Words beside those of ``MADE_OF_TRUTH`` that say that a number is guessed without the truth."""


def may_be_made_of_truth(name: str) -> bool:
    """Return whether a number is made from the truth, as its name says.

    >>> may_be_made_of_truth("val_loss"), may_be_made_of_truth("predicted_loss"), may_be_made_of_truth("weight")
    (True, False, False)
    """
    return bool(words_in(name) & MADE_OF_TRUTH) and not words_of(name) & GUESSED


def is_made_of_truth(one: FirstCells, truth: FirstCells, predicted: FirstCells | None) -> bool:
    """Whether a number is by how much a predicted one is off, or is called as a loss is and tells what is right.

    ``predicted`` : None where the truth is what is right or wrong itself. Cells without a truth or a number are passed over.
    """
    named, measured = may_be_made_of_truth(one.column.name), predicted is not None and predicted.are_measured
    if one.size != truth.size or not (named or measured):
        return False
    known = one.column.is_number & (truth.column.is_number if measured else _is_known(truth))
    if known.sum() < (FEWEST_EQUAL if measured else FEWEST_ROWS):
        return False
    values = one.column.values[known]
    if predicted is None:
        return named and len(truth.filled) == 2 and _parts(values, truth.column.places[known] == truth.column.places[0])
    if not predicted.are_measured:
        true, said = coded(truth, predicted)
        return named and _parts(values, (true == said)[known])
    if not predicted.column.has_numbers_alone:
        return False
    off, true = np.abs(predicted.column.values - truth.column.values)[known], np.abs(truth.column.values[known])
    share = off / np.maximum(true, 1e-12)
    return any(_is_nearly(np.abs(values), made) for made in (off, off**2, share, 100 * share)) or (
        named and len(off) >= FEWEST_ROWS and _parts(values, off > np.median(off))
    )


FEWEST_EQUAL = 4
"""Rows from which on numbers that are by how much predicted ones are off are so not by chance."""


def says_how_far_off(one: FirstCells, truth: FirstCells, predicted: FirstCells) -> bool:
    """Whether one of two words stands where predicted numbers are off by more, the other where by less, and not by chance."""
    if one.size != truth.size or not predicted.column.has_numbers_alone:
        return False
    known = truth.column.is_number & ~one.column.is_empty
    places, true = one.column.places[known], truth.column.values[known]
    kinds = np.unique(places)
    if len(kinds) != 2:
        return False
    first = places == kinds[0]
    off = np.abs(predicted.column.values[known] - true)
    apart = any(
        far[first].max() < far[~first].min() or far[~first].max() < far[first].min()
        for far in (off, off / np.maximum(np.abs(true), 1e-12))
    )
    return apart and log(2 * len(off)) - _log_ways(len(off), int(first.sum())) < log(PARTED_BY_CHANCE)


def _log_ways(count: int, some: int) -> float:
    """The logarithm of the number of ways to choose some of that many."""
    return lgamma(count + 1) - lgamma(some + 1) - lgamma(count - some + 1)


def _is_known(truth: FirstCells) -> NDArray[np.bool_]:
    """Which cells hold a truth."""
    known: NDArray[np.bool_] = np.array([folded(word) not in MARKS for word in truth.words], np.bool_)[
        truth.column.places
    ]
    return known


def _is_nearly(values: NDArray[np.float64], made: NDArray[np.float64]) -> bool:
    """Whether numbers are others but for their rounding."""
    spread = float(made.std())
    return spread > 0 and float(np.abs(values - made).max()) <= ROUNDED * spread


def parts_exactly(one: FirstCells, right: NDArray[np.bool_], known: NDArray[np.bool_], *, sure: bool) -> bool:
    """Whether the numbers or the words of a column, or its gaps, part the right rows from the wrong ones, and not by chance.

    ``right`` : (n,), of the rows that are ``known``. ``sure`` : whether numbers say how sure the model is, and nearly do so.
    By the number of ways to choose as many wrong rows, against the ways to part numbers at one of them, and words into two.
    """
    rows, count = np.flatnonzero(known), int(known.sum())
    wrong = count - int(right[known].sum())
    if one.size != len(right) or not 1 < wrong < count - 1:
        return False
    ways = _log_ways(count, wrong)
    of_right, of_wrong = rows[right[rows]], rows[~right[rows]]
    values, places = one.column.values, one.column.places
    if one.column.is_number[rows].all():
        low, high = values[of_right], values[of_wrong]
        apart = low.max() < high.min() or high.max() < low.min()
        if apart and log(2 * count) - ways < log(BY_CHANCE if sure else PARTED_BY_CHANCE):
            return True
    for kinds in (places, one.column.is_empty.astype(np.intp)):
        met = {*kinds[of_right].tolist()}, {*kinds[of_wrong].tolist()}
        if met[0].isdisjoint(met[1]) and log(2) * len(met[0] | met[1]) - ways < log(PARTED_BY_CHANCE):
            return True
    return False


def is_made_of_chance(
    one: FirstCells, of_true: NDArray[np.float64], largest: NDArray[np.float64], known: NDArray[np.bool_]
) -> bool:
    """Whether numbers rise or fall with the chance of the true class in every row, as a loss or a residual of it does.

    ``of_true``, ``largest`` : (n,) the chances of the true and of the likeliest class, of the rows that are ``known``.
    A number that goes with the largest one as closely is made of that alone.
    """
    if one.size != len(known) or known.sum() < FEWEST_ROWS or not one.column.is_number[known].all():
        return False
    true, sure = (chances[known].round(6) for chances in (of_true, largest))
    if (true == sure).all() or len(np.unique(true)) < 3:
        return False
    values = one.column.values[known]
    if len(np.unique(values)) < 3:
        return False
    for made in (values, np.abs(values)) if values.min() < 0 else (values,):
        of_this = abs(_rank_correlation(made, true))
        if of_this > SAME_ORDER and 1 - of_this < (1 - abs(_rank_correlation(made, sure))) / 10:
            return True
    return False


SAME_ORDER = 0.999
"""Spearman's rank correlation (1904) of numbers that are in the same order but for their rounding."""


def _rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    ranks = []
    for values in (one, other):
        _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((counts.cumsum() - (counts - 1) / 2)[places])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1]) if all(rank.std() > 0 for rank in ranks) else 0.0


def cut_between(shares: FirstCells, flags: FirstCells) -> tuple[float, float] | None:
    """The largest share beside one of two words and the smallest beside the other, if all are larger there, and not by chance.

    None where some are not.
    """
    if len(flags.words) != 2 or flags.size != shares.size:
        return None
    for rows in (slice(0, LOOKED_AT), slice(None)):  # most columns show in a few rows that nothing splits them
        values, of_one = shares.column.values[rows], flags.column.places[rows] == 0
        if of_one.all() or not of_one.any():
            continue
        first, second = values[of_one], values[~of_one]
        low, high = (first, second) if first.max() < second.max() else (second, first)
        if low.max() > high.min():
            return None
    ways = lgamma(len(values) + 1) - lgamma(int(of_one.sum()) + 1) - lgamma(int((~of_one).sum()) + 1)
    return None if log(2) - ways >= log(BY_CHANCE) else (float(low.max()), float(high.min()))


LOOKED_AT = 100
"""First rows that show of most columns that they are something else."""

PARTED_BY_CHANCE = 0.01
"""How likely it may be that a column parts right rows from wrong ones by chance."""


def marks_wrong(one: FirstCells, right: NDArray[np.bool_]) -> bool:
    """Whether a column has two values, and one of them stands in wrong rows alone, in more than chance would give it."""
    if len(one.filled) != 2 or len(one.column.places) != len(right) or right.mean() < 0.5:
        return False
    of_value = [right[one.column.places == place] for place in range(len(one.words))]
    return any(not rows.any() and (1 - right.mean()) ** len(rows) < BY_CHANCE for rows in of_value)


def stands_where_wrong(one: FirstCells, right: NDArray[np.bool_], known: NDArray[np.bool_]) -> bool:
    """Whether a column is filled in wrong rows alone, of those of which it is known, in more than chance would give it."""
    if one.size != len(right) or not known.any() or not right[known].any():
        return False
    filled = ~one.column.is_empty & known
    return bool(not right[filled].any() and filled.sum() * log(1 - right[known].mean()) < log(BY_CHANCE))


FEWEST_GAPS = 5
"""Rows with cells, and rows without any, from which on two columns have the same gaps by no accident."""


def has_gaps_of(one: FirstCells, other: FirstCells) -> bool:
    """Whether a column is filled, or has one of its few values, in exactly the rows in which another one is filled.

    Several of these rows are, and several are not.
    """
    filled = ~other.column.is_empty
    if one.size != other.size or min(int(filled.sum()), int((~filled).sum())) < FEWEST_GAPS:
        return False
    if np.array_equal(one.column.is_empty, ~filled):
        return True
    inside, outside = (np.unique(one.column.places[rows]) for rows in (filled, ~filled))
    return 2 * len(one.words) <= one.size and len(inside) == 1 and inside[0] not in outside


MOST_BANDS = 20
"""Words up to which a column may part numbers into bands."""


def is_cut_of(one: FirstCells, numbers: FirstCells) -> bool:
    """Whether the words of a column, which recur, part the numbers of another one into as many intervals, as bands do."""
    if one.size != numbers.size or one.size < FEWEST_ROWS or not numbers.column.has_numbers_alone:
        return False
    count = len(one.words)
    if not 2 <= count <= MOST_BANDS or 2 * count > one.size or len(numbers.words) <= 2 * count:
        return False
    values, places = numbers.column.values, one.column.places
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, places, values)
    np.maximum.at(high, places, values)
    order = low.argsort()
    return bool((high[order][:-1] <= low[order][1:]).all())


def exchanges(one: FirstCells, predicted: FirstCells) -> float:
    """The share of rows in which a column exchanges the predicted classes, if far more than chance; 0 if it does not.

    Of two classes in most rows, of more in all of them.
    """
    same = {*map(folded, one.filled)} == {*map(folded, predicted.filled)}
    if not same or len(predicted.filled) < 2 or one.size != predicted.size or 2 * len(one.filled) > one.size:
        return 0.0
    if len(predicted.filled) == 2 and len(predicted.words) == 2:
        words = pa.array(predicted.words[::-1], pa.large_string())
        mirrored = FirstCells("", pa.chunked_array([words.take(pa.array(predicted.column.places))]))
        found, said = coded(one, mirrored)
        return float((found == said).mean()) if agrees(one, mirrored) else 0.0
    found, said = coded(one, predicted)
    return 1.0 if say_the_same(one, predicted) and (found != said).any() else 0.0


def closeness(one: FirstCells, other: FirstCells) -> float:
    """Cohen's kappa (1960) of classes with those of another column, each read as what it mostly stands beside; 0 where few of
    them recur.
    """
    if one.size != other.size or 2 * len(one.words) > one.size or len(one.words) > MOST_BANDS + len(other.words):
        return 0.0
    if len(other.words) > MOST_CLASSES:
        return 0.0
    counts = np.zeros((len(one.words), len(other.words)))
    np.add.at(counts, (one.column.places, other.column.places), 1)
    same = float(counts.max(axis=1).sum()) / one.size
    by_chance = float(counts.sum(axis=1) @ counts.sum(axis=0)[counts.argmax(axis=1)]) / one.size**2
    return (same - by_chance) / max(1 - by_chance, 1e-9)


CLOSELY, IN_TWO_WORDS = 0.5, 0.6
"""Share of what chance leaves over in which classes in other words have to agree, where no name says that they are true, and
where there are two of them, or few rows."""


def in_other_words(one: FirstCells, predicted: FirstCells, *, named: bool) -> bool:
    """Whether a column names the predicted classes otherwise, by numbers say, each by one of its words, and mostly agrees.

    ``named`` : whether its name is that of the truth; else they agree closely, in two words and in few rows still more so.
    """
    if one.size != predicted.size or one.size < FEWEST_ROWS or len(one.filled) < 2:
        return False
    meant = words_meant(one, predicted)
    if meant is None:
        return False
    same = meant[one.column.places] == predicted.column.places
    shares = [
        np.bincount(places[places >= 0], minlength=len(predicted.words)) / one.size
        for places in (meant[one.column.places], predicted.column.places)
    ]
    agree, by_chance = float(same.mean()), float(shares[0] @ shares[1])
    far = agree - by_chance > BESIDE_CHANCE * np.sqrt(max(by_chance * (1 - by_chance), 1e-9) / one.size)
    named = named or all({*map(folded, cells.filled)} <= YES | NO for cells in (one, predicted))
    closely = LEAST_KAPPA if named else IN_TWO_WORDS if len(one.filled) < 3 or not far else CLOSELY
    surely = far or (one.number_classes and named) or (one.number_classes and one.size < FEW_ROWS)
    return bool(surely and agree - by_chance > closely * (1 - by_chance))


def words_meant(one: FirstCells, predicted: FirstCells) -> NDArray[np.intp] | None:
    """Which predicted class each word of a column mostly stands beside, by their places, -1 where another one does more so.

    None where there are more words than classes, or fewer, or too many.
    """
    if max(len(one.words), len(predicted.words)) > MOST_CLASSES or abs(len(one.words) - len(predicted.words)) > 1:
        return None
    counts = np.zeros((len(one.words), len(predicted.words)))
    np.add.at(counts, (one.column.places, predicted.column.places), 1)
    meant: NDArray[np.intp] = counts.argmax(axis=1)
    most = counts.max(axis=1)
    for place in range(counts.shape[1]):
        same = np.flatnonzero(meant == place)
        meant[same[most[same] < most[same].max(initial=0)]] = -1
    return meant if len({*meant[meant >= 0].tolist()}) > 1 else None


MOST_CLASSES = 1_000
"""Classes up to which a column may name them otherwise."""


def list_chances(one: FirstCells, *, by_spaces: bool = False) -> bool:
    """Whether every cell is a list of as many numbers, which are chances of classes, or scores by the name of the column.

    ``by_spaces`` : whether numbers may stand apart by spaces, as NumPy prints them.
    """
    if by_spaces and one.filled and one.filled[0].startswith("{"):
        return _are_objects_of_chances(one.filled)
    if not one.filled or not one.filled[0].startswith("["):
        return False
    pattern = r"\[[-+0-9.eE]+(, ?[-+0-9.eE]+)+\]"
    words = [re.sub(r"(?<=[\d.])\s+(?=[-+.\d])", ",", word) for word in one.filled] if by_spaces else one.filled
    words = [re.sub(r"\s|\.(?=[,\]])", "", word) for word in words] if by_spaces else words  # 1. is 1 in JSON
    if not all(re.fullmatch(pattern, word) for word in words):
        return False
    try:
        lists = [json.loads(word) for word in words]
    except ValueError:
        return False
    if len({*map(len, lists)}) > 1:
        return False
    return bool(words_of(one.column.name) & OF_CLASSES) or all(
        are_chances(row) and sum(row) > CHANCES_IN_ALL for row in lists
    )


def _are_objects_of_chances(words: list[str]) -> bool:
    """Whether each text is an object, as JSON or Python writes it, with the chance of each of several classes."""
    for word in words:
        try:
            chances = json.loads(word.replace("'", '"'))
        except ValueError:
            return False
        values = [*chances.values()] if isinstance(chances, dict) else []
        if not (len(values) > 1 and all(isinstance(value, float | int) for value in values) and are_chances(values)):
            return False
    return True


def list_it_first(one: FirstCells, predicted: FirstCells) -> bool:
    """Whether every cell is a list of several names, and begins with what is predicted in its row."""
    if (
        one.size != predicted.size
        or not one.filled
        or not all(word.startswith("[") and "," in word for word in one.words)
    ):
        return False
    first = [folded(word.strip("[] ").split(",")[0].strip(" '\"")) for word in one.words]
    said = [folded(word) for word in predicted.words]
    pairs = {*zip(one.column.places.tolist(), predicted.column.places.tolist(), strict=True)}
    return all(first[place] == said[other] for place, other in pairs)


def have_chances(words: FirstCells, others: Iterable[FirstCells]) -> bool:
    """Whether words are classes, and other columns, whose names end as these are called, hold the chance of each."""
    if not words.are_classes or len(words.filled) < 2:
        return False
    ends = {folded(one.column.name.rpartition(".")[2]) for one in others if one.are_shares}
    return {*map(folded, words.filled)} <= ends


def negates(words: Collection[str]) -> bool:
    """Return whether these are two words for what is right and wrong, the one with not, no, in or un before it.

    >>> negates(["Predicted", "Not predicted"]), negates(["correct", "incorrect"]), negates(["smoker", "not smoker"])
    (True, True, False)
    """
    if len(words) != 2:
        return False
    short, long = sorted(map(folded, words), key=len)
    before = long.removesuffix(short).strip(" -_")
    return before in ("not", "no", "non", "in", "un", "mis") and bool(words_of(short) & (PREDICTING | OF_RIGHT))


OF_RIGHT = frozenset({"correct", "right", "match", "matched", "hit", "success", "successful", "classified", "detected"})
"""Words for what is right."""


def names_tell(files: FirstCells, predicted: FirstCells) -> bool:
    """Whether the names of files, without their folders, hold what the classes are called as predictions do, or begin or end
    with a word that goes with one class each.
    """
    names = [re.split(r"[/\\]", word)[-1] for word in files.words]
    stems = [name.rpartition(".")[0] or name for name in names]
    begins = [match[0] if (match := re.match(r"[^\W\d_]+", name)) else "" for name in names]
    ends = [match[1] if (match := re.search(r"[\W\d_]([^\W\d_]+)$", stem)) else "" for stem in stems]
    begin, end, hold = (
        FirstCells("", pa.chunked_array([pa.array(texts, pa.large_string()).take(pa.array(files.column.places))]))
        for texts in (begins, ends, names)
    )
    if begin.size != predicted.size:
        return False
    classes = predicted
    if predicted.are_numbers and not predicted.column.is_empty.any():  # 0 and 0.0 are one
        classes = FirstCells("", pa.chunked_array([pa.array(predicted.column.values)]))
    along = any(one.are_classes and len(one.filled) > 1 and say_the_same(one, classes) for one in (begin, end))
    return along or agrees(begin, predicted) or hold_names_of(hold, predicted)


def folders_tell(files: FirstCells, predicted: FirstCells, *, by_any_name: bool) -> bool:
    """Whether a folder in the names of files is called as the classes are, and agrees with the predictions.

    ``by_any_name`` : or goes with them, whatever it is called.
    """
    parts = [word.replace("\\", "/").split("/")[:-1] for word in files.words]
    for level in range(1, min(map(len, parts), default=0) + 1):
        names = pa.array([part[-level] for part in parts], pa.large_string())
        folder = FirstCells("", pa.chunked_array([names.take(pa.array(files.column.places))]))
        if agrees(folder, predicted) or (by_any_name and _go_together(folder, predicted)):
            return True
    return False


def _go_together(one: FirstCells, predicted: FirstCells) -> bool:
    """Whether the words of a column, each in many rows, go with the predicted classes far more than by chance.

    By Pearson's chi-squared, and Cramer's V for how closely.
    """
    rows, columns, size = len(one.words), len(predicted.words), predicted.size
    few = FEWEST_ROWS * max(rows, columns) <= size == one.size
    if not few or min(rows, columns) < 2:
        return False
    counts = np.zeros((rows, columns))
    np.add.at(counts, (one.column.places, predicted.column.places), 1)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / size
    squared, free = float(((counts - by_chance) ** 2 / by_chance).sum()), (rows - 1) * (columns - 1)
    closely = np.sqrt(squared / (size * (min(rows, columns) - 1)))
    return bool(squared > free + BESIDE_CHANCE * np.sqrt(2 * free) and closely > LEAST_KAPPA)


FIRST_NAMES = 1000
"""First rows in which names of classes are looked for."""

LEAST_NAMED = 0.9
"""Share of rows in which a column holds the name of the class, at least."""

LONG_NAME = 3
"""Letters and digits from which on the name of a class is found within a word; a shorter one is a word of its own."""


def hold_names_of(one: FirstCells, classes: FirstCells) -> bool:
    """Whether cells hold the names of the classes beside them, as jazz_band1 does, in nearly all rows and not by chance."""
    count = min(one.size, FIRST_NAMES)
    places, of_class = one.column.places[:count], classes.column.places[:count]
    known = [bool(one.words[place] and classes.words[other]) for place, other in zip(places, of_class, strict=True)]
    places, of_class = places[known], of_class[known]
    least = FEWEST_ROWS if one.size >= FEWEST_ROWS else FEWEST_NAMED
    if len(places) < max(least, count / 2) or len(np.unique(of_class)) < 2:
        return False
    written = {place: _letters_and_words(one.words[place]) for place in np.unique(places).tolist()}
    named = {place: _letters_and_words(classes.words[place])[0] for place in np.unique(of_class).tolist()}

    def holds(place: int, other: int) -> bool:
        letters, words = written[place]
        return (named[other] in letters) if _is_long(named[other]) else (named[other] in words)

    same = float(np.mean([holds(*pair) for pair in zip(places.tolist(), of_class.tolist(), strict=True)]))
    if same < LEAST_NAMED:
        return False
    counts = [np.unique(part, return_counts=True) for part in (places, of_class)]
    (cells, often), (others, how_often) = [(part.tolist(), (times / len(places)).tolist()) for part, times in counts]
    chance = sum(
        share * of_other
        for place, share in zip(cells, often, strict=True)
        for other, of_other in zip(others, how_often, strict=True)
        if holds(place, other)
    )
    far = same - chance > BESIDE_CHANCE * np.sqrt(max(chance * (1 - chance), 1e-9) / len(places))
    return bool((far or one.size < FEWEST_ROWS) and same - chance > CLOSELY * (1 - chance))


FEWEST_NAMED = 3
"""Rows of a small table in which the names of classes stand in words of other columns by no accident."""


def _letters_and_words(text: str) -> tuple[str, frozenset[str]]:
    """The letters and digits of a text, and its words, both in lower case."""
    words = re.findall(r"[^\W_]+", folded(text))
    return "".join(words), frozenset(words)


def _is_long(name: str) -> bool:
    return len(name) >= LONG_NAME and not name.isdecimal()


def nests_in(one: FirstCells, truth: FirstCells) -> bool:
    """Whether each value of a column, of which there are more than classes, goes with one class, far more than by chance."""
    if one.size != truth.size or one.size < FEWEST_ROWS or not one.are_classes:
        return False
    known = _is_known(truth) & ~one.column.is_empty
    places, classes = one.column.places[known].astype(np.int64), truth.column.places[known].astype(np.int64)
    values, first, counts = np.unique(places, return_index=True, return_counts=True)
    shares = np.bincount(classes) / max(len(classes), 1)
    if len(np.unique(classes)) < 2 or len(values) <= len(np.unique(classes)) or 2 * len(values) > len(places):
        return False
    if len(np.unique(places * (len(truth.words) + 1) + classes)) > len(values):
        return False
    by_chance = np.log(shares[classes[first]]) @ (counts - 1)
    return bool(by_chance < np.log(BY_CHANCE))


OF_BOUNDS = re.compile(
    r"(?:^|[^a-z0-9])(?:(?:q|p|pct|perc|percentile|quantile)[_. -]?0?[.]?[0-9]{1,3}"
    r"|lower|upper|lo|hi|low|high|lwr|upr|lb|ub|ci)(?:[^a-z]|$)"
)
"""What in the name of a number says that it is an end of the interval around a predicted one."""


def bounds_around(columns: Iterable[FirstCells], predicted: FirstCells) -> list[str]:
    """Return the numbers that are called ends of an interval and lie around the predicted ones in nearly all rows."""
    called = [one for one in columns if one.are_numbers and OF_BOUNDS.search(one.column.name.casefold())]
    below, above = set[str](), set[str]()
    for one in called:
        known = (
            one.column.is_number & predicted.column.is_number if one.size == predicted.size else np.zeros(0, np.bool_)
        )
        if known.sum() < FEWEST_ROWS:
            continue
        values, said = one.column.values[known], predicted.column.values[known]
        if (values <= said).mean() >= LEAST_NAMED:
            below.add(one.column.name)
        if (values >= said).mean() >= LEAST_NAMED:
            above.add(one.column.name)
    both = below - above and above - below
    return [one.column.name for one in called if both and one.column.name in below | above]
