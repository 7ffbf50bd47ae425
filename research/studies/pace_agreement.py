"""What of PACE agrees with its paper, what does not, and why."""

import numpy as np

from research.studies.pace_numbers import Page
from research.studies.pace_published import GAINS, TABLE_2
from research.studies.pace_runs import BESIDE, BUDGETS, REPETITIONS, STARTS, Line, as_published
from research.studies.pace_subjects import NETWORKS


def agreement(page: Page) -> str:
    """What agrees, what does not, and why."""
    parts = [agreement_of_lists(page), agreement_with_sampling(page), definition(page), answers(page)]
    return "## What agrees, what does not, and why\n\n" + "\n".join(parts)


def agreement_of_lists(page: Page) -> str:
    """How near the published errors come."""
    near = []
    for name in ("LeNet-5", "mutant1"):
        apart = np.abs(page.rms(as_published(name)) - TABLE_2[name]["pace"])
        correlation = float(np.corrcoef(page.rms(as_published(name)), TABLE_2[name]["pace"])[0, 1])
        near.append(f"{name} {apart.mean():.2f} points apart on average (correlation {correlation:.2f})")
    line = as_published("LeNet-1")
    runs = np.abs(page.errors(line))
    inside = int(
        ((runs.min(axis=0) <= TABLE_2["LeNet-1"]["pace"]) & (runs.max(axis=0) >= TABLE_2["LeNet-1"]["pace"])).sum()
    )
    return f"""- **The published errors of PACE.** As published: {"; ".join(near)}. On LeNet-1 the program's FastICA
  starts at random: {inside} of {len(BUDGETS)} published errors are inside the range of {STARTS} starts; the figures are
  one draw of it. PACE is deterministic only once FastICA is seeded, as here."""


def agreement_with_sampling(page: Page) -> str:
    """SRS, CES and CSS against their published errors."""
    by_technique = []
    for technique in BESIDE:
        ratios = [
            page.mean(Line(name, technique, repetitions=REPETITIONS)) / np.mean(TABLE_2[name][technique])
            for name in NETWORKS
        ]
        by_technique.append(
            f"{technique} " + ", ".join(f"{ratio:.2f} ({name})" for ratio, name in zip(ratios, NETWORKS, strict=True))
        )
    ideal = []
    for name in NETWORKS:
        spread = float(page.losses(name).std(ddof=1))
        size = len(page.losses(name))
        exact = [100 * spread * np.sqrt(1 / n - 1 / size) for n in BUDGETS]
        ideal.append(f"{np.mean(TABLE_2[name]['srs']) / np.mean(exact):.2f} ({name})")
    return f"""- **SRS, CES and CSS.** Our error over the published one, means over the budgets: {"; ".join(by_technique)}. The
  published errors of SRS are {", ".join(ideal)} times what simple random sampling has by its formula; errors at
  neighbouring budgets go together, so 14 budgets do not average that out. CES repeats no input here and weighs no
  border wrongly. CSS is the stratum-weighted mean."""


def definition(page: Page) -> str:
    """As defined against as published."""
    means = []
    for name in NETWORKS:
        own, theirs = page.mean(Line(name, "pace")), page.mean(as_published(name))
        random = page.mean(Line(name, "srs", repetitions=REPETITIONS))
        means.append(f"{name} {own:.2f} against {theirs:.2f} as published and {random:.2f} of srs")
    found, leaning = [], []
    for name in NETWORKS:
        errors = page.errors(Line(name, "pace"))[0]
        leaning.append(f"{errors.mean():+.2f} on {name}")
        found.append(f"{int((np.abs(errors - 100 * page.losses(name).mean()) < 1e-9).sum())} on {name}")
    return f"""- **As defined.** Mean errors: {"; ".join(means)}. Budgets at which the list has no failure at all, so
  that the error is the whole failure rate: {", ".join(found)}. The mean estimate is off by {", ".join(leaning)}: chosen
  inputs have no chances, so nothing makes such a bias small, and nobody can know it without the truth."""


def answers(page: Page) -> str:
    """On the questions, in short."""
    wins = 0
    for name in NETWORKS:
        single = np.abs(page.errors(Line(name, "pace"))[0])
        wins += int((single < page.rms(Line(name, "srs", repetitions=REPETITIONS))).sum())
    cells, said = len(NETWORKS) * len(BUDGETS), GAINS["all subjects"][0]
    return f"""- **PACE against SRS.** As defined, its error is below SRS's RMSE in {wins} of {cells} cells; the paper
  finds {said:.0f} % less error over its 24 subjects. About two in three single runs of simple random sampling are below
  their own RMSE too, so such counts flatter any single run; the table of runs that came nearer (RQ1) does not.
- **RQ2 to RQ5.** With three networks and one run per setting, differences of some tenths of a point are those of a few
  labels: 1 of 100 inputs is a point. The tables say what happened here, not which setting is better.
"""
