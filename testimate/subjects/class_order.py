"""Which output of a model is which class: the names in the order of the outputs, and why in this order.

Distinguishes a model whose classes are in the wrong order from one that is merely bad, by its answers on labeled inputs.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import binom

from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.words import commas, is_or_are
from testimate.datasets.class_lists import ClassList
from testimate.datasets.dataset import ClassSource, KnownAnswers, OpenedDataset

NUMBERED = "nothing names them"

WHY: dict[ClassSource, str] = {
    "numbers": "the labels are the numbers of the outputs",
    "words": "the labels' words in alphabetical order, as nothing names the outputs",
    "folders": "the folders in alphabetical order, as Keras and torchvision number them",
}
"""Where the order of the dataset's own names comes from."""

SHOWN_NAMES = 6
"""Names that a sentence lists."""


@dataclass(frozen=True)
class ClassOrder:
    """The classes in the order of the model's outputs.

    Attributes
    ----------
    names : C of them, all different; untrusted text. source : where the order comes from, for a sentence.
    same : whether names that differ only in case, spaces or Unicode form are one class; None if there are no such
        names.
    remarks : sentences on lists that were found and not used, and on names that are numbers in another order.
    """

    names: tuple[str, ...]
    source: str
    same: bool | None = None
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The order and why, in words.

        >>> ClassOrder(("stays", "leaves"), "as given").sentence
        'output 0 is stays, output 1 is leaves (as given)'
        """
        said = [f"output {place} is {name}" for place, name in enumerate(self.names)]
        if len(said) > SHOWN_NAMES:
            said = [*said[: SHOWN_NAMES - 2], "…", said[-1]]
        return f"{', '.join(said)} ({self.source})"


class UnclearClasses(BadInput):
    """Which output is which class cannot be determined without asking.

    ``outputs`` : how many the model has. ``named`` : the names in the data, in the data's order. ``alike`` : pairs of names
    that differ only in case, spaces or Unicode form, if that is the question.
    """

    def __init__(
        self, sentence: str, outputs: int, named: Sequence[str], alike: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(sentence)
        self.outputs, self.named, self.alike = outputs, tuple(named), tuple(alike)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.outputs, self.named, self.alike)


def order_of_classes(
    outputs: int,
    opened: OpenedDataset,
    found: Sequence[ClassList],
    *,
    chosen: ClassList | None = None,
    same: bool | None = None,
) -> ClassOrder:
    """The order that a person chose, else the first list found that fits, else the data's own names.

    Parameters
    ----------
    outputs : of the model, C. found : lists from files and metadata, the likeliest first; those of another length are
        not used, and a remark says so. chosen : by a person. same : the answer to whether names that are alike are one
        class.

    Raises
    ------
    UnclearClasses : the list chosen has another length or a name twice, names are alike and it is not known whether
        they are the same, or the data's names are neither those of the outputs nor their numbers.
    """
    known = opened.known if opened.classes else None
    named = () if known is None else _used(known)
    if chosen is not None:
        _check_list(chosen, outputs, named)
        return _fitting(chosen, outputs, known, same, ())
    remarks: list[str] = []
    fitting = [one for one in found if len(one.names) == len(set(one.names)) == outputs]
    named_in = [one for one in fitting if named and {*named} <= {*one.names}]
    for one in found:
        if one in fitting:
            return _fitting((named_in or fitting)[0], outputs, known, same, tuple(remarks))
        doubles = f" of which {len(one.names) - len(set(one.names))} twice" if len(one.names) == outputs else ""
        remarks.append(
            f"{one.source} lists {commas(len(one.names))} names{doubles} and the model has {commas(outputs)} outputs, so it "
            "was not used."
        )
    try:
        return _named_by_data(outputs, known, named, same, tuple(remarks))
    except UnclearClasses as error:
        if known is None or known.source != "folders" or error.alike:
            raise
        depths = [f"{_some(words)} (--label {depth!r})" for depth, words in opened.words.items()]
        within = f" Other folders of these files: {'; '.join(depths)}." if depths else ""
        raise UnclearClasses(f"{error}{within}", outputs, named) from None


def in_output_order(opened: OpenedDataset, order: ClassOrder) -> OpenedDataset:
    """The same dataset with its answers as places among the outputs; UnclearClasses where a name is none of them."""
    if opened.known is None or not opened.classes:
        return opened
    return replace(opened, known=_placed(opened.known, order))


def key_of(name: str) -> str:
    """A key that is equal for names that differ only in case, spaces or Unicode form.

    >>> key_of("  Big  Cat") == key_of("big cat")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def pairs_alike(names: Sequence[str]) -> list[tuple[str, str]]:
    """Names that differ only in case, spaces or Unicode form, each with the first that is like it."""
    first: dict[str, str] = {}
    return [
        (earlier, name) for name in dict.fromkeys(names) if (earlier := first.setdefault(key_of(name), name)) != name
    ]


