"""Models ranked by what they predict: without labels, or by their accuracy on a few labeled inputs.

Without labels: by how often each agrees with the majority, which is one line of arithmetic and hard to beat; by how often
each is right, where each errs in a way of its own (Dawid and Skene); or by how far each can be trusted where they disagree
(LaF). With a few: SDS labels the inputs that tell the good models from the bad, judged by the majority. ``RankAgreement`` says
how far a ranking agrees with the true one: Spearman, Kendall's tau-b, and what the first k have in common.

LaF: Y. Guo, Q. Hu, M. Cordy, X. Xie, M. Papadakis, Y. Le Traon, Labeling-Free Comparison Testing of Deep Learning Models.
It takes the model of GLAD (J. Whitehill et al., Whose Vote Should Count More, NIPS 2009).

SDS: L. Meng, Y. Li, L. Chen, Z. Wang, D. Wu, Y. Zhou, B. Xu, Measuring Discrimination to Boost Comparative Testing for
Multiple Deep Learning Models, ICSE 2021.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp
from scipy.stats import kendalltau, rankdata, spearmanr

from testimate.charts.html import paragraphs, table
from testimate.comparison.predictions import Predictions
from testimate.comparison.predictions_table import AgreeingModels, agreeing_models
from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.selector import Claims, Need, Option
from testimate.core.words import commas
from testimate.selectors.base import FixedList, check_seed, check_variant
from testimate.selectors.cross_entropy_sampling import CrossEntropySampling
from testimate.structure.cores import one_thread
from testimate.structure.two_samples import Smaller, smaller_errors

FIRST = (1, 3, 5, 10)
"""The k of the Jaccard similarities."""


@dataclass(frozen=True)
class RankAgreement:
    """How far an order agrees with the true one.

    Attributes
    ----------
    spearman, kendall : from -1 to 1; None where all scores of one side are equal, because then there is no order.
    jaccard : k -> the similarity of the first k, 0..1.
    spearman_p, kendall_p : two-sided p-values of no correlation; None where there is no order, or Spearman's with 2 models.
    """

    spearman: float | None
    kendall: float | None
    jaccard: dict[int, float]
    spearman_p: float | None = None
    kendall_p: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; the k as text."""
        jaccard = {str(k): value for k, value in self.jaccard.items()}
        p_values = {"spearman_p": self.spearman_p, "kendall_p": self.kendall_p}
        return {"spearman": self.spearman, "kendall": self.kendall, "jaccard": jaccard, **p_values}


def rank_agreement(scores: ArrayLike, truth: ArrayLike) -> RankAgreement:
    """Agreement of two scores of the same M models, (M,) each, larger = better.

    Models that are tied share the mean of their ranks for Spearman and count as neither order for Kendall's tau-b; for the
    first k they share the best of their ranks, so that more than k models may be among them (r <= k, equation 5).

    Source: Guo et al., section 4.5, equations 3 to 5. (Equation 4, tau-b, counts in T and U the pairs that are tied.)

    >>> found = rank_agreement([0.9, 0.7, 0.8], [0.95, 0.6, 0.5])
    >>> found.spearman, round(found.kendall, 3), found.jaccard[1], found.jaccard[3]
    (0.5, 0.333, 1.0, 1.0)
    """
    ours, true = check_scores(scores), check_scores(truth, "true scores")
    if len(ours) != len(true) or len(ours) < 2:
        raise BadInput(
            f"There are {len(ours)} scores and {len(true)} true ones. Expected as many of each, at least 2. Pass both for "
            "the same models."
        )
    jaccard = {k: first_in_common(ours, true, k) for k in FIRST}
    if np.ptp(ours) == 0 or np.ptp(true) == 0:
        return RankAgreement(None, None, jaccard)
    by_rank, by_pair = spearmanr(ours, true), kendalltau(ours, true)
    of_rank, of_pair = (float(one.pvalue) if np.isfinite(one.pvalue) else None for one in (by_rank, by_pair))
    return RankAgreement(float(by_rank.statistic), float(by_pair.statistic), jaccard, of_rank, of_pair)


def first_in_common(scores: NDArray[np.float64], truth: NDArray[np.float64], k: int) -> float:
    """Jaccard similarity of the models that rank among the first k by each; Guo et al., equation 5."""
    ours, true = places_of(scores) <= k, places_of(truth) <= k
    return float((ours & true).sum() / (ours | true).sum())


