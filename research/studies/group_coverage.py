"""How often the intervals of groups drawn as wholes hold the truth, by how alike groups fail, technique and number of labels.

Run by ``make_studies groups``: measures the cells that are not kept yet and
writes docs/studies/groups.md.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.page_text import measured_once, table, write_page
from research.studies.study_subjects import kept_folder
from testimate.core.draw import Verdict
from testimate.core.inputs import InputGroups, groups_of
from testimate.estimators import estimator_of
from testimate.selectors.whole_groups import GroupsInRounds, SimpleRandomGroups

CAMPAIGNS, POPULATIONS = 2000, 8
KINDS = {"fail together": (0.6, 3.0), "hardly": (6.0, 30.0), "few fail": (0.1, 3.0), "half": (1.0, 1.0)}
"""The shape of the beta distribution from which each group's chance of failure is drawn."""

PLANS = (("srs", 100, 0), ("srs", 200, 0), ("rrs", 100, 0), ("rrs", 200, 0), ("rrs", 150, 3), ("srs", 150, 3))
"""Technique, labels, and inputs labeled of each group at most; 0 for all."""


def population(kind: str, seed: int, count: int = 200) -> tuple[InputGroups, NDArray[np.float64], NDArray[np.float64]]:
    """Groups of 1 to 11 inputs, a score that says something about their chance of failure, and which fail."""
    random = np.random.default_rng([205, seed])
    sizes = random.integers(1, 12, count)
    codes = np.repeat(np.arange(count), sizes)
    chances = random.beta(*KINDS[kind], count)[codes]
    scores = np.clip(chances + random.normal(0, 0.15, len(codes)), 0, 1)
    return groups_of([str(code) for code in codes]), scores, (random.random(len(codes)) < chances).astype(float)


def cell(kind: str, technique: str, budget: int, per_group: int) -> dict[str, Any]:
    """How often the interval held, and its mean width, over ``POPULATIONS`` populations."""
    inside, widths = [], []
    for seed in range(CAMPAIGNS):
        groups, scores, losses = population(kind, seed % POPULATIONS)
        if technique == "srs":
            drawn: Any = SimpleRandomGroups(groups, budget=budget, seed=seed, per_group=per_group)
        else:
            drawn = GroupsInRounds(groups, scores, True, budget=budget, seed=seed, per_group=per_group)
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in drawn.ask(budget)]
        found = estimator_of(drawn.design).estimate(drawn.design, verdicts, level=0.95, loss_bound=1.0)
        assert found.low is not None
        assert found.high is not None
        inside.append(float(found.low <= 1 - losses.mean() <= found.high))
        widths.append(found.high - found.low)
    return {
        "kind": kind,
        "plan": [technique, budget, per_group],
        "held": float(np.mean(inside)),
        "width": float(np.mean(widths)),
    }


def write(here: Path) -> None:
    """Measures what is not kept yet, and writes groups.md."""
    folder = kept_folder() / "groups"
    found = {
        (kind, *plan): measured_once(
            folder / f"{kind} {' '.join(map(str, plan))}.json".replace(" ", "-"), partial(cell, kind, *plan)
        )
        for plan in PLANS
        for kind in KINDS
    }
    write_page(here / "groups.md", [_words(), _table(found)])


def _table(found: Mapping[tuple[str, str, int, int], dict[str, Any]]) -> str:
    head = ["groups", *(f"{name} {budget}{f', {each} of each' if each else ''}" for name, budget, each in PLANS)]
    return table(head, [(kind, *(_cell(found[kind, *plan]) for plan in PLANS)) for kind in KINDS])


def _cell(one: dict[str, Any]) -> str:
    return f"{100 * one['held']:.1f} ({100 * one['width']:.0f})"


def _words() -> str:
    shapes = "; ".join(f"{kind}: beta({first:g}, {second:g})" for kind, (first, second) in KINDS.items())
    error = 100 * np.sqrt(0.95 * 0.05 / CAMPAIGNS)
    return (
        "# Groups: how often the intervals hold\n\n"
        f"In percent of {CAMPAIGNS:,} campaigns over {POPULATIONS} populations, in brackets the mean width in points; one "
        f"standard error is {error:.1f} points. 200 groups of 1 to 11 inputs each; a group's chance of failure comes from a "
        f"distribution, {shapes}. Made by `python -m research.studies.make_studies groups`; "
        "[decision 180](../decisions/0180-groups-are-drawn-as-wholes.md).\n"
    )
