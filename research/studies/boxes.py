"""The page on boxes: how often the intervals of precision and recall hold the truth, on simulated detectors.

``python -m research.studies.boxes [CAMPAIGNS]`` prints which number of a picture's boxes should decide how soon it is judged:
for each simulated detector and rule the mean squared error at 200 labels by rrs, as a share of that of srs, of precision,
recall and the share of pictures right.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.studies.page_text import measured_once, table, write_page
from research.studies.study_subjects import kept_folder
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import BoxCounts
from testimate.estimators.parts import box_scores, clustered_ends, clusters_of
from testimate.estimators.weights import FEWEST, draw_weights, ratios
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
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


CAMPAIGNS, POPULATIONS, BUDGETS = 2000, 3, (100, 200)
BY_ROUNDS = 1002
"""Campaigns by adaptive rounds, at most: their draws follow the labels and are not made many at once."""

ENOUGH = 0.3
"""Share of the campaigns in which a class needs an interval, for how often that held to say something."""

HEAD = ("detector", "technique", "labels", "precision", "recall", "precision, each class", "recall, each class")
Numbers = NDArray[np.float64]


class Ends(NamedTuple):
    """Of many campaigns, each (count, 2, C + 1): precision and recall, of each class and all; nan where there is none."""

    low: Numbers
    high: Numbers


def shares(made: Detected) -> tuple[Numbers, Numbers]:
    """Right boxes, and the boxes and objects they are shares of, each (N, 2, C + 1): precision, recall; the classes, all."""
    right, boxes, objects = (
        np.column_stack([each, each.sum(axis=1)])
        for each in (made.counts.right, made.counts.boxes, made.counts.objects)
    )
    return np.stack([right, right], axis=1), np.stack([boxes, objects], axis=1)


def at_once(made: Detected, technique: str, budget: int, count: int, seed: int) -> Ends:
    """So many campaigns of a technique that plans ahead: every one is a simple random sample inside the strata of one plan."""
    inputs, size = made.inputs.without_truth, len(made.answers)
    random = np.random.default_rng([205, seed])
    everything = build(inputs, Request(technique, size, seed, EXPECTED_ERRORS)).ask(size)
    strata = np.empty(size, dtype=np.intp)
    strata[[draw.row for draw in everything]] = [draw.stratum for draw in everything]
    selector = build(inputs, Request(technique, budget, seed, EXPECTED_ERRORS))
    draws = sorted(selector.ask(budget), key=lambda draw: draw.stratum)
    counts = np.bincount([draw.stratum for draw in draws])
    rows = np.concatenate(
        [
            np.flatnonzero(strata == stratum)[
                random.random((count, int((strata == stratum).sum()))).argsort(axis=1)[:, :labels]
            ]
            for stratum, labels in enumerate(counts.tolist())
        ],
        axis=1,
    )  # (count, n)
    weights = draw_weights(selector.design, [Verdict(draw, 0.0) for draw in draws])
    part, whole = (each[rows.T].reshape(budget, -1) for each in shares(made))  # (n, count * 2 * (C + 1))
    found = ratios(weights, part, whole)
    clusters = clusters_of(weights, found, part, whole, degrees=float(budget - len(counts)))
    shown = found.labels >= FEWEST
    ends = clustered_ends(found._replace(values=np.where(shown, found.values, 0.0)), clusters)
    low, high = (np.where(shown, each, np.nan).reshape(count, 2, -1) for each in (ends.low, ends.high))
    return Ends(low, high)


def one_by_one(made: Detected, technique: str, budget: int, count: int, seed: int) -> Ends:
    """So many campaigns of any technique, labeled from the first picture to the last."""
    inputs, counts, losses = made.inputs.without_truth, made.counts, made.inputs.losses
    assert losses is not None
    lows, highs = [], []
    for number in range(count):
        selector = build(inputs, Request(technique, budget, 1000 * seed + number, EXPECTED_ERRORS))
        verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
        rows = [one.draw.row for one in verdicts]
        found = box_scores(
            selector.design, verdicts, BoxCounts(counts.right[rows], counts.boxes[rows], counts.objects[rows])
        )
        scores = (*found.classes, found.all)
        lows.append([[one.precision.low for one in scores], [one.recall.low for one in scores]])
        highs.append([[one.precision.high for one in scores], [one.recall.high for one in scores]])
    return Ends(np.array(lows, dtype=np.float64), np.array(highs, dtype=np.float64))


def cell(place: int, technique: str, budget: int, count: int) -> dict[str, Any]:
    """How often each interval held, how often there was one, and the mean widths, over ``POPULATIONS`` sets of pictures."""
    world = (*NEW_WORLDS, *WORLDS)[place]
    held, widths = [], []
    for population in range(POPULATIONS):
        seed = 100 * population + place + 10
        made = detected(world, seed=seed)
        part, whole = shares(made)
        truth = part.sum(axis=0) / whole.sum(axis=0)
        run = one_by_one if technique == "rra" else at_once
        low, high = run(made, technique, budget, count // POPULATIONS, seed)
        held.append(np.where(np.isnan(low), np.nan, (low <= truth + 1e-12) & (truth - 1e-12 <= high)))
        widths.append(high - low)
    every, width = np.concatenate(held), np.concatenate(widths)
    some = np.isfinite(every).mean(axis=0)
    return {
        "world": world.name,
        "technique": technique,
        "budget": budget,
        "campaigns": len(every),
        "held": np.where(some >= ENOUGH, np.nanmean(every, axis=0), -1.0).tolist(),
        "width": np.nanmean(width, axis=0).tolist(),
    }


def line(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the page's table: percent held, and of all classes the mean width in brackets."""

    def said(share: float) -> str:
        return f"{100 * share:.1f}" if share >= 0 else "–"

    return (
        found["world"],
        found["technique"],
        str(found["budget"]),
        *(
            f"{said(held[-1])} ({100 * width[-1]:.0f})"
            for held, width in zip(found["held"], found["width"], strict=True)
        ),
        *(", ".join(map(said, held[:-1])) for held in found["held"]),
    )


