"""The PACE authors' networks over MNIST, and inputs attacked through a network's gradients, run once and kept as arrays."""

import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.datasets.preprocessing import Preprocessing
from testimate.feature_cache import FeatureCache
from testimate.models.description import ModelDescription
from testimate.planning.known_inputs import known_inputs
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject
from testimate.tasks.classification import Classification

NETWORKS = ("LeNet-1", "LeNet-5", "mutant1")
SURPRISED = ("LeNet-5", "mutant1")  # those of the paper's Table 12
ATTACKS = ("BIM", "FGSM")
LAST = "BIM, attacked last"  # the same inputs, the attacked ones at the end of the file
ATTACKED = "LeNet-5"
ROLES = ("LHL", "FL", "ORI", "CON")
KEPT = 5000  # original inputs among the attacked ones, which are as many (section 4.1)
EPSILON, STEPS = 0.3, 10  # largest change of a pixel, of a range of 1; steps of the iterated attack
SEED = 2026
TEST = 10_000


def make(data: Path, folder: Path) -> None:
    """Runs the networks and the attacks, where that is not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NETWORKS:
        if not (folder / name).is_dir():
            auxiliary = ("dsa", "lsa") if name in SURPRISED else ()
            _write(folder / name, data / "pace" / f"{name}.h5", data / "mnist" / "mnist.npz", ROLES, auxiliary)
    for attack in ATTACKS:
        if not (folder / attack).is_dir():
            file = folder / f"{attack}.npz"
            pictures, labels = attacked(data, attack)
            np.savez(file, x_test=pictures, y_test=labels)
            _write(folder / attack, data / "pace" / f"{ATTACKED}.h5", file, ("LHL", "CON"), ())


def _write(target: Path, model: Path, dataset: Path, roles: tuple[str, ...], auxiliary: tuple[str, ...]) -> None:
    """What the model says about the data, by testimate's own reading of both, as arrays in a folder of its own."""
    part, kept = target.with_suffix(".part"), target.with_suffix(".cache")
    for one in (part, kept):
        shutil.rmtree(one, ignore_errors=True)
    part.mkdir(parents=True)
    description = SubjectDescription(ModelDescription(model), dataset, preprocessing=Preprocessing(scale=1 / 255))
    subject = open_uploaded_subject(description).subject
    inputs = known_inputs(subject, FeatureCache(kept), roles=roles, auxiliary=auxiliary)
    for role in roles:
        np.save(part / f"{role}.npy", inputs.feature(role))
    assert inputs.truth is not None
    np.save(part / "truth.npy", inputs.truth)
    for name in ("confidence", *auxiliary):
        np.save(part / f"score_{name}.npy", inputs.score(name))
    part.rename(target)
    shutil.rmtree(kept)
    print(f"{target.name}: accuracy {1 - _losses(inputs).mean():.4f}", flush=True)


def _losses(inputs: Inputs) -> NDArray[np.float64]:
    assert inputs.losses is not None
    return inputs.losses


@cache
def subject(folder: Path, name: str) -> Inputs:
    """A network's 10,000 inputs, or those under attack in random order, with everything known of them."""
    place = folder / name.split(",")[0]
    features = {
        role: np.load(place / f"{role}.npy", mmap_mode="r") for role in ROLES if (place / f"{role}.npy").exists()
    }
    scores = {file.stem.removeprefix("score_"): np.load(file) for file in sorted(place.glob("score_*.npy"))}
    truth = np.load(place / "truth.npy")
    if name in ATTACKS:
        order = np.random.default_rng(SEED).permutation(TEST)
        features = {role: values[order] for role, values in features.items()}
        scores = {one: values[order] for one, values in scores.items()}
        truth = truth[order]
    probabilities = np.asarray(features["CON"], dtype=np.float64)
    predictions = probabilities.argmax(axis=1)
    return Inputs(
        fingerprint=name,
        task=Classification(classes=tuple(map(str, range(10)))),
        predictions=predictions,
        confidence=1 - scores["confidence"],
        probabilities=probabilities,
        scores=scores,
        features=features,
        truth=truth,
        losses=(predictions != truth).astype(np.float64),
    )


def top_losses(inputs: Inputs, count: int) -> NDArray[np.float64]:
    """1 where the true class is not among the ``count`` most probable, (N,)."""
    assert inputs.probabilities is not None
    assert inputs.truth is not None
    first = np.argsort(-inputs.probabilities, axis=1, kind="stable")[:, :count]
    return np.asarray(1.0 - (first == inputs.truth[:, None]).any(axis=1), dtype=np.float64)


def attacked(data: Path, attack: str) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Half original test images, half others changed by the attack, (10,000, 28, 28), and their labels.

    FGSM: one step of EPSILON along the sign of the loss's gradient (Goodfellow et al. 2015). BIM: STEPS steps of
    EPSILON / STEPS (Kurakin et al. 2017); the largest change is the same. Rounded to grey levels, as a file of pictures holds
    them. Which images are kept is drawn at random.
    """
    with np.load(data / "mnist" / "mnist.npz") as mnist:
        pictures, labels = mnist["x_test"], mnist["y_test"]
    rows = np.random.default_rng(SEED).permutation(TEST)
    kept, changed = np.sort(rows[:KEPT]), np.sort(rows[KEPT:])
    steps = STEPS if attack == "BIM" else 1
    moved = _moved(data / "pace" / f"{ATTACKED}.h5", pictures[changed] / 255.0, labels[changed], steps)
    return (
        np.concatenate([pictures[kept], np.rint(255 * moved).astype(np.uint8)]),
        np.concatenate([labels[kept], labels[changed]]),
    )


def _moved(model: Path, pictures: NDArray[np.float64], labels: NDArray[Any], steps: int) -> NDArray[np.float32]:
    """The pictures, 0..1, after that many steps up the loss of their true class."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import tensorflow as tf

    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(SEED)
    network = keras.models.load_model(model, compile=False)
    parts = []
    for top in range(0, len(pictures), 500):
        start = tf.constant(pictures[top : top + 500, :, :, None], dtype=tf.float32)
        truth, now = tf.one_hot(labels[top : top + 500], 10), start
        for _ in range(steps):
            with tf.GradientTape() as tape:
                tape.watch(now)
                loss = keras.losses.categorical_crossentropy(truth, network(now))
            now = now + EPSILON / steps * tf.sign(tape.gradient(loss, now))
            now = tf.clip_by_value(tf.clip_by_value(now, start - EPSILON, start + EPSILON), 0.0, 1.0)
        parts.append(now.numpy()[..., 0])
    return np.concatenate(parts)