def _used(known: KnownAnswers) -> tuple[str, ...]:
    """The names that occur in the data."""
    if known.answers.ndim == 2:
        return known.classes
    return tuple(known.classes[place] for place in np.unique(known.answers))


def _fitting(
    listed: ClassList, outputs: int, known: KnownAnswers | None, same: bool | None, remarks: tuple[str, ...]
) -> ClassOrder:
    """The order of a list, once the data's names have been found in it."""
    named = () if known is None else _used(known)
    if same is None and set(named) - set(listed.names):
        _ask_about(pairs_alike([*listed.names, *named]), outputs, named)
    if same is None:
        _ask_about(pairs_alike(listed.names), outputs, named)
    if same and (alike := pairs_alike(listed.names)):
        raise UnclearClasses(
            f"{alike[0][0]!r:.60} and {alike[0][1]!r:.60} are two outputs of the list and were declared the same class. "
            "Expected a class for each output. Rename one of them, or say that they are different.",
            outputs,
            named,
        )
    if known is not None and _other_numbers(listed.names) and not set(named) - set(listed.names):
        remarks = (
            *remarks,
            f"The list's names are numbers and output 0 is {listed.names[0]!r:.60}: the labels were read as these names, not "
            "as the numbers of the outputs. Leave the list out where a label is the number of its output.",
        )
    order = ClassOrder(listed.names, listed.source, same, remarks)
    if known is not None:
        _placed(known, order)
    return order


def _other_numbers(names: Sequence[str]) -> bool:
    """Whether all names are numbers, and not those of their own outputs."""
    return all(name.isdecimal() for name in names) and list(names) != [str(place) for place in range(len(names))]


def _named_by_data(
    outputs: int, known: KnownAnswers | None, named: tuple[str, ...], same: bool | None, remarks: tuple[str, ...]
) -> ClassOrder:
    numbers = tuple(str(place) for place in range(outputs))
    if known is None:
        return ClassOrder(numbers, NUMBERED, None, remarks)
    if same is None:
        _ask_about(pairs_alike(named), outputs, named)
    if _are_outputs(named, outputs):
        if known.source == "folders" and outputs > 10:
            remarks = (
                *remarks,
                "The names of the folders are numbers and were taken for the outputs with those numbers. Keras and "
                "torchvision number folders in alphabetical order (0, 1, 10, …): if the model was trained on such "
                "folders, list the names in that order.",
            )
        return ClassOrder(numbers, WHY["numbers"], None, remarks)
    words = tuple(dict.fromkeys(_first_alike(named)[name] for name in named)) if same else known.classes
    if known.source == "numbers" and _counts_from_one(named, outputs):
        remark = f'The labels are the numbers 1 to {commas(outputs)}, so "1" was taken for output 0.'
        return ClassOrder(tuple(str(place + 1) for place in range(outputs)), "numbers from 1", None, (*remarks, remark))
    if len(words) == outputs:
        if _counts_from_one(named, outputs) and outputs > 9:
            remarks = (
                *remarks,
                f"The names are the numbers 1 to {commas(outputs)} in alphabetical order (1, 10, …), as Keras and "
                "torchvision number folders. If the model was trained in numeric order, list the names in that order.",
            )
        return ClassOrder(words, WHY[known.source], same, remarks)
    raise UnclearClasses(
        f"The model distinguishes {commas(outputs)} classes and the dataset names {commas(len(words))} "
        f"({_some(words)}), so nobody can tell which output is which. Expected a name for each output. "
        f"{_what_to_do(outputs)} {' '.join(remarks)}".strip(),
        outputs,
        words,
    )


