"""The report of clusters: one self-contained HTML page, without scripts, that fetches nothing."""

import base64
from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from testimate.charts.html import paragraphs
from testimate.charts.map_svg import map_svg
from testimate.core.inputs import Inputs
from testimate.core.subject import Shown
from testimate.core.words import counted, percent, spaced
from testimate.project.clusters import ClusterCard, ClusterView
from testimate.structure.maps import PlanarMap
from testimate.tasks.classification import Classification

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
    title = f"{counted(len(view.cards), view.group)} of {spaced(len(inputs))} inputs"
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
        '<p class="quiet">Near points look alike to the network; distances between groups mean little. '
        "The numbers name the clusters; grey is the minority space.</p>",
        _table(view, inputs),
        *(_cluster(card, view, inputs, show) for card in view.cards[:MOST_CLUSTERS]),
        "</body></html>",
    ]
    return "".join(parts)


def class_words(card: ClusterCard, inputs: Inputs) -> str:
    """The commonest predicted class of a cluster and its share, "" where there are no classes."""
    if card.commonest is None or card.purity is None or not isinstance(inputs.task, Classification):
        return ""
    return f"{percent(card.purity)} predicted {inputs.task.classes[card.commonest]}"


def _table(view: ClusterView, inputs: Inputs) -> str:
    names = ("cluster", "inputs", "predicted", "persistence", "MMD² left by its prototypes")
    lasts = view.clustering.persistence if not view.trouble else ()
    body = []
    for card in view.cards:
        lasting = f"{lasts[card.number]:.3f}" if card.number < len(lasts) else "–"
        cells = (card.number + 1, spaced(len(card.rows)), class_words(card, inputs), lasting, f"{card.mmd2:.2g}")
        body.append(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _cluster(card: ClusterCard, view: ClusterView, inputs: Inputs, show: Callable[[int], Shown] | None) -> str:
    words = ", ".join(filter(None, [f"{spaced(len(card.rows))} inputs", class_words(card, inputs)]))
    parts = [
        f"<section><h2>{escape(view.group.capitalize())} {card.number + 1}</h2><p>{escape(words)}</p>",
        f"<h3>Prototypes</h3>{_wall(card.prototypes, inputs, show)}",
        f"<p>{escape(card.sampled.words())}</p>" if card.sampled else "",
    ]
    for rarer, look in ((False, "more common"), (True, "rarer")):
        rows = card.criticisms[(card.witness > 0) == rarer]
        if len(rows):
            these = "this" if len(rows) == 1 else "these"
            parts.append(
                f"<h3>Criticisms</h3><p>The prototypes make inputs like {these} look {look} than they are.</p>"
                f"{_wall(rows, inputs, show)}"
            )
    return "".join([*parts, "</section>"])


def _wall(rows: NDArray[np.intp], inputs: Inputs, show: Callable[[int], Shown] | None) -> str:
    hung = []
    for row in map(int, rows):
        said = inputs.task.prediction_text(inputs.predictions[row])
        looks = f"<figcaption>input {spaced(row)}: {escape(str(said))}</figcaption>"
        shown = None if show is None else show(row)
        if shown is not None and shown.image is not None:
            data = base64.b64encode(shown.image).decode("ascii")
            looks = f'<img class="crisp" alt="input {row}" src="data:image/png;base64,{data}">{looks}'
        elif shown is not None and shown.text:
            looks = f"<div>{escape(shown.text[:LETTERS])}</div>{looks}"
        hung.append(f"<figure>{looks}</figure>")
    return "".join(hung)
