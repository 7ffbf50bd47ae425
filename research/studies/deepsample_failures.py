"""DeepSample's RQ2: how many failures come with the estimate."""

import numpy as np

from research.studies.deepsample_figures import COMBINATIONS, REGRESSION, Figures, N, published_figure
from research.studies.jobs import OURS_AND_THEIRS
from research.studies.page_text import table
from research.studies.results import Results
from research.studies.runs import OFFSETS
from research.studies.study_subjects import DEGREES, TOLERANCE, losses_of


def second_question(results: Results, figures: Figures) -> str:
    """RQ2: how many failures come with the estimate."""
    rows, near = [], []
    for name in OURS_AND_THEIRS:
        row = [name]
        for subject, auxiliary in COMBINATIONS + REGRESSION:
            variant = "as published" if results.cell(subject, name, auxiliary, N, "as published") else None
            cell = results.cell(subject, name, auxiliary, N, variant)
            theirs = published_figure(figures, subject, name, auxiliary, N)
            if cell is None:
                row.append("–" + (f" ({theirs['mean_failures']:.1f})" if theirs else ""))
                continue
            row.append(f"{cell.failures:.1f}" + (f" ({theirs['mean_failures']:.1f})" if theirs else ""))
            if theirs and subject != "DO" and name not in ("srs", "ces"):
                near.append((abs(cell.failures - theirs["mean_failures"]), f"{name} on {subject} with {auxiliary}"))
        rows.append(row)
    head = ["technique", *(f"{subject}, {auxiliary}" for subject, auxiliary in COMBINATIONS + REGRESSION)]
    within = sum(distance <= 5 for distance, _ in near)
    far = ", ".join(f"{what} ({distance:.1f})" for distance, what in sorted(near, reverse=True) if distance > 5)
    return f"""## RQ2: how many failures come with it?

Mean failures among {N} labels, published in brackets; as published where there is such a variant. For DO a failure is
an error beyond {TOLERANCE * DEGREES:g} degrees.

{table(head, rows)}
On D and G {within} of {len(near)} means are within 5 of the published ones{f"; farther off: {far}" if far else ""}.

### Regression, by the size of the error

Mean inputs among {N} labels whose error is at least that many degrees (subject DO, LSA; the techniques' own definitions).
The paper says that differences above 25 degrees never occurred; the file goes on to {largest_offset():.1f} degrees.

{offset_table(results)}
![errors by size](offsets.svg)
"""


def largest_offset() -> float:
    """The largest error of the steering angle, degrees."""
    return float(np.sqrt(losses_of("DO").max()) * DEGREES)


def offset_table(results: Results) -> str:
    """Mean counts by offset."""
    rows = []
    for name in OURS_AND_THEIRS:
        cell = results.cell("DO", name, "lsa", N)
        if cell and cell.beyond:
            rows.append([name, *(f"{count:.1f}" for count in cell.beyond)])
    return table(["technique", *(f"≥ {degrees:g}" for degrees in OFFSETS)], rows)
