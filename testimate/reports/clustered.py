"""Clusters as a terminal and a notebook have them: found, written row by row, summed up, and reported."""

import io
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.charts.html import paragraphs, table
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.progress import OnBlocks, Progress, silent
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.subject import Shown
from testimate.core.words import counted, percent, spaced
from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.project.clusters import ClusterView, view_clusters
from testimate.reports.exports import named
from testimate.structure.maps import Method, PlanarMap, planar_map

MINORITY = -1

Show = Callable[[int], Shown]


@dataclass(frozen=True, eq=False, repr=False)
class Clustered:
    """What was found.

    Attributes
    ----------
    inputs : what was clustered.
    view : the clusters with their prototypes and criticisms, as the Clusters page has them.
    planar : where each input lies on the map.
    show : what a person sees of an input; None where there is nothing to see.
    """

    inputs: Inputs
    view: ClusterView
    planar: PlanarMap
    show: Show | None = None

    def __repr__(self) -> str:
        return " ".join(self.sentences())

    def _repr_html_(self) -> str:
        header = ("cluster", "inputs", "persistence", "purity", "mmd2")
        rows = [tuple(one.values()) for one in self.summary()]
        return paragraphs(self.sentences()) + table(header, rows, len(rows))

    def sentences(self) -> list[str]:
        """How many clusters there are, how many inputs are in none, how far to trust the map, and warnings, a sentence each."""
        view, size = self.view, len(self.inputs)
        outside = len(view.minority)
        found = [
            f"{counted(len(view.cards), view.group)} of {spaced(size)} inputs; {spaced(outside)} ({percent(outside / size)}) "
            "are minority space."
        ]
        if self.planar.kept is not None:
            found.append(f"The map keeps {percent(self.planar.kept)} of the 15 nearest neighbours.")
        notes = [
            note for note in view.clustering.notes if not (view.trouble and note.startswith("HDBSCAN"))
        ]  # said twice
        sampled = [
            f"{view.group.capitalize()} {card.number + 1}: {card.sampled.words()}"
            for card in view.cards
            if card.sampled
        ]
        remarks = [view.trouble, *notes, *sampled, self.planar.warning]
        return [*found, *dict.fromkeys(sentence for sentence in remarks if sentence)]

    def columns(self) -> dict[str, NDArray[Any]]:
        """By name, a value per input, (N,): row, cluster (from 1 on, as on the page; -1 = minority space), membership, glosh,
        x, y, and the rank as a prototype or a criticism of the cluster, 0 for none."""
        view, size = self.view, len(self.inputs)
        ranks = {"prototype": np.zeros(size, dtype=np.intp), "criticism": np.zeros(size, dtype=np.intp)}
        for card in view.cards:
            ranks["prototype"][card.prototypes] = np.arange(1, len(card.prototypes) + 1)
            ranks["criticism"][card.criticisms] = np.arange(1, len(card.criticisms) + 1)
        inside = view.labels >= 0
        return {
            "row": np.arange(size),
            "cluster": np.where(inside, view.labels + 1, MINORITY),
            "membership": view.clustering.membership,
            "glosh": view.clustering.glosh,
            "x": self.planar.points[:, 0],
            "y": self.planar.points[:, 1],
            **ranks,
        }

    def summary(self) -> list[dict[str, Any]]:
        """For each cluster its number, size, persistence, purity by predicted class and MMD^2, None where not known."""
        lasts = dict(enumerate(self.view.clustering.persistence)) if not self.view.trouble else {}
        return [
            {
                "cluster": card.number + 1,
                "size": len(card.rows),
                "persistence": lasts.get(card.number),
                "purity": card.purity,
                "mmd2": card.mmd2,
            }
            for card in self.view.cards
        ]

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row per input, in the columns of ``columns``; the ranks are missing where there are none."""
        import pandas as pd

        frame = pd.DataFrame(self.columns())
        for name in ("prototype", "criticism"):
            frame[name] = frame[name].astype("Int64").mask(frame[name] == 0)
        return frame

    def to_json(self) -> dict[str, Any]:
        """Settings, clusters, the share in the minority space, validity, and the share of neighbours that the map keeps."""
        return {
            "settings": asdict(self.view.settings) | {"map": self.planar.method},
            "clusters": self.summary(),
            "noise": len(self.view.minority) / len(self.inputs),
            "validity": self.view.clustering.validity,
            "neighbours_kept": self.planar.kept,
            "notes": self.sentences()[1:],
        }

    def to_csv(self) -> str:
        """One line per input: ``columns``, with the file's name after the row where there is one."""
        text, columns = io.StringIO(), self.columns()
        file = [] if self.inputs.names is None else ["file"]
        writer = SpreadsheetWriter(text)
        writer.writerow(["row", *file, *(name for name in columns if name != "row")])
        for cells in zip(*(values.tolist() for values in columns.values()), strict=True):
            row, cluster, *numbers, prototype, criticism = cells
            writer.writerow(
                [row, *named(self.inputs, row).values(), cluster]
                + [f"{number:.6g}" for number in numbers]
                + [prototype or "", criticism or ""]
            )
        return text.getvalue()

    def write(self, path: str | Path) -> None:
        """Writes ``to_csv`` to a file, whole or not at all."""
        write_whole(Path(path), self.to_csv())

    def to_html(self) -> str:
        """A self-contained HTML page: what was found, the map, and every cluster with its prototypes and criticisms."""
        from testimate.reports.clustered_page import clustered_page

        return clustered_page(self.inputs, self.view, self.planar, self.show, self.sentences())


def cluster_inputs(
    inputs: Inputs,
    *,
    seed: int,
    features: str | None = None,
    min_cluster_size: int | None = None,
    min_samples: int | None = None,
    reduction: str | None = None,
    components: int | None = None,
    sampled: bool = False,
    map_method: Method = "neighbours",
    show: Show | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks | None = None,
) -> Clustered:
    """Clusters, prototypes, criticisms and a map of inputs with features; by default with the Clusters page's settings.

    ``seed`` : of the reduction, the map, and the sample of very large sets. ``sampled`` : cluster 20,000 inputs of a
    larger set
    and let the others join them. ``on_blocks`` : as for ``view_clusters``. Raises BadInput for inputs without
    features, and
    for settings outside their range.
    """
    if not inputs.features:
        raise BadInput(
            "There are no features, so there is nothing to cluster; expected an .npy file of shape (N, width), row for row. "
            "Add it: --features F.npy, or features= from Python."
        )
    given: dict[str, Any] = {
        "features": features,
        "min_cluster_size": min_cluster_size,
        "min_samples": min_samples,
        "reduction": reduction,
        "components": components,
        "exactness": "sampled" if sampled else None,
        "seed": seed,
    }
    settings: ClusterSettings = replace(
        suited_settings(inputs), **{name: value for name, value in given.items() if value is not None}
    )
    view = view_clusters(inputs, settings, progress=progress, on_blocks=on_blocks)
    array = inputs.feature(settings.features)
    if map_method == "neighbours":
        from testimate.structure.maps import neighbour_map

        planar = neighbour_map(array, seed=seed, progress=progress)
    else:
        planar = planar_map(array, seed=seed, method=map_method, measured=True)
    return Clustered(inputs, view, planar, show)
