"""What a model's process may use: memory, time, files and the network, as far as this system can enforce it."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testimate.core.plug_ins import optional_module
from testimate.core.words import spaced
from testimate.subjects.models import landlock, privileges, system_calls
from testimate.subjects.models.bounds import is_short_text
from testimate.subjects.models.devices import Device, device_files, own_entries

resource = optional_module("resource")
"""Limits memory, processor time and file sizes; Windows has no such module."""

SYSTEM_PLACES = (
    *("/usr", "/lib", "/lib64", "/sys", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"),
    # nothing of other processes: their environment may hold secrets
    *(
        "/proc/self",
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/stat",
        "/proc/version",
        "/proc/sys/kernel",
        "/proc/sys/vm",
    ),
)
SYSTEM_FILES = ("ld.so.cache", "ld.so.preload", "localtime", "nsswitch.conf", "passwd", "os-release")
"""What interpreters and frameworks read to start, besides their own folders; the files are in /etc."""

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # linux/sched.h


@dataclass(frozen=True)
class Limits:
    """What one model may use.

    ``memory_bytes`` : address space, of which TensorFlow takes 3 GB without any model; on CUDA, which claims more
        addresses than there is memory, only the process's own writable memory. ``cpu_seconds`` : of all cores together,
        for each
    call. ``seconds`` : wall-clock time for each call, including opening.
    """

    memory_bytes: int = 12_000_000_000
    cpu_seconds: int = 3_600
    seconds: float = 600.0


@dataclass(frozen=True)
class LimitRecord:
    """One limit of a model's process: what it is for, and whether this system enforces it."""

    name: str
    on: bool
    detail: str

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "LimitRecord":
        """The record as a process reports it; ValueError where it is not one."""
        record = cls(**said)
        if not (is_short_text(record.name) and isinstance(record.on, bool) and is_short_text(record.detail)):
            raise ValueError(f"a limit is {record!r:.80}")
        return record


# A model may be anybody's file, so its process gives these up before it opens it: decision 10.
def confine(limits: Limits, readable: list[Path], device: Device = "cpu") -> list[LimitRecord]:
    """Applies the limits to this process for good and reports which of them hold.

    To be called before any library starts threads: Landlock binds the calling thread and those it starts later.
    ``readable`` : files and folders besides the system's and Python's own. ``device`` : what the model will run on; on
    CUDA the process keeps what the driver needs: its device files, the process's own entries under /proc, and a name for
    a socket that nobody can be answered from.
    """
    single = _threads() == 1
    network = _without_network() if single else False
    places = [*map(Path, SYSTEM_PLACES), *(Path("/etc") / name for name in SYSTEM_FILES), *_python(), *readable]
    devices = device_files(device)
    files = single and landlock.read_only(places, devices, own_entries(device))
    tcp = files and landlock.version() >= 4
    memory = _memory(limits.memory_bytes, device)
    processor = allow_cpu(limits.cpu_seconds)
    size = _limited("RLIMIT_FSIZE", 0)
    root = single and privileges.give_up(may_read=files)
    calls = system_calls.refuse(device)  # last, because it refuses the calls that the others make
    reached = "none at all" if calls else "this computer alone" if network else "no TCP" if tcp else "not limited"
    return [
        memory,
        LimitRecord("processor time", processor, f"{spaced(limits.cpu_seconds)} seconds per call"),
        LimitRecord("file size", size, "no file can grow"),
        LimitRecord("network", calls, reached),
        LimitRecord("files", files, _files(devices) if files else "not limited"),
        LimitRecord("owners and rights of files", calls, "changes none, nor their times" if calls else "not limited"),
        LimitRecord("other programs", files or calls, "starts none" if files or calls else "not limited"),
        LimitRecord("other processes", calls, "reaches none and leaves none behind" if calls else "not limited"),
        LimitRecord(
            "rights of root", root, "none but to read" if root and files else "none" if root else "not limited"
        ),
    ]


def _memory(most: int, device: Device) -> LimitRecord:
    if device == "cpu":
        return LimitRecord("memory", _limited("RLIMIT_AS", most), f"{spaced(most)} bytes of addresses")
    detail = f"{spaced(most)} bytes of its own data; addresses and the accelerator's memory cannot be limited with CUDA"
    return LimitRecord("memory", _limited("RLIMIT_DATA", most), detail)


def _files(devices: list[Path]) -> str:
    reads = "only reads programs and libraries"
    return f"{reads}; uses the accelerator's device files and names its threads" if devices else reads


FROM_OUTSIDE = hasattr(resource, "prlimit")
"""Whether a process's limits can be set by the one that started it, so that it need not be allowed to set its own."""


def allow_cpu(seconds: int) -> bool:
    """Lets this process use that many more seconds of processor time, after which it is ended; returns whether that worked."""
    if resource is None:
        return False
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return _tried(lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, hard)))


def allow_cpu_to(process: int, seconds: int) -> None:
    """The same for a process that this one started, if ``FROM_OUTSIDE``; does nothing for one that has ended."""
    with suppress(OSError, ValueError):
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]  # utime and stime, proc(5)
        most = sum(map(int, times)) // os.sysconf("SC_CLK_TCK") + seconds + 1
        hard = resource.prlimit(process, resource.RLIMIT_CPU)[1]
        resource.prlimit(process, resource.RLIMIT_CPU, (most, hard))


def _limited(name: str, value: int) -> bool:
    number = getattr(resource, name, None)
    if number is None or (sys.platform == "darwin" and name == "RLIMIT_AS"):  # macOS accepts it but does not enforce it
        return False
    if name == "RLIMIT_FSIZE":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # makes a write fail instead of ending the process
    return _tried(lambda: resource.setrlimit(number, (value, value)))


def _tried(change: Callable[[], None]) -> bool:
    try:
        change()
    except (OSError, ValueError):
        return False
    return True


def _without_network() -> bool:
    """Moves this process into a network of its own without any connection; returns whether that worked."""
    return _unshare(NEW_NETWORK) or _unshare(NEW_USER | NEW_NETWORK)


def _unshare(flags: int) -> bool:
    try:
        return bool(ctypes.CDLL(None).unshare(flags) == 0)
    except (OSError, AttributeError, TypeError):  # last, because on Windows a library must have a name
        return False


def _threads() -> int:
    """How many threads this process has; 1 if the system does not say."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def _python() -> list[Path]:
    """The folders of the interpreter and of everything it may import; of a checkout only this package."""
    package = Path(__file__).parents[2]
    installed = package.parent.name in ("site-packages", "dist-packages")
    places = sorted({Path(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path))})
    return [package, *(place for place in places if installed or place.resolve() != package.parent.resolve())]
