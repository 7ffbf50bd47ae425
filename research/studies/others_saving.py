"""What other models save beside what is known of them before any label: the tables and the numbers of decision 145.

``python -m research.studies.others_saving measure SECONDS`` measures further pairs of networks and keeps them in
``.studies``; begun again it goes on where it was. ``python -m research.studies.others_saving`` prints each pair as it is
predicted from those of other data, and the numbers of ``testimate.planning.other_models``. With ``suspects`` it prints the
pairs of which one is more confident than it should be, and what came of the forecasts of all others: the table of decision
145.

With ``letters`` it labels the letters' demo until its stop-safe interval is within ``GOAL``, with two of the nine models and
without, each ``UNTIL`` times: the numbers beside the picture in docs/studies/fewer-labels.md.

With ``regression`` it trains two other models on the road demo's training pictures and prints the table of decision 60: the
exact errors of 200 labels over simple random sampling's, of the mean loss and of the share within the tolerance.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, permutations
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor

from research.methods.exact import exact_error, variance_of, watched
from research.studies.other_models_page import BETTER, LABELS, lenet, letters, other_of
from research.studies.plan_range import reading_letters, trained
from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs
from testimate.demos.road import open_road
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.feature_cache import FeatureCache
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import COMBINED, DISAGREEMENT, VOTES
from testimate.planning.other_models import WIDEST_GAP, confidence_gap, too_sure, with_others
from testimate.selectors.prioritizers import log_odds
from testimate.studies.campaign import known_losses
from testimate.tasks.regression import Regression

CAMPAIGNS = 4
BROKEN = "mutant1"
"""Made wrong and sure on purpose: no confidence tells it from a good network, so its pairs set neither line nor range."""

KINDS = ("one layer", "two layers", "wide, not decayed")
COUNTS = {"MNIST": (300, 1500), "digits": (300,)}
"""Pictures on which networks are trained here."""

KINDS_OF_SAVING = ("error", "stop-safe", "ordinary")
"""What is to become so small: the error, or the width of either interval."""

WIDTHS = KINDS_OF_SAVING[1:]

PREDICTED_FROM = (("the middle", [0]), ("the gap", [0, 1]), ("the gap and the shared doubt", [0, 1, 2]))
TAKEN = [0, 1]
"""Terms of ``Table`` that the line takes: shared doubt brings the forecast of the error nearer, not that of a width."""

SHOWN = ("D with E", "G with H", "the letters' demo")
"""Pairs that are printed one by one: their names begin so."""

FILE = kept_folder() / "others_saving.json"


@dataclass(frozen=True)
class Pair:
    """A network over a data set, and others beside it."""

    name: str
    data: str
    alone: Inputs
    others: tuple[OtherModel, ...]


def pairs() -> Iterator[Pair]:
    """E beside D and H beside G, networks of MNIST and of the digits beside each other, and readers of letters."""
    yield Pair("D with E", "CIFAR-10", inputs_of("D"), (other_of("D"),))
    yield Pair("G with H", "CIFAR-100", inputs_of("G"), (other_of("G"),))
    for data, counts in COUNTS.items():
        networks = {f"{kind} {count}": trained(data, kind, count) for kind in KINDS for count in counts}
        if data == "MNIST":
            networks |= {name: lenet(name) for name in ("LeNet-1", "LeNet-5", BROKEN)}
        said = {name: OtherModel(name, one.predictions, one.confidence) for name, one in networks.items()}
        for one, other in permutations(networks, 2):
            yield Pair(f"{data}, {one} with {other}", data, networks[one], (said[other],))
    yield from _readers()


def _readers() -> Iterator[Pair]:
    """The nine networks of the letters beside each other, one and two at a time, and beside the demo's own."""
    names = [model.name for model in NINE]
    said = {name: OtherModel(name, *glyph_outputs(name)) for name in names}
    alone = {name: reading_letters(name) for name in names}
    for one, other in permutations(names, 2):
        yield Pair(f"letters, {one} with {other}", "letters", alone[one], (said[other],))
    for place, one in enumerate(names):
        two = tuple(said[names[(place + step) % len(names)]] for step in (2, 6))
        yield Pair(f"letters, {one} with two", "letters", alone[one], two)
    for other in names:
        yield Pair(f"the letters' demo with {other}", "letters", letters(), (said[other],))
    yield Pair("the letters' demo with two good others", "letters", letters(), tuple(said[name] for name in BETTER))