def _placed(known: KnownAnswers, order: ClassOrder) -> KnownAnswers:
    """The answers as places among the outputs."""
    places = _places(known, order)
    if known.answers.ndim == 2:
        marked = np.zeros((len(known.answers), len(order.names)), dtype=known.answers.dtype)
        for column, place in enumerate(places):
            marked[:, place] |= known.answers[:, column]
        return replace(known, answers=marked, classes=order.names)
    return replace(known, answers=places[known.answers], classes=order.names)


def _places(known: KnownAnswers, order: ClassOrder) -> NDArray[np.intp]:
    """The output of each of the dataset's names, -1 of those that do not occur; UnclearClasses where one is none of them."""
    named = _used(known)
    outputs = ClassIndex(order.names, key_of if order.same else str)
    found = {name: outputs.get(name) for name in named}
    if any(place is None for place in found.values()):
        if not _are_outputs(named, len(order.names)):
            strange = [name for name, place in found.items() if place is None]
            raise UnclearClasses(
                f"The labels name {_some(strange)}, which {is_or_are(len(strange))} not among the model's classes "
                f"{_some(order.names)} ({order.source}). Expected labels in these words. Rename them, or give the list of all "
                f"{commas(len(order.names))} classes in the words of the labels and in the order of the model's outputs.",
                len(order.names),
                named,
            )
        found = {name: int(name) for name in named}
    return np.array([-1 if found.get(name) is None else found[name] for name in known.classes], dtype=np.intp)


def _are_outputs(named: Sequence[str], outputs: int) -> bool:
    """Whether all names are numbers below the number of outputs, each once."""
    numbers = [int(name) for name in named if name.isdecimal() and len(name) < 10]
    return len(numbers) == len(named) == len(set(numbers)) and all(number < outputs for number in numbers)


def _counts_from_one(named: Sequence[str], outputs: int) -> bool:
    """Whether the names are numbers from 1 up to the number of outputs, with that number among them."""
    if not all(name.isdecimal() and len(name) < 10 for name in named):
        return False
    numbers = {int(name) for name in named}
    return bool(numbers) and min(numbers) >= 1 and max(numbers) == outputs


def _first_alike(names: Sequence[str]) -> dict[str, str]:
    """For each name the first name like it, which stands for both."""
    first: dict[str, str] = {}
    return {name: first.setdefault(key_of(name), name) for name in names}


def _check_list(chosen: ClassList, outputs: int, named: Sequence[str]) -> None:
    """UnclearClasses where a chosen list has too few or too many names, or one of them twice."""
    count = len(chosen.names)
    doubles = [name for name, times in Counter(chosen.names).items() if times > 1]
    if doubles:
        raise UnclearClasses(
            f"The list of classes names {_some(doubles)} more than once. Expected a name of its own for each output. "
            "Rename one.",
            outputs,
            named,
        )
    if count != outputs:
        raise UnclearClasses(
            f"The list names {commas(count)} {'class' if count == 1 else 'classes'} ({_some(chosen.names)}) and the model has "
            f"{commas(outputs)} outputs. Expected {commas(outputs)} names, the first for output 0. "
            + (
                "Add those that are missing."
                if count < outputs
                else "Remove those that belong to no output of this model."
            ),
            outputs,
            named,
        )


def _ask_about(alike: Sequence[tuple[str, str]], outputs: int, named: Sequence[str]) -> None:
    """UnclearClasses where names are alike."""
    if alike:
        pairs = "; ".join(f"{first!r:.60} and {second!r:.60}" for first, second in alike[:3])
        more = f" (and {commas(len(alike) - 3)} more such pairs)" if len(alike) > 3 else ""
        raise UnclearClasses(
            f"{pairs}{more} differ only in case, spaces or Unicode form: the same class? Expected one spelling of each "
            "class. Say that they are the same (--same-names) or not (--different-names), or spell them the same way.",
            outputs,
            named,
            alike,
        )