def places_of(scores: ArrayLike) -> NDArray[np.intp]:
    """The rank of each score, (..., M), 1 for the largest of a row; tied ones share the best of their ranks.

    >>> places_of([0.5, 0.9, 0.5]).tolist()
    [2, 1, 2]
    """
    ranks: NDArray[Any] = rankdata(-np.asarray(scores, dtype=np.float64), method="min", axis=-1)
    return ranks.astype(np.intp)


Floats = NDArray[np.float64]

LENT = 1.0
"""Inputs that each row of a confusion matrix is lent, spread evenly, so that no answer is impossible."""

ROUNDS, SMALLEST_CHANGE = 200, 1e-6


def dawid_skene_accuracy(predictions: Predictions, *, progress: Progress = silent) -> Floats:
    """The share of all inputs that each model gets right by Dawid and Skene's estimate, (M,) in 0..1; larger is better.

    Expectation and maximization from the shares of votes: each input has a chance of every class that some model predicts,
    each model a confusion matrix. Inputs with the same predictions are one, so the work grows with the different ones.
    Deterministic.

    >>> votes = Predictions(("a", "b", "c"), np.array([[0, 0, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0]]), ("0", "1"))
    >>> [round(float(share), 1) for share in dawid_skene_accuracy(votes)]
    [0.9, 0.9, 0.5]

    Source: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm (1979).
    """
    patterns, counts = np.unique(predictions.labels, axis=0, return_counts=True)  # (U, M), (U,)
    said, places = np.unique(patterns, return_inverse=True)
    votes = places.reshape(patterns.shape).T  # (M, U), places among the C classes that are predicted
    classes, every = len(said), np.arange(len(patterns))
    one_hot = [csr_array((np.ones(len(every)), (own, every)), shape=(classes, len(every))) for own in votes]
    belief = np.mean([own.toarray().T for own in one_hot], axis=0)  # (U, C)
    for number in range(ROUNDS):
        progress(number, ROUNDS, "weighing models by their confusions")
        weighed = belief * counts[:, None]
        share = weighed.sum(axis=0) + LENT / classes
        log_belief = np.tile(np.log(share / share.sum()), (len(every), 1))
        for own, votes_of in zip(one_hot, votes, strict=True):
            confusion = (own @ weighed).T + LENT / classes  # (true, said)
            log_belief += np.log(confusion / confusion.sum(axis=1, keepdims=True))[:, votes_of].T
        found = np.exp(log_belief - logsumexp(log_belief, axis=1, keepdims=True))
        change = float((np.abs(found - belief).mean(axis=1) * counts).sum() / counts.sum())
        belief = found
        if change < SMALLEST_CHANGE:
            break
    return np.array([(belief[every, own] * counts).sum() / counts.sum() for own in votes])


SMALLEST_GAIN = 1e-5
"""The relative gain of Q below which the search ends (algorithm 1, line 21)."""

MOST_ROUNDS = 500

_SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "as defined": ("L-BFGS-B", {"maxiter": 20, "maxcor": 5, "gtol": 1e-2}),
    "as published": ("CG", {"maxiter": 25, "gtol": 1e-2}),
}


@dataclass(frozen=True, eq=False)
class LabelingFree:
    """What the models' disagreements show.

    Attributes
    ----------
    ability : (M,) larger is better; the paper's specialty.
    easiness : (n,) of the inputs on which the models disagree, on a log scale; the opposite of the paper's difficulty.
    rows : (n,) these inputs.
    right : (n, M) the chance that the model is right there, 0..1, given all predictions.
    rounds : steps of expectation and maximization it took.
    """

    ability: NDArray[np.float64]
    easiness: NDArray[np.float64]
    rows: NDArray[np.intp]
    right: NDArray[np.float64]
    rounds: int