def labels_needed(inputs: Inputs) -> NDArray[np.float64]:
    """Logs of the labels that rra needs, but for a constant, by the error and the widths after ``LABELS``, in the order of
    ``KINDS_OF_SAVING``: variances, and squared widths, are as one over the labels."""
    losses, found = known_losses(inputs), []
    for seed in range(CAMPAIGNS):
        selector = watched(inputs, Request("rra", LABELS, seed, COMBINED if inputs.others else "confidence"))
        verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
        one = estimator_of(selector.design).estimate(selector.design, verdicts)
        found.append([variance_of(selector), one.always_half_width or np.nan, one.half_width or np.nan])
    variance, *widths = np.mean(found, axis=0)
    return np.log([variance, *(width**2 for width in widths)])


def shared_doubt(inputs: Inputs) -> float:
    """The correlation of the tested network's log-odds of failure, by its own word, with the others' votes: 1 where they doubt
    the same inputs in the same measure."""
    return float(np.corrcoef(log_odds(inputs.scores["confidence"]), inputs.scores[VOTES])[0, 1])


def forecast_alone(alone: Inputs) -> NDArray[np.float64]:
    """Logs of the squared widths at ``LABELS`` that are forecast without the others: stop-safe, ordinary."""
    widths = [
        forecast(alone, [LABELS], techniques=("rra",))["rra"][0]
        for forecast in (expected_always_half_widths, expected_half_widths)
    ]
    return 2 * np.log(widths)


