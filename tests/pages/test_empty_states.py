"""Where something is missing a page says what, and has the button that mends it."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from tests.pages.test_pages import label

SIXTY = range(60)


def said(test) -> str:
    parts = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error, *test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", "\n".join(str(part.value) for part in parts))


def buttons(test) -> list[str]:
    return [button.label for button in test.button if button.label]


def table(project, columns: str, row) -> str:
    """A table of 60 inputs, as a subject's key; ``row`` makes the line of a number."""
    text = "\n".join([columns, *(row(number) for number in SIXTY)])
    return project.add_table("table.csv", text.encode()).key


def without_confidence(project) -> str:
    return table(project, "label,prediction,dsa", lambda n: f"{n % 3},{(n + (n % 5 == 4)) % 3},{n / 10}")


def without_scores(project) -> str:
    return table(project, "prediction", lambda n: f"class-{n % 3}")


def without_truth(project) -> str:
    return table(project, "prediction,confidence", lambda n: f"class-{n % 3},{0.99 - n / 100:.2f}")


def answer(session, row_right) -> None:
    """Answers every planned input: 0 where ``row_right`` says so, else another class than the one predicted."""
    number = 0
    while draws := session.upcoming(10):
        for draw in draws:
            predicted = int(session.inputs.predictions[draw.row])
            given = predicted if row_right(draw.row) else (predicted + 1) % len(session.inputs.task.classes)
            session.record(
                [Event(f"e{number:04}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", given, seconds=1.0)]
            )
            number += 1


GONE = ["subject", "clusters", "strata", "plan", "label", "results", "versions", "compare", "disputes", "study"]


@pytest.mark.parametrize("page", GONE)
def test_an_address_of_a_subject_that_is_gone_is_no_dead_end(opened, page):
    test = opened(page, subject="gone")
    assert not test.exception
    assert "There is no test set 'gone' in this project" in said(test)
    next(button for button in test.button if button.label == "Open another test set").click().run()
    assert not test.exception
    assert "gone" not in said(test)
    forward = ("Start labeling", "Go to P", "1. Label", "Compare")
    assert any(words.startswith(forward) for words in buttons(test))


def test_results_frame_no_chart_of_an_estimate_that_the_labels_are_too_few_for(opened, project):
    session = project.start_session("digits", Request("rrs", 40, 1))
    label(session, 4, wrong=1)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert "have no settled label yet" in said(test)
    figures = [json.loads(one.proto.spec)["layout"] for one in test.get("plotly_chart")]
    assert not [one for one in figures if "accuracy" in str(one.get("yaxis", {}).get("title")).lower()]


@pytest.mark.parametrize("page", ["label", "results"])
def test_an_address_of_a_session_that_is_gone_leads_to_the_latest_one(opened, project, page):
    latest = project.start_session("digits", Request("srs", 20, 1)).session_record.id
    test = opened(page, subject="digits", session="gone")
    assert not test.exception
    assert "There is no session 'gone' here" in said(test)
    assert [str(one.value) for one in test.header] == [page.title()]
    next(button for button in test.button if button.label == "Open the latest session").click().run()
    assert not test.exception
    assert test.session_state["opened session"] == latest


def test_the_page_of_a_team_says_to_one_who_works_alone_how_a_team_begins(opened):
    test = opened("team")
    assert not test.exception
    assert "testimate app --team" in said(test)
    assert "Go to Project" in buttons(test)


@pytest.mark.parametrize("page", ["clusters", "strata", "plan"])
def test_without_a_subject(opened, page):
    test = opened(page)
    assert [str(one.value) for one in test.info] == [
        "No test set is open\\. Open a demo\\, a table or a model under Project\\."
    ]
    assert "Go to Project" in buttons(test)
    assert len(test.header) == 1


def test_clusters_without_features(opened, project):
    test = opened("clusters", subject=without_truth(project))
    assert "this table has no features" in said(test)
    assert buttons(test) == ["Go to Strata", "Go to Project"]
    test = opened("clusters", subject=without_scores(project))
    assert buttons(test) == ["Go to Plan", "Go to Project"]


def test_strata_without_an_auxiliary_variable(opened, project):
    test = opened("strata", subject=without_scores(project))
    assert "No strata" in said(test)
    assert buttons(test) == ["Go to Plan", "Go to Project"]


def test_strata_of_a_variable_that_tells_nothing_apart(opened, project):
    key = table(project, "prediction,confidence", lambda n: f"class-{n % 3},0.8")
    test = opened("strata", subject=key)
    assert not test.exception
    assert "is the same for all inputs" in said(test)
    assert "Go to Plan" in buttons(test)
    test = opened("plan", subject=key)
    assert not test.exception
    assert not test.error


