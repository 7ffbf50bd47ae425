"""Models ranked by what they predict: without labels, or by their accuracy on a few labeled inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.charts.html import paragraphs, table
from testimate.comparison.confusions import dawid_skene_accuracy
from testimate.comparison.discrimination import discriminating_rows
from testimate.comparison.labeling_free import labeling_free
from testimate.comparison.majority import majority_agreement
from testimate.comparison.predictions import Predictions
from testimate.core.checks import check_budget
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.words import spaced
from testimate.metrics.rank_agreement import RankAgreement, rank_agreement
from testimate.selectors.base import check_seed
from testimate.selectors.cross_entropy_sampling import CrossEntropySampling
from testimate.structure.ranks import places_of

CesModel = Literal["closest to the majority", "best by true accuracies"]

CES_MODELS: dict[str, CesModel] = {name: name for name in get_args(CesModel)}
WITHOUT_LABELS = ("laf", "majority", "dawid-skene")
TECHNIQUES = (*WITHOUT_LABELS, "sds", "ces", "random")


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Models in an order.

    Attributes
    ----------
    technique : the one that ranked them.
    models : their names, in the order of the columns.
    score : (M,) larger is better: the ability, the share of agreement, or the accuracy on the labeled rows.
    rows : (n,) the inputs labeled for it; empty where none was.
    agreement : with the true accuracies on all inputs, where they are known.
    """

    technique: str
    models: tuple[str, ...]
    score: NDArray[np.float64]
    rows: NDArray[np.intp]
    agreement: RankAgreement | None

    @property
    def order(self) -> NDArray[np.intp]:
        """The models' places from the best to the last, tied ones in the order of the columns."""
        return np.argsort(-self.score, kind="stable")

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values: technique, ranking by rank, and the agreement where there is one."""
        ranks = places_of(self.score)
        ranking = [
            {"model": self.models[place], "rank": int(ranks[place]), "score": float(self.score[place])}
            for place in self.order.tolist()
        ]
        return {
            "technique": self.technique,
            "ranking": ranking,
            **(self.agreement.to_json() if self.agreement is not None else {}),
        }

    def __repr__(self) -> str:
        return "\n".join((f"Ranking of {spaced(len(self.models))} models by {self.technique}:", *self.lines()))

    def _repr_html_(self) -> str:
        rows = self.to_json()["ranking"]
        cells = ([one["rank"], one["model"], one["score"]] for one in rows)
        said = [f"Ranking of {spaced(len(self.models))} models by {self.technique}.", *self.lines()[len(rows) :]]
        return paragraphs(said[:1]) + table(("rank", "model", "score"), cells, len(rows)) + paragraphs(said[1:])

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns model, rank and score, from the best to the last."""
        import pandas as pd

        return pd.DataFrame(self.to_json()["ranking"])

    def lines(self) -> list[str]:
        """The ranking for a terminal: rank, model and score, and the agreement where there is one."""
        result = self.to_json()
        lines = [f"{one['rank']:>4}  {one['score']:>8.4f}  {one['model']}" for one in result["ranking"]]
        if self.agreement is not None:
            shown = {name: result[name] for name in ("spearman", "kendall")}
            shown |= {f"jaccard@{k}": value for k, value in result["jaccard"].items()}
            lines.append(
                "agreement with the true accuracies: "
                + ", ".join(f"{name} {'none' if value is None else f'{value:.3f}'}" for name, value in shown.items())
            )
        return lines


