"""How often the intervals of precision, recall and the share of pictures right hold the truth, on simulated detectors.

Run as ``python -m research.studies.box_coverage [CAMPAIGNS] [KEPT.json]``; prints a line for each detector, technique and
budget, and writes docs/studies/boxes.md from those kept in the file, so that it can be run in pieces.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from research.studies.box_detectors import CLASSES, WORLDS, Detected, detected
from research.studies.page_text import table, write_page
from testimate.core.boxes import EXPECTED_ERRORS, BoxCounts
from testimate.core.draw import Verdict
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.box_scores import box_scores
from testimate.planning.build import build

CAMPAIGNS, BUDGETS, TECHNIQUES = 250, (100, 200), ("srs", "rrs", "rra")

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "boxes.md"
SHOWN = ("precision", "recall", *(f"{what} of {name}" for name in CLASSES for what in ("precision", "recall")))
HEAD = (
    "detector",
    "technique",
    "labels",
    "campaigns",
    "pictures right",
    *SHOWN[:2],
    "precision, each class",
    "recall, each class",
)


def campaigns(made: Detected, technique: str, budget: int, count: int) -> dict[str, Any]:
    """How often each interval held, how often there was one, and the mean widths, in so many campaigns."""
    inputs, counts = made.inputs.without_truth, made.counts
    losses = made.inputs.losses
    assert losses is not None
    right, boxes, objects = (
        np.append(each.sum(axis=0), each.sum()) for each in (counts.right, counts.boxes, counts.objects)
    )
    truth = {"pictures": 1 - float(losses.mean())}
    for place, name in enumerate((*CLASSES, "")):
        of = f" of {name}" if name else ""
        truth |= {f"precision{of}": right[place] / boxes[place], f"recall{of}": right[place] / objects[place]}
    held: dict[str, list[float]] = {name: [] for name in truth}
    widths: dict[str, list[float]] = {name: [] for name in truth}
    for seed in range(count):
        selector = build(inputs, Request(technique, budget, seed, EXPECTED_ERRORS))
        verdicts: list[Verdict] = []
        while selector.remaining:
            asked = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(budget)]
            selector.tell(asked)
            verdicts += asked
        rows = [one.draw.row for one in verdicts]
        whole = estimator_of(selector.design).estimate(selector.design, verdicts, level=0.95, loss_bound=1.0)
        scores = box_scores(
            selector.design, verdicts, BoxCounts(counts.right[rows], counts.boxes[rows], counts.objects[rows])
        )
        ends = {"pictures": (whole.low, whole.high)}
        for name, score in zip((*CLASSES, ""), (*scores.classes, scores.all), strict=True):
            of = f" of {name}" if name else ""
            ends[f"precision{of}"] = (score.precision.low, score.precision.high)
            ends[f"recall{of}"] = (score.recall.low, score.recall.high)
        for name, (low, high) in ends.items():
            if low is not None and high is not None:
                held[name].append(float(low <= truth[name] <= high))
                widths[name].append(high - low)
    return {
        "world": made.world.name,
        "technique": technique,
        "budget": budget,
        "campaigns": count,
        "held": {name: float(np.mean(values)) if values else None for name, values in held.items()},
        "shown": {name: len(values) / count for name, values in held.items()},
        "width": {name: float(np.mean(values)) if values else None for name, values in widths.items()},
        "truth": {name: float(value) for name, value in truth.items()},
    }


def line(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the page's table: percent held, and the mean width in brackets."""

    def cell(name: str) -> str:
        held, width = found["held"][name], found["width"][name]
        return "–" if held is None else f"{100 * held:.1f} ({100 * width:.0f})"

    def each(what: str) -> str:
        return ", ".join(
            "–" if found["held"][name] is None else f"{100 * found['held'][name]:.1f}"
            for name in (f"{what} of {one}" for one in CLASSES)
        )

    return (
        found["world"],
        found["technique"],
        str(found["budget"]),
        str(found["campaigns"]),
        cell("pictures"),
        cell("precision"),
        cell("recall"),
        each("precision"),
        each("recall"),
    )


def main() -> None:
    """Runs what is not kept yet, and writes the page."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("box_coverage.json")
    rows: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else []
    known = {(row["world"], row["technique"], row["budget"]) for row in rows}
    for technique in TECHNIQUES:
        for number, world in enumerate(WORLDS):
            made = detected(world, seed=number)
            for budget in BUDGETS:
                if (world.name, technique, budget) in known:
                    continue
                rows.append(campaigns(made, technique, budget, count))
                kept.write_text(json.dumps(rows))
                print(" | ".join(line(rows[-1])), flush=True)
    write_page(PAGE, [_words(), table(HEAD, [line(row) for row in rows])])


def _words() -> str:
    worlds = "; ".join(
        f"{one.name}: {one.objects:g} objects a picture" + (", scores too high" if one.calling > 1 else "")
        for one in WORLDS
    )
    return (
        "# Boxes: how often the intervals hold\n\n"
        "Simulated detectors over 3,000 pictures each with known truth, of three classes "
        f"({', '.join(CLASSES)}): {worlds}. In percent of the campaigns, in brackets the mean width in points; one standard "
        "error is 1.4 points with 250 campaigns. A class with boxes or objects in fewer than 10 labeled "
        "pictures has no interval and does not count. Made by `python -m research.studies.box_coverage`; "
        "[decision 181](../decisions/0181-boxes-are-judged-picture-by-picture.md).\n"
    )


if __name__ == "__main__":
    main()
