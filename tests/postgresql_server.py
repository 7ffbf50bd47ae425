"""A PostgreSQL server of our own, on a free port of 127.0.0.1, that can be stopped and started again."""

import os
import shutil
import socket
import subprocess
from pathlib import Path


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl; None where PostgreSQL is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    return folders[-1] if folders else Path(found).parent if found else None


class PostgresqlServer:
    """Keeps its data in ``folder``; it refuses to run as root, so it runs as postgres there.

    Attributes
    ----------
    url : of the server, without a database; "/postgres" is there.
    """

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self._as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._as_user:
            shutil.chown(folder, "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"postgresql+psycopg://testimate@127.0.0.1:{self._port}"
        self._run("initdb", "-U", "testimate", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self, *, durable: bool = False) -> None:
        """Returns once it takes connections; ``durable``: a commit is on disk, as everywhere but in quick tests."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder}"
        options += "" if durable else " -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """At once: open connections are cut, as when the machine goes away."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_user, str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=self._folder)
