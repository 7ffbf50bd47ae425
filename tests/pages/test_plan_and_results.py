"""Plan says what to expect of the very plan chosen; Results repeats it, with picks marked and models only where asked for."""

import json
import re
from math import ceil, floor

import numpy as np
import pytest

from testimate.advice.advice import BALANCE
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.words import commas
from testimate.planning.assisted import assisted_estimate
from testimate.planning.expected_range import expected_range, labels_range
from testimate.reports.exports import labels_csv, plan_json
from testimate.reports.report import report_html


def plain(text: str) -> str:
    """The text as a reader sees it, without the marks that keep letters letters."""
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text).replace("\u202f", " ").replace("\u00a0", " ")


def facts_of(test) -> dict[str, str]:
    """What the page says it rests on, by name."""
    rows = test.table[0].value.reset_index().to_dict("records")
    return {plain(str(row["what"])): plain(str(row["value"])) for row in rows}


def said(test) -> str:
    parts = [*test.markdown, *test.text, *test.caption, *test.info, *test.warning, *test.error, *test.success]
    return plain("\n".join(str(part.value) for part in parts))


def label(session, count: int) -> None:
    """Labels the next inputs by the truth."""
    number = 0
    while number < count:
        events = []
        for draw in session.upcoming(min(10, count - number)):
            truth = session.inputs.truth[draw.row].item()
            events.append(Event(f"e{number:04}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", truth))
            number += 1
        assert len(session.record(events).acknowledged) == len(events)


def field(test, kind: str, label: str):
    """The one widget of a kind with this label."""
    [found] = [one for one in getattr(test, kind) if one.label == label]
    return found


def expected_words(inputs, request, half_width=0.05):
    """What the plan page has to say about a request."""
    lines = []
    for always in (True, False):
        of_plan = {"chosen": request, "stop_safe": always}
        widths = expected_range(inputs, [request.budget], request.technique, **of_plan)
        typical, low, high = (
            f"{ceil(1000 * one.item() - 1e-9) / 10:.1f}" for one in (widths.middle, widths.low, widths.high)
        )
        least, middle, most = map(commas, labels_range(inputs, half_width, request.technique, **of_plan))
        lines.append(
            f"about ±{typical} points after {request.budget} labels. ±{100 * half_width:.1f} points takes about {middle} "
            f"labels ({least} to {most}). On networks like yours: between ±{low} and ±{high} points."
        )
    return lines


@pytest.mark.parametrize("objective", ["tight interval", "balance"])
def test_the_plan_says_what_width_to_expect_and_how_many_labels_the_wanted_one_takes(objective, opened, project):
    test = opened("plan", subject="digits")
    test.radio(key="objective").set_value(objective).run()
    inputs = project.inputs("digits")
    options = BALANCE if objective == "balance" else {}
    for line in expected_words(inputs, Request("rra", 200, 1, options=options)):
        assert line in said(test)


def test_plan_begins_with_a_goal_two_numbers_and_one_forecast(opened):
    test = opened("plan", subject="digits")
    under_advanced = {id(one) for one in walk(test.expander[0])}
    first = [
        one for kind in ("radio", "number_input", "selectbox", "toggle", "text_input") for one in getattr(test, kind)
    ]
    assert [one.label for one in first if id(one) not in under_advanced] == [
        "Goal",
        "Labels, at most",
        "Goal, ± points",
    ]
    [width] = re.findall(
        r"Expect about ±([\d.]+) points .* after 200 labels. ±5.0 points takes about \d+ labels.", said(test)
    )
    assert f"±{width} points after 200 labels" in said(test)  # the chart's own words
    assert "Picked by adaptive rounds (rra)." in said(test)


def walk(block):
    for child in block.children.values():
        yield child
        yield from walk(child) if hasattr(child, "children") else ()


@pytest.mark.parametrize("typed", [0, -5, 20_000])
def test_a_number_of_labels_that_no_plan_has_is_said_in_place_of_the_forecast(opened, typed):
    test = opened("plan", subject="digits")
    before = {button.label for button in test.button}
    [field] = [one for one in test.number_input if one.label == "Labels, at most"]
    field.set_value(typed).run()
    assert not test.exception
    assert [one.value for one in test.error] == [f"{typed:,} labels. Expected 1 to 1,497. Change the number."]
    assert "Expect about" not in said(test)
    assert before - {button.label for button in test.button} == {"Start labeling"}
    [field] = [one for one in test.number_input if one.label == "Labels, at most"]
    field.set_value(100).run()
    assert "after 100 labels" in said(test).replace("\u00a0", " ")
    assert not test.error


