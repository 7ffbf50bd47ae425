"""Whether estimates are unbiased and intervals hold where labels exist already, and where a fifth of the inputs is of no class.

Run by `make study`, or alone as ``python -m research.studies.known_labels [SITUATION TECHNIQUE]``: measures the cells that are
not kept yet, one alone where it is named, and writes docs/studies/known-labels.md once all are there.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.page_text import measured_once, table, write_page
from research.studies.study_subjects import STUDIES, data_folder, kept_folder
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build, resolve
from testimate.planning.draws import AskedDraws, KnownOutcome
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.votes import losses_of_known, read_votes

CAMPAIGNS, LABELS, TECHNIQUES = 2000, 150, ("srs", "rrs", "rra")
SITUATIONS = ("nothing", "half", "right", "right and sure")
KNOWN = {
    "nothing": "no label",
    "half": "a random half of the inputs",
    "right": "two thirds of the inputs on which the network is right, and no other",
    "right and sure": "those on which it is right with a confidence above 0.9, and no other",
}
"""Which labels exist before the plan is made."""


@cache
def open_world() -> tuple[Inputs, dict[int, str], NDArray[np.float64]]:
    """A network of three classes on 1,500 inputs, of which a fifth is of none; all labels, and the losses (N,)."""
    folder = data_folder() / "foreign"
    inputs = inputs_of_table(folder / "open_world.csv")
    _, labels = read_votes(folder / "open_world_votes.csv")
    losses = losses_of_known(labels, inputs)
    return inputs, labels, np.array([losses[row] for row in range(len(inputs))])


def known_rows(situation: str, losses: NDArray[np.float64], sure: NDArray[np.bool_], seed: int) -> NDArray[np.bool_]:
    """The inputs whose label exists, (N,)."""
    luck = np.random.default_rng([51, seed]).random(losses.size)
    right = losses == 0
    chosen: NDArray[np.bool_] = np.zeros(losses.size, dtype=bool)
    match situation:
        case "half":
            chosen = np.argsort(np.argsort(luck)) < losses.size // 2
        case "right":
            chosen = right & (luck < 2 / 3)
        case "right and sure":
            chosen = right & sure
    return chosen


def cell(situation: str, technique: str) -> dict[str, Any]:
    """Error, coverage and keys saved over the campaigns, each with labels of its own."""
    inputs, labels, losses = open_world()
    assert inputs.confidence is not None
    truth, outcomes = 1 - losses.mean(), {row: KnownOutcome(loss) for row, loss in enumerate(losses.tolist())}
    errors, held, always, widths, saved, share = [], [], [], [], [], []
    for seed in range(CAMPAIGNS):
        known = known_rows(situation, losses, inputs.confidence > 0.9, seed)
        request = Request(technique, LABELS, seed)
        helped = replace(inputs, known={row: labels[row] for row in np.flatnonzero(known).tolist()})
        selector = build(inputs, request, resolve(helped, request))
        draws = AskedDraws(selector, outcomes).draws  # who labels in the order of the draws
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in draws]
        found = estimator_of(selector.design).estimate(selector.design, verdicts, level=0.95, loss_bound=1.0)
        assert found.low is not None
        assert found.high is not None
        assert found.always_low is not None
        assert found.always_high is not None
        errors.append(found.accuracy - truth)
        held.append(found.low <= truth <= found.high)
        always.append(found.always_low <= truth <= found.always_high)
        widths.append(found.high - found.low)
        saved.append(sum(known[draw.row] for draw in draws))
        share.append(known.mean())
    return {
        "bias": float(np.mean(errors)),
        "bias_error": float(np.std(errors) / np.sqrt(CAMPAIGNS)),
        "error": float(np.sqrt(np.mean(np.square(errors)))),
        "held": float(np.mean(held)),
        "always": float(np.mean(always)),
        "width": float(np.mean(widths)),
        "saved": float(np.mean(saved)),
        "saved_error": float(np.std(saved) / np.sqrt(CAMPAIGNS)),
        "share": float(np.mean(share)),
    }


def write(here: Path) -> None:
    """Measures what is not kept yet, and writes known-labels.md."""
    folder = kept_folder() / "known-labels"
    found = {
        (situation, technique): measured_once(
            folder / f"{situation} {technique}.json".replace(" ", "-"), partial(cell, situation, technique)
        )
        for situation in SITUATIONS
        for technique in TECHNIQUES
    }
    write_page(here / "known-labels.md", [_words(), _table(found), _keys(found)])


def _table(found: Mapping[tuple[str, str], dict[str, Any]]) -> str:
    head = (
        "known before",
        "technique",
        "bias",
        "error",
        "held",
        "width",
        "stop-safe held",
        "keys saved",
        "of all, known",
    )
    rows = [
        (
            situation,
            technique,
            f"{100 * one['bias']:+.2f} ± {200 * one['bias_error']:.2f}",
            f"{100 * one['error']:.2f}",
            f"{100 * one['held']:.1f}",
            f"{100 * one['width']:.1f}",
            f"{100 * one['always']:.1f}",
            f"{one['saved']:.1f}",
            f"{100 * one['share']:.1f}",
        )
        for (situation, technique), one in found.items()
    ]
    return table(head, rows)


def _keys(found: Mapping[tuple[str, str], dict[str, Any]]) -> str:
    half = found["half", "srs"]
    return (
        f"\nA random sample of {LABELS} meets {half['saved']:.2f} known inputs on average, ± {2 * half['saved_error']:.2f}, "
        f"where half of all are known; {LABELS * half['share']:.0f} are expected. Techniques that look for faults meet "
        "fewer of the inputs that somebody found easy.\n"
    )


def _words() -> str:
    error = 100 * np.sqrt(0.95 * 0.05 / CAMPAIGNS)
    accuracy = 1 - open_world()[2].mean()
    kinds = "; ".join(f"{name}: {words}" for name, words in KNOWN.items())
    return (
        "# Labels that exist, and inputs of no class\n\n"
        f"{CAMPAIGNS:,} campaigns of {LABELS} labels on a network of three classes that meets 1,500 inputs, a fifth of them of "
        "no class that it knows: such a label makes it wrong. What is drawn and known is not asked again and counts as it "
        "is; what is not drawn enters no estimate. In points and percent; behind ± are two standard errors of the bias, and "
        f"one of what is held is {error:.1f} points. Known before, {kinds}. The accuracy is {100 * accuracy:.1f}%. Made by "
        "`python -m research.studies.known_labels`; [how to](../how-to/known-labels.md).\n"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        situation, technique = sys.argv[1:]
        name = f"{situation} {technique}.json".replace(" ", "-")
        measured_once(kept_folder() / "known-labels" / name, partial(cell, situation, technique))
    else:
        write(STUDIES)
