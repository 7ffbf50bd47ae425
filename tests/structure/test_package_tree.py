"""The hdbscan package's tree in a process of its own: the same edges, and nobody waits for it."""

import threading
import time

import numpy as np
import pytest

from testimate.core.errors import Canceled, TestimateError
from testimate.core.progress import silent
from testimate.structure import spanning_tree as package_tree
from testimate.structure.spanning_tree import ALONE_FROM, COMPARING, package_edges, spanning_tree

POINTS = np.random.default_rng(0).normal(size=(300, 3))


class Turns:
    """Another thread, such as the one that answers a page: how often it gets to do something."""

    def __init__(self):
        self.count, self.longest_wait, self._over = 0, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._work)

    def _work(self):
        last = time.perf_counter()
        while not self._over.wait(0.002):
            now = time.perf_counter()
            self.count, self.longest_wait, last = self.count + 1, max(self.longest_wait, now - last), now

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()


def test_other_threads_run_while_the_same_tree_is_found_in_a_separate_process():
    points = np.random.default_rng(1).normal(size=(ALONE_FROM, 3))  # far longer than a busy machine lets a thread wait
    with Turns() as held:  # the package itself lets nobody work for the whole of it
        here = package_edges(points, 4, "boruvka", alone_from=points.size + 1)
    with Turns() as free:
        apart = package_edges(points, 4, "boruvka")
    np.testing.assert_array_equal(here, apart)
    assert free.longest_wait < held.longest_wait / 4


def test_other_threads_run_while_blocks_are_compared():
    points = np.random.default_rng(2).normal(size=(12_000, 10))
    reports = []
    with Turns() as turns:
        spanning_tree(points, 4, threads=1, progress=lambda done, total, what: reports.append((what, turns.count)))
    between = np.diff([count for what, count in reports if what == COMPARING])
    assert len(between) >= 10
    assert (between > 0).mean() > 0.5  # something is done between most of the reports, not only at the end


def test_a_search_that_is_stopped_ends_its_process():
    started = []
    popen = package_tree.subprocess.Popen

    def stop(*_):
        raise Canceled("Stopped.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package_tree.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1])
        patch.setattr(package_tree, "_LOOK", 0.001)
        with pytest.raises(Canceled):
            package_edges(POINTS, 4, "prim", alone_from=0, progress=stop)
    [process] = started
    assert process.returncode not in (None, 0)


def test_a_process_that_ends_early_is_reported_in_a_sentence(monkeypatch):
    dies = "import os; os._exit(3)"
    monkeypatch.setattr(package_tree, "_START", dies)
    with pytest.raises(TestimateError, match=r"of 300 inputs ended early \(status 3\).*cluster fewer inputs"):
        package_edges(POINTS, 4, "boruvka", alone_from=0, progress=silent)