def labeling_free(
    predictions: Predictions,
    *,
    variant: Literal["as defined", "as published"] = "as defined",
    progress: Progress = silent,
) -> LabelingFree:
    """Abilities by expectation and maximization; the same predictions give the same ones, to a tenth on another processor.

    Model j is right on input i with the chance sigmoid(ability_j exp(easiness_i)), and otherwise predicts any other class as
    likely. (The paper prints a product with the difficulty; GLAD, and the authors' program, use this.) Both have a normal
    prior around their start, the majority vote. Each maximization takes few steps, as the authors' program does: a
    complete one may end at another of the many maxima. ``variant="as published"`` takes its 25 steps of conjugate gradients
    instead of 20 of L-BFGS; abilities differ by a few hundredths.

    Where all models agree on every input there is nothing to tell them apart: all abilities are 1 then.

    Source: Guo et al., section 3 and algorithm 1.

    >>> same = Predictions(("a", "b"), np.array([[0, 0], [1, 1]]), ("0", "1"))
    >>> labeling_free(same).ability.tolist()
    [1.0, 1.0]
    """
    rows = predictions.disputed  # step 1: pruning
    labels = predictions.labels[rows]
    n, models = labels.shape
    if n == 0:
        return LabelingFree(np.ones(models), np.empty(0), rows, np.empty((0, models)), 0)
    groups = agreeing_models(labels)
    search = _Search(groups, len(predictions.classes))
    found = search.start  # step 2: initializing
    right = search.chances_right(found)
    gain, rounds = -search.loss(found, right)[0], 0
    method, options = _SEARCHES[variant]
    with one_thread():  # L-BFGS works on short vectors, on which threads only wait for each other
        while rounds < MOST_ROUNDS:  # step 3: optimizing
            found = minimize(search.loss, found, args=(right,), jac=True, method=method, options=options).x
            right = search.chances_right(found)
            before, gain, rounds = gain, -search.loss(found, right)[0], rounds + 1
            progress(rounds, MOST_ROUNDS, f"step {rounds}")
            if abs((gain - before) / before) <= SMALLEST_GAIN:
                break
    return LabelingFree(found[:models], found[models:], rows, right, rounds)


