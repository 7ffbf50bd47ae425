"""Three people's ways through the app, walked in a real browser: clicks, keys, and words on the screens they pass.

`python -m benchmarks personas` needs Chromium; about two minutes.
"""

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.app import start
from benchmarks.first_view import CLICKS, PATIENCE, SIZE, words_of, write_table
from benchmarks.labeling_page.served import browser
from tests.browser.app_steps import answer, click, keys_on_screen, on_screen, still

ANSWERS = 10
"""Inputs of the own table and of the lesson that are labeled: by keys, which are counted apart."""

TARGETS = {"own table, to its first input": (3, 350)}
"""Most clicks and words of a stage, where the design names them."""


class Walk:
    """Clicks and words of one person, stage by stage; a stage begins with the screen that the last one ended on."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks, self.words, self.rows = page, 0, 0, list[tuple[str, int, int]]()

    def look(self, ready: Any) -> None:
        """Count the words of the screen, once ``ready`` is on it."""
        ready.first.wait_for(timeout=PATIENCE)
        self.words += words_of(self.page)["screen"]

    def press(self, target: Any) -> None:
        """Click once."""
        click(self.page, target.first)
        self.clicks += 1

    def label(self) -> None:
        """Label by the keys that stand on the classes, in turn; they are no clicks."""
        keys = [key for key in keys_on_screen(self.page).values() if key]
        for number in range(ANSWERS):
            answer(self.page, on_screen(self.page), keys[number % len(keys)].lower())
        still(self.page)

    def arrived(self, stage: str) -> None:
        """Note what it took from the beginning to here."""
        self.rows.append((stage, self.clicks, self.words))


def main() -> None:
    """Prints the table."""
    print("## Three people's ways\n")
    print(
        f"Clicks and words from the first screen on, in Chromium at {SIZE['width']} x {SIZE['height']}; the choice of files is "
        f"a click, the {ANSWERS} answers of a way are keys. Words of two letters or more on the screens passed, without "
        "inputs, classes, charts and tables.\n"
    )
    print("| way | clicks | target | words | target |\n|---|---:|---:|---:|---:|")
    for way in (own_table, network, lesson):
        with tempfile.TemporaryDirectory() as name, browser() as chromium:
            port, process, _ = start(str(Path(name) / "project"))
            walk = Walk(chromium.new_page(viewport=SIZE))
            walk.page.goto(f"http://127.0.0.1:{port}")
            walk.look(walk.page.get_by_text("Try a demo"))
            walk.page.evaluate(CLICKS)
            way(walk, Path(name))
            counted = int(walk.page.evaluate("window.clicks ?? 0"))
            assert counted <= walk.clicks, "The browser saw a click that the walk did not count."
            process.kill()
            process.wait()
        for stage, clicks, words in walk.rows:
            most = TARGETS.get(stage, ("", ""))
            print(f"| {stage} | {clicks} | {most[0]} | {words} | {most[1]} |")


def own_table(walk: Walk, folder: Path) -> None:
    """A tester with a table of predictions and its pictures, up to the report."""
    page = walk.page
    field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
    field.set_input_files([str(one) for one in write_table(folder)])
    walk.clicks += 1
    walk.look(page.get_by_text("names match"))
    walk.press(page.get_by_role("button", name="Start labeling"))
    on_screen(page)
    walk.arrived("own table, to its first input")
    walk.look(page.locator(".surface"))
    walk.label()
    walk.press(page.get_by_role("link", name="Results", exact=True))
    walk.look(page.get_by_text("How this was measured"))
    with page.expect_download(timeout=PATIENCE):
        walk.press(page.get_by_role("button", name="Report (HTML)"))
    walk.arrived("own table, to the report")


def network(walk: Walk, _: Path) -> None:
    """An engineer with a network and its data, the demo of digits, up to a cluster's inputs under a name."""
    page = walk.page
    walk.press(page.locator(".st-key-look-digits").get_by_role("button"))
    walk.look(page.get_by_text("Sample inputs"))
    walk.press(page.get_by_role("link", name="Explore", exact=True))
    walk.look(page.get_by_text("Typical"))
    walk.arrived("network, to its clusters")
    walk.press(page.get_by_role("button", name="Select all"))
    walk.press(page.get_by_role("button", name="Name", exact=True))
    walk.look(page.get_by_role("textbox", name="Name"))
    page.get_by_role("textbox", name="Name").fill("alike")
    walk.press(page.get_by_role("button", name="Keep", exact=True))
    walk.look(page.get_by_text("saved as alike"))
    walk.arrived("network, to a named selection")


def lesson(walk: Walk, _: Path) -> None:
    """A student with the first lesson, up to the revealed truth."""
    page = walk.page
    walk.press(page.get_by_role("link", name="Learn", exact=True))
    walk.look(page.get_by_text("Sampling and intervals"))
    walk.press(page.get_by_role("button", name="Label 50 letters drawn at random"))
    walk.look(page.get_by_text("Expect about"))
    walk.press(page.get_by_role("button", name="Start labeling"))
    walk.look(page.locator(".surface:not([data-row=''])"))
    walk.label()
    walk.arrived("lesson, to ten labels")
    walk.press(page.get_by_role("link", name="Results", exact=True))
    walk.look(page.get_by_text("How this was measured"))
    walk.press(page.get_by_role("button", name="Reveal the truth"))
    walk.look(page.get_by_text("The truth is"))
    walk.arrived("lesson, to the revealed truth")


if __name__ == "__main__":
    main()
