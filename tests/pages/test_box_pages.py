"""A detector's boxes, page by page: plain buttons on Label, precision and recall on Results, a dispute, a file opened."""

import json

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from tests.pages.test_table_with_inputs import uploaded
from tests.pages.test_verdict_pages import all_words, button

TIME = "2026-11-25T06:00:00+00:00"


@pytest.fixture
def harbor(project, say):
    """The harbor demo with sixty pictures judged as the truth is."""
    session = project.start_session("harbour", Request("srs", 60, 1))
    session.record([say(draw.row, session.inputs.truth[draw.row]) for draw in session.draws[:59]])
    return session


def test_plain_buttons_judge_boxes_and_count_what_was_missed(opened, project, harbor):
    row = harbor.draws[59].row
    boxes = len(harbor.show(row).boxes)
    label = opened("label", subject="harbour", session=harbor.session_record.id)
    assert not label.exception
    next(one for one in label.toggle if one.label == "Plain buttons").set_value(True).run()
    asked = {one.label: one for one in label.multiselect}
    if boxes:
        asked["Wrong boxes"].set_value([0]).run()
    next(one for one in label.multiselect if one.label.startswith("Classes")).set_value([2]).run()
    next(one for one in label.number_input if one.label == "buoy: how many").set_value(3).run()
    button(label, "Save the answer").click().run()
    harbor.refresh()
    assert harbor.answers()[row] == [-3, -3, -3, *([0] if boxes else [])]


def test_label_and_results_say_precision_and_recall(opened, harbor):
    label = opened("label", subject="harbour", session=harbor.session_record.id)
    assert {"Precision", "Recall"} <= {one.label for one in label.metric}
    results = opened("results", subject="harbour", session=harbor.session_record.id)
    assert not results.exception
    [table] = [frame.value for frame in results.dataframe if "Class" in frame.value]
    assert table["Class"].tolist() == ["all classes", "ship", "boat", "buoy"]
    assert table.iloc[0, 1].endswith("%)")


def test_a_dispute_about_boxes_is_settled_by_the_lead(opened, project):
    session = project.start_session("harbour", Request("srs", 10, 1), votes_per_input=2)
    row = next(draw.row for draw in session.draws if session.show(draw.row).boxes)
    votes = [Event(f"vote-{who}", "answer", row, who, TIME, answer=said) for who, said in (("Ann", []), ("Ben", [0]))]
    session.record(votes)
    page = opened("disputes", subject="harbour", session=session.session_record.id)
    assert "Ben: wrong 1" in [one.label.replace("\\", "") for one in page.button]
    next(one for one in page.multiselect if one.label == "Wrong boxes").set_value([0]).run()
    button(page, "This is the answer").click().run()
    session.refresh()
    assert session.answers() == {row: [0]}


def test_plan_and_strata_and_versions_open_with_boxes(opened):
    for page in ("plan", "strata", "versions", "study", "clusters", "subject"):
        test = opened(page, subject="harbour")
        assert not test.exception, page


def test_grades_in_dispute_are_settled_by_their_names(opened, project):
    table = "input,output\n" + "".join(f"q{row},a{row}\n" for row in range(20))
    session = project.start_session(
        project.add_table("o.csv", table.encode()).key, Request("srs", 5, 1), votes_per_input=2
    )
    row = session.draws[0].row
    votes = [Event(f"vote-{who}", "answer", row, who, TIME, answer=said) for who, said in (("Ann", 0), ("Ben", 2))]
    session.record(votes)
    page = opened("disputes", subject=session.session_record.subject, session=session.session_record.id)
    [answer] = page.selectbox
    assert answer.options == ["right", "wrong", "partly"]
    answer.set_value(2).run()
    button(page, "This is the answer").click().run()
    session.refresh()
    assert session.answers() == {row: 2}


def test_what_a_detector_wrote_is_opened_on_the_first_page(opened, project):
    images = [{"id": row, "file_name": f"{row}.png", "width": 10, "height": 10} for row in range(30)]
    boxes = [{"image_id": row, "category_id": 1, "bbox": [1, 1, 4, 4], "score": row / 30} for row in range(30)]
    record = {"images": images, "categories": [{"id": 1, "name": "ship"}], "annotations": boxes}
    page = opened("subject")
    uploaded(page, "dropped files", "found.json", json.dumps(record).encode())
    assert not page.exception
    next(one for one in page.number_input if one.label.startswith("Lowest score")).set_value(0.5).run()
    assert "found.json: 30 pictures, boxes: 15 in 30 pictures" in all_words(page)
    button(page, "Open without labeling").click().run()
    [entry] = [one for one in project.entries() if not one.demo]
    assert project.subject(entry.key).inputs.predictions.tolist() == [[-1]] * 15 + [[0]] * 15
