import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from testimate.structure.cores import on_cores, one_thread


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("first_out", ["the first to come", "the last to come"])
def test_the_limit_lasts_until_the_last_thread_leaves_and_none_waits(first_out):
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        inside, leave, left, end = (threading.Event() for _ in range(4))

        def stay():
            with one_thread():
                inside.set()
                leave.wait(20)
            left.set()
            end.wait(20)  # alive still: threadpoolctl ties a limit to the thread that set it

        other = threading.Thread(target=stay)
        other.start()
        assert inside.wait(20)
        with one_thread():
            assert blas_threads() == {1}
            if first_out == "the first to come":
                leave.set()
                assert left.wait(20)
                assert blas_threads() == {1}
        if first_out == "the last to come":
            assert blas_threads() == {1}
            leave.set()
            assert left.wait(20)
        assert blas_threads() == before != {1}
        end.set()
        other.join()


def test_results_come_in_the_order_of_the_pieces_whoever_is_done_first():
    second = threading.Event()

    def work(piece):
        if piece == 0:
            assert second.wait(20)
        else:
            second.set()
        return 10 * piece

    finished = []
    assert on_cores([0, 1], work, threads=2, on_finished=finished.append) == [0, 10]
    assert sorted(finished) == [0, 1]


def test_an_error_of_a_piece_or_of_the_callback_stops_the_rest():
    done = []

    def work(piece):
        if piece == 1:
            raise ValueError("one")
        time.sleep(0.005)  # the pieces after it are not done before the error is seen
        done.append(piece)

    with pytest.raises(ValueError, match="one"):
        on_cores(range(500), work, threads=1)
    assert len(done) < 499

    def tell(piece):
        raise KeyError("told")

    with pytest.raises(KeyError, match="told"):
        on_cores([5, 6], lambda piece: piece, threads=1, on_finished=tell)


def test_a_library_imported_inside_the_limit_is_limited_once_the_next_thread_comes():
    """SciPy brings an OpenBLAS of its own, here set to the threads a machine of three cores would give it."""
    program = """
import numpy as np
from threadpoolctl import ThreadpoolController, threadpool_info
from testimate.structure.cores import one_thread

def threads():
    return sorted(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

with one_thread():
    import scipy.linalg
    [own] = [pool["filepath"] for pool in threadpool_info() if "/scipy.libs/" in pool["filepath"]]
    ThreadpoolController().select(filepath=own).limit(limits=3)
    assert threads() == [1, 3], threads()
    with one_thread():
        assert threads() == [1, 1], threads()
    assert threads() == [1, 1], threads()
assert threads()[-1] == 3, threads()
"""
    subprocess.run([sys.executable, "-c", program], check=True)
