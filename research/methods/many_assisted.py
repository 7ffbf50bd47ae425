"""Thousands of model-assisted estimates at once, each as ``estimate_difference`` makes it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.methods.many_stratified import accuracies, counts_of_rounds
from testimate.estimators.difference import Model, assisted_ends, residual_sums, without_leverage

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ManySamples:
    """R samples of n labels from strata: rows and their strata, (R, n), the strata in turn; ``counts`` (R, H) of each."""

    rows: Places
    strata: Places
    counts: Places


def many_samples(strata: Places, sizes: Places, labels: int, campaigns: int, rng: np.random.Generator) -> ManySamples:
    """Samples without replacement: simple random of one stratum, else whole rounds over the strata (rrs).

    Parameters
    ----------
    strata, sizes : (N,) stratum of each input, and inputs in each, (H,).
    """
    members = [np.flatnonzero(strata == number) for number in range(sizes.size)]
    one = sizes.size == 1
    counts = np.full((campaigns, 1), labels) if one else counts_of_rounds(sizes, labels, campaigns, rng)
    rows = np.empty((campaigns, labels), dtype=np.intp)
    for campaign, drawn in enumerate(counts):
        parts = [rng.choice(of, count, replace=False, shuffle=False) for of, count in zip(members, drawn, strict=True)]
        rows[campaign] = np.concatenate(parts)
    return ManySamples(rows, strata[rows], counts)


def many_assisted(
    losses: Floats, guesses: Floats, sizes: Places, samples: ManySamples, *, model: Model, level: float = 0.95
) -> dict[str, Floats]:
    """The estimates of the samples by column, from the losses and guesses of all inputs, each (N,); see ``accuracies``.

    Samples to which the model cannot be fitted, which ``estimate_difference`` refuses, are left out.
    """
    z, mu = losses[samples.rows], guesses[samples.rows]  # (R, n)
    weights = np.take_along_axis(sizes / sizes.sum() / samples.counts, samples.strata, axis=1)  # summing to 1
    if model == "difference":
        residuals, predicted, fitted = z - mu, mu, np.ones(len(z), bool)
        mean = float(guesses.mean()) + (weights * residuals).sum(axis=1)
    else:
        centred = mu - (weights * mu).sum(axis=1, keepdims=True)
        square = (weights * centred**2).sum(axis=1, keepdims=True)
        fitted = np.ptp(mu, axis=1) > 1e-12 * np.abs(mu).max(axis=1)
        square[~fitted] = 1.0
        slope = (weights * centred * z).sum(axis=1, keepdims=True) / square
        plain, off = (
            (weights * z).sum(axis=1, keepdims=True),
            float(guesses.mean()) - (weights * mu).sum(axis=1, keepdims=True),
        )
        predicted = plain + slope * centred
        residuals = without_leverage(
            (1 + off * centred / square) * (z - predicted), weights * (1 + centred**2 / square)
        )
        mean = (plain + slope * off)[:, 0]
    sums = residual_sums(z, predicted, residuals, samples.strata, sizes.size)
    ends = [assisted_ends(mean, sums, sizes, level=level, conservative=one) for one in (False, True)]
    columns = accuracies(np.clip(mean, 0, 1), z.sum(axis=1), *ends)
    return {name: column[fitted] for name, column in columns.items()}
