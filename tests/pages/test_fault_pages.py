"""Faults on the pages: the two streams are planned with what they cost, and the severe ones are shown with the truth."""

import csv
import io

import numpy as np

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.metrics import severity_band
from testimate.reports.exports import faults_csv


def said(test):
    return " ".join(str(part.value) for part in [*test.markdown, *test.caption, *test.info])


def label_by_truth(session, count):
    for _ in range(count):
        [draw] = session.upcoming(1)
        answer = int(session.inputs.truth[draw.row])
        session.record([Event(f"event-{draw.row:05}", "answer", draw.row, "tester", "2024-05-01T10:00", answer=answer)])


def test_the_share_of_picks_is_planned_with_the_width_it_costs(opened, project):
    test = opened("plan", subject="digits")
    test.radio(key="objective").set_value("balance").run()
    assert not test.exception
    test.select_slider(key="picks").set_value(10).run()
    test.selectbox(key="picks go for").set_value("severe first").run()
    assert "about 100 go to picks" in said(test)
    [start] = [button for button in test.button if button.label == "Start labeling"]
    start.click().run()
    options = project.sessions()[0].request.options
    assert (options["zones"], options["exploit"], options["exploit_order"]) == (10, 10, "severity first")


def found_by(project, technique, variant=None):
    """Severe and moderate faults among 60 labels."""
    session = project.start_session("digits", Request(technique, budget=60, seed=1, variant=variant))
    label_by_truth(session, 60)
    inputs = session.inputs
    wrong = [row for row, answer in session.answers().items() if answer != inputs.predictions[row]]
    bands = [severity_band(float(inputs.confidence[row])) for row in wrong]
    return bands.count("high"), bands.count("moderate")


def test_sixty_labels_fill_the_severity_from_the_top_where_deepgini_finds_the_mild_faults(project):
    assert found_by(project, "deepgini") == (0, 3)
    assert found_by(project, "severity-first") == (9, 21)
    assert found_by(project, "severity-first", "static") == (8, 19)


def test_severe_faults_are_counted_as_the_truth_counts_them(opened, project):
    session = project.start_session("digits", Request("severity-first", budget=60, seed=1))
    label_by_truth(session, 60)
    test = opened("results", subject="digits", session=session.session_record.id, truth="on")
    assert not test.exception
    inputs = session.inputs
    truly = inputs.task.failed(inputs.losses)
    severe = [row for row in np.flatnonzero(truly) if severity_band(float(inputs.confidence[row])) == "high"]
    found = [row for row in severe if row in session.answers()]
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Severe"] == f"{100 * len(found) / len(severe):.0f}%"


def test_the_faults_for_retraining_are_the_faults_the_most_severe_first(project):
    session = project.start_session("digits", Request("deepgini", budget=60, seed=1))
    label_by_truth(session, 60)
    records = list(csv.DictReader(io.StringIO(faults_csv(session))))
    inputs = session.inputs
    failed = {row for row, answer in session.answers().items() if answer != inputs.predictions[row]}
    assert {int(record["row"]) for record in records} == failed
    chances = [float(record["probability"]) for record in records]
    assert chances == sorted(chances, reverse=True)
    assert all(record["label"] == inputs.task.classes[inputs.truth[int(record["row"])]] for record in records)
    assert all(int(record["level"]) == min(int(10 * float(record["probability"]) + 1e-9) + 1, 10) for record in records)


def test_what_a_tester_noted_of_an_input_is_read_on_the_results_page_with_who_wrote_it(opened, project):
    session = project.start_session("digits", Request("srs", budget=20, seed=1))
    [draw] = session.upcoming(1)
    session.record(
        [Event("flag-1", "flag", draw.row, "Ann", "2024-05-01T10:00", detail={"note": "half a 7, <b>half</b> a 1"})]
    )
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert "1 flagged input" in {heading.value for heading in test.subheader}
    [table] = [one.value for one in test.dataframe if "Notes" in one.value.columns]
    assert table.to_dict("records") == [
        {"Input": draw.row, "Answer": session.state_of(draw.row), "Notes": "Ann: half a 7, <b>half</b> a 1"}
    ]


def test_the_mean_of_chosen_inputs_is_not_called_the_accuracy_of_the_set(opened, project):
    session = project.start_session("digits", Request("deepgini", budget=60, seed=1))
    label_by_truth(session, 20)
    test = opened("label", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert not any(metric.label.startswith("Accuracy") for metric in test.metric)
    assert "Mean of chosen" in {metric.label for metric in test.metric}
    assert "No guarantee" in said(test)
