"""Takes the privileges of root from this process for good (capabilities(7))."""

import ctypes
import sys

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