def _what_to_do(outputs: int) -> str:
    return (
        f"List all {commas(outputs)} classes, the first for output 0: with --class-names, under Project, or in "
        "classes.txt beside the model, one name per line."
    )


def _some(names: Sequence[str]) -> str:
    """Some names for a sentence."""
    said = ", ".join(repr(name)[:60] for name in names[:SHOWN_NAMES])
    return f"{said}, …" if len(names) > SHOWN_NAMES else said


# A wrong order is reported on folds it was not found on, and never applied: decision 26.
FOLDS = 5
"""Parts of the labeled inputs; an order is found on all but one and judged on that one."""

CHANCE = 0.001
"""The highest probability that an order which is no better gains as much on inputs that it was not found on."""

TIMES = 2
"""The classes that move must be right at least this many times as often as now."""

EXPLAINED = 0.75
"""This share of the classes must have their output predicted more often than any other, once they are exchanged."""

MOST_INPUTS, MOST_CLASSES = 20_000, 2_000
"""Most labeled inputs, beyond which they are thinned out evenly, and most classes whose order is judged."""

SHOWN = 5
"""Most classes or pairs that a sentence names."""


@dataclass(frozen=True)
class ExchangedClasses:
    """Another order of the classes in which the model would be right far more often.

    Attributes
    ----------
    names : C, in the proposed order. moved : the names that change their output. right, right_then : share of ``count``
        labeled inputs that are right now and in the proposed order. pairs : the classes exchanged two by two.
        prepared : name of the preprocessing with which this holds; empty for the one chosen.
    """

    names: tuple[str, ...]
    moved: tuple[str, ...]
    right: float
    right_then: float
    count: int
    pairs: tuple[tuple[str, str], ...] = ()
    prepared: str = ""

    @property
    def counts_from_one(self) -> bool:
        """Whether the classes are numbers, and each is that of the output before: the labels seem to count from 1.

        >>> ExchangedClasses(("1", "2", "0"), ("0", "1", "2"), 0.0, 0.9, 60).counts_from_one
        True
        """
        return self.names[:-1] == tuple(str(place + 1) for place in range(len(self.names) - 1))

    @property
    def sentence(self) -> str:
        """The share that is right now and the share in the proposed order, of how many inputs.

        >>> ExchangedClasses(("b", "a"), ("a", "b"), 0.215, 0.785, 200, (("a", "b"),)).sentence
        '21.5% right; with a and b exchanged 78.5% (of 200 labeled inputs)'
        """
        if self.pairs and len(self.pairs) <= SHOWN:
            how = f"with {'; '.join(f'{one} and {other}' for one, other in self.pairs)} exchanged"
        else:
            moved = set(self.moved)
            said = [f"output {place} as {name}" for place, name in enumerate(self.names) if name in moved]
            more = "" if len(said) <= SHOWN else f" and {commas(len(said) - SHOWN)} others changed"
            how = f"with {', '.join(said[:SHOWN])}{more}"
        prepared = f" and the inputs prepared as '{self.prepared}'" if self.prepared else ""
        numbers = f"{100 * self.right:.1f}% right; {how}{prepared} {100 * self.right_then:.1f}%"
        return f"{numbers} (of {commas(self.count)} labeled inputs)"


