"""Real servers and a real browser for the labeling benchmark, all on 127.0.0.1."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testimate.core.session_record import Event
from testimate.labels import SqlStore
from tests.postgresql_server import PostgresqlServer, binaries

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    """The page at an address, its labels in a database."""

    port: int
    database: str

    def url(self, tester: str = "") -> str:
        """Where a tester labels."""
        return f"http://127.0.0.1:{self.port}/" + (f"?tester={tester}" if tester else "")

    def events(self) -> list[Event]:
        """What is on disk, read beside the server."""
        store = SqlStore(self.database)
        found = list(store.history("s"))
        store.close()
        return found


@contextmanager
def served(
    database: AbstractContextManager[str],
    *,
    labels: int,
    technique: str = "srs",
    team: bool = False,
    with_map: bool = False,
) -> Iterator[Served]:
    """The page over a session of that many labels, ended afterwards."""
    with database as url, tempfile.TemporaryDirectory(prefix="testimate-project-") as folder:
        port = free_port()
        command = [sys.executable, "-m", "streamlit", "run", str(Path(__file__).parent / "page.py")]
        options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
        environment = {"LABELING_DATABASE": url, "LABELING_BUDGET": str(labels), "PYTHONPATH": str(ROOT)}
        environment |= {"LABELING_TECHNIQUE": technique, "TESTIMATE_DATABASE": url, "TESTIMATE_PROJECT": folder}
        environment |= {"LABELING_TEAM": "yes", "TESTIMATE_TEAM": "yes"} if team else {}
        environment |= {"LABELING_MAP": "yes"} if with_map else {}
        process = subprocess.Popen(
            [*command, *options, "--browser.gatherUsageStats=false"],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until_healthy(port)
            yield Served(port, url)
        finally:
            process.kill()
            process.wait()


def wait_until_healthy(port: int) -> None:
    """Returns once the server answers; RuntimeError after a minute and a half."""
    for _ in range(900):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
        except OSError:
            time.sleep(0.1)  # between two looks
        else:
            return
    raise RuntimeError(f"The page did not start on port {port}.")


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium of the system."""
    from playwright.sync_api import sync_playwright

    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-timer-throttling"]
    flags += ["--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        yield chromium
        chromium.close()


@contextmanager
def a_database(kind: str) -> Iterator[str]:
    """The URL of an empty database, "sqlite" or "postgresql"; the server of the latter is started for it alone."""
    with tempfile.TemporaryDirectory(prefix="testimate-labeling-") as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/labels.sqlite"
            return
        programs = binaries()
        if programs is None:
            raise RuntimeError("PostgreSQL is not installed; apt install postgresql.")
        server = PostgresqlServer(Path(folder), programs)
        server.start(durable=True)
        try:
            yield f"{server.url}/postgres"
        finally:
            server.stop()
