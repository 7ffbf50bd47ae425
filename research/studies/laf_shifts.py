"""What the nine models of the letters predict under shift, and how well they are ranked there with labels and without."""

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.label_free import (
    agreement_on_the_line,
    dawid_skene,
    mean_confidence,
    one_coin,
    soft_votes,
)
from research.studies.measured_once import measured_once
from testimate.comparison.predictions import Predictions
from testimate.comparison.ranking import (
    FIRST,
    accuracies,
    ces_rows,
    labeling_free,
    majority_agreement,
    mean_correlation,
    rank_agreement,
    rows_to_label,
)
from testimate.demos.comparison_models import FILE, NINE
from testimate.demos.glyphs import DEFAULT_LEVEL, LETTERS, network_of, operational, weights_in
from testimate.subjects.shifts import SEVERITIES, shifted

COUNT = 1_000
"""Letters of each set, the first ones of the demo's."""

CORRUPTIONS = ("gaussian-noise", "defocus-blur", "fog", "contrast", "jpeg")
"""One or two of each kind of the fifteen: noise, blur, weather, digital."""

SHOWN_LEVELS = (40, DEFAULT_LEVEL, 80, 90, 100)
"""Of the shift dial, in percent."""

SETS = (
    *(f"level {level / 100:.2f}" for level in SHOWN_LEVELS),
    *(f"{name} {k}" for name in CORRUPTIONS for k in SEVERITIES),
)
USUAL = f"level {DEFAULT_LEVEL / 100:.2f}"

WITHOUT = ("laf", "majority", "one-coin", "dawid-skene", "soft votes", "soft dawid-skene", "mean confidence")
KNOWN_BEFORE = ("accuracy before", "agreement on the line")
"""They need each model's accuracy on the unshifted letters."""

WITH = ("sds", "ces", "ces, best by the truth", "random")
BUDGETS = tuple(range(len(NINE), 181, 5))
REPETITIONS, BEST_REPETITIONS = 20, 3
BATCH, SEED = 250, 1
MEASURES = ("spearman", "kendall", *(f"jaccard@{k}" for k in FIRST[:3]))


def outputs(name: str, folder: Path) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Probabilities (M, N, C) of the nine models on a set, and the true letters (N,)."""
    file = folder / f"{name.replace(' ', '-')}.npz"
    if not file.exists():
        pictures, letters = _pictures(name)
        chances = np.stack([_run(place, pictures) for place in range(len(NINE))])
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(file, chances=chances.astype(np.float32), letters=letters)
        print(name, np.round((chances.argmax(axis=2) == letters).mean(axis=1), 3), flush=True)
    kept = np.load(file)
    return kept["chances"].astype(np.float64), kept["letters"].astype(np.intp)


def _pictures(name: str) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    kind, _, degree = name.rpartition(" ")
    level = round(100 * float(degree)) if kind == "level" else DEFAULT_LEVEL
    drawn, letters = _letters(level)
    if kind == "level":
        return drawn, letters
    return 255 - shifted(255 - drawn, kind, int(degree), seed=SEED), letters  # as they are shown, dark on white


@cache
def _letters(level: int) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    glyphs = operational(level)
    return glyphs.drawn(np.arange(COUNT)), glyphs.letters[:COUNT]


def _run(place: int, pictures: NDArray[np.uint8]) -> NDArray[np.float64]:
    start = f"{place}."
    own = {key.removeprefix(start): weight for key, weight in weights_in(FILE).items() if key.startswith(start)}
    network = network_of(own, NINE[place].architecture, start)
    role = network.roles["logits"]
    parts = (pictures[top : top + BATCH, None].astype(np.float32) / 255 for top in range(0, len(pictures), BATCH))
    logits = np.concatenate([network.run(part, [role])[role] for part in parts]).astype(np.float64)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return chances


def measured(name: str, folder: Path) -> dict[str, Any]:
    """The set's accuracies, and the measures of every ranking: {"accuracy": (M,), "without": ..., "with": ...}."""
    found: dict[str, Any] = measured_once(folder / f"{name.replace(' ', '-')}.json", partial(_measured, name, folder))
    return found


def _measured(name: str, folder: Path) -> dict[str, Any]:
    chances, letters = outputs(name, folder)
    usual, before = outputs(USUAL, folder)
    predictions = Predictions(tuple(model.name for model in NINE), chances.argmax(axis=2).T, tuple(LETTERS))
    accuracy = accuracies(predictions, letters)
    earlier = (usual.argmax(axis=2) == before).mean(axis=1)
    hard = np.eye(len(LETTERS))[chances.argmax(axis=2)]
    scores = {
        "laf": labeling_free(predictions).ability,
        "majority": majority_agreement(predictions),
        "one-coin": one_coin(hard),
        "dawid-skene": dawid_skene(hard),
        "soft votes": soft_votes(chances),
        "soft dawid-skene": dawid_skene(chances),
        "mean confidence": mean_confidence(chances),
        "accuracy before": earlier,
        "agreement on the line": agreement_on_the_line(chances.argmax(axis=2), usual.argmax(axis=2), earlier),
    }
    right = chances.argmax(axis=2) == letters  # (M, N)
    most_wrong = right.mean(axis=0) < 0.5
    return {
        "accuracy": accuracy.tolist(),
        "alone": (right & most_wrong).mean(axis=1).tolist(),
        "scores": {ranking: score.tolist() for ranking, score in scores.items()},
        "without": {ranking: _measures(score, accuracy) for ranking, score in scores.items()},
        "with": {ranking: _campaigns(predictions, letters, ranking) for ranking in WITH},
    }


def _campaigns(predictions: Predictions, truth: NDArray[np.intp], technique: str) -> list[float]:
    """Mean measures over budgets and repetitions."""
    accuracy, found = accuracies(predictions, truth), []
    best = technique.startswith("ces,")
    for seed in range(BEST_REPETITIONS if best else REPETITIONS):
        if best:
            samples = [ces_rows(predictions, model, BUDGETS[-1], seed) for model in range(len(predictions.models))]
            rows = max(samples, key=lambda chosen: mean_correlation(predictions, truth, chosen))
        else:
            rows = rows_to_label(predictions, technique, BUDGETS[-1], seed)
        found += [_measures(accuracies(predictions, truth, rows[:budget]), accuracy) for budget in BUDGETS]
    return [float(mean) for mean in np.mean(found, axis=0)]


def _measures(score: NDArray[np.float64], accuracy: NDArray[np.float64]) -> list[float]:
    agreement = rank_agreement(score, accuracy)
    return [agreement.spearman or 0.0, agreement.kendall or 0.0, *(agreement.jaccard[k] for k in FIRST[:3])]


def all_sets(folder: Path) -> dict[str, dict[str, Any]]:
    """Every set; what is kept in the folder is not run again."""
    return {name: measured(name, folder) for name in SETS}


if __name__ == "__main__":
    from research.studies.study_subjects import kept_folder

    all_sets(kept_folder() / "laf_shifts")
