"""Takes rights over files and the network from this process for good, if Linux has Landlock."""

import ctypes
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

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
