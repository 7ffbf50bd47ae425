"""How much old labels are worth for a new model: the tables of decision 74.

``python -m research.studies.reused_labels SUBJECTS TECHNIQUE [CAMPAIGNS] [LABELS] [EVERY]`` prints a row for each ordered pair
of versions, or for each EVERY-th, and the means; SUBJECTS are letters, mnist, deepsample or made, which are the populations
of docs/intervals.md, the networks that are too sure of themselves among them. With TECHNIQUE "top-up" the rows say how exact
the difference is after LABELS labels among the inputs on which the two versions differ.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from research.studies import study_subjects
from research.studies.interval_suite import POPULATIONS, Population
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs, glyph_predictions
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, reuse_labels
from testimate.planning.top_up import top_up
from testimate.studies.campaign import label
from testimate.subjects.other_predictions import read_other
from testimate.tasks.classification import Classification

Truth = NDArray[np.intp]


@dataclass(frozen=True)
class Version:
    """A model's predictions of inputs whose true classes are known, as far as its losses need them."""

    name: str
    inputs: Inputs
    truth: Truth


@dataclass(frozen=True)
class Held:
    """What ``campaigns`` of old labels gave for one ordered pair of versions.

    Attributes
    ----------
    ratio : root mean squared error of the accuracy over the exact one of as many fresh labels drawn by simple random sampling.
    held, always_held : share of campaigns whose 95% interval held the truth, 0 to 1; the stop-safe one's.
    width : mean width of the ordinary interval.
    bias : mean error over its standard error.
    difference_ratio : the same of the difference, over the exact error of as many inputs drawn at random and judged for both.
    difference_held : share of campaigns whose interval of the difference held the true one.
    """

    ratio: float
    held: float
    always_held: float
    width: float
    bias: float
    difference_ratio: float
    difference_held: float


def campaign(old: Version, new: Version, technique: str, labels: int, seed: int) -> list[float]:
    """``labels`` labels drawn for the old version and used for the new one, once.

    Returns the error of the accuracy, in parts of the exact root mean squared one of as many fresh labels drawn by simple
    random sampling; whether the 95% interval held the truth, and the stop-safe one (nan where there is none); whether the
    true failure rate lay above the interval; its width; the error of the difference, in parts of that of as many inputs drawn
    at random and judged for both; and whether its interval held.
    """
    truth, size = old.truth, len(old.inputs)
    old_losses = (old.inputs.predictions != truth).astype(float)
    new_losses = (new.inputs.predictions != truth).astype(float)
    differences = old_losses - new_losses
    left = (size - labels) / (size - 1) / labels
    at_random, paired = np.sqrt(new_losses.var() * left), np.sqrt(differences.var() * left)
    request = Request(technique, labels, seed)
    made = label(old.inputs, request, old_losses)
    draws = tuple(one.draw for one in made.verdicts)
    plan = Plan(request, old.inputs.fingerprint, 1.0, made.design, draws)
    classes = old.inputs.task.classes
    votes = {draw.row: classes[truth[draw.row]] for draw in draws}
    reused = reuse_labels(new.inputs, [LabeledPlan(plan, "label", votes)], old=old.inputs)
    one, gap = reused.estimate, reused.difference
    assert gap is not None
    assert one.low is not None
    assert one.high is not None
    right, gained, safe = 1 - new_losses.mean(), differences.mean(), np.nan
    if one.always_low is not None and one.always_high is not None:
        safe = float(one.always_low <= right <= one.always_high)
    return [
        (one.accuracy - right) / at_random,
        float(one.low <= right <= one.high),
        safe,
        float(right < one.low),
        one.high - one.low,
        (gap.value - gained) / paired,
        float(gap.low <= gained <= gap.high),
    ]


def measure(old: Version, new: Version, technique: str, campaigns: int, labels: int) -> Held:
    """Campaigns of ``labels`` labels drawn for the old version and used for the new one."""
    return held([campaign(old, new, technique, labels, seed) for seed in range(campaigns)])


def held(found: ArrayLike) -> Held:
    """What campaigns of one ordered pair come to, (campaigns, numbers of ``campaign``)."""
    table = np.asarray(found)
    error, off = np.sqrt((table[:, [0, 5]] ** 2).mean(axis=0)).tolist()
    bias = table[:, 0].mean() / (table[:, 0].std() / np.sqrt(len(table)))
    _, ordinary, safe, _, width, _, difference = table.mean(axis=0).tolist()
    return Held(error, ordinary, safe, width, float(bias), off, difference)


