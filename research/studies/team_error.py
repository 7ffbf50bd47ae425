"""What it costs in error that a team has more rounds open than one tester: the table of decision 175.

``python -m research.studies.team_error [CAMPAIGNS]`` prints, for the default technique, the error by 2 to 20 testers over
that by one who labels alone, the time waited over the time labeled, and answers beyond those wanted.
"""

import sys
from collections.abc import Sequence

import numpy as np

from research.methods.labeling_team import Clock, Waits, label_by_team, team_session
from research.methods.rounds_error import variance_of, watched
from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.selector import Request

SUBJECTS, TEAMS, BUDGETS = ("D", "G", "CN12"), (2, 5, 10, 20), (200, 400)


def campaign(inputs: Inputs, budget: int, seed: int, testers: int, votes: int | None) -> tuple[float, Waits]:
    """The variance of the estimate after one campaign, and the waits; ``votes`` None: one who labels alone."""
    request, clock = Request("rra", budget, seed), Clock()
    selector = watched(inputs, request)
    session = team_session(inputs, request, votes, clock, selector=selector)
    waits = label_by_team(session, clock, testers, seed=seed)
    return variance_of(selector), waits


def error(variances: Sequence[float]) -> tuple[float, float]:
    """The root of the mean variance, and its standard error."""
    root = float(np.sqrt(np.mean(variances)))
    return root, float(np.std(variances, ddof=1) / np.sqrt(len(variances)) / (2 * root))


def main(campaigns: int) -> None:
    """Prints a row for each subject, budget, number of answers and size of the team."""
    print("| subject | budget | answers | testers | error over one tester's | ± | waited, mean | most | too many |")
    print(9 * "|---" + "|")
    for subject in SUBJECTS:
        inputs = inputs_of(subject)
        for budget in BUDGETS:
            alone, scatter = error([campaign(inputs, budget, seed, 1, None)[0] for seed in range(campaigns)])
            for votes in (1, 2):
                for team in TEAMS:
                    found = [campaign(inputs, budget, seed, team, votes) for seed in range(campaigns)]
                    ours, more = error([variance for variance, _ in found])
                    ratio, off = ours / alone, 2 * ours / alone * float(np.hypot(more / ours, scatter / alone))
                    shares = [100 * waits.share for _, waits in found]
                    waited = f"{np.mean(shares):.2f}% | {max(shares):.2f}%"
                    extra = sum(waits.too_many for _, waits in found)
                    cells = f"{subject} | {budget} | {votes} | {team} | {ratio:.3f} | {off:.3f}"
                    print(f"| {cells} | {waited} | {extra} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
