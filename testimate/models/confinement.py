"""What a model's process may use: memory, time, files and the network, as far as this system can enforce it.

Landlock does not cover a file's owner, rights and times, named sockets, new processes, or signals to others. The filter
closes these; see the man pages of seccomp(2), seccomp_rule_add(3) and syscalls(2).

Decided before the process starts, only from files and the environment; the framework itself reports whether it can use
CUDA.
"""

import ctypes
import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from msgspec import Meta

from testimate.core.errors import BadInput
from testimate.core.plug_ins import optional_module
from testimate.core.stored_record import Text
from testimate.core.words import commas
from testimate.models.bounds import MAX_LIMITS

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
VERSION, PATH_BENEATH, NO_NEW_PRIVILEGES = 1, 1, 38

WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE, CONTROL_DEVICE = 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights over files by the version of Landlock that introduced them (linux/landlock.h); all but reading are taken."""

TCP, OTHER_PROCESSES = 0b11, 0b11
"""Binding and connecting (version 4); abstract sockets and signals outside (version 6)."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # the layout packed structures have always had; Python 3.14 requires it to be stated
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version of Landlock here, 0 if there is none."""
    if sys.platform != "linux":  # the same numbers mean something else there
        return 0
    found = _call(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(found, 0)


def read_only(paths: Iterable[Path], devices: Iterable[Path] = (), writable: Iterable[Path] = ()) -> bool:
    """Leaves this thread, and those it starts, only the right to read under ``paths``.

    ``devices`` : device files it may also write to and control. ``writable`` : folders whose files it may also write to,
        without creating any. It may not run other programs or, from version 4 on, use TCP. Returns whether it worked.
    """
    known = version()
    if not known:
        return False
    rights = sum(right for since, right in RIGHTS.items() if since <= known)
    ruleset = _Ruleset(rights, TCP if known >= 4 else 0, OTHER_PROCESSES if known >= 6 else 0)
    size = 8 if known < 4 else 16 if known < 6 else 24
    handle = _call(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    if handle < 0:
        return False
    try:
        for path in paths:
            _allow(handle, path, READ_FILE, READ_FOLDER)
        control = CONTROL_DEVICE & rights  # not restricted before version 5
        for path in devices:
            _allow(handle, path, READ_FILE | WRITE_FILE | control, READ_FOLDER)
        truncate = TRUNCATE & rights  # not restricted before version 3
        for path in writable:
            _allow(handle, path, READ_FILE | WRITE_FILE | truncate, READ_FOLDER)
        libc = ctypes.CDLL(None, use_errno=True)
        return libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and _call(RESTRICT_SELF, handle, 0) == 0
    finally:
        os.close(handle)


def _allow(ruleset: int, path: Path, of_files: int, of_folders: int) -> None:
    with suppress(OSError):  # a missing path needs no right
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = of_files | of_folders if path.is_dir() else of_files
            _call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(_PathRule(rights, handle)), 0)
        finally:
            os.close(handle)


def _call(number: int, *arguments: object) -> int:
    try:
        result: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    except (OSError, AttributeError, TypeError):  # no libc with syscall(): not Linux
        return -1
    return result


DROP_FROM_BOUND, READ_FROM_BOUND = 24, 23  # PR_CAPBSET_DROP and PR_CAPBSET_READ, linux/prctl.h
VERSION_3 = 0x20080522  # linux/capability.h
READ_ANY_FILE = 2  # CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Half(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def give_up(*, may_read: bool) -> bool:
    """Drops all capabilities of this thread and those it starts; returns whether that worked.

    ``may_read`` : keeps the right to read other users' files, which root needs in a user's folder.
    """
    if sys.platform != "linux":  # the same numbers mean something else there
        return False
    try:
        return _left(ctypes.CDLL(None, use_errno=True), may_read)
    except (OSError, AttributeError, TypeError):  # no C library with these calls
        return False


def _left(libc: ctypes.CDLL, may_read: bool) -> bool:
    kept = 1 << READ_ANY_FILE if may_read else 0
    header, halves = _Header(VERSION_3, 0), (_Half * 2)()
    if libc.capget(ctypes.byref(header), halves) != 0:
        return False
    for number in range(64):
        if libc.prctl(READ_FROM_BOUND, number, 0, 0, 0) == 1:  # fails beyond the last capability
            libc.prctl(
                DROP_FROM_BOUND, number, 0, 0, 0
            )  # without root there are none to pass on, and no right to drop them
    kept &= halves[0].permitted
    halves[0], halves[1] = _Half(kept, kept, 0), _Half(0, 0, 0)
    return bool(libc.capset(ctypes.byref(header), halves) == 0)


Device = Literal["cpu", "cuda"]
DeviceName = Literal["auto", "cpu", "cuda"]
ASKED: tuple[DeviceName, ...] = get_args(DeviceName)

VISIBLE = "CUDA_VISIBLE_DEVICES"
KEPT_FOR_CUDA = (VISIBLE, "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
"""Variables that a process on CUDA gets from this program's environment; in the first Ray names an actor's accelerators."""

FULL_PRECISION = {"NVIDIA_TF32_OVERRIDE": "0"}
"""No TensorFloat-32 in any library of NVIDIA's: its products have ten bits, which could change a close prediction."""

