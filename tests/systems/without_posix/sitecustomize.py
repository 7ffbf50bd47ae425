"""Makes this Python, and each that it starts, one without what only some systems have; Python imports it by its name.

Modules are gone for all; names inside modules for Testimate alone, as libraries ask ``sys.platform`` before they use them.
"""

import ctypes
import os
import signal
import sys
import time
import types
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[1]))
from of_some_systems import MODULES, NAMES

sys.path.pop(1)


def asked_by_testimate() -> bool:
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name.split(".")[0] in ("testimate", "pages", "app", "serve")


class NamedLibrary(ctypes.CDLL):
    """As on Windows, a library has to have a name, and that of Linux's filter of system calls is no library."""

    def __init__(self, name, *arguments, **settings):
        if name is None and asked_by_testimate():
            raise TypeError("argument of type 'NoneType' is not iterable")
        if "seccomp" in str(name):
            raise FileNotFoundError(f"Could not find module '{name}'")
        super().__init__(name, *arguments, **settings)


def open_no_folder(path, *arguments, really=os.open, **settings):
    if asked_by_testimate() and Path(path).is_dir():
        raise PermissionError(13, "Permission denied", str(path))
    return really(path, *arguments, **settings)


def list_no_processes(path=".", really=os.listdir):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", str(path))
    return really(path)


class Narrower(types.ModuleType):
    """A module that keeps from Testimate the names that only some systems have; libraries, which their makers test, see all."""

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name in HIDDEN and HIDDEN[name] is self and asked_by_testimate():
            raise AttributeError(f"module {super().__getattribute__('__name__')!r} has no attribute {name!r}")
        return found


HIDDEN = {name: module for module in (os, signal, time) for name in NAMES[module.__name__]}


def hide() -> None:
    for name in MODULES:
        sys.modules[name] = None
    for module in (os, signal, time):
        module.__class__ = Narrower
    ctypes.CDLL, os.open, os.listdir = NamedLibrary, open_no_folder, list_no_processes


if __name__ == "sitecustomize":  # as Python imports it, and not as pytest does, which would lose them itself
    hide()
