"""Results asks why each fault happened, and shows each reason with its share of all inputs."""

from testimate.core.selector import Request
from tests.pages.test_headline import label


def reasons(test):
    return next((frame.value for frame in test.dataframe if "Reason" in frame.value), None)


def test_a_reason_typed_at_a_fault_gets_its_share_and_is_offered_at_the_others(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert reasons(test) is None
    fields = [one for one in test.multiselect if one.label.startswith("Why input")]
    assert len(fields) == 6
    fields[0].set_value(["too dark"]).run()
    assert not test.exception
    table = reasons(test)
    assert list(table["Reason"]) == ["too dark", "without a reason"]
    assert list(table["Faults"]) == [1, sum(bool(one.loss) for one in session.verdicts()) - 1]
    assert (table["Low"] < table["High"]).all()
    fields = [one for one in test.multiselect if one.label.startswith("Why input")]
    assert all(one.options == ["too dark"] for one in fields), "the rest are offered what was typed"
    session.refresh()
    assert list(session.codes().values()) == [("too dark",)]


def test_reasons_are_merged_and_split_on_the_page(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    faults = [one.draw.row for one in session.verdicts() if one.loss]
    session.give_codes(faults[0], ["fog"], "Ann")
    session.give_codes(faults[1], ["haze"], "Ann")
    test = opened("results", subject="digits", session=session.session_record.id)
    key = session.session_record.id
    test.selectbox(f"code to rename {key}").select("fog").run()
    test.text_input(f"new name of code {key}").set_value("haze").run()
    next(one for one in test.button if one.label == "Rename reason").click().run()
    assert list(reasons(test)["Reason"])[:1] == ["haze"]
    assert list(reasons(test)["Faults"])[:1] == [2]
    test.selectbox(f"code to rename {key}").select("haze").run()
    next(one for one in test.button if one.label == "Undo renaming").click().run()
    assert {*reasons(test)["Reason"]} == {"fog", "haze", "without a reason"}


def test_a_refused_reason_is_said_and_nothing_is_stored(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    test = opened("results", subject="digits", session=session.session_record.id)
    next(one for one in test.multiselect if one.label.startswith("Why input")).set_value(["one;two"]).run()
    assert any("separates codes" in one.value for one in test.warning)
    session.refresh()
    assert session.codes() == {}