def rank(
    predictions: Predictions,
    technique: str = "laf",
    *,
    budget: int | None = None,
    seed: int | None = None,
    truth: ArrayLike | None = None,
    ces_model: CesModel = "closest to the majority",
    features: Sequence[ArrayLike] | None = None,
    progress: Progress = silent,
) -> Ranking:
    """The models ranked.

    Parameters
    ----------
    technique : "laf", "majority" and "dawid-skene" take no label; "sds", "ces" and "random" choose ``budget`` inputs
        with ``seed`` and rank by the accuracy on these, whose labels they take from ``truth``.
    truth : (N,) true class places, where they are known; then the agreement with the true accuracies is there too.
    ces_model : whose sample CES takes. The paper takes the one that ranks best by the true accuracies, which nobody has.
    features : for CES, each model's (N, width) neurons; without them the predicted class is its only output.

    Raises
    ------
    BadInput : the technique is unknown, or needs a budget, a seed or the truth that is not there.

    Source: Guo et al., sections 3 and 4.4.
    """
    if technique not in TECHNIQUES:
        raise BadInput(
            f"The technique is {technique!r:.60}; expected one of {', '.join(TECHNIQUES)}. Choose one of these."
        )
    true = None if truth is None else _checked(truth, predictions)
    accuracy = None if true is None else accuracies(predictions, true)
    rows = np.empty(0, dtype=np.intp)
    if technique == "laf":
        score = labeling_free(predictions, progress=progress).ability
    elif technique == "majority":
        score = majority_agreement(predictions)
    elif technique == "dawid-skene":
        score = dawid_skene_accuracy(predictions, progress=progress)
    else:
        if budget is None or seed is None or true is None:
            raise BadInput(
                f"{technique} ranks by the labels of some inputs; expected a budget, a seed and the true labels. Name all "
                "three, or rank with laf, majority or dawid-skene."
            )
        rows = rows_to_label(predictions, technique, budget, seed, truth=true, ces_model=ces_model, features=features)
        score = accuracies(predictions, true, rows)
    agreement = None if accuracy is None else rank_agreement(score, accuracy)
    return Ranking(technique, predictions.models, score, rows, agreement)


def accuracies(
    predictions: Predictions, truth: NDArray[np.intp], rows: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """The share of inputs each model gets right, (M,), of all or of some rows; ``truth`` is of all, (N,)."""
    chosen = slice(None) if rows is None else rows
    shares: NDArray[np.float64] = (predictions.labels[chosen] == truth[chosen, None]).mean(axis=0)
    return shares


def rows_to_label(
    predictions: Predictions,
    technique: str,
    budget: int,
    seed: int,
    *,
    truth: NDArray[np.intp] | None = None,
    ces_model: CesModel = "closest to the majority",
    features: Sequence[ArrayLike] | None = None,
) -> NDArray[np.intp]:
    """The rows that sds, ces or random would have labeled, (budget,); ``truth`` (N,) is for CES's best model alone."""
    size = len(predictions.labels)
    budget, seed = check_budget(budget, size), check_seed(seed)
    if technique == "sds":
        return discriminating_rows(predictions, budget, seed)
    if technique == "random":
        return np.random.default_rng(seed).permutation(size)[:budget].astype(np.intp)
    if ces_model == "closest to the majority":
        return ces_rows(predictions, int(majority_agreement(predictions).argmax()), budget, seed, features)
    if truth is None:
        raise BadInput(
            "CES's best model by true accuracies needs these, and the truth is not known. Leave the option out."
        )
    samples = [ces_rows(predictions, model, budget, seed, features) for model in range(len(predictions.models))]
    return max(samples, key=lambda rows: mean_correlation(predictions, truth, rows))


def mean_correlation(predictions: Predictions, truth: NDArray[np.intp], rows: NDArray[np.intp]) -> float:
    """Mean Spearman correlation with the truth over the budgets of Guo et al., section 4.4: from M on, in steps of 5."""
    true, found = accuracies(predictions, truth), []
    for budget in range(min(len(predictions.models), len(rows)), len(rows) + 1, 5):
        found.append(rank_agreement(accuracies(predictions, truth, rows[:budget]), true).spearman or 0.0)
    return float(np.mean(found))


def ces_rows(
    predictions: Predictions, model: int, budget: int, seed: int, features: Sequence[ArrayLike] | None = None
) -> NDArray[np.intp]:
    """The sample that cross-entropy sampling picks for one model, (budget,), from its neurons or its predicted class."""
    if features is not None:
        chosen = CrossEntropySampling(features[model], budget=budget, seed=seed)
    else:
        classes = np.unique(predictions.labels[:, model])
        said = (predictions.labels[:, [model]] == classes).astype(np.float32)
        chosen = CrossEntropySampling(said, budget=budget, seed=seed, sections=2)
    return np.array([draw.row for draw in chosen.ask(budget)], dtype=np.intp)


def _checked(truth: ArrayLike, predictions: Predictions) -> NDArray[np.intp]:
    true = np.asarray(truth, dtype=np.intp)
    if true.shape != (len(predictions.labels),):
        raise BadInput(
            f"The true labels have the shape {true.shape}; expected one for each of the {spaced(len(predictions.labels))} "
            "inputs. Pass as many."
        )
    return true