class _Search:
    """Q of the paper's equation 2 and what its two steps need, for abilities and easinesses in one array (M + n,)."""

    def __init__(self, groups: AgreeingModels, classes: int) -> None:
        self._groups = groups
        self._models = groups.group.shape[1]
        self._unseen = classes - groups.count  # classes that no model predicts for the input
        self._classes = max(classes, 2)
        self._log_others = np.log(self._classes - 1)
        together = groups.with_majority
        self.start: NDArray[np.float64] = np.concatenate([together.mean(axis=0), together.mean(axis=1)])

    def chances_right(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expectation: the chance that each model's class is the true one, (n, M), given all predictions.

        Only classes that a model predicts need their own term; the others share one.
        """
        ability, easiness = found[: self._models], found[self._models :]
        # log p(right) - log p(this wrong class), p(right) = sigmoid(ability exp(easiness))
        evidence = ability * np.exp(easiness)[:, None] + self._log_others
        of_group = self._groups.sums(evidence)  # (n, M)
        of_group[self._groups.size == 0] = -np.inf
        largest = np.maximum(of_group.max(axis=1), 0.0)
        weight = np.exp(of_group - largest[:, None])
        weight /= (weight.sum(axis=1) + self._unseen * np.exp(-largest))[:, None]
        return np.take_along_axis(weight, self._groups.group, axis=1)

    def loss(self, found: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """-Q and its gradient, given the chances that each prediction is right."""
        ability, easiness = found[: self._models], found[self._models :]
        scale = np.exp(easiness)[:, None]
        logit = ability * scale  # (n, M)
        small = np.exp(-np.abs(logit))
        chance = np.where(logit >= 0, 1.0, small) / (1 + small)  # sigmoid
        away = found - self.start
        log_likelihood = -(
            np.log1p(small).sum()
            + np.maximum(-logit, 0.0).sum()  # with the line above: -log sigmoid(logit)
            + ((1 - right) * (logit + self._log_others)).sum()
        )
        log_prior = -0.5 * (away @ away) - 0.5 * len(found) * np.log(2 * np.pi)
        log_class = -len(logit) * np.log(self._classes)
        slope = right - chance
        gradient = np.concatenate([(slope * scale).sum(axis=0), (slope * logit).sum(axis=1)]) - away
        return -float(log_likelihood + log_prior + log_class), -gradient


def majority_agreement(predictions: Predictions) -> NDArray[np.float64]:
    """The share of all inputs on which each model predicts what most models do, (M,); larger is better.

    Of several classes with as many models the lowest one counts as the majority's. Source: Guo et al., section 3.2, step 2,
    where it is the start of LaF.

    >>> votes = Predictions(("a", "b", "c"), np.array([[0, 0, 1], [1, 1, 1]]), ("0", "1"))
    >>> majority_agreement(votes).tolist()
    [1.0, 1.0, 0.5]
    """
    rows = predictions.disputed
    agreed = len(predictions.labels) - len(rows)
    together = agreeing_models(predictions.labels[rows]).with_majority.sum(axis=0)
    shares: NDArray[np.float64] = (agreed + together) / len(predictions.labels)
    return shares


GROUP = 0.27
"""Share of the models in the top and in the bottom group, as in item analysis (Ebel 1954)."""

MOST_DISCRIMINATING = 0.25
"""Share of the inputs to draw from (Guo et al., section 4.4)."""


def discrimination(predictions: Predictions) -> NDArray[np.float64]:
    """How far each input tells good from bad models, (N,), from -1 to 1.

    The share of the top group that agrees with the majority, minus that of the bottom group; the groups are the 27% of
    the models (at least one) that agree with the majority most and least often. Models tied there stay in the order of
    the columns. Inputs on which all agree have 0.
    """
    order = np.argsort(-majority_agreement(predictions), kind="stable")
    count = min(max(1, round(GROUP * len(order))), len(order) // 2)
    rows = predictions.disputed
    together = agreeing_models(predictions.labels[rows]).with_majority
    found = np.zeros(len(predictions.labels))
    found[rows] = together[:, order[:count]].mean(axis=1) - together[:, order[-count:]].mean(axis=1)
    return found


def discriminating_rows(predictions: Predictions, budget: int, seed: int) -> NDArray[np.intp]:
    """Rows to label, (budget,): drawn at random from the quarter that discriminates most, then by discrimination.

    Ties at the edge of the quarter are broken at random.
    """
    rng = np.random.default_rng(seed)
    found = discrimination(predictions)
    order = np.lexsort((rng.random(len(found)), -found))
    quarter = max(1, int(MOST_DISCRIMINATING * len(found)))
    return np.concatenate([rng.permutation(order[:quarter]), order[quarter:]])[:budget].astype(np.intp)


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
        return "\n".join((f"Ranking of {commas(len(self.models))} models by {self.technique}:", *self.lines()))

    def _repr_html_(self) -> str:
        rows = self.to_json()["ranking"]
        cells = ([one["rank"], one["model"], one["score"]] for one in rows)
        said = [f"Ranking of {commas(len(self.models))} models by {self.technique}.", *self.lines()[len(rows) :]]
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
            p_values = ("p of Spearman's", self.agreement.spearman_p), ("of Kendall's", self.agreement.kendall_p)
            tested = [f"{name} correlation {value:.2g}" for name, value in p_values if value is not None]
            lines.append(
                "agreement with the true accuracies: "
                + ", ".join(f"{name} {'none' if value is None else f'{value:.3f}'}" for name, value in shown.items())
            )
            if tested:
                lines.append(", ".join(tested))
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
            f"The technique is {technique!r:.60}. Expected one of {', '.join(TECHNIQUES)}. Choose one of these."
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
                f"{technique} ranks by the labels of some inputs. Expected a budget, a seed and the true labels. Name all "
                "three, or rank with laf, majority or dawid-skene."
            )
        rows = rows_to_label(predictions, technique, budget, seed, truth=true, ces_model=ces_model, features=features)
        score = accuracies(predictions, true, rows)
    agreement = None if accuracy is None else rank_agreement(score, accuracy)
    return Ranking(technique, predictions.models, score, rows, agreement)


@dataclass(frozen=True)
class RankingSpread:
    """How the agreement with the true accuracies spreads over rankings from other samples.

    Attributes
    ----------
    repetitions : rankings, those without an order left out of the numbers.
    spearman, spearman_sd, kendall, kendall_sd : means and standard deviations.
    spearman_p, kendall_p : medians of the p-values. significant : share of the rankings whose Spearman p is below 0.05.
    """

    repetitions: int
    spearman: float
    spearman_sd: float
    kendall: float
    kendall_sd: float
    spearman_p: float
    kendall_p: float
    significant: float

    def words(self) -> str:
        """For a terminal."""
        return (
            f"over {self.repetitions} rankings: spearman {self.spearman:.3f} ± {self.spearman_sd:.3f}, "
            f"kendall {self.kendall:.3f} ± {self.kendall_sd:.3f}; median p {self.spearman_p:.2g} and {self.kendall_p:.2g}; "
            f"{100 * self.significant:.0f}% of them with p below 0.05"
        )


def ranked_again(
    ranking: Ranking,
    ranked: Callable[[int], Ranking],
    seed: int | None,
    repetitions: int,
    *,
    compared: bool = False,
) -> list[RankAgreement]:
    """The agreements of ``repetitions`` rankings with the seeds from ``seed`` on; those without an order left out.

    Parameters
    ----------
    ranking : the one with ``seed``. ranked : gives the same with another seed.
    compared : whether it is compared with another technique; one that takes no labels, which always ranks the same, is then one
        ranking.

    BadInput as ``rank``, and where nothing is repeated or fewer than 2 have an order. Source: section 5.1.
    """
    always = ranking.technique in WITHOUT_LABELS
    if ranking.agreement is None or (always and not compared) or (not always and seed is None):
        raise BadInput(
            f"{ranking.technique} is to be repeated. Expected sds, ces or random, with a seed and the true labels. Name "
            "them, or leave out --repetitions."
        )
    seeds = () if always or seed is None else range(seed + 1, seed + repetitions)
    agreements = [ranking.agreement, *(ranked(one).agreement for one in seeds)]
    found = [one for one in agreements if one is not None and one.spearman is not None]
    if len(found) < min(2, len(agreements)):
        raise BadInput("Fewer than 2 rankings have an order. Expected models that differ. Label more inputs.")
    return found


def ranking_spread(agreements: Sequence[RankAgreement]) -> RankingSpread:
    """The spread of the rankings' agreements, at least 2."""
    found = [
        (one.spearman, one.kendall, 1.0 if one.spearman_p is None else one.spearman_p, one.kendall_p)
        for one in agreements
    ]
    values = np.array(found, dtype=np.float64)
    (spearman, kendall, *_), (spearman_sd, kendall_sd, *_) = values.mean(axis=0), values.std(axis=0, ddof=1)
    p_values = np.median(values[:, 2:], axis=0)
    below = float((values[:, 2] < 0.05).mean())
    return RankingSpread(
        len(found),
        float(spearman),
        float(spearman_sd),
        float(kendall),
        float(kendall_sd),
        float(p_values[0]),
        float(p_values[1]),
        below,
    )


def closer_orders(first: Sequence[RankAgreement], second: Sequence[RankAgreement]) -> Smaller:
    """Whether one technique's orders are closer to the true one than another's; the error of an order is 1 - Spearman's.

    Source: section 5.1, where LaF is compared with rankings from 50 samples; the tests as in ``smaller_errors``.
    """
    errors = [[1 - one.spearman for one in side if one.spearman is not None] for side in (first, second)]
    if max(map(len, errors)) < 2:
        raise BadInput(
            "Both techniques always rank the same. Expected one of them to sample. Compare with sds, ces or random, and name "
            "--repetitions."
        )
    return smaller_errors(*errors)


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
            f"The true labels have the shape {true.shape}. Expected one for each of the {commas(len(predictions.labels))} "
            "inputs. Pass as many."
        )
    return true


