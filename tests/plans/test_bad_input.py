"""Bad input: from every technique, in the library and at the terminal, a result or a sentence of three parts."""

import csv
import json
import re

import numpy as np
import pytest

from testimate.cli import main
from testimate.core.draw import Verdict
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.task import Classification, Regression
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail, has_always_valid
from testimate.plans import build
from testimate.selectors import SELECTORS

SIZE = 60
EVERY = list(SELECTORS)
ADAPTIVE = [name for name in EVERY if SELECTORS[name].adapts]
FORMS = [(name, variant) for name in EVERY for variant in (None, *SELECTORS[name].variants)]
FOR_REGRESSION = [(name, variant) for name, variant in FORMS if "regression" in SELECTORS[name].claims.tasks]
NAMED = [pytest.param(name, variant, id=name + (f" {variant}" if variant else "")) for name, variant in FORMS]


def three_parts(sentence: str) -> bool:
    """What was met, what is needed, and what to do: two or more sentences on one line, none of them a traceback."""
    parts = re.split(r"(?<=[.!?]) (?=[A-Z])", sentence.strip())
    return (
        len(parts) >= 2 and sentence.strip().endswith(".") and "\n" not in sentence.strip() and "Error" not in sentence
    )


def result_or_sentence(work):
    """What the work gives, or None after an error of three parts."""
    found, told = None, "Nothing is wrong. Go on."
    try:
        found = work()
    except TestimateError as error:
        told = str(error)
    assert three_parts(told), told
    return found


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
        told = [Verdict(draw, float(inputs.losses[draw.row])) for draw in selector.ask(selector.remaining)]
        assert told, "the technique neither draws nor has drawn all"
        selector.tell(told)
        verdicts += told
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


BUDGETS = {"above N": SIZE + 1, "0": 0, "below the strata": 2, "1": 1, "all": SIZE}
SCORES = {
    "constant": np.full(SIZE, 0.3),
    "all zero: confidence all 1": np.zeros(SIZE),
    "confidence all 0": np.ones(SIZE),
    "negative": -np.linspace(1, 2, SIZE),
    "nan": np.where(np.arange(SIZE) == 7, np.nan, 0.3),
    "infinite": np.where(np.arange(SIZE) == 7, np.inf, 0.3),
    "one huge outlier": np.where(np.arange(SIZE) == 7, 1e308, np.linspace(1, 2, SIZE)),
    "strata of one": np.where(np.arange(SIZE) == 7, 1.0, np.where(np.arange(SIZE) == 8, 0.5, 0.001)),
}


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("name", "variant"), NAMED)
def test_a_budget_that_does_not_fit_gives_a_result_or_a_sentence(name, variant, budget):
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    found = result_or_sentence(lambda: estimated(inputs, name, variant, BUDGETS[budget]))
    if budget in ("above N", "0"):
        assert found is None
    if budget == "all" and name not in ("sups", "2-ups", "gbs") and variant is None:
        assert found.accuracy == pytest.approx(1 - inputs.losses.mean())


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize(("name", "variant"), NAMED)
def test_scores_that_tell_nothing_or_too_much_give_a_result_or_a_sentence(name, variant, scores):
    with np.errstate(invalid="ignore"):
        inputs = inputs_of(SCORES[scores])
    found = result_or_sentence(lambda: estimated(inputs, name, variant, 30))
    if scores in ("nan", "infinite") and {"scores", "gini", "entropy", "margin", "dsa", "lsa"} & set(
        SELECTORS[name].needs
    ):
        assert found is None
    elif variant is None:
        confident = {"confidence", "doubt"} & set(SELECTORS[name].needs)
        assert found is not None or (confident and "confidence" not in inputs.scores)
        assert found is None or 0 <= found.accuracy <= 1


@pytest.mark.parametrize(("name", "variant"), FOR_REGRESSION)
def test_losses_without_a_bound_have_no_always_valid_interval_and_say_nothing_wrong(name, variant):
    rng = np.random.default_rng(3)
    chi = rng.gamma(1.0, 2.0, SIZE) + 1.5
    losses = chi * rng.gamma(1.0, 1e6, SIZE)
    inputs = inputs_of(chi, losses=losses, task=Regression(tolerance=1.0))
    found = result_or_sentence(lambda: estimated(inputs, name, variant, 30))
    assert (found.always_low, found.always_high) == (None, None)
    bounded = inputs_of(chi, losses=losses, task=Regression(tolerance=1.0, loss_bound=10.0))
    assert result_or_sentence(lambda: estimated(bounded, name, variant, 30)) is None  # a loss is beyond the bound
    design, verdicts = campaign(inputs, name, variant, 30)
    if has_always_valid(design):
        assert result_or_sentence(lambda: always_valid_trail(design, verdicts, loss_bound=10.0)) is None


@pytest.mark.parametrize("votes", ["missing", "doubled", "outside the plan", "none", "too many in a stratum"])
@pytest.mark.parametrize("name", EVERY)
def test_votes_that_do_not_fit_the_design_give_a_result_or_a_sentence(name, votes):
    inputs = inputs_of(np.linspace(0, 1, SIZE) ** 2)
    design, verdicts = campaign(inputs, name, None, 30)
    changed = {
        "missing": [*verdicts[:10], *verdicts[13:]],
        "doubled": [*verdicts, verdicts[3]],
        "outside the plan": [
            *verdicts[:-1],
            Verdict(type(verdicts[0].draw)(**{**_fields(verdicts[-1]), "row": 900}), 1.0),
        ],
        "none": [],
        "too many in a stratum": verdicts * 3,
    }[votes]
    found = result_or_sentence(lambda: estimator_of(design).estimate(design, changed))
    if votes in ("outside the plan", "none"):
        assert found is None
    if votes == "doubled":  # only these may draw an input again
        assert (found is None) == (name not in ("sups", "2-ups", "gbs"))


