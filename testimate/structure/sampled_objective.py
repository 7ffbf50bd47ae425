"""What prototypes that were chosen by a sample of the rows leave unexplained of all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.structure.rbf_kernel import KernelPoints

JUDGES = 1_000
"""Rows at which it is measured how much is left unexplained; they are drawn independently of the sample."""

_ROWS = 512  # of a tile: 4 MB


@dataclass(frozen=True)
class SampledObjective:
    """What prototypes that were chosen by sampled means leave unexplained.

    Attributes
    ----------
    size, drawn : rows there are, and rows in the sample. prototypes : how many were chosen.
    found : MMD^2 between all rows and the prototypes. error : its standard error, 0 where it is exact.
    overrated : how much lower MMD^2 is by the sampled means than by those of all rows, both measured from an average
    row.
    by_chance : MMD^2 of as many rows drawn at random, on average.
    """

    size: int
    drawn: int
    prototypes: int
    found: float
    error: float
    overrated: float
    by_chance: float

    def words(self) -> str:
        """What a person has to know about the sample, in three sentences."""
        look = f"{abs(self.overrated):.1g} {'better' if self.overrated >= 0 else 'worse'} than they are"
        return (
            f"The prototypes were chosen by the kernel's means over {spaced(self.drawn)} of {spaced(self.size)} inputs, "
            f"drawn by the seed, by which they look {look}. Over all inputs they leave a squared discrepancy (MMD²) of "
            f"{self.found:.2g} ± {2 * self.error:.1g}; as many inputs drawn at random would leave {self.by_chance:.2g} on "
            f"average. Prototypes chosen by the means over all inputs could leave {self.found:.2g} less at most."
        )


def sampled_objective(
    features: ArrayLike,
    chosen: NDArray[np.intp],
    means: NDArray[np.float64],
    drawn: int,
    *,
    gamma: float,
    seed: int,
) -> SampledObjective:
    """MMD^2 (Kim et al. 2016, equation 1) of m prototypes chosen by sampled means: N (m + 1,000) width products.

    Its terms are the mean of k over all pairs of rows, over pairs of a row and a prototype, and over pairs of prototypes. The
    second and the third are computed as they are. The first is the mean over all rows of what the prototypes explain, and over
    ``JUDGES`` rows of what they do not: the difference estimator (Cochran 1977, section 7.2), unbiased because these rows do
    not depend on the prototypes, and sharp because these explain most.

    Parameters
    ----------
    features, gamma : as in ``prototypes``. chosen : (m,) rows. means : (N,) those they were chosen by, the kernel's over
        ``drawn`` rows.
    seed : decides which rows judge.

    Raises
    ------
    BadInput : no prototype.
    """
    count = len(chosen)
    if not count:
        raise BadInput("There is no prototype; expected at least one. Choose them first.")
    space = KernelPoints.of(features, gamma)
    size = len(space)
    explained = space.likeness(chosen) / count  # (N,) mean of k with the prototypes
    rows = np.arange(size)
    if size > JUDGES:
        rows = np.sort(np.random.default_rng([seed, 0x4A55]).choice(size, JUDGES, replace=False))
    judges = KernelPoints(space.points[rows], space.squares[rows], space.gamma)
    over_all = np.zeros(len(rows))  # the mean of k of each judge with all rows
    for top in range(0, size, _ROWS):
        over_all += space.between(slice(top, top + _ROWS), judges, slice(None)).sum(axis=0) / size
    off = over_all - explained[rows]  # the witness function
    pairs, among = float(off.mean() + explained.mean()), float(explained[chosen].mean())
    return SampledObjective(
        size=size,
        drawn=drawn,
        prototypes=count,
        found=max(pairs - 2 * float(explained.mean()) + among, 0.0),
        error=0.0 if len(rows) == size else float(off.std(ddof=1) / np.sqrt(len(rows))),
        overrated=2 * float(means[chosen].mean() - means.mean() - explained.mean() + pairs),
        by_chance=(1 - pairs) / count,
    )
