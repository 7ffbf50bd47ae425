"""How often the shares of failure codes hold, alone and all together, and how often that of new kinds does.

``python -m research.studies.failure_codes [CAMPAIGNS]`` prints a row of docs/studies/questions.md for each technique, number of
labels and kind of failures: 4,000 inputs, 15% of which fail, likelier so where the confidence is low. Few codes: eight, alike
in number. Long tail: 64 whose numbers fall as 1 over their place, three failures in ten with a second one.
"""

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.failure_codes import failure_codes
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.tasks.classification import Classification

SIZE, FAILING = 4000, 0.15
KINDS = {"few": np.full(8, 1 / 8), "long tail": 1 / np.arange(1, 65)}
CELLS = [(technique, labels) for technique in ("srs", "rrs", "rra") for labels in (200, 400)]


class Coded(NamedTuple):
    """Inputs, their losses (N,), and whether each has each code (N, K)."""

    inputs: Inputs
    losses: NDArray[np.float64]
    has: NDArray[np.bool_]


def main() -> None:
    """Prints a row for each cell."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for kind in KINDS:
        coded = with_codes(kind)
        for technique, labels in CELLS:
            print(row(coded, kind, technique, labels, campaigns), flush=True)


def with_codes(kind: str) -> Coded:
    """The population, the same in every campaign."""
    rng = np.random.default_rng(54)
    confidence = np.clip(rng.beta(6, 1.5, SIZE), 0.01, 0.99)
    failed = rng.random(SIZE) < (1 - confidence) * FAILING / (1 - confidence).mean()
    shares = KINDS[kind] / KINDS[kind].sum()
    has = np.zeros((SIZE, len(shares)), dtype=bool)
    for place in np.flatnonzero(failed).tolist():
        count = 1 + int(rng.random() < 0.3)
        has[place, rng.choice(len(shares), count, replace=False, p=shares)] = True
    predictions = np.zeros(SIZE, dtype=np.intp)
    losses = failed.astype(np.float64)
    inputs = Inputs(
        fingerprint="5" * 32,
        task=Classification(("a", "b")),
        predictions=predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        features={},
    )
    return Coded(inputs, losses, has)


def row(coded: Coded, kind: str, technique: str, labels: int, campaigns: int) -> str:
    """One line of the table."""
    true, names = coded.has.mean(axis=0), [f"code {place}" for place in range(coded.has.shape[1])]
    shown = held = together = new = 0
    seen: list[int] = []
    widths: list[float] = []
    for seed in range(campaigns):
        selector = build(coded.inputs, Request(technique, labels, seed))
        verdicts = [one for batch in verdicts_to_the_end(selector, coded.losses) for one in batch]
        rows = [one.draw.row for one in verdicts if one.loss]
        codes = {place: [names[code] for code in np.flatnonzero(coded.has[place])] for place in rows}
        found = failure_codes(selector.design, verdicts, codes)
        ends = {one.code: (one.share.low or 0.0, one.share.high or 0.0) for one in found.codes}
        unseen = (0.0, found.unseen.high or 0.0)
        holds = [
            ends.get(name, unseen)[0] <= share <= ends.get(name, unseen)[1]
            for name, share in zip(names, true.tolist(), strict=True)
        ]
        shown += len(ends)
        held += sum(one for one, name in zip(holds, names, strict=True) if name in ends)
        together += all(holds)
        seen.append(len(ends))
        widths += [high - low for low, high in ends.values()]
        known = {name for one in verdicts[: found.new_kinds.first] for name in codes.get(one.draw.row, ())}
        strange = [name not in known for name in names]
        truly = float(coded.has[:, strange].any(axis=1).mean())
        share = found.new_kinds.share
        new += share.low is not None and share.high is not None and share.low <= truly <= share.high
    return (
        f"| {kind} | {technique} | {labels} | {np.mean(seen):.1f} | {held / shown:.1%} | {together / campaigns:.1%} | "
        f"{100 * np.mean(widths):.1f} | {new / campaigns:.1%} |"
    )


if __name__ == "__main__":
    main()
