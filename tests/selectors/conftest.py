"""A small population whose truth is known, and how the tests of this folder build and run a technique on it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Selector
from testimate.selectors import SELECTORS

Run = Callable[..., list[Draw]]


def make_population(size: int, seed: int) -> SimpleNamespace:
    """Inputs with chances of failure, failures drawn from them, squared errors and features in three clouds."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 1.5, size)
    chances[: size // 10] = 0.0  # a confidence of exactly 1, and some of these inputs fail all the same
    failures = (rng.random(size) < np.maximum(chances, 0.03)).astype(np.float64)
    cloud = rng.integers(3, size=size)
    features = rng.normal(size=(size, 4)) + 12.0 * np.eye(4)[cloud]
    stray = rng.random(size) < 0.1
    features[stray] = rng.uniform(-15, 25, (int(stray.sum()), 4))
    squared_errors = (0.2 + chances) * rng.gamma(1.0, 0.3, size)
    training_scores = rng.beta(0.5, 1.5, 2 * size)
    return SimpleNamespace(
        size=size,
        scores=chances,
        failures=failures,
        squared_errors=squared_errors,
        features=features.astype(np.float32),
        training_scores=training_scores,
        training_losses=(rng.random(2 * size) < training_scores / 2).astype(np.float64),
        classes=cloud,
        training_features=np.repeat(features, 2, axis=0).astype(np.float32) + rng.normal(size=(2 * size, 4)),
        training_classes=np.repeat(cloud, 2),
    )


def known_scores(inputs: SimpleNamespace) -> dict[str, Any]:
    """What the prioritizers need: the scores in every role, and the inputs' classes."""
    size = len(inputs.scores)
    classes = getattr(inputs, "classes", np.zeros(size, dtype=np.intp))
    return {
        **dict.fromkeys(("doubt", "gini", "entropy", "margin", "dsa", "lsa"), inputs.scores),
        "confidence": 1 - np.clip(inputs.scores, 0, 1),
        "classes": classes,
        "training_features": getattr(inputs, "training_features", inputs.features),
        "training_classes": getattr(inputs, "training_classes", classes),
    }


@pytest.fixture(scope="session")
def population() -> SimpleNamespace:
    return make_population(300, seed=20)


def build_selector(name: str, inputs: SimpleNamespace, budget: int, seed: int, **settings: Any) -> Selector:
    """The technique built on these inputs, its needs filled from them."""
    technique: Any = SELECTORS[name]
    known = {
        "size": inputs.size,
        "scores": inputs.scores,
        "scores_are_chances": getattr(inputs, "scores_are_chances", True),
        "features": inputs.features,
        "training_scores": getattr(inputs, "training_scores", None),
        "training_losses": getattr(inputs, "training_losses", None),
        **known_scores(inputs),
    }
    selector: Selector = technique(
        **{need: known[need] for need in technique.needs}, budget=budget, seed=seed, **settings
    )
    return selector


def run_campaign(selector: Selector, losses: np.ndarray, chunk: int = 10**6) -> list[Draw]:
    """Every draw of the budget, asked in chunks, each chunk told before the next is asked."""
    draws: list[Draw] = []
    while selector.remaining:
        asked = list(selector.ask(chunk))
        assert asked, "the technique neither draws nor has drawn all, though every verdict was told"
        selector.tell([Verdict(draw, float(losses[draw.row])) for draw in asked])
        draws += asked
    return draws


@pytest.fixture(scope="session")
def build() -> Callable[..., Selector]:
    return build_selector


@pytest.fixture(scope="session")
def run() -> Run:
    return run_campaign


@pytest.fixture(scope="session")
def make() -> Callable[..., SimpleNamespace]:
    return make_population
