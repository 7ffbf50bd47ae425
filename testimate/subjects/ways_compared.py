"""How ways to prepare inputs compare on the same labeled inputs: by the classes that they get right, and by likelihoods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.subject import Model
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.usual_preprocessings import TriedPreprocessing
from testimate.models.facts import CERTAIN, MOST_CERTAIN

UNDERFLOW, UNKNOWN_CLASS = 1e-30, 1e-7
"""A probability below the first came out as 0 or nearly: how unlikely the class was is lost. The second stands for the chance
of a class that the model does not have."""

FEW_LABELS = 50
"""Fewer labels than this never decide between ways in which the model predicts different classes."""

ALPHA = 0.05
"""A way stays possible unless a paired comparison with the best one rejects it at this level, shared among the ways left."""

CONFIRMED = 1e-3
"""The labels confirm a way if its agreement with them would come by chance less often than this."""

LIKELIER = 3.0
"""Standard errors by which the mean log-likelihood of one way has to exceed that of each other one, to decide."""


def possible_ways(tried: tuple[TriedPreprocessing, ...]) -> tuple[TriedPreprocessing, ...]:
    """Return the best way and those that may be as good: exact McNemar on the inputs on which exactly one of two is right.

    The least likely first, each at the level shared among those not rejected yet (Holm, 1979).
    """
    chances = sorted(((_chance_against(one, tried[0]), place) for place, one in enumerate(tried) if place))
    rejected = set[int]()
    for left, (chance, place) in zip(range(len(chances), 0, -1), chances, strict=True):
        if chance > ALPHA / left:
            break
        rejected.add(place)
    return tuple(one for place, one in enumerate(tried) if place not in rejected)


def _chance_against(one: TriedPreprocessing, best: TriedPreprocessing) -> float:
    """The p-value of a way that is as good as the best one."""
    from scipy.stats import binomtest

    right, best_right = one.predicted == one.known, best.predicted == best.known
    better, worse = int((right & ~best_right).sum()), int((best_right & ~right).sum())
    return 1.0 if worse <= better else float(binomtest(better, better + worse).pvalue)


def is_confirmed(one: TriedPreprocessing) -> bool:
    """Whether the predictions agree with the labels more often than by chance, given how often each class occurs in both."""
    from scipy.stats import binomtest

    count = max(int(one.known.max()), int(one.predicted.max())) + 1
    shares = np.bincount(one.known, minlength=count) * np.bincount(one.predicted, minlength=count)
    by_chance = min(float(shares.sum()) / one.count**2, 1.0)
    right = int((one.known == one.predicted).sum())
    return float(binomtest(right, one.count, by_chance, alternative="greater").pvalue) < CONFIRMED


def is_refuted(only: TriedPreprocessing) -> bool:
    """Whether labels enough say that the only way a model takes is wrong: right on half at most, and that by chance."""
    return only.count >= FEW_LABELS and 2 * only.accuracy <= 1 and not is_confirmed(only)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """How likely one way makes the known classes.

    ``logarithms`` : of the chance of each, (n,), at the temperature that suits them best. ``own`` : as the model says it.
    ``underflows`` : whether one came out as 0, its logarithm then too large. ``certain`` : whether nearly all chances say that
    the class is sure, as on numbers far too large.
    """

    logarithms: NDArray[np.float64]
    own: NDArray[np.float64]
    underflows: bool
    certain: bool = False

    @property
    def rank(self) -> tuple[bool, float]:
        """What the likeliest way has the largest of."""
        return not self.underflows, float(self.logarithms.mean())


def is_likelier(likely: Mapping[str, Likelihood], chosen: TriedPreprocessing, rival: TriedPreprocessing) -> bool:
    """Whether the known classes are likelier in one way by more than chance, each at its best temperature."""
    return not likely[chosen.name].underflows and _is_ahead(
        likely[chosen.name].logarithms, likely[rival.name].logarithms
    )


def is_likelier_as_said(
    likely: Mapping[str, Likelihood], chosen: TriedPreprocessing, rival: TriedPreprocessing
) -> bool:
    """Whether the known classes are likelier in one way by more than chance, as the model itself says how likely they are."""
    return not likely[chosen.name].underflows and _is_ahead(likely[chosen.name].own, likely[rival.name].own)


def _is_ahead(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether the mean of one log-likelihood exceeds that of another by more than chance (Vuong, 1989, section 3)."""
    ahead = one - other
    return bool(ahead.mean() > LIKELIER * ahead.std(ddof=1) / np.sqrt(len(ahead)))


