"""The page on severe faults first: with what another model predicts for the same inputs, and what was tried without one."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from research.studies.page_text import table, write_page
from research.studies.prioritizers import LEAKS, ORACLES, SUBJECTS, TABLES, WAYS, subject_inputs, tried
from research.studies.runs import SEED
from research.studies.study_subjects import FILES, data_folder, inputs_of, kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics import order_metrics
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.needs import COMBINED
from testimate.planning.priority import priority

OTHERS = {"D": "deepsample/modelE_says_of_D.csv.gz", "G": "deepsample/modelH_says_of_G.csv.gz"}
"""What another network predicts for the same inputs."""

SEVERITIES = (0.5,)
SEVERE = 0.8
ASKED = 45.0
"""Percent SFDR in the mean of the subjects, which the project asked for."""

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


@dataclass(frozen=True)
class Judged:
    """An order judged with as many labels as faults; percent."""

    sfdr: float
    wfdr: float
    fdro: float
    severe: float


def write(here: Path) -> None:
    """Runs it and writes severe-with-others.md."""
    alone = {name: [_judged(_alone(name), "confidence", g) for g in SEVERITIES] for name in TABLES}
    with_other = {name: [_judged(_with_other(name), COMBINED, g) for g in SEVERITIES] for name in OTHERS}
    kept = kept_folder() / "severity_tried.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for name in SUBJECTS:
        for way in WAYS:
            if way not in found.setdefault(name, {}):
                found[name][way] = tried(subject_inputs(name, kept_folder()), way)
                kept.write_text(json.dumps(found))
    write_page(here / "severe-with-others.md", [_page(alone, with_other), _tried(found)])


def _alone(name: str) -> Inputs:
    inputs = inputs_of(name)
    return replace(inputs, scores={one: score for one, score in inputs.scores.items() if one != LEAKS.get(name)})


def _with_other(name: str) -> Inputs:
    return inputs_of_table(data_folder() / FILES[name], others=[data_folder() / OTHERS[name]])


def _judged(inputs: Inputs, auxiliary: str, severity: float) -> Judged:
    assert inputs.losses is not None
    assert inputs.confidence is not None
    failed = inputs.task.failed(inputs.losses)
    faults, severe = int(failed.sum()), failed & (inputs.confidence >= SEVERE)
    options: dict[str, Any] = {"severity": severity}
    order = priority(inputs, Request("severity-first", faults, SEED, auxiliary=auxiliary, options=options)).rows
    metrics = order_metrics(failed[order], inputs.confidence[order])
    assert metrics.sfdr is not None
    assert metrics.wfdr is not None
    assert metrics.fdro is not None
    found = severe[order[:faults]].sum() / severe.sum()
    return Judged(100 * metrics.sfdr, 100 * metrics.wfdr, 100 * metrics.fdro, 100 * float(found))


def _page(alone: dict[str, list[Judged]], with_other: dict[str, list[Judged]]) -> str:
    rows = []
    for name, found in alone.items():
        for severity, own in zip(SEVERITIES, found, strict=True):
            rows.append([f"{name}, g = {severity:g}", *_cells(own)])
        for severity, own in zip(SEVERITIES, with_other.get(name, ()), strict=False):
            rows.append([f"{name} with another network, g = {severity:g}", *_cells(own)])
    place = SEVERITIES.index(0.5)
    before = np.mean([found[place].sfdr for found in alone.values()])
    now = np.mean([with_other.get(name, found)[place].sfdr for name, found in alone.items()])
    reached = "reached" if now > ASKED else "not reached"
    return f"""# Severe faults first, with what another network says

Made by `make study`; no number measured here is typed by hand. The same orders as on the page on
[prioritizers](prioritizers.md), with as many labels as faults, percent. D and G have another network of the same
task beside them (DeepSample's models E and H): its predictions and confidences are known for every input, its truth is
not used. CN12 has none. `testimate prioritize TABLE --technique severity-first --other OTHER` does this.

{table(["subject", "SFDR", "WFDR", "FDRO", "severe found"], rows)}
With g = 0.5, the default, the mean SFDR of D, G and CN12 is {before:.1f} without another network and {now:.1f} with one where
there is one. The goal was above {ASKED:.0f}: {reached} with another network, not without.
"""


def _tried(found: dict[str, Any]) -> str:
    rows = []
    means: dict[str, tuple[float, float]] = {}
    for way in WAYS:
        results = {name: own[way] for name, own in found.items() if own[way] is not None}
        cells = [
            f"{results[name]['sfdr']:.2f} ({results[name]['wfdr']:.2f})" if name in results else "–" for name in found
        ]
        of_tables = [results[name]["sfdr"] for name in TABLES if name in results]
        means[way] = (
            float(np.mean(of_tables)) if of_tables else np.nan,
            float(np.mean([one["sfdr"] for one in results.values()])),
        )
        rows.append([way, *cells, f"{means[way][0]:.1f}" if of_tables else "–"])
    usual = WAYS[0]
    ways = [way for way in WAYS[1:] if not np.isnan(means[way][0]) and way not in ORACLES]
    best = max(ways, key=lambda way: means[way][0])
    near = WAYS[2]
    known = [name for name, own in found.items() if own[near] is not None]
    gained = ", ".join(f"{found[name][near]['sfdr'] - found[name][usual]['sfdr']:+.1f} on {name}" for name in known)
    limits = " and ".join(f"{means[way][0]:.1f} ({way.removeprefix('oracle: ')})" for way in ORACLES)
    above = "reached" if means[best][0] > ASKED else "not reached by any"
    all_known = max(means[way][0] for way in ORACLES)
    possible = (
        f"So {ASKED:.0f} is more than two learners find in these scores where all is known: it takes another source, such as "
        "a network"
        if all_known < ASKED
        else "So the scores hold more than is learned from the labels of one campaign"
    )
    return f"""## What was tried without another network

SFDR, in brackets WFDR, percent; the last column is the mean SFDR of D, G and CN12. The tables have no features, so there are
no neighbors.

- **a slope for each class**: besides its own rate each predicted class has its own calibration of the doubt, learned from the
  labels as they come (Newton's method, standard deviation 0.2 around the slope of all).
- **neighbors of known severe faults**: one term more, the distance to the nearest labeled faults of high confidence in
the same
  predicted class, less that to labeled right inputs, in the last hidden layer.
- **tilt**: the next input is the one of highest p^tilt times confidence; 1/8 as it is. **no looks**: no labels are kept
for where
  the network is sure and nothing is expected.
- **oracles**: the chances are learned from the labels of all inputs before the first draw, by the same terms or by boosted
  trees (each input's from the other folds). Nobody can do this; it shows what confidence, surprise and class could give at
  most.

{table(["way", *found, "tables"], rows)}
Of the ways that need no oracle "{best}" has the highest mean on the tables, {means[best][0]:.1f} where severity-first has
{means[usual][0]:.1f}: above {ASKED:.0f} is {above} without another network. The oracles reach {limits}. {possible}.
Over all six subjects the mean is {means[usual][1]:.1f} as it is.

Neighbors change the SFDR by {gained}. Looks cost most where few faults are to be found; they are kept, because without
them nothing corrects a network that is wrong where it is sure.
"""


def _cells(own: Judged) -> list[str]:
    return [f"{value:.2f}" for value in (own.sfdr, own.wfdr, own.fdro, own.severe)]
