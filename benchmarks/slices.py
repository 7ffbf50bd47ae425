"""All slices and all scores of classes, at 2,000 labels of 50,000 inputs and 100 classes.

`python -m benchmarks slices` prints the table.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZE, LABELS, STRATA, CLASSES, SEED, ROUNDS = 50_000, 2_000, 10, 100, 1, 9


def main() -> None:
    """Prints the table."""
    from testimate.core.design import Stratified
    from testimate.core.draw import Draw, Verdict
    from testimate.estimators.parts import class_scores
    from testimate.planning.parts import Grouping, PartLabels, slices_of

    rng = np.random.default_rng(SEED)
    strata = np.array_split(rng.permutation(SIZE), STRATA)
    verdicts = [
        Verdict(Draw(int(row), None, place), float(rng.random() < 0.1))
        for place, stratum in enumerate(strata)
        for row in stratum[: LABELS // STRATA]
    ]
    design = Stratified(tuple(map(len, strata)), LABELS, in_rounds=True)
    said = rng.integers(0, CLASSES, SIZE)
    predicted = said[[one.draw.row for one in verdicts]]
    true = np.where([one.loss == 0 for one in verdicts], predicted, (predicted + 1) % CLASSES)
    grouping = Grouping("prediction", tuple(map(str, range(CLASSES))), said)
    print(f"## Slices at {LABELS} labels of {SIZE} inputs and {CLASSES} classes\n")
    print(f"Processor milliseconds, the median of {ROUNDS}; expected under 200 for both together.\n")
    print("| what | ms |\n|---|---:|")
    slices = median(lambda: slices_of([grouping], PartLabels(design, verdicts, "rrs")))
    scores = median(lambda: class_scores(design, verdicts, predicted, true, CLASSES))
    print(f"| all slices by predicted class | {slices:.0f} |")
    print(f"| scores and confusion | {scores:.0f} |")
    print(f"| both | {slices + scores:.0f} |")


def median(work: Callable[[], Any]) -> float:
    """The median processor time of the work, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return 1000 * statistics.median(times)
