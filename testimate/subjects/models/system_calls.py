"""Takes from this process, for good, the system calls that no model needs, by the kernel's filter and libseccomp.

Landlock does not cover a file's owner, rights and times, named sockets, new processes, or signals to others. The filter
closes these; see the man pages of seccomp(2), seccomp_rule_add(3) and syscalls(2).
"""

import ctypes
import errno
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from testimate.subjects.models.devices import Device

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
