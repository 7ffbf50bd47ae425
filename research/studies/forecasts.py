"""How far off the forecasts are: widths and faults before any label, and the labels still to come, network by network.

``python -m research.studies.forecasts widths SECONDS`` measures networks that are not kept in ``.studies`` yet, then prints for
each of four groups how many came within a factor 1.35 of the middle and how many within the range, and draws
``docs/studies/forecast.svg``. ``faults SECONDS`` does the same for faults. ``labels [CAMPAIGNS] [TECHNIQUE ...]`` prints the
table of decision 165: how far off Label's forecast of the labels to come is.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
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
from research.studies.interval_suite import HARD
from research.studies.interval_suite import inputs_of as inputs_of_population
from research.studies.measure_coverage import DOCS
from research.studies.other_models_page import lenet, letters
from research.studies.page_text import plt, save
from research.studies.plan_range import Network, made, networks
from research.studies.study_subjects import inputs_of, kept_folder
from testimate.advice.advice import BALANCE
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import proportion_of_rounds
from testimate.estimators.always_valid import always_valid_trail
from testimate.estimators.intervals import possible
from testimate.estimators.labels_needed import stop_safe_labels_needed
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.expected_faults import ASKED, expected_faults
from testimate.planning.expected_range import expected_range, line_labels
from testimate.reports.words import STEADY_FROM, steadied
from testimate.selectors.base import INTERVAL_VERSION, rounds_open
from testimate.studies.campaign import known_losses

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

LAST = (
    "neighbors/11/plain",
    "extra/13/sharp",
    "perceptron/16/noise",
    "logistic/17/plain",
    "bayes/18/flat",
    "tree/19/plain",
    "forest/21/plain",
    "linear/23/sharp",
    "boost/02/plain",
    "perceptron/03/flat",
    "logistic/04/scaled",
    "extra/05/noise",
    "forest/06/flat",
    "neighbors/07/sharp",
    "bayes/08/noise",
    "linear/09/plain",
)
"""On data of their own, made when the ranges had been widened by every second one of those set aside."""

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
    yield from (Network(name, name.split("/")[1], partial(own, name)) for name in (*OWN, *SET_ASIDE, *FRESH, *LAST))


GROUPS = ("chosen by", "widened by", "set aside", "last")
"""Networks by which the lines were chosen, and how far the middle of faults moves; every second one set aside, by which ranges
were widened; the others set aside, and the last ones, which had no part in any choice."""


def by_group(kept: dict[str, Any]) -> dict[str, list[dict[str, list[float]]]]:
    """What is kept of the networks of each group."""
    aside = [one.name for one in every() if "half with" in one.name or one.name in SET_ASIDE + FRESH]
    groups: dict[str, list[dict[str, list[float]]]] = {name: [] for name in GROUPS}
    for name, one in kept.items():
        group = GROUPS[1 + aside.index(name) % 2] if name in aside else GROUPS[3] if name in LAST else GROUPS[0]
        groups[group].append(one)
    return {name: found for name, found in groups.items() if found}


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


def widths_forecast(seconds: float) -> None:
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
    for who, group in by_group(kept).items():
        for key in (f"{technique} {budget}" for technique in CAMPAIGNS for budget in BUDGETS):
            found, low, middle, high = np.array([one[key] for one in group]).T
            close = int((np.abs(np.log(found / middle)) <= np.log(WITHIN)).sum())
            inside = int(((low <= found) & (found <= high)).sum())
            counts = f"{close} | {inside} | {len(group)} | {np.median(high / low):.2f}"
            print(f"| {who} | {' | '.join(key.split())} | {counts} |")


def draw(kept: dict[str, Any]) -> None:
    """The picture: predicted with its range against what came, rra at 200 labels."""
    figure, axis = plt.subplots(figsize=(5.2, 4.6))
    groups = by_group(kept)
    for names, color, label in ((GROUPS[:2], "#9AA0A6", "by which it was chosen"), (GROUPS[2:], "#1A73E8", "others")):
        known = [one["rra 200"] for name in names for one in groups.get(name, [])]
        if not known:
            continue
        found, low, middle, high = 100 * np.array(known).T
        axis.errorbar(
            middle, found, xerr=[middle - low, high - middle], fmt="o", color=color, label=label, elinewidth=0.8
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


FAULTS_AT, FAULT_CAMPAIGNS = 200, 4
SIXTEEN_PICKS = {**BALANCE, "zones": 4, "exploit": 16}
SEARCHES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "sups": ("sups", {}),
    "rra, 16 picks of 20": ("rra", SIXTEEN_PICKS),
    "most doubtful": ("confidence", {}),
}


def request_of(name: str, seed: int) -> Request:
    """The plan of one of ``SEARCHES``."""
    technique, options = SEARCHES[name]
    return Request(technique, FAULTS_AT, seed, "confidence", options=options)


def faults_found(inputs: Inputs, request: Request) -> tuple[int, int]:
    """Faults, and severe ones, that a campaign finds."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    selector, rows = build(inputs.without_truth, request), set[int]()
    while draws := selector.ask(ASKED):
        rows.update(draw.row for draw in draws)
        selector.tell([Verdict(draw, float(inputs.losses[draw.row] > 0)) for draw in draws])
    labeled = np.array(sorted(rows), dtype=np.intp)
    fails = inputs.losses[labeled] > 0
    return int(fails.sum()), int((fails & (inputs.confidence[labeled] >= HIGH_FROM)).sum())


