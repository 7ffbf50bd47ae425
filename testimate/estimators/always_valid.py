"""The always-valid interval of a design: after its last verdict, and after each of them for a chart."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, WrongDesign
from testimate.estimators.always_valid_adaptive import always_valid_adaptive
from testimate.estimators.always_valid_per_draw import always_valid_per_draw
from testimate.estimators.always_valid_rounds import always_valid_rounds
from testimate.estimators.always_valid_simple import always_valid_simple
from testimate.estimators.as_accuracy import flipped
from testimate.estimators.intervals import Interval
from testimate.estimators.round_sample import round_sample_of
from testimate.estimators.sample import Sample, sample_of


def always_valid_trail(
    design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float = 1.0
) -> NDArray[np.float64]:
    """Low and high end of the always-valid accuracy after each of n verdicts, in one pass; (n, 2), nested.

    Skipped draws count as full losses for the low end and as none for the high end: whether an input can be settled
    does not depend on the draw, so both sequences hold.

    Raises
    ------
    WrongDesign : there is no always-valid interval for this design.
    BadInput : the verdicts do not fit the design.

    >>> from testimate.core.draw import Draw
    >>> design = SimpleRandom(stratum_sizes=(4,), planned=4)
    >>> always_valid_trail(design, [Verdict(Draw(row), loss) for row, loss in enumerate([0, 1, 0, 0])])
    array([[0.25, 1.  ], [0.25, 0.75], [0.5 , 0.75], [0.75, 0.75]])
    """
    if not design.always_valid:
        raise WrongDesign(
            f"There is no always-valid interval for this {design.kind or type(design).__name__} design; it needs simple "
            "random sampling, rounds, or draws whose smallest chance is known. Select with rra, rrs or srs."
        )
    return 1 - loss_trail(design, verdicts_as_columns(design, verdicts, loss_bound), level, loss_bound)[:, ::-1]


def with_always_valid(
    estimate: Estimate, design: Design, verdicts: Sequence[Verdict], loss_bound: float | None
) -> Estimate:
    """The estimate with the always-valid interval of its design after all the verdicts, or as it is where there is none."""
    if loss_bound is None or not design.always_valid:
        return estimate
    sample = verdicts_as_columns(design, verdicts, loss_bound)
    if not design.replacement and sample.labeled == design.size:
        found = Interval(float(sample.losses.mean()), float(sample.losses.mean()))  # nothing is left to bet on
    else:
        found = Interval(*loss_trail(design, sample, estimate.level, loss_bound)[-1].tolist())
    low, high = flipped(found, loss_bound)
    return replace(estimate, always_low=low, always_high=high)


def loss_trail(design: Design, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    """Ends of the mean loss after each draw, (n, 2): low with the skipped counted as 0, high as full losses."""
    ends = TRAILS[type(design)](design, sample.counting_skipped_as(0.0), level, loss_bound)
    if sample.skipped:
        ends[:, 1] = TRAILS[type(design)](design, sample.counting_skipped_as(loss_bound), level, loss_bound)[:, 1]
    return ends


def prior_failure_of(design: Stratified) -> NDArray[np.float64]:
    """The guessed failure rate of each stratum, (H,), above 0; 1/2 where the design has none or says 0.

    A guess of 0 would make a stratum without failures one without variance. BadInput where the guesses do not fit.
    """
    count = len(design.stratum_sizes)
    prior = np.asarray(design.prior_failure or np.zeros(count), dtype=np.float64)
    if prior.shape != (count,) or not ((prior >= 0) & (prior <= 1)).all():
        raise BadInput(
            f"The design guesses {len(prior)} failure rates for {count} strata; expected one from 0 to 1 for each. "
            "Make the plan again."
        )
    return np.where(prior > 0, prior, 0.5)


def verdicts_as_columns(design: Design, verdicts: Sequence[Verdict], loss_bound: float) -> Sample:
    """The verdicts as columns, of the kind the design's sequence takes."""
    if isinstance(design, Rounds):
        return round_sample_of(design, verdicts, loss_bound)
    return sample_of(design, verdicts, loss_bound)


def _of_simple(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_simple(
        sample.losses,
        design.size,
        level=level,
        loss_bound=loss_bound,
        replacement=design.replacement,
        aimed_at=design.aimed_at,
    )


def _of_strata(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_rounds(
        sample.losses,
        sample.strata,
        np.asarray(design.stratum_sizes, dtype=np.intp),
        prior_failure=prior_failure_of(design),
        level=level,
        loss_bound=loss_bound,
        replacement=design.replacement,
        aimed_at=design.aimed_at,
    )


def _of_draws(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_per_draw(
        sample.losses,
        sample.probabilities,
        design.size,
        design.smallest_probability,
        level=level,
        loss_bound=loss_bound,
        aimed_at=design.aimed_at,
    )


def _of_adaptive(design: Any, sample: Any, level: float, loss_bound: float) -> NDArray[np.float64]:
    scaled = replace(sample, losses=sample.losses / loss_bound)
    return always_valid_adaptive(scaled, level=level, aimed_at=design.aimed_at) * loss_bound


TRAILS: dict[type[Design], Callable[[Any, Any, float, float], NDArray[np.float64]]] = {
    SimpleRandom: _of_simple,
    Stratified: _of_strata,
    PerDraw: _of_draws,
    Rounds: _of_adaptive,
}
"""Ends of the mean loss after each draw of a sample without skipped draws, (n, 2), by the type of the design."""
