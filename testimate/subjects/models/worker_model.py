"""A model that runs in a process of its own, as a Model; the process is started when it is first needed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.machine import free_bytes
from testimate.core.words import spaced
from testimate.subjects.limits import in_gigabytes
from testimate.subjects.models.bounds import MAX_MESSAGE_BYTES, MAX_WIDTH
from testimate.subjects.models.confinement import LimitRecord
from testimate.subjects.models.description import ModelDescription
from testimate.subjects.models.devices import Device
from testimate.subjects.models.facts import ModelFacts
from testimate.subjects.models.file_content import read_unchanged
from testimate.subjects.models.frames import Message, packed
from testimate.subjects.models.worker_process import ModelCrashed, WorkerProcess

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
                    f"The model has no part {role!r:.40} or no layer {layer!r:.60}; expected a part of "
                    f"{', '.join(self.roles)} and one of its layers. Choose from the list."
                )
        return WorkerModel(self._plain, self.facts, self._process, roles={**self.roles, **roles})

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers, each (len(batch), width) float32."""
        names = list(dict.fromkeys(layers))
        batch = np.asarray(batch)
        if batch.dtype.kind not in ("fiubU" if self.facts.takes_texts else "fiub"):
            raise BadInput(
                f"The inputs are of type {batch.dtype}; expected numbers. Turn words into token ids as the model's training "
                "did."
            )
        answer = self._process.ask(Message({"run": names}, packed(batch)), most=self._most_bytes(names, len(batch)))
        if len(answer.arrays) != len(names) or any(
            said.dtype != np.float32 or said.ndim != 2 or len(said) != len(batch) or said.shape[1] > MAX_WIDTH
            for said in answer.arrays
        ):
            self._process.close()
            raise ModelCrashed(
                "The model's process gave an answer of the wrong form and was ended; expected one row of numbers per "
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
                f"The model gives about {in_gigabytes(needed)} of numbers for a batch of {spaced(rows)} inputs, and "
                f"{in_gigabytes(free)} are free. Expected a batch that fits into memory. Lower the batch size, or close "
                "other programs."
            )
        return min(needed if None not in known else free, MAX_MESSAGE_BYTES)

    def close(self) -> None:
        """Ends the process; the next run restarts it."""
        self._process.close()
