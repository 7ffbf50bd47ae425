"""Lists whose estimate learns from their own labels, across folds: errors and coverage at 200 labels, for docs/studies.

Run by ``make_studies learned-lists``: measures what is not kept yet, about a
quarter of an hour on one core, and writes the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from research.methods.exact import exact_error
from research.studies import interval_suite
from research.studies.other_models_page import helped, lenet, letters, spread
from research.studies.page_text import measured_once
from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.assisted import assisted_estimate
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import with_others
from testimate.studies.campaign import known_losses, label

LABELS, CAMPAIGNS = 200, 200
SUITE, SUITE_CAMPAIGNS, SUITE_LABELS = 10_000, 200, (200,)


@dataclass(frozen=True)
class Learned:
    """What campaigns gave, of the plain estimate and of the learned one.

    Attributes
    ----------
    gain : root mean squared error of the learned estimate over that of the plain one, in the same campaigns.
    scatter : standard error of ``gain``, by the jackknife.
    plain_held, held : shares of the campaigns whose 95% interval held the truth, 0 to 1.
    width : mean width of the learned interval over the plain one's.
    """

    gain: float
    scatter: float
    plain_held: float
    held: float
    width: float


def measure(inputs: Inputs, request: Request, campaigns: int) -> Learned:
    """Campaigns of one technique, each with both estimates."""
    losses = known_losses(inputs)
    accuracy = 1 - losses.mean()
    found = np.empty((campaigns, 6))
    for seed in range(campaigns):
        made = label(inputs, Request(request.technique, request.budget, seed, request.auxiliary), losses)
        plain = estimator_of(made.design).estimate(made.design, list(made.verdicts), always_valid=False)
        helped_one = assisted_estimate(
            inputs, made.design, made.verdicts, plain, model="learned", auxiliary=request.auxiliary
        ).estimate
        for place, one in enumerate((plain, helped_one)):
            assert one.low is not None
            assert one.high is not None
            found[seed, 3 * place : 3 * place + 3] = (
                (one.accuracy - accuracy) ** 2,
                one.low <= accuracy <= one.high,
                one.high - one.low,
            )
    sums = found.sum(axis=0)
    without_one = np.sqrt((sums[3] - found[:, 3]) / (sums[0] - found[:, 0]))
    scatter = np.sqrt((campaigns - 1) * without_one.var())
    return Learned(
        float(np.sqrt(sums[3] / sums[0])), float(scatter), sums[1] / campaigns, sums[4] / campaigns, sums[5] / sums[2]
    )


def row(name: str, inputs: Inputs, auxiliary: str) -> str:
    """A line of the first table: srs and rrs."""
    cells = [name]
    for technique in ("srs", "rrs"):
        request = Request(technique, LABELS, 1, auxiliary)
        exact = exact_error(inputs, request)
        assert exact is not None
        part, found = exact / spread(inputs), measure(inputs, request, CAMPAIGNS)
        cells += [
            f"{part:.3f}",
            f"{part * found.gain:.3f} ± {2 * part * found.scatter:.3f}",
            f"{100 * found.held:.1f}%",
            f"x {found.width:.2f}",
        ]
    return f"| {' | '.join(cells)} |"


def subjects() -> Iterator[tuple[str, Inputs, str]]:
    """What is measured: a name, the inputs, and the auxiliary variable."""
    for name in ("D", "G", "CN12"):
        yield name, inputs_of(name), "confidence"
    yield "letters", letters(), "confidence"
    for name in ("LeNet-1", "LeNet-5", "mutant1"):
        yield name, lenet(name), "confidence"
    for name, inputs, others in helped():
        if "alone" not in name:
            yield name, with_others(inputs, others), COMBINED


def row_of_suite(name: str, technique: str, labels: int) -> str:
    """A line of the second table."""
    inputs = interval_suite.inputs_of(name, SUITE)
    found = measure(inputs, Request(technique, labels, 1, "confidence"), SUITE_CAMPAIGNS)
    held = f"{100 * found.plain_held:.1f}% | {100 * found.held:.1f}%"
    return f"| {name} | {technique} | {labels} | {held} | {found.gain:.2f} | x {found.width:.2f} |"


def write(here: Path) -> None:
    """Measures what is not kept yet, and writes learned-lists.md."""
    folder = kept_folder() / "learned_lists"
    first = [measured_once(_file(folder, one[0]), partial(row, *one)) for one in subjects()]
    second = [
        measured_once(
            _file(folder, population.name, technique, labels), partial(row_of_suite, population.name, technique, labels)
        )
        for population in interval_suite.POPULATIONS
        for technique in ("srs", "rrs")
        for labels in SUITE_LABELS
    ]
    page = "\n".join([*HEAD, *first, "", *MIDDLE, *second, ""])
    (here / "learned-lists.md").write_text(page, encoding="utf-8")


def _file(folder: Path, *words: str | int) -> Path:
    return folder / f"{re.sub('[^a-z0-9]+', '-', ' '.join(map(str, words)).lower())}.json"


HEAD = (
    "# Lists that learn",
    "",
    "`testimate estimate PLAN.json VOTES.csv --assisted learned`, and **Results**, let a finished list teach itself:",
    "nine tenths of the labels teach the guesses that the other tenth corrects, each tenth in turn. Made by",
    "`research/studies/learned_lists_page.py`; what follows from it is in",
    "[decision 74](../decisions/0074-label-once-judge-every-version.md).",
    "",
    f"Root mean squared errors with {LABELS} labels, as parts of simple random sampling's: exact for the plain estimate; for",
    f"the learned one the exact value times what {CAMPAIGNS} campaigns found, ± two standard errors. Then how often its 95%",
    "interval held the truth, and its width over the plain one's.",
    "",
    "| | srs | learned | held | width | rrs | learned | held | width |",
    "|---|---|---|---|---|---|---|---|---|",
)
MIDDLE = (
    "## Networks of every kind",
    "",
    "How often the 95% intervals held on the populations of [the page on intervals](../intervals.md), of",
    f"10,000 inputs, in {SUITE_CAMPAIGNS} campaigns each (a share of 95% is known to within 3 points); the",
    "learned error over the plain one, and the width over the plain one's.",
    "",
    "| population | technique | labels | plain | learned | error | width |",
    "|---|---|---|---|---|---|---|",
)
