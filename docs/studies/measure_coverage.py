"""Measures how often each interval holds the truth, and writes docs/intervals.md from the table of intervals.

python docs/studies/measure_coverage.py              measure (minutes) and write both files
python docs/studies/measure_coverage.py --missing    measure only the lines that coverage.json does not hold
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
from testimate.core.selector import Request, Selector
from testimate.core.task import Classification, Regression
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail, has_always_valid
from testimate.estimators.difference import estimate_difference
from testimate.estimators.interval_table import ASSISTED_INTERVALS, INTERVALS, IntervalLine
from testimate.plans import build
from testimate.selectors.adaptive_rounds import AdaptiveRounds

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
        seed = SEED * 100_000 + repetition
        if technique == "rra":  # the app offers it for pass or fail, and its intervals hold for other losses too
            chances = auxiliary == "confidence"
            selector: Selector = AdaptiveRounds(inputs.scores[auxiliary], chances, budget=budget, seed=seed)
        else:
            selector = build(inputs, Request(technique, budget, seed, auxiliary=auxiliary))
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
    if technique is None:
        return {}
    inputs = population(line.losses)
    truth = float(1 - inputs.losses.mean())
    (guesses,) = inputs.scores.values()
    found: dict[str, list[bool]] = {}
    for budget in BUDGETS:
        for design, verdicts in campaigns(inputs, technique, budget):
            for interval in ("ordinary", "conservative") if line.setting else ("ordinary",):
                if line.model:
                    estimate = estimate_difference(
                        design, verdicts, guesses, model=line.model, interval=interval, level=LEVEL
                    )
                else:
                    estimate = estimator_of(design, interval).estimate(design, verdicts, level=LEVEL)
                found.setdefault(f"{interval} {budget}", []).append(holds(estimate, truth))
            if budget == BUDGETS[-1] and has_always_valid(design) and not line.model:
                low, high = always_valid_trail(design, verdicts, level=LEVEL).T
                found.setdefault("always", []).append(bool(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).all()))
    return {name: float(np.mean(hits)) for name, hits in found.items()}


def page(numbers: dict[str, dict[str, float]]) -> str:
    """The page: the tables of intervals, each line with its measured coverage."""
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
            f"Techniques: {techniques}; the app offers rra for pass or fail only. The last two designs have no interval.",
            "",
            "| design | losses | ordinary | conservative | always valid | note |",
            "|---|---|---|---|---|---|",
            *(_row(line, numbers) for line in INTERVALS),
            "",
            'The conservative interval is `estimator_of(design, "conservative")`. It is for pass or fail; where a task has a '
            "largest loss, the always-valid interval is the careful choice for other losses. The logit and t intervals of "
            "unequal chances cover less than they say, as the shares show, where failures hide among inputs of low chance.",
            "",
            "## Helped by a model",
            "",
            "Of simple random and stratified draws the estimate can be helped by a guess of every input's loss, where one asks "
            "for it: `testimate estimate --assisted difference` takes chances of failing as they are, `--assisted regression` "
            "fits a line through a score to the labels (GREG); the Results page offers the same. From Python it is "
            "`estimate_difference`. The shares are of the same campaigns.",
            "",
            "| design | losses | model | ordinary | conservative | always valid | note |",
            "|---|---|---|---|---|---|---|",
            *(_row(line, numbers) for line in ASSISTED_INTERVALS),
            "",
        ]
    )


def _row(line: IntervalLine, numbers: dict[str, dict[str, float]]) -> str:
    cover = numbers.get(key(line), {})
    cells = [
        line.design.kind,
        line.losses,
        *([line.model] if line.model else []),
        f"{line.ordinary or 'none'}{_both(cover, 'ordinary')}",
        f"{line.conservative or 'none'}{_both(cover, 'conservative')}",
        f"yes{_percent(cover, 'always')}" if line.always_valid else "no",
        line.note,
    ]
    return f"| {' | '.join(cells)} |"


def key(line: IntervalLine) -> str:
    """The line's name in coverage.json."""
    return ", ".join(part for part in (line.design.kind, line.losses, line.model) if part)


def _percent(cover: dict[str, float], name: str) -> str:
    return f" ({100 * cover[name]:.1f} %)" if name in cover else ""


def _both(cover: dict[str, float], name: str) -> str:
    shares = [f"{100 * cover[f'{name} {budget}']:.1f}" for budget in BUDGETS if f"{name} {budget}" in cover]
    return f" ({', '.join(shares)} %)" if shares else ""


def main() -> None:
    """Measures where asked to, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--missing", action="store_true")
    asked = parser.parse_args()
    numbers: dict[str, dict[str, float]] = json.loads(NUMBERS.read_text()) if asked.missing or asked.page_only else {}
    for line in () if asked.page_only else (*INTERVALS, *ASSISTED_INTERVALS):
        if key(line) not in numbers and (found := measured(line)):
            numbers[key(line)] = found
            print(key(line), found, flush=True)
    NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n")
    PAGE.write_text(page(numbers))


if __name__ == "__main__":
    main()
