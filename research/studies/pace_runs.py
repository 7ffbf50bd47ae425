"""The runs behind the page on PACE: errors of techniques on the networks over MNIST, each line's kept in a file of JSON."""

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.pace_subjects import ATTACKED, ATTACKS, LAST, NETWORKS, SURPRISED, subject, top_losses
from testimate.core.design import Stratified
from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.selectors.pace import PUBLISHED_COMPONENTS

BUDGETS = tuple(range(50, 181, 10))
LARGE = tuple(range(100, 1001, 100))
REPETITIONS = 50  # as the paper's
TOP = (1, 2, 3)  # the true class among so many of the most probable
ALPHAS = (0.5, 0.6, 0.7, 0.8, 0.9)
DIMENSIONS = (2, 4, 8, 16)
KINDS = ("fastica", "pca", "nmf", "fa")
FEATURES = ("CON", "LHL", "ORI", "LHL+ORI", "FL")
VARIANTS = ("pace", "pace-rand-g", "pace-rand-m", "pace-mmd", "pace-art")
BESIDE = ("srs", "ces", "css")
CONTINUED = ("srs", "ces", "css", "pace-mmd", "pace-art")  # a larger budget continues the list of a smaller one
STARTS = 20  # seeds of FastICA
BY_K_MEANS, FEW = "LeNet-1", 10  # where HDBSCAN leaves too much outside, and the runs of the variants that draw there


@dataclass(frozen=True)
class Line:
    """One technique with its settings on one subject."""

    subject: str
    technique: str
    features: str = "LHL"
    auxiliary: str = "confidence"
    variant: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    repetitions: int = 1
    budgets: tuple[int, ...] = BUDGETS

    @property
    def name(self) -> str:
        """Fit for a file."""
        words = [self.subject, self.technique, self.features, self.auxiliary, self.variant or "own"]
        words += [f"{key}={value}" for key, value in self.options]
        return "_".join([*words, str(self.repetitions), str(max(self.budgets))]).replace(" ", "-")


def published(name: str) -> tuple[tuple[str, Any], ...]:
    """The options of the published figures: FastICA by the list of models, no reduction of the others."""
    if name in PUBLISHED_COMPONENTS:
        return (("components", PUBLISHED_COMPONENTS[name]), ("reduction", "fastica"))
    return (("reduction", "none"),)


def forced(kind: str, dimensions: int = 2) -> tuple[tuple[str, Any], ...]:
    """The options that reduce whatever the paper's rule says."""
    return (("components", dimensions), ("reduction", kind))


def all_lines() -> list[Line]:
    """Everything the page needs."""
    lines = []
    for name in (*NETWORKS, *ATTACKS):
        lines += [Line(name, "pace"), as_published(name)]
        lines += [Line(name, technique, repetitions=REPETITIONS) for technique in BESIDE]
    lines += [Line(LAST, "pace"), as_published(LAST)]
    for name in NETWORKS:
        lines += [Line(name, "pace", budgets=LARGE), as_published(name, LARGE)]
        lines += [Line(name, technique, repetitions=REPETITIONS, budgets=LARGE) for technique in BESIDE]
        lines += [Line(name, "pace", options=(("alpha", alpha),)) for alpha in ALPHAS]
        lines += [Line(name, "pace", options=(("reduction", "none"),))]
        lines += [Line(name, "pace", options=forced("fastica", dimensions)) for dimensions in DIMENSIONS]
        lines += [Line(name, "pace", options=forced(kind)) for kind in KINDS]
    for name in SURPRISED:
        lines += [Line(name, "css", auxiliary=surprise, repetitions=REPETITIONS) for surprise in ("lsa", "dsa")]
    lines += [variant_of(technique, name) for name in reversed(NETWORKS) for technique in VARIANTS]
    lines += [Line(name, "pace", features=roles) for roles in FEATURES for name in NETWORKS]  # the widest come last
    return list(dict.fromkeys(lines))


