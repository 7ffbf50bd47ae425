"""Starts a model's process, asks it with a time limit, and starts it again after it died."""

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput, TestimateError
from testimate.subjects.models.confinement import LimitRecord, Limits
from testimate.subjects.models.frames import BrokenFrame, Message, receive, send
from testimate.subjects.models.graph_model import NeedsExample

COMMAND = ("-P", "-m", "testimate.subjects.models.worker")

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Of this program's environment; the rest may hold secrets."""

SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",  # numpy would start threads before they can be confined; frameworks bring their own
    "KERAS_BACKEND": "tensorflow",
    "KERAS_HOME": os.devnull,
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # the same sums in the same order on every processor
    "CUDA_VISIBLE_DEVICES": "",
    "TORCHINDUCTOR_CACHE_DIR": os.path.abspath(os.sep),  # a folder that is there; nothing can be written into it
    "PYTHONDONTWRITEBYTECODE": "1",
    "ORT_LOAD_CONFIG_FROM_MODEL": "0",
}


class ModelCrashed(TestimateError, RuntimeError):
    """A model's process ended in the middle of its work; the next call starts it anew."""


class ModelTooSlow(ModelCrashed):
    """A model's process was ended because a call took too long."""


class WorkerProcess:
    """One process for one model; it is started by the first question and after every crash.

    ``opening`` : makes the message that opens the model, for each start. ``readable`` : what it may read besides programs
    and libraries. Safe to use from several threads.
    """

    def __init__(self, opening: Callable[[], Message], limits: Limits, readable: Sequence[Path] = ()) -> None:
        self._opening = opening
        self.limits = limits
        self.records: tuple[LimitRecord, ...] = ()
        self._readable = [str(path) for path in readable]
        self._process: subprocess.Popen[bytes] | None = None
        self._forget: Any = None
        self._lock = threading.RLock()

    @property
    def process_id(self) -> int | None:
        """The number of the process, or None where none runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def open(self) -> Message:
        """Starts the process anew and opens the model; returns what is said of it, raises as ``ask`` does."""
        with self._lock:
            self.close()
            self._process = _started()
            self._forget = weakref.finalize(self, _end, self._process)
            head = {"limits": asdict(self.limits), "readable": self._readable}
            said = self._exchange(Message(head)).head
            self.records = tuple(LimitRecord(**record) for record in said["limits"])
            try:
                return self._granted(self._exchange(self._opening()))
            except BaseException:
                self.close()
                raise

    def ask(self, question: Message) -> Message:
        """The answer; raises what the other end refused, ModelTooSlow after the time limit, ModelCrashed where it died."""
        with self._lock:
            if self.process_id is None:
                self.open()
            return self._granted(self._exchange(question))

    def close(self) -> None:
        """Ends the process, where one runs."""
        with self._lock:
            if self._forget is not None:
                self._forget()
            self._process = self._forget = None

    def _granted(self, answer: Message) -> Message:
        """The answer, where it is no refusal; else raises it."""
        refused = answer.head.get("refused")
        if refused is None:
            return answer
        sentence = str(answer.head.get("sentence", ""))
        if refused == "needs example":
            raise NeedsExample(sentence)
        if refused == "bad input":
            raise BadInput(sentence)
        if refused == "memory":
            raise BadInput(
                f"The model needs more than the {self.limits.memory_bytes / 1e9:.1f} GB of memory it is given; needed is a "
                "smaller batch or a higher limit. Lower the batch size, or raise the limit."
            )
        raise BadInput(
            f"The model cannot be opened or run ({sentence}); needed is a sound file and the dataset that belongs to it. "
            "Export the model again, or check how its inputs are prepared."
        )

    def _exchange(self, question: Message) -> Message:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise ModelCrashed("The model's process is gone; needed is a running one. Try again.")
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(self.limits.seconds, stop)
        watch.start()
        try:
            send(question, process.stdin)
            return receive(process.stdout)
        except (BrokenFrame, OSError) as error:
            status = _status_after_end(process)
            self.close()
            raise self._obituary(late.is_set(), status) from error
        except BaseException:
            self.close()  # half a message is on its way
            raise
        finally:
            watch.cancel()

    def _obituary(self, late: bool, status: int | None) -> ModelCrashed:
        if late or status == -getattr(signal, "SIGXCPU", 0):
            what = (
                f"{self.limits.seconds:g} seconds" if late else f"{self.limits.cpu_seconds:,} seconds of processor time"
            )
            return ModelTooSlow(
                f"The model gave no answer within {what} and its process was ended; needed is a faster answer. Choose a "
                "smaller batch or a higher time limit."
            )
        how = f"signal {signal.Signals(-status).name}" if status is not None and status < 0 else f"status {status}"
        return ModelCrashed(
            f"The model's process ended in the middle of its work ({how}), as it does when memory runs out; needed is a "
            "smaller batch or model. Try again with a smaller batch; the process is started anew."
        )


def _started() -> "subprocess.Popen[bytes]":
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    own = str(Path(__file__).parents[3])  # where this package lies; "" in sys.path, the current folder, is left out
    places = dict.fromkeys([own, *(os.path.abspath(place) for place in sys.path if place)])
    return subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**kept, **SETTINGS, "PYTHONPATH": os.pathsep.join(places)},
        cwd=os.path.abspath(os.sep),
        start_new_session=True,  # Ctrl-C reaches this process alone; the worker ends when its input does
    )


def _status_after_end(process: "subprocess.Popen[bytes]") -> int | None:
    """How the process ended; it is ended where it only spoke nonsense."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(timeout=2)
    return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet needs no sending any more
                pipe.close()
