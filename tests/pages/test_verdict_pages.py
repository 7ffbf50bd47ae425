"""Outputs to judge, page by page: the rubric and the reasons from Plan to Label, what Results and the report say."""

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.reports.report import report_html

TWO = "input,output_a,output_b\n" + "".join(f"q{row},ant {row},bee {row}\n" for row in range(120))


def all_words(test) -> str:
    shown = (*test.markdown, *test.caption, *test.text, *test.error, *test.success)
    return " ".join(part.value for part in shown).replace("\\", "")


def button(test, label):
    return next(one for one in test.button if one.label == label)


def test_the_rubric_and_the_reasons_of_plan_rule_label_where_no_grade_is_stored_without_a_reason(opened, project):
    plan = opened("plan", subject="answers")
    rubric = next(one for one in plan.text_area if one.label == "Rubric")
    assert rubric.value.startswith("right: it says what the reference says")
    next(one for one in plan.button_group if one.label == "Ask for a reason").set_value("faults").run()
    button(plan, "Start labeling").click().run()
    [record] = project.sessions()
    assert record.reasons == "faults"
    label = opened("label", subject="answers", session=record.id)
    next(one for one in label.toggle if one.label == "Plain buttons").set_value(True).run()
    assert "right: it says what the reference says" in all_words(label)
    assert {"Input", "Output", "Reference"} <= {one.value for one in label.caption}
    button(label, "wrong").click().run()
    assert "came without a reason" in all_words(label)
    next(one for one in label.text_input if one.label.startswith("Reason")).set_value("off by ten")
    button(label, "wrong").click().run()
    [event] = project.session(record.id).history()
    assert (event.answer, event.detail["reason"]) == (2, "off by ten")


def test_results_and_the_report_say_the_shares_the_judge_and_where_it_is_wrong(opened, project, say):
    session = project.start_session("answers", Request("srs", 80, 1), rubric="<b>rubric</b>")
    session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in session.draws])
    test = opened("results", subject="answers", session=session.session_record.id)
    assert not test.exception
    assert "judge and people agree on" in all_words(test)
    assert "Called right by the judge, and not by people" in all_words(test)
    [table] = [frame.value for frame in test.dataframe if "Grade" in frame.value]
    assert table["Grade"].tolist() == ["right", "partly", "wrong"]
    [judges] = [frame.value for frame in test.dataframe if "Judge" in frame.value]
    assert judges["Judge"].tolist() == ["confidence", "judge_kind", "judge_strict"]
    assert "Judge-assisted: " in all_words(test)
    [price] = [one for one in test.number_input if one.label.startswith("A judged output costs")]
    assert "as precise as 80 labels alone, for" in all_words(test)
    price.set_value(100.0).run()
    assert "At this price no judge pays. Label 80 outputs without one." in all_words(test)
    report = report_html(session)
    assert "&lt;b&gt;rubric&lt;/b&gt;" in report
    assert "Where the judge is wrong</h2>" in report
    assert "Judge-assisted: " in report
    assert "Judges</h2>" in report
    assert "faults found</h2>" in report


def test_while_two_systems_are_compared_nothing_on_label_says_which_leads(opened, project):
    key = project.add_table("two.csv", TWO.encode()).key
    session = project.start_session(key, Request("srs", 100, 1))
    sides = session.inputs.predictions
    at = "2026-11-24T06:00:00+00:00"
    events = [
        Event(f"event-{d.row:04}", "answer", d.row, "tester", at, answer=int(sides[d.row])) for d in session.draws[:60]
    ]
    session.record(events)
    label = opened("label", subject=key, session=session.session_record.id)
    assert "Decided. You can stop" in all_words(label)
    assert not label.metric
    results = opened("results", subject=key, session=session.session_record.id)
    [decided] = [one.value for one in results.success]
    assert decided.replace("\\", "").startswith("Decided: A is preferred")
    assert "found</h2>" not in report_html(session)  # one system not being better is no fault
    assert not [one for one in results.expander if "sharpen" in one.label]  # no judge, no score
    assert not [one for one in results.selectbox if one.label == "By"]  # every column is shown, none is left


def test_columns_that_are_judged_under_names_of_their_own_are_no_slices_either(opened, project, say):
    from testimate.subjects.table_choices import TableChoices

    table = "question,answer,topic\n" + "".join(f"q{row},a{row},{'ab'[row % 2]}\n" for row in range(60))
    choices = TableChoices(columns=(("input", "question"), ("output", "answer")))
    session = project.start_session(
        project.add_table("t.csv", table.encode(), choices=choices).key, Request("srs", 40, 1)
    )
    session.record([say(draw.row, draw.row % 3) for draw in session.draws])
    results = opened("results", subject=session.session_record.subject, session=session.session_record.id)
    assert not results.exception
    [by] = [one for one in results.selectbox if one.label == "By"]
    assert by.options == ["topic"]


def test_a_subject_of_judged_outputs_shows_the_judges_scores_and_no_classes(opened):
    page = opened("subject", subject="answers")
    titles = [part.value for part in page.subheader]
    assert "Scores of the judge" in titles
    assert "Predicted classes" not in titles
    assert "Mean score of the judge" in [part.label for part in page.metric]


def test_a_column_becomes_a_judges_by_one_click(opened):
    lines = ["input,output,rating", *(f"q{row},a{row},{1 + row % 5}" for row in range(40))]
    test = opened("subject")
    [field] = [field for field in test.file_uploader if str(field.key or field.label).startswith("dropped files")]
    field.set_value([("t.csv", "\n".join(lines).encode(), "text/csv")]).run()
    assert "Are these a judge's grades?" in all_words(test)
    button(test, "Yes").click().run()
    assert not test.exception
    assert "judges `rating`" in all_words(test)
    assert "Are these a judge's grades?" not in all_words(test)
