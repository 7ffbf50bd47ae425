"""The machine: how another program is started on it, how many cores it has, and how much memory is free."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from testimate.core.errors import TestimateError
from testimate.core.plug_ins import optional_module


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


def cores() -> int:
    """Cores this process may use: fewer than the machine's in a container or under taskset, where the system says so."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


resource = optional_module("resource")
"""Says what a process may take; Windows has no such module."""

PLENTY = 1 << 40
"""What is said where the system says nothing."""

KILOBYTE = 1024

OWN_LIMITS = {"RLIMIT_AS": "VmSize:", "RLIMIT_DATA": "VmData:"}
"""Limits of a process, such as those of ``ulimit -v`` and ``-d``, and the line of its status that says how much is used."""

SIGNS = (
    "allocate",
    "allocating",
    "bad_alloc",
    "bad alloc",
    "malloc",
    "out of memory",
    "start new thread",
    "map segment",
)
"""Parts of what libraries say where they get no memory: for numbers, for a thread, or for the library itself."""

QUOTING = (TestimateError, OSError, ValueError, LookupError, TypeError)
"""Errors whose text may quote a person's data, such as a column called "malloc"."""

NAMES = ("ResourceExhausted", "OutOfMemory")
"""Parts of the names of such errors."""


def free_bytes(
    system: Path = Path("/proc/meminfo"),
    group: Path = Path("/sys/fs/cgroup"),
    process: Path = Path("/proc/self"),
    *,
    plenty: int = PLENTY,
) -> int:
    """Bytes that are free, or freed when they are asked for: of the machine, or of the container or this process if these
    are allowed less.

    ``system``, ``group``, ``process`` : where Linux says it; ``plenty`` where nothing does.
    """
    left = (_of_machine(system, plenty), *_of_containers(group, process), *_of_process(process))
    return max(min(left), 0)


def bytes_below_own_limits(process: Path = Path("/proc/self")) -> int:
    """The bytes that this process may still take by its own limits alone; ``PLENTY`` if it has none."""
    return min(_of_process(process), default=PLENTY)


def own_limit() -> int | None:
    """The bytes that this process may take in all; None if it has no limit of its own."""
    return min(_limits_of_process().values(), default=None)


def ran_out(error: BaseException) -> bool:
    """Whether an error, or one that led to it, says that there is no memory left.

    >>> ran_out(RuntimeError("can't start new thread")), ran_out(ValueError("a column called malloc"))
    (True, False)
    """
    seen: list[BaseException] = []
    last: BaseException | None = error
    while last is not None and last not in seen:
        if _says_so(last):
            return True
        seen.append(last)
        last = last.__cause__ or last.__context__
    return False


def _says_so(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    if isinstance(error, QUOTING):
        return False
    said, name = str(error).lower(), type(error).__name__
    return any(sign in said for sign in SIGNS) or any(part in name for part in NAMES)


def _of_machine(system: Path, plenty: int) -> int:
    try:
        for line in _content(str(system)).splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * KILOBYTE
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # Windows has no sysconf
        return plenty


def _limits_of_process() -> dict[str, int]:
    """The limits that are set, by name."""
    if resource is None:
        return {}
    said = {name: resource.getrlimit(getattr(resource, name))[0] for name in OWN_LIMITS if hasattr(resource, name)}
    return {name: most for name, most in said.items() if most != resource.RLIM_INFINITY}


def _of_process(process: Path) -> Iterator[int]:
    """What each limit of this process leaves."""
    limits = _limits_of_process()
    if not limits:
        return
    try:
        used = dict(line.split(None, 1) for line in (process / "status").read_text().splitlines() if " kB" in line)
    except (OSError, ValueError):
        used = {}  # as on macOS: then the whole limit counts as free
    for name, most in limits.items():
        yield most - int(used.get(OWN_LIMITS[name], "0 kB").split()[0]) * KILOBYTE


def _of_containers(group: Path, process: Path) -> Iterator[int]:
    """What the limit of each control group leaves that this process is in, the pages of files that may be dropped counted
    as free.

    Version 2 keeps all limits in one tree, version 1 those of memory in a tree of their own. A container sees its own
    group as the root of the tree.
    """
    for place in _groups(group, process):
        for most, used, dropped in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            try:
                limit = _content(f"{place}/{most}").strip()
                if limit != "max" and int(limit) < NO_LIMIT:
                    kept = dict(line.split() for line in _content(f"{place}/memory.stat").splitlines())
                    yield int(limit) - int(_content(f"{place}/{used}")) + int(kept.get(dropped, 0))
            except (OSError, ValueError):
                continue


NO_LIMIT = 1 << 62
"""Version 1 writes the largest number of pages where there is no limit."""


def _content(place: str) -> str:
    """What a short file of the system says; a dozen are read for each table."""
    file = os.open(place, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16).decode()
    finally:
        os.close(file)


def _groups(group: Path, process: Path) -> Iterator[Path]:
    """The folders of the groups that this process is in, from the root of each tree down."""
    yield group
    yield group / "memory"
    try:
        lines = _content(f"{process}/cgroup").splitlines()
    except OSError:
        return
    for line in lines:
        _, _, named = line.partition(":")
        kinds, _, own = named.partition(":")
        tree = group if not kinds else group / "memory" if "memory" in kinds.split(",") else None
        parts = [part for part in own.split("/") if part not in ("", "..")]
        if tree is not None:
            yield from (tree.joinpath(*parts[: count + 1]) for count in range(len(parts)))
