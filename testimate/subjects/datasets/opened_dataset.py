"""A dataset as it was opened: its inputs, what is known about their answers, and the training set that came with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.subject import Dataset
from testimate.subjects.datasets.answers import KnownAnswers
from testimate.subjects.datasets.preprocessing import Preprocessing


class PreparedDataset(Dataset, Protocol):
    """A dataset whose batches are prepared for a model.

    ``fingerprint`` covers the content (by itself ``content_fingerprint``) and the preprocessing, because another one
    changes the model's answers.
    """

    content_fingerprint: str
    preprocessing: Preprocessing

    def with_preprocessing(self, preprocessing: Preprocessing) -> Self:
        """The same inputs with another preprocessing; nothing is read again."""
        ...


@dataclass(frozen=True, eq=False)
class OpenedDataset:
    """What a file or folder holds.

    Attributes
    ----------
    name : for people.
    dataset : the inputs, in the file's order.
    known : the answers that came with them, or None.
    facts : (name, value) pairs a tester may want to know, untrusted text.
    training : the inputs the model was trained on, if the file holds these, too.
    listed : the class names the file lists in the order of the outputs, even if no answer is known; empty if it lists
        none.
    left_out : files that could not be read and are not among the inputs.
    columns : columns that may hold the answers, in a table in which no name says so.
    """

    name: str
    dataset: PreparedDataset
    known: KnownAnswers | None = None
    facts: tuple[tuple[str, str], ...] = ()
    training: "OpenedDataset | None" = None
    listed: tuple[str, ...] = ()
    left_out: int = 0
    columns: tuple[str, ...] = ()

    @property
    def truth(self) -> NDArray[Any] | None:
        """The answers of all inputs, (N,) or (N, C); None where one is unknown."""
        return self.known.answers if self.known is not None and len(self.known.rows) == len(self.dataset) else None

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, none where they are unknown."""
        return () if self.known is None else self.known.classes

    @property
    def fingerprint(self) -> str:
        """Of inputs, preprocessing, answers and class names, with those of the training set."""
        parts = [self.dataset.fingerprint.encode()]
        if self.known is not None:
            answers = fingerprint.of_array(self.known.answers)
            parts += [
                fingerprint.of_array(self.known.rows).encode(),
                answers.encode(),
                repr(self.known.classes).encode(),
            ]
        if self.training is not None:
            parts.append(self.training.fingerprint.encode())
        return fingerprint.of_bytes(*parts)

    def with_columns(self, names: Sequence[str]) -> "OpenedDataset":
        """The same rows and training set with the columns that a model takes; inputs without columns stay as they are."""
        take = getattr(self.dataset, "with_columns", None)
        if not names or take is None:
            return self
        training = None if self.training is None else self.training.with_columns(names)
        return replace(self, dataset=take(names), training=training)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "OpenedDataset":
        """The same inputs and training set with another preprocessing."""
        training = None if self.training is None else self.training.with_preprocessing(preprocessing)
        return replace(self, dataset=self.dataset.with_preprocessing(preprocessing), training=training)
