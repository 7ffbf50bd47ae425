"""The populations on which intervals are measured: networks of every kind of confidence, made by a seeded program."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression

SEED = 32
SIZES = (30, 100, 1000, 10_000, 100_000)
LABELS = (50, 100, 200, 400)
SPREAD = 2.0
"""Standard deviation of the log-odds of failing, from one input to the next."""


@dataclass(frozen=True, eq=False)
class DrawnInputs:
    """Inputs before any is labeled: (N,) chance that the network fails, its own word on that, and predicted class."""

    chance: NDArray[np.float64]
    doubt: NDArray[np.float64]
    classes: NDArray[np.intp]


@dataclass(frozen=True)
class Population:
    """A kind of network.

    Attributes
    ----------
    name, words : of the population, for the page.
    hidden : whether failures sit only where the network is most sure.
    make : from N and a generator the inputs, in random order.
    """

    name: str
    words: str
    make: Callable[[int, np.random.Generator], DrawnInputs]
    hidden: bool = False


def _chances(size: int, rng: np.random.Generator, accuracy: float) -> NDArray[np.float64]:
    """Chances of failing, (N,), logit-normal with mean 1 - accuracy."""
    grid = SPREAD * ndtri((np.arange(2001) + 0.5) / 2001)
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(grid + middle).mean() < 1 - accuracy else (low, middle)
    levels: NDArray[np.float64] = expit(low + SPREAD * ndtri((rng.permutation(size) + 0.5) / size))
    return levels


def _any_classes(size: int) -> NDArray[np.intp]:
    """Ten predicted classes that have nothing to do with failures; the inputs are in random order."""
    return np.arange(size, dtype=np.intp) % 10


def _calibrated(size: int, rng: np.random.Generator, accuracy: float) -> DrawnInputs:
    chance = _chances(size, rng, accuracy)
    return DrawnInputs(chance, chance, _any_classes(size))


def _heated(size: int, rng: np.random.Generator, temperature: float) -> DrawnInputs:
    """Log-odds said are ``temperature`` times the true ones: a network more confident than it should be."""
    chance = _chances(size, rng, 0.949)
    return DrawnInputs(chance, expit(temperature * logit(chance)), _any_classes(size))


def _ordinary(size: int, rng: np.random.Generator) -> DrawnInputs:
    """Log-odds of failing 0.6 + 0.9 times those said, as on the ten subjects that the prior of rra was fitted to."""
    doubt = np.clip(rng.beta(0.3, 2.0, size), 1e-4, 1 - 1e-4)
    return DrawnInputs(expit(0.6 + 0.9 * logit(doubt)), doubt, _any_classes(size))


def _saturated(size: int, rng: np.random.Generator) -> DrawnInputs:
    unsure = rng.permutation(size) < max(1, size // 100)
    return DrawnInputs(np.where(unsure, 0.5, 0.01), np.where(unsure, 0.5, 0.0), _any_classes(size))


def _nearly_saturated(size: int, rng: np.random.Generator) -> DrawnInputs:
    unsure = rng.permutation(size) < max(1, size // 10)
    doubt = np.where(unsure, rng.uniform(0.02, 0.6, size), 1e-4)
    return DrawnInputs(np.where(unsure, doubt, 0.01), doubt, _any_classes(size))


def _constant(size: int, _: np.random.Generator) -> DrawnInputs:
    return DrawnInputs(np.full(size, 0.1), np.full(size, 0.1), _any_classes(size))


def _inverted(size: int, rng: np.random.Generator) -> DrawnInputs:
    chance = _chances(size, rng, 0.9)
    doubt = np.empty(size)
    doubt[np.argsort(chance)] = np.sort(chance)[::-1]
    return DrawnInputs(chance, doubt, _any_classes(size))


def _tied(size: int, rng: np.random.Generator) -> DrawnInputs:
    place = rng.permutation(size) / size
    chance = np.select([place < 0.7, place < 0.9], [0.01, 0.1], 0.4)
    return DrawnInputs(chance, chance, _any_classes(size))


def _hidden(size: int, rng: np.random.Generator, share: float, rate: float) -> DrawnInputs:
    doubt = _chances(size, rng, 0.95)
    surest = np.argsort(np.argsort(doubt)) < max(1, round(share * size))
    return DrawnInputs(np.where(surest, rate, 0.0), doubt, _any_classes(size))


def _rotten(size: int, rng: np.random.Generator, sure: float, rot: float) -> DrawnInputs:
    """A share ``sure`` has confidence 1, and a share ``rot`` of the whole set fails among these."""
    surest = rng.permutation(size) < sure * size
    doubt = rng.uniform(0.02, 0.6, size)
    return DrawnInputs(np.where(surest, rot / sure, doubt), np.where(surest, 0.0, doubt), _any_classes(size))


def _useless(size: int, rng: np.random.Generator, rate: float) -> DrawnInputs:
    doubt = _chances(size, rng, 0.9)
    return DrawnInputs(np.full(size, rate), doubt, _any_classes(size))


def _two_useless_values(size: int, rng: np.random.Generator) -> DrawnInputs:
    doubt = np.where(rng.permutation(size) < size / 2, 0.05, 0.4)
    return DrawnInputs(np.full(size, 0.1), doubt, _any_classes(size))


def _half_saturated(size: int, rng: np.random.Generator) -> DrawnInputs:
    sure, chance = rng.permutation(size) < size / 2, _chances(size, rng, 0.8)
    return DrawnInputs(np.where(sure, 0.01, chance), np.where(sure, 0.0, chance), _any_classes(size))


def _whole_class(size: int, rng: np.random.Generator) -> DrawnInputs:
    doubt = _chances(size, rng, 0.97)
    classes = rng.permutation(size) % 10
    return DrawnInputs(np.where(classes == 0, 1.0, doubt), doubt, classes.astype(np.intp))


POPULATIONS: tuple[Population, ...] = (
    *(
        Population(f"calibrated, {accuracy}", f"says how often it fails; accuracy {accuracy}", make)
        for accuracy in (0.5, 0.9, 0.99, 0.999)
        for make in (partial(_calibrated, accuracy=accuracy),)
    ),
    Population(
        "overconfident", "log-odds of failing are 0.6 + 0.9 times those it says, as of many networks", _ordinary
    ),
    *(
        Population(f"temperature {heat}", f"says log-odds {heat} times the true ones; accuracy 0.949", make)
        for heat in (2, 3)
        for make in (partial(_heated, temperature=heat),)
    ),
    Population("saturated at 1", "99% have confidence 1 and 1% of these fail; half of the others fail", _saturated),
    Population("saturated at 0.9999", "90% have confidence 0.9999 and 1% of these fail", _nearly_saturated),
    Population("constant", "every confidence is 0.9, accuracy 0.9", _constant),
    Population("inverted", "it fails more often where it is more confident; accuracy 0.9", _inverted),
    Population("tied", "three confidences, 0.99, 0.9 and 0.6, each true", _tied),
    Population(
        "surest tenth fails",
        "failures only among the surest tenth, of which 30% fail",
        partial(_hidden, share=0.1, rate=0.3),
        hidden=True,
    ),
    Population(
        "surest hundredth fails",
        "failures only among the surest hundredth, of which half fail",
        partial(_hidden, share=0.01, rate=0.5),
        hidden=True,
    ),
    Population("a class fails", "one of ten classes fails as a whole, however sure the network is", _whole_class),
)
"""Networks that are right or wrong, in the order of the page."""

HARD: tuple[Population, ...] = (
    *(
        Population(f"rot of {rot:.1%}", f"95% have confidence 1, and {rot:.1%} of the set fail among them", make)
        for rot in (0.01, 0.015, 0.02, 0.025, 0.03, 0.04)
        for make in (partial(_rotten, sure=0.95, rot=rot),)
    ),
    Population(
        "80% sure", "80% have confidence 1, and 2% of the set fail among them", partial(_rotten, sure=0.8, rot=0.02)
    ),
    Population(
        "98% sure", "98% have confidence 1, and 1% of the set fail among them", partial(_rotten, sure=0.98, rot=0.01)
    ),
    *(
        Population(f"useless, {rate}", f"confidence says nothing; accuracy {1 - rate}", make)
        for rate in (0.02, 0.1, 0.4)
        for make in (partial(_useless, rate=rate),)
    ),
    Population("useless, two values", "two confidences that say nothing, 0.95 and 0.6", _two_useless_values),
    Population(
        "half saturated", "half have confidence 1 and 1% of these fail; the others are calibrated", _half_saturated
    ),
)
"""Networks that are hard to judge by few labels: those of the page's table of few labels."""


