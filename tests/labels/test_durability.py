"""Nothing acknowledged is lost: threads, a killed process, a full disk, a folder that may not be written."""

import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord
from testimate.labels import SqlStore

ROOT = Path(__file__).parents[2]

OPENED = """
import os, resource, sys
from pathlib import Path
from testimate.core.errors import StoreUnavailable
from testimate.core.session_record import Event
from testimate.labels import SqlStore

def vote(id, note=""):
    return Event(id, "answer", 0, "Ann", "now", answer=1, detail={"note": note})

path = Path(sys.argv[1])
store = SqlStore(f"sqlite:///{path}")
"""


def new_store(path: Path) -> Path:
    SqlStore(f"sqlite:///{path}").create(
        SessionRecord("s", "k", "n", "f", Request("srs", 10, 1), "2024-05-01T10:00:00+00:00")
    )
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_store(tmp_path / "labels.sqlite")


def python(code: str, path: Path) -> subprocess.Popen[str]:
    """Another Python that runs the code on an opened store."""
    command = [sys.executable, "-c", OPENED + code, str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ids(path: Path) -> list[str]:
    return [event.id for event in SqlStore(f"sqlite:///{path}").history("s")]


def test_twenty_threads_lose_no_vote_and_double_none(path):
    store = SqlStore(f"sqlite:///{path}")
    failures: list[BaseException] = []

    def label(tester: int) -> None:
        try:
            for count in range(25):
                event = Event(f"{tester}-{count}", "answer", count, f"tester {tester}", "now", answer=1)
                again = Event(f"{tester}-{max(count - 1, 0)}", "answer", 0, f"tester {tester}", "now", answer=1)
                assert store.add("s", [event, again])[0] == event.id
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=label, args=(tester,)) for tester in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    stored = ids(path)
    assert sorted(stored) == sorted(f"{tester}-{count}" for tester in range(20) for count in range(25))
    for tester in range(20):  # each tester's own order is kept
        own = [id for id in stored if id.startswith(f"{tester}-")]
        assert own == [f"{tester}-{count}" for count in range(25)]


def test_what_was_acknowledged_is_there_after_the_process_was_killed(path):
    moments = random.Random(1)
    label_for_ever = """
for count in range(10**6):
    (id,) = store.add("s", [vote(f"{sys.argv[1][-1]}{os.getpid()}-{count}")])
    print(id, flush=True)
"""
    for _ in range(4):
        process = python(label_for_ever, path)
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip()]
        time.sleep(moments.uniform(0, 0.15))  # killed at any moment of its work
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()  # communicate() would lose what the line was read ahead with
        process.communicate()
        acknowledged += rest.splitlines()[:-1] if rest and not rest.endswith("\n") else rest.splitlines()
        stored = ids(path)
        assert acknowledged[0]
        assert set(acknowledged) <= set(stored)
        own = [id for id in stored if id.split("-")[0] == acknowledged[0].split("-")[0]]
        assert len(own) - len(acknowledged) in (0, 1)  # at most the one that was stored and not yet told


def test_a_disk_without_room_stores_nothing_by_halves_and_goes_on_once_there_is_room(path):
    process = python(
        """
store.add("s", [vote("before")])
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limit[1]))
try:
    store.add("s", [vote(f"big {count}", "x" * 5_000) for count in range(40)])
except StoreUnavailable as error:
    print(error)
print([event.id for event in store.history("s")])
resource.setrlimit(resource.RLIMIT_FSIZE, limit)
print(store.add("s", [vote("after")]))
""",
        path,
    )
    out, errors = process.communicate(timeout=30)
    refusal, during, after = out.splitlines() or [errors]
    assert "full" in refusal
    assert "try again" in refusal
    assert during == "['before']"
    assert after == "('after',)"
    assert ids(path) == ["before", "after"]


def test_a_file_that_may_not_be_written_is_named_and_used_again_once_it_may():
    with tempfile.TemporaryDirectory() as folder:  # a test's own folder lets no other user in
        path = new_store(Path(folder) / "labels.sqlite")
        process = python(
            """
store.add("s", [vote("before")])
path.chmod(0o444), path.parent.chmod(0o555)
superuser = os.geteuid() == 0
if superuser:
    os.seteuid(65534)  # the superuser may write anything
store._engine.dispose()  # what is open stays open
for _ in range(2):
    try:
        store.add("s", [vote("during")])
    except StoreUnavailable as error:
        print(error)
if superuser:
    os.seteuid(0)
path.parent.chmod(0o755), path.chmod(0o644)
print(store.add("s", [vote("after")]))
""",
            path,
        )
        out, errors = process.communicate(timeout=30)
        *refusals, after = out.splitlines() or [errors]
        assert ["may not be written" in refusal for refusal in refusals] == [True, True]
        assert after == "('after',)"
        assert ids(path) == ["before", "after"]
