"""Background work makes way for a page that is being drawn, on a clock of its own."""

from types import SimpleNamespace

import pytest

from testimate.project import jobs
from testimate.project.jobs import AFTER, LONGEST_WAIT, REST, PagesFirst


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only while somebody sleeps or the test says so."""
    now = SimpleNamespace(seconds=100.0)

    def sleep(seconds: float) -> None:
        now.seconds += seconds

    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now.seconds, sleep=sleep))
    return now


def waited(pages: PagesFirst, clock: SimpleNamespace) -> float:
    begun = clock.seconds
    pages.make_way()
    return clock.seconds - begun


def test_work_goes_on_at_once_where_no_page_is_drawn(clock):
    assert waited(PagesFirst(), clock) == 0.0


def test_work_waits_until_the_browser_has_drawn_the_page(clock):
    pages = PagesFirst()
    with pages.drawing():
        clock.seconds += 0.3
    assert waited(pages, clock) == pytest.approx(AFTER, abs=0.03)
    assert waited(pages, clock) == 0.0


def test_a_page_that_never_ends_holds_work_up_only_for_a_while(clock):
    pages = PagesFirst()
    with pages.drawing():
        assert waited(pages, clock) == pytest.approx(LONGEST_WAIT, abs=0.03)
        assert waited(pages, clock) == 0.0  # its turn
        clock.seconds += REST + 0.1
        assert waited(pages, clock) == pytest.approx(LONGEST_WAIT, abs=0.03)


def test_a_page_that_fails_is_over_too(clock):
    pages = PagesFirst()
    with pytest.raises(ZeroDivisionError), pages.drawing():
        raise ZeroDivisionError
    clock.seconds += AFTER
    assert waited(pages, clock) == 0.0