def faults_measured(inputs: Inputs) -> dict[str, list[float]]:
    """By technique, faults and severe ones: the mean that came, then the low, middle and high number predicted."""
    numbers = {}
    for name in SEARCHES:
        came = np.mean([faults_found(inputs, request_of(name, seed)) for seed in range(FAULT_CAMPAIGNS)], axis=0)
        for severe in (False, True):
            said = expected_faults(inputs.without_truth, request_of(name, 0), severe=severe)
            assert said is not None
            numbers[f"{name}, {'severe' if severe else 'all'}"] = [float(came[int(severe)]), *map(float, said)]
    return numbers


def faults_forecast(seconds: float) -> None:
    """Measures and prints."""
    until, file = monotonic() + seconds, kept_folder() / "faults_forecast.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for network in every():
        if network.name not in kept and monotonic() < until:
            kept[network.name] = faults_measured(network.inputs())
            file.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(f"| networks | technique, faults | within {WITHIN} | in the range | of | came / middle |\n{6 * '|---'}|")
    for who, group in by_group(kept).items():
        for key in group[0]:
            came, low, middle, high = np.array([one[key] for one in group]).T
            near = np.abs(np.log(np.maximum(came, 1) / np.maximum(middle, 1))) <= np.log(WITHIN)
            inside = (low <= came) & (came <= high)
            ratios = ", ".join(f"{one:.2f}" for one in np.maximum(came, 1) / np.maximum(middle, 1))
            print(f"| {who} | {key} | {near.sum()} | {inside.sum()} | {len(group)} | {ratios} |")


TECHNIQUES = ("rra", "rrs", "srs")
WAITED_FOR = {
    **dict.fromkeys(("CN12", "G", "D"), (0.09, 0.07, 0.06)),
    **dict.fromkeys(("letters", "LeNet-1", "LeNet-5"), (0.05, 0.04)),
    **dict.fromkeys(("rot of 2.0%", "rot of 4.0%", "98% sure"), (0.06, 0.045)),
}
"""Half-widths that are waited for. Nothing of the bets' forecast was tried on the letters and the LeNets while it was made;
the last three are made networks with faults where they are sure, of docs/intervals.md."""

MOST_LABELS, AIMED_AT, EVERY = 500, 200, 10


Look = tuple[int, float, float, bool]
"""Labels so far; labels in all over those that came, by the fresh and by the steady forecast; whether the range held them."""


