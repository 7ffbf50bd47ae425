"""What a session or plan was made with stays with it, whatever the defaults of a later version."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from testimate.core.design import design_from_json, design_to_json
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import INTERVAL_METHOD, OPTIONS_BEFORE, build, computed_anew, resolve
from testimate.planning.plan import make_plan, read_plan
from testimate.project.project import Project
from testimate.selectors import SELECTORS, pace
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each

SIZE = 400
LOSSES = (np.random.default_rng(3).random(SIZE) < 0.3).astype(float)
SCORES = np.clip(0.5 * LOSSES + 0.5 * np.random.default_rng(4).random(SIZE), 0.01, 0.99)
INPUTS = Inputs(
    "f" * 32, Classification(("a", "b")), np.zeros(SIZE, int), 1 - SCORES, scores={"confidence": SCORES, "dsa": SCORES}
)
BEFORE = Path(__file__).parents[1] / "projects_made_before" / "one_table" / "project"


def draws_of(request: Request, resolved=None) -> list[tuple[int, float | None]]:
    """Every draw of a campaign whose answers are the known losses."""
    selector, draws = build(INPUTS, request, resolved), []
    while asked := selector.ask(request.budget):
        draws += [(draw.row, draw.probability) for draw in asked]
        selector.tell([Verdict(draw, LOSSES[draw.row]) for draw in asked])
    return draws


def later_settings(_chances, _available=(), _options=None):
    terms = {"intercept": [0.0, 3.0], "score": [0.2, 1.0]}
    return {"rounds_ahead": 3, "prior": [0.0, 0.2, 3.0, 1.0], "terms": terms}


@pytest.fixture
def later(monkeypatch):
    """A later version: other zones, three rounds ahead, other priors, other strata."""
    later_options = tuple(
        replace(option, default=7) if option.name == "zones" else option for option in AdaptiveRounds.options
    )
    monkeypatch.setattr(AdaptiveRounds, "options", later_options)
    monkeypatch.setattr(AdaptiveRounds, "resolved", staticmethod(later_settings))
    strata = tuple(
        replace(option, default=20) if option.name == "strata" else option for option in SELECTORS["rrs"].options
    )
    monkeypatch.setattr(SELECTORS["rrs"], "options", strata)


@pytest.mark.parametrize("auxiliary", ["confidence", "dsa"])
@pytest.mark.parametrize("technique", ["rra", "rrs"])
def test_later_defaults_change_new_campaigns_and_no_earlier_one(technique, auxiliary, request):
    chosen = Request(technique, 60, 5, auxiliary=auxiliary)
    stored, then = resolve(INPUTS, chosen), draws_of(chosen)
    request.getfixturevalue("later")
    assert draws_of(chosen) != then
    assert draws_of(chosen, stored) == then


def test_what_was_made_before_anything_was_stored_learns_from_the_score_alone(request):
    chosen = Request("rra", 60, 5)
    as_today = replace(chosen, options={"learns_from": "the score alone"})
    alone = draws_of(as_today, {**resolve(INPUTS, as_today), "rounds_ahead": 2})
    assert draws_of(chosen, {}) == alone
    assert draws_of(chosen) != alone
    stored_then = {  # by the version before this one
        "options": {"zones": 10, "exploit": 0, "exploit_order": "failure chance", "eps_start": 0.5, "eps_end": 0.15},
        "rounds_ahead": 2,
        "prior": [0.6, 0.9, 0.5, 0.25],
    }
    request.getfixturevalue("later")
    assert draws_of(chosen, stored_then) == alone


def test_the_present_defaults_are_stored_whole():
    made = resolve(INPUTS, Request("rra", 60, 5, options={"zones": "8"}))
    assert made == {
        "options": {
            "zones": 8,
            "exploit": 0,
            "exploit_order": "failure chance",
            "learns_from": "all that is known",
            "eps_start": 0.5,
            "eps_end": 0.15,
            "trust": 1.0,
        },
        "rounds_ahead": 5,
        "prior": [0.6, 0.9, 0.5, 0.25],
        "terms": {"intercept": [0.6, 0.5], "score": [0.9, 0.25], "dsa": [0.25, 0.3]},
        "others": [],
        "bets": [60.0, 200.0, 700.0],
        "aimed_at": 60,
        "interval_version": 3,
    }
    assert resolve(INPUTS, Request("rra", 60, 5, auxiliary="dsa"))["prior"] == [-1.5, 0.9, 1.5, 0.5]


@pytest.mark.parametrize("technique", ["rra", "rrs"])
def test_a_plan_made_before_keeps_its_interval_and_says_so(technique):
    request, rng = Request(technique, 60, 5), np.random.default_rng(1)
    ends = {}
    for version, settings in ((1, {}), (3, None)):
        selector = build(INPUTS, request, settings)
        verdicts = [Verdict(draw, float(rng.random() < 0.2)) for draw in selector.ask(60)]
        while len(verdicts) < 60:
            selector.tell(verdicts)
            verdicts += [Verdict(draw, float(rng.random() < 0.2)) for draw in selector.ask(60)]
        assert selector.design.interval_version == version
        found = estimator_of(selector.design).estimate(selector.design, verdicts)
        said = computed_anew(INTERVAL_METHOD, INPUTS.task, found, "plan", selector.design, technique)
        assert said.startswith("This plan was made with an earlier interval and keeps it.") == (version == 1)
        ends[version] = found
        record = design_to_json(selector.design)
        assert design_from_json(record) == selector.design
        del record["interval_version"]  # as in a plan of then
        assert design_from_json(record).interval_version == 1
    assert computed_anew(INTERVAL_METHOD, INPUTS.task, ends[1], "plan", selector.design, "srs") == ""
    second = replace(selector.design, interval_version=2)  # the interval of right or wrong is that of today
    assert "earlier interval" not in computed_anew(INTERVAL_METHOD, INPUTS.task, ends[3], "plan", second, technique)


@each(
    ("technique", "options", "rounds"),
    [("rra", {}, 4), ("rra", {"zones": 5}, 7), ("rra", {"zones": 12, "exploit": 8}, 3), ("rra", {"zones": 40}, 2)],
)
def test_thirty_inputs_lie_open_until_the_first_round_is_whole(technique, options, rounds):
    chosen = Request(technique, 200, 5, options=options)
    settings = resolve(INPUTS, chosen)
    selector = build(INPUTS, chosen, settings)
    size, drawn = sum({"zones": 10, "exploit": 0, **options}.values()), list(selector.ask(200))
    assert settings["rounds_ahead"] == rounds
    assert len(drawn) == size * rounds
    while selector.remaining:  # one by one, as the keys come
        settled = len(drawn) - size * rounds
        for draw in drawn[settled : settled + size - 1]:
            selector.tell([Verdict(draw, LOSSES[draw.row])])
            assert selector.ask(200) == []
        assert len(drawn) - (settled + size - 1) > 30  # before the answer that lets the next round be drawn
        selector.tell([Verdict(drawn[settled + size - 1], LOSSES[drawn[settled + size - 1].row])])
        drawn += selector.ask(200)


def test_a_regression_shifts_negative_scores_and_says_so():
    numbers = Inputs("f" * 32, Regression(tolerance=1.0), np.zeros(9), scores={"lsa": np.linspace(-1, 1, 9)})
    assert resolve(numbers, Request("sups", 3, 1, auxiliary="lsa"))["options"]["negative"] == "shift"
    assert resolve(INPUTS, Request("sups", 3, 1))["options"]["negative"] == "min-max"


def test_every_option_of_today_has_a_value_for_earlier_sessions():
    for name, technique in SELECTORS.items():
        assert set(OPTIONS_BEFORE.get(name, {})) == {option.name for option in technique.options}, name


def test_a_pace_session_made_before_its_tree_was_stored_draws_by_the_packages_tree_and_a_new_one_by_blocks(monkeypatch):
    engines = []
    found = pace.find_clusters
    monkeypatch.setattr(pace, "find_clusters", lambda *a, **k: engines.append((one := found(*a, **k)).engine) or one)
    rng = np.random.default_rng(5)
    features = 8 * rng.normal(size=(5, 10))[rng.integers(5, size=SIZE)] + rng.normal(size=(SIZE, 10))
    inputs = replace(INPUTS, features={"LHL": features})
    chosen = Request("pace", 20, 1, options={"min_cluster_size": 30, "reduction": "none"})
    stored = resolve(inputs, chosen)
    assert stored["blocks_from"] == 5
    stored_then = {name: value for name, value in stored.items() if name != "blocks_from"}
    for settings in (stored, stored_then):
        build(inputs, chosen, settings)
    assert engines == ["exact, in blocks by NumPy", "hdbscan, exact Boruvka"]


def test_a_plan_keeps_its_settings_on_disk(tmp_path, request):
    chosen = Request("rra", 60, 5)
    plan = make_plan(INPUTS, chosen)
    plan.write(tmp_path / "PLAN.json")
    request.getfixturevalue("later")
    found = read_plan(tmp_path / "PLAN.json")
    assert found.resolved == plan.resolved
    assert draws_of(chosen, found.resolved)[:40] == [(draw.row, draw.probability) for draw in plan.draws]


def test_a_session_keeps_its_settings_in_the_store(tmp_path, request):
    shared = Project(tmp_path)
    key = shared.add_table("set.csv", (b"prediction,confidence\n" + b"a,0.9\nb,0.6\n" * 100)).key
    made = shared.start_session(key, Request("rra", 40, 5))
    rows = [draw.row for draw in made.draws]
    request.getfixturevalue("later")
    again = Project(tmp_path).session(made.session_record.id)
    assert [draw.row for draw in again.draws] == rows
    assert len(rows) == 40
    assert again.session_record.resolved["options"]["zones"] == 10


@each(
    ("settings", "says"),
    [
        ({"rounds_ahead": 0}, "rounds drawn ahead is 0"),
        ({"prior": [1.0, 2.0]}, "The prior is"),
        ({"prior": [0.6, 0.9, 0.0, 0.25]}, "above 0"),
        ({"prior": [0.6, 0.9, 0.0, 0.25], "options": {"learns_from": "the score alone"}}, "above 0"),
        ({"options": {"learns_from": "all that is known"}, "terms": {"votes": [0.3, 0.2]}}, "learns from 'votes'"),
        ({"options": {"learns_from": "all that is known"}, "terms": {"score": [0.3, 0.0]}}, "prior of 'score'"),
        ({"options": {"zones": 0}}, "zones is 0"),
        ({"options": {"speed": 1}}, "no option 'speed'"),
        ({"options": 3}, "stored options are 3"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(settings, says):
    with pytest.raises(BadInput, match=says):
        build(INPUTS, Request("rra", 60, 5), settings)


def test_the_frozen_table_is_what_old_sessions_replay_by(tmp_path, request):
    shutil.copytree(BEFORE, tmp_path / "project")
    request.getfixturevalue("later")
    project = Project(tmp_path / "project")
    for record in project.sessions():
        assert record.resolved == {}
        assert project.session(record.id).labeled > 0  # the history fits the draws, or ReplayMismatch
