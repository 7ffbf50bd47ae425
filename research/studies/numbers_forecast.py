"""The Plan page's forecast beside campaigns."""

from dataclasses import replace

import numpy as np

from research.methods.many_stratified import many_stratified
from research.studies.jobs import BUDGETS, LOOKS
from research.studies.numbers_measured import TABLES
from research.studies.page_text import points, table
from research.studies.results import Results
from research.studies.study_subjects import inputs_of, losses_of
from testimate.core.selector import Request
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths

SHOWN = 200  # campaigns beside the forecast


def forecast(results: Results) -> str:
    """The Plan page's forecast beside campaigns."""
    rows = []
    for subject in TABLES:
        inputs = inputs_of(subject)
        ordinary = expected_half_widths(inputs, BUDGETS, techniques=("rrs", "rra"))
        always = expected_always_half_widths(inputs, BUDGETS)
        for place, budget in enumerate(BUDGETS):
            line = [subject, str(budget)]
            for technique in ("rrs", "rra"):
                watched = results.watched[subject, technique]
                for predicted, kind in ((ordinary, "ordinary"), (always, "always")):
                    found = np.diff(np.array(watched[kind])[:SHOWN, LOOKS.index(budget)]).ravel() / 2
                    line += [points(float(predicted[technique][place])), points(float(found.mean()))]
            rows.append(line)
    head = ["subject", "n"]
    for technique in ("rrs", "rra"):
        head += [f"{technique}: predicted", "found", "always valid: predicted", "found"]
    calibrated = [calibrated_row(subject) for subject in TABLES]
    columns = ["failing as the confidence says", *(f"n = {n}: predicted, found" for n in BUDGETS)]
    return f"""## The forecast before any label

Half the width of the 95 % interval in points, as the Plan page predicts it from the confidence alone, and the mean of
{SHOWN} simulated campaigns:

{table(head, rows)}
The forecast takes a network to fail as often as its confidence says. These three fail more often than that
({overconfident()}), so their intervals come out wider; the Plan page says so. Where failures are drawn again by the
confidence itself, rrs's forecast is what campaigns find:

{table(columns, calibrated)}"""


def overconfident() -> str:
    """What the networks' confidences say, and how often they fail."""
    said_so = []
    for subject in TABLES:
        predicted, true = inputs_of(subject).score("confidence").mean(), losses_of(subject).mean()
        said_so.append(f"{subject}: {100 * predicted:.0f} % predicted, {100 * true:.0f} % true")
    return "; ".join(said_so)


def calibrated_row(subject: str) -> list[str]:
    """The forecast of rrs beside campaigns on truth drawn by the confidence."""
    inputs = inputs_of(subject)
    score = inputs.score("confidence")
    redrawn = replace(inputs, losses=(np.random.default_rng(1).random(len(score)) < score).astype(np.float64))
    predicted = expected_half_widths(inputs, BUDGETS, techniques=("rrs",))["rrs"]
    found = [
        float(np.diff(many_stratified(redrawn, Request("rrs", budget, 3), campaigns=SHOWN).score).mean() / 2)
        for budget in BUDGETS
    ]
    return [subject, *(f"{points(float(one))}, {points(other)}" for one, other in zip(predicted, found, strict=True))]
