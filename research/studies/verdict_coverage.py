"""How often the intervals of verdicts hold the truth: score, share right, shares of grades and the judge's kappa.

Run by ``make_studies verdicts``: measures the cells that are not kept yet and
writes docs/studies/verdicts.md.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.page_text import measured_once, table, write_page
from research.studies.study_subjects import kept_folder
from testimate.core.draw import Estimate, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.judges import JudgeScores, judge_assisted
from testimate.planning.build import build
from testimate.planning.criteria import with_criteria
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.task_estimates import calls_right, verdict_estimate
from testimate.tasks.verdict import Criterion, Judgment

CAMPAIGNS, BUDGETS, TECHNIQUES = 1000, (100, 200), ("srs", "rrs", "rra")
HARD_CAMPAIGNS, JUDGE_CAMPAIGNS = 300, 500
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
HEAD_IN_ROUNDS = (
    "outputs",
    "labels",
    "campaigns",
    "score",
    "hidden",
    "none seen",
    "error",
    "said",
    "could hide",
    "held",
    "width",
    "below",
    "above",
)


@dataclass(frozen=True)
class Judge:
    """Sees an output's quality with an error of ``noise``, and calls it right with the chance logistic(steep (seen - middle)).

    ``hidden`` : share of the outputs that are not right of which it sees nothing: they look right to it.
    """

    noise: float = 0.35
    steep: float = 4.0
    middle: float = 0.45
    hidden: float = 0.0


@dataclass(frozen=True)
class Outputs:
    """A population of outputs with true grades, and the rows (N,) that are not right and look right to the judge."""

    name: str
    inputs: Inputs
    hidden: NDArray[np.bool_]


MIXED = (
    ("mostly right", (0.75, 0.1, 0.15), Judge()),
    ("middling", (0.45, 0.3, 0.25), Judge()),
    ("nearly perfect", (0.95, 0.03, 0.02), Judge()),
    ("grades 1 to 5", (0.05, 0.1, 0.15, 0.3, 0.4), Judge()),
)
"""Shares of right, partly and wrong, or of the grades 1 to 5, and the judge."""

KNOWS = Judge(0.1, 8.0)
OF_ROUNDS = (
    ("judge knows nearly all", (0.93, 0.04, 0.03), KNOWS),
    ("the same, a third hidden", (0.93, 0.04, 0.03), replace(KNOWS, hidden=1 / 3)),
    ("judge knows nothing", (0.95, 0.03, 0.02), Judge(50.0, 0.05, 0.0)),
    ("hardly any wrong", (0.985, 0.01, 0.005), Judge()),
    ("nearly all the best grade", (0.005, 0.01, 0.015, 0.05, 0.92), Judge()),
    ("judge too sure", (0.85, 0.08, 0.07), Judge(0.4, 9.0, 0.1)),
    ("every fault hidden", (0.93, 0.04, 0.03), Judge(0.2, 4.0, 0.2, 1.0)),
)
"""Hard ones for adaptive rounds, whose draws follow the judge."""


def populations(made: Sequence[tuple[str, tuple[float, ...], Judge]] = MIXED, size: int = 4000) -> list[Outputs]:
    """So many outputs of each, with losses and the judge's chances."""
    found = []
    for seed, (name, shares, judge) in enumerate(made):
        random = np.random.default_rng([20, seed] if made is MIXED else [20, 221, seed])
        task = Judgment("1-5" if len(shares) == 5 else "right-partly-wrong")
        truth = random.choice(len(shares), size, p=list(shares))
        predictions = np.full(size, task.best)
        losses = task.losses(predictions, truth)
        off = random.normal(0, judge.noise, size)
        hidden = (random.random(size) < judge.hidden) & (losses > 0)
        seen = 1 - np.where(hidden, 0.0, losses) + off
        confidence = 1 / (1 + np.exp(-judge.steep * (seen - judge.middle)))
        inputs = Inputs(
            fingerprint=f"{seed:032d}",
            task=task,
            predictions=predictions,
            confidence=confidence,
            scores={"confidence": 1 - confidence},
            truth=truth,
            losses=losses,
        )
        found.append(Outputs(name, inputs, hidden))
    return found


def campaigns(outputs: Outputs, technique: str, budget: int, count: int) -> dict[str, Any]:
    """How often each interval held, and the mean widths, in so many campaigns."""
    inputs = outputs.inputs
    task, losses = inputs.task, inputs.losses
    assert isinstance(task, Judgment)
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


