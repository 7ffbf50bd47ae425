"""How far off Plan's forecast of a width is, by network, and the range that holds on others: the tables of decision 145.

``python -m research.studies.plan_range measure SECONDS`` measures further networks and keeps them in ``.studies``; begun
again it goes on where it was. ``python -m research.studies.plan_range`` prints the ratios, what the range holds on networks of
other data than those it was taken from, and the numbers of ``testimate.planning.forecast``.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from research.studies.other_models_page import lenet, letters, other_of
from research.studies.study_subjects import KEPT, SHIFTS, _said, data_folder, inputs_of, kept_folder
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs
from testimate.estimators import estimator_of
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.expected_range import WidthRatio
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import with_others
from testimate.tasks.classification import Classification

TECHNIQUES = ("rra", "rrs", "srs")
BUDGETS = (100, 200, 400)
FITTED_AT = 200
NINE_OF_TEN = 0.9
SHARES = (0.9, 0.93, 0.95, 0.98)
"""Shares of Student's law that are tried: networks of one kind of data are alike, so 0.9 is sometimes too little."""

CAMPAIGNS = 4
TRAINED_ON = {"few": 300, "more": 1500}
KINDS = ("stop-safe", "ordinary")


@dataclass(frozen=True)
class Network:
    """A network over a data set; those of one ``data`` are held out together."""

    name: str
    data: str
    inputs: Callable[[], Inputs]
    budgets: tuple[int, ...] = BUDGETS

    @property
    def helped(self) -> bool:
        """Whether it has other models beside it."""
        return " with " in self.name and "half with" not in self.name


def networks() -> Iterator[Network]:
    """Tables, LeNets with and without drift, the letters' nine, and networks trained here on few pictures."""
    for name, data in (("D", "CIFAR-10"), ("G", "CIFAR-100"), ("CN12", "CIFAR-10")):
        yield Network(name, data, partial(inputs_of, name))
    for name in ("LeNet-1", "LeNet-5", "mutant1"):
        yield Network(name, "MNIST", partial(lenet, name))
    for name in ("LeNet-1", "LeNet-5"):
        for shift in SHIFTS:
            yield Network(f"{name}, half with {shift}", "MNIST", partial(drifted, name, shift))
    for model in NINE:
        yield Network(f"letters, {model.name}", "letters", partial(reading_letters, model.name))
    for data, sizes in (("digits", ("few",)), ("MNIST", ("few", "more"))):
        for size in sizes:
            for kind in ("one layer", "two layers", "wide, not decayed"):
                yield Network(
                    f"{data}, {kind}, {TRAINED_ON[size]} pictures", data, partial(trained, data, kind, TRAINED_ON[size])
                )


def helped_networks() -> Iterator[Network]:
    """Networks with other models' predictions: a forecast with them has a range of its own."""
    at = (FITTED_AT,)
    for name, other, data in (("D", "E", "CIFAR-10"), ("G", "H", "CIFAR-100")):
        yield Network(f"{name} with {other}", data, partial(subject_with_other, name), at)
    for name, other in (("LeNet-1", "LeNet-5"), ("LeNet-5", "LeNet-1"), ("mutant1", "LeNet-1")):
        yield Network(f"{name} with {other}", "MNIST", partial(lenet_with, name, other), at)
    for place, model in enumerate(NINE):
        two = (NINE[(place + 2) % 9].name, NINE[(place + 6) % 9].name)
        yield Network(
            f"letters, {model.name} with {' and '.join(two)}", "letters", partial(letters_with, model.name, two), at
        )


def subject_with_other(name: str) -> Inputs:
    """D and what E says, or G and what H says."""
    return with_others(inputs_of(name), [other_of(name)])


def lenet_with(name: str, other: str) -> Inputs:
    """A LeNet and what another one says."""
    said = lenet(other)
    return with_others(lenet(name), [OtherModel(other, said.predictions, said.confidence)])


def letters_with(name: str, two: tuple[str, ...]) -> Inputs:
    """One of the nine and what two others say."""
    return with_others(reading_letters(name), [OtherModel(one, *glyph_outputs(one)) for one in two])


