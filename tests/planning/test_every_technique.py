"""Every technique for every task its paper allows, with every auxiliary variable, the uniform share and the variants."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from testimate.advice.advice import OBJECTIVES, advise
from testimate.auxiliary import AUXILIARY, SLOW
from testimate.core.design import Purposive
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

SIZE, BUDGET = 400, 80
ALL = (
    *("srs", "css", "ces", "ssoa-r-t", "ssoa-c-t", "ssoa-r-p", "ssoa-c-p", "sups", "rhc-s", "ssrs", "gbs", "2-ups"),
    *("deepest", "pace", "rrs", "rra"),
)
"""The techniques the project promises."""

NOT_FOR: Mapping[str, str] = {"rra": "regression"}
"""rra learns chances of failure; a regression's live default is rrs."""

UNIFORM = ("sups", "rhc-s", "2-ups", "deepest")
"""Techniques whose chances follow the score, so that a score of 0 could never be drawn without the uniform share."""

PUBLISHED = ("ssoa-r-t", "ssoa-c-t", "ssoa-r-p", "ssoa-c-p", *UNIFORM, "gbs", "pace")
"""Techniques whose published figures come from something else than their definition."""

AUXILIARIES = (*AUXILIARY, "dsa", "lsa", "sae", "vae")
CLASSES = ("a", "b", "c", "d")
TASKS = ("classification", "top-k", "multi-label", "regression")


def scores_of(chance, rng):
    """Auxiliary variables that all predict failure, each on its own scale; those of LSA are in part below 0."""
    noise = {name: rng.random(len(chance)) for name in AUXILIARIES}
    scales = {"margin": (1, 0), "entropy": (1.4, 0), "gini": (0.9, 0), "dsa": (3, 0), "lsa": (300, -40)}
    scores = {
        name: scales.get(name, (0.05, 0.001))[0] * (0.7 * chance + 0.3 * noise[name]) + scales.get(name, (0, 0.001))[1]
        for name in AUXILIARIES
    }
    return {**scores, "confidence": chance}


def inputs_of(kind, size=SIZE, seed=3, training=None):
    """Inputs of a kind of task that fail as often as their scores say; some are sure, and a few of those fail too."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.4, 1.6, size)
    chance[: size // 10] = 0.0
    wrong = rng.random(size) < np.maximum(chance, 0.02)
    features = {
        "LHL": rng.normal(size=(size, 4)).astype(np.float32)
        + 9 * np.eye(4, dtype=np.float32)[rng.integers(3, size=size)]
    }
    if kind == "regression":
        task, predictions = Regression(tolerance=0.5, loss_bound=4.0), rng.normal(size=size)
        truth = predictions + np.clip(rng.normal(size=size) * (0.05 + chance), -2, 2)
        confidence, scores = None, {name: chi for name, chi in scores_of(chance, rng).items() if name not in AUXILIARY}
    elif kind == "multi-label":
        task, predictions = MultiLabel(CLASSES), (rng.random((size, 4)) < 0.5).astype(np.uint8)
        truth = np.where(wrong[:, None], 1 - predictions, predictions)
        confidence, scores = 1 - chance, scores_of(chance, rng)
    else:
        task = Classification(CLASSES, top_k=2 if kind == "top-k" else 1)
        ordered = np.argsort(rng.random((size, 4)), axis=1)
        predictions = ordered[:, :2] if kind == "top-k" else ordered[:, 0]
        truth = np.where(wrong, ordered[:, 3], ordered[:, 1 if kind == "top-k" else 0])
        confidence, scores = 1 - chance, scores_of(chance, rng)
    losses = task.losses(predictions, truth)
    return Inputs(
        kind, task, predictions, confidence, scores=scores, features=features, losses=losses, training=training
    )


@pytest.fixture(scope="module")
def inputs():
    return {kind: inputs_of(kind, training=inputs_of(kind, 200, seed=4)) for kind in TASKS}


def campaign(inputs, request):
    """The technique's design, and every draw labeled by the truth."""
    selector, verdicts = build(inputs, request), []
    while selector.remaining:
        batch = [Verdict(draw, float(inputs.losses[draw.row])) for draw in selector.ask(selector.remaining)]
        selector.tell(batch)
        verdicts += batch
    return selector.design, verdicts


def auxiliaries_of(name: str, kind: str) -> tuple[str, ...]:
    """The auxiliary variables that can change what a technique does on this kind of task."""
    of_task = tuple(one for one in AUXILIARIES if not (kind == "regression" and one in AUXILIARY))  # no softmax there
    return of_task if "scores" in SELECTORS[name].needs else of_task[:1]


