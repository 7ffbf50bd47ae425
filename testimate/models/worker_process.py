"""A model that runs in a process of its own, as a Model; the process is started when it is first needed."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, TestimateError
from testimate.core.machine import apart, end_all, free_bytes
from testimate.core.plug_ins import EXTRA_OF, is_there, missing_extra
from testimate.core.stored_record import read_record, read_value
from testimate.core.words import commas
from testimate.models.bounds import MAX_MESSAGE_BYTES, MAX_TEXT_LENGTH, MAX_WIDTH
from testimate.models.confinement import (
    ANY,
    FROM_OUTSIDE,
    LIMIT_RECORDS,
    Device,
    LimitRecord,
    Limits,
    Wish,
    allow_cpu_to,
    choose_device,
    device_that_ran,
    files_for,
    has_cuda,
    settings_for,
)
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.file_content import read_unchanged
from testimate.models.frames import BrokenFrame, Message, SharedMemory, packed, receive, send
from testimate.models.graph import NeedsExample
from testimate.tables.limits import in_gigabytes


class Watch:
    """Calls ``end`` if a block of work takes longer than allowed; ``late`` says whether it did."""

    def __init__(self, end: Callable[[], None]) -> None:
        self.late = False
        self._end = end
        self._deadline: float | None = None
        self._wakes = math.inf
        self._stopped = False
        self._changed = threading.Condition()
        threading.Thread(target=self._watch, name="deadline of a model", daemon=True).start()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Allows the block that many seconds."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            if self._deadline < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def stop(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                now, deadline = time.monotonic(), self._deadline
                if deadline is not None and deadline <= now:
                    self.late, self._deadline = True, None
                    self._end()
                    continue
                # a later deadline need not wake the thread, which sees it when the earlier one has passed
                self._wakes = math.inf if deadline is None else deadline
                self._changed.wait(None if deadline is None else deadline - now)


COMMAND = ("-P", "-m", "testimate.models.worker")

OF_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")
"""Without these variables libraries do not load or assume a single core."""

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LD_LIBRARY_PATH", *OF_WINDOWS)
"""Variables passed on from this program's environment; the rest may hold secrets."""