def kept() -> dict[str, list[float]]:
    """What was measured, by the pair's name: gap, shared doubt, of each kind the log of the labels needed with the others over
    those without, and of either interval the log of its squared width with them over the one forecast without them."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def measure(seconds: float) -> None:
    """Pairs that are not kept yet, until the time is up."""
    until, alone = monotonic() + seconds, dict[str, NDArray[np.float64]]()
    found = kept()
    for pair in pairs():
        if pair.name in found:
            continue
        inputs = with_others(pair.alone, pair.others)
        if pair.alone.fingerprint not in alone:
            alone[pair.alone.fingerprint] = labels_needed(pair.alone)
        needed = labels_needed(inputs)
        saved = needed - alone[pair.alone.fingerprint]
        gap, shared = confidence_gap(inputs), shared_doubt(inputs)
        assert gap is not None
        found[pair.name] = [gap, shared, *saved.tolist(), *(needed[1:] - forecast_alone(pair.alone)).tolist()]
        FILE.write_text(json.dumps(found, indent=1), encoding="utf-8")
        if monotonic() > until:
            return


@dataclass(frozen=True, eq=False)
class Table:
    """P pairs as measured.

    Attributes
    ----------
    names, data : of each pair and its data, (P,). terms : (P, 3) 1, the gap, at most ``WIDEST_GAP``, and the shared doubt.
    logs : (P,) of the labels needed with the others over those without. sound : (P,) whether no network is broken on purpose.
    """

    names: NDArray[np.str_]
    data: NDArray[np.str_]
    terms: NDArray[np.float64]
    logs: NDArray[np.float64]
    sound: NDArray[np.bool_]

    def line(self, chosen: NDArray[np.bool_], terms: Sequence[int]) -> NDArray[np.float64]:
        """Weights of these of the terms, by least squares over the chosen pairs; each kind of data counts the same."""
        counts = {kind: int((chosen & (self.data == kind)).sum()) for kind in np.unique(self.data[chosen]).tolist()}
        weights = np.sqrt([1 / counts[kind] for kind in self.data[chosen].tolist()])
        found = np.linalg.lstsq(
            self.terms[chosen][:, terms] * weights[:, None], self.logs[chosen] * weights, rcond=None
        )
        return np.asarray(found[0], dtype=np.float64)

    def expected(self, terms: Sequence[int]) -> NDArray[np.float64]:
        """Of each pair by the line of the sound pairs of other data, at most 0, (P,)."""
        found = np.zeros(len(self.names))
        for kind in np.unique(self.data).tolist():
            here = self.data == kind
            found[here] = self.terms[here][:, terms] @ self.line(self.sound & ~here, terms)
        return np.minimum(found, 0.0)


def table(kind: str) -> Table:
    """All that is kept, of that kind of saving."""
    found = kept()
    chosen = [pair for pair in pairs() if pair.name in found]
    numbers = np.array([found[pair.name] for pair in chosen])
    return Table(
        np.array([pair.name for pair in chosen]),
        np.array([pair.data for pair in chosen]),
        np.column_stack([np.ones(len(numbers)), numbers[:, 0].clip(-WIDEST_GAP, WIDEST_GAP), numbers[:, 1]]),
        numbers[:, 2 + KINDS_OF_SAVING.index(kind)],
        np.array([BROKEN not in pair.name for pair in chosen]),
    )


def show() -> None:
    """Prints how far off each line is, some pairs one by one, and the numbers of the lines taken."""
    for kind in KINDS_OF_SAVING:
        print(f"\n## {kind}\n")
        show_kind(table(kind), kind)


def show_kind(found: Table, kind: str) -> None:
    """Prints this for one kind of saving."""
    kinds = np.unique(found.data).tolist()
    print(f"| predicted from | all | {' | '.join(kinds)} | nine of ten are off by |\n{(3 + len(kinds)) * '|---'}|")
    for words, terms in PREDICTED_FROM:
        off = found.logs - found.expected(terms)
        medians = [np.median(np.abs(off[found.sound & (found.data == one)])) for one in kinds]
        low, high = np.quantile(off[found.sound], [0.05, 0.95])
        cells = [words, f"{np.median(np.abs(off[found.sound])):.2f}", *(f"{one:.2f}" for one in medians)]
        print(f"| {' | '.join(cells)} | {low:.2f} to {high:.2f} |")
    expected = found.expected(TAKEN)
    print("\n| network | gap | shared doubt | expected | saved |\n|---|---|---|---|---|")
    for place, name in enumerate(found.names.tolist()):
        if name.startswith(SHOWN):
            forecast, came = (100 * (1 - np.exp(one[place])) for one in (expected, found.logs))
            gap, shared = found.terms[place, 1:]
            print(f"| {name} | {gap:+.2f} | {shared:.2f} | {forecast:.0f}% | {came:.0f}% |")
    off = (found.logs - expected)[found.sound]
    numbers = [*found.line(found.sound, TAKEN), *np.quantile(off, [0.05, 0.95])]
    most = np.quantile(found.logs[found.sound], 0.95)
    print(f"\n{found.sound.sum()} pairs; nineteen of twenty cost at most {most:.2f} in the log")
    if kind in WIDTHS:
        measured = np.array([kept()[name] for name in found.names.tolist()])
        over = (measured[:, 2 + len(KINDS_OF_SAVING) + WIDTHS.index(kind)] - expected)[found.sound] / 2
        print(
            "width found over the one forecast, at 5, 50 and 95 of 100 pairs:",
            np.exp(np.quantile(over, [0.05, 0.5, 0.95])),
        )
    print(f'"{kind}": SavingLine({", ".join(f"{number:.2f}" for number in numbers)}, {most:.2f})')


def show_suspects() -> None:
    """Prints the pairs that differ more often than both admit, with the labels that came over those forecast; then the rest."""
    found, suspects, rest = kept(), [], []
    for pair in pairs():
        if pair.name not in found or len(pair.others) > 1:
            continue
        came = float(
            np.exp(found[pair.name][2 + len(KINDS_OF_SAVING)])
        )  # squared stop-safe width over the forecast one
        one = too_sure(pair.alone, pair.others[0])
        if one is None:
            rest.append(came)
            continue
        failing = float(known_losses(pair.alone).mean())
        shares = (one.differing, one.own, one.theirs, one.least_failing, failing)
        suspects.append((came, [pair.name, *(f"{100 * share:.1f}%" for share in shares), f"{one.more_labels:.1f}"]))
    print("| network | differ | own doubt | theirs | fails at least, if it is this one | fails | labels said | came |")
    print(8 * "|---" + "|")
    for came, cells in sorted(suspects, key=lambda one: one[0], reverse=True):
        print(f"| {' | '.join(cells)} | {came:.1f} |")
    print(f"\nthe other {len(rest)} pairs: {np.quantile(rest, [0.05, 0.5, 0.95, 1.0]).round(2)} (5, 50, 95, 100%)")


GOAL, AIMED_AT, MOST, UNTIL = 0.02, 340, 600, 12
TWO = ("LeNet-1, ten typefaces", "LeNet-1, heavy noise")
"""The two others of the picture."""


def show_letters() -> None:
    """Prints how many labels it took with the others and without, and between which numbers."""
    alone = letters()
    helped = with_others(alone, tuple(OtherModel(name, *glyph_outputs(name)) for name in TWO))
    for words, inputs, auxiliary in (("alone", alone, "confidence"), ("with two others", helped, COMBINED)):
        losses, came = known_losses(inputs), []
        for seed in range(UNTIL):
            request = Request("rra", MOST, seed, auxiliary)
            selector = build(inputs, request, {**resolve(inputs, request), "aimed_at": AIMED_AT})
            verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
            trail = always_valid_trail(selector.design, verdicts)
            narrow = np.flatnonzero(trail[:, 1] - trail[:, 0] <= 2 * GOAL)
            came.append(narrow[0] + 1 if narrow.size else np.inf)
        print(f"{words}: {np.median(came):.0f} labels in the middle, {min(came):.0f} to {max(came):.0f}")


ROAD_LABELS, SEEN = 200, 3000


def road() -> tuple[Inputs, dict[str, OtherModel]]:
    """The demo's inputs with their truth, and two other models: ridge regression and a dense network on the same pixels."""
    with tempfile.TemporaryDirectory() as folder:
        subject = open_road(Path(folder))
        inputs = known_inputs(subject, FeatureCache(Path(folder)), roles=(), auxiliary=())
        training = subject.training
        assert training is not None
        assert subject.training_truth is not None
        rows = np.arange(len(training))[:SEEN]
        seen = training.batch(rows).reshape(len(rows), -1)
        all_of_them = np.concatenate(
            [subject.dataset.batch(part).reshape(len(part), -1) for part in np.array_split(np.arange(len(inputs)), 20)]
        )
        angles = np.asarray(subject.training_truth, dtype=np.float64)[rows]
    models = {
        "a linear model": Ridge(alpha=10.0),
        "a dense network": MLPRegressor(hidden_layer_sizes=(60,), max_iter=60, random_state=1, alpha=0.01),
    }
    found = {name: np.asarray(model.fit(seen, angles).predict(all_of_them)) for name, model in models.items()}
    return inputs, {name: OtherModel(name, said, None) for name, said in found.items()}


