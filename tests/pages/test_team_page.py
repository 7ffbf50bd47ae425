"""The Team page: what a lead sees of each tester, and what a tester reads of what the lead does."""

import pytest
from streamlit.testing.v1 import AppTest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.ui.label import notices
from tests.pages.page_parts import switcher_opened
from tests.pages.test_team import ROOT, log_in, ready, team
from tests.pages.test_team import said as shown

__all__ = ["ready", "team"]


@pytest.fixture
def session(team):
    return team.start_session("digits", Request("rrs", 20, 1), votes_per_input=1)


@pytest.fixture
def page(opened, session):
    """A call that opens a page on the session as somebody who has logged in."""

    def open_as(name, address="label"):
        test = log_in(opened(address, subject="digits", session=session.session_record.id), name)
        if address == "label":
            test.toggle(key="plain buttons").set_value(True).run()
        assert not test.exception
        return test

    return open_as


def said(test):
    return shown(test).replace("\\", "")


def asked(test):
    """The rows that the plain buttons ask for."""
    keys = [(button.key or "").split() for button in test.button]
    return {int(parts[1]) for parts in keys if parts[:1] == ["fallback"] and parts[2:3] == ["class"]}


def press(test, label):
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception
    return test


def press_key(test, key):
    test.button(key=key).click().run()
    assert not test.exception
    return test


def test_each_tester_stands_in_the_table_with_what_they_did_and_have_in_hand(team, session, page):
    row = session.draws[0].row
    vote = Event("vote-0001", "answer", row, "Ann", "2026-05-01T10:00:00Z", answer=1, seconds=2.5)
    gone = Event("vote-0002", "answer", session.draws[1].row, "Old", "2026-05-01T10:00:00Z", answer=1, seconds=2.5)
    assert len(session.record([vote, gone]).acknowledged) == 2
    page("Bob")
    lead = page("Lea", "team")
    cells = [one.value for one in lead.text]
    lines = {name: cells[cells.index(name) :][1:5] for name in ("Ann", "Bob", "Lea", "Old")}
    assert lines["Ann"][:2] == ["1", "2.5 s"]
    assert (lines["Bob"][0], lines["Bob"][3]) == ("0", "8")
    assert "has left the team" in said(lead)
    assert "pause Old" not in {button.key for button in lead.button}


def test_who_is_paused_reads_by_whom_and_gets_inputs_again_when_a_lead_says_so(page):
    ann, lead = page("Ann"), page("Lea", "team")
    assert asked(ann)
    assert "Keep labeling" in said(ann)
    press_key(lead, "pause Ann")
    assert asked(ann.run()) == set()
    assert "Lea paused you. Your answers are saved" in said(ann)
    assert "Keep labeling" not in said(ann)
    press_key(lead, "resume Ann")
    assert asked(ann.run())


def test_whose_inputs_were_taken_back_gets_new_ones_on_request(page):
    ann, lead = page("Ann"), page("Lea", "team")
    press_key(lead, "take back Ann")
    assert "8 inputs of Ann now go to others" in lead.toast[0].value
    assert asked(ann.run()) == set()
    assert "Lea gave your open inputs to others" in said(ann)
    assert asked(press(ann, "Continue"))


def test_an_answer_to_an_input_that_somebody_else_answered_meanwhile_is_kept_and_said(team, session, page):
    ann = page("Ann")
    [row] = asked(ann)
    faster = Event("vote-0001", "answer", row, "Bob", "2026-05-01T10:00:00Z", answer=1)
    assert session.record([faster]).acknowledged
    ann.button(key=f"fallback {row} class 2").click().run()
    assert "given to another tester in between. Your answer is saved" in ann.toast[0].value
    session.refresh()
    assert session.votes()[row] == {"Bob": 1, "Ann": 2}


def test_a_session_for_others_is_not_in_the_list_and_gives_no_inputs(team, session, page):
    ann, lead = page("Ann"), page("Lea", "team")
    lead.multiselect[0].set_value(["Bob"])
    press(lead, "Save")
    assert asked(ann.run()) == set()
    assert "given this session to other testers" in said(ann)
    other = team.start_session("digits", Request("rrs", 20, 2), votes_per_input=1)
    third = team.start_session("digits", Request("rrs", 20, 3), votes_per_input=1)
    switcher_opened(ann.run())
    offered = {button.key for button in ann.button if (button.key or "").startswith("switch to session")}
    assert offered == {f"switch to session {one.session_record.id}" for one in (other, third)}


