"""The process that one model runs in: confined first, it opens what it is sent and answers batches until its pipe ends.

Started by `testimate.models.worker_process` as ``python -m``; both ends exchange .npy and JSON.
"""

import gc
import os
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.machine import ran_out
from testimate.core.stored_record import read_record
from testimate.models.confinement import FROM_OUTSIDE, Limits, allow_cpu, confine
from testimate.models.description import ModelDescription, ModelToOpen, Opened
from testimate.models.frames import BrokenFrame, Message, SharedMemory, receive, send, unpacked
from testimate.models.graph import NeedsExample
from testimate.models.kinds import open_kind

MAX_SENTENCE = 2_000
"""Most characters of an error: some libraries quote the whole model."""

HIDDEN_MODULES = ("matplotlib",)
"""Keras imports it if it is installed, and goes on without it only after an ImportError; here it raises an OSError."""


def open_model(given: ModelToOpen) -> Opened:
    """The model, ready to run; BadInput where it is refused or damaged."""
    if given.example is not None and given.example.dtype.kind == "U" and given.kind != "ONNX":
        raise BadInput(
            "The inputs are texts and this model's file does not say what it takes. Expected how texts become tokens. Write "
            "that under [preprocessing] in NAME.toml beside the model, or put its tokenizer.json beside it."
        )
    return open_kind(given)


def open_text_model(given: ModelToOpen, tokenizer: bytes) -> Opened:
    """The model for texts, which the tokenizer splits; the model unchanged if it takes no tokens."""
    from testimate.models.texts import FILLER, TextModel, TokenCutter

    cutter = TokenCutter(tokenizer, given.model)
    padding = cutter.padding or 0
    filler = FILLER if given.kind == "ONNX" else padding  # other kinds take one tensor and no mask

    def cut(texts: NDArray[Any], length: int | None) -> NDArray[Any]:
        cutter.settle_length(length)
        return cutter.cut(list(texts), filler=filler)

    example = given.example
    if example is not None and given.kind != "ONNX":  # a model of any shape can be tried only with its example
        example = cut(example, None)
    model = open_model(replace(given, example=example, cut=cut, padding=padding, filler=filler))
    facts = model.facts
    takes_tokens = np.dtype(facts.input_type).kind in "iu" and len(facts.input_shape) == 1 and not facts.columns
    return TextModel(model, cutter, filler) if takes_tokens else model


def happened_at_import(error: BaseException) -> bool:
    """Whether an error was raised during an import, that is, by code at the top level of a module.

    Python removes its own import system from tracebacks, which leaves a frame of a module's top level.

    >>> happened_at_import(ImportError()), happened_at_import(OSError())
    (True, False)
    """
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name == "<module>":
            return True
        trace = trace.tb_next
    return isinstance(error, ImportError)


class Desk:
    """Answers one question after another about one model."""

    def __init__(self) -> None:
        self._model: Opened | None = None

    def answer(self, question: Message) -> Message:
        """The facts of an opened model, or its layers' outputs; an error as its sentence."""
        try:
            if "open" in question.head:
                return self._open(question)
            return self._run(question)
        except NeedsExample as error:
            return _refusal("needs example", str(error))
        except BadInput as error:
            if isinstance(error.__cause__, OSError) and happened_at_import(error.__cause__):
                return _not_installed(error.__cause__)  # a reader blamed the file for it
            return _refusal("bad input", str(error))
        except Exception as error:  # a framework may raise anything for a bad file or batch
            if ran_out(error):
                return _refusal("memory", "")
            if happened_at_import(error):
                return _not_installed(error)
            return _refusal("failed", f"{type(error).__name__}: {error!s:.300}")

    def _open(self, question: Message) -> Message:
        said = question.head["open"]
        content, tokenizer, *examples = question.arrays
        self._model = None
        model = read_record(ModelDescription, said["model"])
        given = ModelToOpen(
            kind=said["kind"],
            content=content.tobytes(),
            fingerprint=said["fingerprint"],
            trust=said["trust"] is True,
            model=model,
            example=unpacked(examples).copy() if examples else None,
            padding=model.pad or 0,
            filler=model.pad or 0,
        )
        self._model = open_text_model(given, tokenizer.tobytes()) if len(tokenizer) else open_model(given)
        return Message({"facts": self._model.facts.to_json(), "device": self._model.device})

    def _run(self, question: Message) -> Message:
        if self._model is None:
            return _refusal("failed", "no model is open")
        layers = list(question.head["run"])
        said = self._model.run(unpacked(question.arrays), layers)
        return Message({}, [np.asarray(said[layer], dtype=np.float32) for layer in layers])


def work(tasks: IO[bytes], results: IO[bytes]) -> None:
    """Confines this process as the first message says, and answers the others until the other end closes."""
    try:
        first = receive(tasks).head
        limits = Limits(**first["limits"])
        records = confine(limits, [Path(place) for place in first["readable"]], first["device"])
        send(Message({"limits": [asdict(record) for record in records]}), results)
        memory = None if first["shared"] is None else SharedMemory(first["shared"])
        questions, answers = (None, None) if memory is None else (memory.questions, memory.answers)
        desk = Desk()
        while True:
            question = receive(tasks, questions, copied=False)
            if not FROM_OUTSIDE:
                allow_cpu(limits.cpu_seconds)
            send(desk.answer(question), results, answers)
            gc.enable()
    except (BrokenFrame, BrokenPipeError):
        return


def hide_modules() -> None:
    """Makes imports fail with ImportError for modules no model needs and for those that need a folder to write into."""
    for name in HIDDEN_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # what Python's import system looks for


def main() -> None:
    """Works on the original standard input and output; a library reads nothing, and prints to standard error."""
    # Until the first answer: nearly all that a framework makes while it is imported stays. Looking through it for garbage is a
    # quarter of the time that TensorFlow takes to start, and a tenth of PyTorch's.
    gc.disable()
    tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    tempfile.tempdir = os.devnull  # no folder is writable; libraries that search for one at import find this
    hide_modules()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    with tasks, results:
        work(tasks, results)


def _not_installed(error: Exception) -> Message:
    said = _refusal("not installed", f"{type(error).__name__}: {error!s:.300}")
    return Message({**said.head, "module": str(getattr(error, "name", None) or "")[:100]})


def _refusal(kind: str, sentence: str) -> Message:
    return Message({"refused": kind, "sentence": sentence[:MAX_SENTENCE]})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # frameworks' threads may hang at a normal exit
