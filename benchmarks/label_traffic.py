"""What the Label page costs a line: bytes of an answer, of the first load and of the second, and both over a slow line.

`python -m benchmarks label_traffic` needs Chromium; about a minute. Bytes are counted by a line between browser and server.
"""

import asyncio
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.app import start
from benchmarks.labeling_page.served import browser, free_port

ANSWERS = 20
TARGET, MOST = 20_000, 30_000
SLOW = (10e6 / 8, 0.030)
"""Bytes a second, and seconds that each way takes: 10 Mbit/s, 60 ms there and back."""
SEEN = "() => window.seenFirst"
LOOK = """
(function look() {
  const roots = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')].map((host) => host.shadowRoot);
  const surface = roots.map((root) => root?.querySelector('.surface')).find(Boolean);
  if (surface?.dataset.row) window.seenFirst = performance.now();
  else requestAnimationFrame(look);
})();
"""
STORED = (
    "() => Object.keys(localStorage).every((name) => !name.startsWith('testimate ') || name.split(' ').length !== 4)"
)


@dataclass
class Line:
    """Carries connections to the server's port and counts what goes to the browser; at most ``rate`` bytes a second."""

    server: int
    rate: float = float("inf")
    delay: float = 0.0
    port: int = 0
    down: int = 0
    free_at: float = 0.0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, both ways, until either side ends it."""
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self.server)
        ways = self._way(reader, to_server, down=False), self._way(from_server, writer, down=True)
        with suppress(asyncio.CancelledError):  # the line is taken away
            await asyncio.gather(*ways)

    async def _way(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool) -> None:
        parcels: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        hand_over = asyncio.create_task(self._hand_over(parcels, writer))
        try:
            while data := await reader.read(16_384):
                now, self.down = time.perf_counter(), self.down + len(data) * down
                if down:
                    self.free_at = max(now, self.free_at) + len(data) / self.rate
                await parcels.put(((self.free_at if down else now) + self.delay, data))
        except OSError:
            pass  # the browser closes what it no longer needs
        await parcels.put((0.0, b""))
        await hand_over

    async def _hand_over(self, parcels: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        while True:
            due, data = await parcels.get()
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if not data or writer.is_closing():
                writer.close()
                return
            writer.write(data)


@contextmanager
def line_to(server: int, rate: float = float("inf"), delay: float = 0.0) -> Iterator[Line]:
    """A line to the server's port, in a thread of its own."""
    line, ready, over = Line(server, rate, delay, free_port()), threading.Event(), threading.Event()

    async def listen() -> None:
        async with await asyncio.start_server(line.carry, "127.0.0.1", line.port):
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(listen()))
    thread.start()
    ready.wait()
    yield line
    over.set()
    thread.join()


def main() -> None:
    """Prints the table."""
    print("## What the Label page costs a line\n")
    print("The demo Handwritten digits in Chromium; bytes from the server to the browser, headers and frames included.")
    print("The slow line has 10 Mbit/s and 60 ms there and back; seconds to the first input.\n")
    print("| what | bytes | target | seconds |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        port, process, _ = start(folder)
        try:
            with line_to(port) as line:
                address = begun(chromium, line)
                bytes_of_answers(chromium, line, address)
            with line_to(port, *SLOW) as line:
                loads(chromium, line, address)
        finally:
            process.kill()
            process.wait()


def begun(chromium: Any, line: Line) -> str:
    """Starts the demo; the address of its Label page, below the server's."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"http://127.0.0.1:{line.port}")
    page.locator(".st-key-demo-digits").get_by_role("button").click()
    page.wait_for_url(re.compile("/label"), timeout=120_000)
    page.wait_for_selector(".surface:not([data-row=''])", timeout=120_000)
    address = page.url.removeprefix(f"http://127.0.0.1:{line.port}/")
    page.close()
    return str(address)


def bytes_of_answers(chromium: Any, line: Line, address: str) -> None:
    """Prints what one answer brings to the browser, the median and the most of several, each stored before the next."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"http://127.0.0.1:{line.port}/{address}")
    page.wait_for_selector(".surface:not([data-row=''])", timeout=120_000)
    page.wait_for_timeout(3_000)  # all that is beside the surface is drawn
    sizes = []
    for place in range(ANSWERS):
        before = line.down
        page.keyboard.press(str(place % 10))
        page.wait_for_function(STORED, timeout=60_000)
        page.wait_for_timeout(1_500)  # the panel beside it is drawn
        sizes.append(line.down - before)
    page.close()
    print(f"| an answer, median of {ANSWERS} | {np.median(sizes):,.0f} | {TARGET:,} | |")
    print(f"| the largest of them | {max(sizes):,} | {MOST:,} | |", flush=True)


def loads(chromium: Any, line: Line, address: str) -> None:
    """Prints the first load of a browser that holds nothing, and the second of the same browser."""
    visitor = chromium.new_context(viewport={"width": 1280, "height": 800})
    visitor.add_init_script(LOOK)
    for words in ("the first load", "the second load"):
        before, page = line.down, visitor.new_page()
        page.goto(f"http://127.0.0.1:{line.port}/{address}")
        seconds = page.wait_for_function(SEEN, timeout=120_000).json_value() / 1000
        page.wait_for_timeout(10_000)  # the scripts of charts come after the first input
        print(f"| {words} | {line.down - before:,} | | {seconds:.2f} |")
        page.close()
    visitor.close()


if __name__ == "__main__":
    main()