@dataclass(frozen=True)
class LossPopulation:
    """A kind of error, from 0 to 1, with its score; ``make`` gives the losses (N,) from the score (N,) and a generator."""

    name: str
    words: str
    make: Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]


LOSS_POPULATIONS: tuple[LossPopulation, ...] = (
    LossPopulation(
        "errors follow the score",
        "exponential errors, larger where the score is",
        lambda score, rng: (0.3 * score + 0.05) * rng.exponential(size=score.size),
    ),
    LossPopulation(
        "errors ignore the score", "exponential errors of mean 0.1", lambda score, rng: rng.exponential(0.1, score.size)
    ),
    LossPopulation(
        "rare large errors",
        "3% of the errors lie between 0.5 and 1, the others near 0.01, whatever the score",
        lambda score, rng: np.where(
            rng.permutation(score.size) < 0.03 * score.size,
            rng.uniform(0.5, 1, score.size),
            rng.exponential(0.01, score.size),
        ),
    ),
    LossPopulation(
        "heavy tail",
        "log-normal errors, sigma 2, median 0.01",
        lambda score, rng: 0.01 * rng.lognormal(0, 2, score.size),
    ),
)
"""Errors, cut off at 1, in the order of the page."""


def labels_of(size: int) -> tuple[int, ...]:
    """The numbers of labels at which a set of this size is measured, rising: half or 50 to 400, and four fifths of it."""
    return tuple(sorted({n for n in (*LABELS, size // 2 if size < 50 else 50) if n < 0.8 * size} | {size * 4 // 5}))


@lru_cache(maxsize=4)
def inputs_of(name: str, size: int) -> Inputs:
    """The inputs of the population of that name, with their truth and training data; the same ones every time.

    Their failures are drawn systematically, so that as many fail as the chances say; at least one does.
    """
    rng = np.random.default_rng([SEED, crc32(name.encode()), size])
    for population in (*POPULATIONS, *HARD):
        if population.name == name:
            made = population.make(size, rng)
            training = population.make(min(5 * size, 5000), rng)
            task: Task = Classification(tuple("0123456789"))
            return _inputs(
                task,
                made,
                _failing(made.chance, rng),
                _inputs(task, training, _failing(training.chance / 10, rng), None),
            )
    losses = next(population for population in LOSS_POPULATIONS if population.name == name)
    score = np.clip(rng.beta(0.3, 2.0, size), 1e-4, 1 - 1e-4)
    return Inputs(
        "suite",
        Regression(tolerance=0.5, loss_bound=1.0),
        np.zeros(size),
        scores={"lsa": score},
        losses=np.minimum(losses.make(score, rng), 1.0),
    )


def _inputs(task: Task, made: DrawnInputs, losses: NDArray[np.float64], training: Inputs | None) -> Inputs:
    return Inputs(
        "suite",
        task,
        made.classes,
        confidence=1 - made.doubt,
        scores={"confidence": made.doubt},
        losses=losses,
        training=training,
    )


def _failing(chance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Which inputs fail, (N,) of 0 and 1: about sum(chance) of them, each with its chance, at least one."""
    order = rng.permutation(chance.size)
    reached = np.cumsum(chance[order]) + rng.random() * 0.999
    failing = np.empty(chance.size)
    failing[order] = np.diff(np.floor(reached), prepend=0.0) > 0
    if not failing.any():
        failing[int(np.argmax(chance))] = 1.0
    return failing
