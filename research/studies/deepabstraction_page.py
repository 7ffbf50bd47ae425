"""The page on DeepAbstraction's boxes: how many, how wide, of which clusters, and what that does to severe faults.

Run by `make study`, or alone: .venv/bin/python -m research.studies.deepabstraction_page
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from research.studies.deepabstraction_regions import COUNT, TAUS, known_by_class
from research.studies.deepabstraction_regions import measured as regions_measured
from research.studies.page_text import table, write_page
from research.studies.study_subjects import data_folder, kept_folder
from testimate.core.inputs import Inputs
from testimate.feature_cache import FeatureCache
from testimate.metrics import order_metrics
from testimate.models.description import ModelDescription
from testimate.planning.known_inputs import known_inputs
from testimate.selectors.deepabstraction import ACCEPTED, REJECTED, UNCERTAIN, monitor_verdicts
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

Lines = list[dict[str, Any]]

NETWORKS = ("LeNet-5", "LeNet-1", "mutant1")
BOXES = (1, 3, 5, 8)
MARGINS = (0.0, 0.1, 0.2)
SEVERE = 0.8
PUBLISHED = (40.0, 78.55)
"""Severe faults that DeepAbstraction found within m, percent, the least and the most of eight networks (table V)."""

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes deepabstraction.md."""
    found, regions = _kept("deepabstraction", _measured), _kept("deepabstraction_regions", regions_measured)
    write_page(here / "deepabstraction.md", [_page(found, regions)])


def _kept(name: str, measure: Callable[[Inputs], Lines]) -> dict[str, Lines]:
    """What was measured of each network; what is missing is measured now, and kept."""
    kept = kept_folder() / f"{name}.json"
    found: dict[str, Lines] = json.loads(kept.read_text()) if kept.exists() else {}
    for network in NETWORKS:
        if network not in found:
            found[network] = measure(_inputs(network))
            kept.write_text(json.dumps(found))
    return found


def _inputs(network: str) -> Inputs:
    model = ModelDescription(data_folder() / "pace" / f"{network}.h5")
    own = open_uploaded_subject(SubjectDescription(model, data_folder() / "mnist" / "mnist.npz"))
    return known_inputs(own.subject, FeatureCache(kept_folder() / "features"), auxiliary=())


def _measured(inputs: Inputs) -> Lines:
    assert inputs.losses is not None
    assert inputs.confidence is not None
    known = known_by_class(inputs)
    failed, sure, gini = inputs.task.failed(inputs.losses), inputs.confidence, inputs.scores["gini"]
    faults, severe = int(failed.sum()), failed & (sure >= SEVERE)
    rows = []
    for boxes in BOXES:
        for margin in MARGINS:
            verdicts = monitor_verdicts(known, boxes, REJECTED, margin)
            order = np.lexsort((-gini, -verdicts))
            metrics, first = order_metrics(failed[order], sure[order]), order[:faults]
            rows.append(
                {
                    "boxes": boxes,
                    "margin": margin,
                    "rejected": int((verdicts == REJECTED).sum()),
                    "uncertain": int((verdicts == UNCERTAIN).sum()),
                    "accepted": int((verdicts == ACCEPTED).sum()),
                    "faults": faults,
                    "severe rejected": 100 * float((severe & (verdicts == REJECTED)).sum() / severe.sum()),
                    "fdro": 100 * float(failed[first].mean()),
                    "severe": 100 * float(severe[first].sum() / severe.sum()),
                    "wfdr": 100 * float(metrics.wfdr or 0),
                    "sfdr": 100 * float(metrics.sfdr or 0),
                }
            )
    return rows


USUAL = f"k-means, tau {TAUS[1]:g}; box"


