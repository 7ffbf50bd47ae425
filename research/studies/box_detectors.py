"""Simulated detectors with known truth: pictures with objects, boxes with scores, and which boxes are right."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.task import BoxCounts
from testimate.subjects.box_table import chance_all_right, expected_errors
from testimate.tasks.boxes import EXPECTED_ERRORS, NO_BOX, Boxes

CLASSES = ("ship", "buoy", "gull")
LEAST = 0.5
LOWEST = 0.05
"""Boxes with a smaller score are not written at all."""


@dataclass(frozen=True)
class World:
    """How pictures and a detector are made.

    Attributes
    ----------
    objects : mean number of objects in a picture. spread : how much that number varies, the shape of a gamma distribution.
    skill : logit of the score that an object of middling difficulty gets. fog : deviation of a picture's own difficulty.
    clutter : mean number of things that look like an object. calling : what logits are multiplied by before they become
        scores; 1 where scores are chances, more where the detector is too sure.
    blind : share of the pictures in which it sees next to nothing, whatever is there.
    """

    name: str
    objects: float
    spread: float
    skill: float
    fog: float
    clutter: float
    calling: float = 1.0
    blind: float = 0.0


WORLDS = (
    World("few objects", 1.5, 2.0, 2.2, 0.8, 0.3),
    World("many objects", 9.0, 0.8, 2.2, 0.8, 1.0),
    World("fog", 2.5, 1.5, 2.0, 2.0, 0.3),
    World("weak", 2.5, 1.5, 0.8, 1.0, 1.0),
    World("good", 2.5, 1.5, 3.5, 0.8, 0.1),
    World("too sure", 2.5, 1.5, 1.8, 1.0, 0.5, 2.5),
    World("blind at times", 2.5, 1.5, 2.5, 0.8, 0.2, blind=0.08),
)

NEW_WORLDS = (
    World("middling", 5.0, 1.5, 1.7, 1.0, 0.8),
    World("flock", 15.0, 0.8, 1.8, 0.9, 1.5),
    World("dense and good", 12.0, 1.0, 3.5, 0.6, 0.3),
    World("hardly wrong", 2.0, 2.0, 4.2, 0.7, 0.05),
    World("too careful", 3.0, 1.5, 1.2, 0.9, 0.5, 0.6),
    World("lost at times", 4.0, 1.2, 2.2, 0.7, 0.3, blind=0.12),
    World("night", 1.0, 1.5, 1.6, 1.6, 0.4, 1.5),
    World("swarm", 25.0, 0.7, 2.2, 0.7, 2.0),
)
"""Detectors that no choice was made on: made after decision 181, to measure what it chose."""


@dataclass(frozen=True, eq=False)
class Detected:
    """A world's pictures as ``inputs``, all their ``answers`` (N,) and ``counts`` (N, C), and every box's picture and score."""

    world: World
    inputs: Inputs
    answers: NDArray[np.object_]
    counts: BoxCounts
    pictures: NDArray[np.intp]
    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]


def detected(world: World, size: int = 3000, *, seed: int, low_boxes: bool = True) -> Detected:
    """So many pictures of a world. ``low_boxes`` : whether boxes below the least score are known."""
    random = np.random.default_rng([181, seed])
    task = Boxes(CLASSES)
    fog = random.normal(0, world.fog, size) + 8.0 * (random.random(size) < world.blind)
    there = random.poisson(world.objects * random.gamma(world.spread, 1 / world.spread, size))
    clutter = random.poisson(world.clutter * np.exp(0.5 * np.minimum(fog, 3.0) - 0.1))
    kinds: list[list[int]] = []
    answers = np.empty(size, dtype=np.object_)
    rows: list[int] = []
    scores: list[float] = []
    for row in range(size):
        logit = np.concatenate(
            [
                world.skill - fog[row] + random.logistic(0, 1, there[row]),
                -2.0 + random.logistic(0, 1.0, clutter[row]),
            ]
        )
        score = 1 / (1 + np.exp(-world.calling * logit))
        real = np.arange(len(score)) < there[row]
        true = random.choice(len(CLASSES), len(score), p=[0.5, 0.35, 0.15])
        said = np.where(real & (random.random(len(score)) < 0.04), (true + 1) % len(CLASSES), true)
        shown = score >= LEAST
        answer = [
            place for place, box in enumerate(np.flatnonzero(shown)) if not (real[box] and said[box] == true[box])
        ]
        missed = real & ~(shown & (said == true))
        answers[row] = sorted([-1 - kind for kind in true[missed].tolist()] + answer)
        kinds.append(said[shown].tolist())
        written = score >= (LOWEST if low_boxes else LEAST)
        rows += [row] * int(written.sum())
        scores += score[written].tolist()
    predictions = np.full((size, max(1, *map(len, kinds))), NO_BOX, dtype=np.int32)
    for row, found in enumerate(kinds):
        predictions[row, : len(found)] = found
    pictures, sure = np.array(rows, dtype=np.intp), np.array(scores)
    chance = chance_all_right(pictures, sure, sure >= LEAST, size)
    inputs = Inputs(
        fingerprint=f"{seed:032d}",
        task=task,
        predictions=predictions,
        confidence=chance,
        scores={EXPECTED_ERRORS: expected_errors(pictures, sure, sure >= LEAST, size), "confidence": 1 - chance},
        truth=answers,
        losses=task.losses(predictions, answers.tolist()),
    )
    counts = task.counts(predictions, dict(enumerate(answers.tolist())))
    return Detected(world, inputs, answers, counts, pictures, sure, sure >= LEAST)