class MostDiscriminating(FixedList):
    """Inputs drawn from the quarter on which models that agree with the majority often differ most from the others.

    Parameters
    ----------
    compared : predictions of M models for the N inputs.
    budget : n, inputs to choose, 1..N; beyond the quarter they follow by discrimination.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.

    Source: Meng et al., Measuring Discrimination to Boost Comparative Testing (ICSE 2021); Guo et al., section 4.4.
    """

    name: ClassVar[str] = "sds"
    title: ClassVar[str] = "Sample discrimination (SDS)"
    needs: ClassVar[tuple[Need, ...]] = ("compared",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        tasks=("classification",),
        note="Chosen, not drawn: the models are ranked by their accuracy on these inputs, and nothing is promised "
        "about the rest.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Meng et al. (ICSE 2021); Guo et al., section 4.4"
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(self, compared: Predictions, *, budget: int, seed: int, variant: str | None = None) -> None:
        size = len(compared.labels)
        budget = check_budget(budget, size)
        check_variant(variant, self.variants)
        self._discrimination: NDArray[np.float64] = discrimination(compared)
        rows = discriminating_rows(compared, budget, check_seed(seed))
        super().__init__(Purposive((size,), budget), rows, self._why)

    def _why(self, position: int) -> str:
        found = self._discrimination[self._rows[position]]
        return (
            f"discrimination {found:+.2f}: agreement of the top models with the majority minus that of the bottom ones"
        )