ROOT = Path(os.sep)


@dataclass(frozen=True)
class Wish:
    """The device the person wants for a model; ``mixed`` : in mixed precision, which only CUDA has."""

    device: DeviceName = "auto"
    mixed: bool = False


ANY = Wish()


def choose_device(wish: Wish, *, cuda: bool) -> Device:
    """The device that fulfils the wish; ``cuda`` : whether there is one.

    Raises BadInput for a missing or unknown device, and for mixed precision without CUDA.
    """
    checked_device(wish.device)
    if wish.device == "cuda" and not cuda:
        raise BadInput(
            "CUDA was asked for and this computer shows none. Expected an NVIDIA accelerator with its driver, not "
            f"hidden by {VISIBLE}. Choose auto or cpu."
        )
    device: Device = "cuda" if cuda and wish.device != "cpu" else "cpu"
    if wish.mixed and device == "cpu":
        raise BadInput(
            "Mixed precision was asked for but the model would run on the processor, which does not have it. Expected "
            "CUDA. Leave mixed precision out."
        )
    return device


def device_that_ran(said: object) -> Device:
    """The device that a model's process reports; ValueError where there is none of that name."""
    for device in get_args(Device):
        if said == device:
            found: Device = device
            return found
    raise ValueError(f"it ran on {said!r:.40}")


def checked_device(name: str) -> DeviceName:
    """The device of that name; BadInput where there is none."""
    for known in ASKED:
        if known == name:
            return known
    raise BadInput(f"There is no device {name!r:.40}. Expected one of {', '.join(ASKED)}. Choose one of these.")


def has_cuda(environment: Mapping[str, str], root: Path = ROOT) -> bool:
    """Whether the system shows an NVIDIA accelerator and its driver, and the environment does not hide it."""
    if not is_visible(environment):
        return False
    files = root / "dev"
    own_driver = (files / "nvidiactl").exists() and any(files.glob("nvidia[0-9]*"))
    return own_driver or (files / "dxg").exists()  # the second is Windows's device for Linux


def is_visible(environment: Mapping[str, str]) -> bool:
    """Whether the environment lets programs see accelerators; an empty list, or one that begins with -1, hides all."""
    shown = environment.get(VISIBLE)
    return shown is None or (bool(shown.strip()) and not shown.strip().startswith("-1"))


def settings_for(device: Device, *, mixed: bool, environment: Mapping[str, str]) -> dict[str, str]:
    """The part of a process's environment that depends on its device."""
    if device == "cpu":
        return {VISIBLE: ""}
    kept = {name: environment[name] for name in KEPT_FOR_CUDA if name in environment}
    own = {"CUDA_CACHE_DISABLE": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}  # no file can be written; others share it
    return {**kept, **own, **({} if mixed else FULL_PRECISION)}


