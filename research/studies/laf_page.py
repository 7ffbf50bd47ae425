"""The page on ranking models without labels: LaF, majority, and the baselines with few labels, on ten MNIST networks."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from research.studies.page_text import MARKERS, plt, save, table, write_page
from research.studies.study_subjects import data_folder, kept_folder
from testimate.charts.palette import hue
from testimate.comparison.overview import laf_stability, majority_stability, trust_in
from testimate.comparison.predictions_table import PredictionsTable, read_predictions
from testimate.comparison.ranking import (
    accuracies,
    ces_rows,
    labeling_free,
    mean_correlation,
    rank,
    rank_agreement,
    rows_to_label,
)

BUDGETS = tuple(range(30, 181, 5))
SHOWN = (30, 60, 90, 120, 150, 180)
REPETITIONS = 50
BASELINES = ("sds", "ces", "ces, best by the truth", "random")


def write(_: Any, here: Path) -> None:
    """Runs what is missing and writes laf.md and its plot."""
    source = data_folder() / "laf" / "mnist_test_predicted_labels.csv.gz"
    given = read_predictions(source, truth="label")
    kept = kept_folder() / "laf.json"
    found = json.loads(kept.read_text()) if kept.is_file() else campaigns(given)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found))
    values = {name: np.array(one) for name, one in found.items()}  # (repetitions, budgets, measures)
    _plot(values, given, here / "laf_spearman.svg")
    write_page(here / "laf.md", [_head(given), _without(given), _baselines(values), _trust(given), _notes()])


def campaigns(given: PredictionsTable) -> dict[str, Any]:
    """Every measure of every baseline at every budget, by repetition."""
    predictions, truth = given.predictions, given.truth
    assert truth is not None
    found: dict[str, list[Any]] = {name: [] for name in BASELINES}
    for seed in range(REPETITIONS):
        models = range(len(predictions.models))
        samples = [ces_rows(predictions, model, BUDGETS[-1], seed) for model in models]
        best = max(samples, key=lambda rows: mean_correlation(predictions, truth, rows))
        for name in BASELINES:
            rows = best if name.startswith("ces,") else rows_to_label(predictions, name, BUDGETS[-1], seed, truth=truth)
            found[name].append([_measures(predictions, truth, rows[:budget]) for budget in BUDGETS])
    return found


def _measures(predictions: Any, truth: Any, rows: Any) -> list[float]:
    agreement = rank_agreement(accuracies(predictions, truth, rows), accuracies(predictions, truth))
    return [agreement.spearman or 0.0, agreement.kendall or 0.0, *agreement.jaccard.values()]


def _head(given: PredictionsTable) -> str:
    predictions, truth = given.predictions, given.truth
    assert truth is not None
    accuracy = accuracies(predictions, truth)
    return f"""# Ranking models without labels: LaF beside majority agreement, SDS, CES and random sampling

Made by `make study`; no number measured here is typed by hand. {len(predictions.models)} networks have predicted the
{len(truth):,} MNIST test images; their accuracies go from {accuracy.min():.3f} to {accuracy.max():.3f}. SDS, CES and
random label 30 to 180 inputs and rank by the accuracy on these, {REPETITIONS} repetitions; LaF and majority agreement
label none. The file holds no neurons, so CES sees each network's predicted class as its only output.
"""


def _without(given: PredictionsTable) -> str:
    rows = []
    for technique in ("laf", "majority"):
        agreement = rank(given.predictions, technique, truth=given.truth).agreement
        assert agreement is not None
        rows.append(
            [
                technique,
                *(f"{value:.2f}" for value in (agreement.spearman, agreement.kendall, *agreement.jaccard.values())),
            ]
        )
    head = ["technique", "Spearman", "Kendall tau-b", "Jaccard@1", "@3", "@5", "@10"]
    laf, majority = rows[0][1], rows[1][1]
    return f"""## Without a label, on all inputs

