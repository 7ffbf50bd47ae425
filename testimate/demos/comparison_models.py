"""The models of different quality that a comparison of a demo ranks, without a download: nine for letters, ten for digits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.progress import Progress, silent
from testimate.core.words import commas
from testimate.demos.digits import bundled_digits, split_rows
from testimate.demos.glyphs import DEFAULT_LEVEL, Glyphs, network_of, operational, shipped, weights_in
from testimate.subjects.shifts import shifted

FILE = "nine.safetensors"
BATCH = 250
"""Pictures at a time: few enough for the processor's cache, which makes it twice as fast."""

SHIFT_SEED = 1
"""Of the demo's shifts, so that what is shown is what the models saw."""


@dataclass(frozen=True)
class GlyphModel:
    """One of the nine; ``trained`` : how, for people. ``planted`` : what is wrong with it on purpose, "" if nothing."""

    name: str
    architecture: str
    trained: str
    planted: str = ""


NINE = (
    GlyphModel("LeNet-5, ten typefaces", "lenet-5", f"{commas(20_000)} letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-5, six typefaces", "lenet-5", f"{commas(20_000)} letters in six typefaces at shift 0.70"),
    GlyphModel("LeNet-1, ten typefaces", "lenet-1", f"{commas(20_000)} letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-1, tanh", "lenet-1-tanh", "the same letters, with tanh and average pooling"),
    GlyphModel("LeNet-1, few letters", "lenet-1", f"{commas(4_000)} letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-1, clean print", "lenet-1", f"{commas(20_000)} letters in ten typefaces at shift 0.45"),
    GlyphModel("LeNet-1, heavy noise", "lenet-1", f"{commas(20_000)} letters in ten typefaces at shift 1.00"),
    GlyphModel(
        "LeNet-1, another team's", "lenet-1", f"{commas(20_000)} letters, every P labeled as B", "P learned as B"
    ),
    GlyphModel(
        "LeNet-1, labeled in a hurry",
        "lenet-1",
        f"{commas(5_000)} letters, 45% of them labeled at random",
        "noisy labels",
    ),
)
"""In the order of their weights. Two names hide what is wrong; a tester finds it where the models disagree."""


def glyph_predictions(
    level: int = DEFAULT_LEVEL, progress: Progress = silent
) -> tuple[Mapping[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the demo's letters at that level, by name, and the true letters; (N,) places each."""
    said = {model.name: glyph_outputs(model.name, level)[0] for model in shown_progress(NINE, progress)}
    return said, _letters(level).letters


@lru_cache(maxsize=1)
def _letters(level: int) -> Glyphs:
    """The demo's letters at that level, drawn once for all nine."""
    return operational(level)


def shown_progress(models: Sequence[GlyphModel], progress: Progress) -> Iterator[GlyphModel]:
    """The models one after another."""
    for place, model in enumerate(models):
        progress(place, len(models), "running the models")
        yield model
    progress(len(models), len(models), "running the models")


def glyph_outputs(name: str, level: int = DEFAULT_LEVEL) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """What one of the nine predicts for the demo's letters, and how sure it is of that; (N,) each."""
    return _outputs(name, level)


@lru_cache(maxsize=len(NINE))
def _outputs(name: str, level: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    place = [model.name for model in NINE].index(name)
    start, letters = f"{place}.", _letters(level)
    own = {key.removeprefix(start): weight for key, weight in weights_in(FILE).items() if key.startswith(start)}
    network = network_of(own, NINE[place].architecture, f"{fingerprint.of_bytes(shipped(FILE))}-{place}")
    role = network.roles["logits"]
    logits = np.concatenate(
        [
            network.run(letters.images[first : first + BATCH, None].astype(np.float32) / 255, [role])[role]
            for first in range(0, len(letters.images), BATCH)
        ]
    ).astype(np.float64)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return logits.argmax(axis=1), 1 / raised.sum(axis=1)


def digits_predictions(
    progress: Progress = silent, *, shift: tuple[str, int] | None = None
) -> tuple[Mapping[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the demo's 1,497 operational inputs, by name, and the true digits; (N,) each.

    ``shift`` : name and severity of a shift of the pictures, as they are shown, before the models see them.

    scikit-learn's, trained on the demo's 300 training digits or on a part of them; seeded, about two seconds.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    images, digits = bundled_digits()
    training, operational = split_rows(len(images))
    pixels = images.reshape(len(images), -1).astype(np.float64)
    asked = pixels[operational]
    if shift is not None:
        pictures = np.rint(255 * (1 - images[operational])).astype(np.uint8)
        asked = 1 - shifted(pictures, *shift, seed=SHIFT_SEED).reshape(len(asked), -1) / 255
    models = {
        "support vectors": (SVC(C=10, gamma=0.1), 300),
        "nearest neighbor": (KNeighborsClassifier(1), 300),
        "random forest": (RandomForestClassifier(60, random_state=0), 300),
        "logistic regression": (LogisticRegression(max_iter=2000), 300),
        "linear discriminants": (LinearDiscriminantAnalysis(shrinkage="auto", solver="lsqr"), 300),
        "15 nearest neighbors": (KNeighborsClassifier(15), 300),
        "logistic, 100 digits": (LogisticRegression(max_iter=2000), 100),
        "naive Bayes": (GaussianNB(var_smoothing=1e-2), 300),
        "decision tree": (DecisionTreeClassifier(random_state=0), 300),
        "tree, 60 digits": (DecisionTreeClassifier(max_depth=5, random_state=0), 60),
    }
    found = {}
    for done, (name, (model, count)) in enumerate(models.items()):
        progress(done, len(models), "training the models")
        rows = training[:count]
        found[name] = model.fit(pixels[rows], digits[rows]).predict(asked).astype(np.intp)
    return found, digits[operational]
