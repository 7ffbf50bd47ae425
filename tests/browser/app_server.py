"""Streamlit scripts served for the browser tests: processes of their own, forked from one that has the imports behind it."""

import gc
import multiprocessing
import os
import socket
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parents[2]

IMPORTED_ONCE = [
    "tests.browser.no_garbage_collection",
    *(
        "pandas",
        "plotly.graph_objects",
        "plotly.io",
        "pyarrow",
        "scipy.stats",
        "sklearn.manifold",
        "uvicorn",
        "websockets",
    ),
    *("streamlit.components.v2.manifest_scanner", "streamlit.web.cli", "streamlit.web.server.starlette"),
    *("testimate.comparison.overview", "testimate.planning.plan", "testimate.project.clusters"),
    *(
        "testimate.project.compared_models",
        "testimate.project.project",
        "testimate.reports.live",
        "testimate.reports.report",
    ),
    *("openTSNE", "testimate.structure.density_clusters", "testimate.structure.maps", "testimate.studies.study"),
]
"""What takes a server seconds. Nothing of ``testimate.ui``: its components register with the server that imports them."""

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(IMPORTED_ONCE)


DESCRIPTORS, FAILURE = "TEST_DESCRIPTORS", "TEST_FAILURE"


def is_free(port: int) -> bool:
    """Whether a server can listen there."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def serve(arguments: list[str], environment: dict[str, str]) -> None:
    """Runs ``streamlit run`` in this process, with this environment and nothing on its standard streams.

    A map settles in fewer rounds than a tester's: how good it gets is for ``tests/structure`` to say. DESCRIPTORS, in the
    environment, is how many the process may have at first, and to how many
    it may raise that; FAILURE is what an error says that nobody foresaw, wherever the project is opened.
    """
    if DESCRIPTORS in environment:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, tuple(map(int, environment[DESCRIPTORS].split())))
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    sys.argv = ["streamlit", "run", *arguments]
    gc.freeze()
    gc.enable()
    from streamlit.web.cli import main

    from testimate.structure import maps

    maps.EARLY, maps.LATER = 20, 30
    if FAILURE in environment:
        patch("testimate.project.project.Project.__init__", side_effect=RuntimeError(environment[FAILURE])).start()
    main(prog_name="streamlit")


@dataclass
class App:
    """A Streamlit script being served; ``process`` may be stopped, continued, killed and started again."""

    script: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: BaseProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = {
            "server.port": self.port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
            "client.toolbarMode": "minimal",
        }
        arguments = [str(self.script), *(f"--{name}={value}" for name, value in options.items())]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **self.environment}
        self.process = FORKED.Process(target=serve, args=(arguments, environment), daemon=True)
        self.process.start()
        deadline = time.monotonic() + 60
        while not self.healthy():
            if not self.process.is_alive() or time.monotonic() > deadline:
                raise RuntimeError(f"{self.script.name} did not start on port {self.port}.")
            time.sleep(0.02)  # between two looks

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None
