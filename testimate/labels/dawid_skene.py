"""Dawid and Skene's estimate of the true class from votes of testers who err, each in a way of their own.

Dawid and Skene 1979: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm,
Applied Statistics 28.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import NotEnoughLabels

MOST_ROUNDS = 100
SMALLEST_GAIN = 1e-6
"""The gain of log likelihood below which the search ends, relative to it."""

FLOOR = 0.01
"""Votes of each kind that every tester is taken to have given besides: no confusion is ever impossible."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What the votes, weighed by how good their testers are, say.

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

    ``votes`` : what each tester says of each row; None ("cannot tell") is left out. Raises NotEnoughLabels where nobody
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
