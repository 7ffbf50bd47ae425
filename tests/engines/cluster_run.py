"""Works on the cluster that RAY_ADDRESS names, and says line by line how far it is; a test kills machines meanwhile."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary.surprise import dsa, lsa
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.progress import OnBlocks
from testimate.datasets.open import open_dataset_file
from testimate.engines.crew import OnCluster
from testimate.feature_cache import FeatureCache
from testimate.feature_cache.ray_engine import RayEngine
from testimate.structure.rbf_kernel import mean_kernel
from testimate.studies.study import study
from testimate.tasks.classification import Classification
from tests.feature_cache.slow_run import INPUTS, Layers, subject_of

ROLES = ("ORI", "FL", "LHL", "CON")

BATCH = 16


def features(folder: Path) -> None:
    """Fills ``folder/ray`` on the cluster, by a model that takes its time, so that there is a middle of a run."""
    engine = RayEngine(partial(say, "told"), least_patience=4.0)
    unhurried = subject_of(partial(Layers, seconds=0.15))
    FeatureCache(folder / "ray").outputs(unhurried, roles=ROLES, engine=engine, progress=far, batch_size=BATCH)


def hidden(folder: Path) -> None:
    """Fills ``folder/project/ray`` from a file of numbers, both of which a machine may not see, and ``folder/local`` here."""
    file = folder / "data" / "rows.npy"
    file.parent.mkdir()
    np.save(file, INPUTS)
    dataset = open_dataset_file(file).dataset
    engine = RayEngine(partial(say, "told"))
    unhurried = replace(subject_of(partial(Layers, seconds=0.05)), dataset=dataset)
    FeatureCache(folder / "project" / "ray").outputs(unhurried, roles=ROLES, engine=engine, batch_size=BATCH)
    at_once = replace(unhurried, open_model=Layers)
    FeatureCache(folder / "local").outputs(at_once, roles=ROLES, batch_size=BATCH)


def here(folder: Path) -> None:
    """Fills ``folder/local`` on this computer."""
    FeatureCache(folder / "local").outputs(subject_of(Layers), roles=ROLES, batch_size=BATCH)


def numbers(folder: Path) -> None:
    """DSA, LSA, the kernel's means and a study, on the cluster and here: says of each whether both are the same."""
    rng = np.random.default_rng(7)
    known, learned = rng.normal(size=(3_000, 12)).astype(np.float32), rng.normal(size=(2_000, 12)).astype(np.float32)
    classes, their = (known[:, 0] > 0).astype(int), (learned[:, 0] > 0).astype(int)
    there = OnCluster(partial(say, "told"))

    def both(name: str, compute: Callable[[OnBlocks | None], NDArray[np.float64]]) -> None:
        say(name, compute(there).tobytes() == compute(None).tobytes())

    def given(on: OnBlocks | None) -> dict[str, OnBlocks]:
        return {} if on is None else {"on_blocks": on}

    both("dsa", lambda on: dsa(known, classes, learned, their, **given(on)))
    both("lsa", lambda on: lsa(known, classes, learned, their, **given(on)))
    both("kernel", lambda on: mean_kernel(known, gamma=0.1, **given(on)))
    confidence = rng.beta(8, 2, size=3_000)
    losses = (rng.random(3_000) > confidence).astype(float)
    predictions = classes.astype(np.intp)
    inputs = Inputs(
        "f" * 32,
        Classification(("a", "b")),
        predictions,
        confidence,
        scores={"confidence": 1 - confidence},
        truth=np.where(losses > 0, 1 - predictions, predictions),
        losses=losses,
    )
    asked = {"techniques": ["srs", "rrs", "rra"], "budgets": [50, 100], "repetitions": 60, "seed": 3}
    rows = [
        [{**row.to_json(), "seconds": None} for row in study(inputs, **asked, engine=engine, tell=partial(say, "told"))]
        for engine in ("ray", "local")
    ]
    say("study", json.dumps(rows[0]) == json.dumps(rows[1]))


def far(done: int, total: int, what: str = "") -> None:
    say("done", done, "of", total)


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        {"features": features, "hidden": hidden, "here": here, "numbers": numbers}[sys.argv[1]](Path(sys.argv[2]))
    except TestimateError as error:
        say("refused", error)
    say("end", os.getpid())
