"""Every page, empty, busy and with bad input: it says what to do, shows what is known, and stays up."""

import json
import re
from math import ceil, floor

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event

PAGES = ["subject", "clusters", "strata", "plan", "label", "results"]


def said(test) -> str:
    parts = [*test.markdown, *test.text, *test.caption, *test.info, *test.warning, *test.error, *test.success]
    parts += [*test.title, *test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", "\n".join(str(part.value) for part in parts))


def label(session, count: int, *, wrong: int = 0) -> None:
    """Labels the first inputs by the truth, the first ``wrong`` of them against it."""
    for number, draw in enumerate(session.upcoming(count)):
        truth = int(session.inputs.truth[draw.row])
        answer = (truth + 1) % 10 if number < wrong else truth
        event = Event(
            f"event-{number:04}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", answer, seconds=2.0
        )
        assert session.record([event]).acknowledged


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_nothing_open_says_what_to_do_next(opened, page):
    test = opened(page)
    assert not test.exception
    assert len(test.button) >= 1
    if page != "subject":
        assert len(test.info) == 1


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_the_demo_open_shows_no_error(opened, page):
    test = opened(page, subject="digits")
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("page", PAGES)
def test_a_subject_that_is_not_there_is_told_in_a_sentence(opened, page):
    test = opened(page, subject="table-nowhere")
    assert not test.exception
    assert "table-nowhere" in said(test)
    assert len(test.error) == 1


@pytest.mark.parametrize("page", ["label", "results"])
def test_a_session_that_is_not_there_is_told_in_a_sentence(opened, page):
    test = opened(page, subject="digits", session="no-such-session")
    assert not test.exception
    assert "no-such-session" in said(test)


def test_the_first_screen_offers_the_demo_and_one_click_plans_it_and_goes_to_label(opened, project):
    test = opened("subject")
    test.button(key="demo digits").click().run()
    [record] = project.sessions()
    assert (record.subject, record.request.budget) == ("digits", 200)


def test_the_facts_of_the_demo_name_its_size_and_its_accuracy(opened, project):
    test = opened("subject", subject="digits", truth="on")
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Inputs"] == "1,497"
    accuracy = 100 * (1 - project.inputs("digits").losses.mean())
    assert values["Accuracy, known here"].startswith(f"{accuracy:.1f}")


@pytest.mark.parametrize("scheme", ["equal spread", "rule", "clusters 3", "clusters 10"])
def test_the_strata_of_every_scheme_add_up_to_all_inputs_and_each_technique_to_the_budget(opened, scheme):
    test = opened("strata", subject="digits", truth="on")
    [chooser] = [box for box in test.selectbox if box.label == "Cut into strata"]
    chooser.set_value(scheme).run()
    assert not test.exception
    table = test.dataframe[0].value
    assert table["inputs"].sum() == 1497
    techniques = [name for name in table.columns if name.startswith(("srs", "ssrs", "rrs", "best"))]
    assert len(techniques) == 4
    assert all(table[name].sum() == 200 for name in techniques)


@pytest.mark.parametrize("technique", ["rrs", "sups", "ssoa-c-p", "pace"])
def test_every_technique_can_be_planned_by_name_and_starts_a_session(opened, project, technique):
    test = opened("plan", subject="digits")
    test.toggle(key="by name").set_value(True).run()
    [chooser] = [box for box in test.selectbox if box.label == "Technique"]
    chooser.set_value(technique).run()
    [budget] = [field for field in test.number_input if field.label == "Labels, at most"]
    budget.set_value(40).run()
    assert not test.exception
    assert not test.error
    [start] = [button for button in test.button if button.label == "Start labeling"]
    start.click().run()
    [record] = project.sessions()
    assert (record.request.technique, record.request.budget) == (technique, 40)


def test_the_label_page_shows_the_estimate_of_the_labels_there_are(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    label(session, 30, wrong=3)
    test = opened("label", subject="digits", session=session.session_record.id)
    assert not test.exception
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Accuracy of all 1,497 inputs"].startswith(f"{100 * session.estimate().accuracy:.1f}")
    failed = sum(verdict.loss == 1 for verdict in session.verdicts())
    assert values["Faults"] == str(failed)


def test_the_panel_says_once_how_wide_the_interval_is_and_a_narrow_screen_has_it_in_a_line(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1), half_width=0.02)
    label(session, 30, wrong=3)
    test = opened("label", subject="digits", session=session.session_record.id)
    found = session.estimate()
    texts = [one.value for one in (*test.markdown, *test.caption)]
    assert any(words.startswith("Keep going\\. About ") for words in texts)  # the gauge shows the width and the goal
    [line] = [words for words in texts if words.startswith(f"**{100 * found.accuracy:.1f}%**")]
    assert line.endswith(" faults")
    figure = json.loads(test.get("plotly_chart")[0].proto.spec)
    assert not [
        trace for trace in figure["data"] if trace.get("name") == "95% interval"
    ]  # valid at the plan's end alone


def test_faults_their_order_and_severity_stand_beside_the_labels_without_a_click(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    label(session, 30, wrong=3)
    test = opened("label", subject="digits", session=session.session_record.id)
    values = {metric.label: metric.value for metric in test.metric}
    wrong = [verdict.draw.row for verdict in session.verdicts() if verdict.loss == 1]
    confidence = session.inputs.confidence[wrong]
    assert values["Severe"] == str((confidence >= 0.8).sum())
    assert {"Found early (WFDR)", "Severe first (SFDR)"} <= set(values)
    [bars] = [one.value for one in test.get("html") if "Severe (80" in one.value]
    counts = [int(count) for count in re.findall(r"<b>(\d+)</b>", bars)]
    assert counts == [
        (confidence >= 0.8).sum(),
        ((confidence >= 0.5) & (confidence < 0.8)).sum(),
        (confidence < 0.5).sum(),
    ]


def test_the_gauge_is_as_wide_as_the_interval_against_three_times_the_goal(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1), half_width=0.2)
    label(session, 30, wrong=3)
    test = opened("label", subject="digits", session=session.session_record.id)
    estimate = session.estimate()
    [gauge] = [one.value for one in test.get("html") if "goal ±20.0" in one.value]
    share = 100 * (estimate.always_high - estimate.always_low) / 2 / 0.6
    assert f"width:{share:.1f}%" in gauge
    assert "left:33.3%" in gauge


def test_an_answer_by_plain_buttons_is_stored_under_the_input_that_was_shown(opened, project):
    session = project.start_session("digits", Request("srs", budget=40, seed=1))
    test = opened("label", subject="digits", session=session.session_record.id)
    test.toggle(key="plain buttons").set_value(True).run()
    first = session.upcoming(1)[0].row
    test.button(key=f"fallback {first} class 7").click().run()
    assert not test.exception
    session.refresh()
    assert session.answers() == {first: 7}


def test_the_results_repeat_the_estimate_in_words_and_offer_it_as_files(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    label(session, 40, wrong=4)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    estimate = session.estimate()
    low, high = floor(1000 * estimate.low) / 10, ceil(1000 * estimate.high) / 10  # never narrower than they are
    assert f"About {100 * estimate.accuracy:.1f}% of the" in said(test)
    assert f"95% interval {low:.1f} to {high:.1f}%" in said(test)
    assert "From 40 labels" in said(test)


def test_results_before_any_label_show_no_number(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert not re.search(r"\d+\.\d%", said(test).split("How this was measured")[0])


def test_a_purposive_selection_is_shown_without_an_interval(opened, project):
    session = project.start_session("digits", Request("pace", budget=20, seed=1))
    label(session, 20)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert "without a guarantee" in said(test)
    label_page = opened("label", subject="digits", session=session.session_record.id)
    [mean] = [metric for metric in label_page.metric if metric.label == "Mean of chosen"]
    assert not mean.delta


def test_a_prediction_table_goes_the_whole_way(opened, project, table):
    subject = project.add_table("mine.csv", table.read_bytes())
    for page in ("subject", "clusters", "strata", "plan"):
        test = opened(page, subject=subject.key)
        assert not test.exception
        assert not test.error
    session = project.start_session(subject.key, Request("rrs", budget=20, seed=1))
    test = opened("label", subject=subject.key, session=session.session_record.id)
    assert not test.exception


def test_class_names_that_try_to_draw_or_link_stay_letters(opened, project):
    evil = "![x](http://127.0.0.1:9/a.png) <script>alert(1)</script>"
    lines = ["label,prediction,confidence", *(f'"{evil}",cat,0.{50 + row}' for row in range(20)), "cat,cat,0.9"]
    subject = project.add_table("evil.csv", "\n".join(lines).encode())
    session = project.start_session(subject.key, Request("srs", budget=10, seed=1))
    for page in ("subject", "strata", "plan", "label", "results"):
        test = opened(page, subject=subject.key, session=session.session_record.id)
        assert not test.exception
        for part in [*test.markdown, *test.caption]:
            assert "](http" not in str(part.value)


def test_the_exported_plan_and_votes_give_the_same_digits_from_the_terminal(project, tmp_path, command):
    from testimate.reports.exports import labels_csv, plan_json

    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    label(session, 33, wrong=3)
    (tmp_path / "plan.json").write_text(json.dumps(plan_json(session)))
    (tmp_path / "votes.csv").write_text(labels_csv(session))
    found = json.loads(command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--json", "-"))
    assert found == session.estimate().to_json() | {"computed_anew": "", "skips": "", "headline": "always"}
