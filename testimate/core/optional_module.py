"""Modules of the standard library that only some systems have; ruff lets nobody import them in another way."""

import importlib
from typing import Any


# Everything of some systems only goes through here: decision 72.
def optional_module(name: str) -> Any:
    """The module of that name, or None where this system has none; the caller decides what to do without it.

    >>> optional_module("json").dumps([1]), optional_module("of_no_system")
    ('[1]', None)
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
