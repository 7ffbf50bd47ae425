"""How far off the forecast of a width is: what Plan says before any label against what came, network by network.

``python -m research.studies.width_forecast SECONDS`` measures networks that are not kept in ``.studies`` yet, then prints, for
the networks by which the lines were chosen and for those set aside, how many came within a factor 1.35 of the middle and how
many within the range, and draws ``docs/studies/forecast.svg``.
"""

import json
import sys
from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from research.methods.many import many_rounds, many_stratified
from research.studies.measure_coverage import DOCS
from research.studies.page_text import plt, save
from research.studies.plan_range import Network, made, networks
from research.studies.study_subjects import kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.adaptive_rounds import proportion_of_rounds
from testimate.estimators.intervals import possible
from testimate.planning.expected_range import expected_range
from testimate.selectors.base import INTERVAL_VERSION, rounds_open

BUDGETS = (50, 100, 200, 400)
CAMPAIGNS = {"rra": 12, "rrs": 40}
WITHIN = 1.35
TRAINED_ON, INPUTS = 4000, 9000

OWN = (
    "forest/ten/plain",
    "bayes/two/plain",
    "perceptron/ten/noise",
    "logistic/hundred/plain",
    "perceptron/tail/plain",
    "tree/ten/plain",
    "bayes/ten/plain",
    "forest/hundred/plain",
    "perceptron/two/sharp",
    "logistic/tail/flat",
    "perceptron/hundred/plain",
    "forest/tail/noise",
    "logistic/two/plain",
    "logistic/ten/sharp",
)
"""Networks made here: kind, classes (``tail``: of falling size), and what is changed: the inputs, or how sure it is."""

SET_ASIDE = (
    "extra/5/plain",
    "boost/3/plain",
    "neighbors/8/plain",
    "linear/6/plain",
    "logistic/2/scaled",
    "boost/12/noise",
    "boost/2/sharp",
    "linear/30/plain",
    "neighbors/3/noise",
)
"""Networks made here that judge, as those with drift of ``plan_range`` do: they had no part in the choice of the lines."""

FRESH = (
    "neighbors/20/plain",
    "extra/15/noise",
    "perceptron/6/scaled",
    "logistic/7/plain",
    "bayes/9/noise",
    "tree/4/plain",
    "forest/2/sharp",
    "perceptron/15/sharp",
    "linear/12/flat",
    "logistic/50/plain",
    "bayes/25/sharp",
    "extra/60/plain",
    "neighbors/2/flat",
    "perceptron/3/plain",
    "forest/25/noise",
    "boost/4/scaled",
    "forest/7/noise",
    "neighbors/14/sharp",
    "perceptron/25/plain",
    "logistic/3/flat",
    "bayes/6/scaled",
    "tree/9/sharp",
    "boost/7/plain",
    "linear/4/noise",
    "extra/2/plain",
    "perceptron/2/flat",
    "logistic/20/noise",
    "neighbors/40/plain",
    "forest/5/sharp",
    "bayes/3/plain",
    "boost/20/flat",
    "perceptron/40/scaled",
)
"""Further ones that judge, made when the lines were chosen and first looked at afterwards."""

MODELS = {
    "forest": partial(RandomForestClassifier, 60, random_state=1),
    "bayes": GaussianNB,
    "logistic": partial(LogisticRegression, max_iter=100),
    "perceptron": partial(MLPClassifier, (64,), max_iter=60, alpha=0.0, random_state=1),
    "tree": partial(DecisionTreeClassifier, min_samples_leaf=8, random_state=1),
    "extra": partial(ExtraTreesClassifier, 80, random_state=2),
    "boost": partial(HistGradientBoostingClassifier, max_iter=60, random_state=2),
    "neighbors": partial(KNeighborsClassifier, 9),
    "linear": LinearDiscriminantAnalysis,
}
CLASSES = {"two": 2, "ten": 10, "hundred": 100, "tail": 20}
CHANGED = {"noise": (1.0, 1.0), "scaled": (1.4, 0.0)}
"""What inputs are multiplied by, and the noise added to them."""

MORE_CONFIDENT = {"sharp": 3.0, "flat": 0.5}
"""The power of the chances."""


def own(name: str) -> Inputs:
    """A network made here, over the inputs it did not see."""
    kind, data, changed = name.split("/")
    seed, classes = crc32(data.encode()) % 1000, CLASSES.get(data) or int(data)
    falling = 0.75 ** np.arange(classes)
    inputs, truth = make_classification(
        INPUTS,
        40,
        n_informative=18,
        n_redundant=4,
        n_classes=classes,
        n_clusters_per_class=1,
        class_sep=1.6,
        flip_y=0.02,
        weights=falling / falling.sum() if data == "tail" else None,
        random_state=seed,
    )
    model: Any = MODELS[kind]().fit(inputs[:TRAINED_ON], truth[:TRAINED_ON])
    tested = inputs[TRAINED_ON:]
    times, noise = CHANGED.get(changed, (1.0, 0.0))
    tested = times * tested + np.random.default_rng(seed).normal(0, 1, tested.shape) * noise
    chances = (model.predict_proba(tested) + 1e-6) ** MORE_CONFIDENT.get(changed, 1.0)
    chances /= chances.sum(axis=1, keepdims=True)
    said = model.classes_[chances.argmax(axis=1)]
    return made(name, said, chances.max(axis=1), truth[TRAINED_ON:], classes)


