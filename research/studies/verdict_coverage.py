"""How often the intervals of verdicts hold the truth: score, share right, shares of grades and the judge's kappa.

Run as ``python -m research.studies.verdict_coverage [CAMPAIGNS]``; prints a line for each population, technique and budget, and
writes docs/studies/verdicts.md from those kept in a file beside it, so that it can be run in pieces.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.page_text import table, write_page
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.judgement import Judgement
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.verdict_estimate import calls_right, verdict_estimate

CAMPAIGNS, BUDGETS, TECHNIQUES = 300, (100, 200), ("srs", "rrs", "rra")
PAGE = Path(__file__).parents[2] / "docs" / "studies" / "verdicts.md"
HEAD = (
    "outputs",
    "technique",
    "labels",
    "score",
    "held",
    "width",
    "stop-safe",
    "right held",
    "width",
    "kappa held",
    "width",
    "shown",
)


@dataclass(frozen=True)
class Outputs:
    """A population of outputs with true grades, and the share with each of them."""

    name: str
    inputs: Inputs


def populations() -> list[Outputs]:
    """Outputs that are mostly right, of middling quality, nearly perfect, and graded from 1 to 5; 4,000 each."""
    made = []
    for seed, (name, right, partly, scale) in enumerate(
        (
            ("mostly right", 0.75, 0.1, "right-partly-wrong"),
            ("middling", 0.45, 0.3, "right-partly-wrong"),
            ("nearly perfect", 0.95, 0.03, "right-partly-wrong"),
            ("grades 1 to 5", 0.4, 0.25, "1-5"),
        )
    ):
        made.append(Outputs(name, _population(seed, right, partly, scale)))
    return made


def _population(seed: int, right: float, partly: float, scale: str, size: int = 4000) -> Inputs:
    random = np.random.default_rng([20, seed])
    task = Judgement(scale)
    if scale == "1-5":
        truth = random.choice(5, size, p=[0.05, 0.1, 0.15, 0.3, 0.4])
    else:
        truth = random.choice(3, size, p=[right, partly, 1 - right - partly])
    predictions = np.full(size, task.best)
    losses = task.losses(predictions, truth)
    quality = 1 - losses + random.normal(0, 0.35, size)  # of the judge, who does not see all
    confidence = 1 / (1 + np.exp(-4 * (quality - 0.45)))
    return Inputs(
        fingerprint=f"{seed:032d}",
        task=task,
        predictions=predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        truth=truth,
        losses=losses,
    )


def campaigns(outputs: Outputs, technique: str, budget: int, count: int) -> dict[str, Any]:
    """How often each interval held, and the mean widths, in so many campaigns."""
    inputs = outputs.inputs
    task, losses = inputs.task, inputs.losses
    assert isinstance(task, Judgement)
    assert losses is not None
    truth, right = 1 - losses.mean(), float((~task.failed(losses)).mean())
    kappa = _kappa(inputs)
    held: dict[str, list[float]] = {name: [] for name in ("score", "always", "right", "kappa")}
    widths: dict[str, list[float]] = {name: [] for name in held}
    for seed in range(count):
        request = Request(technique, budget, seed)
        verdicts, design = _campaign(inputs, request, losses)
        found = estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0)
        more = verdict_estimate(inputs, task, design, verdicts, technique=technique, level=0.95)
        ends = {
            "score": (found.low, found.high, truth),
            "always": (found.always_low, found.always_high, truth),
        }
        if more is not None and more.right is not None and more.judge is not None:
            share = more.right.estimate
            ends["right"] = (share.low, share.high, right)
            if more.judge.low is not None:
                ends["kappa"] = (more.judge.low, more.judge.high, kappa)
        for name, (low, high, true) in ends.items():
            held[name].append(float(low is not None and high is not None and low <= true <= high))
            if low is not None and high is not None:
                widths[name].append(high - low)
    return {
        "outputs": outputs.name,
        "technique": technique,
        "budget": budget,
        "campaigns": count,
        "score": float(truth),
        "held": {name: float(np.mean(values)) if values else None for name, values in held.items()},
        "kappa shown": len(held["kappa"]) / count,
        "width": {name: float(np.mean(values)) if values else None for name, values in widths.items()},
    }


def _campaign(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> tuple[list[Verdict], Any]:
    selector = build(inputs.without_truth, request)
    verdicts: list[Verdict] = []
    while selector.remaining:
        asked = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(request.budget)]
        selector.tell(asked)
        verdicts += asked
    return verdicts, selector.design


def _kappa(inputs: Inputs) -> float:
    """Cohen's kappa over all inputs."""
    judge, people = calls_right(inputs), None if inputs.losses is None else ~inputs.task.failed(inputs.losses)
    assert judge is not None
    assert people is not None
    observed = float((judge == people).mean())
    chance = float(judge.mean() * people.mean() + (1 - judge.mean()) * (1 - people.mean()))
    return 1 - (1 - observed) / (1 - chance)


def line(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the page's table."""
    held, width = found["held"], found["width"]

    def per_cent(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.1f}"

    return (
        found["outputs"],
        found["technique"],
        str(found["budget"]),
        per_cent(found["score"]),
        per_cent(held["score"]),
        per_cent(width["score"]),
        per_cent(held["always"]),
        per_cent(held["right"]),
        per_cent(width["right"]),
        per_cent(held["kappa"]),
        "–" if width["kappa"] is None else f"{width['kappa']:.2f}",
        per_cent(found["kappa shown"]),
    )


def main() -> None:
    """Runs what is not kept yet, and writes the page."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("verdict_coverage.json")
    rows: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else []
    known = {(row["outputs"], row["technique"], row["budget"]) for row in rows}
    for outputs in populations():
        for technique in TECHNIQUES:
            for budget in BUDGETS:
                if (outputs.name, technique, budget) in known:
                    continue
                rows.append(campaigns(outputs, technique, budget, count))
                kept.write_text(json.dumps(rows))
                print(" | ".join(line(rows[-1])), flush=True)
    write_page(PAGE, [_words(count), table(HEAD, [line(row) for row in rows])])


def _words(count: int) -> str:
    return (
        "# Verdicts: how often the intervals hold\n\n"
        f"{count:,} campaigns each over 4,000 outputs with known grades; partly right counts half. One standard error is "
        f"{100 * np.sqrt(0.95 * 0.05 / count):.1f} points. The judge sees quality with an error of 0.35. Kappa is shown where "
        "at least 10 labels are right and 10 are not; what held is of these, which are no fair sample where they are few. All "
        "numbers in percent but kappa. Made by `python -m research.studies.verdict_coverage`; decisions "
        "[120](../decisions/0120-verdicts-are-grades-on-a-scale.md) and "
        "[182](../decisions/0182-grades-have-the-interval-of-a-share.md).\n"
    )


if __name__ == "__main__":
    main()
