"""Starts the head and the machines of a real Ray cluster, each a process in a folder of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

RAY = Path(sys.executable).with_name("ray")
ROOT = Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef" * 4

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": TOKEN,
}


class Nodes:
    """A cluster of this computer: ``start`` adds a machine, ``kill`` takes one away without a word.

    Each has its folder under ``folder``, in which it runs; ``package`` is where it finds its Testimate.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._place = tempfile.mkdtemp(prefix="ray-")  # a short path: Ray's sockets lie in it

    def environment(self, package: Path = ROOT, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """What a process of the cluster finds in its environment."""
        kept = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        return {**kept, **QUIET, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(package), **(more or {})}

    def start(
        self,
        name: str,
        *,
        package: Path = ROOT,
        more: Mapping[str, str] | None = None,
        cpus: int = 1,
        store: int = 80_000_000,
    ) -> None:
        """Starts a machine of that name, the head first; returns when it has joined. ``store`` : bytes of its object store."""
        own = self.folder / name
        own.mkdir(parents=True, exist_ok=True)
        where = ["--address", self.address] if self.address else ["--head", "--port=0", "--include-dashboard=false"]
        place = f"{self._place}/{name}"
        command = [
            *(str(RAY), "start", *where, f"--node-name={name}", f"--num-cpus={cpus}", "--num-gpus=0", "--block"),
            *(f"--object-store-memory={store}", f"--temp-dir={place}", "--disable-usage-stats"),
        ]
        with (own / "log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                command,
                cwd=own,
                env=self.environment(package, more),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        found = Path(place) / "ray_current_cluster"
        self._wait(
            lambda: found.exists() or bool(self.address and b"Ray runtime started" in (own / "log").read_bytes())
        )
        self.address = self.address or found.read_text().strip()

    def _wait(self, so: Callable[[], bool], seconds: float = 90) -> None:
        until = time.monotonic() + seconds
        while not so():
            assert time.monotonic() < until, "a machine of the cluster did not start"
            time.sleep(0.1)  # between two looks

    def kill(self, name: str) -> None:
        """Ends a machine and all it runs, as if its plug had been pulled."""
        self._signal(name, signal.SIGKILL)
        self._running.pop(name).wait()

    def halt(self, name: str) -> None:
        """Stops the actors of a machine where they are, without ending them."""
        for process in self._children(name):
            if b"ray::" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGSTOP)

    def _signal(self, name: str, number: int) -> None:
        for process in [*self._children(name), self._running[name].pid]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                continue

    def _children(self, name: str) -> list[int]:
        """All processes below a machine's, the deepest first."""
        parents: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
                parents.setdefault(parent, []).append(int(entry.name))
        found, new = [], [self._running[name].pid]
        while new:
            new = [child for parent in new for child in parents.get(parent, [])]
            found += new
        return found[::-1]

    def close(self) -> None:
        """Ends the cluster."""
        for name in reversed(list(self._running)):
            self.kill(name)
        shutil.rmtree(self._place, ignore_errors=True)


def changed_copy(folder: Path) -> Path:
    """A copy of the package in which one line is another; returns where it is found."""
    shutil.copytree(
        ROOT / "testimate",
        folder / "testimate",
        ignore=shutil.ignore_patterns("__pycache__", "*.js", "*.map", "*.ts", "*.woff2"),
    )
    file = folder / "testimate" / "core" / "progress.py"
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    return folder
