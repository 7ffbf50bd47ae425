"""How the tests are found, in the product's folders and in those of the tests, and which process begins with which."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

BROWSER = Path(__file__).parent / "tests/browser"


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
