"""Several criteria from one plan: width beside simple random sampling, and how often each interval and all together hold.

Run by ``make_studies verdicts``, on whose page they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.judges import JudgeScores, judge_assisted
from testimate.planning.build import build
from testimate.planning.criteria import with_criteria
from testimate.planning.draws import verdicts_to_the_end
from testimate.tasks.verdict import Criterion, Judgement

CAMPAIGNS, BUDGET, SIZE = 500, 100, 1200
SHARED = 0.6
"""Correlation of two criteria's qualities."""


@dataclass(frozen=True)
class Asked:
    """Criteria of one scale, each with a judge of this error and bias; ``knows`` : whether the judges see the outputs.

    ``steps`` : of the scale, 4 for grades from 1 to 5 and 1 for right and wrong.
    """

    name: str
    steps: int
    noises: tuple[float, ...]
    biases: tuple[float, ...]
    knows: bool = True


HEAD = ("criteria", "width", "widest", "held least", "most", "all hold", "all, adjusted")
OF_CRITERIA = (
    "## Several criteria from one plan\n\n"
    f"{CAMPAIGNS} campaigns of {BUDGET} labels over {SIZE:,} outputs with four criteria, each with a coarse judge that is too "
    "kind or too strict. Labels are drawn by the compromise of `testimate/planning/criteria.py`, and each criterion has the "
    "regression estimate on all judges. Width is beside simple random sampling without judges; adjusted, all four intervals "
    "hold together by Bonferroni. In the second and fourth line the judges are permuted, so that they know nothing.\n"
)

CELLS = (
    Asked("grades 1 to 5", 4, (1.2, 1.6, 1.4, 1.3), (1.0, 0.2, -0.4, 1.0)),
    Asked("grades 1 to 5, permuted judges", 4, (1.2, 1.6, 1.4, 1.3), (1.0, 0.2, -0.4, 1.0), knows=False),
    Asked("right or wrong", 1, (0.8, 1.0, 0.9, 0.8), (0.8, 0.2, 0.6, 0.8)),
    Asked("right or wrong, permuted judges", 1, (0.8, 1.0, 0.9, 0.8), (0.8, 0.2, 0.6, 0.8), knows=False),
)


def outputs_of(asked: Asked) -> tuple[Inputs, tuple[Criterion, ...], NDArray[np.float64]]:
    """The outputs with their judges, the criteria, and the true losses (K, N)."""
    random = np.random.default_rng([20, 54])
    common = random.normal(size=SIZE)
    losses, judges, criteria = [], {}, []
    for place, (noise, bias) in enumerate(zip(asked.noises, asked.biases, strict=True)):
        quality = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * random.normal(size=SIZE)
        middle = 2.6 if asked.steps > 1 else 1.3
        grades = np.clip(np.round(quality + middle), 0, asked.steps)
        seen = quality + random.normal(0, noise, SIZE) + bias
        if not asked.knows:
            seen = random.permutation(seen)
        judges[f"judge_{place}"] = np.clip(np.round(4 * (seen + middle) / max(asked.steps, 2)), 0, 4) / 4
        losses.append(1 - grades / asked.steps)
        criteria.append(Criterion(f"criterion {place}", "1-5" if asked.steps > 1 else "right-wrong", f"judge_{place}"))
    graded = {name: 1 + 4 * scores if asked.steps > 1 else scores for name, scores in judges.items()}
    inputs = Inputs("0" * 32, Judgement("1-5"), np.full(SIZE, 4), judges=graded)
    return inputs, tuple(criteria), np.array(losses)


def measured(asked: Asked, count: int) -> dict[str, Any]:
    """Width beside srs, and how often the interval holds, of each criterion; and how often all hold at once."""
    inputs, criteria, losses = outputs_of(asked)
    together = with_criteria(inputs, criteria)
    judges = JudgeScores(together.judges)
    truth = losses.mean(axis=1)
    widths, plain, held = list[list[float]](), list[list[float]](), list[list[bool]]()
    joint: dict[str, list[bool]] = {"alone": [], "adjusted": []}
    for seed in range(count):
        selector = build(together, Request("rrs", BUDGET, seed, "criteria together"))
        rows = list(chain.from_iterable(verdicts_to_the_end(selector, losses[0])))
        random = build(together, Request("srs", BUDGET, seed))
        drawn = list(chain.from_iterable(verdicts_to_the_end(random, losses[0])))
        found = [_helped(selector.design, rows, own, judges, 0.95) for own in losses]
        adjusted = [_helped(selector.design, rows, own, judges, 1 - 0.05 / len(losses)) for own in losses]
        widths.append([one.high - one.low for one in found])
        plain.append([_width(random.design, drawn, own) for own in losses])
        held.append([_holds(one, true) for one, true in zip(found, truth, strict=True)])
        joint["alone"].append(all(held[-1]))
        joint["adjusted"].append(all(_holds(one, true) for one, true in zip(adjusted, truth, strict=True)))
    ratio = np.mean(widths, axis=0) / np.mean(plain, axis=0)
    return {
        "name": asked.name,
        "width": ratio.tolist(),
        "held": np.mean(held, axis=0).tolist(),
        "joint": {name: float(np.mean(one)) for name, one in joint.items()},
    }


def _of(verdicts: Sequence[Verdict], losses: NDArray[np.float64]) -> list[Verdict]:
    return [Verdict(one.draw, float(losses[one.draw.row])) for one in verdicts]


def _helped(
    design: Any, verdicts: Sequence[Verdict], losses: NDArray[np.float64], judges: JudgeScores, level: float
) -> Any:
    own = _of(verdicts, losses)
    plain = estimator_of(design).estimate(design, own, level=level, loss_bound=1.0, always_valid=False)
    return judge_assisted(design, own, judges, plain).estimate


def _width(design: Any, verdicts: Sequence[Verdict], losses: NDArray[np.float64]) -> float:
    found = estimator_of(design).estimate(design, _of(verdicts, losses), loss_bound=1.0, always_valid=False)
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def _holds(found: Estimate, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= 1 - truth <= found.high


def line(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the page's table."""
    width, held, joint = found["width"], found["held"], found["joint"]
    return (
        found["name"],
        f"{np.mean(width):.2f}",
        f"{max(width):.2f}",
        f"{100 * min(held):.1f}",
        f"{100 * max(held):.1f}",
        f"{100 * joint['alone']:.1f}",
        f"{100 * joint['adjusted']:.1f}",
    )
