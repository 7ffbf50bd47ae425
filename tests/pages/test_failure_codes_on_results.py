"""Results asks why each fault happened, and shows each code with its share of all inputs."""

from testimate.core.selector import Request
from tests.pages.test_headline import label


def codes_shown(test):
    return next((frame.value for frame in test.dataframe if "Code" in frame.value), None)


def test_a_code_typed_at_a_fault_gets_its_share_and_is_offered_at_the_others(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert codes_shown(test) is None
    fields = [one for one in test.multiselect if one.label.startswith("Why input")]
    assert len(fields) == 6
    fields[0].set_value(["too dark"]).run()
    assert not test.exception
    table = codes_shown(test)
    assert list(table["Code"]) == ["too dark", "no code"]
    assert list(table["Faults"]) == [1, sum(bool(one.loss) for one in session.verdicts()) - 1]
    assert (table["Low"] < table["High"]).all()
    fields = [one for one in test.multiselect if one.label.startswith("Why input")]
    assert all(one.options == ["too dark"] for one in fields), "the rest are offered what was typed"
    session.refresh()
    assert list(session.codes().values()) == [("too dark",)]


def test_codes_are_merged_and_split_on_the_page(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    faults = [one.draw.row for one in session.verdicts() if one.loss]
    session.give_codes(faults[0], ["fog"], "Ann")
    session.give_codes(faults[1], ["haze"], "Ann")
    test = opened("results", subject="digits", session=session.session_record.id)
    key = session.session_record.id
    test.selectbox(f"code to rename {key}").select("fog").run()
    test.text_input(f"new name of code {key}").set_value("haze").run()
    next(one for one in test.button if one.label == "Rename code").click().run()
    assert list(codes_shown(test)["Code"])[:1] == ["haze"]
    assert list(codes_shown(test)["Faults"])[:1] == [2]
    test.selectbox(f"code to rename {key}").select("haze").run()
    next(one for one in test.button if one.label == "Undo renaming").click().run()
    assert {*codes_shown(test)["Code"]} == {"fog", "haze", "no code"}


def test_a_refused_code_is_said_and_nothing_is_stored(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=8)
    test = opened("results", subject="digits", session=session.session_record.id)
    next(one for one in test.multiselect if one.label.startswith("Why input")).set_value(["one;two"]).run()
    assert any("separates codes" in one.value for one in test.warning)
    session.refresh()
    assert session.codes() == {}