def test_instructions_and_a_message_stand_beside_the_inputs_as_they_were_written(page):
    ann, lead = page("Ann"), page("Lea", "team")
    lead.text_area[0].set_value("A <b>cracked</b> tile\nis *broken*.")
    press(lead, "Save")
    lead.text_area[1].set_value("We stop at noon.")
    press(lead, "Send")
    words = said(ann.run())
    assert "tile" in words
    assert "<b>cracked</b>" in words
    assert "We stop at noon." in words
    assert "Lea, 20" in words
    press(lead.run(), "Remove the message")
    assert "We stop at noon." not in said(ann.run())


def test_a_member_is_added_gets_a_new_password_and_is_removed(team, page):
    lead = page("Lea", "team")
    name, password = (next(one for one in lead.text_input if one.label == label) for label in ("Name", "Password"))
    name.set_value("Zoë 🙂")
    password.set_value("short")
    press(lead, "Add")
    assert "5 characters" in lead.toast[0].value
    assert team.testers.find("Zoë 🙂") is None
    name, password = (next(one for one in lead.text_input if one.label == label) for label in ("Name", "Password"))
    name.set_value("Zoë 🙂")
    password.set_value("long enough")
    press(lead, "Add")
    assert team.testers.check("Zoë 🙂", "long enough").role == "tester"
    [field] = [one for one in lead.text_input if one.form_id == "new password Zoë 🙂"]
    field.set_value("another one")
    press_key(lead, "FormSubmitter:new password Zoë 🙂-Set the password")
    assert team.testers.check("Zoë 🙂", "another one") is not None
    press_key(lead, "remove Zoë 🙂")
    assert team.testers.find("Zoë 🙂") is None


def test_a_second_tab_takes_over_and_the_first_says_so_until_it_is_wanted(page, monkeypatch):
    tab = ["first"]
    monkeypatch.setattr(notices, "_this_tab", lambda: tab[0])
    monkeypatch.setattr(notices.visitors, "is_open", lambda session: session in still_there)
    still_there = {"first", "second"}
    first = page("Ann")
    tab[0] = "second"
    second = page("Ann")
    assert asked(second)
    tab[0] = "first"
    assert asked(first.run()) == set()
    assert "You're labeling in another tab" in said(first)
    assert asked(press(first, "Label here"))
    tab[0] = "second"
    assert asked(second.run()) == set()
    still_there.remove("first")  # closed
    assert asked(second.run())


def test_the_session_chosen_here_is_the_one_that_disputes_are_about(team, session, opened):
    lead = log_in(opened("team"), "Lea")
    assert lead.session_state["opened session"] == session.session_record.id
    other = team.start_session("digits", Request("rrs", 20, 2), votes_per_input=1).session_record.id
    lead.run()
    switcher_opened(lead)
    assert f"switch to session {other}" in {button.key for button in lead.button}
    again = log_in(opened("team", subject="digits", session=other), "Lea")
    assert again.session_state["opened session"] == other


def test_without_a_session_the_team_is_settled_all_the_same(team, opened):
    lead = log_in(opened("team"), "Lea")
    assert not lead.exception
    assert "No team session yet" in said(lead)
    assert {"pause Ann", "pause Bob"} <= {button.key for button in lead.button}


def test_a_lead_reads_on_every_page_how_many_disputes_wait_and_a_tester_does_not(team):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    id, row = session.session_record.id, session.draws[0].row
    for name, answer in (("Ann", 3), ("Bob", 8)):
        vote = Event(f"vote-{name}", "answer", row, name, "2026-05-01T10:00:00Z", answer)
        assert session.record([vote]).acknowledged
    links = {}
    for name in ("Lea", "Ann"):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.session_state["login token"] = team.testers.open_login(team.testers.find(name))
        app.query_params["session"], app.query_params["subject"] = id, "digits"
        links[name] = [link.proto for link in app.run().get("page_link")]
        assert not app.exception
    [link] = links["Lea"]
    assert "1 dispute" in link.label
    assert id in link.query_string
    assert links["Ann"] == []
