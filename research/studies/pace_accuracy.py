"""PACE's RQ1: how well the accuracy is estimated, and what lists the published errors came from."""

from collections.abc import Mapping, Sequence

import numpy as np

from research.studies.pace_numbers import Page, numbers
from research.studies.pace_published import TABLE_2
from research.studies.pace_runs import BESIDE, BUDGETS, REPETITIONS, STARTS, Line, as_published
from research.studies.pace_subjects import NETWORKS
from research.studies.page_text import table

SAID = {"srs": "SRS", "ces": "CES", "css": "CSS"}


def error_table(page: Page, name: str, figures: Mapping[str, Sequence[float]]) -> str:
    """One subject's errors, the paper's below each."""
    published = as_published(name)
    rows = [["pace, as published", *numbers(page.rms(published))]]
    if published.repetitions > 1:
        runs = page.errors(published)
        rows[0][0] += f" ({STARTS} starts)"
        for word, where in (("least", np.abs(runs).min(axis=0)), ("most", np.abs(runs).max(axis=0))):
            rows.append([f"– {word} of these", *numbers(where)])
    rows.append(["PACE, paper", *numbers(figures["pace"])])
    rows.append(["pace", *numbers(page.rms(Line(name, "pace")))])
    for technique in BESIDE:
        rows.append([technique, *numbers(page.rms(Line(name, technique, repetitions=REPETITIONS)))])
        rows.append([f"{SAID[technique]}, paper", *numbers(figures[technique])])
    return f"**{name}**\n\n{table(['error at n =', *map(str, BUDGETS), 'mean'], rows)}"


def luck(page: Page, name: str, line: Line) -> int:
    """How many of the runs of simple random sampling came nearer, on average over the budgets, than a line's first run."""
    runs = np.abs(page.errors(Line(name, "srs", repetitions=REPETITIONS))).mean(axis=1)
    return int((runs < np.abs(page.errors(line)[0]).mean()).sum())


def first_question(page: Page) -> str:
    """RQ1."""
    tables = "\n".join(error_table(page, name, TABLE_2[name]) for name in NETWORKS)
    rows = []
    for name in NETWORKS:
        for words, line in (("pace", Line(name, "pace")), ("pace, as published", as_published(name))):
            single = float(np.abs(page.errors(line)[0]).mean())
            rows.append([f"{name}: {words}", f"{single:.2f}", f"{luck(page, name, line)} of {REPETITIONS}"])
    single_head = ["one run", "mean size of the error", "runs of srs that came nearer"]
    return f"""## RQ1: how well is the accuracy estimated?

{tables}
![errors over n](pace.svg)

PACE is one run, and its errors at the 14 budgets go together, because most inputs are the same. Against single runs of
simple random sampling, each followed through the same budgets (an error of typical size is 0.8 of the RMSE, so the RMSE
flatters the single run):

{table(single_head, rows)}"""


def implied(error: float, budget: int, accuracy: float) -> str:
    """The failures and the length of the list, near n, that a published error of one run came from; "" where several fit."""
    fits = []
    for size in range(budget - 6, budget + 7):
        for failures in range(size + 1):
            if abs(abs(1 - failures / size - accuracy) - error / 100) < 6e-6:
                fits.append(f"{failures} of {size}")
    return " or ".join(fits)


def lists(page: Page) -> str:
    """What lists the published errors came from."""
    rows, agreements = [], []
    for name in ("LeNet-5", "mutant1"):
        accuracy = 1 - float(page.losses(name).mean())
        line = as_published(name)
        sizes, errors = page.found[line]["chosen"], page.errors(line)[0] / 100
        same = failed = 0
        for place, budget in enumerate(BUDGETS):
            said = implied(TABLE_2[name]["pace"][place], budget, accuracy)
            failures = round((1 - accuracy - errors[place]) * sizes[place])
            failed += any(one.startswith(f"{failures} of") for one in said.split(" or "))
            same += f"{failures} of {sizes[place]}" in said.split(" or ")
            rows.append([f"{name}, n = {budget}", said or "–", f"{failures} of {sizes[place]}"])
        agreements.append(f"at {failed} of {len(BUDGETS)} budgets on {name}, and the length as well at {same}")
    return f"""### What the published errors were made of

The error of one run shows how many of how many inputs failed. Failed inputs agree {"; ".join(agreements)}. Elsewhere a
cluster's share falls on the other side of a rounding, or a few inputs belong to another cluster: features by another
version of TensorFlow, HDBSCAN by another of its package. What "as published" took over from the hdbscan 0.8.22 of the
authors: above 60 dimensions its `min_samples` counted the input itself.

{table(["subject", "failed, by the published error", "failed here, as published"], rows)}"""
