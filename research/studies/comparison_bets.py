"""What bets aimed at the plan bring in telling models apart: the numbers of decision 14; and gates that ask until decided.

``python -m research.studies.comparison_bets [CAMPAIGNS]`` prints it; 200 campaigns a row take about ten minutes on one core.
``python -m research.studies.comparison_bets gates [CAMPAIGNS]`` prints the table of docs/studies/questions.md in a minute.
"""

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.comparison.differences import DrawnAnswers, PlannedAnswers, TellingApart, difference
from testimate.core.draw import Verdict
from testimate.demos.comparison_models import NINE, glyph_predictions
from testimate.estimators.margin_test import MarginQuestion, Outcome, allowed_loss, decide
from testimate.selectors.base import rounds_open

BUDGETS = (100, 200)


@dataclass(frozen=True, eq=False)
class CampaignMeans:
    """Of campaigns: answers until they end, share that names one model, share that ruled the best out, mean width."""

    answers: float
    decided: float
    wrong: float
    width: float


def measure(
    labels: NDArray[np.intp], truth: NDArray[np.intp], budget: int, campaigns: int, *, aimed: bool
) -> CampaignMeans:
    """Seeded campaigns over models with the predictions ``labels`` (N, M); the width: of the two best ones."""
    right = (labels == truth[:, None]).mean(axis=0)
    first, second = np.argsort(-right)[:2].tolist()
    disputed = int((labels != labels[:, :1]).any(axis=1).sum())
    found = []
    for seed in range(campaigns):
        selector = TellingApart(
            labels, budget=budget, seed=seed, rounds_ahead=rounds_open(8), aimed_at=budget if aimed else None
        )
        verdicts: list[Verdict] = []
        while selector.remaining:
            draws = selector.ask(selector.remaining)
            batch = [Verdict(draw, 0.0, int(truth[draw.row])) for draw in draws]
            selector.tell(batch)
            verdicts += batch
        rows = np.array([verdict.draw.row for verdict in verdicts], dtype=np.intp)
        masks = np.array([selector.contending_at(place) for place in range(rows.size)])
        answers = DrawnAnswers(rows, truth[rows], masks)
        aim = PlannedAnswers(budget, disputed) if aimed else None
        gap = difference(labels, answers, first, second, level=0.95, aim=aim)
        found.append([rows.size, selector.contending.sum() == 1, first in selector.lost, gap.high - gap.low])
    return CampaignMeans(*np.mean(found, axis=0).tolist())


def main(campaigns: int) -> None:
    """Prints a row for each set of models and plan: constant bets -> aimed ones."""
    said, truth = glyph_predictions()
    ranked = sorted(said, key=lambda name: -float((said[name] == truth).mean()))
    sets = {
        "the two best models of the letters": ranked[:2],
        "the best and two that are 5 and 6 points worse": [ranked[0], NINE[4].name, NINE[8].name],
        "all nine": ranked,
    }
    print("| models | planned | answers | one is named | the best ruled out | width of the two best's difference |")
    print(6 * "|---" + "|")
    for words, names in sets.items():
        labels = np.column_stack([said[name] for name in names]).astype(np.intp)
        for budget in BUDGETS:
            before, now = (measure(labels, truth, budget, campaigns, aimed=aimed) for aimed in (False, True))
            cells = [
                words,
                f"{budget}",
                f"{before.answers:.1f} -> {now.answers:.1f}",
                f"{100 * before.decided:.0f} -> {100 * now.decided:.0f}%",
                f"{100 * before.wrong:.1f} -> {100 * now.wrong:.1f}%",
                f"{100 * before.width:.2f} -> {100 * now.width:.2f} points",
            ]
            print(f"| {' | '.join(cells)} |", flush=True)


@dataclass(frozen=True)
class GateRow:
    """Of campaigns of one gate: median labels, those of a test whose number is fixed, shares that passed and were wrong."""

    median: float
    passed: float
    wrong: float
    fixed: int
    peeked_wrong: float


def gate_row(size: int, differing: int, points: float, gained: int, campaigns: int) -> GateRow:
    """Gates of seeded orders; beside them a paired test that is looked at after every tenth label."""
    question = MarginQuestion(differing, allowed_loss(points, size))
    neither = round(0.1 * differing)
    neither -= (differing - neither - gained) % 2
    won = (differing - neither + gained) // 2
    gains = np.repeat([1.0, 0.0, -1.0], [won, neither, differing - neither - won])
    truly = "pass" if gained >= -question.allowed else "fail"
    labels, outcomes, peeked = [], [], 0
    for seed in range(campaigns):
        order = np.random.default_rng(seed).permutation(gains)
        found = decide(question, order)
        labels.append(differing if found.at is None else found.at)
        outcomes.append(found.outcome)
        peeked += peeking(order, question) not in (truly, "undecided")
    wrong = sum(one != truly for one in outcomes)
    passed = outcomes.count("pass") / campaigns
    return GateRow(
        float(np.median(labels)), passed, wrong / campaigns, fixed_labels(question, neither), peeked / campaigns
    )


def peeking(order: NDArray[np.float64], question: MarginQuestion) -> Outcome:
    """The answer of someone who looks at a fixed-size test at 5 % in each direction after every tenth label, and stops."""
    count = np.arange(1, len(order) + 1)
    mean = np.cumsum(order) / count
    left = 1 - count / len(order)
    error = np.sqrt(np.maximum(np.cumsum(order**2) / count - mean**2, 1e-12) / count * left)
    above = (mean + question.allowed / question.differing) / np.maximum(error, 1e-12)
    looks = np.flatnonzero((count % 10 == 0) & (np.abs(above) > ndtri(1 - question.risk)))
    if not looks.size:
        return "undecided"
    return "pass" if above[looks[0]] > 0 else "fail"


def fixed_labels(question: MarginQuestion, neither: int) -> int:
    """Labels of a test whose number is fixed, for a power of 90 % at no difference."""
    size, each = question.differing, question.allowed / question.differing
    if not each:
        return size
    many = (ndtri(1 - question.risk) + ndtri(0.9)) ** 2 * (1 - neither / size) / each**2
    return int(np.ceil(many / (1 + many / size)))


def gates(campaigns: int) -> None:
    """Prints a row for each share of inputs that differ, margin and true difference, in points, of 5,000 inputs."""
    size = 5000
    print("| differ | margin | new minus old | median labels | passed | wrong | fixed number | wrong by peeking |")
    print("|---|---|---|---|---|---|---|---|")
    for share, points, truths in (
        (0.1, 2.0, (2.0, 0.0, -1.0, -2.02, -5.0)),
        (0.2, 2.0, (2.0, 0.0, -1.0, -2.02, -5.0)),
        (0.05, 1.0, (0.0, -1.02)),
        (0.12, 1.0, (0.0, -1.02)),
        (0.2, 1.0, (0.0, -1.02)),
    ):
        for truth in truths:
            row = gate_row(size, round(share * size), points, round(truth * size / 100), campaigns)
            print(
                f"| {100 * share:g}% | {points:g} | {truth:+g} | {row.median:.0f} | {100 * row.passed:.1f}% | "
                f"{100 * row.wrong:.1f}% | {row.fixed} | {100 * row.peeked_wrong:.1f}% |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["gates"]:
        gates(int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
