"""The team at the pages: nothing before the login, each tester blind to the others, a lead who settles disputes."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.words import THIN_SPACE
from testimate.project.project import Project
from tests.pages.page_parts import switcher_opened

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ready(ready, tmp_path_factory):
    """The ready project with its testers, whose passwords take long to hash."""
    folder = tmp_path_factory.mktemp("team") / "ready"
    shutil.copytree(ready, folder)
    made = Project(folder)
    made.testers.add("Lea", "long enough", "lead")
    made.testers.add("Ann", "long enough")
    made.testers.add("Bob", "long enough")
    made.store.close()
    return folder


@pytest.fixture
def team(project, monkeypatch):
    monkeypatch.setenv("TESTIMATE_TEAM", "yes")
    return project


def said(test):
    parts = [*test.markdown, *test.info, *test.caption, *test.text, *test.success, *test.header, *test.error]
    return " ".join(str(part.value) for part in parts)


def log_in(test, name, password="long enough"):
    test.text_input[0].set_value(name)
    test.text_input[1].set_value(password)
    return test.button[0].click().run()


@pytest.mark.parametrize("page", ["subject", "clusters", "strata", "plan", "label", "results", "disputes", "team"])
def test_before_the_login_every_page_shows_its_form_and_nothing_else(team, opened, page):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    test = opened(page, subject="digits", session=session.session_record.id)
    assert not test.exception
    assert [header.value for header in test.header] == ["Log in"]
    assert not test.metric
    assert "digits" not in said(test).lower()


def test_a_wrong_password_is_told_without_saying_whether_the_name_exists(team, opened):
    wrong, nobody = (log_in(opened("label"), name, "wrong password") for name in ("Ann", "Nobody"))
    assert [error.value for error in wrong.error] == [error.value for error in nobody.error]
    assert not wrong.metric


def test_after_too_many_wrong_passwords_the_form_stays_with_the_reason_below_it(team, opened, monkeypatch):
    def check(*_, **__):
        raise BadInput("A password for this name was tried 5 times in a row. Wait a minute.")

    monkeypatch.setattr("testimate.labels.testers.Testers.check", check)  # AppTest comes from another address each time
    test = log_in(opened("label"), "Ann", "wrong password")
    assert not test.exception
    assert [error.value for error in test.error] == [
        "A password for this name was tried 5 times in a row\\. Wait a minute\\."
    ]
    assert [field.label for field in test.text_input] == ["Name", "Password"]
    assert [button.label for button in test.button] == ["Log in"], "and no button that leads nowhere"


@pytest.mark.parametrize("page", ["subject", "clusters", "strata", "plan", "results", "disputes", "team"])
def test_a_tester_does_not_see_the_pages_that_show_what_others_said(team, opened, page):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    test = log_in(opened(page, subject="digits", session=session.session_record.id), "Ann")
    assert not test.exception
    assert "leads" in said(test)
    assert not test.metric


def test_a_tester_who_comes_by_the_plain_address_gets_the_only_session_of_the_team(team, opened):
    team.start_session("digits", Request("srs", 20, 1))  # of one person
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    test = log_in(opened("label"), "Ann")
    assert not test.exception
    assert test.query_params["session"] == session.session_record.id
    assert {metric.label for metric in test.metric} == {"Your answers", "Answered by enough testers"}


def test_a_testers_own_count_moves_with_each_answer(team, opened):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    test = log_in(opened("label", subject="digits", session=session.session_record.id), "Ann")
    test.toggle(key="plain buttons").set_value(True).run()
    for count in (1, 2):
        row = next(int(one.key.split()[1]) for one in test.button if one.key and one.key.endswith("class 3"))
        test.button(key=f"fallback {row} class 3").click().run()
        assert f"{count} of 20 done" in "".join(
            str(one.proto) for one in test.get("bidi_component")
        )  # though nobody else has answered, so no input is settled


def test_testers_label_the_same_input_blind_and_the_lead_settles_their_dispute(team, opened):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    id, row = session.session_record.id, session.draws[0].row
    pages = {}
    for name, answer in (("Ann", 3), ("Bob", 8)):
        test = log_in(opened("label", subject="digits", session=id), name)
        test.toggle(key="plain buttons").set_value(True).run()
        test.button(key=f"fallback {row} class {answer}").click().run()
        assert not test.exception
        pages[name] = test
    session.refresh()
    assert session.votes() == {row: {"Ann": 3, "Bob": 8}}
    ann = pages["Ann"].run()
    assert "Bob" not in said(ann)
    assert {metric.label for metric in ann.metric} == {"Your answers", "Answered by enough testers"}

    lead = log_in(opened("disputes", subject="digits", session=id), "Lea")
    assert not lead.exception
    offered = {
        button.label.replace("\\", ""): button for button in lead.button if (button.key or "").startswith("says ")
    }
    assert set(offered) == {"Ann: 3", "Bob: 8"}
    offered["Bob: 8"].click().run()
    session.refresh()
    assert session.answers() == {row: 8}
    assert session.adjudicated() == {row: "Lea"}
    assert "No disputes" in said(lead.run())
    lead.button(key=f"reopen {row}").click().run()
    session.refresh()
    assert session.disputed() == (row,)
    lead.selectbox(key=f"answer {row}").set_value(8).run()
    faster = Event("m", "adjudication", row, "Max", "2026-01-05T10:00:00Z", answer=3)
    session.record([faster], lead=True)
    lead.button(key=f"settle {row}").click().run()
    assert "Max has settled input" in lead.toast[0].value
    assert session.adjudicated() == {row: "Max"}
    assert "by Max, 2026-01-05 10:00 UTC" in said(lead.run())
    lead.button(key=f"reopen {row}").click().run()
    session.refresh()
    assert session.disputed() == (row,), "any lead opens again what one has settled"
    forged = Event("forged-02", "undo", row, "Ann", "now", detail={"reopens": True})
    assert "Only a lead reopens" in session.record([forged]).refused["forged-02"]


def end_of_login(test, project):
    project.testers.close_login(test.session_state["login token"])


def new_password(test, project):
    project.testers.new_password("Ann", "another one")


def removal(test, project):
    project.testers.remove("Ann")


@pytest.mark.parametrize(
    ("end", "sentence"),
    [(end_of_login, "Ann was logged out"), (new_password, "by a new password"), (removal, "not on the team")],
)
def test_who_was_logged_out_elsewhere_or_removed_labels_no_further_and_is_told_why(team, opened, end, sentence):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    row = session.draws[0].row
    test = log_in(opened("label", subject="digits", session=session.session_record.id), "Ann")
    test.toggle(key="plain buttons").set_value(True).run()
    end(test, team)
    test.button(key=f"fallback {row} class 3").click().run()
    assert not test.exception
    assert [header.value for header in test.header] == ["Log in"]
    [why] = test.warning
    assert sentence in why.value
    assert "is saved after you log in" in why.value
    session.refresh()
    assert session.votes() == {}


def test_a_lead_who_was_removed_settles_nothing(team, opened):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    row = session.draws[0].row
    for name, answer in (("Ann", 3), ("Bob", 8)):
        vote = Event(f"vote-{name}", "answer", row, name, "2026-11-22T10:00:00+00:00", answer)
        assert session.record([vote]).acknowledged
    lead = log_in(opened("disputes", subject="digits", session=session.session_record.id), "Lea")
    lead.selectbox(key=f"answer {row}").set_value(8).run()
    team.testers.remove("Lea")
    lead.button(key=f"settle {row}").click().run()
    assert not lead.exception
    assert [header.value for header in lead.header] == ["Log in"]
    session.refresh()
    assert session.disputed() == (row,)


def test_while_the_database_is_away_a_tester_reads_that_answers_are_kept_and_a_lead_where_it_is(team, opened):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    id = session.session_record.id
    pages = {name: log_in(opened("label", subject="digits", session=id), name) for name in ("Ann", "Lea")}
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["login token"] = pages["Ann"].session_state["login token"]
    file = team.folder / "labels.sqlite"
    file.rename(team.folder / "aside")
    for test in (app.run(), pages["Ann"].run()):
        assert not test.exception
        [error] = test.error
        assert "safe in this browser" in error.value
        assert "sqlite" not in said(test)
    assert "labels.sqlite is gone" in said(pages["Lea"].run()).replace("\\", "")
    (team.folder / "aside").rename(file)
    assert not pages["Ann"].run().error


def test_what_two_testers_are_shown_first_is_not_the_same_input_where_one_answer_is_enough(team, opened):
    session = team.start_session("digits", Request("rrs", 40, 1), votes_per_input=1)
    shown = []
    for name in ("Ann", "Bob"):
        test = log_in(opened("label", subject="digits", session=session.session_record.id), name)
        test.toggle(key="plain buttons").set_value(True).run()
        [first] = {button.key.split()[1] for button in test.button if (button.key or "").startswith("fallback")}
        shown.append(int(first))
    assert len(set(shown)) == 2


def shown_inputs(test):
    test.toggle(key="plain buttons").set_value(True).run()
    keys = [(button.key or "").split() for button in test.button]
    return {int(parts[1]) for parts in keys if parts[:1] == ["fallback"] and parts[2:3] == ["class"]}


def test_a_lead_who_looks_on_holds_no_input_until_they_label_too(team, opened):
    session = team.start_session("digits", Request("rrs", 6, 1), votes_per_input=1)
    id, rows = session.session_record.id, [draw.row for draw in session.draws]
    lead = log_in(opened("label", subject="digits", session=id), "Lea")
    assert not lead.exception
    assert "You're watching" in said(lead)
    assert lead.metric[0].label.startswith("Accuracy of all ")
    assert "plain buttons" not in {toggle.key for toggle in lead.toggle}
    assert [draw.row for draw in session.upcoming(6, "Ann")] == rows  # nothing is held by the lead
    ann = [Event(f"Ann-{row:08}", "answer", row, "Ann", "2024-05-01T10:00", answer=1) for row in rows[:2]]
    session.record(ann)
    assert any("2 of 6" in said(lead.run()) for _ in range(100))

    next(button for button in lead.button if button.label == "Join in").click().run()
    assert shown_inputs(lead) == set()  # all that is left is in Ann's hands
    other = team.start_session("digits", Request("rrs", 6, 2), votes_per_input=1)
    lead = log_in(opened("label", subject="digits", session=other.session_record.id), "Lea")
    next(button for button in lead.button if button.label == "Join in").click().run()
    [first] = shown_inputs(lead)
    lead.button(key=f"fallback {first} class 1").click().run()
    other.refresh()
    assert other.said_by("Lea") == 1
    again = log_in(opened("label", subject="digits", session=other.session_record.id), "Lea")
    assert shown_inputs(again)  # who has answered labels too, without saying so again


def test_the_sessions_to_choose_from_are_named_as_they_are(team, opened):
    first, second = (team.start_session("digits", Request("rrs", 20, seed), votes_per_input=2) for seed in (1, 2))
    test = log_in(opened("label", subject="digits", session=second.session_record.id), "Ann")
    switcher_opened(test)
    names = {button.key: button.label for button in test.button if (button.key or "").startswith("switch to session")}
    assert set(names) == {f"switch to session {one.session_record.id}" for one in (first, second)}
    begun = first.session_record.created[:10].replace("-", "\\-")
    assert all(name.startswith(f"rrs\\, 20\\, {begun}") for name in names.values())
    assert len(set(names.values())) == 2, "two that are called the same could not be told apart"
    assert not any((button.key or "").startswith("switch to digits") for button in test.button)


def test_a_tester_who_forges_an_adjudication_is_refused(team):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=1)
    word = Event("forged-01", "adjudication", session.draws[0].row, "Ann", "now", answer=1)
    assert "lead" in session.record([word]).refused["forged-01"]
    assert session.answers() == {}


def test_without_a_team_there_is_no_login(project, opened):
    project.start_session("digits", Request("rrs", 20, 1))
    test = opened("label", subject="digits")
    assert "Log in" not in said(test)
    assert test.metric


def test_the_results_tell_how_far_the_team_agrees(team, opened):
    session = team.start_session("digits", Request("rrs", 20, 1), votes_per_input=2)
    truth = session.inputs.truth
    for place, draw in enumerate(session.draws):
        for name in ("Ann", "Bob"):
            answer = int(truth[draw.row]) if name == "Ann" or place else (int(truth[draw.row]) + 1) % 10
            session.record(
                [Event(f"{name}-{draw.row:08}", "answer", draw.row, name, "2024-05-01T10:00", answer=answer)]
            )
    test = log_in(opened("results", subject="digits", session=session.session_record.id), "Lea")
    assert not test.exception
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Answered by two or more"] == "20"
    assert values["Pairs of answers that agree"] == "95.0%"
    assert "Disputed: 1." in said(test)


def test_a_team_plans_how_many_testers_answer_each_input(team, opened):
    test = log_in(opened("plan", subject="digits"), "Lea")
    assert not test.exception
    [field] = [field for field in test.number_input if field.label == "Testers per input"]
    field.set_value(3).run()
    [start] = [button for button in test.button if button.label == "Start labeling"]
    start.click().run()
    assert team.sessions()[0].votes_per_input == 3


@pytest.fixture
def provider(team, opened):
    """Runs a page where an identity provider is configured and says this of who is there."""
    team.testers.add("lea@example.org", None, "lead")
    team.testers.add("ann@example.org", None)

    def run(page, **user):
        test = opened(page, subject="digits")
        test.secrets["auth"] = {
            "redirect_uri": "https://testimate.example.org/oauth2callback",
            "cookie_secret": "x" * 40,
            "client_id": "testimate",
            "client_secret": "secret",
            "server_metadata_url": "https://login.example.org/.well-known/openid-configuration",
        }
        test.user = user
        return test.run()

    return run


def test_with_an_identity_provider_there_is_its_button_and_no_password(provider):
    test = provider("plan", is_logged_in=False)
    assert not test.exception
    assert [button.label for button in test.button] == ["Log in with your organization"]
    assert not test.text_input


def test_one_whom_the_provider_knows_and_the_team_lists_is_let_in_with_the_role_listed(provider):
    lead = provider("plan", is_logged_in=True, email="lea@example.org", email_verified=True)
    assert "Start labeling" in [button.label for button in lead.button]
    tester = provider("plan", is_logged_in=True, email="ann@example.org")
    assert "leads" in said(tester)


@pytest.mark.parametrize(
    ("user", "why"),
    [
        ({"is_logged_in": True, "email": "eve@example.org"}, "not on this team"),
        ({"is_logged_in": True, "email": "lea@example.org", "email_verified": False}, "has not verified this e-mail"),
        ({"is_logged_in": True}, "not on this team"),
    ],
)
def test_one_whom_the_team_does_not_list_stays_out_whatever_the_provider_says(provider, user, why):
    test = provider("plan", **user)
    assert not test.exception
    assert [header.value for header in test.header] == ["Log in"]
    assert why in said(test)
    assert [button.label for button in test.button] == ["Use another account"]


def test_a_login_kept_from_before_the_provider_came_opens_nothing(team, provider):
    token = team.testers.open_login(team.testers.find("Lea"))
    test = provider("plan", is_logged_in=False)
    test.session_state["login token"] = token
    assert [header.value for header in test.run().header] == ["Log in"]


def test_a_page_under_a_name_of_another_site_shows_only_why_it_is_refused(project, monkeypatch):
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.headers", {"Host": "evil.example:8501"})
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not test.exception
    [error] = test.error
    assert "evil.example" in error.value.replace("\\", "")
    assert (len(test.button), len(test.header), len(test.markdown)) == (0, 0, 0)


def test_a_server_open_to_others_without_a_team_shows_nothing_but_how_to_start_it(project, opened, monkeypatch):
    project.start_session("digits", Request("rrs", 20, 1))
    option = "streamlit.get_option"
    monkeypatch.setattr(option, lambda name: "0.0.0.0" if name == "server.address" else None)
    test = opened("label", subject="digits")
    assert "testimate app --team" in said(test)
    assert not test.metric
    assert not test.button


def test_results_say_how_often_the_testers_of_a_team_err(team, opened):
    session = team.start_session("digits", Request("rrs", 40, 1), votes_per_input=2)
    truth = session.inputs.truth
    for place, draw in enumerate(session.draws):
        for name in ("Ann", "Bob"):
            answer = int(truth[draw.row] + (place < 4 and name == "Bob")) % 10
            vote = Event(f"{name}-{place}", "answer", draw.row, name, "2026-11-22T10:00:00+00:00", answer=answer)
            assert session.record([vote]).acknowledged
    page = log_in(opened("results", subject="digits", session=session.session_record.id), "Lea")
    assert not page.exception
    # 36 of 40 pairs agree: e = (1 - sqrt(0.8)) / 2 = 5.3%, and both err on 0.28% at most
    words = said(page).replace("\\", "").replace(THIN_SPACE, " ")
    assert "about 5.3% of each tester's answers are wrong" in words
    assert "at most about 0.28%" in words