{table(head, rows)}
LaF reaches {laf}. Plain majority agreement reaches {majority} here: the weaker networks are in an order that LaF gets
wrong and a count of agreements gets right. So the page shows both.
"""


def _baselines(values: dict[str, Any]) -> str:
    parts = ["## With labels: mean ± standard deviation of Spearman's correlation\n"]
    rows = []
    for name in BASELINES:
        spearman = values[name][:, :, 0]
        cells = [spearman[:, BUDGETS.index(budget)] for budget in SHOWN]
        rows.append([name, *(f"{cell.mean():.2f} ± {cell.std(ddof=1):.2f}" for cell in cells)])
    parts.append(table(["technique", *(f"{budget} labels" for budget in SHOWN)], rows))
    parts.append("Means over all budgets and repetitions:\n")
    rows = [[name, *(f"{value:.2f}" for value in values[name].mean(axis=(0, 1)))] for name in BASELINES]
    parts.append(table(["technique", "Spearman", "Kendall tau-b", "Jaccard@1", "@3", "@5", "@10"], rows))
    parts.append("![Spearman's correlation against the labels](laf_spearman.svg)\n")
    return "\n".join(parts)


def _trust(given: PredictionsTable) -> str:
    predictions, truth = given.predictions, given.truth
    assert truth is not None
    found, accuracy = labeling_free(predictions), accuracies(predictions, truth)
    trust = trust_in(predictions, found)
    laf, majority = laf_stability(predictions, found, seed=0), majority_stability(predictions, seed=0)
    ends = [
        f"{one.best_rank[place]} – {one.worst_rank[place]}" for place in range(len(accuracy)) for one in (laf, majority)
    ]
    rows = [
        [model, f"{accuracy[place]:.3f}", f"{trust.accuracy[place]:.3f}", ends[2 * place], ends[2 * place + 1]]
        for place, model in enumerate(predictions.models)
    ]
    head = ["network", "accuracy", "guessed without labels", "rank by LaF, resampled", "rank by majority, resampled"]
    sentences = " ".join(f'"{one}"' for one in trust.warnings)
    return f"""## How far to trust it

Quality is guessed as {100 * trust.quality:.1f}% (truly {100 * accuracy.mean():.1f}%) and diversity as
{100 * trust.diversity:.1f} points (truly {100 * accuracy.std():.1f}). The page says: {sentences}

{table(head, rows)}
Inputs on which all networks agree count as right, so errors that all share are not seen: the guesses are a little high.
The ranges say what other inputs would have changed; a rank that is wrong for a lasting reason stays wrong within its
range.
"""


def _notes() -> str:
    return """## Deviations from the paper, and why

- The paper prints sigmoid(alpha beta) with alpha a difficulty; GLAD, and the authors' program, have sigmoid(ability
  exp(easiness)), which is used here.
- CES: the paper takes the model whose samples rank best by the *true* accuracies, which nobody has. The line "best by
  the truth" does that; the other takes the model that agrees most often with the majority.
- Tied models share the better rank for the Jaccard similarity (r <= k, equation 5), so several may be first; SDS and
  random have many ties with few labels.
"""


def _plot(values: dict[str, Any], given: PredictionsTable, file: Path) -> None:
    figure, axis = plt.subplots(figsize=(6.4, 3.6))
    for place, name in enumerate(BASELINES):
        spearman = values[name][:, :, 0]
        mean, spread = spearman.mean(axis=0), spearman.std(axis=0, ddof=1)
        color = hue(place + 1, dark=False)
        axis.plot(BUDGETS, mean, color=color, marker=MARKERS[place], markersize=3.5, label=name)
        axis.fill_between(BUDGETS, mean - spread, np.minimum(mean + spread, 1), color=color, alpha=0.12, linewidth=0)
    for technique, style in (("laf", "-"), ("majority", "--")):
        agreement = rank(given.predictions, technique, truth=given.truth).agreement
        assert agreement is not None
        assert agreement.spearman is not None
        axis.axhline(
            agreement.spearman, color=hue(0, dark=False), linestyle=style, linewidth=2, label=f"{technique}, no label"
        )
    axis.set_xlabel("labels")
    axis.set_ylabel("Spearman's correlation")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)
