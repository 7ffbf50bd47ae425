"""Labeling as testers meet it: the panel's time, keys in a browser beside a large map, and twenty testers at once.

`python -m benchmarks labeling` measures all of it, in about seven minutes; LABELING_SECONDS shortens the load.
"""

import asyncio
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.labeling_page.served import Served, a_database, browser, served
from benchmarks.labeling_page.session import CRITERIA, SIZE, new_session, outputs, true_answer
from benchmarks.labeling_page.tester import Tester, label_at_once
from benchmarks.measured import measured
from tests.postgresql_server import binaries

LABELS = 2_000
# words, seconds between keys, keys, technique
PACES = (("2 a second", 0.5, 300, "srs"), ("10 a second", 0.1, 300, "srs"), ("10 a second", 0.1, 600, "rra"))
TESTERS, A_SECOND = 20, 2


def live_panel(folder: str, technique: str) -> Callable[[], Any]:
    """One label more at 2,000 labels of 50,000 inputs, and one taken back; what the panel then computes is the work."""
    from testimate.reports.live import live

    session = new_session(f"sqlite:///{folder}/{technique}.sqlite", technique, LABELS + 200)
    say_next(session, LABELS)
    live(session)
    after: dict[str, list[float]] = {"label": [], "undo": []}

    def computed() -> float:
        begun = time.process_time()
        live(session)
        return time.process_time() - begun

    def work() -> dict[str, list[float]]:
        for _ in range(20):
            row = say_next(session, 1)
            after["label"].append(computed())
            take_back(session, row)
            after["undo"].append(computed())
            say_next(session, 1)
            live(session)
        return after

    return work


CODES = 40


def panel_and_codes(folder: str) -> Callable[[], Any]:
    """As ``live_panel``, of six criteria; each failure has one or two of forty codes, which the surface offers again."""
    from testimate.core.session_record import ALONE, Tester
    from testimate.reports.live import live
    from testimate.ui.label.labeling import Outcome, view_of

    session = new_session(f"sqlite:///{folder}/criteria.sqlite", "rrs", LABELS + 200, of=outputs())
    say_next(session, LABELS, judged)
    failures = [one.draw.row for one in session.verdicts() if one.loss]
    for place, row in enumerate(failures):
        session.give_codes(row, sorted({f"kind {place % CODES}", f"kind {place * 7 % CODES}"}), ALONE)
    live(session)
    after: dict[str, list[float]] = {"label": [], "undo": []}

    def computed() -> float:
        begun = time.process_time()
        assert len(view_of(session, Outcome(), Tester(ALONE, "lead")).codes or ()) == CODES
        live(session)
        return time.process_time() - begun

    def work() -> dict[str, list[float]]:
        for _ in range(20):
            row = say_next(session, 1, judged)
            session.give_codes(failures[0], [f"kind {row % CODES}"], ALONE)
            after["label"].append(computed())
            take_back(session, row)
            after["undo"].append(computed())
            say_next(session, 1, judged)
            live(session)
        return after

    return work


def judged(row: int) -> list[int]:
    """The grades of an output: one in six is a fault by some criterion."""
    return [int(row % 40 == place) for place in range(len(CRITERIA))]


def say_next(session: Any, count: int, answer: Callable[[int], Any] = true_answer) -> int:
    """Answers the next inputs by the truth; the row of the last one."""
    from testimate.core.session_record import Event

    row = -1
    for _ in range(count):
        [draw] = session.upcoming(1)
        row = draw.row
        name = f"e{row:07}-{len(session.history())}"
        event = Event(name, "answer", row, "tester", "2026-01-01T00:00:00Z", answer(row), seconds=2.0)
        session.record([event])
    return row


def take_back(session: Any, row: int) -> None:
    """Undoes the answer to this input."""
    from testimate.core.session_record import Event

    session.record([Event(f"u{row:07}-{len(session.history())}", "undo", row, "tester", "2026-01-01T00:00:00Z")])


