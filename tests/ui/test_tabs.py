"""The tabs of the header: every address opens, one page of each tab is in the header, and a step leads to the others."""

from types import SimpleNamespace

import pytest

from testimate.core.session_record import Tester
from testimate.ui import tabs as module
from testimate.ui.pages import PAGES, TABS
from testimate.ui.tabs import page_here, remember_page, steps, tabs

LEAD = Tester("Lea", "lead")


@pytest.fixture
def browser(monkeypatch):
    """A browser at an address, with what its tab remembers; pages are recorded as they are registered."""
    streamlit = SimpleNamespace(
        context=SimpleNamespace(url="http://localhost:8501/"),
        query_params={},
        session_state={},
        Page=lambda file, **settings: SimpleNamespace(file=file, **settings),
    )
    monkeypatch.setattr(module, "st", streamlit)
    monkeypatch.setattr(module, "team", lambda: False)
    return streamlit


def header(browser, address: str = "") -> dict[str, str]:
    """The address behind each tab that is seen."""
    browser.context.url = f"http://localhost:8501/{address}"
    registered = tabs(LEAD)
    assert [page.file for page in registered] == [page.file for page in PAGES]
    return {page.title: page.file[6:-3] for page in registered if page.visibility == "visible"}


def test_the_header_has_six_tabs_and_team_only_for_a_team(browser, monkeypatch):
    assert list(header(browser)) == ["Project", "Explore", "Label", "Results", "Models", "Learn"]
    monkeypatch.setattr(module, "team", lambda: True)
    assert list(header(browser)) == [tab.title for tab in TABS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_the_tab_of_the_open_address_shows_that_page(browser, page):
    shown = header(browser, "" if page is PAGES[0] else page.address)
    assert page_here() is page
    assert page.address in shown.values()
    assert len(shown) == len(set(shown)) >= 6


def test_a_tab_opens_its_page_visited_last(browser):
    assert header(browser)["Explore"] == "clusters"
    remember_page(next(page for page in PAGES if page.address == "strata"))
    assert header(browser, "results")["Explore"] == "strata"
    assert header(browser, "clusters")["Explore"] == "clusters"


def test_label_opens_the_labeling_of_an_open_session_and_else_the_plan(browser):
    assert header(browser)["Label"] == "plan"
    browser.session_state["opened session"] = "abc"
    assert header(browser)["Label"] == "label"
    assert header(browser, "plan")["Label"] == "plan"


def test_in_projector_mode_learn_is_in_the_header_only_while_it_is_open(browser):
    browser.query_params["lecture"] = "on"
    assert "Learn" not in header(browser)
    assert "Learn" in header(browser, "study")


def test_a_tester_of_a_team_has_one_page_at_the_first_address_and_at_its_own(browser):
    first, named = tabs(Tester("Ann", "tester"))
    assert (first.file, first.default, first.title) == ("pages/label.py", True, "Label")
    assert (named.file, named.visibility) == ("pages/label.py", "hidden")


def test_a_step_opens_the_other_page_with_what_the_address_says(browser):
    opened, offered = [], []

    def choose(_, options, *, default, format_func, **__):
        offered.append([format_func(one) for one in options])
        return next(one for one in options if one != default)

    browser.segmented_control = choose
    browser.switch_page = lambda file, query_params: opened.append((file, query_params))
    browser.query_params = SimpleNamespace(to_dict=lambda: {"subject": "digits", "truth": "on"})
    browser.session_state[module.WAITING] = 3
    for address in ("clusters", "plan", "team", "results"):
        steps(next(page for page in PAGES if page.address == address))
    assert offered == [["Clusters", "Strata"], ["1 Plan", "2 Label"], ["People", "Disputes 3"]]
    assert opened[0] == ("pages/strata.py", {"subject": "digits", "truth": "on"})
    assert [file for file, _ in opened] == ["pages/strata.py", "pages/label.py", "pages/disputes.py"]


def test_a_tester_of_a_team_sees_no_step_to_the_plan(browser):
    browser.session_state[module.LEADS_HERE] = False
    steps(next(page for page in PAGES if page.address == "label"))