@dataclass(frozen=True)
class Pooled:
    """What campaigns come to in which ordered pairs of versions take turns.

    Attributes
    ----------
    campaigns : of each pair.
    ratio : as of ``Held``, mean over the pairs; ``worst`` : of the pair where it is largest, with its standard error, by name;
        ``above`` : how many of how many pairs have one above 1.
    held, always_held, difference_held : shares of all campaigns, 0 to 1; over, under : true failure rate above the ordinary
        interval, and below it.
    width : mean width, 0 to 1.
    difference_ratio, worst_difference : as ``ratio``, of the difference; its mean, and its largest.
    """

    campaigns: int
    ratio: float
    worst: tuple[float, float]
    worst_pair: str
    above: tuple[int, int]
    held: float
    always_held: float
    over: float
    under: float
    width: float
    difference_ratio: float
    worst_difference: float
    difference_held: float


def pooled(pairs: Sequence[tuple[Version, Version]], found: NDArray[np.float64]) -> Pooled:
    """Of campaigns (campaigns, numbers of ``campaign``), the first of pair 1, the second of pair 2, and so on in turn."""
    turns = np.arange(1, len(found) + 1) % len(pairs)
    each = [held(found[turns == turn]) for turn in range(len(pairs))]
    ratios, gaps = np.array([one.ratio for one in each]), np.array([one.difference_ratio for one in each])
    place = int(ratios.argmax())
    squares = found[turns == place, 0] ** 2
    scatter = squares.std(ddof=1) / np.sqrt(squares.size) / (2 * ratios[place])
    ordinary, safe, over, width = found[:, 1:5].mean(axis=0).tolist()
    return Pooled(
        len(found) // len(pairs),
        float(ratios.mean()),
        (float(ratios[place]), float(scatter)),
        " judges ".join(one.name for one in pairs[place]),
        (int((ratios > 1).sum()), len(pairs)),
        ordinary,
        safe,
        over,
        1 - ordinary - over,
        width,
        float(gaps.mean()),
        float(gaps.max()),
        float(found[:, 6].mean()),
    )


def versions(subjects: str) -> Iterator[tuple[Version, Version]]:
    """The ordered pairs (old, new) of these subjects."""
    if subjects == "deepsample":
        yield from _deepsample("D", "modelE_says_of_D.csv.gz")
        yield from _deepsample("G", "modelH_says_of_G.csv.gz")
        return
    if subjects == "made":
        yield from (_made(one) for one in POPULATIONS)
        return
    known = letters() if subjects == "letters" else _mnist()
    for old in known:
        yield from ((old, new) for new in known if new is not old)


def letters() -> list[Version]:
    """The nine models of the letters."""
    truth = glyph_predictions()[1]
    return [_version(model.name, *glyph_outputs(model.name), truth, 26) for model in NINE]


def _mnist() -> list[Version]:
    """The two LeNets on the test images as they are, and with half of them changed."""
    with np.load(study_subjects.data_folder() / "mnist" / "mnist.npz") as mnist:
        truth = mnist["y_test"].astype(np.intp)
    found = []
    for model in ("LeNet-1", "LeNet-5"):
        inputs = study_subjects.inputs_of(model)
        assert inputs.confidence is not None
        found.append(_version(model, inputs.predictions, inputs.confidence, truth, 10))
    return found


def _deepsample(subject: str, other: str) -> Iterator[tuple[Version, Version]]:
    """The model that is tested as the new version of the other one, whose own truth is not known.

    Only passing or failing is known of the tested model, so an input it fails on has a class of its own as its truth: where the
    tested model fails the other one does, too, and their difference means nothing here.
    """
    new = inputs_of_table(study_subjects.data_folder() / study_subjects.FILES[subject])
    assert new.losses is not None
    assert new.confidence is not None
    other_model: OtherModel = read_other(study_subjects.data_folder() / "deepsample" / other, new, name=other)
    assert other_model.confidence is not None
    count = int(new.predictions.max()) + 1
    truth = np.where(new.losses > 0, count, new.predictions)
    yield (
        _version(other, other_model.predictions, other_model.confidence, truth, count + 1),
        _version(subject, new.predictions, new.confidence, truth, count + 1),
    )


MADE, ALIKE = 10_000, 0.5
"""Inputs of a made pair, and the part of them on which both versions are right or wrong together, answers and all."""


