"""What results of earlier models save: the error of rrs that follows them, on simulated models, over that of a random sample.

``python -m research.studies.history_campaigns [CAMPAIGNS]`` prints the table of docs/studies/questions.md; 500 campaigns a row
take about four minutes on one core.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary.history import chances_of_failure, difficulties
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import Task
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.needs import HISTORY
from testimate.tasks.classification import Classification
from testimate.tasks.verdict import Judgment

Floats = NDArray[np.float64]

LABELS = 100
NORMAL = 1.959964
SIZE = 1000


@dataclass(frozen=True, eq=False)
class Case:
    """Inputs with their losses under the tested model, and their chances of failure by the history."""

    name: str
    task: Task
    losses: Floats
    chances: Floats


@dataclass(frozen=True)
class Saved:
    """Of campaigns: root mean squared error and mean width over those of simple random sampling, and the coverage."""

    error: float
    width: float
    held: float


def cases(seeds: int = 5) -> Iterator[Case]:
    """Yield like, unlike and reversed histories of models whose log-odds of failing on an input are normal."""
    for name, hard, spread, models in (
        ("right or wrong, 26 models", -1.5, 2.5, 26),
        ("right or wrong, 2 models", -1.5, 2.5, 2),
        ("ten failures in a thousand, 20 models", -7.0, 2.0, 20),
        ("grades 1 to 5, 26 models", 0.0, 2.5, 26),
    ):
        for seed in range(seeds):
            random = np.random.default_rng([54, seed, models])
            odds = random.normal(hard, spread, SIZE)
            draws = 4 if name.startswith("grades") else 1
            of_models = np.append(random.normal(0, 0.7, models), 0.5)  # the tested one is better than most
            chance = 1 / (1 + np.exp(of_models - odds[:, None]))
            losses = random.binomial(draws, chance) / draws
            if name.startswith("ten"):
                losses[:, -1] = exactly(10, chance[:, -1], random)
            task: Task = Judgment("1-5") if draws == 4 else Classification(("a", "b"))
            found = chances_of_failure(difficulties(losses[:, :-1]))
            yield Case(name, task, losses[:, -1], found)
            if seed == 0 or name.startswith("right or wrong, 26"):
                yield Case(f"{name}, permuted", task, losses[:, -1], random.permutation(found))
                upside_down = np.sort(found)[::-1][np.argsort(np.argsort(found, kind="stable"))]
                yield Case(f"{name}, reversed", task, losses[:, -1], upside_down)


def exactly(count: int, chance: Floats, random: np.random.Generator) -> Floats:
    """Return so many failures, drawn in proportion to the chances, (N,)."""
    losses = np.zeros(chance.size)
    losses[random.choice(chance.size, count, replace=False, p=chance / chance.sum())] = 1
    return losses


def campaigns(case: Case, count: int) -> Saved:
    """Return what so many seeded lists of rrs over the case's inputs give."""
    places = np.full(SIZE, case.task.best) if isinstance(case.task, Judgment) else np.zeros(SIZE, dtype=np.intp)
    inputs = Inputs("0" * 32, case.task, places, scores={HISTORY: case.chances})
    truth, found = 1 - case.losses.mean(), []
    for seed in range(count):
        selector = build(inputs, Request("rrs", LABELS, seed, auxiliary=HISTORY))
        verdicts = [Verdict(draw, float(case.losses[draw.row])) for draw in selector.ask(LABELS)]
        design = selector.design
        estimate = estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0)
        assert estimate.low is not None
        assert estimate.high is not None
        error, width = estimate.accuracy - truth, estimate.high - estimate.low
        found.append([error**2, width, estimate.low <= truth <= estimate.high])
    squared, width, held = np.mean(found, axis=0).tolist()
    alone = float(np.sqrt(case.losses.var(ddof=1) / LABELS * (1 - LABELS / SIZE)))
    return Saved(float(np.sqrt(squared)) / alone, width / (2 * NORMAL * alone), held)


def best_of_groups(case: Case) -> float:
    """Return the error over that of a simple random sample if labels went to the groups of equal chances by their true rates.

    Neyman's allocation (Cochran 1977, section 5.5): no stratified sample of these groups is better.
    """
    _, groups, sizes = np.unique(case.chances, return_inverse=True, return_counts=True)
    spreads = np.array([case.losses[groups == one].std(ddof=1) for one in range(len(sizes))])
    share = sizes / SIZE
    best = (share @ spreads) ** 2 / LABELS - share @ spreads**2 / SIZE
    return float(np.sqrt(best / (case.losses.var(ddof=1) / LABELS * (1 - LABELS / SIZE))))


def main(count: int) -> None:
    """Print a line of Markdown for each kind of history: the medians over its seeds, and the lowest coverage.

    Then the best error that two results allow.
    """
    print("| history | error over srs | largest | width over srs | coverage | lowest |")
    print("|---|---|---|---|---|---|")
    by_name: dict[str, list[Saved]] = {}
    for case in cases():
        by_name.setdefault(case.name, []).append(campaigns(case, count))
    for name, found in by_name.items():
        errors, widths, held = (np.array([getattr(one, of) for one in found]) for of in ("error", "width", "held"))
        print(
            f"| {name} | {np.median(errors):.2f} | {errors.max():.2f} | {np.median(widths):.2f} | {held.mean():.3f} "
            f"| {held.min():.3f} |",
            flush=True,
        )
    bounds = [best_of_groups(case) for case in cases() if case.name == "right or wrong, 2 models"]
    print(f"Two models, labels by the true rates of their groups: {np.median(bounds):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
