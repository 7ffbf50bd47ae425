"""The interval that leads is the one that holds: stop-safe until the plan is complete as it was made, on every screen alike."""

import json
import re
from dataclasses import replace
from math import ceil, floor

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.version_history import history_of
from testimate.reports.exports import labels_csv, plan_json
from testimate.reports.live import live
from testimate.reports.parts import score_lines, session_scores
from testimate.reports.report import report_html
from testimate.ui.label.live_panel import live_chart
from tests.pages.test_pages import said


def label(session, count: int, *, wrong: int = 0) -> None:
    """Labels the next inputs by the truth, the first ``wrong`` of them against it."""
    for number, draw in enumerate(session.upcoming(count)):
        truth = int(session.inputs.truth[draw.row])
        answer = (truth + 1) % 10 if number < wrong else truth
        event = Event(f"event-{draw.row}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", answer)
        assert session.record([event]).acknowledged


def ends(low: float, high: float) -> str:
    """Both ends, never narrower than they are."""
    return f"{floor(1000 * low + 1e-9) / 10:.1f} to {ceil(1000 * high - 1e-9) / 10:.1f}%"


def lead_of(session) -> str:
    """The sentence that the report begins with."""
    [lead] = re.findall(r'<p class="lead">([^<]*)</p>', report_html(session))
    return lead


def headline(opened, session):
    """The one number of the panel, with its interval beside it."""
    test = opened("label", subject="digits", session=session.session_record.id)
    assert not test.exception
    [shown] = [metric for metric in test.metric if metric.label == "Accuracy of all 1,497 inputs"]
    return shown


def at_the_terminal(session, folder, command) -> str | None:
    (folder / "plan.json").write_text(json.dumps(plan_json(session)))
    (folder / "votes.csv").write_text(labels_csv(session))
    return json.loads(command.ok("estimate", folder / "plan.json", folder / "votes.csv", "--json", "-"))["headline"]


@pytest.mark.parametrize(
    ("labels", "more", "counts"), [(39, 0, "always"), (40, 0, "fixed"), (40, 10, "always"), (50, 10, "always")]
)
def test_the_stop_safe_interval_leads_until_the_plan_is_complete_as_it_was_made(
    opened, project, tmp_path, command, labels, more, counts
):
    session = project.start_session("digits", Request("srs", budget=40, seed=1))
    label(session, min(labels, 40), wrong=4)
    if more:
        session.extend(more, "tester")
        label(session, labels - 40)
    assert session.labeled == labels
    found = session.estimate()
    fixed, safe = ends(found.low, found.high), ends(found.always_low, found.always_high)
    lead, other = (fixed, safe) if counts == "fixed" else (safe, fixed)
    assert lead != other
    assert live(session).headline == at_the_terminal(session, tmp_path, command) == counts
    assert f"95%, {'fixed-size' if counts == 'fixed' else 'stop-safe'}]" in headline(opened, session).delta
    safely = ", stop-safe" if counts == "always" else ""
    results = opened("results", subject="digits", session=session.session_record.id)
    for words in (lead_of(session), said(results)):
        assert f"95% interval {lead}{safely}" in words
        assert f"95% interval {other}" not in words
    assert other.split(" to ")[0] in said(results)  # in small print


def test_label_results_and_report_show_the_estimate_and_its_ends_with_the_same_digits(opened, project):
    session = project.start_session("digits", Request("srs", budget=40, seed=1))
    label(session, 30, wrong=3)
    found = session.estimate()
    digits = [f"{100 * found.accuracy:.1f}", *ends(found.always_low, found.always_high).replace("%", "").split(" to ")]
    of = {"subject": "digits", "session": session.session_record.id}
    shown = headline(opened, session)
    texts = (
        f"{shown.value} {shown.delta}",
        re.search(r"About .*stop-safe", said(opened("results", **of)))[0],
        re.search(r"About .*stop-safe", lead_of(session))[0],
    )
    for text in texts:
        numbers = re.findall(r"\d+\.\d+", text)
        assert numbers == digits


def numbers(text: str) -> list[str]:
    """The numbers with a decimal point, in the order in which they stand."""
    return re.findall(r"\d+\.\d+", text)


