"""Clusters as a terminal, a notebook and files have them: found, summed up, reported as one HTML page, and downloaded."""

import base64
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.charts.cluster_map import map_svg
from testimate.charts.html import paragraphs, table
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.progress import OnBlocks, Progress, silent
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.subject import Shown
from testimate.core.words import commas, counted, percent
from testimate.project.cluster_review import CardNote
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import ClusterCard, ClusterView, view_clusters
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
            f"{counted(len(view.cards), view.group)} of {commas(size)} inputs; {commas(outside)} ({percent(outside / size)}) "
            "are minority space."
        ]
        if self.planar.kept is not None:
            found.append(f"The map keeps {percent(self.planar.kept)} of the 15 nearest neighbors.")
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
        """Settings, clusters, the share in the minority space, validity, and the share of neighbors that the map keeps."""
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

        return clustered_page(self.inputs, self.view, self.planar, self.show, self.sentences())


def cluster_inputs(
    inputs: Inputs,
    settings: ClusterSettings,
    *,
    map_method: Method = "neighbors",
    show: Show | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks | None = None,
) -> Clustered:
    """Clusters, prototypes, criticisms and a map of inputs with features.

    ``on_blocks`` : as for ``view_clusters``. Raises BadInput for inputs without features, and for settings outside their
    range.
    """
    if not inputs.features:
        raise BadInput(
            "There are no features, so there is nothing to cluster. Expected an .npy file of shape (N, width), row for row. "
            "Add it: --features F.npy, or features= from Python."
        )
    view = view_clusters(inputs, settings, progress=progress, on_blocks=on_blocks)
    array = inputs.feature(settings.features)
    if map_method == "neighbors":
        from testimate.structure.maps import neighbor_map

        planar = neighbor_map(array, seed=settings.seed, progress=progress)
    else:
        planar = planar_map(array, seed=settings.seed, method=map_method, measured=True)
    return Clustered(inputs, view, planar, show)


MOST_CLUSTERS = 60
LETTERS = 160

_STYLE = """
body { font-family: "Source Sans", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; max-width: 900px;
  margin: 2rem auto; padding: 0 1rem; color: #1f2933; background: #ffffff; line-height: 1.45; }
table { border-collapse: collapse; } td, th { padding: 0.25rem 0.8rem 0.25rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid #d5dbe1; }
figure { display: inline-block; margin: 0 0.5rem 0.5rem 0; width: 84px; vertical-align: top; font-size: 12px; color: #52606d; }
figure img { width: 84px; height: 84px; object-fit: contain; background: #f2f4f6; }
.crisp { image-rendering: pixelated; } .quiet { color: #52606d; } section { border-top: 1px solid #d5dbe1; margin-top: 1.2rem; }
"""


def clustered_page(
    inputs: Inputs, view: ClusterView, planar: PlanarMap, show: Callable[[int], Shown] | None, sentences: Sequence[str]
) -> str:
    """The page. What came from the tester's files is text in it, never markup.

    ``show`` : what a person sees of an input; None where there is nothing to see. ``sentences`` : what was found.
    """
    settings = view.settings
    title = f"{counted(len(view.cards), view.group)} of {commas(len(inputs))} inputs"
    names = {str(card.number + 1): card.rows for card in view.cards}
    settings_line = (
        f"{settings.features} · min_cluster_size {settings.min_cluster_size} · min_samples {settings.min_samples} · reduction "
        f"{settings.reduction} · seed {settings.seed} · HDBSCAN: {view.clustering.engine} · map: {planar.method}"
    )
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>{paragraphs(sentences)}",
        f'<p class="quiet">{escape(settings_line)}</p>',
        map_svg(planar.points, view.labels, names),
        '<p class="quiet">Nearby points look alike to the model. Distances between groups mean little. '
        "The numbers name the clusters. Gray is the minority space.</p>",
        _table(view, inputs),
        *(_cluster(card, view, inputs, show) for card in view.cards[:MOST_CLUSTERS]),
        "</body></html>",
    ]
    return "".join(parts)


def class_words(card: ClusterCard, inputs: Inputs) -> str:
    """The commonest predicted class of a cluster and its share, "" where there are no classes."""
    if card.commonest is None or card.purity is None or not inputs.task.one_class:
        return ""
    return f"{percent(card.purity)} predicted {inputs.task.classes[card.commonest]}"


def _table(view: ClusterView, inputs: Inputs) -> str:
    names = ("cluster", "inputs", "predicted", "persistence", "MMD² left by its prototypes")
    lasts = view.clustering.persistence if not view.trouble else ()
    body = []
    for card in view.cards:
        lasting = f"{lasts[card.number]:.3f}" if card.number < len(lasts) else "–"
        cells = (card.number + 1, commas(len(card.rows)), class_words(card, inputs), lasting, f"{card.mmd2:.2g}")
        body.append(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _cluster(card: ClusterCard, view: ClusterView, inputs: Inputs, show: Callable[[int], Shown] | None) -> str:
    words = ", ".join(filter(None, [f"{commas(len(card.rows))} inputs", class_words(card, inputs)]))
    parts = [
        f"<section><h2>{escape(view.group.capitalize())} {card.number + 1}</h2><p>{escape(words)}</p>",
        f"<h3>Typical inputs (prototypes)</h3>{_wall(card.prototypes, inputs, show)}",
        f"<p>{escape(card.sampled.words())}</p>" if card.sampled else "",
    ]
    for rarer, look in ((False, "more common"), (True, "rarer")):
        rows = card.criticisms[(card.witness > 0) == rarer]
        if len(rows):
            these = "this" if len(rows) == 1 else "these"
            parts.append(
                "<h3>Poorly represented (criticisms)</h3>"
                f"<p>Judged by the typical ones alone, inputs like {these} look {look} than they are.</p>"
                f"{_wall(rows, inputs, show)}"
            )
    return "".join([*parts, "</section>"])


def _wall(rows: NDArray[np.intp], inputs: Inputs, show: Callable[[int], Shown] | None) -> str:
    hung = []
    for row in map(int, rows):
        said = inputs.task.prediction_text(inputs.predictions[row])
        looks = f"<figcaption>input {commas(row)}: {escape(str(said))}</figcaption>"
        shown = None if show is None else show(row)
        if shown is not None and shown.image is not None:
            data = base64.b64encode(shown.image).decode("ascii")
            looks = f'<img class="crisp" alt="input {row}" src="data:image/png;base64,{data}">{looks}'
        elif shown is not None and shown.text:
            looks = f"<div>{escape(shown.text[:LETTERS])}</div>{looks}"
        hung.append(f"<figure>{looks}</figure>")
    return "".join(hung)


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

    BadInput where no row has a picture, or where there are more than 2,000 of them.
    """
    if len(rows) > MOST_PICTURES:
        raise BadInput(
            f"The selection has {commas(len(rows))} inputs. Expected at most {commas(MOST_PICTURES)} for a file of pictures. "
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
        raise BadInput("None of these inputs is a picture. Expected some. Export the rows instead.")
    return file.getvalue()
