"""The subjects of the study pages, the LeNets over MNIST among them: where their data lies and where numbers are kept."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from testimate.core.inputs import Inputs
from testimate.feature_cache import FeatureCache
from testimate.models.description import ModelDescription
from testimate.planning.known_inputs import inputs_of_table, known_inputs
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject
from testimate.tasks.classification import Classification

MODELS = ("LeNet-1", "LeNet-5")
KEPT = 5000  # of the 10,000 test images stay as they are, as in SSOA, section 6.5
SEED = 2026

Pictures = NDArray[np.float64]  # (N, 28, 28), 0..255


def noisy(pictures: Pictures) -> Pictures:
    """Gaussian noise of a standard deviation of 90 gray levels."""
    return pictures + np.random.default_rng(SEED).normal(0, 90, pictures.shape)


def turned(pictures: Pictures) -> Pictures:
    """Turned by 30 degrees."""
    return np.asarray(ndimage.rotate(pictures, 30, axes=(2, 1), reshape=False, order=1))


def brighter(pictures: Pictures) -> Pictures:
    """120 gray levels brighter."""
    return pictures + 120


def blurred(pictures: Pictures) -> Pictures:
    """Gaussian blur of 1.7 pixels."""
    return np.asarray(ndimage.gaussian_filter(pictures, (0, 1.7, 1.7)))


SHIFTS: dict[str, Callable[[Pictures], Pictures]] = {
    "noise": noisy,
    "rotation": turned,
    "brightness": brighter,
    "blur": blurred,
}


def make(data: Path, folder: Path) -> None:
    """Runs each model over the training, test and shifted images, where that is not in the folder yet."""
    with np.load(data / "mnist" / "mnist.npz") as mnist:
        test, training = (mnist["x_test"], mnist["y_test"]), (mnist["x_train"], mnist["y_train"])
    to_shift = test[0][KEPT:].astype(np.float64)
    shifted = np.concatenate([np.clip(change(to_shift), 0, 255).astype(np.uint8) for change in SHIFTS.values()])
    sets = {
        "training": training,
        "test": test,
        "shifted": (shifted, np.tile(test[1][KEPT:], len(SHIFTS))),
    }
    for model in MODELS:
        for name, (pictures, labels) in sets.items():
            file = folder / f"{model}_{name}.npz"
            if not file.exists():
                said = _said(data / "pace" / f"{model}.h5", pictures, labels, features=name == "test")
                np.savez(file.with_suffix(".part.npz"), **said)
                file.with_suffix(".part.npz").rename(file)
                print(
                    f"{model} over {len(labels):,} {name} images: accuracy {1 - said['losses'].mean():.4f}", flush=True
                )


def _said(model: Path, pictures: NDArray[Any], labels: NDArray[Any], *, features: bool) -> dict[str, Any]:
    """What the model says about the pictures, by testimate's own reading of both."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "pictures.npz"
        np.savez(file, x_test=pictures, y_test=labels)
        subject = open_uploaded_subject(SubjectDescription(ModelDescription(model), file)).subject
        inputs = known_inputs(subject, FeatureCache(Path(temporary) / "cache"), roles=("LHL",), auxiliary=())
        said: dict[str, Any] = {
            "predictions": inputs.predictions,
            "score": inputs.score("confidence"),
            "losses": inputs.losses,
        }
        if features:
            said["features"] = np.array(inputs.feature("LHL"))
        return said


@cache
def lenet(folder: Path, model: str, shift: str | None = None) -> Inputs:
    """The 10,000 test images of a model, with its training images; with ``shift`` half of them are changed by it."""
    arrays = _loaded(folder, model, "test")
    name = f"{model} on MNIST"
    features = {"LHL": arrays["features"]}
    if shift is not None:
        changed = _loaded(folder, model, "shifted")
        first = list(SHIFTS).index(shift) * (10_000 - KEPT)
        part = slice(first, first + 10_000 - KEPT)
        arrays = {
            key: np.concatenate([arrays[key][:KEPT], changed[key][part]]) for key in ("predictions", "score", "losses")
        }
        name, features = f"{name}, half with {shift}", {}
    training = _inputs(f"{name}, training", _loaded(folder, model, "training"), {}, None)
    return replace(_inputs(name, arrays, features, training), truth=_digits())


@cache
def _digits() -> NDArray[np.intp]:
    """What the test images are; a shifted one is what it was."""
    with np.load(data_folder() / "mnist" / "mnist.npz") as mnist:
        return np.asarray(mnist["y_test"], dtype=np.intp)


def _loaded(folder: Path, model: str, name: str) -> dict[str, NDArray[Any]]:
    with np.load(folder / f"{model}_{name}.npz") as file:
        return dict(file)


def _inputs(
    name: str, arrays: dict[str, NDArray[Any]], features: dict[str, NDArray[np.float32]], training: Inputs | None
) -> Inputs:
    return Inputs(
        fingerprint=name,
        task=Classification(classes=tuple(map(str, range(10)))),
        predictions=arrays["predictions"],
        confidence=1 - arrays["score"],
        scores={"confidence": arrays["score"]},
        features=features,
        losses=arrays["losses"],
        training=training,
    )


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