def regression() -> None:
    """Prints a row for each set of other models and kind of loss."""
    inputs, others = road()
    assert inputs.losses is not None
    assert inputs.truth is not None
    assert isinstance(inputs.task, Regression)
    tolerance = inputs.task.tolerance or 0.0
    truth = np.asarray(inputs.truth, dtype=np.float64)
    beyond = (np.abs(np.asarray(inputs.predictions, dtype=np.float64) - truth) > tolerance).astype(np.float64)
    print(
        "| others | off by (RMSE) | rank correlation of disagreement and error | mean loss | share within tolerance |"
    )
    print("|---|---|---|---|---|")
    for names in (["a linear model"], ["a dense network"], list(others)):
        helped = with_others(inputs, [others[name] for name in names])
        off = ", ".join(f"{np.sqrt(((others[name].predictions - truth) ** 2).mean()):.1f}" for name in names)
        order, error = (np.argsort(np.argsort(one)) for one in (helped.scores[DISAGREEMENT], np.asarray(inputs.losses)))
        cells = []
        for losses in (inputs.losses, beyond):
            one = replace(helped, losses=losses)
            srs, rrs = (exact_error(one, Request(name, ROAD_LABELS, 1, DISAGREEMENT)) for name in ("srs", "rrs"))
            assert srs
            assert rrs
            cells.append(f"{rrs / srs:.3f}")
        print(
            f"| {' and '.join(names)} | {off} | {np.corrcoef(order, error)[0, 1]:.2f} | {' | '.join(cells)} |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(float(sys.argv[2]))
    else:
        {"suspects": show_suspects, "letters": show_letters, "regression": regression}.get(
            "".join(sys.argv[1:2]), show
        )()