def _fields(verdict):
    draw = verdict.draw
    names = ("row", "probability", "stratum", "reason", "round", "guess", "exploit")
    return {name: getattr(draw, name) for name in names if hasattr(draw, name)}


# At the terminal


@pytest.fixture
def files(tmp_path):
    """A table with these scores, features for it, and the table again as training data."""
    features = tmp_path / "f.npy"
    np.save(features, np.random.default_rng(2).normal(size=(SIZE, 3)).astype(np.float32))

    def written(chi):
        table = tmp_path / "table.csv"
        same = ",".join(["{one!r}"] * 5)
        lines = [
            f"{row % 2},{(row + (row % 5 == 4)) % 2},{1 - one!r},{same.format(one=one)}"
            for row, one in enumerate(chi.tolist())
        ]
        table.write_text("label,prediction,confidence,lsa,dsa,gini,entropy,margin\n" + "\n".join(lines) + "\n")
        return ("--features", features, "--training", table), table

    return written


def terminal(capsys, *arguments):
    """Exit status, stdout and stderr of one command; after an error one sentence of three parts, and nothing else."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    told, status = capsys.readouterr(), int(stop.value.code or 0)
    if status:
        assert (status, told.out) == (2, "")
        assert three_parts(told.err), told.err
    return status, told.out, told.err


def planned(capsys, files, tmp_path, name, chi, budget, auxiliary):
    """A plan by the technique, and whether there is one."""
    more, table = files(chi)
    plan = tmp_path / "plan.json"
    arguments = ("--technique", name, "--auxiliary", auxiliary, "--budget", budget, "--seed", 1, "--out", plan)
    done = terminal(capsys, "select", table, *arguments, *more)[0] == 0
    assert plan.exists() == done
    return plan, done


def runs_on_a_table(name):
    """Whether a table with a features file has all that the technique needs."""
    return "training_features" not in SELECTORS[name].needs


def votes_on(plan, tmp_path):
    """Votes on all draws of a plan."""
    rows = dict.fromkeys(draw["row"] for draw in json.loads(plan.read_text())["draws"])
    votes = tmp_path / "votes.csv"
    votes.write_text("row,failed\n" + "".join(f"{row},{int(row % 5 == 4)}\n" for row in rows))
    return votes


@pytest.mark.parametrize("budget", [SIZE + 1, 0, 2])
@pytest.mark.parametrize("name", EVERY)
def test_at_the_terminal_a_budget_that_does_not_fit_gives_a_result_or_a_sentence(name, budget, files, tmp_path, capsys):
    plan, done = planned(capsys, files, tmp_path, name, np.linspace(0.01, 0.9, SIZE), budget, "confidence")
    assert done == (0 < budget <= SIZE and runs_on_a_table(name))
    if done:
        terminal(capsys, "estimate", plan, votes_on(plan, tmp_path), "--json", "-")


@pytest.mark.parametrize("scores", [kind for kind in SCORES if kind != "infinite"])
@pytest.mark.parametrize("name", EVERY)
def test_at_the_terminal_strange_scores_give_a_result_or_a_sentence(name, scores, files, tmp_path, capsys):
    chances = "confidence" in scores or scores in ("constant", "strata of one")
    chi = SCORES[scores] if chances else np.linspace(0.01, 0.9, SIZE)
    if not chances:  # the confidence is sound, the other score is not
        more, table = files(chi)
        lines = list(csv.reader(table.read_text().splitlines()))
        for line, one in zip(lines[1:], SCORES[scores].tolist(), strict=True):
            line[3:] = [repr(one)] * 5
        table.write_text("\n".join(",".join(line) for line in lines) + "\n")
        plan = tmp_path / "plan.json"
        arguments = ("--technique", name, "--auxiliary", "lsa", "--budget", 30, "--seed", 1, "--out", plan)
        done = terminal(capsys, "select", table, *arguments, *more)[0] == 0
    else:
        plan, done = planned(capsys, files, tmp_path, name, chi, 30, "confidence")
    assert done or scores == "nan" or not runs_on_a_table(name)
    if done:
        found = json.loads(terminal(capsys, "estimate", plan, votes_on(plan, tmp_path), "--json", "-")[1] or "{}")
        assert not found or 0 <= found["accuracy"] <= 1


@pytest.mark.parametrize("name", EVERY)
def test_at_the_terminal_votes_that_do_not_fit_give_a_result_or_a_sentence(name, files, tmp_path, capsys):
    plan, done = planned(capsys, files, tmp_path, name, np.linspace(0.01, 0.9, SIZE), 30, "confidence")
    assert done == runs_on_a_table(name)
    if not done:
        return
    votes = votes_on(plan, tmp_path)
    lines = votes.read_text().splitlines()
    outside = next(row for row in range(900, 999))
    wrong = {
        "missing": [lines[0], *lines[4:]],
        "doubled": [*lines, lines[1]],
        "outside the plan": [*lines, f"{outside},1"],
        "none": lines[:1],
    }
    for kind, content in wrong.items():
        votes.write_text("\n".join(content) + "\n")
        status, _, err = terminal(capsys, "estimate", plan, votes, "--json", "-")
        assert (status == 0) <= (kind == "missing"), err
        if kind == "doubled":
            assert "twice" in err