def made(name: str, said: NDArray[np.intp], sure: NDArray[np.float64], truth: NDArray[np.intp], classes: int) -> Inputs:
    """Inputs of what a network says, with its confidence alone, and the truth."""
    return Inputs(
        fingerprint=name,
        task=Classification(tuple(map(str, range(classes)))),
        predictions=said,
        confidence=sure,
        scores={"confidence": 1 - sure},
        losses=(said != truth).astype(np.float64),
    )


def reading_letters(model: str) -> Inputs:
    """One of the nine over the letters of the demo."""
    truth = letters().truth
    assert truth is not None
    said, sure = glyph_outputs(model)
    return made(f"letters, {model}", np.asarray(said), np.asarray(sure, dtype=np.float64), truth, 26)


def drifted(name: str, shift: str) -> Inputs:
    """A LeNet over MNIST's test images, half of which are changed."""
    pictures, truth = mnist()["x_test"], mnist()["y_test"].astype(np.intp)
    changed = np.clip(SHIFTS[shift](pictures[KEPT:].astype(np.float64)), 0, 255).astype(np.uint8)
    both = np.concatenate([pictures[:KEPT], changed])
    said = _said(data_folder() / "pace" / f"{name}.h5", both, mnist()["y_test"], features=False)
    return made(f"{name}, half with {shift}", said["predictions"], 1 - said["score"], truth, 10)


@cache
def mnist() -> dict[str, NDArray[np.uint8]]:
    """The pictures and their digits."""
    with np.load(data_folder() / "mnist" / "mnist.npz") as file:
        return dict(file)


def trained(data: str, kind: str, count: int) -> Inputs:
    """A network trained on the first pictures, over those that it did not see."""
    if data == "digits":
        pictures, truth = load_digits(return_X_y=True)
        pictures = pictures / 16
        seen, unseen, seen_truth, unseen_truth = pictures[:count], pictures[count:], truth[:count], truth[count:]
    else:
        flat = {part: mnist()[f"x_{part}"].reshape(-1, 784) / 255 for part in ("train", "test")}
        seen, unseen, seen_truth, unseen_truth = (
            flat["train"][:count],
            flat["test"],
            mnist()["y_train"][:count],
            mnist()["y_test"],
        )
    model = {
        "one layer": lambda: LogisticRegression(max_iter=60),
        "two layers": lambda: MLPClassifier((60,), max_iter=60, random_state=1),
        "wide, not decayed": lambda: MLPClassifier((300, 300), max_iter=200, alpha=0.0, random_state=1),
    }[kind]()
    model.fit(seen, seen_truth)
    chances = model.predict_proba(unseen)
    return made(f"{data} {kind} {count}", chances.argmax(axis=1), chances.max(axis=1), unseen_truth.astype(np.intp), 10)


def measured(inputs: Inputs, budgets: tuple[int, ...]) -> dict[str, float]:
    """By technique, budget and kind of interval: the mean width of seeded campaigns over the expected one, and the log-odds
    of the mean chance of failure."""
    assert inputs.losses is not None
    losses, found = inputs.losses, {}
    auxiliary = COMBINED if inputs.others else "confidence"
    for technique in TECHNIQUES:
        for budget in budgets:
            widths = []
            for seed in range(CAMPAIGNS):
                request = Request(technique, budget, seed, auxiliary)
                selector = build(inputs, request, resolve(inputs, request))
                verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
                one = estimator_of(selector.design).estimate(selector.design, verdicts)
                widths.append([one.always_half_width or np.nan, one.half_width or np.nan])
            for kind, width, expect in zip(
                KINDS, np.mean(widths, axis=0), (expected_always_half_widths, expected_half_widths), strict=True
            ):
                expected = expect(
                    inputs, [budget], techniques=(technique,), chosen=Request(technique, budget, 0, auxiliary)
                )
                found[f"{technique} {budget} {kind}"] = float(width / expected[technique][0])
    mean = float(inputs.scores[auxiliary].mean())
    return {"odds": np.log(mean / (1 - mean)).item(), "failing": float(losses.mean()), **found}


