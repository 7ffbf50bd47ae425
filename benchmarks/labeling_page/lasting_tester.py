"""A tester whose browser outlives its server: it connects again and again, and keeps what is not acknowledged."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from benchmarks.labeling_page.page_socket import PageSocket
from tests.typescript import LOADED

BROWSER = Path(__file__).parent / "lasting_browser.js"
AGAIN = 0.1
"""Seconds between two tries to connect."""


@dataclass
class LastingTester:
    """One tester, and what became of the labels.

    Attributes
    ----------
    address : called before each connection: the port to connect to.
    pressed : by id, the row, the answer and the input that was on the screen, of every key.
    settled : ids acknowledged. refused : by id, why. errors : what a person would have seen instead of the page.
    empty : keys that fell on a screen without an input. waiting : events not known to be stored.
    deliveries : of the server, since somebody set it to 0.
    """

    name: str
    address: Callable[[], int]
    pressed: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    empty: int = 0
    waiting: int = 0
    deliveries: int = 0

    async def open(self) -> None:
        """Starts the browser and connects it for good, until ``close``."""
        self._page = PageSocket(self.name)
        self._socket: ClientConnection | None = None
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._browser = await asyncio.create_subprocess_exec(
            "node", "--expose-gc", *LOADED, str(BROWSER), **pipe, limit=2**24
        )  # type: ignore[arg-type]  # both are its options
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._stay())]

    async def close(self) -> None:
        """Ends the browser; raises what went wrong in it."""
        for task in self._tasks:
            if task.done():
                task.result()
            task.cancel()
        if self._socket is not None:
            await self._socket.close()
        self._browser.terminate()
        await self._browser.wait()

    async def megabytes_held(self) -> float:
        """What the browser's page holds once what nobody needs is collected."""
        self._heap: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._tell({"heap": True})
        return await self._heap / 1e6

    def press(self) -> None:
        """A key."""
        self._tell({"press": True})

    def set_clock(self, ahead: float) -> None:
        """The browser's clock is that many seconds ahead from now on."""
        self._tell({"clock": ahead})

    async def reload(self) -> None:
        """The page is opened again; of what it held only the browser's storage is left."""
        self._tell({"reload": True})
        await self.cut()

    async def cut(self) -> None:
        """The connection breaks; the page stays."""
        if self._socket is not None:
            await self._socket.close()

    def _tell(self, line: dict[str, Any]) -> None:
        assert self._browser.stdin is not None
        self._browser.stdin.write((json.dumps(line) + "\n").encode())

    async def _stay(self) -> None:
        """Connected whenever there is a server."""
        while True:
            with suppress(OSError, InvalidHandshake, WebSocketException, TimeoutError):
                address = f"ws://127.0.0.1:{self.address()}/_stcore/stream"
                async with connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=5) as socket:  # type: ignore[list-item]  # a NewType of str
                    await socket.send(self._page.first_run())
                    self._socket = socket
                    async for data in socket:
                        delivery, error = self._page.received(data)
                        if error:
                            self.errors.append(error)
                            break  # a person would reload
                        if delivery is not None:
                            self.deliveries += 1
                            self._tell({"deliver": delivery})
            self._socket = None
            await asyncio.sleep(AGAIN)

    async def _listen(self) -> None:
        """What the browser says."""
        assert self._browser.stdout is not None
        while text := await self._browser.stdout.readline():
            line = json.loads(text)
            if "send" in line and self._socket is not None and self._page.component:
                with suppress(WebSocketException):  # lost, as in a browser: the page sends it again
                    await self._socket.send(self._page.trigger(line["send"]))
            if "pressed" in line:
                key = line["pressed"]
                self.pressed[key["id"]] = (key["row"], key["answer"], key["seen"])
            self.settled.update(line.get("settled", ()))
            self.refused.update(line.get("refused", {}))
            if "heap" in line:
                self._heap.set_result(line["heap"])
            self.empty += "empty" in line
            self.waiting = line.get("waiting", self.waiting)
