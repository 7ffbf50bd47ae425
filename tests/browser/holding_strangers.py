"""People without a login who open connections to a team's server and hold them, from addresses of this computer."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.browser.strangers import message

SENT = {
    "silent": b"",
    "half a request": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "idle": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}
"""What a stranger sends who keeps a connection of HTTP open, by how."""
ADDRESSES = 8


class Strangers:
    """Strangers who hold connections; ``come`` returns once all of them have tried. ``counts``: how each of them fared."""

    def __init__(self, port: int) -> None:
        self._port, self._hold = port, asyncio.Event()
        self.counts: Counter[tuple[str, str]] = Counter()

    async def come(self, kinds: dict[str, int]) -> None:
        """Opens that many connections of each kind; held until ``leave``."""
        strangers = [kind for kind, count in kinds.items() for _ in range(count)]
        self._held = [asyncio.create_task(self._one(kind, number)) for number, kind in enumerate(strangers)]
        while sum(how == "came" for _, how in self.counts.elements()) < len(strangers):
            await asyncio.sleep(0.02)  # between two looks

    async def leave(self) -> None:
        """Closes what is still open."""
        self._hold.set()
        await asyncio.gather(*self._held)

    async def _one(self, kind: str, number: int) -> None:
        source = (f"127.0.0.{2 + number % ADDRESSES}", 0)
        how = "refused"
        try:
            how = await (self._socket(source) if kind == "web socket" else self._plain(kind, source))
        except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
            self.counts[kind, "came"] += 1
        self.counts[kind, how] += 1

    async def _plain(self, kind: str, source: tuple[str, int]) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=source)
        writer.write(SENT[kind])
        self.counts[kind, "came"] += 1
        how = await self._held_by(self._end_of(reader))
        writer.close()
        return how

    async def _end_of(self, reader: asyncio.StreamReader) -> None:
        try:
            while await reader.read(65_536):
                pass
        except ConnectionError:
            pass

    async def _socket(self, source: tuple[str, int]) -> str:
        url = f"ws://127.0.0.1:{self._port}/_stcore/stream"
        options: Any = {"subprotocols": ["streamlit"], "max_size": None, "local_addr": source, "open_timeout": 20}
        async with connect(url, **options) as socket:
            await socket.send(message(rerun_script=""))
            self.counts["web socket", "came"] += 1
            return await self._held_by(self._end_of_page(socket))

    async def _end_of_page(self, socket: ClientConnection) -> None:
        async for _ in socket:
            pass

    async def _held_by(self, closing: Any) -> str:
        """Whether the server closed the connection before the stranger left."""
        closed, left = asyncio.ensure_future(closing), asyncio.create_task(self._hold.wait())
        await asyncio.wait([closed, left], return_when=asyncio.FIRST_COMPLETED)
        how = "closed by the server" if closed.done() else "held"
        for task in (closed, left):
            task.cancel()
        return how


@contextmanager
def held_connections(port: int, kinds: dict[str, int]) -> Iterator[Counter[tuple[str, str]]]:
    """That many strangers of each kind at the server while the block runs; how they fared is counted by its end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def done(coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, loop).result(120)

    strangers = Strangers(port)
    try:
        done(strangers.come(kinds))
        yield strangers.counts
    finally:
        done(strangers.leave())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
