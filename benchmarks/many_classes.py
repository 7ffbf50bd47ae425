"""Two hundred classes labeled by keys: how many keys each takes, and how long with a person's hands and in a real browser.

Keys are counted for every class: the letters after which it is the one that Enter takes, and Enter; "fewest" where one knows
which letters of which word tell it from all others, "from the first letter on" where one types the name until it is marked.
What they take is the keystroke-level model of Card, Moran & Newell (1980), "The keystroke-level model for user performance time
with interactive systems", Communications of the ACM 23(7), 396-410, figure 1: 0.20 s a key for a good typist (55 words a
minute), 0.28 s for one of 40. Looking at the input and deciding what it is belongs to no hand and is not in it.
"""

import random
import shutil
import statistics
import time
from collections.abc import Sequence
from zoneinfo import available_timezones

from testimate.tasks.classification import Classification
from tests.browser.surface_without_streamlit import BareSurface

SIZE, TYPED = 200, 40
GOOD, AVERAGE = 0.20, 0.28
"""Seconds a key."""

LETTERS = """([name, everywhere]) => {
  const field = window.surfaceRoot.querySelector(".search");
  const marked = () => window.surfaceRoot.querySelector(".classes .searched .name")?.textContent;
  const type = (text) => { field.value = text; field.dispatchEvent(new Event("input")); return marked() === name; };
  const words = name.split(/[^\\p{L}\\p{N}]+/u).filter(Boolean);
  const heads = words.map((_, at) => words.slice(at).join(" "));
  const initials = words.map((word) => word[0]).join("");
  let fewest = name;
  for (const typed of everywhere ? [name, ...heads, initials] : [name]) {
    for (let length = 1; length < Math.min(typed.length + 1, fewest.length); length += 1) {
      if (type(typed.slice(0, length))) { fewest = typed.slice(0, length); break; }
    }
  }
  type("");
  return fewest;
}"""
"""The letters that mark a class: of its name, or of the name from a later word on or the initials of its words, if fewer."""


def name_lists() -> dict[str, list[str]]:
    """Two hundred names each, as people have them: file types, places, and numbered kinds."""
    from pygments.lexers import get_all_lexers

    languages = sorted({name for name, *_ in get_all_lexers()})
    places = sorted({zone.rsplit("/", 1)[-1].replace("_", " ") for zone in available_timezones() if "/" in zone})
    return {
        "programming languages and file types": spread(languages),
        "cities and islands": spread(places),
        "numbered kinds": [f"kind {place}" for place in range(1, SIZE + 1)],
    }


def spread(names: Sequence[str]) -> list[str]:
    """As many as are wanted, evenly from the whole list."""
    return [names[place * len(names) // SIZE] for place in range(SIZE)]


def main() -> None:
    """Prints the table."""
    from playwright.sync_api import sync_playwright

    print("## Two hundred classes by keys\n")
    print(
        f"Keys of a class with Enter, and what they take at {GOOD:.2f} s and {AVERAGE:.2f} s a key (keystroke-level model; "
        f"target 2 s); in a browser, {TYPED} answers typed at {GOOD:.2f} s a key, from one input on the screen to the next.\n"
    )
    print(
        "| names | keys, fewest | keys, from the first letter on | seconds at 0.20 | seconds at 0.28 | beyond 2 s at 0.28 | "
        "seconds in a browser | wrong |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for what, names in name_lists().items():
            page = chromium.new_page()
            surface = BareSurface(Classification(tuple(names)))
            surface.open(page)
            letters = {name: page.evaluate(LETTERS, [name, False]) for name in names}
            fewest = statistics.mean(len(page.evaluate(LETTERS, [name, True])) + 1 for name in names)
            keys = [len(one) + 1 for one in letters.values()]
            mean, beyond = statistics.mean(keys), sum(count * AVERAGE > 2 for count in keys)
            seconds, wrong = in_the_browser(page, surface, letters)
            print(
                f"| {what} | {fewest:.2f} | {mean:.2f} | {mean * GOOD:.2f} | {mean * AVERAGE:.2f} | {beyond} of {SIZE} | "
                f"{seconds:.2f} | {wrong} |"
            )
            page.close()
        chromium.close()


def in_the_browser(page: object, surface: BareSurface, typed: dict[str, str]) -> tuple[float, int]:
    """Seconds of an answer with real keys at a good typist's pace, and how many were stored wrongly."""
    names = list(typed)
    asked = random.Random(1).sample(names, TYPED)
    begun = time.perf_counter()
    for name in asked:
        for key in [*typed[name], "Enter"]:
            time.sleep(GOOD)  # as long as a good typist takes for a key
            page.keyboard.press(key)  # type: ignore[attr-defined]
    seconds = (time.perf_counter() - begun) / TYPED
    page.wait_for_timeout(1_000)  # type: ignore[attr-defined]  # the last are stored
    stored = [names[event.answer] for event in surface.events if event.kind == "answer"]
    return seconds, sum(one != other for one, other in zip(asked, stored, strict=True))


if __name__ == "__main__":
    main()
