"""What judges save: width, error and coverage of judge-assisted scores over those of a random sample, on simulated judges.

``python -m research.studies.judge_campaigns [CAMPAIGNS]`` prints the table of docs/studies/questions.md; 500 campaigns a row
take about three minutes on one core.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, groupby, product
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.task_estimates import judge_assisted_score
from testimate.tasks.verdict import Judgment

Floats = NDArray[np.float64]

CAMPAIGNS, LABELS, SIZE = 500, 100, 1200
SETS = 3
"""Simulated sets of outputs of each row."""


@dataclass(frozen=True)
class Judges:
    """Judges of outputs, each a step too kind.

    ``explained`` : R squared of each with people's grades. ``steps`` : of people's scale, 4 for grades from 1 to 5 and 1 for
    right and wrong. ``kind`` : steps by which they are too kind. ``coarse`` : whether they say only 0 or 1.
    """

    name: str
    explained: tuple[float, ...]
    steps: int = 4
    kind: float = 1.0
    coarse: bool = False


CELLS = (
    Judges("grades, R² 0.18", (0.18,)),
    Judges("grades, R² 0.28", (0.28,)),
    Judges("grades, R² 0.39", (0.39,)),
    Judges("grades, four judges", (0.30, 0.25, 0.20, 0.15)),
    Judges("grades, overconfident", (0.28,), kind=2.0),
    Judges("grades, pass or fail", (0.28,), coarse=True),
    Judges("right or wrong, R² 0.18", (0.18,), steps=1),
    Judges("right or wrong, R² 0.39", (0.39,), steps=1),
    Judges("right or wrong, four judges", (0.30, 0.25, 0.20, 0.15), steps=1),
)


@dataclass(frozen=True)
class Saved:
    """Of campaigns: width and root mean squared error over those of a random sample without judges, and the coverage."""

    width: float
    error: float
    held: float


def outputs_of(judges: Judges, seed: int) -> Inputs:
    """Return outputs with people's grades; the first judge's are the confidence, as the default plan follows it."""
    random = np.random.default_rng([54, seed, judges.steps, len(judges.explained)])
    quality = random.normal(size=SIZE)
    middle = 2.6 if judges.steps > 1 else 1.2
    losses = 1 - np.clip(np.round(quality + middle), 0, judges.steps) / judges.steps
    scores = [_graded(judges, share, quality, losses, random.normal(size=SIZE)) for share in judges.explained]
    task = Judgment("1-5" if judges.steps > 1 else "right-wrong")
    graded = {f"judge {place}": score for place, score in enumerate(scores[1:], 2)}
    return _with(Inputs("0" * 32, task, np.full(SIZE, task.best), losses=losses), scores[0], graded)


def _graded(judges: Judges, explained: float, quality: Floats, losses: Floats, noise: Floats) -> Floats:
    """Return a judge's scores, 0 to 1, with so much noise that they explain the share of people's grades."""
    best, nearest = np.zeros(SIZE), np.inf
    for size in np.geomspace(0.2, 8, 200):
        seen = (quality + size * noise) / np.sqrt(1 + size**2) + judges.kind
        score = (seen > 0.5).astype(float) if judges.coarse else np.clip(np.round(seen + 2.6), 0, 4) / 4
        off = abs(np.corrcoef(score, losses)[0, 1] ** 2 - explained)
        if off < nearest:
            best, nearest = score, off
    return best


def _with(inputs: Inputs, confidence: Floats, judges: dict[str, Floats]) -> Inputs:
    return Inputs(
        inputs.fingerprint,
        inputs.task,
        inputs.predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        losses=inputs.losses,
        judges=judges,
    )


def cases() -> Iterator[tuple[str, Inputs]]:
    """Yield sets of each kind of judges, then of judges that know nothing: permuted, and constant."""
    for cell, seed in product(CELLS, range(SETS)):
        yield cell.name, outputs_of(cell, seed)
    for cell, seed in product((CELLS[2], CELLS[4], CELLS[3], CELLS[7]), range(SETS)):
        known = outputs_of(cell, seed)
        assert known.confidence is not None
        order = np.random.default_rng([54, seed]).permutation(SIZE)
        shuffled = {name: scores[order] for name, scores in known.judges.items()}
        yield f"{cell.name}, permuted", _with(known, known.confidence[order], shuffled)
    for cell, seed in product((CELLS[2], CELLS[7]), range(SETS)):
        yield f"{cell.name.split(',')[0]}, constant", _with(outputs_of(cell, seed), np.full(SIZE, 0.9), {})


def campaigns(inputs: Inputs, count: int) -> Saved:
    """Return what so many seeded default plans with judge-assisted scores give."""
    assert inputs.losses is not None
    truth, found, random = 1 - float(inputs.losses.mean()), [], []
    for seed in range(count):
        found.append(_measured(_estimate(inputs, Request("rrs", LABELS, seed)), truth))
        random.append(_measured(_estimate(inputs, Request("srs", LABELS, seed), helped=False), truth))
    (width, squared, held), (alone, squared_alone, _) = np.mean(found, axis=0), np.mean(random, axis=0)
    return Saved(float(width / alone), float(np.sqrt(squared / squared_alone)), float(held))


def _estimate(inputs: Inputs, request: Request, *, helped: bool = True) -> Estimate:
    selector = build(inputs.without_truth, request)
    assert inputs.losses is not None
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, inputs.losses))]
    design = selector.design
    plain = estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0, always_valid=False)
    if not helped:
        return plain
    assisted = judge_assisted_score(inputs, design, verdicts, plain)
    assert assisted is not None
    return assisted.found.estimate


def _measured(found: Estimate, truth: float) -> tuple[float, float, bool]:
    """Return the width, the squared error, and whether the interval contains the truth."""
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low, (found.accuracy - truth) ** 2, found.low <= truth <= found.high


def main(count: int) -> None:
    """Print a line of Markdown for each kind of judges: means over its sets, the largest width and the lowest coverage."""
    print("| judges | width over srs | largest | error over srs | coverage | lowest |")
    print("|---|---|---|---|---|---|")
    for name, sets in groupby(cases(), key=itemgetter(0)):
        found = [campaigns(inputs, count) for _, inputs in sets]
        widths, errors, held = (np.array([getattr(one, of) for one in found]) for of in ("width", "error", "held"))
        print(
            f"| {name} | {widths.mean():.2f} | {widths.max():.2f} | {errors.mean():.2f} | {held.mean():.3f} "
            f"| {held.min():.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS)
