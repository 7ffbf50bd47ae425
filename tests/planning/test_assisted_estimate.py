"""The model-assisted estimate as an option of the terminal: by the formulas written again here, in words, never unasked."""

import json
import re

import numpy as np
import pytest

from testimate.core.design import DESIGNS, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, groups_of
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.assisted import assisted_estimate, assisting, model_title, why_unassisted
from testimate.planning.build import build
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS
from testimate.tasks.boxes import NO_BOX, Boxes
from testimate.tasks.classification import Classification
from testimate.tasks.verdict import Judgment
from tests.each import each


@pytest.fixture
def campaign(table, tmp_path, command):
    """A plan for 30 of the table's 60 inputs with votes on all of them, by technique."""

    def planned(technique):
        plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
        arguments = ("--technique", technique, "--budget", 30, "--seed", 3, "--out", plan)
        assert command("select", table, *arguments)[0] == 0
        rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
        failed = {row: int(row >= 45) for row in rows}  # the least confident fail
        votes.write_text("row,failed\n" + "".join(f"{row},{failed[row]}\n" for row in failed))
        return plan, votes, failed

    return planned


def test_the_difference_estimate_is_that_of_its_formula_and_says_what_it_gains(campaign, command):
    plan, votes, failed = campaign("srs")
    arguments = ("estimate", plan, votes)
    plain, helped = (
        json.loads(command(*arguments, *more, "--json", "-")[1]) for more in ((), ("--assisted", "difference"))
    )
    chance = 1 - (0.99 - np.arange(60) / 100)
    corrected = chance.mean() + np.mean([failed[row] - chance[row] for row in failed])
    assert helped["accuracy"] == pytest.approx(1 - corrected, abs=1e-12)
    assert plain["accuracy"] == pytest.approx(1 - np.mean(list(failed.values())))
    assert "difference estimate" in helped["method"]
    said = command(*arguments, "--assisted", "difference")[1]
    assert "Each input is guessed to fail with the chance 1 - confidence" in said
    gain = (plain["high"] - plain["low"] - helped["high"] + helped["low"]) / 2
    by, how = re.search(r"Its interval is ([\d.]+) points (narrower|wider) on each side", said).groups()
    assert float(by) == pytest.approx(abs(100 * gain), abs=0.051)
    assert (how == "narrower") == (gain > 0)


@pytest.mark.parametrize("auxiliary", ["confidence", "dsa", "dsa:lower"])
def test_the_regression_estimate_is_the_mean_of_the_line_of_least_squares(auxiliary, campaign, command):
    plan, votes, failed = campaign("srs")
    more = ("--assisted", "regression", "--auxiliary", auxiliary)
    found = json.loads(command("estimate", plan, votes, *more, "--json", "-")[1])
    rows = np.array(list(failed))  # confidence and dsa are both straight lines in the row
    line = np.polyfit(rows, [failed[row] for row in rows], 1)
    assert found["accuracy"] == pytest.approx(1 - np.polyval(line, np.arange(60)).mean(), abs=1e-9)


def test_nobody_gets_a_model_unasked(campaign, command):
    plan, votes, _ = campaign("rrs")
    found = json.loads(command("estimate", plan, votes, "--json", "-")[1])
    assert "stratum-weighted mean" in found["method"]
    assert "guess" not in command("estimate", plan, votes)[1]


