"""ONNX models without a process of their own, for tests of what is done with their outputs.

A process takes a fifth of a second of a processor before it has read a model. What it is for, and that models run in it as
here, is tested in ``tests/models`` and wherever else a test does not ask for this.
"""

import json
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from testimate.models.frames import Message
from testimate.models.worker import Desk
from testimate.models.worker_process import WorkerProcess


def received(message: Message) -> Message:
    """The message as it comes out of a pipe: its record went through JSON."""
    return Message(json.loads(json.dumps(message.head)), [array.copy() for array in message.arrays])


def models_in_this_process(patch: pytest.MonkeyPatch) -> None:
    """Opens models in ONNX here; models of other frameworks get their process as ever."""
    desks: WeakKeyDictionary[WorkerProcess, Desk] = WeakKeyDictionary()
    opened_apart, asked_apart, closed_apart = WorkerProcess._opened_on, WorkerProcess.ask, WorkerProcess.close

    def opened(self: WorkerProcess, device: Any) -> Message:
        opening = received(self._opening())
        if opening.head["open"]["kind"] != "ONNX":
            return opened_apart(self, device)
        desk = Desk()
        answer = self._granted(received(desk.answer(opening)))
        desks[self], self.device = desk, "cpu"
        return answer

    def ask(self: WorkerProcess, question: Message, **limits: int) -> Message:
        if self not in desks and self.process_id is None:
            self.open()
        if self not in desks:
            return asked_apart(self, question, **limits)
        return self._granted(received(desks[self].answer(received(question))))

    def close(self: WorkerProcess) -> None:
        desks.pop(self, None)
        closed_apart(self)

    for name, done in (("_opened_on", opened), ("ask", ask), ("close", close)):
        patch.setattr(WorkerProcess, name, done)
