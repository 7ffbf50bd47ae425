"""Measures how often each interval holds the truth, and writes docs/intervals.md from the table of intervals.

python docs/studies/measure_coverage.py              measure (minutes) and write both files
python docs/studies/measure_coverage.py --page-only  write the page from the numbers kept in coverage.json
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.estimate import Estimate
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import Classification, Regression
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail, has_always_valid
from testimate.estimators.interval_table import INTERVALS, IntervalLine
from testimate.plans import build

NUMBERS = Path(__file__).with_name("coverage.json")
PAGE = Path(__file__).parents[1] / "intervals.md"
SIZE, BUDGETS, CAMPAIGNS, SEED, LEVEL = 4000, (100, 200), 600, 7, 0.95

TECHNIQUES = {
    "simple random": "srs",
    "stratified": "rrs",
    "adaptive rounds": "rra",
    "per draw": "sups",
    "two stage": "2-ups",
    "groups": "rhc-s",
    "sequential": "deepest",
}


def population(losses: str) -> Inputs:
    """Inputs of an overconfident network (log-odds of failure 0.6 + 0.9 x, x those of 1 - confidence), truth known.

    Squared errors lie in [0, 1] and follow a score that is no chance.
    """
    rng = np.random.default_rng(SEED)
    score = np.clip(rng.beta(0.3, 2.0, SIZE), 1e-4, 1 - 1e-4)
    chance = 1 / (1 + np.exp(-(0.6 + 0.9 * np.log(score / (1 - score)))))
    if losses == "pass or fail":
        truth = (rng.random(SIZE) < chance).astype(np.float64)
        task: Classification | Regression = Classification(("right", "wrong"))
    else:
        truth = np.minimum((0.3 * score + 0.05) * rng.gamma(1.0, 1.0, SIZE), 1.0)
        task = Regression(tolerance=0.5, loss_bound=1.0)
    confidence = 1 - score if losses == "pass or fail" else None
    name = "confidence" if confidence is not None else "lsa"
    return Inputs(
        "study", task, np.zeros(SIZE, dtype=np.intp), confidence=confidence, scores={name: score}, losses=truth
    )


def campaigns(inputs: Inputs, technique: str, budget: int) -> Iterator[tuple[Design, list[Verdict]]]:
    """Seeded campaigns labeled by the truth."""
    losses = inputs.losses
    (auxiliary,) = inputs.scores
    for repetition in range(CAMPAIGNS):
        request = Request(technique, budget, SEED * 100_000 + repetition, auxiliary=auxiliary)
        selector = build(inputs, request)
        verdicts: list[Verdict] = []
        while selector.remaining:
            told = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(selector.remaining)]
            selector.tell(told)
            verdicts += told
        yield selector.design, verdicts


def holds(estimate: Estimate, truth: float) -> bool:
    """Whether the ordinary ends hold the truth, but for rounding; no ends hold nothing."""
    return estimate.low is not None and estimate.low - 1e-12 <= truth <= estimate.high + 1e-12


def measured(line: IntervalLine) -> dict[str, float]:
    """Shares of campaigns whose intervals held the truth: at each budget, and the always-valid one at every label."""
    technique = TECHNIQUES.get(line.design.kind)
    if technique is None or (technique == "rra" and line.losses != "pass or fail"):
        return {}
    inputs = population(line.losses)
    truth = float(1 - inputs.losses.mean())
    found: dict[str, list[bool]] = {}
    for budget in BUDGETS:
        for design, verdicts in campaigns(inputs, technique, budget):
            for interval in ("ordinary", "conservative") if line.setting else ("ordinary",):
                estimate = estimator_of(design, interval).estimate(design, verdicts, level=LEVEL)
                found.setdefault(f"{interval} {budget}", []).append(holds(estimate, truth))
            if budget == BUDGETS[-1] and has_always_valid(design):
                low, high = always_valid_trail(design, verdicts, level=LEVEL).T
                found.setdefault("always", []).append(bool(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).all()))
    return {name: float(np.mean(hits)) for name, hits in found.items()}


def page(numbers: dict[str, dict[str, float]]) -> str:
    """The page: the table of intervals, each line with its measured coverage."""
    rows = []
    for line in INTERVALS:
        cover = numbers.get(key(line), {})
        always = f"yes{_percent(cover, 'always')}" if line.always_valid else "no"
        rows.append(
            f"| {line.design.kind} | {line.losses} | {line.ordinary or 'none'}{_both(cover, 'ordinary')} "
            f"| {line.conservative or 'none'}{_both(cover, 'conservative')} | {always} | {line.note} |"
        )
    techniques = ", ".join(f"{kind}: {technique}" for kind, technique in TECHNIQUES.items())
    return "\n".join(
        [
            "# Which interval a design gets",
            "",
            "Made by `docs/studies/measure_coverage.py` from `testimate/estimators/interval_table.py`; a test compares.",
            "",
            f"Behind an interval stand the shares of {CAMPAIGNS} seeded campaigns in which it held the truth, after "
            f"{BUDGETS[0]} and {BUDGETS[1]} labels, at a nominal {LEVEL:.0%}; such a share is off by about 0.9 points. The "
            f"always-valid interval counts only where it held at every one of {BUDGETS[1]} labels. The population has "
            f"{SIZE:,} inputs of an overconfident network; for other losses, errors between 0 and 1 that follow a score. "
            f"Techniques: {techniques}. Where there is no share the interval was not measured: adaptive rounds are for "
            "pass or fail, and the last two have none.",
            "",
            "| design | losses | ordinary | conservative | always valid | note |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            'The conservative interval is `estimator_of(design, "conservative")`. It is for pass or fail; where a task has a '
            "largest loss, the always-valid interval is the careful choice for other losses. The logit and t intervals of "
            "unequal chances cover less than they say, as the shares show, where failures hide among inputs of low chance.",
            "",
        ]
    )


def key(line: IntervalLine) -> str:
    """The line's name in coverage.json."""
    return f"{line.design.kind}, {line.losses}"


def _percent(cover: dict[str, float], name: str) -> str:
    return f" ({100 * cover[name]:.1f} %)" if name in cover else ""


def _both(cover: dict[str, float], name: str) -> str:
    shares = [f"{100 * cover[f'{name} {budget}']:.1f}" for budget in BUDGETS if f"{name} {budget}" in cover]
    return f" ({', '.join(shares)} %)" if shares else ""


def main() -> None:
    """Measures where asked to, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page-only", action="store_true")
    if not parser.parse_args().page_only:
        numbers = {}
        for line in INTERVALS:
            if found := measured(line):
                numbers[key(line)] = found
                print(key(line), found, flush=True)
        NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n")
    PAGE.write_text(page(json.loads(NUMBERS.read_text())))


if __name__ == "__main__":
    main()
