"""What bets aimed at the plan bring in telling models apart: the numbers of decision 14.

``python -m research.studies.comparison_bets [CAMPAIGNS]`` prints it; 200 campaigns a row take about ten minutes on one core.
"""

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.differences import DrawnAnswers, PlannedAnswers, TellingApart, difference
from testimate.core.draw import Verdict
from testimate.demos.comparison_models import NINE, glyph_predictions
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
