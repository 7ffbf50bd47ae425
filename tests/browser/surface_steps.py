"""What a tester does on the labeling surface in a browser, step by step."""

import time
from collections.abc import Callable

from tests.browser.app_steps import let_it_be_seen


def until(condition: Callable[[], object], page, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for did not come")
        page.wait_for_timeout(50)  # between two looks, while which Playwright hears of the page


def visit(page, app, case: str, rows: int = 200) -> None:
    page.goto(f"{app.url}/?case={case}&rows={rows}")
    page.wait_for_selector(".surface:not([data-row=''])")
    let_it_be_seen(page)


def shown(page) -> str:
    return str(page.locator(".surface .input").text_content())


def press(page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(30)  # as a quick typist does


def stored(page) -> bool:
    return "saved" in str(page.locator(".surface .stored").text_content())
