"""What strangers can make the server write to its log: one line a minute of each kind, with how many it stands for."""

import logging
import time
from collections.abc import Callable

EVERY = 60.0  # seconds

LOGGERS = (
    "asyncio",  # no descriptor left to accept a connection with
    "uvicorn.error",  # requests that are none
    "streamlit.web.server.starlette.starlette_websocket",
    "testimate.ui.network.connections",
)


class OnceAMinute(logging.Filter):
    """Lets the first line of a kind through, and after a minute the next with the number of those between.

    ``clock`` : the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[
            tuple[str, str], list[float]
        ] = {}  # when a line of the kind was last written, and how many since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        now = self._clock()
        kind = record.name, str(record.msg).split("\n", 1)[0]
        written, more = self._kinds.get(kind, (now - EVERY, 0))
        if now - written < EVERY:
            self._kinds[kind] = [written, more + 1]
            return False
        if len(self._kinds) > 1_000:
            self._kinds.clear()
        self._kinds[kind] = [now, 0]
        if more:
            record.msg, record.args = f"{record.getMessage()} ({more:.0f} more since the last such line)", None
        return True


def write_once_a_minute() -> None:
    """Puts the filter before what strangers can make the server write."""
    once = OnceAMinute()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(once)