def test_the_forecast_follows_the_goal(opened):
    test = opened("plan", subject="digits")
    for goal, words in (
        ("balance", r"Expect about ±[\d.]+ points .* Expect about \d+ faults \(likely \d+ to \d+\)"),
        ("many failures", r"Expect about \d+ faults \(likely \d+ to \d+\) in 200 labels"),
        ("severe faults", r"Expect about \d+ severe faults \(likely \d+ to \d+\) in 200 labels"),
    ):
        test.radio(key="objective").set_value(goal).run()
        assert not test.exception
        assert re.search(words, said(test)), goal
    assert "Goal, ± points" not in [one.label for one in test.number_input]  # no interval to be narrow enough


def test_the_forecast_of_the_plan_shows_either_interval(opened):
    test = opened("plan", subject="digits")
    assert "A forecast of half the stop-safe 95% interval." in said(test)
    assert "Adaptive rounds (rra) are drawn above round-robin (rrs)" in said(
        test
    )  # its line lies above that of rrs, against the advice beside it
    test.segmented_control(key="stop-safe forecast").set_value(False).run()
    assert not test.exception
    assert "A forecast of half the 95% interval." in said(test)
    assert "Adaptive rounds (rra) are drawn above round-robin (rrs)" not in said(test)


def test_an_interval_that_no_session_shows_is_not_forecast_either(opened):
    test = opened("plan", subject="digits")
    assert "Unequal probability sampling" in lines_of(test)  # its stop-safe interval is right
    test.segmented_control(key="stop-safe forecast").set_value(False).run()
    assert "Unequal probability sampling" not in lines_of(test)
    assert "Simple random sampling" in lines_of(test)


def lines_of(test):
    [figure] = test.get("plotly_chart")
    return figure.proto.spec


def test_what_has_no_forecast_says_so(opened, project):
    lines = "\n".join(f"{row % 7 / 7:.3f},{row % 5 / 5:.3f},{row % 3}" for row in range(40))
    subject = project.add_table("numbers.csv", f"label,prediction,lsa\n{lines}\n".encode(), tolerance=0.3)
    test = opened("plan", subject=subject.key)
    assert not test.exception
    assert "nothing shows how far off a number is before there are labels" in said(test)
    assert "±18.6\u00a0points with 40 labels" not in said(test)  # all 40 are known then
    test = opened("plan", subject="digits")
    test.toggle(key="by name").set_value(True).run()
    field(test, "selectbox", "Technique").set_value("gbs").run()
    assert "There is no forecast for Gradient-based sampling (gbs) with 200 labels" in said(test)


def test_results_mark_the_exploit_picks(opened, project):
    session = project.start_session("digits", Request("rra", 80, 1, options=BALANCE))
    label(session, 60)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    picked = [draw for draw in session.draws[:60] if draw.exploit]
    failures = int(session.inputs.losses[[draw.row for draw in picked]].sum())
    assert len(picked) == 24
    assert "24 were picked to find faults and stand only for themselves." in said(test)
    facts = facts_of(test)
    assert facts["Picked to find faults (exploit picks)"] == f"24, of which {failures} did"
    assert "already corrected by guesses" in said(test)


def test_a_model_helps_the_results_only_where_one_asks_for_it(opened, project):
    session = project.start_session("digits", Request("srs", 120, 1))
    label(session, 120)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert "Model-assisted" not in said(test)
    choice = test.radio(key=f"model {session.session_record.id}")
    assert choice.value is None
    for model in ("difference", "regression"):
        test = test.radio(key=f"model {session.session_record.id}").set_value(model).run()
        assert not test.exception
        helped = assisted_estimate(
            session.inputs, session.selector.design, session.verdicts(), session.estimate(), model=model
        )
        found = helped.estimate
        low = floor(1000 * found.low) / 10
        assert f"Model-assisted: {100 * found.accuracy:.1f}% (95% interval {low:.1f} to" in said(test)
        assert helped.words in said(test)


def test_the_results_of_a_regression_are_the_share_within_its_tolerance_and_mean_errors(opened, project):
    rng = np.random.default_rng(3)
    truth, score = rng.normal(size=60), rng.random(60)
    guess = truth + (0.1 + score) * rng.normal(size=60)
    lines = "\n".join(f"{t:.4f},{g:.4f},{s:.4f}" for t, g, s in zip(truth, guess, score, strict=True))
    subject = project.add_table("numbers.csv", f"label,prediction,lsa\n{lines}\n".encode(), tolerance=0.3)
    session = project.start_session(subject.key, Request("rrs", 40, 1, auxiliary="lsa"))
    label(session, 40)
    test = opened("results", subject=subject.key, session=session.session_record.id, truth="on")
    assert not test.exception
    assert not test.error
    facts = facts_of(test)
    assert facts["True share (known here)"] == f"{100 * np.mean(np.abs(truth - guess).round(4) <= 0.3):.2f}%"
    assert "of the 60 inputs are within 0.3 (95% interval" in said(test)
    assert "Mean absolute error" in said(test)
    assert "As published, 1 - MSE" in said(test)
    test = test.radio(key=f"model {session.session_record.id}").set_value("regression").run()
    assert "A line through lsa, fitted to the labels" in said(test)