def as_published(name: str, budgets: tuple[int, ...] = BUDGETS) -> Line:
    """PACE as its authors' program runs it; from several starts where FastICA, which they did not seed, has a say."""
    times = STARTS if name in PUBLISHED_COMPONENTS and budgets == BUDGETS else 1
    of = name if name in NETWORKS else ATTACKED
    return Line(name, "pace", variant="as published", options=published(of), repetitions=times, budgets=budgets)


def variant_of(technique: str, name: str) -> Line:
    """A variant on a network: 1 run of what chooses the same whatever the seed, fewer where each has a k-means of its own."""
    times = 1 if technique in ("pace", "pace-mmd") else REPETITIONS
    if technique.startswith("pace-rand") and name == BY_K_MEANS:
        times = FEW
    return Line(name, technique, repetitions=times)


def results_of(lines: Iterable[Line], folder: Path) -> dict[Line, dict[str, Any]]:
    """The result of each line; those whose file is in the folder are not run again."""
    wanted = list(lines)
    left = [line for line in wanted if not (folder / f"{line.name}.json").exists()]
    with ProcessPoolExecutor(cores()) as pool:
        futures = {pool.submit(run, line, folder): line for line in left}
        for number, future in enumerate(as_completed(futures), 1):
            file = folder / f"{futures[future].name}.json"
            file.with_suffix(".part").write_text(json.dumps(future.result()))
            file.with_suffix(".part").rename(file)
            print(f"{number} of {len(left)}: {file.stem}", flush=True)
    return {line: json.loads((folder / f"{line.name}.json").read_text()) for line in wanted}


def run(line: Line, folder: Path) -> dict[str, Any]:
    """Errors of the estimate, (TOP, repetitions, budgets), inputs chosen, (budgets,), and how the inputs were clustered."""
    inputs = subject(folder, line.subject)
    losses = np.stack([top_losses(inputs, count) for count in TOP])  # (TOP, N)
    truth = losses.mean(axis=1)
    errors = np.empty((len(TOP), line.repetitions, len(line.budgets)))
    chosen: list[int] = []
    found: Mapping[str, Any] = {}
    for repetition in range(line.repetitions):
        for place, (rows, weights, clustering) in enumerate(_campaigns(inputs, line, repetition)):
            errors[:, repetition, place] = truth - losses[:, rows] @ weights  # of accuracies: 1 - the losses'
            found = clustering
            if repetition == 0:
                chosen.append(len(rows))
    return {"errors": errors.tolist(), "chosen": chosen, **found}


def _campaigns(
    inputs: Inputs, line: Line, repetition: int
) -> Iterable[tuple[NDArray[np.intp], NDArray[np.float64], dict[str, Any]]]:
    """Rows, their weights in the estimate and facts, for each budget."""
    for budget in line.budgets:
        if line.technique not in CONTINUED or budget == line.budgets[0]:
            most = line.budgets[-1] if line.technique in CONTINUED else budget
            request = Request(
                line.technique, most, 1 + repetition, line.auxiliary, line.features, line.variant, dict(line.options)
            )
            selector = build(inputs, request)
            draws = selector.ask(inputs.predictions.size)
        part = draws[:budget] if line.technique in CONTINUED else draws
        rows = np.array([draw.row for draw in part])
        strata = np.array([draw.stratum for draw in part])
        weights = np.full(len(rows), 1 / len(rows))
        if isinstance(selector.design, Stratified):
            shares = np.array(selector.design.stratum_sizes) / selector.design.size
            weights = (shares / np.bincount(strata))[strata]
        yield rows, weights, _facts(selector)


def _facts(selector: Any) -> dict[str, Any]:
    groups = getattr(selector, "groups", None)
    if groups is None:
        return {}
    clustering = groups.clustering
    return {
        "clusters": clustering.count,
        "noise": clustering.noise_share,
        "largest": float(max(groups.sizes) / len(clustering.labels)),
        "reduced": bool(clustering.reduced),
        "groups": groups.name,
        "warning": selector.warning,
    }
