"""What a tester does in the app in a browser, step by step; each waits for what it brings about, however slow the machine."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from testimate.ui.pages import PAGES, Page, tab_of

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
    """Until the page is connected, none of its scripts runs, and what the last run brought is drawn.

    Streamlit gathers what comes for 10 ms before it draws it, so that the end of a run is known a little earlier.
    """
    page.locator(
        "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
    ).wait_for(timeout=1000 * PATIENCE)
    page.evaluate("() => new Promise((drawn) => setTimeout(drawn, 30))")


def click(page, target) -> None:
    """Clicks once, when what is clicked is there and the page is drawn: a click into a redraw goes with what it met."""
    target.wait_for(timeout=1000 * PATIENCE)
    still(page)
    target.click(timeout=1000 * PATIENCE)


def go(page, name: str) -> None:
    """To a page by its tab, and by its step where the tab opens another one."""
    wanted = next(one for one in PAGES if one.title == name)
    tab = tab_of(wanted)
    if open_page(page.url) not in tab.pages:
        click(page, page.get_by_role("link", name=tab.title, exact=True))
        page.wait_for_url(lambda url: open_page(url) in tab.pages, timeout=1000 * PATIENCE)
        still(page)
    if open_page(page.url) is not wanted:
        click(page, page.get_by_role("radio", name=re.compile(rf"^(\d )?{name}( \d+)?$")))
    page.wait_for_url(lambda url: open_page(url) is wanted, timeout=1000 * PATIENCE)
    still(page)


def open_page(url: str) -> Page | None:
    """The page of an address of the app; None of another one."""
    path = urlsplit(url).path.strip("/")
    return next((one for one in PAGES if one.address == path), None if path else PAGES[0])


def start_demo(page, url: str, name: str) -> int:
    """Starts labeling a demo from the first screen; the row of its first input."""
    page.goto(url)
    click(page, page.locator(f".st-key-demo-{name}").get_by_role("button", name="Start labeling"))
    page.wait_for_url(re.compile("/label"), timeout=1000 * PATIENCE)
    return on_screen(page)


AT_REST = """(element) => new Promise((rested) => {
  let before = "", frames = 0;
  const look = () => {
    const now = `${element.getBoundingClientRect().top} ${element.closest("[data-testid=stMain]").scrollHeight}`;
    frames = now === before ? frames + 1 : 0;
    before = now;
    if (frames === 12) rested();
    else requestAnimationFrame(look);
  };
  look();
})"""
"""Until an element has kept its place, and the page its height, for a dozen frames: what opens grows for longer than a run."""


def choose(page, name: str | re.Pattern[str], words: str) -> None:
    """Chooses the first option with these words from a list, by the keyboard.

    A list closes when the page around it scrolls: by itself, because what is around it still opens, or because a click brings
    its target into view. So the list is in the middle and at rest before it opens, and Enter takes what the words have found.
    """
    box = page.get_by_role("combobox", name=name)
    box.wait_for(timeout=1000 * PATIENCE)
    still(page)
    box.evaluate("one => one.scrollIntoView({block: 'center'})")  # at an edge, the focus would scroll it on
    box.evaluate(AT_REST)
    box.fill(words)
    page.get_by_role("option", name=re.compile(f"^{re.escape(words)}")).first.wait_for(timeout=1000 * PATIENCE)
    box.press("Enter")
    still(page)
    assert box.input_value().startswith(words)


def plan_by_name(page, title: str, budget: int) -> None:
    """Plans a session with the technique of this title, and goes to its first input."""
    go(page, "Plan")
    click(page, page.get_by_text("Advanced", exact=True))
    click(page, page.get_by_text("Choose the technique yourself"))
    choose(page, "Technique", title)
    field = page.get_by_label("Labels, at most", exact=True)
    field.fill(str(budget))
    field.press("Enter")
    still(page)
    assert field.input_value() == str(budget)
    click(page, page.get_by_role("button", name="Start labeling"))
    page.wait_for_url(re.compile("/label"), timeout=1000 * PATIENCE)


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
    """Until the surface says so much, such as "20 of ", that everything is stored, and has drawn what follows from it."""
    for part, said in (("count", words), ("stored", "saved")):
        there = f"() => {SURFACE}?.querySelector('.{part}')?.textContent.includes('{said}')"
        page.wait_for_function(there, timeout=1000 * PATIENCE)
    still(page)


def metric(page, label: str) -> str:
    """The value that stands under a label."""
    block = page.locator("[data-testid=stMetric]", has_text=label).first
    return str(block.locator("[data-testid=stMetricValue]").text_content())


def keys_on_screen(page) -> dict[str, str]:
    """The key of each class by the class's name, as they stand on the buttons; "" of classes that are searched."""
    on_screen(page)
    read = "(one) => [(one.querySelector('.name') ?? one).textContent, one.getAttribute('aria-keyshortcuts') ?? '']"
    return dict(page.evaluate(f"() => [...{SURFACE}.querySelectorAll('.classes button')].map({read})"))


def answer_in_turn(page, keys_of: Callable[[int], list[str]], labels: int) -> list[int]:
    """Answers so many inputs by the keyboard, each as soon as it takes keys; their rows in order."""
    rows, row = [], on_screen(page)
    for _ in range(labels):
        answer(page, row, *keys_of(row))
        rows.append(row)
        shown = str(page.locator(".surface").get_attribute("data-row"))
        row = int(shown) if shown else on_screen(page) if len(rows) < labels else -1
    return rows


def downloaded_report(page) -> str:
    """The report as text, without its tags, from the Results page."""
    with page.expect_download(timeout=1000 * PATIENCE) as download:
        click(page, page.get_by_role("button", name=re.compile(r"Report \(HTML\)")))
    report = html.unescape(re.sub("<[^>]*>", " ", Path(download.value.path()).read_text()))
    return " ".join(report.split())