@pytest.mark.parametrize(
    ("technique", "more", "message"),
    [
        ("sups", ("--assisted", "difference"), "simple random and stratified draws; these are per draw"),
        ("rra", ("--assisted", "regression"), "already corrected by guesses"),
        ("srs", ("--assisted", "difference", "--auxiliary", "dsa"), "it needs chances of failing"),
        ("srs", ("--assisted", "luck"), "Expected learned, difference or regression"),
        ("srs", ("--assisted", "regression", "--auxiliary", "luck"), "There is no auxiliary variable 'luck'"),
    ],
)
def test_what_no_model_can_help_is_refused_in_a_sentence(technique, more, message, campaign, command):
    plan, votes, _ = campaign(technique)
    status, out, err = command("estimate", plan, votes, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_without_the_table_there_is_nothing_to_guess_from(campaign, table, command):
    plan, votes, _ = campaign("srs")
    table.unlink()
    status, out, err = command("estimate", plan, votes, "--assisted", "difference")
    assert (status, out) == (2, "")
    assert "the guesses come from it" in err


def test_every_design_either_has_a_model_or_says_why_not():
    chance = np.linspace(0.01, 0.6, 300)
    losses = (np.arange(300) % 3 == 0).astype(float)
    inputs = Inputs(
        "f",
        Classification(("a", "b")),
        np.zeros(300, int),
        1 - chance,
        scores={"confidence": chance},
        features={"LHL": np.random.default_rng(1).random((300, 3)).astype(np.float32)},
        losses=losses,
        groups=groups_of([str(row // 5) for row in range(300)], "patient"),
        training=Inputs(
            "t", Classification(("a", "b")), np.zeros(300, int), scores={"confidence": chance}, losses=losses
        ),
    )
    names = [name for name in SELECTORS if possible(inputs, SELECTORS[name]) == ""]
    designs = {type(build(inputs, Request(name, 60, 1)).design) for name in names}
    designs |= {type(build(inputs, Request("gbs", 60, 1, variant="as published")).design)}
    assert designs == set(DESIGNS.values())
    for name in names:
        design = build(inputs, Request(name, 60, 1)).design
        can = isinstance(design, SimpleRandom | Stratified)
        assert bool(assisting(inputs, design)) == can == (why_unassisted(inputs, design) == "")


def test_a_model_that_is_right_makes_the_interval_narrower(command):
    rng = np.random.default_rng(4)
    chance = rng.beta(0.3, 2, 3000)
    losses = (rng.random(3000) < chance).astype(float)
    inputs = Inputs("f", Classification(("a", "b")), np.zeros(3000, int), 1 - chance, scores={"confidence": chance})
    gains = []
    for seed in range(40):
        selector = build(inputs, Request("srs", 200, seed))

        verdicts = [Verdict(draw, losses[draw.row]) for draw in selector.ask(200)]
        plain = estimator_of(selector.design).estimate(selector.design, verdicts)
        gains.append(assisted_estimate(inputs, selector.design, verdicts, plain, model="difference").narrower)
    theory = 1 - np.sqrt((chance * (1 - chance)).mean() / (losses.mean() * (1 - losses.mean())))
    assert np.mean(gains) == pytest.approx(theory * 1.96 * np.sqrt(losses.var() / 200), rel=0.25)


def test_a_score_alone_can_be_learned_from_or_regressed_on_and_without_one_there_is_no_model():
    task, design = Classification(("a", "b")), SimpleRandom((9,), 3)
    scored = Inputs("f", task, np.zeros(9, int), scores={"dsa": np.arange(9.0)})
    assert assisting(scored, design) == {"learned": "dsa", "regression": "dsa"}
    bare = Inputs("f", task, np.zeros(9, int))
    assert assisting(bare, design) == {}
    with pytest.raises(BadInput, match="no confidence and no other score"):
        assisted_estimate(bare, design, [], None, model="difference")


@each(
    ("task", "predictions", "words"),
    [
        (
            Classification(("a", "b")),
            np.arange(60) % 2,
            "Each input is guessed to fail .* of the labels, class by class;",
        ),
        (
            Classification(("a", "b")),
            np.zeros(60, int),
            "Each input is guessed to fail .* of the labels; the other tenth",
        ),
        (Judgment(), np.zeros(60, int), "The guessed loss of each output starts .* of the labels; the other tenth"),
        (Boxes(("ship",)), np.full((60, 1), NO_BOX), "Each input is guessed to fail .* of the labels; the other tenth"),
    ],
)
def test_the_words_speak_of_classes_only_where_the_guesses_tell_them_apart(task, predictions, words):
    doubt = np.linspace(0, 0.5, 60)
    inputs = Inputs("f", task, predictions, 1 - doubt, scores={"confidence": doubt})
    design = SimpleRandom((60,), 20)
    verdicts = [Verdict(Draw(row), float(row > 40)) for row in range(0, 60, 3)]
    plain = estimator_of(design).estimate(design, verdicts)
    said = assisted_estimate(inputs, design, verdicts, plain, model="learned").words
    assert re.match(words, said)
    assert ("whole classes" in model_title("learned", inputs)) == ("class by class" in said)
