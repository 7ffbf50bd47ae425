"""Several criteria, page by page: named on Plan, answered with plain buttons on Label, and each a line on Results."""

from testimate.core.selector import Request
from testimate.reports.report import report_html
from testimate.tasks.verdict import criterion_of

TABLE = "output,judge_a\n" + "".join(f"text {row},{1 + row % 5}\n" for row in range(120))
ASKED = "faithful:1-5=judge_a | 5: every claim is in the source\npolite"


def button(test, label):
    return next(one for one in test.button if one.label == label)


def errors_of(test) -> str:
    return " ".join(one.value for one in test.error).replace("\\", "")


def test_criteria_of_plan_are_asked_on_label_and_stored_together(opened, project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    plan = opened("plan", subject=key)
    asked = next(one for one in plan.text_area if one.label.startswith("Criteria"))
    asked.set_value(ASKED).run()
    assert not plan.exception
    assert errors_of(plan) == ""
    button(plan, "Start labeling").click().run()
    [record] = project.sessions()
    assert [one["name"] for one in record.criteria] == ["faithful", "polite"]
    assert record.request.technique == "rrs"
    label = opened("label", subject=key, session=record.id)
    assert not label.exception
    next(one for one in label.toggle if one.label == "Plain buttons").set_value(True).run()
    next(one for one in label.button_group if one.label == "faithful").set_value(3).run()
    next(one for one in label.button_group if one.label == "polite").set_value(0).run()
    button(label, "Save the answer").click().run()
    assert not label.exception
    [event] = project.session(record.id).history()
    assert event.answer == [3, 0]


def test_a_criterion_that_cannot_be_asked_is_said_on_plan(opened, project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    plan = opened("plan", subject=key)
    for typed, words in (("a\nA", "Two criteria are called"), ("a=nowhere", "which is no column of numbers")):
        next(one for one in plan.text_area if one.label.startswith("Criteria")).set_value(typed).run()
        assert not plan.exception
        assert words in errors_of(plan)


def test_results_show_a_line_for_each_criterion_and_one_for_all(opened, project, say):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    asked = [criterion_of(line) for line in ASKED.splitlines()]
    session = project.start_session(key, Request("rrs", 60, 1, "criteria together"), criteria=asked)
    session.record([say(draw.row, [draw.row % 5, int(draw.row % 4 == 0)]) for draw in session.draws])
    test = opened("results", subject=key, session=session.session_record.id)
    assert not test.exception
    [table] = [frame.value for frame in test.dataframe if "Criterion" in frame.value]
    assert table["Criterion"].tolist() == ["faithful", "polite", "all criteria right"]
    assert all(table["Interval"])


def test_with_criteria_plan_asks_for_no_rubric_and_says_why_there_is_no_forecast(opened, project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    plan = opened("plan", subject=key)
    assert any(one.label == "Rubric" for one in plan.text_area)
    next(one for one in plan.text_area if one.label.startswith("Criteria")).set_value(ASKED).run()
    assert not any(one.label == "Rubric" for one in plan.text_area)
    said = " ".join(one.value for one in [*plan.info, *plan.markdown])
    assert "With several criteria there is no forecast yet." in said
    assert "Without confidence" not in said


def test_the_question_has_no_rubric_on_label_where_criteria_have_their_own(opened, project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    for asked, shown in (((), True), ((criterion_of("polite | right: it greets"),), False)):
        session = project.start_session(key, Request("srs", 60, 1), criteria=asked, rubric="right: it is true")
        label = opened("label", subject=key, session=session.session_record.id)
        assert any(one.value.startswith("**Rubric**") for one in label.caption) is shown


def test_a_criterion_added_midway_counts_the_answers_before_as_skipped(opened, project, say):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    asked = [criterion_of(line) for line in ASKED.splitlines()]
    session = project.start_session(key, Request("rrs", 60, 1, "criteria together"), criteria=asked)
    session.record([say(draw.row, [draw.row % 5, 0]) for draw in session.draws[:20]])
    draws, first = session.draws, session.session_record.id
    test = opened("results", subject=key, session=first)
    next(one for one in test.text_input if one.label == "Criterion").set_value("polite").run()
    button(test, "Add criterion").click().run()
    assert "Two criteria are called" in errors_of(test)
    next(one for one in test.text_input if one.label == "Criterion").set_value("short=judge_a").run()
    button(test, "Add criterion").click().run()  # and the way leads to Label, which this page alone cannot open
    [record] = project.sessions()
    added = project.session(record.id)
    assert [one["name"] for one in record.criteria] == ["faithful", "polite", "short"]
    assert record.criteria[-1]["after"] == 20
    assert (added.draws, added.answers()) == (draws, session.answers())
    added.record([say(draw.row, [draw.row % 5, 0, draw.row % 2]) for draw in draws[20:]])
    results = opened("results", subject=key, session=record.id)
    [table] = [frame.value for frame in results.dataframe if "Criterion" in frame.value]
    assert table["Labels"].tolist() == ["60", "60", "40", "40"]
    words = " ".join(one.value for one in results.caption).replace("\\", "")
    assert "short was added after 20 answers, which count as skipped for it." in words
    assert "short was added after 20 answers, which count as skipped for it." in report_html(added)


def test_one_click_takes_the_three_criteria_of_the_questions_demo(opened, project):
    plan = opened("plan", subject="answers")
    button(plan, "Take this demo's criteria").click().run()
    assert not plan.exception
    assert errors_of(plan) == ""
    assert not [one for one in plan.button if one.label == "Take this demo's criteria"]
    button(plan, "Start labeling").click().run()
    [record] = project.sessions()
    assert [(one["name"], one["judge"]) for one in record.criteria] == [
        ("correct", "judge_kind"),
        ("complete", "judge_strict"),
        ("in a sentence", ""),
    ]
    assert project.session(record.id).inputs.known_accuracy is None  # the known grades are of no criterion


def test_a_table_of_ones_own_is_offered_no_criteria(opened, project):
    plan = opened("plan", subject=project.add_table("outputs.csv", TABLE.encode(), task="verdict").key)
    assert not [one for one in plan.button if one.label == "Take this demo's criteria"]