def likeliest_of_alike(
    likely: Mapping[str, Likelihood], alike: Sequence[TriedPreprocessing], usual: Sequence[str]
) -> TriedPreprocessing:
    """Of ways that predict the same classes, the one in which the known ones are likelier than in each other one.

    Where none is by more than chance, the usual one of them, the earliest in ``usual``. Ways in which the model is nearly
    always sure count only if there are no others: the numbers are far too large, perhaps.
    """
    unsure = [one for one in alike if not likely[one.name].certain] or [*alike]
    for how in (is_likelier, is_likelier_as_said):
        for one in unsure:
            if all(how(likely, one, other) for other in unsure if other is not one):
                return one
    return min(unsure, key=lambda one: usual.index(one.name))


def likelihood_of(
    model: Model, opened: OpenedDataset, preprocessing: Preprocessing, positions: NDArray[np.intp]
) -> Likelihood:
    """How likely the known classes are at the temperature that suits these inputs best.

    How sure a network is says nothing: another scale alone makes it more confident. So every way has its own temperature
    (Guo et al., 2017, section 4.2), and what is compared is how well the classes are ordered. Alike where the model gives no
    chances.
    """
    assert opened.known is not None
    if "CON" not in model.roles:
        nothing = np.zeros(len(positions))
        return Likelihood(nothing, nothing, underflows=True)
    layer = model.roles["CON"]
    dataset = opened.dataset.with_preprocessing(preprocessing)
    blocks = np.array_split(positions, -(-len(positions) // 256))
    said = np.concatenate([model.run(dataset.batch(opened.known.rows[some]), [layer])[layer] for some in blocks])
    chances, classes = np.asarray(said, dtype=np.float64), opened.known.answers[positions]
    known = classes < chances.shape[1]
    certain = float((chances.max(axis=1) > CERTAIN).mean()) > MOST_CERTAIN
    own = np.full(len(classes), np.log(UNKNOWN_CLASS))
    own[known] = np.log(np.maximum(chances[known, classes[known]], UNDERFLOW))
    underflows = bool((chances[known, classes[known]] < UNDERFLOW).any())
    return Likelihood(tempered(chances, classes), own, underflows, certain)


def tempered(chances: NDArray[np.float64], classes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return log p of each row's class, (n,), with p proportional to chances ** b and the b at which their mean is largest.

    0 for all where each row's class is its only likeliest one: the larger b, the larger p, and no b is the best one.

    ``chances`` : (n, C). ``classes`` : (n,); one of C or more has a small chance, the same in all ways.

    >>> chances, classes = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), np.array([0, 1, 1])
    >>> sharper = chances**3 / (chances**3).sum(axis=1, keepdims=True)
    >>> bool(np.allclose(tempered(chances, classes), tempered(sharper, classes), atol=1e-3))
    True
    """
    from scipy.optimize import minimize_scalar

    largest = chances == chances.max(axis=1, keepdims=True)
    alone = classes.max() < chances.shape[1] and bool((largest.sum(axis=1) == 1).all())
    if alone and largest[np.arange(len(classes)), classes].all():
        return np.zeros(len(classes))
    logits = np.log(np.maximum(chances, UNDERFLOW))
    known = classes < chances.shape[1]
    own = np.where(known, logits[np.arange(len(classes)), np.minimum(classes, chances.shape[1] - 1)], 0)

    def logarithms(exponent: float) -> NDArray[np.float64]:
        scaled = exponent * logits
        most = scaled.max(axis=1)
        found = exponent * own - most - np.log(np.exp(scaled - most[:, None]).sum(axis=1))
        made: NDArray[np.float64] = np.where(known, found, np.log(UNKNOWN_CLASS))
        return made

    best = minimize_scalar(lambda power: -logarithms(np.exp(power)).mean(), bounds=(-7.0, 7.0), method="bounded")
    return logarithms(float(np.exp(best.x)))
