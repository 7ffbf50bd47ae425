"""How another program is started, beside this one or in its place, on each system."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn


def apart() -> dict[str, Any]:
    """What ``subprocess.Popen`` is to be told so that Ctrl-C reaches this process alone and not the one it starts."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_all(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process that was started ``apart``, and with it what it started."""
    if sys.platform == "win32":
        process.kill()
    elif process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses a group whose processes have all ended
            os.killpg(process.pid, signal.SIGKILL)


def become(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Runs another program in the place of this one, so that whoever ends this one ends it.

    Windows has no such call: what it names so returns to the prompt at once and takes paths with spaces apart. There this
    process waits, and ends with the status of the other; Ctrl-C reaches both, and the other one decides.
    """
    if sys.platform == "win32":
        sys.exit(status_of(command, environment))
    os.execve(command[0], list(command), environment)


def status_of(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Waits for another program to end and says its status, whatever Ctrl-C does to this one."""
    with subprocess.Popen(command, env=environment) as other:
        before = signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # only now: what is ignored would be ignored by the other, too
        try:
            return other.wait()
        finally:
            signal.signal(signal.SIGINT, before)


MOST_DESCRIPTORS = 65_536
"""More than any server of ours needs; where a system sets no limit, some programs count up to it."""


def raise_descriptor_limit() -> int:
    """Raises how many descriptors this process may have to what the system lets it; returns how many that is."""
    if sys.platform == "win32":
        return MOST_DESCRIPTORS  # sockets are no descriptors there
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return most if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ValueError, OSError):  # macOS allows less than it says
        return soft
    return most
