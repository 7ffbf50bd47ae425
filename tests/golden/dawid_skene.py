"""Writes dawid_skene.json: what crowd-kit's Dawid-Skene says of seeded votes; run where crowd-kit 1.4.2 is installed."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

SKILLS = {"Ann": (0.95, 0.9, 0.85), "Bob": (0.9, 0.7, 0.9), "Cid": (0.75, 0.85, 0.8), "Dan": (0.7, 0.75, 0.65)}


def main() -> None:
    from crowdkit.aggregation import DawidSkene  # not among the project's own packages

    rng = np.random.default_rng(11)
    truth = rng.choice(3, size=120, p=(0.5, 0.3, 0.2))
    votes: dict[int, dict[str, int]] = {}
    for row, true in enumerate(truth.tolist()):
        for who in rng.permutation(list(SKILLS))[: 3 + row % 2].tolist():
            right = rng.random() < SKILLS[who][true]
            votes.setdefault(row, {})[who] = true if right else int((true + rng.integers(1, 3)) % 3)
    lines = [(row, who, said) for row, given in votes.items() for who, said in given.items()]
    found = DawidSkene(n_iter=1000, tol=0.0)
    found.fit_predict(pd.DataFrame(lines, columns=["task", "worker", "label"]))
    chances = found.probas_.loc[list(votes), [0, 1, 2]].to_numpy()
    said = {
        "votes": [votes[row] for row in votes],
        "chances": [[round(one, 6) for one in line] for line in chances.tolist()],
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(said, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
