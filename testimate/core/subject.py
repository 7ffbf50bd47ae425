"""Models, datasets and what a person sees of an input, as protocols and records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.reading import Reading
from testimate.core.task import Task, TaskKind
from testimate.core.words import commas

Modality = Literal["image", "text", "audio", "tabular"]


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers in their order, as lines: (t, C) ``values`` of C channels at the places ``at`` (t,) of ``length`` in all.

    There are fewer values than ``length`` where a long series is thinned: see ``series_of``.
    """

    values: NDArray[np.float32]
    at: NDArray[np.intp]
    length: int


MOST_POINTS = 20_000
"""Values of a channel that are shown; of a longer series the least and greatest of each stretch, so that no peak is lost."""


def series_of(values: NDArray[Any]) -> Series:
    """The series of (T, C) numbers, thinned where it is longer than ``MOST_POINTS``.

    >>> series_of(np.arange(6.0).reshape(3, 2)).at
    array([0, 1, 2])
    """
    length = len(values)
    if length <= MOST_POINTS:
        return Series(values.astype(np.float32), np.arange(length), length)
    starts = np.arange(0, length, -(-length // (MOST_POINTS // 2)))  # of the stretches
    numbers = np.nan_to_num(values.astype(np.float64))
    least, greatest = np.minimum.reduceat(numbers, starts), np.maximum.reduceat(numbers, starts)
    both = np.stack([least, greatest], axis=1).reshape(-1, numbers.shape[1]).astype(np.float32)
    return Series(both, np.repeat(starts, 2), length)


@dataclass(frozen=True)
class ShownBox:
    """A box that a detector drew: the class it says, and ``left``, ``top``, ``width``, ``height`` as shares of the picture."""

    name: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Shown:
    """What a person sees of one input: exactly one of the fields, by modality.

    image : PNG bytes. text : the text itself. audio : WAV bytes. cells : (column, value) pairs of a table row. series : lines.
    ``panes`` : of an output that is judged, what stands side by side: the input and what a system made of it. Who shows one
    thing alone takes the field; of texts it holds all panes, one below the other. ``boxes`` : those a detector drew over the
    image, in the order of their numbers. ``code`` : whether the text is source code, as its owner says. ``code_cells`` : names
    of the cells whose texts are. All text is untrusted: whoever displays it escapes it.
    """

    modality: Modality
    image: bytes | None = None
    text: str | None = None
    audio: bytes | None = None
    cells: tuple[tuple[str, str], ...] = ()
    series: Series | None = None
    panes: "tuple[Pane, ...]" = ()
    boxes: tuple[ShownBox, ...] = ()
    code: bool = False
    code_cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pane:
    """One of the things that stand side by side: its ``title``, and what is shown under it.

    ``pieces`` : of a text that is compared with a reference, its pieces in order, and whether the other text lacks each; empty
    where nothing is compared. ``note`` : a sentence below it, such as how much of a long text is left out; "" for none.
    ``further`` : whether it is a column that the owner chose to show beside the input; its title is the column's name.
    """

    title: str
    shown: Shown
    pieces: tuple[tuple[str, bool], ...] = ()
    note: str = ""
    further: bool = False


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


def content_of(dataset: Dataset) -> str:
    """The fingerprint of the inputs themselves, in whatever way they are prepared for a model."""
    return str(getattr(dataset, "content_fingerprint", dataset.fingerprint))


@dataclass(frozen=True, eq=False, repr=False)
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
    truth : (N,) or (N, C) answers where they are known, else None. known : where some are known and not all, their labels as
        a file of votes has them, by row.
    inputs : what a prediction table already says about every input; None where a model has to say it.
    facts : (name, value) pairs a tester may want to know, untrusted text.
    training, training_truth : the inputs the model was trained on, prepared like the operational ones, and their answers,
        (n,) or (n, C); None where they are not available.
    prepared : how the inputs are prepared for the model, and who or what decided it; "" of a table or a demo.
    readable_as : the tasks that a prediction table may be read as, where it may be more than one.
    reading : how its files were read; None of a demo.
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
    reading: Reading | None = None
    known: Mapping[int, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        known = "true answers known" if self.truth is not None else "true answers not known"
        return f"Subject {self.name!r}: {commas(len(self.dataset))} inputs, {self.task.kind}; {known}."