def _page(found: dict[str, Lines], regions: dict[str, Lines]) -> str:
    parts = [
        f"""# DeepAbstraction's boxes, and why it misses severe faults here

Made by `make study`; no number measured here is typed by hand. The text that describes DeepAbstraction (Al-Qadasi et al.
2023) leaves open how many boxes a class has and how they are made. The abstract of its authors' next paper
([DeepAbstraction++](https://doi.org/10.1007/978-3-031-46002-9_5)) says that a clustering parameter tau sets the boxes' size and
that they took {TAUS[0]:g} and {TAUS[1]:g}; in public programs of such monitors k-means makes one cluster more as long
as that takes
at least the share tau of the squared distances. So that is the default, with {TAUS[1]:g}, and everything else a
variant: a fixed number of boxes (options `tau` 0 and
`clusters`), wider
ones (`margin`), and, in the study alone, other clusterings and regions. Right and wrong training inputs are clustered apart.
Rejected inputs come first, then uncertain, then accepted ones, by Gini impurity inside each. The published share of severe
faults found within m is {PUBLISHED[0]:.0f} to {PUBLISHED[1]:.0f} %.

- **box**: the least and the greatest value of every neuron. **box for 99 %**: without half a percent at either end.
- **ball**: around the cluster's mean, as far as its farthest input, or as 99 % of them; the distance is Euclidean, or each
  neuron is measured in its standard deviation.
- **rejected by distance**: the rejected are ordered by how far outside all boxes of right inputs they lie, not by Gini.
"""
    ]
    for network, rows in found.items():
        head = ["clusters; region", "regions of a class", "rejected", "severe among rejected, %", "severe found, %"]
        lines = [
            [
                row["name"] + (" (the default)" if row["name"] == USUAL else ""),
                f"{row['regions']:.1f}",
                f"{row['rejected']:,}",
                *(f"{row[name]:.1f}" for name in ("severe rejected", "severe", "fdro", "wfdr", "sfdr")),
            ]
            for row in regions[network]
        ]
        parts.append(f"## {network}: {rows[0]['faults']:,} faults\n")
        parts.append(table([*head, "FDRO", "WFDR", "SFDR"], lines))
        parts.append("A fixed number of boxes by k-means, and boxes widened by a share of their width:\n")
        head = ["boxes, margin", "rejected", "uncertain", "accepted", "severe among rejected, %", "severe found, %"]
        lines = [
            [
                f"{row['boxes']}, {row['margin']:g}",
                *(f"{row[name]:,}" for name in ("rejected", "uncertain", "accepted")),
                *(f"{row[name]:.1f}" for name in ("severe rejected", "severe", "fdro", "wfdr", "sfdr")),
            ]
            for row in rows
        ]
        parts.append(table([*head, "FDRO", "WFDR", "SFDR"], lines))
    parts.append(_why(found, regions))
    return "\n".join(parts)


def _why(found: dict[str, Lines], regions: dict[str, Lines]) -> str:
    said, best_wfdr, reach = [], [], []
    for network, rows in found.items():
        every = [
            {**row, "name": f"{row['boxes']} box{'' if row['boxes'] == 1 else 'es'}, margin {row['margin']:g}"}
            for row in rows
        ] + regions[network]
        most = max(every, key=lambda row: row["severe"])
        [usual] = [row for row in regions[network] if row["name"] == USUAL]
        said.append(
            f"- {network}: at most {most['severe']:.1f} % of the severe faults are found ({most['name']}; WFDR "
            f"{most['wfdr']:.1f}), {usual['severe']:.1f} % with the default (WFDR {usual['wfdr']:.1f}), which rejects "
            f"{usual['rejected'] / rows[0]['faults']:.1f} inputs for each fault."
        )
        most = max(every, key=lambda row: row["wfdr"])
        best_wfdr.append(f"{usual['wfdr']:.1f} and {most['wfdr']:.1f} ({most['name']}) on {network}")
        if max(row["severe"] for row in every) >= PUBLISHED[0]:
            reach.append(network)
    return f"""## Why

{chr(10).join(said)}

Two things work against each other. Small regions leave more severe faults outside, but many right inputs with them; as soon
as more are rejected than labels are given, Gini impurity decides among the rejected, and it puts the severe ones last.
Wide regions reject few, so all rejected are reached, but most severe faults lie inside a region of right inputs: the last
hidden layer takes them for what the network says they are. How the training inputs are clustered, into {COUNT} by four
methods or by tau, changes that little, and a ball instead of a box does not change it either. The published share is reached
on {", ".join(reach) or "none"} only. The published networks have last layers of 512 and more neurons, in which an input is
outside a box in some neuron more easily; whether that is the reason cannot be determined without them.

WFDR of the default, and the best one: {"; ".join(best_wfdr)}. No setting is better on all three, so the one that follows the
authors' text stays the default.
"""


if __name__ == "__main__":
    write(STUDIES)