PAIRS = [(name, kind) for name, kind in product(ALL, TASKS) if NOT_FOR.get(name) != kind]
CELLS = [
    (name, kind, auxiliary)
    for place, (name, kind) in enumerate(PAIRS)
    for auxiliary in {
        auxiliaries_of(name, kind)[(place + step) % len(auxiliaries_of(name, kind))]: None for step in (0, 1)
    }
]
"""Every technique with every kind of task it is for, and each with two of the auxiliary variables, which take turns."""


def test_every_technique_promised_is_offered():
    assert set(ALL) <= set(SELECTORS)
    assert set(AUXILIARIES) == {*AUXILIARY, *SLOW}


@pytest.mark.parametrize(("name", "kind"), NOT_FOR.items())
def test_a_technique_that_is_not_for_a_task_is_neither_possible_nor_built(name, kind, inputs):
    assert possible(inputs[kind], SELECTORS[name]) == f"It is not for {kind} tasks."
    with pytest.raises(BadInput, match=f"this is a {kind} task"):
        build(inputs[kind], Request(name, BUDGET, 1))


@each(("name", "kind", "auxiliary"), CELLS)
def test_a_technique_estimates_a_task_with_an_auxiliary_variable(name, kind, auxiliary, inputs):
    """Over four campaigns, to three and a half of its own standard errors; what chooses gives the mean of what it chose."""
    of, found = inputs[kind], []
    assert possible(of, SELECTORS[name]) == ""
    for seed in range(4):
        design, verdicts = campaign(of, Request(name, BUDGET, seed, auxiliary=auxiliary))
        found.append(estimator_of(design).estimate(design, verdicts, loss_bound=of.task.loss_bound))
        assert found[-1].labeled == BUDGET
        if isinstance(design, Purposive):
            assert found[-1].accuracy == pytest.approx(1 - np.mean([verdict.loss for verdict in verdicts]))
            assert (found[-1].low, found[-1].high) == (None, None)
            assert found[-1].why
        else:
            assert found[-1].low <= found[-1].accuracy <= found[-1].high
    if not isinstance(design, Purposive):
        error = np.mean([one.accuracy for one in found]) - (1 - of.losses.mean())
        assert abs(error) < 3.5 * np.sqrt(np.mean([one.standard_error**2 for one in found]) / len(found))


@each("name", UNIFORM)
@each("kind", ["classification", "regression"])
def test_the_uniform_share_lets_an_input_of_score_zero_be_drawn(name, kind, inputs):
    auxiliary = "confidence" if kind == "classification" else "dsa"
    of = inputs[kind]
    chi = np.where(np.arange(SIZE) < SIZE // 2, 0.0, of.scores[auxiliary])  # half are drawn by the share alone
    of = Inputs(kind, of.task, of.predictions, of.confidence, scores={auxiliary: chi}, losses=of.losses)
    assert "uniform_share" in {option.name for option in SELECTORS[name].options}

    def drawn_of_zero(**settings):
        draws = [
            draw
            for seed in range(60)
            for draw in build(of, Request(name, 8, seed, auxiliary=auxiliary, **settings)).ask(8)
        ]
        return sum(chi[draw.row] == 0 for draw in draws), draws

    default, draws = drawn_of_zero()
    more, _ = drawn_of_zero(options={"uniform_share": 0.5})
    published, _ = drawn_of_zero(variant="as published")
    assert all(draw.probability > 0 for draw in draws)
    assert 0 < default < more
    assert published < default or name in (
        "deepest",
        "rhc-s",
    )  # deepest draws at random besides; a group of zeros gives one


@each("name", ALL)
def test_the_variant_as_published_is_there_just_where_the_published_figures_differ(name):
    assert SELECTORS[name].variants == (("as published",) if name in PUBLISHED else ())


@each("name", [name for name in PUBLISHED if name != "pace"])
def test_as_published_a_technique_draws_or_estimates_otherwise(name, inputs):
    found = []
    for variant in (None, "as published"):
        design, verdicts = campaign(inputs["classification"], Request(name, BUDGET, 1, variant=variant))
        rows = tuple(verdict.draw.row for verdict in verdicts)
        found.append((rows, estimator_of(design).estimate(design, verdicts).accuracy))
    assert found[0] != found[1]


def test_adaptive_rounds_are_the_live_default_and_a_list_that_is_exported_is_one_of_rrs(inputs):
    for kind in ("classification", "top-k", "multi-label"):
        assert advise(inputs[kind], "tight interval").technique == "rra"
        assert advise(inputs[kind], "tight interval", live=False).technique == "rrs"
    assert advise(inputs["regression"], "tight interval").technique == "rrs"
    for objective, kind, live in product(OBJECTIVES, TASKS, (True, False)):
        advice = advise(inputs[kind], objective, live=live)
        request = Request(advice.technique, BUDGET, 1, auxiliary=advice.auxiliary, options=advice.options)
        assert len(campaign(inputs[kind], request)[1]) == BUDGET