def write(here: Path) -> None:
    """Measures what is not kept yet, and writes boxes.md."""
    folder = kept_folder() / "boxes"
    rows = [
        measured_once(
            folder / f"{world.name} {technique} {budget}.json".replace(" ", "-"),
            partial(cell, place, technique, budget, campaigns),
        )
        for technique, campaigns in (("srs", CAMPAIGNS), ("rrs", CAMPAIGNS), ("rra", BY_ROUNDS))
        for place, world in enumerate((*NEW_WORLDS, *WORLDS))
        for budget in BUDGETS
    ]
    write_page(here / "boxes.md", _page(rows))


def _page(rows: list[dict[str, Any]]) -> list[str]:
    new = {one.name for one in NEW_WORLDS}
    parts = [_words(rows)]
    for title, inside in (("Detectors that no choice was made on", True), ("Detectors that were looked at", False)):
        part = [row for row in rows if (row["world"] in new) == inside]
        parts += [f"## {title}\n\n{_range(part)}\n", table(HEAD, [line(row) for row in part])]
    return parts


def _range(rows: list[dict[str, Any]]) -> str:
    """The least and the most often that intervals held, by technique."""
    said = []
    for technique in ("srs", "rrs", "rra"):
        held = [np.array(row["held"]) for row in rows if row["technique"] == technique]
        if held:
            every, each = np.stack(held)[:, :, -1], np.stack(held)[:, :, :-1]
            each = each[each >= 0]
            said.append(
                f"{technique}: all classes {100 * every.min():.1f} to {100 * every.max():.1f}, single classes "
                f"{100 * each.min():.1f} to {100 * each.max():.1f}"
            )
    return "; ".join(said) + "."


def _words(rows: list[dict[str, Any]]) -> str:
    worlds = "; ".join(
        f"{one.name}: {one.objects:g} object{'' if one.objects == 1 else 's'} a picture"
        + (", scores too high" if one.calling > 1 else ", scores too near one half" if one.calling < 1 else "")
        + (f", blind in {100 * one.blind:g}% of the pictures" if one.blind else "")
        for one in (*NEW_WORLDS, *WORLDS)
    )
    most = max(row["campaigns"] for row in rows)
    least = min(row["campaigns"] for row in rows)

    def error(count: int) -> str:
        return f"{100 * np.sqrt(0.95 * 0.05 / count):.1f}"

    return (
        "# Boxes: how often the intervals hold\n\n"
        f"Simulated detectors over {POPULATIONS} sets of 3,000 pictures each with known truth, of three classes "
        f"({', '.join(CLASSES)}): {worlds}. In percent of {most:,} campaigns, by rra of {least:,}, in brackets the mean width "
        f"in points; one standard error is {error(most)} points, by rra {error(least)}. A class with boxes or objects in fewer "
        f"than {FEWEST} labeled pictures has no interval and does not count; a dash where that is so in most campaigns. Where "
        "nearly no box is wrong an interval cannot be above the truth, so that 97.5% and not 95% is what an interval of two "
        "equal tails holds. Made by `python -m research.studies.make_studies boxes`; "
        "[decision 181](../decisions/0181-boxes-are-judged-picture-by-picture.md).\n"
    )


BUDGET = 200


