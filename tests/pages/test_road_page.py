"""The demo of roads on the pages: opened, labeled with numbers, and its faults by the size of the error."""

import re

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event


@pytest.fixture
def labeled(demo_ready, project):
    """A session on the demo with 60 answers as a person reads them: the truth to the degree."""
    demo_ready("road", project.folder)
    session = project.start_session("road", Request("rrs", budget=100, seed=1, auxiliary="lsa"))
    for number, draw in enumerate(session.upcoming(60)):
        answer = float(np.rint(session.inputs.truth[draw.row]))
        event = Event(f"event-{number:04}", "answer", draw.row, "tester", "2026-11-22T10:00:00+00:00", answer)
        assert session.record([event]).acknowledged
    return session


def test_the_demo_says_what_an_answer_is_and_how_many_pictures_are_of_the_night(labeled, opened, project):
    test = opened("subject", subject="road", truth="on")
    assert not test.exception
    assert not test.error
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Inputs"] == "5,614"
    assert values["Answer"] == "Degrees"
    losses = project.inputs("road").losses
    assert values["Within 6 degrees, known here"] == f"{100 * np.mean(50 * np.sqrt(losses) <= 6):.1f}%"
    facts = dict(project.subject("road").facts)
    assert "night" in facts["inputs"]
    assert "0 night" in facts["trained on"]
    assert "ruler" in facts["answer"]


def test_no_plan_speaks_of_a_network_that_is_sure_of_a_number(labeled, opened):
    test = opened("plan", subject="road")
    assert not test.exception
    assert not test.error
    [objective] = [radio for radio in test.radio if (radio.key or "").startswith("objective")]
    assert len(objective.options) == 3
    assert not any("confident" in option for option in objective.options)


def test_clusters_and_strata_say_how_many_inputs_fail(labeled, opened, project):
    failed = labeled.inputs.task.failed(labeled.inputs.losses)
    clusters, strata = (opened(page, subject="road", truth="on") for page in ("clusters", "strata"))
    for page in (clusters, strata):
        assert not page.exception
        assert not page.error
    table = clusters.dataframe[0].value
    for card in project.clusters("road").cards:
        [shown] = table[table["number"] == card.number + 1]["failing"]
        assert shown == pytest.approx(100 * failed[card.rows].mean())
    drawn = strata.dataframe[0].value
    assert (drawn["failing, known here"] * drawn["inputs"]).sum() == pytest.approx(100 * failed.sum())


def test_while_labeling_the_faults_stand_by_the_size_of_their_error(labeled, opened):
    test = opened("label", subject="road", session=labeled.session_record.id)
    assert not test.exception
    assert not [said for said in test.caption if "severity of a fault is not known" in said.value]
    values = {metric.label: metric.value for metric in test.metric}
    assert int(values["Faults"]) > 5


def test_an_answer_beyond_the_end_of_the_ruler_is_refused_with_the_reason(labeled):
    [draw] = labeled.upcoming(1)
    event = Event("too-far", "answer", draw.row, "tester", "2026-11-22T10:00:00+00:00", 90.0)
    assert "from -25 to 25" in str(labeled.record([event]).refused)
    assert labeled.labeled == 60


def test_the_results_show_the_largest_errors_first_and_all_are_of_the_night(labeled, opened, project):
    test = opened("results", subject="road", session=labeled.session_record.id)
    assert not test.exception
    words = [one.value for one in test.markdown]
    assert "**By the size of the error**" in words
    assert "Explain" in [button.label for button in test.button]  # faults of numbers have a reason, too
    conditions = project.subject("road").dataset.scenes.conditions
    answers = labeled.answers()
    rows = np.array(sorted(answers))
    losses = labeled.inputs.task.losses(labeled.inputs.predictions[rows], [answers[row] for row in rows.tolist()])
    failed = rows[labeled.inputs.task.failed(losses)]
    said = [caption.value.replace("\\", "") for caption in test.caption if caption.value.startswith("predicted ")]
    said = said[: len(failed)]  # below they are shown again, to be named
    numbers = [re.fullmatch(r"predicted (\S+) degrees, actually (\S+) degrees", one).groups() for one in said]
    errors = np.array([abs(float(network) - float(person)) for network, person in numbers])
    assert (np.diff(errors) < 0.1).all()  # what the network says is written to a tenth of a degree
    assert len(said) == len(failed)
    assert set(conditions[failed]) == {4}


def test_the_set_of_the_road_with_its_nights_does_not_look_like_the_training_set_of_days(labeled, opened):
    test = opened("versions", subject="road")
    test.toggle(key="compare sets").set_value(True).run()
    assert not test.exception
    [compared] = [one.value for one in test.dataframe if "Compared in" in one.value.columns]
    assert list(compared["Compared in"]) == ["features (LHL)", "predicted numbers"]
    assert next(iter(compared["Differs"])) == "yes"
    assert any("chance hardly explains it" in one.value for one in test.markdown)
