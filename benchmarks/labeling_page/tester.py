"""A tester without a screen: speaks the browser's side of the page over its web socket, as fast as a person labels.

What is sent and when follows the surface's own sender: one message at a time, all events not yet acknowledged in each.
"""

import asyncio
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.labeling_page.page_socket import PageSocket

PAUSE = 0.3  # seconds between messages, as in event_sender.ts
ASK_AGAIN = 2.0  # seconds between questions for inputs where there are none, as there


@dataclass
class Tester:
    """One tester and what became of the labels.

    Attributes
    ----------
    answers : (row, answer) in the order of the keys. waits : seconds from each key to its acknowledgment.
    errors : exceptions and refusals that a person would have seen.
    """

    name: str
    port: int
    answers: list[tuple[int, int]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    open: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict)
    queue: list[dict[str, Any]] = field(default_factory=list)
    sent_at: float = 0.0
    in_flight: bool = False
    waiting: bool = False

    def __post_init__(self) -> None:
        self.page = PageSocket(self.name)

    async def label(self, pause: float, seconds: float, ready: asyncio.Barrier, late: float) -> None:
        """Opens the page, waits for the others and ``late`` seconds, labels at a steady pace until all is acknowledged."""
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        async with connect(address, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]  # a NewType of str
            await socket.send(self.page.first_run())
            reader = asyncio.create_task(self._read(socket))
            while not self.page.component:  # who finds no input at first asks for one later
                await asyncio.sleep(0.05)
                if reader.done():
                    await reader  # what it could not read
            await ready.wait()
            sender = asyncio.create_task(self._send(socket))
            begun = time.perf_counter() + late
            for count in range(int(seconds / pause)):
                await asyncio.sleep(max(0.0, begun + count * pause - time.perf_counter()))
                self._press()
            deadline = time.perf_counter() + 60
            while self.open and time.perf_counter() < deadline:
                await asyncio.sleep(0.05)
            sender.cancel()
            reader.cancel()

    def _press(self) -> None:
        """A key: the next input that is available is answered; nothing where there is none, as on the screen."""
        said = {row for row, _ in self.answers}
        item = next((item for item in self.queue if item["row"] not in said), None)
        if item is None:
            return
        answer = item["row"] % 4
        event = {
            "id": str(uuid.uuid4()),
            "kind": "answer",
            "row": item["row"],
            "position": item["position"],
            "at": "2026-01-01T00:00:00.000Z",
            "seconds": 0.5,
            "answer": answer,
        }
        self.answers.append((item["row"], answer))
        self.open[event["id"]] = (time.perf_counter(), event)

    async def _send(self, socket: ClientConnection) -> None:
        while True:
            await asyncio.sleep(0.01)
            now = time.perf_counter()
            said = {row for row, _ in self.answers}
            few = sum(item["row"] not in said for item in self.queue) < 5
            rested = few or now > self.sent_at + PAUSE
            asks = self.waiting and not self.open and now > self.sent_at + ASK_AGAIN
            if not self.in_flight and (asks or (self.open and rested)):
                self.in_flight, self.sent_at = True, now
                events = [event for _, event in self.open.values()]
                held = [item["row"] for item in self.queue]
                value = {"session": "s", "tester": self.name, "events": events, "held": held}
                await socket.send(self.page.trigger(value))

    async def _read(self, socket: ClientConnection) -> None:
        async for data in socket:
            delivery, error = self.page.received(data)
            if error:
                self.errors.append(error)
            if delivery is not None:
                self._take(delivery)

    def _take(self, data: dict[str, Any]) -> None:
        """A delivery: what is acknowledged, and the next inputs."""
        for id in data["acknowledged"]:
            if id in self.open:
                self.waits.append(time.perf_counter() - self.open.pop(id)[0])
        for id, why in data["refused"].items():
            self.errors.append(why)
            self.open.pop(id, None)
        if data["offline_error"]:
            self.errors.append(data["offline_error"])
        self.queue, self.waiting = data["queue"], data["waiting"]
        self.in_flight = False


async def label_at_once(testers: list[Tester], pause: float, seconds: float) -> None:
    """All testers side by side, begun within one pause of each other: people press no key in step."""
    ready, late = asyncio.Barrier(len(testers)), np.random.default_rng(1).uniform(0, pause, len(testers))
    await asyncio.gather(
        *(tester.label(pause, seconds, ready, one) for tester, one in zip(testers, late.tolist(), strict=True))
    )
