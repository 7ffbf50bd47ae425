"""Bad input: from every technique the result that is expected, or the refusal that is, in a sentence of three parts."""

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.planning.build import build
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each
from tests.sampling import rotating
from tests.sentences import three_parts

SIZE = 60
EVERY = [
    name for name in SELECTORS if "groups" not in SELECTORS[name].needs
]  # of groups: subjects/test_table_groups.py
FORMS = [(name, variant) for name in EVERY for variant in (None, *SELECTORS[name].variants)]
FOR_REGRESSION = [(name, variant) for name, variant in FORMS if SELECTORS[name].claims.serves("regression")]
NUMBERS = {"scores", "gini", "entropy", "margin", "dsa", "lsa"}
"""Needs that are auxiliary variables, which have to be finite."""

EVERY_STRATUM_FIRST = ("rrs", "ssrs", "ssoa-r-p", "ssoa-c-p", "ssoa-r-t", "ssoa-c-t", "css", "gbs")
"""Techniques whose estimate needs a label in each of several strata, so that two labels say nothing yet."""

AGAIN = ("sups", "2-ups", "gbs")
"""Techniques that may draw an input again, which is then no doubled vote."""


def drawn_of(name: str, variant: str | None, budget: int) -> int:
    """The labels that a budget gives: all of it, but that PACE's program takes a whole number from each cluster."""
    if name.startswith("pace") and variant:
        return build(inputs_of(np.linspace(0, 1, SIZE) ** 2), Request(name, budget, 1, variant=variant)).design.planned
    return budget


def shown(cell) -> str:
    """A readable name of a cell for pytest."""
    (name, variant), what = cell
    return f"{name} {variant or ''} {what}"


def refused(work, kind: type[TestimateError], words: str) -> None:
    """The work has to end in an error of this kind, in a sentence of three parts that holds these words."""
    with pytest.raises(kind, match=words) as stopped:
        work()
    assert three_parts(str(stopped.value)), stopped.value


def inputs_of(chi, *, losses=None, task=None) -> Inputs:
    """60 inputs with the score ``chi``, as confidence where it is a chance; every fifth input is wrong."""
    rng = np.random.default_rng(2)
    chi = np.asarray(chi, dtype=np.float64)
    chances = bool(((chi >= 0) & (chi <= 1)).all())
    task = task or Classification(("a", "b"))
    losses = (np.arange(len(chi)) % 5 == 4).astype(np.float64) if losses is None else losses
    scores = dict.fromkeys((*(("confidence",) if chances else ()), "lsa", "dsa", "gini", "entropy", "margin"), chi)
    features = {"LHL": rng.normal(size=(len(chi), 3)).astype(np.float32)}
    known = {"scores": scores, "features": features, "losses": losses}
    training = Inputs("tr", task, np.arange(len(chi)) % 2, **known)
    return Inputs("bad", task, np.arange(len(chi)) % 2, 1 - chi if chances else None, **known, training=training)


def campaign(inputs: Inputs, name: str, variant: str | None, budget: int):
    """The design and the verdicts of all draws of a technique."""
    auxiliary = next(iter(inputs.scores))
    selector, verdicts = build(inputs, Request(name, budget, 1, auxiliary=auxiliary, variant=variant)), []
    while selector.remaining:
        batch = [Verdict(draw, float(inputs.losses[draw.row])) for draw in selector.ask(selector.remaining)]
        assert batch, "the technique neither draws nor has drawn all"
        selector.tell(batch)
        verdicts += batch
    return selector.design, verdicts


def estimated(inputs: Inputs, name: str, variant: str | None, budget: int):
    """The estimate of the whole campaign, its numbers held to be finite and in order."""
    design, verdicts = campaign(inputs, name, variant, budget)
    bound = inputs.task.loss_bound
    found = estimator_of(design).estimate(design, verdicts, loss_bound=bound)
    numbers = [found.accuracy, found.standard_error, found.low, found.high, found.always_low, found.always_high]
    assert all(np.isfinite(number) for number in numbers if number is not None)
    if found.low is not None:
        assert found.low <= found.high
    else:
        assert found.why
    return found


SOUND = {
    "constant": np.full(SIZE, 0.3),
    "all zero: confidence all 1": np.zeros(SIZE),
    "confidence all 0": np.ones(SIZE),
    "strata of one": np.where(np.arange(SIZE) == 7, 1.0, np.where(np.arange(SIZE) == 8, 0.5, 0.001)),
    "negative": -np.linspace(1, 2, SIZE),
    "one huge outlier": np.where(np.arange(SIZE) == 7, 1e308, np.linspace(1, 2, SIZE)),
}
"""Scores that say nothing or too much, and are numbers; the last two are no chances, so that there is no confidence."""

NOT_FINITE = {
    "nan": np.where(np.arange(SIZE) == 7, np.nan, 0.3),
    "inf": np.where(np.arange(SIZE) == 7, np.inf, 0.3),
}