NOWHERE = dict.fromkeys(
    (
        *("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "KERAS_HOME"),
        *(("USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP") if sys.platform == "win32" else ()),
    ),
    os.devnull,
)
"""A model's process has no home, so it reads no settings and searches no folder of the person who runs Testimate."""

SETTINGS = {
    **NOWHERE,
    "OPENBLAS_NUM_THREADS": "1",  # numpy would start threads before they can be confined; frameworks bring their own
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # Twice as fast. On one computer the same batch gives the same bits, in every process and at every time, so that a killed
    # run ends as one that was not. Another processor (its vectors choose the kernels), another number of cores, another
    # version of the framework, or CUDA may give other last bits: computers agree as closely as rounding lets them.
    "TF_ENABLE_ONEDNN_OPTS": "1",
    "TORCHINDUCTOR_CACHE_DIR": os.path.abspath(os.sep),  # a folder that exists and cannot be written to
    "PYTHONDONTWRITEBYTECODE": "1",
    "ORT_LOAD_CONFIG_FROM_MODEL": "0",
}


OUT_OF_TIME: int | None = getattr(signal, "SIGXCPU", None)
"""The signal that ends a process when its processor time is used up, if the system has one."""


class ModelCrashed(TestimateError, RuntimeError):
    """A model's process ended in the middle of its work; the next call restarts it."""


class ModelTooSlow(ModelCrashed):
    """A model's process was ended because a call took too long."""


class WorkerProcess:
    """One process for one model; it is started by the first question and after every crash.

    ``opening`` : makes the message that opens the model, for each start. ``readable`` : what it may read besides
        programs and libraries. ``wish`` : the device the person wants; ``device`` is the one the model runs on, once it
        is open. ``passed_over`` : why that is not this computer's accelerator, although it was allowed; else "".
        Thread-safe.
    """

    def __init__(
        self,
        opening: Callable[[], Message],
        limits: Limits,
        readable: Sequence[Path] = (),
        wish: Wish = ANY,
    ) -> None:
        self._opening = opening
        self.limits = limits
        self.records: tuple[LimitRecord, ...] = ()
        self.device: Device | None = None
        self.passed_over = ""
        self._readable, self._wish = list(readable), wish
        self._without_cuda = False
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: Watch | None = None
        self._memory: SharedMemory | None = None
        self._forget: Any = None
        self._lock = threading.RLock()

    @property
    def process_id(self) -> int | None:
        """The id of the process, or None if none runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def open(self) -> Message:
        """Starts the process again and opens the model; returns the worker's answer, raises as ``ask`` does.

        If no device was requested and the model cannot run on CUDA, it runs on the processor. BadInput where CUDA or
        mixed precision was requested and is not available.
        """
        with self._lock:
            there_is = not self._without_cuda and has_cuda(os.environ)
            device = choose_device(self._wish, cuda=there_is)
            if device == "cpu" or self._wish.device == "cuda" or self._wish.mixed:
                return self._opened_on(device)
            reason = "its framework was installed without CUDA, or cannot start it inside the process's limits"
            try:
                answer = self._opened_on(device)
                if self.device == "cuda":
                    return answer
            except (NeedsExample, ModelTooSlow):
                raise
            except TestimateError as error:
                reason = str(error)
            self.passed_over = f"this computer's accelerator was not used: {reason}"
            self._without_cuda = True  # a process without CUDA has stricter limits
            return self._opened_on("cpu")

    def _opened_on(self, device: Device) -> Message:
        """Starts a process for that device and opens the model in it."""
        self.close()
        self._start(device)
        shared = None if self._memory is None else self._memory.place
        places = [str(path) for path in (*self._readable, *files_for(device, os.environ))]
        head = {"limits": asdict(self.limits), "readable": places, "shared": shared}
        said = self._exchange(Message({**head, "device": device}), 0).head
        with self._possible():
            self.records = read_value(LIMIT_RECORDS, said["limits"])
        try:
            answer = self._granted(self._exchange(self._opening(), 0))
            with self._possible():
                self.device = device_that_ran(answer.head["device"])
            if self.device == "cpu" and (self._wish.device == "cuda" or self._wish.mixed):
                raise BadInput(
                    "CUDA was asked for and what runs this model was installed without it, or cannot use it here. Expected "
                    "a build for CUDA (onnxruntime-gpu, tensorflow[and-cuda], PyTorch for CUDA). Install one, or choose "
                    "auto."
                )
        except BaseException:
            self.close()
            raise
        return answer

    def _start(self, device: Device) -> None:
        self._memory = memory = SharedMemory.made()
        settings = settings_for(device, mixed=self._wish.mixed, environment=os.environ)
        self._process = started(settings, memory)
        self._watch = Watch(partial(end_all, self._process))
        self._forget = weakref.finalize(self, end, self._process, self._watch, memory)

    def facts(self) -> ModelFacts:
        """Opens the model, and returns what is known about it."""
        with self._lock:
            answer = self.open()
            with self._possible():
                return read_record(ModelFacts, answer.head["facts"])

    def ask(self, question: Message, *, most: int = MAX_MESSAGE_BYTES) -> Message:
        """The answer; raises the other end's error, ModelTooSlow after the time limit, ModelCrashed if it died.

        ``most`` : most bytes of the answer's arrays together; an answer with more is invalid.
        """
        with self._lock:
            if self.process_id is None:
                self.open()
            return self._granted(self._exchange(question, most))

    @contextmanager
    def _possible(self) -> Iterator[None]:
        """Ends the process with an error if its answer is impossible: the code of an untrusted file may have sent it."""
        try:
            yield
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self.close()
            raise ModelCrashed(
                f"The model's process gave an impossible answer ({error!s:.120}) and was ended. Expected an answer "
                "in Testimate's own form. Export the model to ONNX, which runs no program of its own, or open it on a "
                "computer that holds nothing of value."
            ) from error

    def close(self) -> None:
        """Ends the process, if one runs."""
        with self._lock:
            if self._forget is not None:
                self._forget()
            self._process = self._forget = self._watch = self._memory = None

    def _granted(self, answer: Message) -> Message:
        """The answer, unless it is an error, which is raised."""
        refused = answer.head.get("refused")
        if refused is None:
            return answer
        sentence = str(answer.head.get("sentence", ""))[:MAX_TEXT_LENGTH]
        if refused == "needs example":
            raise NeedsExample(sentence)
        if refused == "bad input":
            raise BadInput(sentence)
        if refused == "memory":
            raise BadInput(
                f"The model needs more than the {self.limits.memory_bytes / 1e9:.1f} GB of memory it is given"
                f"{', or more than the accelerator has' if self.device == 'cuda' else ''}. Expected a smaller batch or a "
                "higher limit. Lower the batch size, or raise the limit."
            )
        if refused == "not installed":
            module = str(answer.head.get("module", "")).partition(".")[0]
            if module in EXTRA_OF and not is_there(module):
                raise missing_extra(
                    module, "This kind of model", "export the model to ONNX, which the extra 'onnx' runs"
                )
            raise BadInput(
                f"A library that runs this kind of model cannot be started on this computer ({sentence}). Expected one that "
                "starts; the model's file is not at fault. Install the library again beside Testimate, or export the model to "
                "ONNX, which needs none of it."
            )
        raise BadInput(
            f"The model cannot be opened or run ({sentence}). Expected an intact file and the dataset that belongs to "
            "it. Export the model again, or check how its inputs are prepared."
        )

    def _exchange(self, question: Message, most: int) -> Message:
        process, watch = self._process, self._watch
        if process is None or watch is None or process.stdin is None or process.stdout is None:
            raise ModelCrashed("The model's process has ended. Expected a running one. Try again.")
        memory = self._memory
        # otherwise a model's file would stay in that memory
        questions = memory.questions if memory is not None and "run" in question.head else None
        answers = memory.answers if memory is not None else None
        if FROM_OUTSIDE and self.records:
            allow_cpu_to(process.pid, self.limits.cpu_seconds)
        try:
            with watch.within(self.limits.seconds):
                send(question, process.stdin, questions)
                return receive(process.stdout, answers, most=most)
        except (BrokenFrame, OSError) as error:
            status = _status_after_end(process)
            self.close()
            raise self._obituary(watch.late, status) from error
        except BaseException:
            self.close()  # half a message may have been sent
            raise

    def _obituary(self, late: bool, status: int | None) -> ModelCrashed:
        if late or (OUT_OF_TIME is not None and status == -OUT_OF_TIME):
            what = (
                f"{self.limits.seconds:g} seconds"
                if late
                else f"{commas(self.limits.cpu_seconds)} seconds of processor time"
            )
            return ModelTooSlow(
                f"The model gave no answer within {what} and its process was ended. Expected a faster answer. Choose a "
                "smaller batch or a higher time limit."
            )
        how = f"signal {_name_of_signal(-status)}" if status is not None and status < 0 else f"status {status}"
        return ModelCrashed(
            f"The model's process ended in the middle of its work ({how}), as it does when memory runs out. Expected a "
            "smaller batch or model. Try again with a smaller batch; the process is restarted."
        )


def _name_of_signal(number: int) -> str:
    """The signal's name, such as SIGKILL; its number if it has none.

    >>> _name_of_signal(15), _name_of_signal(50)
    ('SIGTERM', '50')
    """
    return next((one.name for one in signal.Signals if one == number), str(number))


def _status_after_end(process: "subprocess.Popen[bytes]") -> int | None:
    """How the process ended; one that only sent an invalid message is ended first."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(timeout=2)
    return None


def started(settings: Mapping[str, str], memory: SharedMemory | None) -> "subprocess.Popen[bytes]":
    """A process that waits for its limits; ``settings`` : of its device. ``memory`` : to share with it."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    own = str(Path(__file__).parents[2])  # the place of this package; "" in sys.path, the current folder, is left out
    places = dict.fromkeys([own, *(os.path.abspath(place) for place in sys.path if place)])
    return subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**kept, **SETTINGS, **settings, "PYTHONPATH": os.pathsep.join(places)},
        cwd=os.path.abspath(os.sep),
        pass_fds=() if memory is None else memory.handles,
        **apart(),  # the worker ends when its input does
    )


def end(process: "subprocess.Popen[bytes]", watch: Watch, memory: SharedMemory | None) -> None:
    """Ends the process and releases its resources."""
    watch.stop()
    if memory is not None:
        memory.let_go()
    end_all(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet is no longer needed
                pipe.close()


BYTES = 4
"""Of one number of an answer, a float32."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """How to open a model, again after a crash.

    ``model`` : as described, with an absolute path. ``kind`` : of the file. ``digest`` : of its content, in full.
        ``trust`` : whether the person at the terminal trusts it. ``example`` : inputs of its dataset, or None.
    """

    model: ModelDescription
    kind: str
    digest: str
    trust: bool = False
    example: NDArray[Any] | None = None

    @property
    def fingerprint(self) -> str:
        """A fingerprint of the file's bytes and of the person's choices."""
        plain, model = self.digest[:32], self.model
        more = [*(["mixed precision"] if model.mixed_precision else []), *([model.tokens] if model.tokens else [])]
        if model.output is None and model.architecture is None and not more:
            return plain
        chosen = [model.output, model.architecture, *more]
        return fingerprint.of_bytes(plain.encode(), json.dumps(chosen).encode())

    def message(self) -> Message:
        """The message that opens it; SubjectChanged where the file has changed."""
        content = read_unchanged(self.model, self.digest)
        said = {
            "kind": self.kind,
            "fingerprint": self.fingerprint,
            "trust": self.trust,
            "model": self.model.to_json(),
        }
        files = [np.frombuffer(data, dtype=np.uint8) for data in (content.data, content.tokenizer)]
        return Message({"open": said}, [*files, *([] if self.example is None else packed(self.example))])


class WorkerModel:
    """A Model whose runs happen in a warm process of its own.

    ``layers``, ``roles`` and ``facts`` are known at once; the process starts with the first run, unless opening the
    file started it. After a crash the next run restarts it.

    Parameters
    ----------
    plain : fingerprint of the model without changed roles. facts : what is known about it. process : where it runs;
        shared with the models that ``with_roles`` makes. roles : the layer in each role, by default ``facts.roles``.
    """

    def __init__(
        self, plain: str, facts: ModelFacts, process: WorkerProcess, *, roles: Mapping[str, str] | None = None
    ) -> None:
        self.facts = facts
        self.layers: Sequence[str] = facts.layers
        self.roles: Mapping[str, str] = dict(facts.roles) if roles is None else dict(roles)
        changed = json.dumps(sorted(self.roles.items())).encode()
        same = self.roles == facts.roles
        self.fingerprint = plain if same else fingerprint.of_bytes(plain.encode(), changed)
        self._plain = plain
        self._process = process

    @property
    def limits(self) -> tuple[LimitRecord, ...]:
        """The limits of the process on this system; empty until it has run."""
        return self._process.records

    @property
    def device(self) -> Device | None:
        """The device it runs on; None until it has run."""
        return self._process.device

    @property
    def passed_over(self) -> str:
        """Why it does not run on this computer's accelerator, although that was allowed; else ""."""
        return self._process.passed_over

    @property
    def process_id(self) -> int | None:
        """The id of the process, or None if none runs."""
        return self._process.process_id

    def with_roles(self, roles: Mapping[str, str]) -> "WorkerModel":
        """The same model, in the same process, with other layers in some roles and so with another fingerprint.

        Raises BadInput for an unknown role or layer.
        """
        for role, layer in roles.items():
            if role not in self.roles or layer not in self.layers:
                raise BadInput(
                    f"The model has no part {role!r:.40} or no layer {layer!r:.60}. Expected a part of "
                    f"{', '.join(self.roles)} and one of its layers. Choose from the list."
                )
        return WorkerModel(self._plain, self.facts, self._process, roles={**self.roles, **roles})

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers, each (len(batch), width) float32."""
        names = list(dict.fromkeys(layers))
        batch = np.asarray(batch)
        if batch.dtype.kind not in ("fiubU" if self.facts.takes_texts else "fiub"):
            raise BadInput(
                f"The inputs are of type {batch.dtype}. Expected numbers. Turn words into token ids as the model's training "
                "did."
            )
        answer = self._process.ask(Message({"run": names}, packed(batch)), most=self._most_bytes(names, len(batch)))
        if len(answer.arrays) != len(names) or any(
            said.dtype != np.float32 or said.ndim != 2 or len(said) != len(batch) or said.shape[1] > MAX_WIDTH
            for said in answer.arrays
        ):
            self._process.close()
            raise ModelCrashed(
                "The model's process gave an answer of the wrong form and was ended. Expected one row of numbers per "
                "input. Try again."
            )
        return dict(zip(names, answer.arrays, strict=True))

    def _most_bytes(self, names: Sequence[str], rows: int) -> int:
        """The most bytes that the answer may have; BadInput if its layers' known widths need more than is free."""
        widths = {layer: self.facts.widths.get(role) for role, layer in self.facts.roles.items()}
        known = [widths.get(name) for name in names]
        needed, free = BYTES * rows * sum(width or 0 for width in known), free_bytes()
        if needed > free:
            raise BadInput(
                f"The model gives about {in_gigabytes(needed)} of numbers for a batch of {commas(rows)} inputs, and "
                f"{in_gigabytes(free)} are free. Expected a batch that fits into memory. Lower the batch size, or close "
                "other programs."
            )
        return min(needed if None not in known else free, MAX_MESSAGE_BYTES)

    def close(self) -> None:
        """Ends the process; the next run restarts it."""
        self._process.close()
