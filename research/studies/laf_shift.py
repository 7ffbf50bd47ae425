"""The page on LaF under shift: nine models of letters, ranked with labels and without, and when LaF is weak."""

from collections import Counter
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
from research.studies.page_text import measured_once, table, write_page
from research.studies.study_subjects import data_folder, kept_folder
from testimate.comparison.predictions import Predictions
from testimate.comparison.predictions_table import PredictionsTable, read_predictions
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


Sets = dict[str, dict[str, Any]]

RANKINGS = (*WITHOUT, *KNOWN_BEFORE, *WITH)
HIGH_QUALITY, HIGH_DIVERSITY = 0.50, 0.18
"""The paper's: mean accuracy of the models, and its standard deviation."""

GOOD = 0.7
"""The paper marks rankings whose correlation is lower."""


STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes laf-shift.md."""
    sets = all_sets(kept_folder() / "laf_shifts")
    mnist = read_predictions(data_folder() / "laf" / "mnist_test_predicted_labels.csv.gz", truth="label")
    write_page(here / "laf-shift.md", [_head(sets), _by_kind(sets), _quality(sets), _better(sets, mnist)])


def _head(sets: Sets) -> str:
    spread = [np.std(found["accuracy"]) for found in sets.values()]
    lowest, highest = min(sets, key=lambda name: np.mean(sets[name]["accuracy"])), USUAL
    return f"""# LaF under shift: nine models of letters

Made by `make study`; no number measured here is typed by hand. LaF's research questions 2 and 3; the first is on
[its own page](laf.md).

## The sets

Nine models of printed letters, which come with the program, predict the first {COUNT:,} letters of the demo: at
{len(SHOWN_LEVELS)} places of its shift dial, and under five corruptions ({", ".join(CORRUPTIONS)}) in five
degrees, {len(sets)} sets. The
models' mean accuracy goes from {100 * np.mean(sets[highest]["accuracy"]):.1f}% ({highest}, unshifted) to
{100 * np.mean(sets[lowest]["accuracy"]):.1f}% ({lowest}); its standard deviation over the models from
{100 * min(spread):.1f} to
{100 * max(spread):.1f} points. SDS, CES and random: means over {BUDGETS[0]} to {BUDGETS[-1]} labels and
{REPETITIONS} repetitions
({BEST_REPETITIONS} for "best by the truth"). Two of the models were trained on bad labels.
"""


def _mean(sets: Sets, names: list[str], ranking: str) -> NDArray[np.float64]:
    """Mean measures of a ranking over these sets."""
    kind = "with" if ranking in WITH else "without"
    means: NDArray[np.float64] = np.mean([sets[name][kind][ranking] for name in names], axis=0)
    return means


def _kinds(sets: Sets) -> dict[str, list[str]]:
    return {kind: [name for name in sets if name.rpartition(" ")[0] == kind] for kind in ("level", *CORRUPTIONS)}


def _by_kind(sets: Sets) -> str:
    shown = ("laf", "majority", *WITH)
    rows = []
    for kind, names in (*_kinds(sets).items(), ("all", list(sets))):
        means = {ranking: _mean(sets, names, ranking) for ranking in shown}
        rows.append([kind, str(len(names)), *(f"{means[one][0]:.2f} ({means[one][1]:.2f})" for one in shown)])
    rivals = ("sds", "ces", "random")
    best = {rival: sum(_one(sets, name, "laf") > _one(sets, name, rival) for name in sets) for rival in rivals}
    top = sum(_one(sets, name, "laf") > max(_one(sets, name, rival) for rival in rivals) for name in sets)
    every = [[ranking, *(f"{value:.2f}" for value in _mean(sets, list(sets), ranking))] for ranking in shown]
    beaten = ", ".join(f"{rival} in {count}" for rival, count in best.items())
    return f"""## RQ2: rankings under shift

Mean Spearman's correlation with the true order, Kendall's tau-b in brackets:

{table(["shift", "sets", *shown], rows)}
All sets:

{table(["ranking", *MEASURES], every)}
Under shift LaF without a label has a higher Spearman correlation than the mean of rankings with {BUDGETS[0]}
to {BUDGETS[-1]} labels in
{top} of {len(sets)} sets: higher than {beaten}. The paper: in 291 of 300 cases of MNIST-C and 289 of 300 of CIFAR-10-C.
"""


def _one(sets: Sets, name: str, ranking: str) -> float:
    return float(sets[name]["with" if ranking in WITH else "without"][ranking][0])


def _lost(found: dict[str, Any], ranking: str) -> float:
    """How much less accurate the ranking's first model is than the best, points."""
    accuracy, score = np.array(found["accuracy"]), np.array(found["scores"][ranking])
    return float(100 * (accuracy.max() - accuracy[score.argmax()]))


