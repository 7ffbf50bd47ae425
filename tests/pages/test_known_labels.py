"""Labels that exist: Plan offers them, sessions count them without asking, and Label, Results, report and terminal say so."""

import json

import numpy as np

from testimate.core.selector import Request
from testimate.project.kept_labels import available_known_answers, keep_labels_of, labeled_plans, labels_that_exist
from testimate.reports.report import report_html

SIZE, WORDS = 300, np.array(["ant", "bee", "cat"])
RNG = np.random.default_rng(3)
TRUTH = WORDS[RNG.integers(0, 3, SIZE)]
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, "bee")
KNOWN = RNG.random(SIZE) < 0.5
LINES = zip(SAID, RNG.uniform(0.4, 1, SIZE).round(4), np.where(KNOWN, TRUTH, ""), strict=True)
TABLE = ("prediction,confidence,label\n" + "".join(f"{said},{sure},{true}\n" for said, sure, true in LINES)).encode()


def answer(session, say):
    """Answers all that the session asks, and says which rows that were."""
    asked = []
    while coming := session.upcoming(5, "tester"):
        asked += [draw.row for draw in coming]
        places = [session.inputs.task.classes.index(TRUTH[draw.row]) for draw in coming]
        session.record([say(draw.row, place, tester="tester") for draw, place in zip(coming, places, strict=True)])
    return asked


def test_a_partly_labeled_table_begins_a_session_that_uses_its_labels(opened, project):
    subject = project.add_table("partly.csv", TABLE)
    test = opened("plan", subject=subject.key)
    [toggle] = [one for one in test.toggle if one.label.startswith("Use labels that exist")]
    assert toggle.value
    assert f"({KNOWN.sum()} of {SIZE} inputs)" in toggle.label
    next(button for button in test.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    assert {row: WORDS[answer] for row, answer in record.known_labels} == {
        row: TRUTH[row] for row in np.flatnonzero(KNOWN)
    }


def test_labels_of_earlier_sessions_are_offered_and_not_taken_by_themselves(opened, project, say):
    subject = project.add_table("plain.csv", TABLE.replace(b",label", b",remark", 1))
    session = project.start_session(subject.key, Request("srs", 40, 1))
    answer(session, say)
    keep_labels_of(project, subject.key)
    assert len(labels_that_exist(project, subject.key, project.inputs(subject.key))) == 40
    test = opened("plan", subject=subject.key)
    [toggle] = [one for one in test.toggle if one.label.startswith("Use labels that exist")]
    assert not toggle.value


def test_results_label_report_and_terminal_say_how_many_were_known(opened, project, say, command):
    subject = project.add_table("partly.csv", TABLE)
    known = list(labels_that_exist(project, subject.key, project.inputs(subject.key)).items())
    session = project.start_session(subject.key, Request("rrs", 60, 1), known_labels=known)
    asked = answer(session, say)
    assert not KNOWN[asked].any()
    words = f"{60 - len(asked)} of 60 were known and not asked."
    shown = opened("results", subject=subject.key, session=session.session_record.id)
    assert any(words in part.value.replace("\\", "") for part in shown.markdown)
    assert words in report_html(session)
    replay = ("sessions", "replay", session.session_record.id, "--project", project.folder)
    assert words in command.ok(*replay)
    assert json.loads(command.ok(*replay, "--json", "-"))["known_labels"]["used"] == 60 - len(asked)


def test_a_session_with_known_labels_judges_the_next_version_by_all_of_them(project, say):
    subject = project.add_table("partly.csv", TABLE)
    inputs = project.inputs(subject.key)
    known = list(labels_that_exist(project, subject.key, inputs).items())
    session = project.start_session(subject.key, Request("rrs", 60, 1), known_labels=known)
    answer(session, say)
    keep_labels_of(project, subject.key)
    dataset = project.dataset_of(subject.key)
    [plan] = labeled_plans(project.known_labels.plans(dataset), project.known_labels.of(dataset))
    assert plan.votes == {draw.row: TRUTH[draw.row] for draw in session.draws}
    assert set(available_known_answers(project, subject.key, inputs)) == {*np.flatnonzero(KNOWN), *plan.votes}
