"""A small pool of worker processes: each is sent the inputs once, and a campaign whenever it is free.

Plain subprocesses rather than `multiprocessing`: its "spawn" would run the main script again in every worker (a Streamlit
page, or a script without a guard), and its "fork" is unsafe beside the threads of a server.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from queue import SimpleQueue

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.machine import apart
from testimate.studies.campaign import Campaign, PlannedCampaign

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
START = "import sys; sys.path[:] = sys.argv[1:]; from testimate.studies.worker import main; main()"


def in_processes(
    inputs: Inputs, level: float, batches: Sequence[Sequence[PlannedCampaign]], workers: int
) -> Iterator[tuple[int, list[list[Campaign]]]]:
    """Runs the batches in ``workers`` processes; yields each batch's position and, task by task, its campaigns, as they finish.

    Closing the iterator early ends the processes. Raises what a campaign raised.
    """
    pool = Pool(inputs, level, min(workers, len(batches)))
    try:
        yield from pool.run(batches)
    finally:
        pool.close()


class Pool:
    """Processes that have the inputs and run batches of campaigns; they end when they are closed, or with this one."""

    def __init__(self, inputs: Inputs, level: float, workers: int) -> None:
        header = pickle.dumps((inputs, level), protocol=pickle.HIGHEST_PROTOCOL)
        self._workers = [_Worker(header) for _ in range(workers)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def run(self, batches: Sequence[Sequence[PlannedCampaign]]) -> Iterator[tuple[int, list[list[Campaign]]]]:
        """Yields each batch's position and campaigns as they finish; ends the processes on an error or an early stop."""
        whole = False
        with ThreadPoolExecutor(max(len(self._workers), 1)) as threads:
            futures = {threads.submit(self._run, batch): position for position, batch in enumerate(batches)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
                whole = True
            finally:
                if not whole:
                    for future in futures:
                        future.cancel()
                    for worker in self._workers:
                        worker.kill()

    def _run(self, batch: Sequence[PlannedCampaign]) -> list[list[Campaign]]:
        worker = self._idle.get()
        try:
            return worker.run(batch)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Ends the worker processes; the pool cannot be used afterwards."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process and the pipes to it."""

    def __init__(self, header: bytes) -> None:
        self._header = header
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            **apart(),  # the worker ends when its input does
        )

    def run(self, batch: Sequence[PlannedCampaign]) -> list[list[Campaign]]:
        """The campaigns of each task of a batch, run in the process."""
        tasks, results = self._process.stdin, self._process.stdout
        if tasks is None or results is None:
            raise TypeError("the worker was started without pipes")
        try:
            tasks.write(self._header)
            self._header = b""
            pickle.dump(list(batch), tasks)
            tasks.flush()
            answer = pickle.load(results)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise TestimateError(
                f"A worker process of the study ended early (status {self._process.poll()}); it may have run out of "
                "memory. Run the study again with fewer workers."
            ) from None
        if isinstance(answer, Exception):
            raise answer
        campaigns: list[list[Campaign]] = answer
        return campaigns

    def kill(self) -> None:
        """Ends the process; whoever waits for its answer reaches the end of the pipe."""
        self._process.kill()

    def close(self) -> None:
        """Closes the pipes of a process that was ended."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet is no longer needed
                    pipe.close()