def files_for(device: Device, environment: Mapping[str, str], root: Path = ROOT) -> list[Path]:
    """Folders that a process on that device reads besides those for every process."""
    if device == "cpu":
        return []
    said = ("proc/driver", "proc/devices", "proc/modules", "etc/nvidia")
    libraries = [Path(place) for place in environment.get("LD_LIBRARY_PATH", "").split(os.pathsep) if place]
    return [*(root / place for place in said), *libraries]


def own_entries(device: Device, root: Path = ROOT) -> list[Path]:
    """Where the driver writes about the process itself: it names its threads there, and fails to start if it cannot."""
    return [] if device == "cpu" else [root / "proc/self/task"]


def device_files(device: Device, root: Path = ROOT) -> list[Path]:
    """Device files through which a process on that device talks to the driver, which it may write to and control."""
    if device == "cpu":
        return []
    return sorted([*(root / "dev").glob("nvidia*"), *(root / "dev").glob("dxg")])


LIBRARIES = ("libseccomp.so.2", "libseccomp.so")

ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # linux/seccomp.h; the second with the error in its low bits
NOT_EQUAL, EQUAL, MASKED_EQUAL = 1, 4, 7  # enum scmp_compare
ALL_THREADS = 4  # SCMP_FLTATR_CTL_TSYNC
UNKNOWN = -1  # __NR_SCMP_ERROR

NEW_THREAD = 0x00010000  # CLONE_THREAD, linux/sched.h
UNIX = 1  # AF_UNIX
SOCKET_TYPE = 0xF  # SOCK_TYPE_MASK, linux/net.h; the bits above are flags
UNCONNECTED = (socket.SOCK_DGRAM, socket.SOCK_RAW)
TYPE_INTO_TERMINAL, TERMINAL_OF_LINUX = 0x5412, 0x541C  # TIOCSTI and TIOCLINUX, asm-generic/ioctls.h