def _made(population: Population) -> tuple[Version, Version]:
    """Two networks of one kind, equally sure of each input: on the inputs that are not alike each errs by itself."""
    rng = np.random.default_rng([74, crc32(population.name.encode())])
    kind = population.make(MADE, rng)
    count = int(kind.classes.max()) + 1
    new_fails, old_fails = rng.random((2, MADE)) < kind.chance
    truth = np.where(new_fails, kind.classes + rng.integers(1, count, MADE), kind.classes) % count
    by_itself = np.where(old_fails, truth + rng.integers(1, count, MADE), truth) % count
    old = np.where(rng.random(MADE) < ALIKE, kind.classes, by_itself)
    return (
        _version(f"{population.name}, before", old, 1 - kind.doubt, truth, count),
        _version(population.name, kind.classes, 1 - kind.doubt, truth, count),
    )


def _version(name: str, predictions: Truth, confidence: NDArray[np.float64], truth: Truth, count: int) -> Version:
    losses = (predictions != truth).astype(float)
    task = Classification(tuple(str(place) for place in range(count)))
    scores = {"confidence": 1 - confidence}
    return Version(name, Inputs(name, task, predictions, confidence, scores=scores, losses=losses), truth)


FIRST = 50
"""Labels of the plan that a top-up adds to."""


def measure_top_up(old: Version, new: Version, campaigns: int, labels: int) -> tuple[float, float]:
    """Error of the difference after a top-up of ``labels``, over that of as many inputs drawn at random and judged for both.

    The second number is the share of campaigns whose interval held the true difference. The plan before it has FIRST labels,
    which the random draws of the comparison have as well.
    """
    truth, classes = old.truth, old.inputs.task.classes
    losses = (old.inputs.predictions != truth).astype(float)
    gains = losses - (new.inputs.predictions != truth)
    off, held = [], []
    for seed in range(campaigns):
        request = Request("rrs", FIRST, seed)
        made = label(old.inputs, request, losses)
        draws = tuple(one.draw for one in made.verdicts)
        plan = Plan(request, old.inputs.fingerprint, 1.0, made.design, draws)
        first = LabeledPlan(plan, "label", {draw.row: classes[truth[draw.row]] for draw in draws})
        more = top_up(new.inputs, [first], labels, purpose="difference", seed=seed, against=old.inputs, old=old.inputs)
        votes = {draw.row: classes[truth[draw.row]] for draw in more.draws[:labels]}
        gap = reuse_labels(new.inputs, [first, LabeledPlan(more, "label", votes)], old=old.inputs).difference
        assert gap is not None
        off.append(gap.value - gains.mean())
        held.append(gap.low <= gains.mean() <= gap.high)
    size, count = len(truth), labels + FIRST
    paired = np.sqrt(gains.var() / count * (size - count) / (size - 1))
    return float(np.sqrt(np.mean(np.square(off))) / paired), float(np.mean(held))


def main_of_top_ups(subjects: str, campaigns: int, labels: int, every: int) -> None:
    """Prints a row for each pair whose versions differ on more inputs than are labeled, then the means."""
    rows = []
    for old, new in list(versions(subjects))[::every]:
        if (old.inputs.predictions != new.inputs.predictions).sum() > labels + FIRST:
            rows.append(measure_top_up(old, new, campaigns, labels))
            print(f"| {old.name} | {new.name} | {rows[-1][0]:.3f} | {100 * rows[-1][1]:.1f} |", flush=True)
    print(f"mean {np.mean(rows, axis=0).round(3).tolist()} of {len(rows)} pairs", flush=True)


def main(subjects: str, technique: str, campaigns: int = 200, labels: int = 200, every: int = 1) -> None:
    """Prints a row for each ordered pair, or each EVERY-th, then the means and the worst."""
    if technique == "top-up":
        main_of_top_ups(subjects, campaigns, labels, every)
        return
    print("| labels of | judge | ratio | held | stop-safe held | width | bias | difference, ratio | difference held |")
    print(9 * "|---" + "|")
    rows = []
    for old, new in list(versions(subjects))[::every]:
        one = measure(old, new, technique, campaigns, labels)
        rows.append(list(vars(one).values()))
        cells = [f"{one.ratio:.3f}", f"{100 * one.held:.1f}", f"{100 * one.always_held:.1f}", f"{one.width:.4f}"]
        cells += [f"{one.bias:+.1f}", f"{one.difference_ratio:.3f}", f"{100 * one.difference_held:.1f}"]
        print(f"| {old.name} | {new.name} | {' | '.join(cells)} |", flush=True)
    table = np.array(rows)
    print(f"mean {table.mean(axis=0).round(3).tolist()}, worst ratio {table[:, 0].max():.3f}", flush=True)


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[3:]]
    main(sys.argv[1], sys.argv[2], *numbers)
