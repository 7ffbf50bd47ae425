"""MMD-critic over the whole set, without clusters: the difference from PACE is what clustering adds."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_options, check_seed, check_variant
from testimate.structure.cores import one_thread
from testimate.structure.prototypes import SampledObjective, criticisms, prototypes, sampled_objective
from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalised, median_heuristic, sampled_mean_kernel
from testimate.structure.reduction import min_max_scaled


class PaceWithoutClusters(FixedList):
    """The first n prototypes of the whole set, in MMD-critic's greedy order.

    Two runs give the same list, bit for bit; the seed matters only for the median heuristic and the sample. A larger budget
    continues the list of a smaller one.

    Parameters
    ----------
    features : (N, width), min-max scaled and then L2-normalised here, as PACE does.
    budget : n, draws to plan, 1..N.
    seed : whole number.
    gamma : of the RBF kernel; 0 takes the median heuristic.
    sample : inputs drawn by the seed that represent the whole set when a prototype is chosen; 0 for all, which at a
        million inputs takes half an hour. See ``sampled_mean_kernel`` and decision 173.
    objective : of a sample, what its prototypes leave unexplained of all inputs; None without one. warning : the same in
        words; "" without one.

    Source: PACE, section 4.2, the variant PACE_mmd.
    """

    name: ClassVar[str] = "pace-mmd"
    title: ClassVar[str] = "MMD-critic: prototypes of the whole set"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs are the most typical ones, chosen, not drawn: rare faults are passed over, and the accuracy among "
        "them is a guess without any guarantee.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2; Kim, Khanna and Koyejo (MMD-critic, 2016)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("gamma", KERNEL_GAMMA, "Gamma of the kernel; 0 takes the median heuristic.", low=0.0),
        Option(
            "sample",
            0,
            "How many inputs, drawn by the seed, represent the whole set in the kernel's means; 0 for all.",
            low=0,
        ),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        features: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        gamma: float = KERNEL_GAMMA,
        sample: int = 0,
    ) -> None:
        array = check_features(features)
        budget, seed = check_budget(budget, len(array)), check_seed(seed)
        check_variant(variant, self.variants)
        check_options(self.options, gamma=gamma, sample=sample)
        self._vectors = l2_normalised(min_max_scaled(array))  # (N, width)
        self.objective: SampledObjective | None = None
        self._gamma = float(gamma) or median_heuristic(self._vectors, seed=seed)
        with one_thread():
            count = sample or len(array)
            self._means = sampled_mean_kernel(self._vectors, count, gamma=self._gamma, seed=seed)
            rows = prototypes(self._vectors, budget, gamma=self._gamma, means=self._means)
            if count < len(array):
                self.objective = sampled_objective(
                    self._vectors, rows, self._means, count, gamma=self._gamma, seed=seed
                )
        self.warning = "" if self.objective is None else self.objective.words()
        super().__init__(Purposive((len(array),), budget), rows, self._why)

    def criticisms(self, count: int) -> tuple[int, ...]:
        """Rows that the chosen prototypes explain worst, to be shown, not labeled; fewer where there are fewer left."""
        with one_thread():
            count = min(count, len(self._vectors) - len(self._rows))
            found = criticisms(self._vectors, self._rows, count, gamma=self._gamma, means=self._means)
            return tuple(found.tolist())

    def _why(self, position: int) -> str:
        return f"prototype {position + 1} of the whole set"