@each("cell", rotating(FORMS, [SIZE + 1, 0]))
def test_a_budget_outside_the_inputs_is_refused(cell):
    (name, variant), budget = cell
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    refused(lambda: estimated(inputs, name, variant, budget), BadInput, f"The budget is {budget}. .* 60")


@each("cell", rotating(FORMS, [1, 2]))
def test_fewer_labels_than_strata_give_no_number_just_where_every_stratum_is_needed(cell):
    (name, variant), budget = cell
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    program = {"gbs": True, "ssoa-r-t": True, "ssoa-c-t": True}.get(name, False) and variant == "as published"
    if name in EVERY_STRATUM_FIRST and not program:  # the published programs count an empty stratum as right
        refused(lambda: estimated(inputs, name, variant, budget), NotEnoughLabels, "strata have no settled label yet")
    else:
        assert estimated(inputs, name, variant, budget).labeled == drawn_of(name, variant, budget)


@each("name", EVERY)
def test_a_label_on_every_input_gives_the_accuracy_itself_where_none_is_drawn_again(name):
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    found = estimated(inputs, name, None, SIZE)
    if name not in AGAIN:
        assert found.accuracy == pytest.approx(1 - inputs.losses.mean())
    else:
        assert found.labeled == SIZE


@each("cell", rotating(FORMS, list(SOUND), each=2))
def test_scores_that_say_nothing_or_too_much_give_an_accuracy(cell):
    (name, variant), scores = cell
    inputs = inputs_of(SOUND[scores])
    if {"confidence", "doubt"} & set(SELECTORS[name].needs) and "confidence" not in inputs.scores:
        refused(lambda: estimated(inputs, name, variant, 30), BadInput, "confidence|doubt")
        return
    found = estimated(inputs, name, variant, 30)
    assert found.labeled == drawn_of(name, variant, 30)
    if variant is None:
        assert 0 <= found.accuracy <= 1


@each("cell", rotating(FORMS, list(NOT_FINITE)))
def test_scores_that_are_no_numbers_are_refused_just_where_they_are_needed(cell):
    (name, variant), scores = cell
    with np.errstate(invalid="ignore"):
        inputs = inputs_of(NOT_FINITE[scores])
    needs = set(SELECTORS[name].needs)
    if needs & NUMBERS:
        refused(lambda: estimated(inputs, name, variant, 30), BadInput, rf"\[7\] is {scores}\.")
    elif needs & {"confidence", "doubt"}:
        refused(lambda: estimated(inputs, name, variant, 30), BadInput, rf"confidence|doubt|scores\[7\] is {scores}")
    else:
        assert estimated(inputs, name, variant, 30).labeled == drawn_of(name, variant, 30)


@each(("name", "variant"), FOR_REGRESSION)
def test_losses_without_a_bound_have_no_always_valid_interval_and_say_nothing_wrong(name, variant):
    rng = np.random.default_rng(3)
    chi = rng.gamma(1.0, 2.0, SIZE) + 1.5
    losses = chi * rng.gamma(1.0, 1e6, SIZE)
    inputs = inputs_of(chi, losses=losses, task=Regression(tolerance=1.0))
    found = estimated(inputs, name, variant, 30)
    assert (found.always_low, found.always_high) == (None, None)
    bounded = inputs_of(chi, losses=losses, task=Regression(tolerance=1.0, loss_bound=10.0))
    refused(lambda: estimated(bounded, name, variant, 30), BadInput, "10")
    design, verdicts = campaign(inputs, name, variant, 30)
    if design.always_valid:
        refused(lambda: always_valid_trail(design, verdicts, loss_bound=10.0), BadInput, "10")


@each("name", EVERY)
def test_votes_that_do_not_fit_the_design_are_refused_and_missing_ones_only_where_the_order_counts(name):
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    design, verdicts = campaign(inputs, name, None, 30)

    def judged(changed):
        return estimator_of(design).estimate(design, changed)

    elsewhere = Verdict(type(verdicts[0].draw)(**{**_fields(verdicts[-1]), "row": 900}), 1.0)
    refused(lambda: judged([*verdicts[:-1], elsewhere]), BadInput, "Row 900")
    refused(lambda: judged([]), NotEnoughLabels, "no label yet")
    missing = [*verdicts[:10], *verdicts[13:]]
    if name == "rra":
        refused(lambda: judged(missing), BadInput, "rounds of the design in the order of drawing")
    else:
        assert judged(missing).labeled == 27
    if name in AGAIN:
        assert judged([*verdicts, verdicts[3]]).labeled == 31
    else:
        refused(lambda: judged([*verdicts, verdicts[3]]), BadInput, "draws no input twice")
        refused(lambda: judged(verdicts * 3), BadInput, "draws no input twice")


def _fields(verdict):
    draw = verdict.draw
    names = ("row", "probability", "stratum", "reason", "round", "guess", "exploit")
    return {name: getattr(draw, name) for name in names if hasattr(draw, name)}
