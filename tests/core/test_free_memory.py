"""What a process may still take: the least of what the machine, its control groups and its own limits leave."""

from types import SimpleNamespace

import pytest

from testimate.core import machine as free_memory
from testimate.core.machine import free_bytes
from tests.each import each

GB = 1 << 30


@pytest.fixture
def places(tmp_path):
    """A machine with 8 GB free, and a process that has taken 1 GB of addresses, half of them data."""
    machine, process, group = (tmp_path / name for name in ("meminfo", "process", "group"))
    machine.write_text(f"MemTotal: 1 kB\nMemAvailable: {8 << 20} kB\n")
    process.mkdir()
    (process / "status").write_text(f"Name:\tpython\nVmSize:\t {1 << 20} kB\nVmData:\t {1 << 19} kB\nThreads:\t4\n")
    return machine, group, process


def limited(monkeypatch, **most: int) -> None:
    """Makes these the limits of the process, as ``ulimit -v`` (RLIMIT_AS) and ``ulimit -d`` (RLIMIT_DATA) set them."""
    numbers = {"RLIMIT_AS": 9, "RLIMIT_DATA": 2}
    said = {numbers[name]: value for name, value in most.items()}
    module = SimpleNamespace(**numbers, RLIM_INFINITY=-1, getrlimit=lambda number: (said.get(number, -1), -1))
    monkeypatch.setattr(free_memory, "resource", module)


def test_without_limits_it_is_what_the_machine_has(places, monkeypatch):
    limited(monkeypatch)
    assert free_bytes(*places) == 8 * GB


@each(("name", "left"), [("RLIMIT_AS", 2 * GB), ("RLIMIT_DATA", 2 * GB + GB // 2)])
def test_a_limit_of_the_process_leaves_what_it_has_not_taken(places, monkeypatch, name, left):
    limited(monkeypatch, **{name: 3 * GB})
    assert free_bytes(*places) == left


def test_the_narrower_of_two_limits_counts(places, monkeypatch):
    limited(monkeypatch, RLIMIT_AS=3 * GB, RLIMIT_DATA=1 * GB)
    assert free_bytes(*places) == GB // 2


def test_where_nothing_says_what_is_taken_the_whole_limit_counts(places, monkeypatch):
    (places[2] / "status").unlink()
    limited(monkeypatch, RLIMIT_AS=3 * GB)
    assert free_bytes(*places) == 3 * GB


@each("inside", ["", "jobs", "jobs/mine"])
def test_a_limit_of_any_control_group_above_the_process_counts(places, monkeypatch, inside):
    limited(monkeypatch)
    machine, group, process = places
    (process / "cgroup").write_text("0::/jobs/mine\n")
    place = group / inside
    place.mkdir(parents=True, exist_ok=True)
    (group / "jobs" / "mine").mkdir(parents=True, exist_ok=True)
    (place / "memory.max").write_text(f"{4 * GB}\n")
    (place / "memory.current").write_text(f"{2 * GB}\n")
    (place / "memory.stat").write_text(f"anon 1\ninactive_file {GB}\n")
    assert free_bytes(machine, group, process) == 3 * GB
    for name in ("memory.max", "memory.current", "memory.stat"):
        (place / name).unlink()


def test_a_limit_of_the_first_version_of_control_groups_counts(places, monkeypatch):
    limited(monkeypatch)
    machine, group, process = places
    (process / "cgroup").write_text("5:cpu:/\n4:memory:/jobs\n0::/\n")
    for place, most in ((group / "memory", 9223372036854771712), (group / "memory" / "jobs", 4 * GB)):
        place.mkdir(parents=True)
        (place / "memory.limit_in_bytes").write_text(f"{most}\n")
        (place / "memory.usage_in_bytes").write_text(f"{3 * GB}\n")
        (place / "memory.stat").write_text(f"inactive_file 5\ntotal_inactive_file {GB // 2}\n")
    assert free_bytes(machine, group, process) == GB + GB // 2
