"""Distinguishes a model whose classes are in the wrong order from one that is merely bad, by its answers on labeled inputs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import binom

from testimate.core.words import spaced

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
    def sentence(self) -> str:
        """The share that is right now and the share in the proposed order, of how many inputs.

        >>> ExchangedClasses(("b", "a"), ("a", "b"), 0.215, 0.785, 200, (("a", "b"),)).sentence
        '21.5 % right; with a and b exchanged 78.5 % (of 200 labeled inputs)'
        """
        if self.pairs and len(self.pairs) <= SHOWN:
            how = f"with {'; '.join(f'{one} and {other}' for one, other in self.pairs)} exchanged"
        else:
            moved = set(self.moved)
            said = [f"output {place} as {name}" for place, name in enumerate(self.names) if name in moved]
            more = "" if len(said) <= SHOWN else f" and {spaced(len(said) - SHOWN)} others changed"
            how = f"with {', '.join(said[:SHOWN])}{more}"
        prepared = f" and the inputs prepared as {self.prepared!r}" if self.prepared else ""
        numbers = f"{100 * self.right:.1f} % right; {how}{prepared} {100 * self.right_then:.1f} %"
        return f"{numbers} (of {spaced(self.count)} labeled inputs)"


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
    level ``CHANCE`` divided by the number of tests.

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