def _order(found: Numbers, world: Detected, empty: float | None) -> Numbers:
    """The numbers, those of pictures without any box at this share of the others' order; as they are where it is None."""
    if empty is not None:
        seen = np.bincount(world.pictures, minlength=len(found)) > 0
        found = np.where(seen, found, np.quantile(found[seen], empty))
    return np.asarray(found / found.max(), dtype=np.float64)


def _product(world: Detected) -> Numbers:
    """One minus the chance that every box is right and no other one is an object that was missed."""
    logs = np.log(np.where(world.kept, world.scores, 1 - world.scores))
    return 1 - np.exp(np.bincount(world.pictures, logs, minlength=len(world.inputs)))


def _mean(world: Detected) -> Numbers:
    """One minus the mean score of the boxes judged."""
    size = len(world.inputs)
    counts = np.bincount(world.pictures[world.kept], minlength=size)
    return np.bincount(world.pictures[world.kept], 1 - world.scores[world.kept], minlength=size) / np.maximum(counts, 1)


def _errors(world: Detected) -> Numbers:
    """The number of errors expected."""
    errors = np.where(world.kept, 1 - world.scores, world.scores)
    return np.asarray(np.bincount(world.pictures, errors, minlength=len(world.inputs)), dtype=np.float64)


def _spread(world: Detected) -> Numbers:
    """The deviation of the number of errors if the scores were chances and boxes went wrong independently."""
    return np.sqrt(np.bincount(world.pictures, world.scores * (1 - world.scores), minlength=len(world.inputs)))


def _number(world: Detected) -> Numbers:
    """How many boxes are judged."""
    return np.bincount(world.pictures[world.kept], minlength=len(world.inputs)).astype(np.float64)


RULES: dict[str, Callable[[Detected], Numbers]] = {
    "expected errors, empty last": lambda world: _order(_errors(world), world, None),
    "expected errors, empty in the middle": lambda world: _order(_errors(world), world, 0.5),
    "expected errors, empty first": lambda world: _order(_errors(world), world, 1.0),
    "chance of an error, empty last": lambda world: _order(_product(world), world, None),
    "mean score, empty first": lambda world: _order(_mean(world), world, 1.0),
    "spread, empty last": lambda world: _order(_spread(world), world, None),
    "number of boxes": lambda world: _order(_number(world), world, None),
}


def errors_by(world: Detected, rule: Callable[[Detected], Numbers] | None, campaigns: int) -> Numbers:
    """Mean squared errors of precision, recall and the share of pictures right, (3,); by srs where there is no rule."""
    inputs = world.inputs
    if rule is not None:
        score = rule(world)
        inputs = replace(inputs, confidence=1 - score, scores={"confidence": score})
    inputs, counts, losses = inputs.without_truth, world.counts, world.inputs.losses
    assert losses is not None
    right, boxes, objects = (each.sum(axis=1) for each in (counts.right, counts.boxes, counts.objects))
    truth = np.array([right.sum() / boxes.sum(), right.sum() / objects.sum(), 1 - losses.mean()])
    off = np.empty((campaigns, 3))
    for seed in range(campaigns):
        selector = build(inputs, Request("srs" if rule is None else "rrs", BUDGET, seed))
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(BUDGET)]
        weights = draw_weights(selector.design, verdicts)
        rows = [verdicts[place].draw.row for place in weights.positions.tolist()]
        total = weights.weights @ np.column_stack([right, boxes, objects, 1 - losses, np.ones(len(losses))])[rows]
        off[seed] = np.array([total[0] / total[1], total[0] / total[2], total[3] / total[4]]) - truth
    return np.asarray((off**2).mean(axis=0))


def print_rules() -> None:
    """Prints the table."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"Mean squared error at {BUDGET} labels as a share of srs's; {campaigns} campaigns")
    for low in (True, False):
        print(f"\nboxes below the least score are {'known' if low else 'not known'}\n")
        print("| detector | rule | precision | recall | pictures right |\n| --- | --- | ---: | ---: | ---: |")
        means: dict[str, list[Numbers]] = {}
        for number, world in enumerate(WORLDS):
            made = detected(world, seed=number, low_boxes=low)
            plain = errors_by(made, None, 2 * campaigns)
            for name, rule in RULES.items():
                share = errors_by(made, rule, campaigns) / plain
                means.setdefault(name, []).append(np.log(share))
                print(f"| {world.name} | {name} | " + " | ".join(f"{one:.2f}" for one in share) + " |", flush=True)
        for name, logs in means.items():
            print(
                f"| mean | {name} | " + " | ".join(f"{one:.2f}" for one in np.exp(np.mean(logs, axis=0))) + " |",
                flush=True,
            )


if __name__ == "__main__":
    print_rules()
