"""Groups drawn as wholes, such as patients or conversations: at random, or in rounds by their summed chance of failure."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget
from testimate.core.design import WholeGroups
from testimate.core.draw import Draw, GroupDraw
from testimate.core.errors import BadInput
from testimate.core.inputs import InputGroups
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.base import FixedList, ShuffledStrata, check_seed, check_settings, check_variant
from testimate.selectors.round_robin import defensive_weights, rows_in_rounds
from testimate.structure.strata import by_equal_size

PER_GROUP = Option("per_group", 0, "Inputs labeled of each group, at random; 0 for all of them.", low=0)
_SOURCE = "Särndal, Swensson and Wretman (1992), chapters 4 and 8"


# Why groups have techniques of their own: decision 180.
class _ListOfGroups(FixedList):
    """The inputs of groups in a fixed order of groups: all of one group, then all of the next.

    ``order`` : (G,) the groups in drawing order; ``strata`` (G,) the stratum of each group, by its number.
    """

    def __init__(
        self,
        groups: InputGroups,
        order: NDArray[np.intp],
        strata: NDArray[np.intp],
        *,
        budget: int,
        per_group: int,
        rng: np.random.Generator,
        words: Callable[[int], str],
    ) -> None:
        sizes = groups.sizes
        each = sizes if per_group == 0 else np.minimum(sizes, per_group)  # (G,)
        shuffled = rng.permutation(len(groups.codes))
        members = shuffled[np.argsort(groups.codes[shuffled], kind="stable")]  # group by group, each in random order
        starts = np.cumsum(sizes) - sizes
        ends = np.cumsum(each[order])
        planned = int(min(budget, ends[-1]))
        met = order[: int(np.searchsorted(ends, planned)) + 1]
        parts = [members[starts[group] : starts[group] + each[group]] for group in met.tolist()]
        rows = np.concatenate(parts)[:planned]
        self._group = np.repeat(np.arange(len(met)), each[met])[:planned]  # (n,)
        self._inside = np.concatenate([np.arange(each[group]) for group in met.tolist()])[:planned]
        self._met, self._each, self._names, self._words = met, each, groups.names, words
        design = WholeGroups(
            tuple(np.bincount(strata, sizes).astype(int).tolist()),
            planned,
            stratum_groups=tuple(np.bincount(strata).tolist()),
            group_sizes=tuple(sizes[met].tolist()),
        )
        super().__init__(design, rows.astype(np.intp), self._why, strata=strata[met][self._group])

    def _why(self, position: int) -> str:
        place = int(self._group[position])
        group = int(self._met[place])
        name = f" {self._names[group]:.60}" if self._names[group] else ""
        of = f"input {self._inside[position] + 1} of {self._each[group]}"
        return f"group{name}: {of}, {self._words(place)}"

    def _draw(self, position: int) -> Draw:
        stratum, group = int(self._strata[position]), int(self._group[position])
        return GroupDraw(int(self._rows[position]), None, stratum, self._reason(position), group=group)


def _checked(groups: Any, budget: int, per_group: int, option: Option) -> int:
    """The budget; BadInput where it, the groups or the inputs per group are impossible."""
    if not isinstance(groups, InputGroups):
        raise BadInput(f"The groups are {groups!r:.40}. Expected those of the inputs. Name their column.")
    check_options((option,), per_group=per_group)
    return check_budget(budget, len(groups.codes))


class SimpleRandomGroups(_ListOfGroups):
    """Groups in random order, and all or ``per_group`` of the inputs of each, at random.

    Parameters
    ----------
    groups : which inputs belong together; an ``InputGroups``.
    budget : n, labels to plan, 1..N; the last group may be labeled in part. Where each group gives ``per_group`` inputs
        at most, the plan ends when all have.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.

    Source: Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992), chapters 4 and 8.
    """

    name: ClassVar[str] = "srs-groups"
    title: ClassVar[str] = "Simple random groups"
    needs: ClassVar[tuple[Need, ...]] = ("groups",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=True,
        note="Its ratio is nearly unbiased. Its interval counts groups: with fewer than about 20 it is wide.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = _SOURCE
    options: ClassVar[tuple[Option, ...]] = (PER_GROUP,)
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, groups: InputGroups, *, budget: int, seed: int, variant: str | None = None, per_group: int = 0
    ) -> None:
        budget = _checked(groups, budget, per_group, PER_GROUP)
        check_variant(variant, self.variants)
        rng = np.random.default_rng(check_seed(seed))
        count = len(groups.names)
        order = rng.permutation(count).astype(np.intp)
        super().__init__(
            groups,
            order,
            np.zeros(count, dtype=np.intp),
            budget=budget,
            per_group=per_group,
            rng=rng,
            words=lambda place: f"the {place + 1}. of {count} groups at random",
        )


class GroupsInRounds(_ListOfGroups):
    """Strata of groups of equal total weight, cut by the groups' summed weight; each round draws a group from every stratum.

    An input's weight is that of rrs, a group's weight the sum over its inputs: a group of many doubtful inputs comes
    early, and no group weighs less than half its share of the inputs.

    Parameters
    ----------
    groups : which inputs belong together; an ``InputGroups``.
    scores : (N,) larger = more likely to fail. scores_are_chances : as for rrs.
    budget, seed : as for simple random groups.
    strata : strata aimed at; at most half as many as there are groups, and fewer where single groups weigh more than one.

    Source: this project; after Neyman (1934), with groups as the units.
    """

    name: ClassVar[str] = "rrs-groups"
    title: ClassVar[str] = "Groups in rounds, by their summed chance"
    needs: ClassVar[tuple[Need, ...]] = ("groups", "scores", "scores_are_chances")
    claims: ClassVar[Claims] = SimpleRandomGroups.claims
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = f"Testimate; after Neyman (1934); {_SOURCE}"
    options: ClassVar[tuple[Option, ...]] = (
        Option("strata", 4, "Strata the groups are cut into, of equal total weight.", low=1, high=100),
        PER_GROUP,
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        groups: InputGroups,
        scores: ArrayLike,
        scores_are_chances: bool,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        strata: int = 4,
        per_group: int = 0,
    ) -> None:
        budget = _checked(groups, budget, per_group, PER_GROUP)
        check_options(self.options, strata=strata, per_group=per_group)
        made = check_settings(
            type(self), scores, budget=budget, seed=seed, variant=variant, strata=strata, per_group=per_group
        )
        chi, rng = made.scores, made.rng
        spread = np.sqrt(np.clip(chi * (1 - chi), 0, None)) if scores_are_chances else chi - min(float(chi.min()), 0.0)
        weights = np.bincount(groups.codes, defensive_weights(spread))  # (G,)
        count = len(weights)
        labels = by_equal_size(weights, weights, min(strata, max(count // 2, 1)), seed=int(rng.integers(2**32)))  # (G,)
        piles = ShuffledStrata(labels, rng)
        order = rows_in_rounds(piles.place, rng.random(count), count)
        self._round, self._of, self._count = piles.place[order], labels[order], int(labels.max()) + 1
        super().__init__(groups, order, labels, budget=budget, per_group=per_group, rng=rng, words=self._round_words)

    def _round_words(self, place: int) -> str:
        return f"round {self._round[place] + 1}, stratum {self._of[place] + 1} of {self._count} by summed chance"