def _quality(sets: Sets) -> str:
    groups: dict[str, list[str]] = {}
    for name, found in sets.items():
        high = np.mean(found["accuracy"]) >= HIGH_QUALITY
        diverse = np.std(found["accuracy"]) >= HIGH_DIVERSITY
        key = f"{'above' if high else 'below'} 50%, {'above' if diverse else 'below'} 18 points"
        groups.setdefault(key, []).append(name)
    rows = []
    for key, names in sorted(groups.items()):
        ours = [_one(sets, name, "laf") for name in names]
        good = sum(one >= GOOD for one in ours)
        rows.append([key, str(len(names)), f"{np.mean(ours):.2f}", f"{min(ours):.2f}", f"{good} of {len(names)}"])
    best, first = _counted(sets, "accuracy"), _counted(sets, "laf")
    usual = sets[USUAL]
    alone, confirmed = (100 * usual["alone"][int(np.argmax(of))] for of in (usual["accuracy"], usual["scores"]["laf"]))
    wrong = [name for name, found in sets.items() if _lost(found, "laf") > 0]
    lost = [_lost(sets[name], "laf") for name in wrong] or [0.0]
    weak = sorted(sets, key=lambda name: _one(sets, name, "laf"))[:5]
    listed = [
        [
            name,
            f"{100 * np.mean(sets[name]['accuracy']):.1f}",
            f"{100 * np.std(sets[name]['accuracy']):.1f}",
            f"{_one(sets, name, 'laf'):.2f}",
            f"{_one(sets, name, 'majority'):.2f}",
            f"{_lost(sets[name], 'laf'):.1f}",
        ]
        for name in weak
    ]
    spread = np.array([np.std(found["accuracy"]) for found in sets.values()])
    quality = np.array([np.mean(found["accuracy"]) for found in sets.values()])
    laf = np.array([_one(sets, name, "laf") for name in sets])
    with_spread, with_quality = np.corrcoef(spread, laf)[0, 1], np.corrcoef(quality, laf)[0, 1]
    return f"""## RQ3: quality and diversity

Quality is the models' mean accuracy, diversity its standard deviation. LaF's Spearman correlation:

{table(["quality, diversity", "sets", "mean", "lowest", f"at least {GOOD}"], rows)}
In all of the {len(sets)} sets quality is above {int(100 * quality.min())}% and diversity below
{np.ceil(1000 * spread.max()) / 10:.1f} points, and
LaF's correlation is {laf.min():.2f} to {laf.max():.2f}. Its correlation with diversity is {with_spread:+.2f}, with quality
{with_quality:+.2f}. The
five sets where LaF is weakest; "lost" is by how many points its first model is less accurate than the best:

{table(["set", "quality, %", "diversity, points", "laf", "majority", "lost"], listed)}
LaF puts another model than the best one first in {len(wrong)} of {len(sets)} sets, and loses {np.mean(lost):.1f} points
there on average, {max(lost):.1f} at most. It believes a model by how far the others confirm it.
Models that are best, with the number of sets: {best};
that LaF puts first: {first}.
On the unshifted letters the model that is best there is right where most are wrong on {alone:.1f}% of the
letters, LaF's first on {confirmed:.1f}%: the others cannot confirm what they do not know. LaF's order shows which models are
poor, and little about which is best among those that are close.
"""


def _counted(sets: Sets, by: str) -> str:
    """Which models are first by their accuracy or a ranking, and in how many sets."""
    of = [found["accuracy"] if by == "accuracy" else found["scores"][by] for found in sets.values()]
    counts = Counter(NINE[int(np.argmax(one))].name for one in of)
    return ", ".join(f'"{name}" ({count})' for name, count in counts.most_common())


def _better(sets: Sets, mnist: PredictionsTable) -> str:
    rows, names = [], list(sets)
    for ranking in (*WITHOUT, *KNOWN_BEFORE):
        means = _mean(sets, names, ranking)
        ours = np.array([_one(sets, name, ranking) for name in names])
        laf = np.array([_one(sets, name, "laf") for name in names])
        lost = np.mean([_lost(found, ranking) for found in sets.values()])
        rows.append(
            [
                ranking,
                *(f"{value:.2f}" for value in means),
                f"{ours.min():.2f}",
                f"{(ours > laf).sum()} / {(ours < laf).sum()}",
                f"{lost:.2f}",
            ]
        )
    head = ["ranking", *MEASURES, "lowest Spearman", "better / worse than laf", "lost, points"]
    free = max((one for one in WITHOUT if one != "laf"), key=lambda one: _mean(sets, names, one)[0])
    best, laf_mean = _mean(sets, names, free)[0], _mean(sets, names, "laf")[0]
    verdict = (
        f"Without a label {free} is best, {best:.2f} where LaF has {laf_mean:.2f}"
        if best > laf_mean
        else f"Without a label none is better than LaF: {free} comes nearest, {best:.2f} where LaF has {laf_mean:.2f}"
    )
    return f"""## Better than LaF without a label?

The same sets. `one-coin` and `dawid-skene` are Dawid and Skene's expectation and maximization with one number, or a
confusion matrix, for each model; `soft dawid-skene` takes probabilities for votes; `soft votes` is what all models'
mean probability gives a model's answers. The last two need each model's accuracy on the unshifted letters: `accuracy
before` is that accuracy itself, `agreement on the line` what is expected from it (Baek et al. 2022).

{table(head, rows)}
{verdict}.

{_on_mnist(mnist)}"""


def _on_mnist(mnist: PredictionsTable) -> str:
    predictions, truth = mnist.predictions, mnist.truth
    assert truth is not None
    hard = np.eye(len(predictions.classes))[predictions.labels.T]  # (M, N, C)
    accuracy, rows = accuracies(predictions, truth), []
    scores = {
        "laf": labeling_free(predictions).ability,
        "majority": majority_agreement(predictions),
        "one-coin": one_coin(hard),
        "dawid-skene": dawid_skene(hard),
    }
    for name, score in scores.items():
        agreement = rank_agreement(score, accuracy)
        values = (agreement.spearman or 0.0, agreement.kendall or 0.0, *agreement.jaccard.values())
        rows.append([name, *(f"{value:.2f}" for value in values)])
    return f"""The ten MNIST networks, which give no probabilities:

{table(["ranking", "Spearman", "Kendall tau-b", "Jaccard@1", "@3", "@5", "@10"], rows)}"""