def measure(seconds: float) -> None:
    """Networks that are not kept yet, until the time is up."""
    until = monotonic() + seconds
    for network in (*networks(), *helped_networks()):
        found = kept()
        if network.name not in found:
            found[network.name] = measured(network.inputs(), network.budgets)
            (kept_folder() / "plan_range.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        if monotonic() > until:
            return


def kept() -> dict[str, dict[str, float]]:
    """What was measured, by the network's name."""
    file = kept_folder() / "plan_range.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def show() -> None:
    """Prints the ratios, what is held, and what is taken from all."""
    found = kept()
    columns = [f"{technique} {kind}" for technique in TECHNIQUES for kind in KINDS]
    print(f"| network | failing, expected | failing | {' | '.join(columns)} |")
    print((3 + len(columns)) * "|---" + "|")
    for name, one in found.items():
        cells = [f"{one[f'{technique} {FITTED_AT} {kind}']:.2f}" for technique in TECHNIQUES for kind in KINDS]
        print(
            f"| {name} | {100 / (1 + np.exp(-one['odds'])):.1f}% | {100 * one['failing']:.1f}% | {' | '.join(cells)} |"
        )
    print("\n| others | technique | interval | labels | held | missed | median of greatest over least |")
    print(7 * "|---" + "|")
    for helped, every in ((False, networks()), (True, helped_networks())):
        chosen = [network for network in every if network.name in found]
        for technique in TECHNIQUES:
            for kind in KINDS:
                ratios = [
                    {one.name: found[one.name][f"{technique} {budget} {kind}"] for one in chosen}
                    for budget in (FITTED_AT, *chosen[0].budgets)
                ]
                share = next(share for share in SHARES if share == SHARES[-1] or nine_of_ten(chosen, ratios, share))
                for budget, tried in zip(chosen[0].budgets, ratios[1:], strict=True):
                    missed, span = held(chosen, ratios[0], tried, share)
                    kept_in = f"{len(chosen) - len(missed)} of {len(chosen)}"
                    print(
                        f"| {helped} | {technique} | {kind} | {budget} | {kept_in} | {'; '.join(missed)} | {span:.2f} |"
                    )
                law = taken_from(list(ratios[0].values()), share)
                print(f'    ("{technique}", {kind == "stop-safe"}, {helped}): {law},  # {share}', file=sys.stderr)


def nine_of_ten(chosen: list[Network], ratios: list[dict[str, float]], share: float) -> bool:
    """Whether the range fitted on the first ratios holds nine of ten of the networks left out, at every budget."""
    return all(len(held(chosen, ratios[0], tried, share)[0]) <= (1 - NINE_OF_TEN) * len(chosen) for tried in ratios[1:])


def held(
    chosen: list[Network], fitted: dict[str, float], tried: dict[str, float], share: float = NINE_OF_TEN
) -> tuple[list[str], float]:
    """The networks whose ratio lies outside what the networks of other data say, and the median of greatest over least."""
    missed, spans = [], []
    for network in chosen:
        others = [fitted[one.name] for one in chosen if one.data != network.data]
        law = taken_from(others, share)
        spans.append(law.high / law.low)
        if not law.low <= tried[network.name] <= law.high:
            missed.append(network.name)
    return missed, float(np.median(spans))


def taken_from(ratios: list[float], share: float = NINE_OF_TEN) -> WidthRatio:
    """The range of one more ratio by Student's law of the logarithms, mean +- t sd sqrt(1 + 1 / k), and the median."""
    logs = np.log(ratios)
    reach = float(t.ppf((1 + share) / 2, len(logs) - 1)) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs))
    low, middle, high = np.exp([logs.mean() - reach, np.median(logs), logs.mean() + reach]).round(2).tolist()
    return WidthRatio(low, middle, high)


if __name__ == "__main__":
    measure(float(sys.argv[2])) if sys.argv[1:2] == ["measure"] else show()
