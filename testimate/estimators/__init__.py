"""Estimators turn the verdicts of a design into an accuracy with an interval; found by the type of the design."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from testimate.core.design import Design, PerDraw, Purposive, SimpleRandom, Stratified
from testimate.core.errors import WrongDesign
from testimate.core.estimator import Estimator

_HOMES: dict[type[Design], str] = {
    SimpleRandom: "sample_mean:SampleMean",
    Stratified: "stratified:StratifiedMean",
    PerDraw: "hansen_hurwitz:HansenHurwitz",
    Purposive: "purposive:MeanOfChosen",
}


class _ByDesign(Mapping[type[Design], Estimator]):
    """Designs to their estimators; naming them imports nothing."""

    def __getitem__(self, design: type[Design]) -> Estimator:
        module, name = _HOMES[design].split(":")
        estimator: Estimator = getattr(import_module(f"{__name__}.{module}"), name)()
        return estimator

    def __iter__(self) -> Iterator[type[Design]]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


ESTIMATORS: Mapping[type[Design], Estimator] = _ByDesign()


def estimator_of(design: Design) -> Estimator:
    """The estimator that is valid for this design; WrongDesign where none is known.

    >>> type(estimator_of(SimpleRandom(stratum_sizes=(1000,), planned=50))).__name__
    'SampleMean'
    """
    if type(design) not in _HOMES:
        known = ", ".join(kind.kind for kind in _HOMES)
        raise WrongDesign(
            f"No estimator is known for {type(design).__name__!r:.60}; there are some for these designs: {known}. "
            "Select with a technique of one of these."
        )
    return ESTIMATORS[type(design)]
