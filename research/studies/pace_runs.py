"""The runs behind the page on PACE: its networks over MNIST and attacked inputs, and the errors of techniques on them."""

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Stratified
from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.core.selector import Request
from testimate.datasets.preprocessing import Preprocessing
from testimate.feature_cache import FeatureCache
from testimate.models.description import ModelDescription
from testimate.planning.build import build
from testimate.planning.known_inputs import known_inputs
from testimate.selectors.pace import PUBLISHED_COMPONENTS
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
    EPSILON / STEPS (Kurakin et al. 2017); the largest change is the same. Rounded to gray levels, as a file of pictures holds
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
