"""Key to next text where every output and its reference have 20,000 letters, in lines or in one, in a real browser.

A delay runs from the key's event until the next input has been laid out, and until the frame that shows it.
"""

import random
import shutil
from collections.abc import Callable
from functools import cache

import numpy as np

from testimate.core.subject import Pane, Shown
from testimate.subjects.verdict_table import compared
from testimate.tasks.verdict import Judgment
from tests.browser.surface_without_streamlit import BareSurface

KEYS = 60
TEXTS = ((200, "\n"), (20_000, "\n"), (20_000, " "), (120_000, "\n"))
"""Letters, and what ends a line of about 80; a space makes one line of all."""

WORDS = (
    "the",
    "answer",
    "says",
    "that",
    "water",
    "boils",
    "at",
    "a",
    "hundred",
    "degrees",
    "where",
    "the",
    "sea",
    "is",
)

PRESS = """async () => {
  const frame = window.surfaceRoot.querySelector(".surface");
  const row = frame.dataset.row;
  const begun = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", code: "Digit1", bubbles: true, composed: true }));
  void frame.offsetHeight;
  const laid = performance.now() - begun;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return [laid, performance.now() - begun, frame.dataset.row !== row];
}"""


def shown_of(length: int, end: str) -> Callable[[int], Shown]:
    """What shows an input: an output of that many letters, marked against a reference that differs in a word of thirty."""

    @cache
    def shown(row: int) -> Shown:
        chance = random.Random(row)
        lines, size = [], 0
        while size < length:
            lines.append(" ".join(chance.choices(WORDS, k=14)) + f" {row}.{end}")
            size += len(lines[-1])
        output = "".join(lines)[:length]
        reference = " ".join(word if chance.random() > 1 / 30 else "other" for word in output.split(" "))
        marked = compared(output, reference)
        panes = (
            Pane("Input", Shown("text", text=f"question {row}")),
            Pane("Output", Shown("text", text=output), marked.first),
            Pane("Reference", Shown("text", text=reference), marked.second),
        )
        return Shown("text", text=output, panes=panes)

    return shown


def main() -> None:
    """Prints the table."""
    from playwright.sync_api import sync_playwright

    print("## Long outputs by keys\n")
    print(f"Milliseconds from a key to the next input laid out (target: one frame, 16.7), and drawn; {KEYS} keys.\n")
    print(
        "| letters of output and reference, each | laid out, median | 95th percentile | drawn, median | 95th percentile |"
    )
    print("|---:|---:|---:|---:|---:|")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for length, end in TEXTS:
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            surface = BareSurface(Judgment(), shown=shown_of(length, end), ahead=30)
            surface.open(page)
            found = []
            for _ in range(KEYS):
                found.append(page.evaluate(PRESS))
                page.wait_for_timeout(260)
            laid, drawn, moved = np.array(found, dtype=float).T
            assert moved.all()
            ends = [np.percentile(times, share) for times in (laid, drawn) for share in (50, 95)]
            print(
                f"| {length:,}{' in one line' * (end == ' ')} | " + " | ".join(f"{one:.1f}" for one in ends) + " |",
                flush=True,
            )
            page.close()
        chromium.close()


if __name__ == "__main__":
    main()
