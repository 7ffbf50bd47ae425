"""The page on a regression from pictures on: the road demo's network, its features and two autoencoders, every technique."""

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from research.studies.page_text import table, write_page
from research.studies.study_subjects import kept_folder
from testimate.core.inputs import Inputs
from testimate.demos.road import open_road
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.studies.study import study
from testimate.studies.study_rows import StudyRow
from testimate.tasks.regression import Regression

TECHNIQUES = ("srs", "ssrs", "gbs", "sups", "rhc-s", "2-ups", "deepest", "css", "ssoa-c-p", "rrs")
AUXILIARY = ("lsa", "sae", "vae")
BUDGETS = (50, 100, 200, 400, 800)
REPETITIONS, SEED = 300, 1
WITH_FEATURES = ("ces",)
FEATURE_REPETITIONS = 60
STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs it and writes road.md."""
    folder = kept_folder()
    subject = open_road(folder)
    inputs = known_inputs(subject, FeatureCache(folder / "features"), roles=("LHL",), auxiliary=AUXILIARY)
    rows = study(
        inputs, techniques=TECHNIQUES, auxiliaries=AUXILIARY, budgets=BUDGETS, repetitions=REPETITIONS, seed=SEED
    )
    rows += study(
        inputs, techniques=WITH_FEATURES, budgets=BUDGETS, repetitions=FEATURE_REPETITIONS, seed=SEED, features="LHL"
    )
    write_page(here / "road.md", [_head(inputs), _errors(rows), _failures(rows, inputs)])


def _head(inputs: Inputs) -> str:
    assert inputs.losses is not None
    assert isinstance(inputs.task, Regression)
    tied = ", ".join(f"{name} {spearmanr(inputs.scores[name], inputs.losses).statistic:+.2f}" for name in AUXILIARY)
    failed = inputs.task.failed(inputs.losses)
    return f"""# A regression from pictures on

Made by `make study`; no number measured here is typed by hand. DeepSample's regressions are available as tables alone
([subject DO](deepsample.md#rq12-regression)). Here nothing is a table: the road demo's network reads {len(inputs):,} pictures
and steers; LSA comes from its last hidden layer, SAE and VAE are autoencoders trained on the pictures that the network
was trained on. {100 * failed.mean():.1f}% of the angles are off by more than {inputs.task.tolerance:g} degrees; 1 - MSE is
{1 - inputs.losses.mean():.4f} on the scale of {inputs.task.scale:g} degrees. Spearman's correlation of the
squared error with each
variable: {tied}.
"""


def _errors(rows: list[StudyRow]) -> str:
    srs = {row.budget: row.rmse for row in rows if row.technique == "srs"}
    lines = []
    for technique, auxiliary in _pairs(rows):
        found = {row.budget: row for row in rows if (row.technique, row.auxiliary) == (technique, auxiliary)}
        name = technique if auxiliary is None else f"{technique}, {auxiliary}"
        ratios = [f"{1e3 * found[n].rmse:.2f} ({found[n].rmse / srs[n]:.2f})" for n in BUDGETS]
        lines.append([name, *ratios, f"{1e3 * found[200].bias:+.2f}", str(found[200].repetitions)])
    mean = {
        auxiliary: np.mean([row.rmse / srs[row.budget] for row in rows if row.auxiliary == auxiliary])
        for auxiliary in AUXILIARY
    }
    best = min(mean, key=lambda one: mean[one])
    said = ", ".join(f"{one} {ratio:.2f}" for one, ratio in mean.items())
    head = ["technique", *(f"n = {budget}" for budget in BUDGETS), "bias, 200", "campaigns"]
    return f"""## The error

RMSE of 1 - MSE in thousandths, in brackets over that of srs; an RMSE of {REPETITIONS} campaigns carries 4%, of
{FEATURE_REPETITIONS} 9%, more with long tails. Techniques by their own definitions.

{table(head, lines)}
Over all techniques and budgets the error relative to that of srs is: {said}. {best} is best here; the paper's table 11 has
LSA least in 35 of 60 configurations, VAE in 12, SAE in 13.
"""


def _pairs(rows: list[StudyRow]) -> list[tuple[str, str | None]]:
    return list(dict.fromkeys((row.technique, row.auxiliary) for row in rows))


def _failures(rows: list[StudyRow], inputs: Inputs) -> str:
    lines = []
    for technique, auxiliary in _pairs(rows):
        found = {row.budget: row for row in rows if (row.technique, row.auxiliary) == (technique, auxiliary)}
        name = technique if auxiliary is None else f"{technique}, {auxiliary}"
        lines.append([name, *(f"{found[n].failures_mean:.1f}" for n in BUDGETS)])
    assert isinstance(inputs.task, Regression)
    return f"""## Failures that come with it

Mean number of labels with an error beyond {inputs.task.tolerance:g} degrees:

{table(["technique", *(f"n = {budget}" for budget in BUDGETS)], lines)}"""
