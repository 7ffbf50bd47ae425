"""Checks for the techniques, dataset readers and model readers of other packages, to use in their own tests.

Each raises AssertionError with a sentence. A technique is run on a small population whose truth is known: what it promises
about its draws and claims is checked for our own techniques in the same way.
"""

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import AUXILIARY, SLOW
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import InputGroups, groups_of
from testimate.core.selector import Selector, check_statements
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.open import DatasetReader
from testimate.datasets.preprocessing import Preprocessing
from testimate.estimators import estimator_of
from testimate.models.graph import GraphModel
from testimate.models.kinds import ModelReader

__all__ = ["check_claims", "check_dataset_reader", "check_model_reader", "check_selector"]


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
        **dict.fromkeys(("doubt", *AUXILIARY, *SLOW), inputs.scores),
        **dict.fromkeys(("disagreement", "votes", "history"), inputs.scores),
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


SIZE, SEED = 300, 20
BUDGETS_REFUSED: tuple[Any, ...] = (0, SIZE + 1, -3, 2.0, "60", True)
SETTINGS_REFUSED: tuple[dict[str, Any], ...] = ({"variant": "of my own"}, {"seed": -1}, {"seed": 1.5})


def check_selector(technique: Any, **settings: Any) -> None:
    """Checks a technique against the contract of all techniques, in its default form and in every variant.

    Its own description is complete; the same seed and verdicts give the same draws, however many are asked at a time
    and when a history is replayed; the whole budget is drawn from a design that fits; impossible budgets, seeds,
    variants, options, scores and requests are refused with BadInput; the order of inputs with equal scores makes no
    difference.

    Parameters
    ----------
    technique : the class. settings : options to build it with, besides its defaults.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence. BadInput : the class's description of itself
        is incomplete.

    >>> from testimate.selectors import SELECTORS
    >>> check_selector(SELECTORS["srs"])
    """
    check_statements(technique.name, technique)
    population = make_population(SIZE, SEED)
    for variant in (None, *technique.variants):
        form = {**settings, **({} if variant is None else {"variant": variant})}
        check_draws(technique, population, form)
        check_replay(technique, population, form)
        for budget in (1, 60, SIZE):
            check_budget_drawn(technique, population, budget, form)
    for budget in BUDGETS_REFUSED:
        check_refused(technique, population, f"budget of {budget!r}", budget=budget, **settings)
    for setting in SETTINGS_REFUSED:
        check_refused(technique, population, repr(setting), **{**settings, **setting})
    check_options(technique, population)
    check_questions(technique, population)
    if "scores" in technique.needs:
        check_scores(technique, population)


def check_draws(technique: Any, population: SimpleNamespace, settings: dict[str, Any]) -> None:
    """The same seed and verdicts give the same draws, however many are asked at a time."""

    def drawn(chunk: int) -> list[Draw]:
        return run_campaign(build_on(technique, population, 60, 5, **settings), population.failures, chunk)

    whole = drawn(10**6)
    _selector_holds(drawn(10**6) == whole, "The same seed and verdicts give different draws the second time", settings)
    for chunk in (1, 7):
        _selector_holds(
            drawn(chunk) == whole,
            f"Asked for {chunk} at a time, the draws differ from those asked for at once",
            settings,
        )


def check_replay(technique: Any, population: SimpleNamespace, settings: dict[str, Any]) -> None:
    """A history fed to a fresh instance gives the same draws, and then no more."""
    history = run_campaign(build_on(technique, population, 60, 5, **settings), population.squared_errors)
    fresh = build_on(technique, population, 60, 5, **settings)
    for draw in history:
        _selector_holds(list(fresh.ask(1)) == [draw], "A replayed history gives different draws", settings)
        fresh.tell([Verdict(draw, float(population.squared_errors[draw.row]))])
    _selector_holds(
        fresh.remaining == 0 and list(fresh.ask(1)) == [], "It goes on drawing after the whole budget", settings
    )


def check_budget_drawn(technique: Any, population: SimpleNamespace, budget: int, settings: dict[str, Any]) -> None:
    """As many inputs as the design plans are drawn, all from this population, each with a reason and in an existing stratum."""
    selector = build_on(technique, population, budget, 5, **settings)
    planned = selector.design.planned
    _selector_holds(selector.remaining == planned, "`remaining` is not what the design plans", settings)
    draws, design = run_campaign(selector, population.failures), selector.design
    _selector_holds(len(draws) == planned, f"{len(draws)} inputs are drawn and {planned} are planned", settings)
    _selector_holds(design.size == population.size, "The design has another number of inputs", settings)
    _selector_holds(all(draw.reason for draw in draws), "A draw gives no reason", settings)
    strata = {draw.stratum for draw in draws}
    _selector_holds(
        strata <= set(range(len(design.stratum_sizes))),
        "A draw is from a stratum that the design does not have",
        settings,
    )


