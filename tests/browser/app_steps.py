"""What a tester does in the app in a browser, step by step; each waits for what it brings about, however slow the machine."""

import re
import time
from collections.abc import Callable
from contextlib import suppress

from playwright.sync_api import TimeoutError

SURFACE = (  # among the components of the page, of which each has a root of its own
    "[...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
    ".map(one => one.shadowRoot?.querySelector('.surface')).find(Boolean)"
)
SEEN = 300  # milliseconds: an input that came by itself takes no key for the first 200, before it could be seen
PATIENCE = 90  # seconds

GONE = [
    "WebSocket",
    "ERR_CONNECTION",
    "Failed to load resource",
    "Failed to fetch",
    "disconnected",
    "health",
    "not responding",
    "reaching server endpoint",
]
"""Parts of what the console says while the server is gone."""


def still(page) -> None:
    """Until the page is connected and none of its scripts runs."""
    page.locator(
        "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
    ).wait_for(timeout=1000 * PATIENCE)


def insist(page, act: Callable[[], object], holds: Callable[[], object]) -> None:
    """Acts until it holds; what met a page just being drawn anew may be lost, and a tester, too, clicks again."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        still(page)
        if holds():
            return
        with suppress(TimeoutError):  # what was to be clicked went with the redraw
            act()
        again = time.monotonic() + 5
        while time.monotonic() < again and not holds():
            page.wait_for_timeout(50)  # between two looks, while which Playwright hears of the page
    assert holds(), "what was done again and again had no effect"


def go(page, name: str) -> None:
    """To a page by the navigation."""
    there = re.compile(f"/{name.lower()}")
    insist(page, page.get_by_role("link", name=name, exact=True).click, lambda: there.search(page.url))
    still(page)


def start_demo(page, url: str, name: str) -> int:
    """Starts labeling a demo from the first screen; the row of its first input."""
    page.goto(url)
    start = page.locator(f".st-key-demo-{name}").get_by_role("button", name="Start labeling")
    start.wait_for(timeout=1000 * PATIENCE)
    insist(page, start.click, lambda: "/label" in page.url)
    return on_screen(page)


def plan_by_name(page, title: str, budget: int) -> None:
    """Plans a session with the technique of this title, and goes to its first input."""
    go(page, "Plan")
    page.get_by_text("Choose the technique yourself").wait_for(timeout=1000 * PATIENCE)
    by_name, technique = page.get_by_text("Choose by name"), page.get_by_role("combobox", name=re.compile("Technique"))
    insist(page, page.get_by_text("Choose the technique yourself").click, by_name.is_visible)
    insist(page, by_name.click, technique.is_visible)

    chosen = []  # what is typed stands in the field, too, where the list closed before a choice

    def choose() -> None:
        technique.click(timeout=5_000)
        technique.fill(title, timeout=5_000)
        page.get_by_role("option", name=re.compile(f"^{re.escape(title)}")).first.click(timeout=2_000)
        chosen.append(title)

    insist(page, choose, lambda: chosen and technique.input_value().startswith(title))
    field = page.locator('input[aria-label="Budget (labels)"]')

    def fill() -> None:
        field.fill(str(budget))
        field.press("Enter")

    insist(page, fill, lambda: field.input_value() == str(budget))
    insist(page, page.get_by_role("button", name="Start labeling").click, lambda: "/label" in page.url)


def let_it_be_seen(page) -> None:
    """Until an input that came by itself takes keys, of which nothing on the page tells."""
    page.wait_for_timeout(SEEN)


def on_screen(page) -> int:
    """The row before the tester, once it can be answered."""
    page.wait_for_selector(".surface:not([data-row=''])", timeout=1000 * PATIENCE)
    let_it_be_seen(page)
    return int(page.locator(".surface").get_attribute("data-row"))


def answer(page, row: int, *keys: str) -> None:
    """Presses the keys, once, on an input that ``on_screen`` has waited for, and waits until it is answered."""
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(f"() => {SURFACE}?.dataset.row !== '{row}'", timeout=1000 * PATIENCE)


def wait_until_stored(page, words: str) -> None:
    """Until the page says so much, such as "20 of ", that everything is stored, and has drawn what follows from it."""
    page.wait_for_function(f"() => document.body.innerText.includes('{words}')", timeout=1000 * PATIENCE)
    stored = f"() => {SURFACE}?.querySelector('.stored')?.textContent.includes('stored')"
    page.wait_for_function(stored, timeout=1000 * PATIENCE)
    still(page)


def metric(page, label: str) -> str:
    """The value that stands under a label."""
    block = page.locator("[data-testid=stMetric]", has_text=label).first
    return str(block.locator("[data-testid=stMetricValue]").text_content())
