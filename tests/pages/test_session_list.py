"""The sessions on the first screen: named, deleted after a second question, put back, found among five hundred."""

import pytest

from testimate.core.selector import Request
from testimate.project.deleted import delete_session, name_session
from testimate.project.project import Project
from testimate.ui.sessions import kept_picture


@pytest.fixture
def session(project, say):
    """A session of ten labels of which two are given."""
    begun = project.start_session("digits", Request("srs", 10, 1))
    begun.record([say(draw.row, 1) for draw in begun.upcoming(2)])
    return begun.session_record.id


def words(test) -> str:
    return "\n".join(part.value for part in (*test.markdown, *test.caption, *test.text))


def test_a_session_is_shown_by_its_name_and_how_far_it_is(opened, project, session):
    name_session(project, session, "the *night* shift", "Ann")
    test = opened("subject")
    assert "**the \\*night\\* shift**" in words(test)
    assert "Digits\\, small CNN · Simple random sampling \\(srs\\) · last answer" in words(test)
    assert any("2 of 10" in str(part.proto) for part in test.get("progress"))


def test_the_session_to_go_on_with_is_the_latest_that_is_not_done(opened, project, session, say):
    done = project.start_session("digits", Request("srs", 2, 2))
    done.record([say(draw.row, 1) for draw in done.upcoming(2)])
    kinds = {button.key: button.proto.type for button in opened("subject").button}
    assert kinds[f"session {session}"] == "primary"
    assert kinds[f"session {done.session_record.id}"] == "secondary"


def test_a_deleted_session_is_put_back_from_the_first_screen(opened, project, session):
    delete_session(project, session, "Ann")
    test = opened("subject")
    assert f"session {session}" not in {button.key for button in test.button}
    assert test.expander[0].label == "Deleted sessions (1)"
    test.button(key=f"put back {session}").click().run()
    assert f"session {session}" in {button.key for button in test.button}
    assert Project(project.folder).session(session).labeled == 2


def test_of_five_hundred_sessions_five_are_on_the_first_screen_and_any_is_found_by_its_words(opened, project):
    for number in range(500):
        record = _record(number)
        project.store.create(record)
    name_session(project, "s123", "اختبار الليل", "Ann")
    test = opened("subject")
    assert sum(str(button.key).startswith("session ") for button in test.button) == 5
    test.button(key="all sessions").click().run()
    assert sum(str(button.key).startswith("session ") for button in test.button) == 20
    test.text_input[0].input("الليل").run()
    assert [button.key for button in test.button if str(button.key).startswith("session ")] == ["session s123"]
    test.text_input[0].input("no such words").run()
    assert "No sessions match" in test.info[0].value


def test_a_session_whose_subject_is_gone_says_so_and_stays_in_the_list(opened, project):
    project.store.create(_record(1, subject="table-gone"))
    assert "its test set is no longer in this project" in words(opened("subject"))


def test_a_session_s_pictures_are_drawn_when_it_is_opened_and_its_name_stands_on_label(opened, project, session):
    assert kept_picture(project, session).picture == ""
    name_session(project, session, "the *night* shift", "Ann")
    test = opened("label", subject="digits", session=session)
    assert any("the \\*night\\* shift\u2069 · Simple random sampling" in part.value for part in test.markdown)
    assert kept_picture(project, session).picture.startswith("data:image/png;base64,")
    [file] = (project.folder / "pictures").iterdir()
    assert file.stat().st_size < 8_000


def _record(number: int, subject: str = "digits"):
    from testimate.core.session_record import SessionRecord

    created = f"2026-01-01T00:{number // 60:02}:{number % 60:02}+00:00"
    return SessionRecord(f"s{number}", subject, "Digits, small CNN", "f" * 32, Request("srs", 10, number), created)


def test_a_page_without_a_use_for_the_session_of_its_address_leads_on_to_it_and_not_to_the_latest(
    opened, project, session
):
    project.start_session("digits", Request("rrs", 20, 2))
    page = opened("subject", subject="digits", session=session)
    label = opened("label", subject="digits")
    assert "Round-robin stratification (rrs)" in words(label)
    label.query_params.clear()
    for name in ("opened subject", "opened session"):  # the tab's memory is all that the navigation hands on
        label.session_state[name] = page.session_state[name]
    assert "Simple random sampling (srs)" in words(label.run())
