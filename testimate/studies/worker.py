"""A worker process of a study: campaigns come in on its standard input, their results go out.

Started only by `testimate.studies.workers`; both ends are the same program, so pickles are safe here.
"""

import os
import pickle
import sys
from typing import IO, Any

from testimate.studies.campaign import run_planned


def work(tasks: IO[bytes], results: IO[bytes]) -> None:
    """Runs batches of tasks, one after another, until the other end closes; errors are sent, not raised."""
    inputs, level = pickle.load(tasks)
    while True:
        try:
            batch = pickle.load(tasks)
        except EOFError:
            return
        answer: Any
        try:
            answer = [run_planned(inputs, task, level) for task in batch]
        except Exception as error:  # sent to the other end, which raises it there
            answer = error
        pickle.dump(answer, results)
        results.flush()


def main() -> None:
    """Works on standard input and output; whatever a library prints goes to standard error instead."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with results:
        work(sys.stdin.buffer, results)
