"""A ticket is changed for the login's cookie once, within a minute, and by nobody who does not hold it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie

import pytest
from starlette.requests import Request

from testimate.ui.components import page_scripts
from testimate.ui.components.page_scripts import TICKET_SECONDS, Handover, Tickets, set_cookie


@pytest.fixture
def tickets(monkeypatch):
    monkeypatch.setattr(page_scripts, "tickets", made := Tickets())
    return made


def show(ticket: str, **headers: str):
    """The server's answer to a script that shows this ticket, asked in a thread: a browser test's loop may run in this one."""
    sent = {"X-Testimate-Ticket": ticket, **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.lower().encode(), value.encode()) for name, value in sent.items()]
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(
            lambda: asyncio.run(set_cookie(Request({"type": "http", "method": "POST", "headers": raw})))
        ).result()


def test_a_ticket_is_changed_once_for_a_cookie_that_no_script_reads(tickets):
    ticket = tickets.give(Handover("abc-_9", 43_200.0))
    answer = show(ticket)
    assert answer.status_code == 204
    cookie = SimpleCookie(answer.headers["set-cookie"])["testimate-login"]
    assert cookie.value == "abc-_9"
    assert cookie["httponly"] is True
    assert not cookie["secure"]
    assert (cookie["samesite"], cookie["path"], cookie["max-age"]) == ("strict", "/", "43200")
    again = show(ticket)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers


def test_over_https_the_cookie_goes_by_https_only(tickets):
    answer = show(tickets.give(Handover("abc", 60.0)), X_Testimate_Secure="yes")
    assert SimpleCookie(answer.headers["set-cookie"])["testimate-login"]["secure"] is True


def test_a_logout_makes_the_browser_forget_it(tickets):
    answer = show(tickets.give(Handover("", 0.0)))
    cookie = SimpleCookie(answer.headers["set-cookie"])["testimate-login"]
    assert (cookie.value, cookie["max-age"]) == ("", "0")


@pytest.mark.parametrize("ticket", ["", "guessed", "x" * 10_000])
def test_what_is_no_ticket_sets_no_cookie(tickets, ticket):
    tickets.give(Handover("abc", 60.0))
    assert show(ticket).status_code == 403


def test_a_ticket_runs_out_after_its_minute():
    now = [0.0]
    tickets = Tickets(clock=lambda: now[0])
    early, late = tickets.give(Handover("a", 1.0)), tickets.give(Handover("b", 1.0))
    now[0] = TICKET_SECONDS - 0.1
    assert tickets.take(early) == Handover("a", 1.0)
    now[0] = TICKET_SECONDS
    assert tickets.take(late) is None
