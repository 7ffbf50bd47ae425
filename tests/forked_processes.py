"""Processes forked from one that has the imports behind it, for the processes of pytest-xdist and the browser tests' servers.

Each of them imported the same libraries, and each process of pytest the same tests: five seconds of a processor. Linux only.

pytest-xdist and `multiprocessing` start a process by a command that ends with ``-c CODE``. The commands of `Forks` hand
their files, folder and environment to a process that has imported already, whose fork runs the code in their stead; they
end when the fork has ended, and the fork when they end.
"""

import contextlib
import fcntl
import importlib
import json
import os
import selectors
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

MESSAGE = 1 << 17
"""Bytes of a command, a folder and an environment at most."""


class Forks:
    """The process that forks others, and the commands that ask it to; ``close`` ends all of them.

    ``tests`` : stands in for Python in a process that is to run tests; ``servers`` : in one that is to run the app.
    """

    def __init__(
        self, folder: Path, arguments: Sequence[str], libraries: Sequence[str], serving: Sequence[str]
    ) -> None:
        """``arguments`` : pytest's, naming the tests to find. ``libraries``, ``serving`` : what servers import; before
        pytest is there, which has to import the libraries of its plug-ins itself, only the first.
        """
        listeners = [_listener(folder / name) for name in ("tests", "servers")]
        self.tests, self.servers = (_command(folder / name) for name in ("tests", "servers"))
        ended, self._lifeline = os.pipe()
        passed = [*(one.fileno() for one in listeners), ended]
        said = json.dumps(
            {"files": passed, "arguments": [*arguments], "libraries": [*libraries], "serving": [*serving]}
        )
        root = str(Path(__file__).parents[1])
        code = f"import sys; sys.path.insert(0, {root!r}); from tests import forked_processes as forks"
        code += f"; forks.find_and_serve({said!r})"
        self._process = subprocess.Popen([sys.executable, "-u", "-c", code], stdin=subprocess.DEVNULL, pass_fds=passed)
        for listener in listeners:
            listener.close()
        os.close(ended)

    def close(self) -> None:
        os.close(self._lifeline)
        self._process.wait()


def _listener(place: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(place))
    listener.listen(64)
    return listener


def _command(address: Path) -> Path:
    command = address.with_suffix(".python")
    asked = shlex.join([sys.executable, "-I", "-S", __file__, str(address)])
    command.write_text(f'#!/bin/sh\nexec {asked} "$@"\n')
    command.chmod(0o700)
    return command


def ask(address: str, code: str) -> None:
    """Has a fork run the code with this process's files, folder and environment; returns when it has ended."""
    files = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the file of the listing itself
            os.fstat(int(name))
            files.append(int(name))
    over, held = os.pipe()  # the fork holds one end of the pipe as long as it runs
    said = json.dumps({"code": code, "files": files, "folder": os.getcwd(), "environment": dict(os.environ)})
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        asked.connect(address)
        socket.send_fds(asked, [said.encode()], [*files, held])
        os.close(held)
        os.read(over, 1)


def find_and_serve(said: str) -> None:
    """Imports what servers need, forks a process that forks them, finds the tests, and forks processes that run them."""
    given = json.loads(said)
    tests, servers, lifeline = given["files"]
    for name in given["libraries"]:
        importlib.import_module(name)
    forker = os.fork()
    if not forker:
        os.close(tests)
        for name in given["serving"]:
            importlib.import_module(name)
        return _run(_serve(socket.socket(fileno=servers), lifeline)[0])
    os.close(servers)
    import pytest

    out = os.dup(1)
    # -s, so that the stream libraries keep for their warnings is that of the forks too
    with open(os.devnull, "w") as nothing:  # the forks find the tests again and say what is wrong with them
        os.dup2(nothing.fileno(), 1)
    found = pytest.main(
        ["--collect-only", "-qq", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", *given["arguments"]]
    )
    os.dup2(out, 1)
    os.close(out)
    against = _threads() or ["a test that cannot be found"] * (
        found not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    )
    code, held = _serve(socket.socket(fileno=tests), lifeline, [forker])
    if against:  # a fork would lack the thread, and know the half of a module that does not import for the whole
        sys.stderr.write(f"Each process finds the tests itself, for there is {against[0]}.\n")
        os.set_inheritable(held, True)
        os.execv(sys.executable, [sys.executable, "-u", "-c", code])
    return _run(code)


def _threads() -> list[str]:
    """Threads that imports started and no fork has, but for that of pyarrow's memory, which looks after its forks."""
    others = [one for one in Path("/proc/self/task").iterdir() if one.name != str(os.getpid())]
    names = sorted((one / "comm").read_text().strip() for one in others)
    return [f"a thread named {one}" for one in names if one != "jemalloc_bg_thd"]


def _serve(listener: socket.socket, lifeline: int, also: Sequence[int] = ()) -> tuple[str, int]:
    """Forks a process for each command that asks; returns in the forks alone: the code to run, and the file that says it runs.

    ``lifeline`` : a file to which nothing is written; when its other end is closed, this process ends with its forks, and
    after the processes of ``also``, which end by themselves.
    """
    forks: dict[socket.socket, int] = {}
    ready = selectors.DefaultSelector()
    ready.register(listener, selectors.EVENT_READ)
    ready.register(lifeline, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            source = key.fileobj
            if source == lifeline:
                for fork in forks.values():
                    os.kill(fork, signal.SIGKILL)
                for process in (*forks.values(), *also):
                    os.waitpid(process, 0)
                os._exit(0)
            elif source is listener:
                asked, _ = listener.accept()
                said, files, _, _ = socket.recv_fds(asked, MESSAGE, 64)
                fork = os.fork()
                if not fork:
                    ready.close()
                    for one in (listener, asked, *forks):
                        one.close()
                    os.close(lifeline)
                    return _become(json.loads(said), files)
                for file in files:
                    os.close(file)
                forks[asked] = fork
                ready.register(asked, selectors.EVENT_READ)
            elif isinstance(source, socket.socket):  # who asked has ended, or was killed
                ready.unregister(source)
                source.close()
                fork = forks.pop(source)
                os.kill(fork, signal.SIGKILL)
                os.waitpid(fork, 0)


def _become(said: dict[str, Any], files: list[int]) -> tuple[str, int]:
    """Takes on the files, folder and environment of the process that asked; its code, and the last of the files."""
    numbers = said["files"]
    above = max((*numbers, *files)) + 1
    *moved, held = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, above) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(moved, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(said["folder"])
    os.environ.clear()
    os.environ.update(said["environment"])
    return str(said["code"]), held


def _run(code: str) -> None:
    """Runs the code as Python runs what follows ``-c``."""
    sys.modules["__main__"] = ModuleType("__main__")
    sys.argv = ["-c"]
    exec(code, sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    ask(sys.argv[1], sys.argv[-1])
