"""The subjects of the study pages, where their data lies and where numbers are kept."""

import os
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.studies.lenets import lenet
from testimate.core.inputs import Inputs
from testimate.planning.known_inputs import inputs_of_table

STUDIES = Path(__file__).resolve().parents[2] / "docs" / "studies"
"""Where the pages are."""

FILES = {
    "D": "deepsample/modelD_final.csv.gz",
    "G": "deepsample/modelG_final.csv.gz",
    "CN12": "deepest/CN12_CIFAR10.csv.gz",
    "DO": "deepsample/Dave_orig.csv.gz",
}
DEGREES = 25  # of the steering wheel, per unit of subject DO
TOLERANCE = 12.5 / DEGREES  # DeepSample, section 5.3.2


def data_folder() -> Path:
    """The folder of real data; TESTIMATE_DATA names it."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("TESTIMATE_DATA", default))
    if not folder.is_dir():
        raise SystemExit(f"The real data is not at {folder}; set TESTIMATE_DATA to the folder that holds it.")
    return folder


def kept_folder() -> Path:
    """Where the numbers are kept between runs; TESTIMATE_STUDIES names it."""
    default = Path(__file__).resolve().parents[2] / ".studies"
    folder = Path(os.environ.get("TESTIMATE_STUDIES", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def inputs_of(subject: str) -> Inputs:
    """The subject's inputs with their truth; "LeNet-5 with blur" has half its inputs changed."""
    if subject in FILES:
        return inputs_of_table(data_folder() / FILES[subject], tolerance=TOLERANCE if subject == "DO" else None)
    model, _, shift = subject.partition(" with ")
    return lenet(kept_folder(), model, shift or None)


def losses_of(subject: str) -> NDArray[np.float64]:
    """The true losses, (N,)."""
    losses = inputs_of(subject).losses
    assert losses is not None
    return losses
