"""How far testers agree beyond chance: Cohen's and Fleiss' kappa and Krippendorff's alpha, per class and per tester.

What each input is, given all votes, is estimated by Dawid and Skene's method, in which each tester errs in their own
way.

Krippendorff 2011: K. Krippendorff, Computing Krippendorff's Alpha-Reliability. Fleiss 1971: J. L. Fleiss, Measuring nominal
scale agreement among many raters, Psychological Bulletin 76.
Dawid and Skene 1979: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm,
Applied Statistics 28.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import NotEnoughLabels

Votes = Mapping[int, Mapping[str, Hashable]]
"""What each tester says about each row, by row and name; None for "cannot tell", which counts as no vote here."""


@dataclass(frozen=True)
class Pair:
    """Two testers: how many inputs both answered, the share on which they agree, and Cohen's kappa.

    ``kappa`` is None where both gave the same single answer throughout, which shows nothing.
    """

    first: str
    second: str
    inputs: int
    agreement: float
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """How far testers agree on the inputs that at least two of them answered.

    Attributes
    ----------
    inputs : how many these are.
    agreement : share of pairs of answers to the same input that are equal, 0..1.
    alpha : Krippendorff's, at most 1; 0 is chance. None where all answers are the same class.
    fleiss : Fleiss' kappa over the ``fleiss_inputs`` inputs with the usual number of answers; None as above.
    per_class : alpha of "this class or another" for each class answered, None where it cannot be computed.
    per_tester : share of a tester's answers that equal another tester's answer to the same input, by name.
    pairs : each two testers with an input in common.
    """

    inputs: int
    agreement: float
    alpha: float | None
    fleiss: float | None
    fleiss_inputs: int
    per_class: Mapping[Hashable, float | None]
    per_tester: Mapping[str, float]
    pairs: tuple[Pair, ...]


def error_rate_of(agreement: float) -> float | None:
    """The share e of wrong answers of testers who err equally often, independently, rarely alike: 2 e (1 - e) = 1 - a.

    ``agreement`` : a, the share of pairs of answers that are equal. None below 1/2, where they agree no more often
    than coins would.

    >>> round(error_rate_of(1 - 2 * 0.02 * 0.98), 4)
    0.02
    """
    if agreement < 0.5:
        return None
    return float((1 - np.sqrt(2 * agreement - 1)) / 2)


def agreement_of(votes: Votes, *, numeric: bool = False) -> Agreement:
    """How far the testers agree; ``numeric`` where answers are numbers, of which alpha counts the squared distances.

    Raises NotEnoughLabels while no input was answered twice.

    >>> found = agreement_of({0: {"Ann": 1, "Bob": 1}, 1: {"Ann": 2, "Bob": 1}, 2: {"Ann": 2, "Bob": 2}})
    >>> round(found.agreement, 3), round(found.alpha, 3)
    (0.667, 0.444)
    """
    answered = {row: {who: said for who, said in given.items() if said is not None} for row, given in votes.items()}
    twice = {row: given for row, given in answered.items() if len(given) >= 2}
    if not twice:
        raise NotEnoughLabels(
            "No input was answered by two testers; agreement needs at least 1 such input. Let another tester answer too."
        )
    equal = [said == other for given in twice.values() for said, other in combinations(given.values(), 2)]
    classes = [] if numeric else sorted({said for given in twice.values() for said in given.values()}, key=repr)
    fleiss, fleiss_inputs = (None, 0) if numeric else fleiss_kappa(twice)
    return Agreement(
        inputs=len(twice),
        agreement=float(np.mean(equal)),
        alpha=krippendorff_alpha(twice, numeric=numeric),
        fleiss=fleiss,
        fleiss_inputs=fleiss_inputs,
        per_class={one: krippendorff_alpha(_one_against_rest(twice, one)) for one in classes},
        per_tester=_per_tester(twice),
        pairs=_pairs(twice),
    )


def krippendorff_alpha(votes: Votes, *, numeric: bool = False) -> float | None:
    """1 - observed disagreement / expected disagreement, at most 1; None where every answer is the same.

    There may be any number of testers, and each may leave inputs out. Source: Krippendorff 2011, sections C and E.
    """
    units = [list(given.values()) for given in votes.values() if len(given) >= 2]
    values = sorted({said for unit in units for said in unit}, key=repr)
    place = {said: number for number, said in enumerate(values)}
    coincidences = np.zeros((len(values), len(values)))
    for unit in units:
        counts = np.bincount([place[said] for said in unit], minlength=len(values)).astype(float)
        coincidences += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    totals = coincidences.sum(axis=0)  # n_c
    if numeric:
        numbers = np.array(values, dtype=np.float64)
        distance = (numbers[:, None] - numbers) ** 2
    else:
        distance = 1.0 - np.eye(len(values))
    expected = (np.outer(totals, totals) * distance).sum() / (totals.sum() - 1)
    if expected == 0:
        return None
    return float(1 - (coincidences * distance).sum() / expected)


def fleiss_kappa(votes: Votes) -> tuple[float | None, int]:
    """Fleiss' kappa of the inputs that have the usual number of answers, and how many these are.

    None where every answer is the same class. Source: Fleiss 1971, equations 3 to 7.
    """
    usual = Counter(len(given) for given in votes.values() if len(given) >= 2).most_common(1)[0][0]
    units = [Counter(given.values()) for given in votes.values() if len(given) == usual]
    per_input = [(sum(count**2 for count in unit.values()) - usual) / (usual * (usual - 1)) for unit in units]
    shares = np.array(list(sum(units, Counter[Hashable]()).values()), dtype=np.float64) / (usual * len(units))
    by_chance = float((shares**2).sum())
    if by_chance == 1:
        return None, len(units)
    return (float(np.mean(per_input)) - by_chance) / (1 - by_chance), len(units)


def _one_against_rest(votes: Votes, one: Hashable) -> Votes:
    return {row: {who: said == one for who, said in given.items()} for row, given in votes.items()}


def _per_tester(votes: Votes) -> dict[str, float]:
    equal: dict[str, list[bool]] = {}
    for given in votes.values():
        for (who, said), (other, heard) in combinations(given.items(), 2):
            equal.setdefault(who, []).append(said == heard)
            equal.setdefault(other, []).append(said == heard)
    return {who: float(np.mean(equal[who])) for who in sorted(equal)}


def _pairs(votes: Votes) -> tuple[Pair, ...]:
    from sklearn.metrics import cohen_kappa_score

    pairs = []
    for first, second in combinations(sorted({who for given in votes.values() for who in given}), 2):
        both = [(given[first], given[second]) for given in votes.values() if first in given and second in given]
        if not both:
            continue
        codes = {said: code for code, said in enumerate(sorted({said for two in both for said in two}, key=repr))}
        here, there = ([codes[two[side]] for two in both] for side in (0, 1))
        kappa = None if len(codes) == 1 else float(cohen_kappa_score(here, there))
        pairs.append(Pair(first, second, len(both), float(np.mean(np.equal(here, there))), kappa))
    return tuple(pairs)


MOST_ROUNDS = 100
SMALLEST_GAIN = 1e-6
"""The gain of log likelihood below which the search ends, relative to it."""

FLOOR = 0.01
"""Votes of each kind that every tester is taken to have given in addition: no confusion is ever impossible."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What the votes say, weighed by how good their testers are.

    Attributes
    ----------
    rows : (n,) the inputs with at least one answer, rising.
    answers : the classes answered, C of them; ``chances`` and ``confusion`` count in their order.
    chances : (n, C) chance of each class, rows sum to 1.
    confusion : tester -> (C, C) chance of each answer (column) given the true class (row), rows sum to 1.
    """

    rows: NDArray[np.intp]
    answers: tuple[Hashable, ...]
    chances: NDArray[np.float64]
    confusion: Mapping[str, NDArray[np.float64]]

    def best(self) -> dict[int, Hashable]:
        """The most likely class of each row."""
        places = self.chances.argmax(axis=1)
        return {int(row): self.answers[place] for row, place in zip(self.rows, places, strict=True)}


def dawid_skene(votes: Mapping[int, Mapping[str, Hashable]]) -> DawidSkene:
    """Chances and confusions by expectation and maximization from the shares of votes; deterministic.

    ``votes`` : what each tester says about each row; None ("cannot tell") is left out. Raises NotEnoughLabels where nobody
    answered anything. Source: Dawid and Skene 1979, equations 2.3 to 2.5.
    """
    answered = {row: {who: said for who, said in votes[row].items() if said is not None} for row in sorted(votes)}
    answered = {row: given for row, given in answered.items() if given}
    if not answered:
        raise NotEnoughLabels("There is no answer yet; Dawid-Skene needs at least 1. Label an input first.")
    testers = sorted({who for given in answered.values() for who in given})
    answers = tuple(sorted({said for given in answered.values() for said in given.values()}, key=repr))
    who = {name: number for number, name in enumerate(testers)}
    place = {said: number for number, said in enumerate(answers)}
    counts = np.zeros((len(answered), len(testers), len(answers)))  # 1 where the tester gave the answer
    for item, given in enumerate(answered.values()):
        for name, said in given.items():
            counts[item, who[name], place[said]] = 1.0
    chances = counts.sum(axis=1)
    chances /= chances.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(MOST_ROUNDS):
        confusion = np.einsum("ic,ija->jca", chances, counts) + FLOOR  # eq. 2.3
        confusion /= confusion.sum(axis=2, keepdims=True)
        prior = chances.mean(axis=0)  # eq. 2.4
        with np.errstate(divide="ignore"):
            log_joint = np.log(prior) + np.einsum("ija,jca->ic", counts, np.log(confusion))  # eq. 2.5
        largest = log_joint.max(axis=1, keepdims=True)
        weight = np.exp(log_joint - largest)
        likelihood = float((largest[:, 0] + np.log(weight.sum(axis=1))).sum())
        chances = weight / weight.sum(axis=1, keepdims=True)
        if likelihood - before <= SMALLEST_GAIN * abs(likelihood):
            break
        before = likelihood
    return DawidSkene(
        np.array(list(answered), dtype=np.intp), answers, chances, dict(zip(testers, confusion, strict=True))
    )
