"""How much of every additional failure may lie anywhere, where labels of one version judge another: the table of decision 74.

``python -m research.studies.reused_intervals SUBJECTS TECHNIQUE [CAMPAIGNS] [LABELS] [EVERY] [FIRST]`` judges the very same
samples by the interval at each of EVEN, for each ordered pair of versions, or each EVERY-th from the FIRST on; SUBJECTS as of
``reused_labels``. It prints how often each held the truth, how often that lay above it and below it, and its mean width: for
each pair of made networks, and pooled.
"""

import sys

import numpy as np

from research.studies.reused_labels import Version, versions
from testimate.core.draw import Verdict
from testimate.core.selector import Request
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.planning.assisted import VersionGuesses
from testimate.planning.reused_labels import as_other
from testimate.studies.campaign import label

EVEN = (None, 0.5, 0.3, 0.15, 0.0)
"""None: as if there were no other version."""


def measure(old: Version, new: Version, technique: str, campaigns: int, labels: int) -> np.ndarray:
    """(campaigns, EVEN, 2): the failure rate's ends less the true one."""
    old_losses, new_losses = ((one.inputs.predictions != one.truth).astype(float) for one in (old, new))
    guesses = VersionGuesses(new.inputs, [as_other(old.inputs)])
    found = np.empty((campaigns, len(EVEN), 2))
    for seed in range(campaigns):
        made = label(old.inputs, Request(technique, labels, seed), old_losses)
        verdicts = [Verdict(one.draw, float(new_losses[one.draw.row])) for one in made.verdicts]
        kept: dict[bytes, np.ndarray] = {}

        def learn(rows: np.ndarray, losses: np.ndarray, kept: dict[bytes, np.ndarray] = kept) -> np.ndarray:
            """The guesses, taught once for all of EVEN."""
            if (key := rows.tobytes()) not in kept:
                kept[key] = guesses.learn(rows, losses)
            return kept[key]

        for place, even in enumerate(EVEN):
            one = estimate_with_learned_guesses(made.design, verdicts, learn, even=even)
            assert one.low is not None
            assert one.high is not None
            found[seed, place] = np.array([1 - one.high, 1 - one.low]) - new_losses.mean()
    return found


def row(name: str, found: np.ndarray) -> str:
    """One row of the table."""
    low, high = found[..., 0], found[..., 1]
    cells = [
        f"{100 * held:.1f} ({100 * over:.1f}, {100 * under:.1f}), {100 * width:.2f}"
        for held, over, under, width in zip(
            ((low <= 0) & (high >= 0)).mean(axis=0),
            (high < 0).mean(axis=0),
            (low > 0).mean(axis=0),
            (high - low).mean(axis=0),
            strict=True,
        )
    ]
    return f"| {name} | {len(found)} | {' | '.join(cells)} |"


def main(subjects: str, technique: str, campaigns: int = 10, labels: int = 200, every: int = 1, first: int = 0) -> None:
    """Prints the table; each cell: held (failure rate above the interval, below it), width in points."""
    print(f"| judged | campaigns | {' | '.join('as alone' if one is None else str(one) for one in EVEN)} |")
    print((len(EVEN) + 2) * "|---" + "|")
    pooled = []
    for old, new in list(versions(subjects))[first::every]:
        pooled.append(measure(old, new, technique, campaigns, labels))
        if subjects == "made":
            print(row(new.name, pooled[-1]), flush=True)
    print(row(f"{subjects}, {technique}", np.concatenate(pooled)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(one) for one in sys.argv[3:]))