def in_rounds(outputs: Outputs, budget: int, count: int) -> dict[str, Any]:
    """How often the interval of the score by adaptive rounds held, and on which side the truth was when it did not."""
    inputs, losses = outputs.inputs, outputs.inputs.losses
    assert losses is not None
    truth, found, unseen, missed = 1 - float(losses.mean()), [], [], []
    right = int((losses == 0).sum())
    for seed in range(count):
        verdicts, design = _campaign(inputs, Request("rra", budget, seed), losses)
        found.append(estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0))
        unseen.append(not outputs.hidden[[one.draw.row for one in verdicts]].any())
        seen_right = sum(one.loss == 0 for one in verdicts)
        missed.append(np.log(0.05) / np.log(1 - seen_right / right))  # (1 - n / N)^m = 0.05
    ends = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    return {
        "outputs": outputs.name,
        "technique": "rra, score alone",
        "budget": budget,
        "campaigns": count,
        "score": truth,
        "hidden": float(outputs.hidden.mean()),
        "unseen": float(np.mean(unseen)),
        "could hide": float(np.mean(missed) / len(losses) * losses[losses > 0].mean()),
        "error": float(np.std([one.accuracy for one in found])),
        "said error": float(np.sqrt(np.mean([(one.standard_error or 0.0) ** 2 for one in found]))),
        "below": sum(truth < low for low, _ in ends) / count,
        "above": sum(truth > high for _, high in ends) / count,
        "held": sum(low <= truth <= high for low, high in ends) / count,
        "width": float(np.mean([high - low for low, high in ends])),
    }


def _campaign(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> tuple[list[Verdict], Any]:
    selector = build(inputs.without_truth, request)
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    return verdicts, selector.design


def _kappa(inputs: Inputs) -> float:
    """Cohen's kappa over all inputs."""
    judge, people = calls_right(inputs), None if inputs.losses is None else ~inputs.task.failed(inputs.losses)
    assert judge is not None
    assert people is not None
    observed = float((judge == people).mean())
    chance = float(judge.mean() * people.mean() + (1 - judge.mean()) * (1 - people.mean()))
    return 1 - (1 - observed) / (1 - chance)


@dataclass(frozen=True)
class CoarseJudge:
    """A language model's grades of outputs: too kind by ``bias`` of a step, with an error of ``noise`` steps.

    ``steps`` : of its scale. ``knows`` : whether its grades are those of the outputs, or of others.
    """

    name: str
    bias: float
    steps: int = 4
    noise: float = 0.8
    knows: bool = True


JUDGES = (
    CoarseJudge("knows a little", 0.6),
    CoarseJudge("far too kind", 1.6),
    CoarseJudge("far too strict", -1.0),
    CoarseJudge("knows nothing", 0.6, knows=False),
    CoarseJudge("far too kind, knows nothing", 1.6, knows=False),
    CoarseJudge("pass or fail, too kind", 1.0, steps=1),
    CoarseJudge("pass or fail, knows nothing", 1.0, steps=1, knows=False),
)
TRUSTS = (1.0, 2 / 3)


def coarsely_judged(judge: CoarseJudge, size: int = 1200) -> Inputs:
    """Outputs of normal quality with a person's grades, on the judge's scale, and its grade as the confidence."""
    random = np.random.default_rng(5)
    quality = random.normal(size=size)
    middle = 0.65 * judge.steps if judge.steps > 1 else 1.4
    losses = 1 - np.clip(np.round(quality + middle), 0, judge.steps) / judge.steps
    seen = np.round(quality + random.normal(0, judge.noise, size) + judge.bias + middle)
    confidence = np.clip(seen, 0, judge.steps) / judge.steps
    if not judge.knows:
        confidence = random.permutation(confidence)
    task = Judgment("1-5" if judge.steps == 4 else "right-partly-wrong")
    return Inputs(
        fingerprint="0" * 32,
        task=task,
        predictions=np.full(size, task.best),
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        losses=losses,
    )


def beside_random(judge: CoarseJudge, budget: int, count: int) -> dict[str, Any]:
    """Width and error of the score beside those of srs, and how often its interval held, by how far the judge is trusted."""
    inputs = coarsely_judged(judge)
    assert inputs.losses is not None
    truth = 1 - float(inputs.losses.mean())
    measured = {}
    cells = [("srs", {}), *((name, {"trust": trust}) for name in ("rrs", "rra") for trust in TRUSTS)]
    for technique, options in cells:
        found = []
        for seed in range(count):
            verdicts, design = _campaign(inputs, Request(technique, budget, seed, options=options), inputs.losses)
            found.append(estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0))
        ends = np.array([(one.low, one.high) for one in found], dtype=float)
        off = np.array([one.accuracy for one in found]) - truth
        held = float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())
        measured[f"{technique} {options.get('trust', 1):.2f}"] = (
            float(np.ptp(ends, axis=1).mean()),
            float(np.sqrt((off**2).mean())),
            held,
        )
    width, error, _ = measured.pop("srs 1.00")
    return {name: (one[0] / width, one[1] / error, one[2]) for name, one in measured.items()}


