"""Processor seconds of each test with all it starts: browsers, servers, models' processes; a plug-in of pytest.

PYTHONPATH=. .venv/bin/python -m pytest -p benchmarks.test_seconds tests/browser -m "not slow"
PYTHONPATH=. .venv/bin/python -m pytest -p benchmarks.test_seconds -n 6 --dist worksteal -m "not slow"

Time on the clock says little on a machine with other work; processor time grows there too, by what the others take from the
caches, but the shares of the tests stay. Linux only: it adds up /proc.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
DEAREST = 40
SPENT: dict[str, float] = {}


def seconds_so_far() -> float:
    """Processor seconds of this process and its descendants, those that ended and were waited for included."""
    spent: dict[int, int] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text()
        except OSError:  # it has just ended
            continue
        fields = stat[stat.rindex(")") + 2 :].split()
        children[int(fields[1])].append(int(folder.name))
        spent[int(folder.name)] = sum(map(int, fields[11:15]))  # own and waited-for children, user and system
    total, found = 0, [os.getpid()]
    while found:
        process = found.pop()
        total += spent.get(process, 0)
        found += children[process]
    return total / TICKS


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measures one test; the first that needs a fixture of its file pays for it."""
    before = seconds_so_far()
    result = yield
    SPENT[item.nodeid] = max(0.0, seconds_so_far() - before)  # less where a process of before was not waited for
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """What a process of pytest-xdist measured, taken over where it ends."""
    SPENT.update(getattr(node, "workeroutput", {}).get("seconds of tests", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hands over what one process of several measured."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["seconds of tests"] = SPENT


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the files and the dearest tests."""
    files: dict[str, float] = defaultdict(float)
    for name, seconds in SPENT.items():
        files[name.split("::")[0]] += seconds
    terminalreporter.section(f"processor seconds: {sum(SPENT.values()):.1f} in {len(SPENT)} tests")
    for name, seconds in [
        *sorted(files.items(), key=lambda one: -one[1]),
        *sorted(SPENT.items(), key=lambda one: -one[1])[:DEAREST],
    ]:
        terminalreporter.write_line(f"{seconds:8.1f}  {name}")