@pytest.mark.parametrize(("technique", "labels", "wrong"), [("rra", 16, 15), ("srs", 40, 3), ("rrs", 30, 4)])
def test_five_surfaces_show_one_estimate_of_a_session_to_the_digit(opened, project, technique, labels, wrong):
    session = project.start_session("digits", Request(technique, budget=40, seed=1))
    label(session, labels, wrong=wrong)
    of = {"subject": "digits", "session": session.session_record.id}
    shown = headline(opened, session)
    surfaces = {
        "label": f"{shown.value} {shown.delta}",
        "results": re.search(r"About [^)]*\)", said(opened("results", **of)))[0],
        "report": re.search(r"About [^)]*\)", lead_of(session))[0],
        "versions": opened("versions", **of).dataframe[0].value["Accuracy"][0],
        "slices": score_lines(session_scores(session), session.inputs.task.classes)[-1].precision,
    }
    found = session.estimate()
    counted = (found.low, found.high) if labels == 40 else (found.always_low, found.always_high)
    assert {name: numbers(text) for name, text in surfaces.items()} == dict.fromkeys(
        surfaces, numbers(surfaces["label"])
    )
    estimate, low, high = (float(one) / 100 for one in numbers(surfaces["label"]))
    assert estimate == pytest.approx(found.accuracy, abs=0.0005)
    assert (low, high) == pytest.approx(counted, abs=0.001)


def test_versions_shows_both_numbers_where_labels_of_several_sessions_count(opened, project):
    for seed, wrong in ((1, 3), (2, 6)):
        session = project.start_session("digits", Request("srs", budget=40, seed=seed))
        label(session, 40, wrong=wrong)
    test = opened("versions", subject="digits")
    own, [judged] = session.estimate(), history_of(project, "digits").versions
    assert own.accuracy != judged.reused.estimate.accuracy
    both = next(one for one in said(test).splitlines() if one.startswith("Results shows "))
    results, here = both.split(" Here ")
    assert numbers(results) == [f"{100 * own.accuracy:.1f}", *numbers(ends(own.low, own.high))]
    assert numbers(here) == numbers(test.dataframe[0].value["Accuracy"][0])
    assert said(test).count("Results shows ") == 1


def test_a_technique_without_a_stop_safe_interval_shows_none_until_its_plan_is_complete(
    opened, project, tmp_path, command
):
    session = project.start_session("digits", Request("ssrs", budget=60, seed=1))
    label(session, 59, wrong=4)
    found = session.estimate()
    assert found.always_low is None
    assert found.low is not None
    assert live(session).headline is at_the_terminal(session, tmp_path, command) is None
    assert lead_of(session).startswith(f"About {100 * found.accuracy:.1f}% are classified right, without a guarantee")
    label(session, 1)
    whole = session.estimate()
    assert live(session).headline == at_the_terminal(session, tmp_path, command) == "fixed"
    assert f"95% interval {ends(whole.low, whole.high)}" in lead_of(session)

    begun = project.start_session("digits", Request("ssrs", budget=60, seed=1))
    label(begun, 59, wrong=4)
    results = said(opened("results", subject="digits", session=begun.session_record.id))
    assert ends(found.low, found.high).split(" to ")[0] not in results
    assert "One for the number planned comes when all 60 planned inputs are labeled" in results


def test_before_the_first_number_the_panel_has_no_chart_and_says_how_many_labels_it_needs(opened, project):
    session = project.start_session("digits", Request("rra", budget=40, seed=1))
    label(session, 4, wrong=1)
    test = opened("label", subject="digits", session=session.session_record.id)
    assert not test.get("plotly_chart")
    assert "4 labels, 10 needed." in said(test)
    label(session, 6)
    assert len(opened("label", subject="digits", session=session.session_record.id).get("plotly_chart")) == 1


@pytest.mark.parametrize("wrong", [0, 30])
def test_the_name_of_the_band_and_the_last_number_never_overlap(project, wrong):
    session = project.start_session("digits", Request("srs", budget=40, seed=1))
    label(session, 30, wrong=wrong)
    hidden = replace(live(session), truth=None)
    name, number = sorted(live_chart(session, hidden).layout.annotations, key=lambda one: one.xshift)
    assert name.text == "stop-safe interval"
    assert name.x == number.x == 30
    assert (name.xanchor, number.xanchor) == ("right", "left")  # one ends where the other begins
    assert name.xshift < 0 < number.xshift


def test_switches_of_the_surface_stand_in_one_menu_below_it(opened, project):
    session = project.start_session("digits", Request("srs", budget=40, seed=1))
    test = opened("label", subject="digits", session=session.session_record.id)
    [menu] = test.get("popover")[-1:]
    assert [one.label for one in menu.toggle] == ["Plain buttons", "Show its cluster", "Explain the last fault"]
    assert {one.label for one in test.main.toggle} == {*(one.label for one in menu.toggle), "More"}