def test_without_a_tolerance_the_interval_of_squared_errors_is_called_rough_on_every_page(opened, project):
    rng = np.random.default_rng(4)
    lines = "\n".join(f"{t:.3f},{t + e:.3f}" for t, e in rng.normal(size=(60, 2)))
    subject = project.add_table("numbers.csv", f"label,prediction\n{lines}\n".encode(), tolerance=0)
    session = project.start_session(subject.key, Request("srs", 40, 1))
    label(session, 40)
    of = {"subject": subject.key, "session": session.session_record.id}
    test = opened("label", **of)
    estimate = session.estimate()
    [headline] = [one for one in test.metric if one.label == "1 - mean squared error of all 60 inputs"]
    assert headline.value == f"{estimate.accuracy:.3f}"
    assert headline.delta.endswith("[95%, rough]]")
    words = f"1 - mean squared error over the 60 inputs is about {estimate.accuracy:.4f} (rough interval"
    assert words in said(opened("results", **of))
    assert "95% interval" not in report_html(session).replace("stop-safe 95% interval", "")


def test_what_the_page_exports_is_estimated_to_the_same_digits_at_the_terminal(project, tmp_path, command):

    session = project.start_session("digits", Request("rra", 120, 1, options=BALANCE))
    label(session, 70)
    (tmp_path / "plan.json").write_text(json.dumps(plan_json(session)))
    (tmp_path / "votes.csv").write_text(labels_csv(session))
    found = json.loads(command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--json", "-"))
    said = {"computed_anew": "", "skips": "", "headline": "always"}  # 70 of 120 labels: the stop-safe interval holds
    assert found == session.estimate().to_json() | said


def test_a_plan_drawn_anew_with_another_seed_reckons_no_forecast_again(opened, monkeypatch):
    test = opened("plan", subject="digits")

    def reckon(*args, **named):
        raise AssertionError("reckoned again")

    for forecast in ("expected_range", "labels_range"):
        monkeypatch.setattr(f"testimate.ui.plan.expected_width.{forecast}", reckon)
    [seed] = [field for field in test.number_input if field.label == "Seed"]
    seed.set_value(7).run()
    assert not test.exception
    [budget] = [field for field in test.number_input if field.label == "Labels, at most"]
    assert budget.set_value(77).run().exception  # a budget of which there is none yet


def test_a_budget_from_which_no_estimate_can_follow_is_named_before_it_is_spent(opened):
    test = opened("plan", subject="digits")
    assert "No estimate is possible" not in said(test)
    test.toggle(key="by name").set_value(True).run()
    field(test, "selectbox", "Technique").set_value("ssrs").run()
    assert "No estimate is possible" not in said(test)
    field(test, "number_input", "Labels, at most").set_value(3).run()
    assert not test.exception
    [warning] = [plain(one.value) for one in test.warning]
    assert re.match(r"No estimate is possible from 3 of these labels: it needs a label in every stratum\.", warning)
    assert "Start labeling" in [button.label for button in test.button]  # it warns; the choice stays the tester's


@pytest.mark.parametrize("page", ["results", "label"])
def test_skipped_inputs_are_counted_with_what_they_cost_in_width(page, opened, project):
    session = project.start_session("digits", Request("srs", 80, 1))
    draws = session.upcoming(60)
    skipped = {draw.row for draw in draws[30:60:5]}
    events = [
        Event(
            f"e{draw.row:05}",
            "cannot tell" if draw.row in skipped else "answer",
            draw.row,
            "tester",
            "2026-11-20T10:00:00+00:00",
            None if draw.row in skipped else session.inputs.truth[draw.row].item(),
        )
        for draw in draws
    ]
    session.record(events[:30])
    at = {"subject": "digits", "session": session.session_record.id}
    assert "widen the fixed-size interval" not in said(opened(page, **at))
    session.record(events[30:])
    test = opened(page, **at)
    assert not test.exception
    [costs] = re.findall(
        r"(\d+) unanswered inputs widen the fixed-size interval from ±([\d.]+) to ±([\d.]+) points", said(test)
    )
    assert int(costs[0]) == len(skipped)
    # all of them wrong or all of them right: on either side about half of their share of what was drawn comes on top
    assert float(costs[2]) - float(costs[1]) == pytest.approx(100 * len(skipped) / len(draws) / 2, abs=1.5)


def test_a_forecast_of_very_many_inputs_is_from_a_sample_and_says_so(opened, monkeypatch):
    whole = opened("plan", subject="digits")
    monkeypatch.setattr("testimate.ui.plan.expected_width.LOOKED_AT", 1_450)
    few = opened("plan", subject="digits")

    def captions(test):
        return " ".join(caption.value for caption in test.caption).replace("\u202f", " ")

    assert "The forecast is from" not in captions(whole)
    assert "The forecast is from 1,450 of the 1,497 inputs, drawn at random." in captions(few)