def check_refused(
    technique: Any, population: SimpleNamespace, what: str, *, budget: Any = 60, seed: Any = 5, **settings: Any
) -> None:
    """Checks that building the technique with these arguments raises BadInput with a sentence."""
    _refuses(lambda: build_on(technique, population, budget, seed, **settings), f"A {what} is")


def check_options(technique: Any, population: SimpleNamespace) -> None:
    """Values outside the bounds of an option are refused."""
    for option in technique.options:
        outside: list[Any] = ["no such choice"]
        outside += [] if option.low is None else [option.low - 1]
        outside += [] if option.high is None else [option.high + 1]
        for value in outside:
            check_refused(technique, population, f"{option.name} of {value!r}", **{option.name: value})


def check_questions(technique: Any, population: SimpleNamespace) -> None:
    """Asking for a negative number of draws is refused."""
    selector = build_on(technique, population, 60, 5)
    _refuses(lambda: selector.ask(-1), "ask(-1) is")


def check_scores(technique: Any, population: SimpleNamespace) -> None:
    """Scores that are not numbers are refused, and equal ones do not prefer the inputs that come first."""
    for wrong in (np.nan, np.inf):
        scores = population.scores.copy()
        scores[17] = wrong
        strange = SimpleNamespace(**{**vars(population), "scores": scores})
        _refuses(lambda inputs=strange: build_on(technique, inputs, 60, 5), f"A score of {wrong} is")  # type: ignore[misc]  # a default binds the loop's value
    tied = SimpleNamespace(**{**vars(population), "scores": np.full(SIZE, 0.2)})
    first_half = [
        draw.row < SIZE / 2
        for seed in range(100)
        for draw in run_campaign(build_on(technique, tied, 20, seed), population.failures)
    ]
    share = float(np.mean(first_half))
    _selector_holds(
        abs(share - 0.5) < 4 * 0.5 / math.sqrt(len(first_half)),  # binomial, 4 standard errors
        f"Of inputs with equal scores {100 * share:.0f}% are drawn from the first half of the file",
        {},
    )


def check_claims(technique: Any, *, campaigns: int = 200, **settings: Any) -> None:
    """Checks what a technique claims about its estimate, by seeded campaigns over known truth; takes some seconds.

    If it claims no bias, the mean estimate at the planned size must be off by less than 3.5 standard errors; if it
    claims an honest interval, 90% intervals must hold the truth in at least 90% of campaigns, less three standard
    errors.

    Raises
    ------
    AssertionError : the claim that does not hold, with what was measured.
    """
    claims, inputs = technique.claims, make_population(2_000, seed=3)
    truth = float(1 - inputs.failures.mean())
    found, held = [], 0
    for seed in range(campaigns):
        selector = build_on(technique, inputs, 100, seed, **settings)
        verdicts = [Verdict(draw, float(inputs.failures[draw.row])) for draw in run_campaign(selector, inputs.failures)]
        if claims.unbiased == "no" and not claims.honest_interval:
            return
        one = estimator_of(selector.design).estimate(selector.design, verdicts, level=0.9, loss_bound=1.0)
        found.append(one.accuracy)
        held += one.low is not None and one.high is not None and one.low <= truth <= one.high
    if claims.unbiased != "no":
        error, spread = float(np.mean(found)) - truth, float(np.std(found, ddof=1)) / math.sqrt(campaigns)
        _selector_holds(
            abs(error) < 3.5 * spread,
            f"It claims no bias, and the mean of {campaigns} estimates is off by {100 * error:.2f} points, where chance "
            f"explains {350 * spread:.2f}",
            settings,
        )
    if claims.honest_interval:
        share = held / campaigns
        _selector_holds(
            share >= 0.9 - 3 * math.sqrt(0.9 * 0.1 / campaigns),
            f"It claims an honest interval, and 90% intervals held the truth in {100 * share:.0f}% of {campaigns} campaigns",
            settings,
        )


def _selector_holds(kept: bool, broken: str, settings: dict[str, Any]) -> None:
    if not kept:
        raise AssertionError(f"{broken}{f' (with {settings})' if settings else ''}.")


def _refuses(call: Callable[[], object], what: str) -> None:
    try:
        call()
    except BadInput:
        return
    raise AssertionError(f"{what} not refused. Expected BadInput, with a sentence that says what to do.")


HEAD = 512
OUR_DATASETS = {
    "an array": b"\x93NUMPY\x01\x00",
    "a zip": b"PK\x03\x04",
    "Parquet": b"PAR1",
    "a CSV": b"prediction,confidence\ncat,0.9\n",
    "a pickle": b"\x80\x04\x95",
    "nothing": b"",
}
"""Beginnings of files that Testimate reads or refuses without any plug-in."""


