"""How much memory this process may still take, and whether it has run out."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from testimate.core.errors import TestimateError
from testimate.core.optional_module import optional_module

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
        for line in system.read_text().splitlines():
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
                limit = (place / most).read_text().strip()
                if limit != "max":
                    kept = dict(line.split() for line in (place / "memory.stat").read_text().splitlines())
                    yield int(limit) - int((place / used).read_text()) + int(kept.get(dropped, 0))
            except (OSError, ValueError):
                continue


def _groups(group: Path, process: Path) -> Iterator[Path]:
    """The folders of the groups that this process is in, from the root of each tree down."""
    yield group
    yield group / "memory"
    try:
        lines = (process / "cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, _, named = line.partition(":")
        kinds, _, own = named.partition(":")
        tree = group if not kinds else group / "memory" if "memory" in kinds.split(",") else None
        parts = [part for part in own.split("/") if part not in ("", "..")]
        if tree is not None:
            yield from (tree.joinpath(*parts[: count + 1]) for count in range(len(parts)))
