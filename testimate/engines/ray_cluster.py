"""Connects to a Ray cluster, or starts one on this computer alone, and checks whether its head is still reachable.

What a machine of a cluster proves before it works: the same program, the same libraries, and the same values.
"""

import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.machine import apart
from testimate.core.plug_ins import missing_extra

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
"""Ray reports nothing to anybody, does not warn of what a later version will do, and writes no log on the terminal."""

HEAD_SECONDS = 5.0
"""How long the cluster's head may be out of reach; Ray itself would end this process after a minute."""


@contextmanager
def connected() -> Iterator[Any]:
    """Ray, connected to the cluster; what was started here is stopped again, and leaves nothing behind.

    The cluster is the one that is connected, else the one RAY_ADDRESS names, else one started here that listens on 127.0.0.1
    alone. BadInput where it cannot be reached, or has another version.
    """
    alone = "RAY_ADDRESS" not in os.environ
    for name, value in {**QUIET, **(_of_one_computer() if alone else _of_token())}.items():
        os.environ.setdefault(name, value)
    with _nothing_on_the_terminal():
        try:
            import ray
        except ImportError:
            raise missing_extra("ray", "The engine ray", "take the engine local") from None
        if not ray.is_initialized() and not alone:
            _check_answers(os.environ["RAY_ADDRESS"])
    if ray.is_initialized():
        yield ray
        return
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        try:
            own: dict[str, Any] = {"address": "local", "include_dashboard": False, "_temp_dir": folder} if alone else {}
            with _nothing_on_the_terminal():
                ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise _unreachable(error) from error
        try:
            with _watched():
                yield ray
        finally:
            with _nothing_on_the_terminal():
                ray.shutdown()


class Connection:
    """A connection for several runs in a row: made when the first of them asks for it, within ``kept`` held to its end."""

    def __init__(self) -> None:
        self._kept: ExitStack | None = None
        self._ray: Any = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While it lasts, a run does not end the connection; without a run none is made."""
        if self._kept is not None:
            yield
            return
        try:
            with ExitStack() as self._kept:
                yield
        finally:
            self._kept = self._ray = None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Ray, connected; see ``connected``."""
        if self._kept is None:
            with connected() as ray:
                yield ray
            return
        if self._ray is None:
            self._ray = self._kept.enter_context(connected())
        yield self._ray


def _of_one_computer() -> dict[str, str]:
    """A Ray that is started here: heard by this computer alone, with a token that nobody else has and no file keeps."""
    return {
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }


def _of_token() -> dict[str, str]:
    """Where there is a token, it is shown to the cluster; Ray itself would not look for it."""
    has_one = "RAY_AUTH_TOKEN" in os.environ or "RAY_AUTH_TOKEN_PATH" in os.environ
    return {"RAY_AUTH_MODE": "token"} if has_one or (Path.home() / ".ray" / "auth_token").is_file() else {}


def _check_answers(address: str) -> None:
    """BadInput where nothing listens at ``host:port``; Ray would try for many seconds. Other forms of address are Ray's."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or "/" in host:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise BadInput(
            f"RAY_ADDRESS is {address!r:.100} and nothing answers there ({getattr(error, 'strerror', None) or error}). "
            "Expected the head of a cluster. Start it with ray start --head, correct RAY_ADDRESS, or leave --engine out."
        ) from None


def _unreachable(error: Exception) -> BadInput:
    """Why this computer cannot join the cluster, as an error."""
    said = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if "token" in str(cause):
            return BadInput(
                "The Ray cluster asks for another token than this computer has. Expected the same one everywhere. Set "
                "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN to the cluster's, or leave --engine out."
            )
        cause = cause.__cause__
    if "ersion mismatch" in said:
        found = [line.strip() for line in said.splitlines() if "Ray:" in line or "Python:" in line]
        there, here = " and ".join(found[:2]), " and ".join(found[2:4])
        return BadInput(
            f"The cluster runs {there} and this computer {here}. Expected the same versions of both. Install the "
            "cluster's version here, or leave --engine out."
        )
    first = next((line for line in said.splitlines() if line.strip()), type(error).__name__)
    return BadInput(
        f"The Ray cluster cannot be reached ({first:.200}). Expected one that runs. Check RAY_ADDRESS, or leave --engine out."
    )


WATCH = """
import sys
if sys.stdin.buffer.read() != b"over":
    sys.stderr.write(sys.argv[1])
"""
"""What a process beside this one does: waits until this one is over, or has ended without a word, and then says one."""

ENDED = (
    "The part of Ray that runs on this computer has ended, and this program with it. Expected a cluster that runs until the "
    "work is done. Start it again; the same command goes on from what is finished.\n"
)


@contextmanager
def _watched() -> Iterator[None]:
    """Has somebody say what happened where Ray ends this process, which it does without a word when its own are killed."""
    watcher = subprocess.Popen([sys.executable, "-S", "-c", WATCH, ENDED], stdin=subprocess.PIPE, **apart())
    try:
        yield
    finally:
        with suppress(OSError):
            watcher.communicate(b"over")


class Head:
    """The cluster's head, where it can be seen from here.

    ``ray`` : connected. ``is_gone`` : whether it was found to have gone, so that nothing can be asked of it.
    """

    def __init__(self, ray: Any) -> None:
        self._place: tuple[str, int] | None = None
        self._seen = time.monotonic()
        self.is_gone = False
        with suppress(AttributeError, ValueError):
            host, _, port = str(ray.get_runtime_context().gcs_address).rpartition(":")
            self._place = host.strip("[]"), int(port)

    def check(self) -> None:
        """StoreUnavailable where nothing has answered at its address for ``HEAD_SECONDS``."""
        if self._place is None:
            return
        with suppress(OSError):
            socket.create_connection(self._place, timeout=1).close()
            self._seen = time.monotonic()
        if time.monotonic() - self._seen > HEAD_SECONDS:
            self.is_gone = True
            raise StoreUnavailable(
                f"The head of the Ray cluster at {self._place[0]} has not answered for {HEAD_SECONDS:g} seconds. Expected one "
                "that runs until the work is done. Start the cluster again; the same command goes on from what is finished."
            )


@contextmanager
def _nothing_on_the_terminal() -> Iterator[None]:
    """What Ray's C++ writes to standard error while it starts or stops goes nowhere; what it means is said as an error."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@dataclass(frozen=True)
class Proof:
    """What a machine says about itself, by the name of each thing that has to be the same everywhere."""

    says: Mapping[str, str]

    def differences(self, other: "Proof") -> str:
        """What the other machine has and this one, in words; empty where it may work.

        >>> Proof({"Python": "3.12.1", "the device": "cpu"}).differences(Proof({"Python": "3.11.7", "the device": "cpu"}))
        'Python: 3.11.7 there, 3.12.1 here'
        """
        names = dict.fromkeys((*self.says, *other.says))
        return "; ".join(
            f"{name}: {other.says.get(name, 'none'):.40} there, {self.says.get(name, 'none'):.40} here"
            for name in names
            if self.says.get(name) != other.says.get(name)
        )


@dataclass(frozen=True)
class Ready:
    """A worker that is ready.

    ``proof`` : see above. ``where`` : a sentence on where it runs; "" where there is nothing to say. ``lacks`` : what it cannot
    see and is given step by step, as its worker names it; "" where it works alone.
    """

    proof: Proof
    where: str = ""
    lacks: str = ""
