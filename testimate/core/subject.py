"""Models, datasets and what a person sees of an input, as protocols and records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.task import Task, TaskKind

Modality = Literal["image", "text", "audio", "tabular"]


@dataclass(frozen=True)
class Shown:
    """What a person sees of one input: exactly one of the fields, by modality.

    image : PNG bytes. text : the text itself. audio : WAV bytes. cells : (column, value) pairs of a table row.
    All text is untrusted: whoever displays it escapes it.
    """

    modality: Modality
    image: bytes | None = None
    text: str | None = None
    audio: bytes | None = None
    cells: tuple[tuple[str, str], ...] = ()


class Model(Protocol):
    """A trained network that can be run on a batch; ``roles`` names which layer plays FL, LHL and CON."""

    fingerprint: str
    layers: Sequence[str]
    roles: Mapping[str, str]

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers, each (len(batch), width)."""
        ...


class Dataset(Protocol):
    """Inputs in a fixed order; row i is input i for ever."""

    fingerprint: str
    modality: Modality

    def __len__(self) -> int: ...

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The inputs of these rows as the model takes them, (len(rows), *input_shape)."""
        ...

    def show(self, row: int) -> Shown:
        """What a person sees of one input."""
        ...


@dataclass(frozen=True, eq=False)
class Subject:
    """A model with the operational dataset it is tested on, or a prediction table that stands for both.

    Attributes
    ----------
    key : short name in the project's folder and in URLs, such as "digits"; letters, digits and hyphens.
    name : for people.
    task : what an answer is.
    dataset : what is shown and, where there is a model, what it runs on.
    fingerprint : of model, dataset and task together.
    model_fingerprint, open_model : the model's content, and a call that loads it; both None for a prediction table. The
        model is opened only when its features are not in the cache, so that a known subject opens without the framework.
    truth : (N,) or (N, C) answers where they are known, else None.
    inputs : what a prediction table already says of every input; None where a model has to say it.
    facts : (name, value) pairs a tester may want to know, untrusted text.
    training, training_truth : the inputs the model was trained on, prepared like the operational ones, and their answers,
        (n,) or (n, C); None where they are not at hand.
    prepared : how the inputs are prepared for the model, and who or what decided it; "" of a table or a demo.
    readable_as : the tasks that a prediction table may be read as, where it may be more than one.
    """

    key: str
    name: str
    task: Task
    dataset: Dataset
    fingerprint: str
    model_fingerprint: str | None = None
    open_model: Callable[[], Model] | None = None
    truth: NDArray[Any] | None = None
    inputs: Inputs | None = None
    facts: tuple[tuple[str, str], ...] = ()
    training: Dataset | None = None
    training_truth: NDArray[Any] | None = None
    readable_as: tuple[TaskKind, ...] = ()
    prepared: str = ""
