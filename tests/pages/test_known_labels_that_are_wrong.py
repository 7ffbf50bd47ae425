"""Labels that exist and are wrong, contradicted, of no class or missing, and names by the thousand, on pages and terminals."""

import json

import numpy as np
import pandas as pd
import pytest

from testimate.core.selector import Request
from testimate.project.kept_labels import labels_that_exist
from testimate.project.second_looks import corrected_by, start_second_look
from testimate.reports.outside import outside_of
from testimate.ui.components.labeling_surface.view import MOST_NAMES, names_given
from testimate.ui.results.outside import MOST_LISTED
from tests.session.labeling import label_all

SIZE, WORDS = 200, np.array(["ant", "bee", "cat"])
TRUTH = np.arange(SIZE) % 3
SAID = np.where(np.arange(SIZE) % 5 == 0, (TRUTH + 1) % 3, TRUTH)


def table(labels):
    """A network's predictions with this column of labels, as CSV."""
    lines = [
        f"{WORDS[place]},{0.5 + row / 500},{label}\n"
        for row, (place, label) in enumerate(zip(SAID, labels, strict=True))
    ]
    return ("prediction,confidence,label\n" + "".join(lines)).encode()


def half_known(wrong=()):
    return ["" if row % 2 else WORDS[(TRUTH[row] + (row in wrong)) % 3] for row in range(SIZE)]


def begun(project, labels, budget=60):
    """A session by srs in which nothing but what is not known was asked."""
    subject = project.add_table("partly.csv", table(labels))
    known = list(labels_that_exist(project, subject.key, project.inputs(subject.key)).items())
    return project.start_session(subject.key, Request("srs", budget, 1), known_labels=known)


def test_a_second_look_in_the_project_finds_a_wrong_known_label(project, say):
    rows = [draw.row for draw in begun(project, half_known()).draws]
    wrong = next(row for row in rows if row % 2 == 0 and row % 5)
    session = begun(project, half_known({wrong}))
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    second = start_second_look(project, session, 60)
    assert wrong in {draw.row for draw in second.draws}
    label_all(second, say, dict(enumerate(TRUTH.tolist())))
    found = corrected_by(session, second)
    assert (found.looked_at, found.changed) == (60, 1)
    assert found.estimate.accuracy == pytest.approx(np.mean(SAID[rows] == TRUTH[rows]))


def test_an_answer_that_contradicts_a_known_label_is_a_dispute_on_results_and_at_the_terminal(
    opened, project, say, command
):
    session = begun(project, half_known())
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    row = next(draw.row for draw in session.draws if draw.row % 2 == 0)
    other = int(TRUTH[row] + 1) % 3
    session.record([say(row, other)])
    assert session.answers()[row] == other
    assert dict(session.session_record.known_labels)[row] == TRUTH[row]
    words = f"Vote and known label differ in 1 row: {row}. The vote counts."
    shown = opened("results", subject=session.session_record.subject, session=session.session_record.id)
    assert any(words in part.value.replace("\\", "") for part in shown.markdown)
    assert words in command.ok("sessions", "replay", session.session_record.id, "--project", project.folder)


def test_a_contradicting_vote_is_named_by_estimate_and_leaves_the_known_label_in_the_plan(command, tmp_path):
    (tmp_path / "t.csv").write_bytes(table(half_known()))
    plan, votes = tmp_path / "p.json", tmp_path / "v.csv"
    command.ok("select", tmp_path / "t.csv", "--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan)
    before = json.loads(plan.read_text())
    row = before["known"][0][0]
    asked = [draw["row"] for draw in before["draws"] if draw["row"] % 2]
    labels = {**{one: WORDS[TRUTH[one]] for one in asked}, row: WORDS[(TRUTH[row] + 1) % 3]}
    pd.DataFrame({"row": labels.keys(), "label": labels.values()}).to_csv(votes, index=False)
    drawn = row in {draw["row"] for draw in before["draws"]}
    if drawn:
        assert f"differ in 1 row: {row}." in command.ok("estimate", plan, votes)
    else:
        assert "the plan did not pick it" in command.refusal("estimate", plan, votes)
    assert json.loads(plan.read_text()) == before


@pytest.mark.parametrize("mark", ["", "unknown", "?"])
def test_a_truth_column_without_a_single_label_is_no_truth_and_all_is_asked(opened, project, command, tmp_path, mark):
    subject = project.add_table("none.csv", table([mark] * SIZE))
    assert labels_that_exist(project, subject.key, project.inputs(subject.key)) == {}
    test = opened("plan", subject=subject.key)
    assert not [one for one in test.toggle if one.label.startswith("Use labels that exist")]
    (tmp_path / "t.csv").write_bytes(table([mark] * SIZE))
    said = command.ok("select", tmp_path / "t.csv", "--budget", 40, "--seed", 1, "--out", tmp_path / "p.json")
    assert "40 inputs to label" in said
    assert "known" not in said


def test_a_truth_column_of_names_outside_the_classes_makes_every_prediction_wrong(project, command, tmp_path):
    subject = project.add_table("zebras.csv", table(["zebra"] * SIZE))
    inputs = project.inputs(subject.key)
    assert inputs.known_accuracy == 0
    (tmp_path / "t.csv").write_bytes(table(["zebra"] * SIZE))
    command.ok("select", tmp_path / "t.csv", "--budget", 40, "--seed", 1, "--out", tmp_path / "p.json")


def test_five_thousand_names_leave_the_surface_and_results_with_a_few(opened, project, say):
    size = 5000
    lines = [f"{WORDS[row % 3]},{0.5 + row / 20000}\n" for row in range(size)]
    subject = project.add_table("many.csv", ("prediction,confidence\n" + "".join(lines)).encode())
    session = project.start_session(subject.key, Request("srs", size, 1))
    session.record([say(draw.row, f"animal {draw.row}") for draw in session.draws])
    found = outside_of(session)
    assert len(found.named) == size
    assert len(found.row) < 200
    assert len(names_given(session.inputs.task, session.answers().values())) == MOST_NAMES
    for page in ("label", "results"):
        shown = opened(page, subject=subject.key, session=session.session_record.id)
        assert not shown.exception
    tables = [frame.value for frame in shown.dataframe if "None of these" in frame.value.columns]
    assert max(len(one) for one in tables) == MOST_LISTED
    assert any("4,900 more names" in caption.value for caption in shown.caption)