def check_dataset_reader(reader: DatasetReader, path: Path) -> None:
    """Checks a reader against the contract of every dataset, with one file of its kind.

    It knows its own file by the first bytes and takes none of Testimate's own kinds; read twice the inputs and their
    fingerprints are the same; rows give the same in any combination and order as alone; each input can be shown; rows
    that do not exist are refused; another preprocessing changes the fingerprint but not that of the content; a
    truncated file is refused with BadInput.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence.
    """
    content = path.read_bytes()
    _dataset_holds(reader.knows(content[:HEAD]), f"The reader does not know {path.name}")
    for what, start in OUR_DATASETS.items():
        _dataset_holds(not reader.knows(start), f"The reader takes {what} for its own kind")
    first, again = reader.open(path, Preprocessing()), reader.open(path, Preprocessing())
    _dataset_holds(len(first.dataset) > 0, "The dataset is empty")
    _dataset_holds(first.fingerprint == again.fingerprint, "Read again, the same file has another fingerprint")
    _check_rows(first)
    darker = first.dataset.with_preprocessing(Preprocessing(scale=0.5))
    _dataset_holds(
        darker.fingerprint != first.dataset.fingerprint, "Another preprocessing does not change the fingerprint"
    )
    _dataset_holds(
        darker.content_fingerprint == first.dataset.content_fingerprint,
        "Another preprocessing changes the fingerprint of the content",
    )
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder, path.name)
        changed.write_bytes(content[: len(content) // 2 + 1])
        try:
            cut = reader.open(changed, Preprocessing())
        except BadInput:
            return
        _dataset_holds(cut.fingerprint != first.fingerprint, "Nothing shows that a truncated file is truncated")


def _check_rows(opened: OpenedDataset) -> None:
    dataset = opened.dataset
    size = len(dataset)
    rows = np.array([size - 1, 0, size // 2], dtype=np.intp)
    together = np.asarray(dataset.batch(rows))
    _dataset_holds(len(together) == 3, f"A batch of 3 rows has {len(together)}")
    for place, row in enumerate(rows):
        alone = np.asarray(dataset.batch(rows[place : place + 1]))[0]
        _dataset_holds(np.array_equal(together[place], alone), f"Row {row} is different in a batch than alone")
        shown = dataset.show(int(row))
        fields = (shown.image, shown.text, shown.audio, shown.cells or None, shown.series)
        _dataset_holds(sum(one is not None for one in fields) == 1, f"Row {row} is shown in other than exactly one way")
    for row in (-1, size):
        try:
            dataset.show(row)
        except BadInput:
            continue
        raise AssertionError(f"Row {row} of {size} is shown. Expected BadInput.")
    if opened.known is not None:
        known = opened.known
        _dataset_holds(
            len(known.rows) == len(known.answers), "The number of answers differs from that of the rows with one"
        )


def _dataset_holds(kept: bool, broken: str) -> None:
    if not kept:
        raise AssertionError(f"{broken}.")


OUR_MODELS = {
    "ONNX": b"\x08\x08\x12\x07pytorch",
    "a zip": b"PK\x03\x04",
    "HDF5": b"\x89HDF\r\n\x1a\n",
    "a pickle": b"\x80\x04\x95",
    "nothing": b"",
}
"""Beginnings of files that Testimate reads or refuses without any plug-in."""

TOLERANCE = 1e-4


def check_model_reader(reader: ModelReader, content: bytes, example: NDArray[Any]) -> None:
    """Checks a reader against the contract of every model, with the content of one file and (n, *shape) inputs, n at least 2.

    It knows its own content and none of Testimate's own kinds; the network runs the example, answers with one row of
    numbers for each input, the same on each run and for an input alone as in a batch; every layer it names can be
    computed; truncated content is refused with BadInput.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence.
    """
    _model_holds(reader.knows(content), "The reader does not know its own content")
    for what, start in OUR_MODELS.items():
        _model_holds(not reader.knows(start), f"The reader takes {what} for its own kind")
    model = GraphModel(reader.open(content), fingerprint="0" * 32, example=example)
    said = model.run(example, model.layers)
    again = model.run(example, model.layers)
    for layer in model.layers:
        _model_holds(
            len(said[layer]) == len(example), f"Layer {layer} answers {len(said[layer])} of {len(example)} inputs"
        )
        _model_holds(np.array_equal(said[layer], again[layer]), f"Layer {layer} gives other numbers the second time")
        alone = model.run(example[:1], [layer])[layer]
        _model_holds(
            np.allclose(alone[0], said[layer][0], atol=TOLERANCE),
            f"Layer {layer} gives other numbers for an input alone than in a batch",
        )
    try:
        reader.open(content[: len(content) // 2])
    except BadInput:
        return
    raise AssertionError("Truncated content is opened. Expected BadInput.")


def _model_holds(kept: bool, broken: str) -> None:
    if not kept:
        raise AssertionError(f"{broken}.")
