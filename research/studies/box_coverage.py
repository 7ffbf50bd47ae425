"""How often the intervals of precision and recall hold the truth, on simulated detectors.

Run by `make study`, or alone as ``python -m research.studies.box_coverage``: measures the cells that are not kept yet and
writes docs/studies/boxes.md.
"""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.studies.box_detectors import CLASSES, NEW_WORLDS, WORLDS, Detected, detected
from research.studies.measured_once import measured_once
from research.studies.page_text import table, write_page
from research.studies.study_subjects import STUDIES, kept_folder
from testimate.core.draw import Verdict
from testimate.core.selector import Request
from testimate.core.task import BoxCounts
from testimate.estimators.parts import box_scores, clustered_ends, clusters_of
from testimate.estimators.weights import FEWEST, draw_weights, ratios
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.tasks.boxes import EXPECTED_ERRORS

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
        + (f", blind in {100 * one.blind:g} % of the pictures" if one.blind else "")
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
        "nearly no box is wrong an interval cannot be above the truth, so that 97.5 % and not 95 % is what an interval of two "
        "equal tails holds. Made by `python -m research.studies.box_coverage`; "
        "[decision 181](../decisions/0181-boxes-are-judged-picture-by-picture.md).\n"
    )


if __name__ == "__main__":
    write(STUDIES)