def lines_of_judges(judge: CoarseJudge, found: dict[str, Any]) -> list[tuple[str, ...]]:
    """The lines of the third table: one for each technique, trusted whole and by the default."""
    return [
        (
            judge.name,
            technique,
            *(f"{found[f'{technique} {trust:.2f}'][place]:.2f}" for place in (0, 1) for trust in TRUSTS),
            *(f"{100 * found[f'{technique} {trust:.2f}'][2]:.1f}" for trust in TRUSTS),
        )
        for technique in ("rrs", "rra")
    ]


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


def line_in_rounds(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the second table."""
    names = ("score", "hidden", "unseen", "error", "said error", "could hide", "held", "width", "below", "above")
    exact = ("error", "said error")
    return (
        found["outputs"],
        str(found["budget"]),
        f"{found['campaigns']:,}",
        *(f"{100 * found[name]:.{2 if name in exact else 1}f}" for name in names),
    )


def write(here: Path) -> None:
    """Measures what is not kept yet, and writes verdicts.md."""
    folder = kept_folder() / "verdicts"
    mixed = [
        measured_once(
            _file(folder, outputs.name, technique, budget), partial(campaigns, outputs, technique, budget, CAMPAIGNS)
        )
        for outputs, technique, budget in product(populations(), TECHNIQUES, BUDGETS)
    ]
    hard = [
        measured_once(
            _file(folder, outputs.name, "rounds", budget), partial(in_rounds, outputs, budget, HARD_CAMPAIGNS)
        )
        for outputs, budget in product(populations(OF_ROUNDS), BUDGETS)
    ]
    judges = [
        measured_once(_file(folder, judge.name, "beside srs"), partial(beside_random, judge, 100, JUDGE_CAMPAIGNS))
        for judge in JUDGES
    ]
    of_judges = chain.from_iterable(map(lines_of_judges, JUDGES, judges))
    together = [
        measured_once(_file(folder, one.name, "together"), partial(criteria_together, one, JUDGE_CAMPAIGNS))
        for one in CRITERIA
    ]
    parts = [
        *(table(HEAD, map(line, mixed)), IN_ROUNDS, table(HEAD_IN_ROUNDS, map(line_in_rounds, hard))),
        *(OF_JUDGES, table(HEAD_OF_JUDGES, of_judges)),
        *(OF_CRITERIA, table(HEAD_OF_CRITERIA, map(line_of_criteria, together))),
    ]
    write_page(here / "verdicts.md", [_words(), *parts])


def _file(folder: Path, *words: str | int) -> Path:
    return folder / f"{re.sub('[^a-z0-9]+', '-', ' '.join(map(str, words)).lower())}.json"


def _words() -> str:
    error = 100 * np.sqrt(0.95 * 0.05 / CAMPAIGNS)
    return (
        "# Verdicts: how often the intervals hold\n\n"
        f"{CAMPAIGNS:,} campaigns each over 4,000 outputs with known grades; partly right counts half. One standard error is "
        f"{error:.1f} points. The judge sees quality with an error of 0.35. Kappa is shown where at least 10 labels are right "
        "and 10 are not; what held is of these, which are not a fair sample where they are few. All numbers in percent but "
        "kappa. Made by `python -m research.studies.make_studies verdicts`; decisions "
        "[120](../decisions/0120-verdicts-are-grades-on-a-scale.md) and "
        "[221](../decisions/0221-grades-in-adaptive-rounds.md).\n"
    )


IN_ROUNDS = """## Adaptive rounds where it is hard for them

The score alone, and its interval. Hidden: outputs that are not right and look right to the judge; none seen: campaigns in
which no label shows one of them. Error: standard deviation of the estimate; said: the root of its mean square as the estimate
says it. Could hide: what further faults of the same mean loss would cost the score if they lay anywhere among the outputs that
are right and were so many that these labels had missed all of them with a chance of 5%. An interval that is to hold in 95%
with them as well reaches as far down, however small the error is without them. Below and above: on which side of the interval
the truth was when it did not hold.
"""


HEAD_OF_JUDGES = ("judge", "technique", "width", "at 2/3", "error", "at 2/3", "held", "at 2/3")
OF_JUDGES = """## A judge that cannot hurt

500 campaigns of 100 labels over 1,200 outputs whose judge gives whole grades. Width and error (root mean square) are beside
those of simple random sampling with as many labels: below 1 the judge saves labels. First with the judge's score taken whole
as a chance, then as new plans of verdicts take it: chances drawn by a third toward one half (the option `trust`). Taken
whole, a judge that is far too kind costs labels.
"""


CRITERIA_LABELS, CRITERIA_OUTPUTS = 100, 1200
SHARED = 0.6
"""Correlation of two criteria's qualities."""


@dataclass(frozen=True)
class AskedCriteria:
    """Criteria of one scale, each with a judge of this error and bias; ``knows`` : whether the judges see the outputs.

    ``steps`` : of the scale, 4 for grades from 1 to 5 and 1 for right and wrong.
    """

    name: str
    steps: int
    noises: tuple[float, ...]
    biases: tuple[float, ...]
    knows: bool = True


HEAD_OF_CRITERIA = ("criteria", "width", "widest", "held least", "most", "all hold", "all, adjusted")
OF_CRITERIA = (
    "## Several criteria from one plan\n\n"
    f"{JUDGE_CAMPAIGNS} campaigns of {CRITERIA_LABELS} labels over {CRITERIA_OUTPUTS:,} outputs with four criteria, each with "
    "a coarse judge that is too kind or too strict. Labels are drawn by "
    "the compromise of `testimate/planning/criteria.py`, and each criterion has the "
    "regression estimate on all judges. Width is beside simple random sampling without judges; adjusted, all four intervals "
    "hold together by Bonferroni. In the second and fourth line the judges are permuted, so that they know nothing.\n"
)

CRITERIA = (
    AskedCriteria("grades 1 to 5", 4, (1.2, 1.6, 1.4, 1.3), (1.0, 0.2, -0.4, 1.0)),
    AskedCriteria("grades 1 to 5, permuted judges", 4, (1.2, 1.6, 1.4, 1.3), (1.0, 0.2, -0.4, 1.0), knows=False),
    AskedCriteria("right or wrong", 1, (0.8, 1.0, 0.9, 0.8), (0.8, 0.2, 0.6, 0.8)),
    AskedCriteria("right or wrong, permuted judges", 1, (0.8, 1.0, 0.9, 0.8), (0.8, 0.2, 0.6, 0.8), knows=False),
)


def outputs_of(asked: AskedCriteria) -> tuple[Inputs, tuple[Criterion, ...], NDArray[np.float64]]:
    """The outputs with their judges, the criteria, and the true losses (K, N)."""
    random = np.random.default_rng([20, 54])
    common = random.normal(size=CRITERIA_OUTPUTS)
    losses, judges, criteria = [], {}, []
    for place, (noise, bias) in enumerate(zip(asked.noises, asked.biases, strict=True)):
        quality = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * random.normal(size=CRITERIA_OUTPUTS)
        middle = 2.6 if asked.steps > 1 else 1.3
        grades = np.clip(np.round(quality + middle), 0, asked.steps)
        seen = quality + random.normal(0, noise, CRITERIA_OUTPUTS) + bias
        if not asked.knows:
            seen = random.permutation(seen)
        judges[f"judge_{place}"] = np.clip(np.round(4 * (seen + middle) / max(asked.steps, 2)), 0, 4) / 4
        losses.append(1 - grades / asked.steps)
        criteria.append(Criterion(f"criterion {place}", "1-5" if asked.steps > 1 else "right-wrong", f"judge_{place}"))
    graded = {name: 1 + 4 * scores if asked.steps > 1 else scores for name, scores in judges.items()}
    inputs = Inputs("0" * 32, Judgment("1-5"), np.full(CRITERIA_OUTPUTS, 4), judges=graded)
    return inputs, tuple(criteria), np.array(losses)


def criteria_together(asked: AskedCriteria, count: int) -> dict[str, Any]:
    """Width beside srs, and how often the interval holds, of each criterion; and how often all hold at once."""
    inputs, criteria, losses = outputs_of(asked)
    together = with_criteria(inputs, criteria)
    judges = JudgeScores(together.judges)
    truth = losses.mean(axis=1)
    widths, plain, held = list[list[float]](), list[list[float]](), list[list[bool]]()
    joint: dict[str, list[bool]] = {"alone": [], "adjusted": []}
    for seed in range(count):
        selector = build(together, Request("rrs", CRITERIA_LABELS, seed, "criteria together"))
        rows = list(chain.from_iterable(verdicts_to_the_end(selector, losses[0])))
        random = build(together, Request("srs", CRITERIA_LABELS, seed))
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


def line_of_criteria(found: dict[str, Any]) -> tuple[str, ...]:
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
