"""Bad input at the terminal: from every technique the expected estimate, or the expected refusal in one sentence."""

import json

import numpy as np
import pytest

from testimate.selectors import SELECTORS
from tests.each import each
from tests.sampling import rotating
from tests.sentences import three_parts

SIZE = 60
EVERY = [name for name in SELECTORS if "groups" not in SELECTORS[name].needs]
ON_A_TABLE = [name for name in EVERY if "training_features" not in SELECTORS[name].needs]
"""Techniques for which a table, its features and a training table are enough."""

EVERY_STRATUM_FIRST = ("rrs", "ssrs", "ssoa-r-p", "ssoa-c-p", "ssoa-r-t", "ssoa-c-t", "css", "gbs")
"""Techniques whose estimate needs a label in each of several strata, so that two labels say nothing yet."""

ROWS = np.arange(SIZE)
CHANCES = np.linspace(0.01, 0.9, SIZE)
SCORES = {
    "constant": (np.full(SIZE, 0.3), "confidence"),
    "confidence all 1": (np.zeros(SIZE), "confidence"),
    "confidence all 0": (np.ones(SIZE), "confidence"),
    "strata of one": (np.where(ROWS == 7, 1.0, np.where(ROWS == 8, 0.5, 0.001)), "confidence"),
    "negative": (-np.linspace(1, 2, SIZE), "lsa"),
    "one huge outlier": (np.where(ROWS == 7, 1e308, np.linspace(1, 2, SIZE)), "lsa"),
}
"""Scores that say nothing or too much, and the auxiliary variable that holds them; beside LSA the confidence is sound."""


@pytest.fixture
def files(tmp_path):
    """Writes a table with these chances of failing and other scores, and features; the options that name them."""

    def written(chances, scores=None):
        features, table = tmp_path / "f.npy", tmp_path / "table.csv"
        np.save(features, np.random.default_rng(2).normal(size=(SIZE, 3)).astype(np.float32))
        lines = [
            f"{row % 2},{(row + (row % 5 == 4)) % 2},{1 - chance!r}" + f",{score!r}" * 5
            for row, (chance, score) in enumerate(
                zip(chances.tolist(), (chances if scores is None else scores).tolist(), strict=True)
            )
        ]
        table.write_text("label,prediction,confidence,lsa,dsa,gini,entropy,margin\n" + "\n".join(lines) + "\n")
        return table, "--features", features, "--training", table

    return written


@pytest.fixture
def select(files, tmp_path, command):
    """Selects by a technique into plan.json; the arguments of the command."""

    def arguments(name, budget, chances=CHANCES, scores=None, auxiliary="confidence"):
        options = ("--technique", name, "--auxiliary", auxiliary, "--budget", budget, "--seed", 1)
        return ("select", *files(chances, scores), *options, "--out", tmp_path / "plan.json")

    return arguments


@pytest.fixture
def votes(tmp_path):
    """Votes on all draws of plan.json; every fifth input fails."""

    def written():
        rows = dict.fromkeys(draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"])
        path = tmp_path / "votes.csv"
        path.write_text("row,failed\n" + "".join(f"{row},{int(row % 5 == 4)}\n" for row in rows))
        return path

    return written


@each(("name", "budget"), rotating(list(SELECTORS), [SIZE + 1, 0]))
def test_a_budget_outside_the_inputs_is_refused_and_no_plan_is_written(name, budget, select, tmp_path, command):
    assert three_parts(command.refusal(*select(name, budget)))
    assert not (tmp_path / "plan.json").exists()


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ON_A_TABLE])
def test_a_technique_that_needs_more_than_a_table_says_so(name, select, tmp_path, command):
    message = command.refusal(*select(name, 30))
    assert three_parts(message)
    assert "features of the training" in message
    assert not (tmp_path / "plan.json").exists()


@each("name", ON_A_TABLE)
def test_two_labels_give_a_number_just_where_they_can(name, select, votes, tmp_path, command):
    command.ok(*select(name, 2))
    estimate = ("estimate", tmp_path / "plan.json", votes(), "--json", "-")
    if name in EVERY_STRATUM_FIRST:
        message = command.refusal(*estimate)
        assert three_parts(message)
        assert "no settled label yet" in message
    else:
        assert json.loads(command.ok(*estimate))["labeled"] == 2


@each(("name", "kind"), rotating(ON_A_TABLE, list(SCORES), each=2))
def test_strange_scores_give_an_accuracy(name, kind, select, votes, tmp_path, command):
    scores, auxiliary = SCORES[kind]
    chances = scores if auxiliary == "confidence" else CHANCES
    command.ok(*select(name, 30, chances, scores, auxiliary))
    found = json.loads(command.ok("estimate", tmp_path / "plan.json", votes(), "--json", "-"))
    assert 0 <= found["accuracy"] <= 1


@each("name", ON_A_TABLE)
def test_a_score_that_is_no_number_is_refused_by_its_cell(name, select, tmp_path, command):
    scores = np.where(ROWS == 7, np.nan, 0.3)
    message = command.refusal(*select(name, 30, CHANCES, scores, "lsa"))
    assert three_parts(message)
    assert "lsa" in message
    assert not (tmp_path / "plan.json").exists()


@each("name", ON_A_TABLE)
def test_votes_that_do_not_fit_are_refused(name, select, votes, tmp_path, command):
    command.ok(*select(name, 30))
    file = votes()
    lines = file.read_text().splitlines()
    estimate = ("estimate", tmp_path / "plan.json", file, "--json", "-")
    wrong = {
        "twice": [*lines, lines[1]],
        "did not pick it": [*lines, "900,1"],
        "no label yet": lines[:1],
    }
    for words, content in wrong.items():
        file.write_text("\n".join(content) + "\n")
        message = command.refusal(*estimate)
        assert three_parts(message)
        assert words in message
