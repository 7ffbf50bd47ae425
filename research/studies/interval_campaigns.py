"""How often the intervals of a technique hold the truth of one population: exactly, from counts, or campaign by campaign."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from research.methods.exact import FIXED_STRATA, strata_of_all
from research.methods.many import accuracies, counts_of_rounds, judged, many_assisted, many_rounds, many_samples
from research.studies.interval_suite import SEED, inputs_of
from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import proportion_of_rounds
from testimate.estimators.always_valid import always_valid_trail, prior_failure_of
from testimate.estimators.difference import Model, estimate_difference
from testimate.estimators.interval_table import Losses, interval_line
from testimate.estimators.intervals import Ends, possible
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from testimate.selectors.base import AHEAD, INTERVAL_VERSION
from testimate.studies.campaign import LabeledCampaign, known_losses, one_campaign_serves

LEVEL = 0.95
WATCHED = 200
"""Labels of the campaigns in which the always-valid interval is watched."""

EXACT, QUANTILES = 1000, 80
"""Labels up to which every count of failures of simple random sampling is judged, and the quantiles that are beyond it."""

BY_CLASS = "rra by class"
"""Adaptive rounds that learn from the predicted class too, as in a session."""

PART = 2000
"""Assisted campaigns worked on at once."""

MANY_ORDERS, FEW_ORDERS = 4, 1
"""Orders in which tied scores are broken, of sets of up to 10,000 inputs and of larger ones, where few matter."""


@dataclass(frozen=True)
class Cell:
    """What is measured at once: a technique on a population of ``size`` inputs, at several numbers of labels.

    ``model`` is that of an assisted estimate, else empty; ``watched`` says that it is the always-valid interval.
    """

    technique: str
    population: str
    size: int
    labels: tuple[int, ...]
    model: Model | Literal[""] = ""
    watched: bool = False

    def key(self, labels: int) -> str:
        """Its name in coverage.json."""
        what = self.technique + (f" {self.model}" if self.model else "") + (" watched" if self.watched else "")
        return f"{what}, {self.population}, {self.size}, {labels}"


@dataclass
class Tally:
    """Sums over campaigns, or over their chances.

    ``held`` and ``width`` are of the ordinary interval, ``careful_held`` and ``careful_width`` of the conservative one;
    ``outside`` counts points outside their own interval, ``failures`` those found.
    """

    campaigns: float = 0.0
    failures: float = 0.0
    held: float = 0.0
    width: float = 0.0
    careful_held: float = 0.0
    careful_width: float = 0.0
    outside: float = 0.0

    def add(self, truth: float, ordinary: Estimate, careful: Estimate, failures: float, chance: float = 1.0) -> None:
        """Counts one campaign, or all with this outcome of this ``chance``."""
        self.campaigns += chance
        self.failures += chance * failures
        for name, one in (("", ordinary), ("careful_", careful)):
            if one.low is None or one.high is None:  # no interval holds nothing
                continue
            held = one.low - 1e-9 <= truth <= one.high + 1e-9
            setattr(self, f"{name}held", getattr(self, f"{name}held") + chance * held)
            setattr(self, f"{name}width", getattr(self, f"{name}width") + chance * (one.high - one.low))
            self.outside += chance * (not one.low - 1e-9 <= one.accuracy <= one.high + 1e-9) / 2

    def add_all(self, truth: float, columns: dict[str, NDArray[np.float64]]) -> None:
        """Counts campaigns judged at once; see ``many_stratified.judged``."""
        accuracy = columns["accuracy"]
        if not accuracy.size:
            return
        self.campaigns += len(accuracy)
        self.failures += float(columns["failures"].sum())
        for name, (low, high) in (("", columns["score"].T), ("careful_", columns["korn_graubard"].T)):
            held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
            setattr(self, f"{name}held", getattr(self, f"{name}held") + float(held.sum()))
            setattr(self, f"{name}width", getattr(self, f"{name}width") + float((high - low).sum()))
            self.outside += float(((accuracy < low - 1e-9) | (accuracy > high + 1e-9)).sum()) / 2

    def means(self) -> dict[str, float]:
        """Each sum over the campaigns, but for their own number."""
        sums = {name: float(value) for name, value in vars(self).items() if name != "campaigns"}
        return {"campaigns": round(self.campaigns), **{name: round(v / self.campaigns, 5) for name, v in sums.items()}}


def measure(cell: Cell, campaigns: int) -> dict[int, dict[str, float]]:
    """What ``Tally.means`` says at each number of labels; of a watched one the share that held at every label.

    Simple random sampling is summed over every possible count of failures, so that it is exact: its ``campaigns`` are 1.
    """
    inputs = inputs_of(cell.population, cell.size)
    pass_or_fail = inputs.task.kind == "classification"
    if cell.watched:
        return {WATCHED: _watched(inputs, cell, campaigns)}
    if cell.technique == "srs" and pass_or_fail and not cell.model:
        return {labels: _exact_simple(inputs, labels).means() for labels in cell.labels}
    if cell.technique in FIXED_STRATA and pass_or_fail and not cell.model:
        return _from_counts(inputs, cell, campaigns)
    if cell.model and pass_or_fail:
        return _assisted(inputs, cell, campaigns)
    if cell.technique == "rra" and pass_or_fail:
        return measure_rounds(inputs, cell, campaigns)
    return {labels: tally.means() for labels, tally in _one_by_one(inputs, cell, campaigns).items()}


def _exact_simple(inputs: Inputs, labels: int) -> Tally:
    """Simple random sampling: every count of failures with its hypergeometric chance, or quantiles of many labels."""
    losses = known_losses(inputs)
    size, wrong = len(losses), int(losses.sum())
    law = hypergeom(size, wrong, labels)
    design, tally = SimpleRandom((size,), labels), Tally()
    draws = [Draw(row) for row in range(labels)]
    counts = np.arange(int(law.ppf(1e-9)), int(law.ppf(1 - 1e-9)) + 1)
    chances = law.pmf(counts)
    if labels > EXACT:
        counts, chances = np.unique(law.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES), return_counts=True)
        chances = chances / QUANTILES
    for failures, chance in zip(counts, chances, strict=True):
        verdicts = [Verdict(draw, float(draw.row < failures)) for draw in draws]
        ordinary, careful = _judged(inputs, LabeledCampaign(design, verdicts))
        tally.add(1 - losses.mean(), ordinary, careful, float(failures), float(chance))
    return tally


def _from_counts(inputs: Inputs, cell: Cell, campaigns: int) -> dict[int, dict[str, float]]:
    """Fixed lists of strata: the failures of each stratum are hypergeometric, and one formula judges all campaigns.

    The scores' ties are broken in several orders, each of which serves a part of the campaigns.
    """
    losses, rng = known_losses(inputs), np.random.default_rng(SEED)
    orders = MANY_ORDERS if len(inputs) <= 10_000 else FEW_ORDERS
    tallies = {labels: Tally() for labels in cell.labels}
    for part in np.array_split(np.arange(campaigns), orders):
        request = Request(cell.technique, len(inputs), int(rng.integers(2**32)), auxiliary="confidence")
        strata = strata_of_all(build(inputs, request), len(inputs))  # (N,)
        for labels in cell.labels:
            selector = build(inputs, replace(request, budget=labels))
            design = selector.design
            assert isinstance(design, Stratified)
            sizes = np.asarray(design.stratum_sizes)
            wrong = np.bincount(strata, losses, len(sizes)).astype(np.intp)  # (H,)
            if design.in_rounds:
                counts = counts_of_rounds(sizes, labels, len(part), rng)  # (R, H)
            else:
                drawn = np.bincount([draw.stratum for draw in selector.ask(labels)], minlength=len(sizes))
                counts = np.broadcast_to(drawn, (len(part), len(sizes)))
            failures = rng.hypergeometric(wrong, sizes - wrong, counts)  # (R, H)
            outcomes, place = np.unique(
                np.hstack([failures, counts]), axis=0, return_inverse=True
            )  # few where few fail
            wrong_of, drawn_of = np.hsplit(outcomes, 2)
            columns = judged(
                wrong_of, drawn_of, sizes, prior_failure_of(design), LEVEL, version=design.interval_version
            )
            again = {name: column[place.ravel()] for name, column in columns.items()}
            tallies[labels].add_all(1 - float(losses.mean()), again)
    return {labels: tally.means() for labels, tally in tallies.items()}


def _assisted(inputs: Inputs, cell: Cell, campaigns: int) -> dict[int, dict[str, float]]:
    """Estimates helped by the confidence, of samples drawn and judged at once; the strata are those of one order of ties."""
    assert cell.model
    losses, (guesses,) = known_losses(inputs), inputs.scores.values()
    rng, size, strata, sizes = (
        np.random.default_rng(SEED),
        len(inputs),
        np.zeros(len(inputs), np.intp),
        np.array([len(inputs)]),
    )
    tallies = {labels: Tally() for labels in cell.labels}
    for labels in cell.labels:
        if cell.technique != "srs":
            request = Request(cell.technique, labels, SEED, auxiliary="confidence")
            strata = strata_of_all(build(inputs, replace(request, budget=size)), size)
            sizes = np.asarray(build(inputs, request).design.stratum_sizes)
        for part in range(0, campaigns, PART):  # no more at once than memory is glad to hold
            samples = many_samples(strata, sizes, labels, min(PART, campaigns - part), rng)
            columns = many_assisted(losses, guesses, sizes, samples, model=cell.model, level=LEVEL)
            tallies[labels].add_all(1 - float(losses.mean()), columns)
    return {labels: tally.means() for labels, tally in tallies.items()}


def measure_rounds(inputs: Inputs, cell: Cell, campaigns: int, *, ahead: int = AHEAD) -> dict[int, dict[str, float]]:
    """Adaptive rounds: the draws of the technique, and the interval of its estimator; one campaign serves all labels."""
    losses, (scores,) = known_losses(inputs), inputs.scores.values()
    seeds = range(SEED * 100_000, SEED * 100_000 + campaigns)
    found: dict[int, list[tuple[float, ...]]] = {labels: [] for labels in cell.labels}
    for whole in many_rounds(scores, losses, scores_are_chances=True, budget=cell.labels[-1], seeds=seeds, ahead=ahead):
        for labels in cell.labels:
            sample = whole.first(labels)
            limits = possible(sample.losses, len(inputs), 1.0)
            ordinary, careful = (
                proportion_of_rounds(sample, limits, level=LEVEL, conservative=kind, version=INTERVAL_VERSION)
                for kind in (False, True)
            )
            assert ordinary.interval
            assert careful.interval
            found[labels].append((ordinary.mean, *ordinary.interval, *careful.interval, float(sample.losses.sum())))
    tallies = {labels: Tally() for labels in cell.labels}
    for labels, lines in found.items():
        mean, low, high, careful_low, careful_high, failures = np.array(lines).T
        ends = Ends(low, high), Ends(careful_low, careful_high)
        tallies[labels].add_all(1 - float(losses.mean()), accuracies(mean, failures, *ends))
    return {labels: tally.means() for labels, tally in tallies.items()}


def _one_by_one(inputs: Inputs, cell: Cell, campaigns: int) -> dict[int, Tally]:
    """The selectors themselves, labeled by the truth, and the estimators of their designs."""
    losses = known_losses(inputs)
    tallies = {labels: Tally() for labels in cell.labels}
    for labeled, labels in labeled_campaigns(inputs, cell.technique, cell.labels, campaigns):
        part = LabeledCampaign(labeled.design, labeled.verdicts[:labels])
        failures = sum(float(verdict.loss or 0) for verdict in part.verdicts)
        with suppress(NotEnoughLabels):  # no line fits labels with a single guess: the regression is refused, not wrong
            tallies[labels].add(1 - float(losses.mean()), *_judged(inputs, part, cell.model), failures)
    return tallies


def labeled_campaigns(
    inputs: Inputs, technique: str, labels: Sequence[int], campaigns: int
) -> Iterator[tuple[LabeledCampaign, int]]:
    """Seeded campaigns with the number of labels at which each is to be judged; one may serve several."""
    together = one_campaign_serves(technique.split()[0], labels, {})
    for repetition in range(campaigns):
        for line in [labels] if together else [(one,) for one in labels]:
            labeled = label_all(inputs, technique, line[-1], SEED * 100_000 + repetition)
            yield from ((labeled, one) for one in line)


def label_all(inputs: Inputs, technique: str, budget: int, seed: int, *, ahead: int = AHEAD) -> LabeledCampaign:
    """One campaign, labeled by the truth; ``ahead`` : rounds that are open, of rra."""
    losses = known_losses(inputs)
    (auxiliary,) = inputs.scores
    if technique == "rra":  # the app offers it for pass or fail, and its intervals hold for other losses too
        selector: Selector = AdaptiveRounds(
            inputs.scores[auxiliary], auxiliary == "confidence", budget=budget, seed=seed, rounds_ahead=ahead
        )
    elif technique == BY_CLASS:
        selector = build(inputs, Request("rra", budget, seed, auxiliary=auxiliary))
    else:
        selector = build(inputs, Request(technique, budget, seed, auxiliary=auxiliary))
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    return LabeledCampaign(selector.design, verdicts)


def _judged(inputs: Inputs, labeled: LabeledCampaign, model: Model | Literal[""] = "") -> tuple[Estimate, Estimate]:
    """The estimate with the ordinary and with the conservative interval, which is the ordinary one where there is none."""
    design, bound = labeled.design, inputs.task.loss_bound
    given: Any = {"level": LEVEL, "loss_bound": bound, "always_valid": False}
    if model:
        (guesses,) = inputs.scores.values()
        found = [
            estimate_difference(design, labeled.verdicts, guesses, model=model, interval=kind, **given)
            for kind in ("ordinary", "conservative")
        ]
        return found[0], found[1]
    ordinary = estimator_of(design).estimate(design, labeled.verdicts, **given)
    losses: Losses = "pass or fail" if inputs.task.kind == "classification" else "other losses"
    if not interval_line(type(design), losses).conservative:
        return ordinary, ordinary
    return ordinary, estimator_of(design, "conservative").estimate(design, labeled.verdicts, **given)


def _watched(inputs: Inputs, cell: Cell, campaigns: int) -> dict[str, float]:
    """Share of campaigns whose always-valid interval held at every label, and its mean width after the last."""
    truth, held, widths = 1 - float(known_losses(inputs).mean()), 0, 0.0
    for repetition in range(campaigns):
        labeled = label_all(inputs, cell.technique, min(WATCHED, cell.size * 4 // 5), SEED * 100_000 + repetition)
        trail: NDArray[np.float64] = always_valid_trail(labeled.design, labeled.verdicts, level=LEVEL)
        held += bool(((trail[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= trail[:, 1])).all())
        widths += float(trail[-1, 1] - trail[-1, 0])
    return {"campaigns": campaigns, "held": round(held / campaigns, 5), "width": round(widths / campaigns, 5)}
