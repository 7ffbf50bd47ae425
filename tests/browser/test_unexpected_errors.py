"""An error that nobody foresaw, on a real server: strangers read a sentence with a number, who works alone the details."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from testimate.ui.components.page_scripts import COOKIE
from tests.browser.app_server import FAILURE, ROOT
from tests.browser.strangers import message

SECRET = "cannot open /srv/labels.sqlite"


async def first_page(url: str) -> str:
    """Everything the server sends to a browser that opens the first page, until its script has run."""
    texts = []
    options: Any = {"subprotocols": ["streamlit"], "max_size": None}
    options["additional_headers"] = {"Cookie": f"{COOKIE}=made-up"}  # a login is looked up
    async with connect(f"{url.replace('http', 'ws')}/_stcore/stream", **options) as socket:
        await socket.send(message(rerun_script=""))
        while True:
            forwarded = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 30))
            texts.append(str(forwarded.delta))
            if forwarded.WhichOneof("type") == "script_finished":
                return " ".join(texts)


@pytest.mark.parametrize("team", ["yes", ""])
def test_only_who_works_alone_reads_a_path_or_a_stack(run_app, tmp_path, team):
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path), TESTIMATE_TEAM=team, **{FAILURE: SECRET})
    with ThreadPoolExecutor(1) as thread:
        shown = thread.submit(asyncio.run, first_page(app.url)).result()
    assert re.search(r"Its number is [0-9a-f]{8}\.", shown)
    told = [SECRET in shown, "Traceback" in shown, ".py" in shown]
    assert told == [not team] * 3