# A list of what is refused, because frameworks differ in what they call: decision 95.
REFUSED = (
    # a file's properties other than its content
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
    *(
        "setxattr",
        "lsetxattr",
        "fsetxattr",
        "setxattrat",
        "removexattr",
        "lremovexattr",
        "fremovexattr",
        "removexattrat",
    ),
    *("file_setattr", "name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd"),
    # other programs on this computer and beyond; two ends that the process makes itself (socketpair) stay
    *("connect", "accept", "accept4", "sendmsg", "sendmmsg"),
    *("shmget", "shmat", "shmctl", "semget", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
    # processes that would outlive it, and other people's
    *("fork", "vfork", "execve", "execveat", "setsid", "setpgid", "tkill", "ptrace", "kcmp"),
    *("process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"),
    *("pidfd_open", "pidfd_getfd", "pidfd_send_signal", "setpriority", "ioprio_set", "migrate_pages", "move_pages"),
    "setrlimit",
    # the system itself, and ways around this filter
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "bpf", "perf_event_open"),
    *("unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "move_mount", "open_tree", "mount_setattr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "swapon", "swapoff", "reboot", "acct", "vhangup", "syslog"),
    *("sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "iopl", "ioperm"),
    *("add_key", "request_key", "keyctl", "fanotify_init"),
)
"""Calls that always fail with "not permitted"; calls that a kernel does not have need not be refused."""

WAITING = ("bind", "listen")
"""Calls that always fail on the processor.

On CUDA the driver gives a socket a name through which other processes could ask for its memory device, and does not
start without it. Nothing comes in that way: connections are never accepted, and sockets that receive without one cannot
be made.
"""

LATER = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469}
"""Calls that an older libseccomp does not know by name; the numbers are the same on every architecture."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class _Refusal:
    """A call that fails if all its conditions on arguments hold; always if it has none."""

    call: str
    comparisons: Sequence[tuple[int, int, int, int]] = ()
    error: int = errno.EPERM


def _refusals(device: Device) -> list[_Refusal]:
    own = os.getpid()
    on_cuda = [_Refusal("socket", [(1, MASKED_EQUAL, SOCKET_TYPE, kind)]) for kind in UNCONNECTED]
    return [
        *(_Refusal(call) for call in REFUSED),
        *(on_cuda if device == "cuda" else (_Refusal(call) for call in WAITING)),
        _Refusal("clone3", error=errno.ENOSYS),  # its flags are in memory; the C library then uses clone
        _Refusal("clone", [(0, MASKED_EQUAL, NEW_THREAD, 0)]),
        _Refusal("socket", [(0, NOT_EQUAL, UNIX, 0)]),
        _Refusal("sendto", [(4, NOT_EQUAL, 0, 0)]),  # with an address; without, it is send
        *(
            _Refusal(call, [(0, NOT_EQUAL, own, 0)])
            for call in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
        ),
        _Refusal("prlimit64", [(2, NOT_EQUAL, 0, 0)]),  # setting one; reading stays
        _Refusal("ioctl", [(1, EQUAL, TYPE_INTO_TERMINAL, 0)]),
        _Refusal("ioctl", [(1, EQUAL, TERMINAL_OF_LINUX, 0)]),
    ]


def refuse(device: Device) -> bool:
    """Refuses these calls to this process and all its threads from now on; returns whether that worked.

    ``device`` : what the model will run on; on CUDA a socket may have a name and wait, which its driver needs.
    It needs Linux with libseccomp, which nearly every system has, because package managers need it.
    """
    library = _library()
    if library is None:
        return False
    made = library.seccomp_init(ALLOW)
    if not made:
        return False
    held = ctypes.c_void_p(made)
    try:
        if library.seccomp_attr_set(held, ALL_THREADS, 1) != 0:
            return False
        return all(_added(library, held, refusal) for refusal in _refusals(device)) and library.seccomp_load(held) == 0
    finally:
        library.seccomp_release(held)


def _added(library: ctypes.CDLL, held: ctypes.c_void_p, refusal: _Refusal) -> bool:
    """Whether the refusal is now in the filter, or the call does not exist on this architecture."""
    number = library.seccomp_syscall_resolve_name(refusal.call.encode())
    if number == UNKNOWN:
        number = LATER.get(refusal.call, UNKNOWN)
    if number < 0:  # libseccomp numbers what this architecture lacks below -1
        return True
    count = len(refusal.comparisons)
    compared = (_Comparison * count)(*(_Comparison(*one) for one in refusal.comparisons))
    refused = library.seccomp_rule_add_array(held, REFUSE | refusal.error, number, count, compared)
    return bool(refused == 0)


def _library() -> ctypes.CDLL | None:
    """libseccomp; None if there is none. Unlike ctypes.util, this starts no compiler to find it."""
    if sys.platform != "linux":
        return None
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.seccomp_init.restype = ctypes.c_void_p
        library.seccomp_init.argtypes = [ctypes.c_uint32]
        library.seccomp_attr_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32]
        library.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
        library.seccomp_rule_add_array.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint32,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.POINTER(_Comparison),
        ]
        library.seccomp_load.argtypes = [ctypes.c_void_p]
        library.seccomp_release.argtypes = [ctypes.c_void_p]
        library.seccomp_release.restype = None
        return library
    return None


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

    name: Text
    on: bool
    detail: Text


LIMIT_RECORDS = Annotated[tuple[LimitRecord, ...], Meta(max_length=MAX_LIMITS)]
"""What a model's process may report about its limits."""


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
    files = single and read_only(places, devices, own_entries(device))
    tcp = files and version() >= 4
    memory = _memory(limits.memory_bytes, device)
    processor = allow_cpu(limits.cpu_seconds)
    size = _limited("RLIMIT_FSIZE", 0)
    root = single and give_up(may_read=files)
    calls = refuse(device)  # last, because it refuses the calls that the others make
    reached = "none at all" if calls else "this computer alone" if network else "no TCP" if tcp else "not limited"
    return [
        memory,
        LimitRecord("processor time", processor, f"{commas(limits.cpu_seconds)} seconds per call"),
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
        return LimitRecord("memory", _limited("RLIMIT_AS", most), f"{commas(most)} bytes of addresses")
    detail = f"{commas(most)} bytes of its own data; addresses and the accelerator's memory cannot be limited with CUDA"
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
    package = Path(__file__).parents[1]
    installed = package.parent.name in ("site-packages", "dist-packages")
    places = sorted({Path(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path))})
    return [package, *(place for place in places if installed or place.resolve() != package.parent.resolve())]