def panel_section() -> None:
    """How long the panel computes after one more label, and after one that is taken back."""
    print(f"### The live panel at {LABELS:,} labels of {SIZE:,} inputs\n")
    print(
        "Processor milliseconds of what it computes, the median of 20 and the longest. With codes, what the surface is sent "
        "is in it, too.\n"
    )
    print(
        "| technique | after a label (target 20) | longest | after an undo (target 100) | longest |\n|---|---:|---:|---:|---:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        runs = [(name, (live_panel, folder, name)) for name in ("srs", "sups", "rrs", "rra")]
        for technique, run in [*runs, (f"rrs, {len(CRITERIA)} criteria, {CODES} codes", (panel_and_codes, folder))]:
            took = measured(*run).answer
            numbers = [1000 * number for times in took.values() for number in (np.median(times), max(times))]
            print(f"| {technique} | {' | '.join(f'{number:.1f}' for number in numbers)} |", flush=True)


# Keys in a browser

TIMED = """
window.delays = []; window.pressed = []; window.answers = []; window.acknowledged = []; window.waits = [];
window.surface = () => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map((host) => host.shadowRoot?.querySelector('.surface')).find(Boolean);
const since = new Map();
const { setItem, removeItem } = Storage.prototype;
Storage.prototype.setItem = function (name, value) {
  if (name.startsWith('testimate ')) {
    const { event } = JSON.parse(value);
    since.set(name, performance.now());
    window.answers.push([event.row, event.answer]);
  }
  return setItem.call(this, name, value);
};
Storage.prototype.removeItem = function (name) {
  if (since.has(name)) window.waits.push(performance.now() - since.get(name));
  since.delete(name);
  return removeItem.call(this, name);
};
window.open_ = () => since.size;
// a key's delay ends when the frame with the next input has been drawn
addEventListener('keydown', (event) => {
  const row = window.surface()?.dataset.row;
  if (!row) { window.pressed.push([null, event.key]); return; }
  window.pressed.push([Number(row), event.key]);
  const begun = event.timeStamp;
  requestAnimationFrame(() => setTimeout(() => {
    if (window.surface().dataset.row !== row) window.delays.push(performance.now() - begun);
  }));
}, true);
"""


def press_keys(page: Any, count: int, pause: float, keys: random.Random) -> None:
    """Presses so many keys at a steady pace."""
    begun = time.perf_counter()
    for place in range(count):
        page.wait_for_timeout(max(0.0, 1000 * (begun + place * pause - time.perf_counter())))  # the pace
        page.keyboard.press(str(keys.randrange(4)))


def stored(page: Any) -> None:
    """Waits until the server has acknowledged everything."""
    page.wait_for_function("() => window.answers.length > 0 && window.open_() === 0", timeout=120_000)


def wrong_or_missing(page: Any, place: Served) -> tuple[int, int]:
    """Labels on disk, and those of them that are not the key pressed on that input."""
    pressed = {row: int(key) for row, key in page.evaluate("() => window.pressed") if row is not None}
    on_disk = {event.row: event.answer for event in place.events()}
    return len(on_disk), sum(pressed.get(row) != answer for row, answer in on_disk.items())


def keys_section() -> None:
    """Key to next input at three paces, the last for a minute of adaptive rounds, beside a map of 10,000 points."""
    print("\n### Keys in a browser, beside a map of 10,000 points\n")
    print("Chromium on the same machine. A delay runs from the key's event to the frame that shows the next input.\n")
    columns = ("pace", "technique", "keys", "on an empty screen", "labels stored", "on a wrong input")
    print(f"| {' | '.join(columns)} | median ms (target 25) | 95th percentile ms (target 100) |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for words, pause, keys, technique in PACES:
        database = a_database("sqlite")
        with served(database, labels=keys + 100, technique=technique, with_map=True) as place, browser() as chromium:
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(TIMED)
            page.goto(place.url())
            page.wait_for_function("() => window.surface()?.dataset.row", timeout=60_000)
            page.wait_for_timeout(2_000)  # the charts beside it are drawn
            press_keys(page, keys, pause, random.Random(1))
            stored(page)
            middle, late = np.percentile(page.evaluate("() => window.delays"), [50, 95])
            empty = page.evaluate("() => window.pressed.filter(([row]) => row === null).length")
            count, wrong = wrong_or_missing(page, place)
            print(
                f"| {words} | {technique} | {keys} | {empty} | {count} | {wrong} | {middle:.1f} | {late:.1f} |",
                flush=True,
            )


# Twenty testers at once


def store_section() -> None:
    """The same without a browser: 20 threads of one process that do what a tester's turn costs the server."""
    print(f"\n### {TESTERS} testers, {A_SECOND} labels a second each, without a browser\n")
    print("Threads of one process on one session: next turns, storing, what the tester's panel says; 15 s.\n")
    print(
        "| database | labels sent | stored | median ms | 95th percentile ms (target 500) |\n|---|---:|---:|---:|---:|"
    )
    for kind in ("sqlite", "postgresql"):
        with a_database(kind) as url:
            session = new_session(url, "srs", 3_000, 1)
            waits: list[float] = []
            threads = [
                threading.Thread(target=tester_at_work, args=(session, f"t{t}", waits, A_SECOND))
                for t in range(TESTERS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            middle, late = 1000 * np.percentile(waits, [50, 95])
            print(f"| {kind} | {len(waits)} | {len(session.history())} | {middle:.0f} | {late:.0f} |", flush=True)


def tester_at_work(session: Any, tester: str, waits: list[float], a_second: int) -> None:
    """Labels for 15 seconds at that pace; notes how long each label took to be on disk."""
    from testimate.core.session_record import Event
    from testimate.reports.people import team_progress

    begun = time.perf_counter() + random.random() / a_second
    for count in range(15 * a_second):
        time.sleep(max(0.0, begun + count / a_second - time.perf_counter()))  # the pace
        [draw, *_] = session.upcoming(8, tester)
        event = Event(f"{tester}-{count:06}", "answer", draw.row, tester, "2026-01-01T00:00:00Z", true_answer(draw.row))
        sent = time.perf_counter()
        session.record([event])
        waits.append(time.perf_counter() - sent)
        team_progress(session)


def load_section() -> None:
    """20 testers on one server, each answering twice a second; one of them in a real browser."""
    seconds = float(os.environ.get("LABELING_SECONDS", "60"))
    print(f"\n### {TESTERS} testers on one session, {A_SECOND} labels a second each, for {seconds:.0f} s\n")
    print(
        "One in Chromium, the others speak the browser's side of the page without drawing it: their screens would be on\n"
        "machines of their own, server, database and this browser share one. The wait runs from the key to the\n"
        "acknowledgment that the label is on disk.\n"
    )
    columns = ("database", "labels sent", "stored", "lost or twice", "errors shown", "median ms")
    print(f"| {' | '.join((*columns, '95th percentile ms (target 500)', 'in the browser'))} |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kind in ("SQLite", "PostgreSQL"):
        if kind == "PostgreSQL" and binaries() is None:
            print("| PostgreSQL | not installed here | | | | | | |")
            continue
        with served(a_database(kind.lower()), labels=int(TESTERS * A_SECOND * seconds * 1.5) + 500, team=True) as place:
            print(f"| {kind} {twenty_at_once(place, seconds)}", flush=True)


def twenty_at_once(place: Served, seconds: float) -> str:
    """The cells of one database's row, after its name."""
    testers = [Tester(f"tester{number}", place.port) for number in range(1, TESTERS)]
    work = threading.Thread(target=lambda: asyncio.run(label_at_once(testers, 1 / A_SECOND, seconds)))
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(TIMED)
        page.goto(place.url("tester0"), timeout=120_000)
        page.wait_for_function("() => window.surface()?.dataset.row", timeout=180_000)
        work.start()
        press_keys(page, int(seconds * A_SECOND), 1 / A_SECOND, random.Random(1))
        stored(page)
        work.join()
        in_browser = np.array(page.evaluate("() => window.waits"))
        answered = len(page.evaluate("() => window.answers")) + sum(len(tester.answers) for tester in testers)
        banner = ".surface .banner:not([hidden]), [data-testid=stException]"
        errors = page.locator(banner).count() + sum(len(tester.errors) for tester in testers)
    votes = [(event.tester, event.row) for event in place.events()]
    odd = abs(answered - len(votes)) + len(votes) - len(set(votes))
    waits = np.concatenate([in_browser, *(1000 * np.array(tester.waits) for tester in testers)])
    middle, late = np.percentile(waits, [50, 95])
    return f"| {answered} | {len(votes)} | {odd} | {errors} | {middle:.0f} | {late:.0f} | {np.percentile(in_browser, 95):.0f} |"


def main() -> None:
    """Prints the sections."""
    print("## Labeling\n")
    panel_section()
    keys_section()
    store_section()
    load_section()