def every() -> Iterator[Network]:
    """Those of ``plan_range``, and those made here."""
    yield from networks()
    yield from (Network(name, name.split("/")[1], partial(own, name)) for name in (*OWN, *SET_ASIDE, *FRESH))


def judges(name: str) -> bool:
    """Whether a network had no part in the choice of the lines."""
    return name in SET_ASIDE + FRESH or "half with" in name


def came(inputs: Inputs) -> dict[str, list[float]]:
    """By technique and budget: the mean half-width of campaigns, then the low, middle and high one predicted."""
    assert inputs.losses is not None
    losses, scores = (inputs.losses > 0).astype(np.float64), inputs.scores["confidence"]
    widths: dict[str, list[float]] = {f"rra {budget}": [] for budget in BUDGETS}
    for whole in many_rounds(
        scores,
        losses,
        scores_are_chances=True,
        budget=BUDGETS[-1],
        seeds=range(CAMPAIGNS["rra"]),
        ahead=rounds_open(10),
    ):
        for budget in BUDGETS:
            sample = whole.first(budget)
            found = proportion_of_rounds(sample, possible(sample.losses, len(losses), 1.0), version=INTERVAL_VERSION)
            assert found.interval
            widths[f"rra {budget}"].append((found.interval.high - found.interval.low) / 2)
    for budget in BUDGETS:
        many = many_stratified(inputs, Request("rrs", budget, 1, "confidence"), campaigns=CAMPAIGNS["rrs"])
        widths[f"rrs {budget}"] = ((many.score[:, 1] - many.score[:, 0]) / 2).tolist()
    return {key: [float(np.mean(one)), *predicted(inputs, key)] for key, one in widths.items()}


def predicted(inputs: Inputs, key: str) -> list[float]:
    """The low, middle and high half-width that Plan says before any label."""
    technique, budget = key.split()
    found = expected_range(inputs, [int(budget)], technique)
    assert found is not None
    return [float(one[0]) for one in found]


def main(seconds: float) -> None:
    """Measures, prints and draws."""
    until, file = monotonic() + seconds, kept_folder() / "width_forecast.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for network in every():
        if network.name not in kept and monotonic() < until:
            inputs = network.inputs()
            assert inputs.losses is not None
            kept[network.name] = {"data": network.data, "failing": float(inputs.losses.mean()), **came(inputs)}
            file.write_text(json.dumps(kept, indent=1), encoding="utf-8")
            print(network.name, flush=True)
    show(kept)
    draw(kept)


def show(kept: dict[str, Any]) -> None:
    """Prints both tables."""
    print("| network | failing | rra at 200: came | predicted | range | over |")
    print(6 * "|---" + "|")
    for name, one in kept.items():
        found, low, middle, high = one["rra 200"]
        numbers = f"{100 * found:.1f} | {100 * middle:.1f} | {100 * low:.1f} to {100 * high:.1f} | {found / middle:.2f}"
        print(f"| {name} | {one['failing']:.1%} | {numbers} |")
    print(f"\n| networks | technique | labels | within {WITHIN} | in the range | of | high / low |")
    print(7 * "|---" + "|")
    for aside in (False, True):
        group = [one for name, one in kept.items() if judges(name) == aside]
        for key in (f"{technique} {budget}" for technique in CAMPAIGNS for budget in BUDGETS):
            found, low, middle, high = np.array([one[key] for one in group]).T
            close = int((np.abs(np.log(found / middle)) <= np.log(WITHIN)).sum())
            inside = int(((low <= found) & (found <= high)).sum())
            who = "set aside" if aside else "chosen by"
            print(
                f"| {who} | {' | '.join(key.split())} | {close} | {inside} | {len(group)} | {np.median(high / low):.2f} |"
            )


def draw(kept: dict[str, Any]) -> None:
    """The picture: predicted with its range against what came, rra at 200 labels."""
    figure, axis = plt.subplots(figsize=(5.2, 4.6))
    for aside, color in ((False, "#9AA0A6"), (True, "#1A73E8")):
        group = [one["rra 200"] for name, one in kept.items() if judges(name) == aside]
        found, low, middle, high = 100 * np.array(group).T
        name = "set aside" if aside else "by which the lines were chosen"
        axis.errorbar(
            middle, found, xerr=[middle - low, high - middle], fmt="o", color=color, label=name, elinewidth=0.8
        )
    ends = [0.4, 8]
    axis.plot(ends, ends, color="#262730", linewidth=0.8, linestyle="--")
    axis.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    ticks = [0.5, 1, 2, 4, 8]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set(xlabel="half-width predicted, points, with its range", ylabel="half-width that came, points")
    axis.legend(loc="upper left")
    save(figure, DOCS / "studies" / "forecast.svg")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0)
