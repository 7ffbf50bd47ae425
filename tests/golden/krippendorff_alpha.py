"""Writes krippendorff_alpha.json: what the package krippendorff says of seeded votes; run where version 0.9.0 is."""

import json
from pathlib import Path

import numpy as np

TESTERS = ("Ann", "Bob", "Cid", "Dan")
SKILLS = (0.95, 0.85, 0.7, 0.55)


def main() -> None:
    import krippendorff  # not among the project's own packages

    rng = np.random.default_rng(12)
    cases = []
    for classes, missing, kind in (
        (3, 0.0, "nominal"),
        (10, 0.4, "nominal"),
        (2, 0.7, "nominal"),
        (30, 0.3, "interval"),
    ):
        truth = rng.integers(classes, size=80)
        votes: list[dict[str, int]] = [{} for _ in truth]
        table = np.full((len(TESTERS), truth.size), np.nan)  # testers x inputs, as the package takes them
        for place, (who, skill) in enumerate(zip(TESTERS, SKILLS, strict=True)):
            for row in np.flatnonzero(rng.random(truth.size) >= missing).tolist():
                wrong = rng.random() > skill
                said = int(np.clip(truth[row] + rng.integers(-3, 4), 0, classes - 1) if wrong else truth[row])
                votes[row][who] = said
                table[place, row] = said
        alpha = krippendorff.alpha(reliability_data=table, level_of_measurement=kind)
        cases.append({"kind": kind, "votes": votes, "alpha": round(float(alpha), 12)})
    Path(__file__).with_suffix(".json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
