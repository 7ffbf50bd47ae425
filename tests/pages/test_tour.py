"""The tour: through all pages with Next and Back, kept in the URL, ended for good; and the help that every page has."""

import ast
import re
from pathlib import Path

import pytest

from testimate.ui.pages import COMPARE, PAGES, STUDY, SUBJECT, TOUR
from tests.pages.page_parts import with_key

ROOT = Path(__file__).parents[2]
ON_THE_DEMO = [page for page in TOUR if page not in (COMPARE, STUDY)]
BY_ADDRESS = {"ids": lambda page: page.address}


@pytest.fixture
def labeled(project, say) -> str:
    """A session of the demo with faults among its labels."""
    session = project.start_session("digits", _plan(), half_width=0.05)
    answers = project.inputs("digits").predictions  # of which every third is said to be wrong
    for place, draw in enumerate(session.upcoming(12)):
        session.record([say(draw.row, int(answers[draw.row] + (place % 3 == 0)) % 10)])
    return session.session_record.id


def keys(test) -> set[str]:
    return {button.key for button in test.button}


def cards(test) -> list[str]:
    return [found[1] for part in test.markdown if (found := re.match(r":material/signpost: \*\*(.+?)\*\*", part.value))]


def test_the_tour_visits_every_page_but_the_teams_own():
    assert [page.address for page in PAGES if page not in TOUR] == ["team", "disputes"]


@pytest.mark.parametrize("page", PAGES, **BY_ADDRESS)
def test_the_help_of_a_page_is_short_and_names_its_terms(page):
    assert 60 < len(page.help) < 330
    assert page.terms


@pytest.mark.parametrize("page", ON_THE_DEMO, **BY_ADDRESS)
def test_each_page_of_a_tour_shows_its_own_card_and_the_page_as_ever(opened, page):
    test = opened(page.address, subject="digits", tour="on")
    assert not test.exception
    assert cards(test) == [page.title]
    assert "tour end" in keys(test)
    assert ("tour back" in keys(test)) == (page != SUBJECT)
    without = opened(page.address, subject="digits")
    assert cards(without) == []
    assert {one for one in keys(without) if one} <= keys(test)


@pytest.mark.parametrize("page", ON_THE_DEMO, **BY_ADDRESS)
def test_what_the_tour_points_at_is_on_the_page(opened, labeled, page):
    test = opened(page.address, subject="digits", session=labeled, tour="on")
    assert page.points
    for point in page.points:
        assert with_key(test, point.key), point.key


@pytest.mark.parametrize("page", [page for page in ON_THE_DEMO if page != TOUR[-1]], **BY_ADDRESS)
def test_next_and_back_lead_to_the_neighbors(opened, project, monkeypatch, page):
    from testimate.ui import tour

    project.start_session("digits", _plan())
    went = []
    monkeypatch.setattr(tour, "go", lambda page, **where: went.append((page, where["subject"])))
    place = TOUR.index(page)
    test = opened(page.address, subject="digits", tour="on")
    test.button(key="tour next").click().run()
    assert went == [(TOUR[place + 1], "digits")]
    if place:
        test.button(key="tour back").click().run()
        assert went[-1] == (TOUR[place - 1], "digits")


def _plan():
    from testimate.core.selector import Request

    return Request("srs", budget=20, seed=1)


def test_on_the_way_to_label_a_session_is_begun_by_the_default_plan_where_there_is_none(opened, project):
    test = opened("plan", subject="digits", tour="on")
    test.button(key="tour next").click().run()
    [record] = project.sessions()
    assert (record.subject, record.request.technique) == ("digits", "rra")


def test_a_tour_without_a_subject_goes_on_with_the_first_demo(opened, project, monkeypatch):
    from testimate.ui import tour

    went = []
    monkeypatch.setattr(tour, "go", lambda page, **where: went.append((page, where["subject"])))
    test = opened("subject")
    test.button(key="show me around").click().run()
    first = next(entry.key for entry in project.entries() if entry.demo)
    assert went[0] == (SUBJECT, first)
    assert test.session_state["tour"] is True


def test_a_reload_keeps_the_tour_and_its_end_ends_it(opened):
    test = opened("strata", subject="digits", tour="on")
    assert test.query_params["tour"] == "on"
    again = opened("strata", subject="digits", tour="on")  # a new browser tab: nothing but the URL
    assert cards(again) == ["Strata"]
    again.button(key="tour end").click().run()
    assert "tour" not in again.query_params
    assert cards(again) == []
    again.run()
    assert cards(again) == []


def test_a_tour_comes_along_where_the_navigation_drops_the_url(opened):
    test = opened("strata", subject="digits", tour="on")
    del test.query_params["tour"]
    test.run()
    assert cards(test) == ["Strata"]


def test_a_tester_of_a_team_sees_no_tour(opened, monkeypatch):
    from testimate.core.session_record import Tester
    from testimate.ui import shell

    monkeypatch.setattr(shell, "member", lambda: Tester("Ann", "tester"))
    monkeypatch.setattr("testimate.ui.member.member", lambda: Tester("Ann", "tester"))
    test = opened("label", subject="digits", tour="on")
    assert cards(test) == []


def test_no_page_draws_the_tour_by_itself():
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "testimate" / "ui").rglob("*.py")]:
        called = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        if any(isinstance(node.func, ast.Name) and node.func.id == "help_and_tour" for node in called):
            assert path.name == "shell.py"
