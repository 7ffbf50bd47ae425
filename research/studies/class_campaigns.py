"""Campaigns on subjects with known truth, judged by predicted class; run in blocks, each of which is kept in a file."""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end

CELLS = (("D", 200), ("D", 400), ("CN12", 200), ("CN12", 400), ("G", 1000))
"""Subjects and labels of a plan."""

BLOCK = 100
"""Campaigns of one file."""

Sums = dict[str, list[float]]
"""What a block found: by name, sums over its campaigns."""


def run_campaigns(
    study: str,
    about: str,
    block: Callable[[Inputs, str, int, Iterable[int]], Sums],
    line: Callable[[Sequence[Sums]], str],
) -> None:
    """Reads what is asked for from the command line, runs the blocks that are lacking, and prints a line for each cell.

    ``study`` : the folder of its files. ``about`` : what --help says. ``block`` : gets inputs, technique, labels and seeds.
    ``line`` : says in words what the blocks of a cell found.
    """
    asked = argparse.ArgumentParser(description=about)
    asked.add_argument("--campaigns", type=int, default=2000)
    asked.add_argument("--techniques", nargs="+", default=["srs", "rrs"])
    asked.add_argument("--subjects", nargs="+", default=[name for name, _ in CELLS])
    said = asked.parse_args()
    folder = kept_folder() / study
    folder.mkdir(exist_ok=True)
    for subject, budget in CELLS:
        if subject not in said.subjects:
            continue
        for technique in said.techniques:
            blocks = []
            for first in range(0, said.campaigns, BLOCK):
                path = folder / f"{subject}-{technique}-{budget}-{first}.json"
                if not path.exists():
                    seeds = range(first, first + BLOCK)
                    path.write_text(json.dumps(block(inputs_of(subject), technique, budget, seeds)))
                blocks.append(json.loads(path.read_text()))
            print(f"{subject} {technique} {budget}: {line(blocks)}", flush=True)


def labeled(inputs: Inputs, technique: str, budget: int, seed: int) -> tuple[Design, list[Verdict]]:
    """One campaign: its design, and the verdicts that the truth gives."""
    assert inputs.losses is not None, "subjects of studies have a truth"
    selector = build(inputs, Request(technique, budget, seed))
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, inputs.losses))]
    return selector.design, verdicts


def true_accuracies(inputs: Inputs) -> NDArray[np.float64]:
    """Of the inputs that are predicted as each class, (C,); 0 where there is none."""
    assert inputs.losses is not None, "subjects of studies have a truth"
    groups = inputs.predictions.astype(np.intp)
    sizes = np.bincount(groups)
    return np.asarray(1 - np.bincount(groups, inputs.losses) / np.maximum(sizes, 1), dtype=np.float64)
