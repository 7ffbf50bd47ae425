"""The tour by keyboard in a real browser: on to the next page, kept by a reload, ended for good; formulas are drawn here."""

from pathlib import Path

import pytest

from testimate.core.terms import TERMS

ROOT = Path(__file__).parents[2]


def card(page, title: str):
    """The card of the tour, once it is that page's."""
    found = page.locator(".st-key-tour-card").filter(has=page.get_by_text(title, exact=True))
    found.wait_for(timeout=60_000)
    return found


def press(page, locator) -> None:
    """Presses a button by the keyboard alone."""
    locator.wait_for(timeout=60_000)
    locator.focus()
    page.keyboard.press("Enter")


@pytest.mark.slow  # tests/pages/test_tour.py goes on, back, through a reload and to the end without a browser
def test_the_tour_goes_on_by_keyboard_survives_a_reload_and_ends_for_good(digits, page):
    page.goto(f"{digits.url}/results?subject=digits&tour=on")
    press(page, card(page, "Results").get_by_role("button", name="Next"))
    card(page, "Versions")
    page.wait_for_url("**/versions?*tour=on*", timeout=60_000)
    page.reload()
    press(page, card(page, "Versions").get_by_role("button", name="Back"))
    card(page, "Results")
    press(page, card(page, "Results").get_by_role("button", name="End the tour"))
    page.locator(".st-key-tour-card").wait_for(state="detached", timeout=60_000)
    assert "tour" not in page.url
    page.reload()
    page.get_by_text("How this was measured").wait_for(timeout=60_000)
    assert page.locator(".st-key-tour-card").count() == 0


@pytest.mark.slow
def test_the_help_of_a_page_opens_by_keyboard_with_nothing_from_elsewhere(digits, page):
    page.goto(f"{digits.url}/?subject=digits")
    press(page, page.locator(".st-key-page-help").get_by_role("button"))
    page.get_by_text("auxiliary variable", exact=True).wait_for(timeout=60_000)
    page.locator(".katex").first.wait_for(timeout=60_000)


@pytest.mark.slow
def test_every_formula_of_the_glossary_can_be_drawn(run_app, page, tmp_path):
    script = tmp_path / "all_terms.py"
    script.write_text(
        "from testimate.core.terms import TERMS\nfrom testimate.ui.components.terms import words\n\nwords(TERMS)\n"
    )
    page.goto(run_app(script).url)
    page.locator("[data-testid=stMarkdown]").nth(len(TERMS) - 1).wait_for(timeout=60_000)
    with_formula = sum(bool(one.formula) for one in TERMS.values())
    page.wait_for_function(f"() => document.querySelectorAll('.katex').length >= {with_formula}", timeout=60_000)
    assert page.locator(".katex-error").count() == 0
