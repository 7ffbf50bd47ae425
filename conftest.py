"""How the tests are found, in the product's folders and in those of the tests, and which process begins with which."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

BROWSER = Path(__file__).parent / "tests/browser"

LONGEST = 90
"""Bytes of a folder's name in which sockets can have names: Linux gives theirs 108."""

gc.disable()  # until the tests are found: what is imported stays, and was searched for garbage a hundred times


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Only a file that has an example is searched for doctests: looking at every object of the others took seconds."""
    found = yield
    if file_path.suffix != ".py" or b">>>" in file_path.read_bytes():
        return found
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of several processes three begin with the browser tests, the first with those that look at one server of the demo.

    Every process with such a test starts a browser and a process that servers are forked from, and has Streamlit's scripts
    compiled: some five seconds of a processor, and seven for the demo's server. A process of ``--dist worksteal`` begins
    with as many tests as any other, in order, and gives away from the end.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes < 4:
        return
    browser = [one for one in items if one.path.is_relative_to(BROWSER)]
    demo = [one for one in browser if "digits" in one.fixturenames]
    others = [one for one in browser if one not in demo]
    begun = [place * len(items) // processes for place in range(3)]
    items[:] = [one for one in items if one not in browser]
    for place, first in zip(begun, (demo, others[: len(others) // 2], others[len(others) // 2 :]), strict=True):
        items[place:place] = first


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Several processes are forked from one that has found the tests, where the system forks processes with their libraries."""
    gc.enable()  # this one finds no tests
    if sys.platform != "linux" or len(specs) == 1 or any(spec.python or not spec.popen for spec in specs):
        return
    from tests.browser.app_server import LIBRARIES, SERVING
    from tests.forked_processes import Forks

    folder = tempfile.TemporaryDirectory(prefix="testimate-forks-")
    config.add_cleanup(folder.cleanup)
    if len(os.fsencode(folder.name)) > LONGEST:
        return
    browser = any(BROWSER.is_relative_to(Path(one).absolute()) or BROWSER.name in one for one in config.args)
    forks = Forks(Path(folder.name), config.args, *((LIBRARIES, SERVING) if browser else ([], [])))
    config.add_cleanup(forks.close)
    os.environ["TESTIMATE_FORKED_SERVERS"] = str(forks.servers)
    for spec in specs:
        spec.python = str(forks.tests)
