"""The team: names, roles and passwords that are kept as argon2 hashes alone."""

import threading
from contextlib import suppress

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from testimate.core.errors import BadInput
from testimate.core.session_record import Tester
from testimate.labels import testers
from testimate.labels import testers as login_tries
from testimate.labels.database import LOGINS, TESTERS
from testimate.labels.testers import KNOWN_SECONDS, LOGIN_SECONDS, Testers
from tests.each import each


@pytest.fixture
def team(open_store) -> Testers:
    return Testers(open_store())


def test_a_member_logs_in_with_the_right_password_alone(team):
    lead = team.add("Zoë", "long enough", "lead")
    team.add("Ann", "another one")
    assert team.check("Zoë", "long enough") == lead
    assert lead.leads
    for name, password in [("Zoë", "another one"), ("Zoë", ""), ("Bob", "long enough"), ("zoë", "long enough")]:
        assert team.check(name, password) is None
    assert [(member.name, member.role) for member in team.list()] == [("Ann", "tester"), ("Zoë", "lead")]
    assert team.find("Ann") == Tester("Ann", "tester", team.list()[0].created)
    assert team.find("Bob") is None


def test_what_is_kept_of_a_password_is_its_argon2_hash(open_store, careful_hasher, monkeypatch):
    monkeypatch.setattr(testers, "_HASHER", careful_hasher)
    Testers(open_store()).add("Ann", "long enough")
    with open_store().transaction() as connection:
        kept = connection.scalars(select(TESTERS.c.password_hash)).one()
    assert "long enough" not in kept
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, section 4, the second recommended option
    assert PasswordHasher().verify(kept, "long enough")


def test_a_member_who_was_removed_logs_in_no_more(team):
    team.add("Ann", "long enough")
    team.remove("Ann")
    assert team.check("Ann", "long enough") is None
    with pytest.raises(BadInput, match="no tester"):
        team.remove("Ann")


@each(
    ("name", "password", "sentence"),
    [
        ("Ann", "short", "5 characters"),
        ("", "long enough", "1 to 100"),
        (" Ann", "long enough", "space"),
        ("An\x00n", "long enough", "visible"),
        ("An\u202en", "long enough", "visible"),
        ("x" * 200, "long enough", "200 characters. Expected 1 to 100"),
        ("\u200d", "long enough", "visible"),
        ("Ann", "x" * 1001, "1001 characters"),
    ],
)
def test_names_and_passwords_that_do_not_serve_are_refused_in_a_sentence(team, name, password, sentence):
    with pytest.raises(BadInput, match=sentence):
        team.add(name, password)
    assert team.list() == []


@pytest.mark.parametrize("name", ["Ann \N{GRINNING FACE}", "\U0001f469\u200d\U0001f52c", "Željko Ångström", "安"])
def test_names_of_every_script_and_emoji_that_several_make_up_log_in(team, name):
    team.add(name, "long enough")
    assert team.check(name, "long enough").name == name


def test_a_name_is_given_once(team):
    team.add("Ann", "long enough")
    with pytest.raises(BadInput, match="already"):
        team.add("Ann", "another one")
    assert team.check("Ann", "long enough") is not None


def test_a_browser_stays_logged_in_until_its_time_is_over_or_it_logs_out(open_store):
    now = [1000.0]
    team = Testers(open_store(), clock=lambda: now[0])
    ann = team.add("Ann", "long enough")
    token, other = team.open_login(ann), team.open_login(ann)
    assert token != other
    assert Testers(open_store(), clock=lambda: now[0]).logged_in(token) == ann
    team.close_login(token)
    assert team.logged_in(token) is None
    assert team.logged_in(other) == ann
    now[0] += LOGIN_SECONDS
    assert team.logged_in(other) is None
    assert team.logged_in("") is None
    assert team.logged_in("\ud800") is None


def test_a_login_ends_with_the_member_and_its_token_is_not_kept(team, open_store):
    token = team.open_login(team.add("Ann", "long enough"))
    with open_store().transaction() as connection:
        assert token not in connection.scalars(select(LOGINS.c.token_hash)).all()
    team.remove("Ann")
    assert team.logged_in(token) is None


def test_one_whom_an_identity_provider_knows_has_no_password_to_log_in_with(team):
    team.add("ann@example.org", None, "lead")
    assert team.find("ann@example.org").leads
    assert team.check("ann@example.org", "") is None


def test_after_five_wrong_passwords_the_name_waits_a_minute(open_store):
    now = [1000.0]
    team = Testers(open_store(), clock=lambda: now[0])
    team.add("Ann", "long enough")
    assert [team.check("Ann", "wrong password") for _ in range(5)] == [None] * 5
    with pytest.raises(BadInput, match="Wait a minute"):
        team.check("Ann", "long enough")
    now[0] += 61
    assert team.check("Ann", "long enough").name == "Ann"


