"""A race: what it shows is what a session says that a tester labels rightly, and its words fit what happened."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.studies.race import RECENT, run_course, what_goes_on
from testimate.studies.study_rows import spread_of_srs
from testimate.tasks.regression import Regression

BUDGET = 40


def labeled_by_the_truth(session, inputs):
    while draws := session.upcoming(8):
        session.record(
            [
                Event(f"e{draw.row}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", int(inputs.truth[draw.row]))
                for draw in draws
            ]
        )
    return session


@pytest.mark.parametrize("technique", ["srs", "rrs", "rra", "sups", "gbs", "pace", "severity-first"])
def test_a_race_ends_as_a_session_does_that_is_labeled_by_the_truth(technique, inputs, open_session):
    session = labeled_by_the_truth(open_session(technique, BUDGET), inputs)
    course = run_course(inputs, session.session_record.request)
    assert course.draws == session.draws
    estimate = session.estimate()
    ends = [course.accuracy, course.low, course.high, course.always_low, course.always_high]
    expected = [estimate.accuracy, estimate.low, estimate.high, estimate.always_low, estimate.always_high]
    assert np.array([end[-1] for end in ends]) == pytest.approx(np.array(expected, dtype=float), nan_ok=True)
    found = {draw.row for draw in session.draws if inputs.losses[draw.row]}
    assert course.failures[-1] == len(found)


def test_on_the_way_it_shows_what_the_session_shows_after_as_many_labels(inputs, open_session):
    session = open_session("rrs", BUDGET)
    course = run_course(inputs, session.session_record.request)
    for count, draw in enumerate(session.upcoming(25), 1):
        answer = int(inputs.truth[draw.row])
        session.record([Event(f"e{count}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", answer)])
    estimate = session.estimate()
    assert (course.accuracy[24], course.low[24], course.always_high[24]) == pytest.approx(
        (estimate.accuracy, estimate.low, estimate.always_high)
    )


def test_before_every_stratum_has_a_label_there_is_no_number(inputs):
    course = run_course(inputs, Request("rrs", BUDGET, 3))
    strata = len(course.design.stratum_sizes)
    assert np.isnan(course.accuracy[: strata - 1]).all()
    assert np.isfinite(course.accuracy[strata - 1 :]).all()
    assert "No number yet" in what_goes_on(course, 1)


def test_an_input_drawn_twice_is_one_failure(inputs):
    course = run_course(replace(inputs, losses=np.ones(len(inputs))), Request("sups", 200, 3))
    rows = [draw.row for draw in course.draws]
    assert len(set(rows)) < len(rows)
    assert course.failures.tolist() == [len(set(rows[:count])) for count in range(1, 201)]


def test_the_words_count_prototypes_and_minority_space_and_promise_nothing(inputs):
    features = inputs.features["LHL"].copy()
    features[:60] = np.random.default_rng(1).uniform(-40, 40, (60, features.shape[1]))  # outside of every cluster
    options = {"min_cluster_size": 20, "reduction": "none"}
    course = run_course(replace(inputs, features={"LHL": features}), Request("pace", BUDGET, 3, options=options))
    apart = [draw.reason.startswith("minority space") for draw in course.draws]
    assert course.chosen
    assert any(apart)
    assert not all(apart)
    said = what_goes_on(course, BUDGET)
    assert f"{apart.count(False)} typical inputs" in said
    assert f"{apart.count(True)} inputs of the minority space" in said
    earlier, later = (int(part.sum()) for part in np.split(course.failed, [BUDGET - RECENT]))
    assert f"Of the last {RECENT} labels {later} failed, of the {BUDGET - RECENT} before {earlier}" in said
    off = 100 * (np.mean(~course.failed) - course.truth)
    assert f"It ended {abs(off):.1f} points {'above' if off > 0 else 'below'} the truth" in said
    assert "nobody can say how far off it is" in what_goes_on(course, BUDGET - 1)
    assert np.isnan(course.low).all()


def test_the_words_say_how_many_labels_failed_and_how_wide_the_interval_is(inputs):
    course = run_course(inputs, Request("rrs", BUDGET, 3))
    said = what_goes_on(course, BUDGET)
    assert f"{course.failed.sum()} of {BUDGET} labels failed" in said
    assert f"±{50 * (course.high[-1] - course.low[-1]):.1f} points" in said
    half = 196 * spread_of_srs(inputs.losses, BUDGET)
    assert f"a random sample of {BUDGET} has about ±{half:.1f} points" in said
    held = course.low[-1] <= course.truth <= course.high[-1]
    assert said.endswith("In the end it contains the truth.") == held
    assert "Watch the bands" in what_goes_on(course, 0)
    assert "In the end" not in what_goes_on(course, BUDGET - 1)


def test_every_technique_has_words_at_every_label(inputs):
    for technique in ("srs", "ssrs", "rra", "rhc-s", "2-ups", "deepest", "sups", "ces", "deepgini"):
        course = run_course(inputs, Request(technique, BUDGET, 3))
        for count in range(len(course) + 1):
            said = what_goes_on(course, count)
            assert said.endswith(".")
            assert "  " not in said


def test_a_race_over_numbers_is_of_the_share_within_the_tolerance(inputs):
    losses = np.random.default_rng(1).exponential(0.05, len(inputs))
    numbers = replace(inputs, task=Regression(tolerance=0.3), losses=losses, confidence=None)
    course = run_course(numbers, replace(Request("srs", BUDGET, 3), auxiliary="lsa"))
    assert course.truth == pytest.approx(np.mean(np.sqrt(losses) <= 0.3))
    assert course.failing == np.mean(np.sqrt(losses) > 0.3)
    said = what_goes_on(course, BUDGET)
    assert f"±{100 * (course.high[-1] - course.low[-1]) / 2:.1f} points" in said


def test_without_the_truth_there_is_no_race(inputs):
    with pytest.raises(BadInput, match="truth of these inputs is not known"):
        run_course(replace(inputs, losses=None, truth=None), Request("srs", BUDGET, 3))
