"""Cross-entropy sampling: batch by batch, the sample whose neurons look most like the whole set's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.base import FixedList, check_seed, check_variant

START = 30  # inputs drawn at random to begin with
BATCH = 5
BLOCK = 1 << 16  # numbers binned at a time, few enough for a processor's cache


class CrossEntropySampling(FixedList):
    """Starts with 30 random inputs; then, of 30 random batches of 5, keeps the one that brings the sample closest.

    Closest in the average over neurons of KL(sample || whole set), each neuron's values counted in ``sections`` of equal
    width between its smallest and largest value in the whole set. No input comes twice, and the last batch is as large
    as the budget leaves. (The authors' program may repeat inputs, leaves values on a section's border out, and falls back
    to a random batch where no candidate improves on the sample so far.)

    Each value is binned once; a candidate changes few counts, and only what it changes is computed.

    Parameters
    ----------
    features : (N, width) outputs of a layer's neurons, the last hidden layer in the paper.
    budget : n, inputs to choose, 1..N.
    seed : whole number that determines every choice; a larger budget continues the list of a smaller one by whole batches.
    sections, candidates : see above.

    Source: Li et al. 2019, "Boosting operational DNN testing efficiency through conditioning", section 4.2; DeepSample,
    section 3.4.1.
    """

    name: ClassVar[str] = "ces"
    title: ClassVar[str] = "Cross-entropy sampling"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Chosen to look like the whole set, not drawn at random, so its estimate comes without a guarantee; "
        "its authors treat it as a simple random sample.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Li et al., Boosting operational DNN testing efficiency (2019); DeepSample, section 3.4.1"
    options: ClassVar[tuple[Option, ...]] = (
        Option("sections", 30, "Sections a neuron's range is cut into.", low=2, high=250),
        Option("candidates", 30, "Random batches of which the best is kept.", low=1, high=1000),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        features: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        sections: int = 30,
        candidates: int = 30,
    ) -> None:
        values = check_features(features)  # (N, width)
        budget = check_budget(budget, len(values))
        check_variant(variant, self.variants)
        check_options(self.options, sections=sections, candidates=candidates)
        self._candidates = candidates
        rng = np.random.default_rng(check_seed(seed))
        rows = _choose(values, budget, sections, candidates, rng)
        super().__init__(Purposive((len(values),), budget), rows, self._why)

    def _why(self, position: int) -> str:
        if position < START:
            return f"one of {START} drawn at random to start with"
        batch = (position - START) // BATCH + 1
        return f"batch {batch}, of {self._candidates} random ones the most like the whole set with those before"


def _choose(
    values: NDArray[Any], budget: int, sections: int, candidates: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """The rows chosen, (n,), in order."""
    bins = _bins(values, sections)  # (N, width)
    log_whole = _log_shares(bins, sections)  # (width * sections,)
    cells = np.arange(bins.shape[1]) * sections  # (width,), each neuron's first section
    chosen = rng.permutation(len(bins))[: min(START, budget)]
    rest = np.setdiff1d(np.arange(len(bins)), chosen, assume_unique=True)
    counts = np.bincount((bins[chosen] + cells).ravel(), minlength=log_whole.size)
    # f(c + 1) - f(c) for f(c) = c log c: what one more value in a section of c adds to the sum of c log c
    table = np.arange(budget + 1, dtype=np.float64)
    gain = np.diff(table * np.log(np.maximum(table, 1)))  # (n,)
    while len(chosen) < budget:
        size = min(BATCH, budget - len(chosen))
        places = np.stack([rng.choice(len(rest), size, replace=False) for _ in range(candidates)])  # (K, size)
        sorted_bins = np.sort(bins[rest[places]], axis=1) + cells  # (K, size, width)
        best = int(np.argmin(_costs(sorted_bins, counts, gain, log_whole)))
        batch = rest[places[best]]
        counts += np.bincount(sorted_bins[best].ravel(), minlength=counts.size)
        chosen = np.concatenate([chosen, batch])
        rest = np.delete(rest, places[best])
    return chosen.astype(np.intp)


def _costs(
    cells: NDArray[np.intp], counts: NDArray[np.intp], gain: NDArray[np.float64], log_whole: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each candidate batch adds to the sum of c log c - c log(whole share), (K,), but for what all have in common.

    With k values per neuron that sum is k (KL + log k), so the least is the closest. ``cells`` (K, size, width) are sorted
    along the batch: equal ones, which go into the same section, are neighbors.
    """
    repeats = np.zeros(cells.shape, dtype=np.intp)  # how many of the batch are in this section already
    for place in range(1, cells.shape[1]):
        repeats[:, place] = (repeats[:, place - 1] + 1) * (cells[:, place] == cells[:, place - 1])
    added = gain[counts[cells] + repeats] - log_whole[cells]
    costs: NDArray[np.float64] = added.sum(axis=(1, 2))
    return costs


def _bins(values: NDArray[Any], sections: int) -> NDArray[np.uint8]:
    """The section of each value, (N, width), 0..sections - 1; 0 for a neuron that never changes."""
    low, high = values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    width = (high / 2 - low / 2) / sections  # halved, or the widest range would overflow
    width[width == 0] = 1.0
    bins = np.empty(values.shape, dtype=np.uint8)
    step = max(1, BLOCK // values.shape[1])
    for start in range(0, len(values), step):
        places = values[start : start + step].astype(np.float64)
        places *= 0.5
        places -= low / 2
        places /= width
        np.minimum(places, sections - 1, out=places)
        bins[start : start + step] = places
    return bins


def _log_shares(bins: NDArray[np.uint8], sections: int) -> NDArray[np.float64]:
    """Logarithm of the share of the whole set in each section of each neuron, (width * sections,); 0 where it is empty."""
    counts = np.stack([np.bincount(neuron, minlength=sections) for neuron in bins.T])  # (width, sections)
    return np.asarray(np.log(np.maximum(counts, 1) / len(bins)) * (counts > 0)).ravel()