def test_a_plan_without_an_auxiliary_variable_advises_chance_and_says_what_is_not_known(opened, project):
    test = opened("plan", subject=without_scores(project))
    assert not test.exception
    assert "simple random sampling" in said(test)
    assert "no labels can be saved" in said(test)
    assert "Without confidence there is nothing to forecast from" in said(test)
    assert "Start labeling" in buttons(test)


def test_a_table_that_shows_nothing_of_its_inputs_says_how_they_will_be_asked_for(opened, project):
    test = opened("subject", subject=without_scores(project))
    assert not test.exception
    assert "you'll label by row number (from 0)" in said(test)


def test_a_map_colored_by_labels_that_nobody_gave(opened, monkeypatch):
    monkeypatch.setattr(
        "testimate.ui.clusters.cluster_map.losses_known", lambda inputs, session: np.full(len(inputs), np.nan)
    )
    test = opened("clusters", subject="digits")
    test.selectbox(key="color by").set_value("labeled").run()
    assert not test.exception
    assert "No input is labeled yet" in said(test)
    assert "Go to Plan" in buttons(test)


def test_clusters_without_a_minority_space(opened, monkeypatch):
    from testimate.project.project import Project

    found = Project.clusters

    def all_inside(self, *arguments):
        view = found(self, *arguments)
        return replace(view, minority=np.array([], dtype=np.intp))

    monkeypatch.setattr(Project, "clusters", all_inside)
    test = opened("clusters", subject="digits")
    assert not test.exception
    assert "Every input is in a cluster." in said(test)
    assert "Try twice the min_samples" in buttons(test)


@pytest.mark.parametrize("page", ["label", "results"])
def test_without_a_session(opened, page):
    test = opened(page, subject="digits")
    assert len(test.info) == 1
    assert buttons(test)[:2] == ["Go to Plan", "Go to Project"]


def test_without_a_label(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    test = opened("results", subject="digits", session=session.session_record.id)
    assert "No labels in this session yet" in said(test)
    assert "Go to Label" in buttons(test)
    panel = opened("label", subject="digits", session=session.session_record.id)
    assert not panel.exception
    assert {metric.value for metric in panel.metric} == {"–", "0"}


def test_without_a_fault_so_far(opened, project):
    session = project.start_session("digits", Request("rrs", budget=40, seed=1))
    answer(session, lambda row: True)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert "No faults in 40 labels" in said(test)
    assert {"Go to Label", "Go to Plan"} <= set(buttons(test))
    assert not opened("label", subject="digits", session=session.session_record.id).exception


def test_without_a_confidence(opened, project):
    session = project.start_session(without_confidence(project), Request("rrs", budget=40, seed=1, auxiliary="dsa"))
    answer(session, lambda row: row % 4)
    id = session.session_record.id
    test = opened("results", subject=session.session_record.subject, session=id)
    assert not test.exception
    assert "No severity without confidence" in said(test)
    panel = opened("label", subject=session.session_record.subject, session=id)
    assert not panel.exception
    assert "No severity: this test set has no confidence" in said(panel).replace("\\", "")


def test_without_the_truth(opened, project):
    key = without_truth(project)
    test = opened("subject", subject=key)
    assert not test.exception
    assert not any("known here" in metric.label for metric in test.metric)
    session = project.start_session(key, Request("rrs", budget=40, seed=1))
    answer(session, lambda row: row % 4)
    results = opened("results", subject=key, session=session.session_record.id)
    assert not results.exception
    assert "The true number of faults is unknown" in said(results)
    assert "with the truth" not in " ".join(metric.label for metric in results.metric)


def test_with_one_tester_alone_in_a_team(opened, project):
    session = project.start_session("digits", Request("rrs", budget=20, seed=1), votes_per_input=2)
    for number, draw in enumerate(session.upcoming(5, "Ann")):
        given = int(session.inputs.truth[draw.row])
        session.record([Event(f"a{number}", "answer", draw.row, "Ann", "2026-11-20T10:00:00+00:00", given)])
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert "Agreement needs two or more testers" in said(test)


def test_chosen_inputs_are_no_statement_on_the_set(opened, project):
    session = project.start_session("digits", Request("confidence", budget=20, seed=1))
    answer(session, lambda row: row % 3)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    mean = 100 * session.estimate().accuracy
    assert f"Of the inputs chosen {mean:.1f}% are classified right, without a guarantee for all 1,497" in said(test)
    assert "they say nothing certain about the rest" in said(test)