def find_exchanged_classes(
    known: NDArray[np.intp],
    predicted: NDArray[np.intp],
    names: Sequence[str],
    *,
    now: NDArray[np.intp] | None = None,
    tests: int = 1,
    prepared: str = "",
) -> ExchangedClasses | None:
    """The order of the classes of a misread model; None if the model may as well be merely bad.

    The order is the assignment of classes to outputs with the most right answers (Kuhn 1955, by SciPy's
    ``linear_sum_assignment``). An assignment fits noise, too, so it is judged on inputs that it was not found on, fold
    by fold, and each cycle of classes that move together is judged by itself. A cycle counts if

    - its classes are right at least ``TIMES`` as often as now, each class weighing the same, and
    - a share of at least ``EXPLAINED`` of its classes have their new output predicted more often than any other.

    These cycles must explain the model as a whole: the same share of all classes, moved or not, must have their output
    predicted more often than any other. A network that predicts few of its outputs has no such order, and an untrained
    one, whose answers depend on the class without meaning, has one only by accident: with ten classes hardly ever. And
    the gain must exceed chance: a one-sided sign test, over the inputs that are right in only one of the orders, at
    level ``CHANCE`` divided by the number of tests. Of two classes that test is enough: a model that is right less often
    than its mirror image is misread, or worse than no model, also if it nearly always predicts the same class.

    Parameters
    ----------
    known, predicted : (n,) places of the true and of the predicted class in the present order. names : C, in that order.
    now : (n,) what the model predicts as it is read now, if that differs, for instance with another preprocessing.
    tests : how many such tests are made on the same inputs. prepared : name of the preprocessing behind ``predicted``.

    Examples
    --------
    >>> truth = np.arange(100) % 2
    >>> find_exchanged_classes(truth, 1 - truth, ("stays", "leaves")).names
    ('leaves', 'stays')
    >>> find_exchanged_classes(truth, np.zeros(100, dtype=int), ("stays", "leaves")) is None
    True
    """
    step = -(-len(known) // MOST_INPUTS) or 1
    known, predicted = known[::step], predicted[::step]
    now = predicted if now is None else now[::step]
    if len(names) == 2 and (mirrored := _mirrored(known, predicted, tuple(names), now, tests, prepared)) is not None:
        return mirrored
    present, row = np.unique(known, return_inverse=True)
    if not len(known) or len(present) > MOST_CLASSES or len(names) > 10 * MOST_CLASSES:
        return None
    counts = _counts(row, predicted, len(present), len(names))  # (K, C)
    permutation = _permutation(_assigned(counts, present), present, len(names))
    hit = _hits_on_other_folds(row, predicted, counts, present)
    shares = _Shares.of(counts, present, row, hit, now == known, permutation)
    kept = np.arange(len(names))
    for cycle in _cycles(permutation):
        if shares.looks_misread(np.isin(present, cycle)):
            kept[cycle] = permutation[cycle]
    moves = kept[known] != known
    if shares.explained_with(kept[present] != present) < EXPLAINED:
        return None
    was_right, is_right = now == known, np.where(moves, hit, predicted == known)
    gained, lost = int((is_right & ~was_right).sum()), int((was_right & ~is_right).sum())
    if not moves.any() or binom.sf(gained - 1, gained + lost, 0.5) > CHANCE / tests:
        return None
    order = np.empty(len(names), dtype=np.intp)
    order[kept] = np.arange(len(names))  # the output kept[c] gets the name of class c
    moved = np.flatnonzero(kept != np.arange(len(names)))
    return ExchangedClasses(
        names=tuple(names[place] for place in order.tolist()),
        moved=tuple(names[place] for place in moved.tolist()),
        right=float(was_right.mean()),
        right_then=float((kept[known] == predicted).mean()),
        count=len(known),
        pairs=_pairs(kept, moved, names),
        prepared=prepared,
    )


def _mirrored(
    known: NDArray[np.intp],
    predicted: NDArray[np.intp],
    names: tuple[str, ...],
    now: NDArray[np.intp],
    tests: int,
    prepared: str,
) -> ExchangedClasses | None:
    """Two classes exchanged, if the model is right more often then than now, by more than chance."""
    was_right, is_right = now == known, predicted == 1 - known
    gained, lost = int((is_right & ~was_right).sum()), int((was_right & ~is_right).sum())
    if binom.sf(gained - 1, gained + lost, 0.5) > CHANCE / tests:
        return None
    return ExchangedClasses(
        names=(names[1], names[0]),
        moved=names,
        right=float(was_right.mean()),
        right_then=float(is_right.mean()),
        count=len(known),
        pairs=((names[0], names[1]),),
        prepared=prepared,
    )


def _counts(row: NDArray[np.intp], predicted: NDArray[np.intp], classes: int, outputs: int) -> NDArray[np.int64]:
    """The confusion matrix, (K, C)."""
    counts: NDArray[np.int64] = np.bincount(row * outputs + predicted, minlength=classes * outputs).reshape(classes, -1)
    return counts


def _assigned(counts: NDArray[np.int64], present: NDArray[np.intp]) -> NDArray[np.intp]:
    """The output assigned to each class that occurs, (K,); of equally good orders the one that moves the fewest classes."""
    worth = counts.astype(np.float64)
    worth[np.arange(len(present)), present] += 1 / (len(present) + 1)
    return np.asarray(linear_sum_assignment(worth, maximize=True)[1], dtype=np.intp)


def _permutation(assigned: NDArray[np.intp], present: NDArray[np.intp], outputs: int) -> NDArray[np.intp]:
    """The output of every class, (C,): a class that does not occur keeps its own output if that is free."""
    permutation = np.full(outputs, -1, dtype=np.intp)
    permutation[present] = assigned
    free = np.setdiff1d(np.arange(outputs), assigned)
    absent = np.flatnonzero(permutation < 0)
    stay = np.intersect1d(absent, free)
    permutation[stay] = stay
    permutation[np.setdiff1d(absent, stay)] = np.setdiff1d(free, stay)
    return permutation


def _hits_on_other_folds(
    row: NDArray[np.intp], predicted: NDArray[np.intp], counts: NDArray[np.int64], present: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Whether each input is right in the order found without its fold, (n,); folds are stratified by class."""
    order = np.argsort(row, kind="stable")
    fold = np.empty(len(row), dtype=np.intp)
    fold[order] = np.arange(len(row)) % FOLDS
    hit = np.zeros(len(row), dtype=np.bool_)
    for place in range(FOLDS):
        held = fold == place
        found = _assigned(counts - _counts(row[held], predicted[held], *counts.shape), present)
        hit[held] = found[row[held]] == predicted[held]
    return hit


def _cycles(permutation: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The cycles of a permutation, without fixed points."""
    seen = permutation == np.arange(len(permutation))
    found = []
    for start in np.flatnonzero(~seen):
        cycle = []
        while not seen[start]:
            seen[start] = True
            cycle.append(start)
            start = permutation[start]
        if cycle:
            found.append(np.array(cycle, dtype=np.intp))
    return found


@dataclass(frozen=True, eq=False)
class _Shares:
    """For each class that occurs, (K,): the share right now, the share right on other folds in the order found, whether
    its own output is predicted more often than any other, and whether the assigned one is."""

    was: NDArray[np.float64]
    then: NDArray[np.float64]
    own: NDArray[np.bool_]
    found: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        counts: NDArray[np.int64],
        present: NDArray[np.intp],
        row: NDArray[np.intp],
        hit: NDArray[np.bool_],
        right: NDArray[np.bool_],
        permutation: NDArray[np.intp],
    ) -> "_Shares":
        sizes = counts.sum(axis=1)
        hits = np.bincount(row, weights=hit, minlength=len(present))
        was = np.bincount(row, weights=right, minlength=len(present))
        diagonal = counts[np.arange(len(present)), present]
        own = (diagonal > 0) & (diagonal >= _most_of_others(counts, present))
        found = (hits > 0) & (hits >= _most_of_others(counts, permutation[present]))
        return cls(was / sizes, hits / sizes, own, found)

    def looks_misread(self, cycle: NDArray[np.bool_]) -> bool:
        """Whether the classes of a cycle, (K,), look like those of a model whose outputs were misread."""
        if not cycle.any() or self.found[cycle].mean() < EXPLAINED:
            return False
        return bool(self.then[cycle].mean() >= TIMES * self.was[cycle].mean())

    def explained_with(self, moved: NDArray[np.bool_]) -> float:
        """The share of all classes that are explained once these, (K,), have moved."""
        return float(np.where(moved, self.found, self.own).mean())


def _most_of_others(counts: NDArray[np.int64], outputs: NDArray[np.intp]) -> NDArray[np.int64]:
    """How often the second most frequent output of each row is predicted, (K,)."""
    others = counts.copy()
    others[np.arange(len(counts)), outputs] = 0
    most: NDArray[np.int64] = others.max(axis=1)
    return most


def _pairs(kept: NDArray[np.intp], moved: NDArray[np.intp], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The classes exchanged two by two; none if any moves in another way."""
    if not (kept[kept[moved]] == moved).all():
        return ()
    return tuple(
        (names[one], names[other])
        for one, other in zip(moved.tolist(), kept[moved].tolist(), strict=True)
        if one < other
    )
