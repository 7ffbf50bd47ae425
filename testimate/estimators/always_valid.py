"""The always-valid interval of a design: after its last verdict, and after each of them for a chart."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, WrongDesign
from testimate.estimators.always_valid_adaptive import always_valid_adaptive
from testimate.estimators.always_valid_per_draw import always_valid_per_draw
from testimate.estimators.always_valid_rounds import always_valid_rounds
from testimate.estimators.always_valid_simple import always_valid_simple
from testimate.estimators.intervals import Interval
from testimate.estimators.round_sample import RoundSample, round_sample_of
from testimate.estimators.sample import Sample, sample_of

_LEFT_OUT: ContextVar[bool] = ContextVar("the always-valid interval is left out", default=False)


@contextmanager
def always_valid_left_out() -> Iterator[None]:
    """Estimates made inside the block have no always-valid interval: simulations that do not look at it save its time."""
    token = _LEFT_OUT.set(True)
    try:
        yield
    finally:
        _LEFT_OUT.reset(token)


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
    if not has_always_valid(design):
        raise WrongDesign(
            f"There is no always-valid interval for this {design.kind or type(design).__name__} design; it needs simple "
            "random sampling, rounds, or draws whose smallest chance is known. Select with rra, rrs or srs."
        )
    if isinstance(design, Rounds):
        sample: Sample = round_sample_of(design, verdicts, loss_bound)
    else:
        sample = sample_of(design, verdicts, loss_bound)
    return 1 - loss_trail(design, sample, level, loss_bound)[:, ::-1]


def has_always_valid(design: Design) -> bool:
    """Whether there is an always-valid interval for this design."""
    if isinstance(design, PerDraw):
        return design.smallest_probability is not None
    return isinstance(design, SimpleRandom | Rounds) or (isinstance(design, Stratified) and design.in_rounds)


def always_valid_now(design: Design, sample: Sample, level: float, loss_bound: float | None) -> Interval | None:
    """The always-valid interval of the mean loss after the whole sample, or None where there is none."""
    if _LEFT_OUT.get() or loss_bound is None or not has_always_valid(design):
        return None
    if not getattr(design, "replacement", False) and sample.labeled == design.size:
        return Interval(float(sample.losses.mean()), float(sample.losses.mean()))  # nothing is left to bet on
    low, high = loss_trail(design, sample, level, loss_bound)[-1]
    return Interval(float(low), float(high))


def loss_trail(design: Design, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    """Ends of the mean loss after each draw, (n, 2): low with the skipped counted as 0, high as full losses."""
    ends = _trail(design, sample.counting_skipped_as(0.0), level, loss_bound)
    if sample.skipped:
        ends[:, 1] = _trail(design, sample.counting_skipped_as(loss_bound), level, loss_bound)[:, 1]
    return ends


def prior_failure_of(design: Stratified) -> NDArray[np.float64]:
    """The guessed failure rate of each stratum, (H,), above 0; 1/2 where the design has none or says 0.

    A guess of 0 would call a stratum without failures one without variance. BadInput where the guesses do not fit.
    """
    count = len(design.stratum_sizes)
    prior = np.asarray(design.prior_failure or np.zeros(count), dtype=np.float64)
    if prior.shape != (count,) or not ((prior >= 0) & (prior <= 1)).all():
        raise BadInput(
            f"The design guesses {len(prior)} failure rates for {count} strata; needed is one from 0 to 1 for each. "
            "Make the plan again."
        )
    return np.where(prior > 0, prior, 0.5)


def _trail(design: Design, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    """Ends of the mean loss after each draw of a sample without skipped draws, (n, 2)."""
    if isinstance(sample, RoundSample):
        scaled = replace(sample, losses=sample.losses / loss_bound)
        return always_valid_adaptive(scaled, level=level) * loss_bound
    if isinstance(design, Stratified):
        return always_valid_rounds(
            sample.losses,
            sample.strata,
            np.asarray(design.stratum_sizes, dtype=np.intp),
            prior_failure=prior_failure_of(design),
            level=level,
            loss_bound=loss_bound,
            replacement=design.replacement,
        )
    if isinstance(design, PerDraw) and design.smallest_probability is not None:
        return always_valid_per_draw(
            sample.losses,
            sample.probabilities,
            design.size,
            design.smallest_probability,
            level=level,
            loss_bound=loss_bound,
        )
    replacement = isinstance(design, SimpleRandom) and design.replacement
    return always_valid_simple(sample.losses, design.size, level=level, loss_bound=loss_bound, replacement=replacement)
