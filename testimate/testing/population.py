"""A small population whose truth is known, and how a technique is built and run on it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import InputGroups, groups_of
from testimate.core.selector import Selector


def make_population(size: int, seed: int) -> SimpleNamespace:
    """Inputs with chances of failure, failures drawn from them, squared errors and features in three clouds."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 1.5, size)
    chances[: size // 10] = 0.0  # a confidence of exactly 1, although some of these inputs fail
    failures = (rng.random(size) < np.maximum(chances, 0.03)).astype(np.float64)
    cloud = rng.integers(3, size=size)
    features = rng.normal(size=(size, 4)) + 12.0 * np.eye(4)[cloud]
    stray = rng.random(size) < 0.1
    features[stray] = rng.uniform(-15, 25, (int(stray.sum()), 4))
    squared_errors = (0.2 + chances) * rng.gamma(1.0, 0.3, size)
    training_scores = rng.beta(0.5, 1.5, 2 * size)
    codes = np.unique(np.random.default_rng(seed).integers(size // 5, size=size), return_inverse=True)[1]
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
        groups=InputGroups(codes.astype(np.intp), tuple(f"patient {code}" for code in range(codes.max() + 1))),
    )


def build_on(technique: Any, inputs: SimpleNamespace, budget: Any, seed: Any, **settings: Any) -> Selector:
    """The technique built on these inputs, with everything it needs taken from them."""
    size = len(inputs.scores)
    classes = getattr(inputs, "classes", np.zeros(size, dtype=np.intp))
    known = {
        "size": inputs.size,
        "scores": inputs.scores,
        "scores_are_chances": getattr(inputs, "scores_are_chances", True),
        "features": inputs.features,
        "training_scores": getattr(inputs, "training_scores", None),
        "training_losses": getattr(inputs, "training_losses", None),
        **dict.fromkeys(("doubt", "gini", "entropy", "margin", "dsa", "lsa"), inputs.scores),
        **dict.fromkeys(("disagreement", "votes"), inputs.scores),
        "confidence": 1 - np.clip(inputs.scores, 0, 1),
        "predictions": classes,
        "classes": classes,
        "training_features": getattr(inputs, "training_features", inputs.features),
        "training_classes": getattr(inputs, "training_classes", classes),
    }
    if "groups" in technique.needs:  # slow to make, and few techniques use them
        known["groups"] = getattr(inputs, "groups", None) or groups_of([""] * size)
    selector: Selector = technique(
        **{need: known[need] for need in technique.needs}, budget=budget, seed=seed, **settings
    )
    return selector


def run_campaign(selector: Selector, losses: NDArray[np.float64], chunk: int = 10**6) -> list[Draw]:
    """Draws the whole budget in chunks, and tells the verdicts of each chunk before asking for the next."""
    draws: list[Draw] = []
    while selector.remaining:
        asked = list(selector.ask(chunk))
        if not asked:
            raise AssertionError("The technique neither draws nor has drawn all, though it knows every verdict.")
        strangers = [draw.row for draw in asked if draw.row >= len(losses)]
        if strangers:
            raise AssertionError(f"A row that does not exist is drawn: {strangers[0]} of {len(losses)}.")
        selector.tell([Verdict(draw, float(losses[draw.row])) for draw in asked])
        draws += asked
    return draws
