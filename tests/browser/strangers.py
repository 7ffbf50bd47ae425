"""People who have no login and ask a team's server for all it might give: requests, uploads, messages and passwords."""

import asyncio
import random
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

AT_ONCE = 16
"""Requests on their way at the same time."""

ADDRESSES = ("", "subject", "label", "disputes", "nowhere", "media/0.png", "_stcore/health", "_stcore/host-config")


def request(url: str, method: str = "GET", data: bytes | None = None) -> int:
    """The status of the answer; 0 where the server closed the connection while an upload was on its way."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, method=method), timeout=60) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, ConnectionError):
        return 0


def message(**fields: object) -> bytes:
    """A message of a browser."""
    made = BackMsg()
    for name, value in fields.items():
        if name == "rerun_script":
            made.rerun_script.query_string = str(value)
        else:
            setattr(made, name, value)
    return made.SerializeToString()


async def talk(url: str, sent: list[bytes | str]) -> str:
    """Connects as a page does and sends all of it; how that ended."""
    try:
        async with connect(
            f"{url.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"], max_size=None
        ) as socket:
            for one in sent:
                await socket.send(one)
            await asyncio.wait_for(socket.recv(), 60)
            await asyncio.sleep(0)
    except ConnectionClosed as closed:
        return str(closed.rcvd.code if closed.rcvd else 1006)
    return "answered"


async def come(url: str, count: int, seed: int) -> Counter[tuple[str, str]]:
    """That many requests of all kinds in an order drawn from ``seed``; how many of each kind ended how."""
    draw = random.Random(seed)
    places = asyncio.Semaphore(AT_ONCE)
    ended: Counter[tuple[str, str]] = Counter()
    conversations = {
        "clear cache": [message(clear_cache=True), message(rerun_script="")],
        "no message": [b"\xff" * 1000],
        "text": ["hello"],
        "16 MB": [message(rerun_script="x" * 16_000_000)],
        "visit": [message(rerun_script="")],
    }

    async def once(kind: str) -> None:
        async with places:
            if kind in conversations:
                how = await talk(url, conversations[kind])
            elif kind == "upload":
                address = f"{url}/_stcore/upload_file/{draw.getrandbits(64):x}/1"
                how = str(await asyncio.to_thread(request, address, "PUT", b"x" * 1_000_000))
            elif kind == "metrics":
                how = str(await asyncio.to_thread(request, f"{url}/_stcore/metrics"))
            else:
                how = str(await asyncio.to_thread(request, f"{url}/{draw.choice(ADDRESSES)}"))
        ended[kind, how] += 1

    kinds = ["page", "upload", "metrics", *conversations]
    shares = [40, 20, 10, 10, 5, 5, 5, 5]
    await asyncio.gather(*(once(kind) for kind in draw.choices(kinds, shares, k=count)))
    return ended


def resident_bytes(process: int) -> int:
    """Memory that the process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096


def open_files(process: int) -> int:
    """Descriptors that the process holds."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))
