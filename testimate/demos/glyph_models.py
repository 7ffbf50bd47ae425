"""Nine models that read the demo's letters, two of them with a planted fault, for a comparison that needs no download."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.progress import Progress, silent
from testimate.demos.glyphs import DEFAULT_LEVEL, network_of, operational, shipped, weights_in

FILE = "nine.safetensors"
BATCH = 250
"""Pictures at a time: few enough for the processor's cache, which makes it twice as fast."""


@dataclass(frozen=True)
class GlyphModel:
    """One of the nine; ``trained`` : how, for people. ``planted`` : what is wrong with it on purpose, "" if nothing."""

    name: str
    architecture: str
    trained: str
    planted: str = ""


NINE = (
    GlyphModel("LeNet-5, ten typefaces", "lenet-5", "20,000 letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-5, six typefaces", "lenet-5", "20,000 letters in six typefaces at shift 0.70"),
    GlyphModel("LeNet-1, ten typefaces", "lenet-1", "20,000 letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-1, tanh", "lenet-1-tanh", "the same letters, with tanh and average pooling"),
    GlyphModel("LeNet-1, few letters", "lenet-1", "4,000 letters in ten typefaces at shift 0.70"),
    GlyphModel("LeNet-1, clean print", "lenet-1", "20,000 letters in ten typefaces at shift 0.45"),
    GlyphModel("LeNet-1, heavy noise", "lenet-1", "20,000 letters in ten typefaces at shift 1.00"),
    GlyphModel("LeNet-1, another team's", "lenet-1", "20,000 letters, every P labeled as B", "P learned as B"),
    GlyphModel(
        "LeNet-1, labeled in a hurry", "lenet-1", "5,000 letters, 45 % of them labeled at random", "noisy labels"
    ),
)
"""In the order of their weights. Two names hide what is wrong; a tester finds it where the models disagree."""


def glyph_predictions(
    level: int = DEFAULT_LEVEL, progress: Progress = silent
) -> tuple[Mapping[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the demo's letters at that level, by name, and the true letters; (N,) places each."""
    glyphs, weights = operational(level), weights_in(FILE)
    digest = fingerprint.of_bytes(shipped(FILE))
    found = {}
    for place, model in enumerate(NINE):
        progress(place, len(NINE), "running the models")
        start = f"{place}."
        own = {name.removeprefix(start): weight for name, weight in weights.items() if name.startswith(start)}
        network = network_of(own, model.architecture, f"{digest}-{place}")
        role = network.roles["logits"]
        said = [
            network.run(glyphs.images[first : first + BATCH, None].astype(np.float32) / 255, [role])[role].argmax(
                axis=1
            )
            for first in range(0, len(glyphs.images), BATCH)
        ]
        found[model.name] = np.concatenate(said)
    progress(len(NINE), len(NINE), "running the models")
    return found, glyphs.letters
