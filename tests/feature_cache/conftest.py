"""The stand-in model and data, shared with the program that the tests kill."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).with_name("slow_run.py")


@pytest.fixture(scope="session")
def stand_in() -> ModuleType:
    spec = importlib.util.spec_from_file_location("slow_run", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that what is in it can be sent elsewhere
    spec.loader.exec_module(module)
    return module