def looks(inputs: Inputs, technique: str, seed: int, half_width: float) -> list[Look]:
    """Each look of one campaign."""
    losses, request = known_losses(inputs), Request(technique, MOST_LABELS, seed)
    selector = build(inputs, request, {**resolve(inputs, request), "aimed_at": AIMED_AT})
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    trail = always_valid_trail(selector.design, verdicts)
    narrow = np.flatnonzero(trail[:, 1] - trail[:, 0] <= 2 * half_width)
    lines = line_labels(inputs, half_width, request)
    found: list[Look] = []
    steady: int | None = None
    for count in range(EVERY, int(narrow[0]) + 1 if narrow.size else 0, EVERY):
        estimate = estimator_of(selector.design).estimate(selector.design, verdicts[:count])
        fresh = stop_safe_labels_needed(estimate, selector.design, verdicts[:count], half_width)
        if count < STEADY_FROM and lines is not None:
            rows = [one.draw.row for one in verdicts[:count]]
            fresh = lines.ahead(fresh, rows, losses[rows].tolist())
        if fresh is None or not fresh.middle:
            break
        before = None if steady is None or count <= STEADY_FROM else max(steady - EVERY, 1)
        steady = steadied(before, fresh.middle) or fresh.middle
        came = int(narrow[0]) + 1
        held = count + fresh.low <= came <= count + fresh.high
        found.append((count, (count + fresh.middle) / came, (count + steady) / came, held))
    return found


def labels_forecast(campaigns: int = 5, techniques: Sequence[str] = TECHNIQUES) -> None:
    """Prints a row for each technique, subject and width."""
    columns = (
        "technique",
        "subject",
        "half-width",
        "looks",
        "mean",
        "mean distance, fresh -> steady",
        "nine looks of ten",
    )
    print(f"| {' | '.join((*columns, 'range held', f'before {STEADY_FROM} labels'))} |\n{9 * '|---'}|")
    for technique in techniques:
        for subject, half_widths in WAITED_FOR.items():
            inputs = opened(subject)
            for half_width in half_widths:
                each = [looks(inputs, technique, seed, half_width) for seed in range(campaigns)]
                found = np.array([one for campaign in each for one in campaign]).reshape(-1, 4)
                print(looks_row(f"{technique} | {subject} | {half_width}", found), flush=True)


def opened(subject: str) -> Inputs:
    """The inputs of one of ``WAITED_FOR``."""
    made: dict[str, Callable[[], Inputs]] = {
        "letters": letters,
        "LeNet-1": partial(lenet, subject),
        "LeNet-5": partial(lenet, subject),
        **{one.name: partial(inputs_of_population, one.name, 10_000) for one in HARD},
    }
    return made.get(subject, partial(inputs_of, subject))()


def looks_row(name: str, looked: np.ndarray) -> str:
    """One row of the table, from its looks (L, 4)."""
    early, found = looked[looked[:, 0] < STEADY_FROM], looked[looked[:, 0] >= STEADY_FROM]
    before = f"{100 * early[:, 3].mean():.0f}% of {len(early)}" if len(early) else ""
    if not len(found):
        return f"| {name} | 0 | | | | | {before} |"
    off = 100 * np.abs(found[:, 1:3] - 1)
    fresh, steady = off.mean(axis=0)
    cells = [name, f"{len(found)}", f"{found[:, 2].mean():.2f}", f"{fresh:.1f} -> {steady:.1f}%"]
    cells += [f"{np.quantile(off[:, 1], 0.9):.0f}%", f"{100 * found[:, 3].mean():.0f}%", before]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    which, *given = sys.argv[1:]
    if which == "labels":
        labels_forecast(int(given[0]) if given else 5, given[1:] or TECHNIQUES)
    else:
        {"widths": widths_forecast, "faults": faults_forecast}[which](float(given[0]) if given else 0.0)
