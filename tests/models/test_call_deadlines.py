"""The watch over a model's process: it ends what takes too long, and nothing else."""

import threading
import time

from testimate.models.worker_process import Watch


def test_a_late_call_is_ended_and_one_in_time_is_not():
    ended = threading.Event()
    watch = Watch(ended.set)
    for _ in range(200):
        with watch.within(60):
            pass
    with watch.within(0.05):  # earlier than the deadlines the thread slept on
        assert ended.wait(30)
    assert watch.late
    watch.stop()


def test_a_deadline_that_passes_after_its_block_ends_nothing():
    ended = threading.Event()
    watch = Watch(ended.set)
    with watch.within(0.05):
        pass
    time.sleep(0.2)  # past the deadline
    with watch.within(60):
        assert not ended.wait(0.1)
    assert not watch.late
    watch.stop()
