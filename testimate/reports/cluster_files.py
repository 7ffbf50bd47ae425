"""The work on clusters as files: every input with its cluster and tags, a selection's rows, and its pictures."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.subject import Shown
from testimate.core.words import spaced
from testimate.project.cluster_review import CardNote
from testimate.project.clusters import ClusterView
from testimate.reports.exports import named

MOST_PICTURES = 2_000
"""In one zip: more is a dataset, which the tester has already."""


def clusters_csv(
    view: ClusterView,
    inputs: Inputs,
    notes: Mapping[int, CardNote],
    tags: Mapping[str, NDArray[np.object_]],
    losses: NDArray[np.float64],
    rows: Sequence[int] | NDArray[np.intp] | None = None,
) -> str:
    """One line per input, or per row of ``rows``: its cluster, the cluster's name, its outlier score, its tags, what is known.

    ``cluster`` counts from 1 and is empty in the minority space. ``outcome`` is "right" or "wrong" where testers labeled the
    input, by ``losses``, (N,), nan elsewhere. ``tags`` : columns of (N,) cells, written as they are named, after the others.
    Cells that a spreadsheet would run are quoted.
    """
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    file = [] if inputs.names is None else ["file"]
    own = ["row", *file, "cluster", "name", "glosh", "prediction", "confidence", "outcome"]
    headers = [f"tag {name}" if name in own else name for name in tags]
    writer.writerow([*own, *headers])
    names = {number: note.name for number, note in notes.items()}
    for row in map(int, range(len(inputs)) if rows is None else rows):
        cluster = int(view.labels[row])
        outcome = "" if np.isnan(losses[row]) else "wrong" if inputs.task.failed(losses[row : row + 1])[0] else "right"
        cells = [
            row,
            *named(inputs, row).values(),
            "" if cluster < 0 else cluster + 1,
            names.get(cluster, ""),
            f"{view.clustering.glosh[row]:.6g}",
            inputs.task.prediction_text(inputs.predictions[row], in_full=True),
            "" if inputs.confidence is None else f"{inputs.confidence[row]:.6g}",
            outcome,
            *(column[row] for column in tags.values()),
        ]
        writer.writerow(cells)
    return text.getvalue()


def pictures_zip(rows: Sequence[int] | NDArray[np.intp], show: Callable[[int], Shown]) -> bytes:
    """The pictures of the rows as PNG files in a zip, each named by its row; inputs without a picture are left out.

    BadInput where no row has a picture, or where there are more than 2 000 of them.
    """
    if len(rows) > MOST_PICTURES:
        raise BadInput(
            f"The selection has {spaced(len(rows))} inputs; expected at most {spaced(MOST_PICTURES)} for a file of pictures. "
            "Select fewer."
        )
    file, count = io.BytesIO(), 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as packed:  # PNG is compressed already
        for row in map(int, rows):
            image = show(row).image
            if image is not None:
                packed.writestr(zipfile.ZipInfo(f"{row}.png", (1980, 1, 1, 0, 0, 0)), image)
                count += 1
    if not count:
        raise BadInput("None of these inputs is a picture; expected some. Export the rows instead.")
    return file.getvalue()
