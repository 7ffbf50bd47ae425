"""The switcher: it alone says what every tab is about, finds it, and opens it on the page that is shown."""

import pytest

from testimate.core.selector import Request
from testimate.project.deleted import name_session
from testimate.ui import switcher as module
from testimate.ui.components.untrusted_text import LETTERS, shortened
from testimate.ui.pages import RESULTS
from testimate.ui.switcher import TestSet as Listed
from testimate.ui.switcher import matching
from tests.pages.page_parts import sent, switcher_opened


@pytest.fixture
def two(project) -> list[str]:
    """Two sessions of the digits, of which the first has a name."""
    ids = [project.start_session("digits", Request(name, 20, 1)).session_record.id for name in ("srs", "rrs")]
    name_session(project, ids[0], "Night run", "Ann")
    return ids


def offered(test) -> list[str]:
    return [button.key for button in test.button if (button.key or "").startswith("switch to ")]


def label_of_the_switcher(test) -> str:
    labels = [getattr(getattr(block, "popover", None), "label", "") for block in sent(test)]
    return next(label.replace("\\", "") for label in labels if "Digits" in label or "Choose" in label)


@pytest.mark.parametrize("page", ["clusters", "plan", "label", "results", "versions"])
def test_every_tab_says_the_same_test_set_and_session(opened, two, page):
    test = opened(page, subject="digits", session=two[0])
    assert not test.exception
    assert label_of_the_switcher(test) == "Digits, small CNN · Night run"


def test_results_without_a_session_say_at_once_which_one_they_opened(opened, two):
    assert "rrs, 20" in label_of_the_switcher(opened("results", subject="digits"))


def test_a_choice_opens_on_the_page_that_is_shown(opened, two, monkeypatch):
    went = []
    monkeypatch.setattr(module, "go", lambda page, **where: went.append((page, where)))
    test = switcher_opened(opened("results", subject="digits", session=two[1]))
    assert offered(test)[:3] == ["switch to digits", *(f"switch to session {one}" for one in reversed(two))]
    test.button(key=f"switch to session {two[0]}").click().run()
    assert went[-1] == (RESULTS, {"subject": "digits", "session": two[0]})


def test_a_search_finds_a_session_by_its_name(opened, two):
    test = switcher_opened(opened("results", subject="digits", session=two[1]))
    next(one for one in test.text_input if one.label.startswith("Find a test set")).set_value("night").run()
    assert offered(test) == ["switch to digits", f"switch to session {two[0]}"]


def test_the_list_is_not_read_while_it_is_closed(opened, two):
    assert offered(opened("results", subject="digits", session=two[1])) == []


def test_a_session_that_is_gone_does_not_take_the_switcher_along(opened, project):
    test = opened("plan", subject="digits", session="gone")
    assert not test.exception
    assert "switch to digits" in offered(switcher_opened(test))


def test_long_names_are_cut_in_the_middle_so_that_their_ends_differ():
    first, second = (shortened("signs of the road, " * 4 + end) for end in ("day", "night"))
    assert len(first) == len(second) == LETTERS
    assert first != second


def test_a_search_without_letters_shows_a_few_and_letters_look_at_all():
    known = [Listed(f"key-{place}", f"Set {place}", ()) for place in range(20)]
    assert len(list(matching(known, " "))) < 20
    assert [one.key for one in matching(known, "SET 17")] == ["key-17"]