def test_a_stranger_who_never_stops_trying_keeps_nobody_out_of_a_browser_they_know_or_of_another_place(open_store):
    now = [1000.0]
    team = Testers(open_store(), clock=lambda: now[0])
    ann = team.add("Ann", "long enough")
    team.add("Bob", "another one")
    hers = team.open_login(ann)
    team.close_login(hers)
    assert team.logged_in(hers) is None
    for _ in range(200):
        now[0] += 1
        with suppress(BadInput):
            assert team.check("Ann", "wrong password", address="10.0.0.9") is None
    with pytest.raises(BadInput, match="Wait a minute"):
        team.check("Ann", "long enough", address="10.0.0.9")
    assert team.check("Ann", "long enough", browser=hers, address="10.0.0.9") == ann
    assert team.check("Ann", "long enough", address="10.0.0.7") == ann
    with pytest.raises(BadInput, match="Wait a minute"):  # her browser is known for her alone
        [team.check("Bob", "wrong password", browser=hers, address="10.0.0.9") for _ in range(6)]


def test_a_browser_is_known_for_three_months_and_no_longer_than_its_member(open_store):
    now = [1000.0]
    team = Testers(open_store(), clock=lambda: now[0])
    hers = team.open_login(team.add("Ann", "long enough"))
    now[0] += LOGIN_SECONDS + 1
    assert (team.logged_in(hers), team._known(hers, "Ann")) == (None, True)
    team.open_login(team.add("Bob", "another one"))
    assert team._known(hers, "Ann")
    now[0] += KNOWN_SECONDS
    team.open_login(team.find("Bob"))
    assert not team._known(hers, "Ann")
    again = team.open_login(team.find("Ann"))
    team.remove("Ann")
    team.add("Ann", "somebody else")
    assert not team._known(again, "Ann")


def test_no_more_than_two_passwords_are_checked_at_the_same_time(open_store, monkeypatch):
    at_work, most = [0], [0]
    lock, both = threading.Lock(), threading.Barrier(2)

    class Hasher:
        def hash(self, password: str) -> str:
            return password

        def verify(self, *_: str) -> bool:
            with lock:
                at_work[0] += 1
                most[0] = max(most[0], at_work[0])
            both.wait(30)  # goes on when there are two of them, and would with a third one inside
            with lock:
                at_work[0] -= 1
            return True

    monkeypatch.setattr(testers, "_HASHER", Hasher())
    testers._nobodys_hash.cache_clear()
    team = Testers(open_store())
    team.add("Ann", "long enough")
    threads = [threading.Thread(target=team.check, args=("Ann", "long enough")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    testers._nobodys_hash.cache_clear()
    assert most == [2]


def test_who_gets_no_turn_is_told_and_not_left_waiting(team, monkeypatch):
    monkeypatch.setattr(login_tries, "LONGEST_TURN", 0.01)
    with login_tries.checked_in_turn(), login_tries.checked_in_turn(), pytest.raises(BadInput, match="at this moment"):
        team.check("Ann", "long enough")


def test_strangers_together_try_no_more_than_the_server_can_check_and_known_browsers_are_none_of_them(
    team, monkeypatch
):
    ann = team.add("Ann", "long enough")
    hers = team.open_login(ann)
    monkeypatch.setattr(login_tries, "strangers", login_tries.RateLimit(3, 60.0))
    for number in range(3):
        assert team.check(f"nobody {number}", "wrong password", address=f"10.0.0.{number}") is None
    with pytest.raises(BadInput, match="Too many people"):
        team.check("Ann", "long enough", address="10.0.0.7")
    assert team.check("Ann", "long enough", browser=hers) == ann


def test_a_pace_admits_so_many_in_any_stretch_of_time_whatever_its_clock_does():
    pace = login_tries.RateLimit(2, 10.0)
    assert [pace.admits(now) for now in (0, 9, 9.5, 10, 18, 19)] == [True, True, False, True, False, True]
    assert [pace.admits(now) for now in (1, 1, 1)] == [False, False, False], "a clock set back a little"
    assert pace.admits(-1000)


def test_passwords_tried_all_at_once_on_two_servers_are_counted_like_those_tried_in_turn(open_store):
    servers = [Testers(open_store()), Testers(open_store())]
    servers[0].add("Ann", "long enough")
    said: list[object] = []
    together = threading.Barrier(16)

    def guess(number: int) -> None:
        together.wait()
        try:
            said.append(servers[number % 2].check("Ann", f"wrong password {number}"))
        except BadInput:
            said.append("refused")

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (said.count(None), said.count("refused")) == (5, 11)


def test_the_right_password_wipes_the_wrong_ones_before_it_out(team):
    team.add("Ann", "long enough")
    for _ in range(3):
        assert [team.check("Ann", "wrong password") for _ in range(4)] == [None] * 4
        assert team.check("Ann", "long enough").name == "Ann"


@pytest.mark.parametrize("set_back", [121, 5 * 3600])
def test_a_clock_that_is_set_back_ends_the_wait_and_does_not_lengthen_it(open_store, set_back):
    now = [1e9]
    team = Testers(open_store(), clock=lambda: now[0])
    team.add("Ann", "long enough")
    assert [team.check("Ann", "wrong password") for _ in range(5)] == [None] * 5
    now[0] -= set_back
    assert team.check("Ann", "long enough").name == "Ann"


def test_a_clock_that_is_a_little_behind_another_servers_lets_no_more_passwords_through(open_store):
    ahead, behind = Testers(open_store(), clock=lambda: 1001.0), Testers(open_store(), clock=lambda: 1000.0)
    assert [ahead.check("Ann", "wrong password") for _ in range(5)] == [None] * 5
    with pytest.raises(BadInput, match="Wait a minute"):
        behind.check("Ann", "wrong password")
