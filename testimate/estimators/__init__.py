"""Estimators turn the verdicts of a design into an accuracy with an interval; found by the type of the design."""

from collections.abc import Mapping
from typing import Any

from testimate.core.design import (
    Design,
    Groups,
    PerDraw,
    Purposive,
    Rounds,
    Sequential,
    SimpleRandom,
    Stratified,
    StratifiedAsPublished,
    TwoStage,
    WholeGroups,
)
from testimate.core.errors import WrongDesign
from testimate.core.plug_ins import LazyMapping
from testimate.core.selector import Estimator


class _Estimators(LazyMapping[type[Design], Any]):
    """Designs to their estimators, each made when looked up."""

    def __getitem__(self, key: type[Design]) -> Any:
        return super().__getitem__(key)()


ESTIMATORS: Mapping[type[Design], Estimator] = _Estimators(
    __name__,
    {
        SimpleRandom: "stratified:SampleMean",
        Stratified: "stratified:StratifiedMean",
        PerDraw: "unequal_chances:HansenHurwitz",
        Purposive: "unequal_chances:MeanOfChosen",
        TwoStage: "unequal_chances:TwoStageMean",
        Groups: "unequal_chances:RaoHartleyCochran",
        WholeGroups: "unequal_chances:WholeGroupsMean",
        Sequential: "unequal_chances:StepByStep",
        StratifiedAsPublished: "stratified:PublishedStratified",
        Rounds: "adaptive_rounds:AdaptiveMean",
    },
    "estimator for the design",
)
"""The estimator of each kind of design, with its ordinary interval; naming them imports none."""


def estimator_of(design: Design, interval: str = "ordinary") -> Estimator:
    """The estimator that is valid for this design, with the "ordinary" or the "conservative" interval.

    The conservative one covers at least as often as it claims, and is wider; ``interval_table`` says which one that
    is. It is for pass or fail; for other losses the ordinary one is used in either case. WrongDesign where no estimator
    is known, BadInput where the design has no conservative interval.

    >>> type(estimator_of(SimpleRandom(stratum_sizes=(1000,), planned=50))).__name__
    'SampleMean'
    >>> estimator_of(SimpleRandom(stratum_sizes=(1000,), planned=50), "conservative").interval
    'clopper-pearson'
    """
    if type(design) not in ESTIMATORS:
        known = ", ".join(kind.kind for kind in ESTIMATORS)
        raise WrongDesign(
            f"No estimator is known for {type(design).__name__!r:.60}; there are some for these designs: {known}. "
            "Select with a technique of one of these."
        )
    estimator = ESTIMATORS[type(design)]
    if interval == "ordinary":
        return estimator
    from testimate.estimators.interval_table import setting_of

    make: Any = type(estimator)
    chosen: Estimator = make(interval=setting_of(design, interval))
    return chosen
