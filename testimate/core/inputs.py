"""What is known of each input before any label: predictions, confidence, scores and features, row for row.

Which inputs belong together, as the owner of the set says: of one patient, one conversation, one video.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_array, of_bytes
from testimate.core.reading import Reading
from testimate.core.task import Task
from testimate.core.words import commas


@dataclass(frozen=True, eq=False)
class InputGroups:
    """The group of each input.

    Attributes
    ----------
    codes : (N,) places in ``names``, each of which occurs.
    names : what the owner calls each group, untrusted text; "" for an input that is in no group.
    column : the column that says so.
    """

    codes: NDArray[np.intp]
    names: tuple[str, ...]
    column: str = "group"

    def __post_init__(self) -> None:
        met = np.unique(self.codes)
        if not np.array_equal(met, np.arange(len(self.names))):
            raise BadInput(
                f"{len(self.names)} groups are named and the inputs are of {len(met)}. Expected a name "
                "for each group and an input in each. Correct the groups."
            )

    @property
    def sizes(self) -> NDArray[np.intp]:
        """(G,) inputs of each group."""
        return np.bincount(self.codes, minlength=len(self.names))

    def part(self, rows: NDArray[np.intp]) -> "InputGroups":
        """The groups of these rows alone, (k,)."""
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        return InputGroups(codes.astype(np.intp), tuple(self.names[one] for one in kept.tolist()), self.column)


def groups_of(values: Sequence[str], column: str = "group") -> InputGroups:
    """The groups that these words name, (N,), in the order in which they first occur; an empty one stands alone.

    >>> found = groups_of(["anna", "ben", "", "anna", ""])
    >>> found.codes.tolist(), found.names
    ([0, 1, 2, 0, 3], ('anna', 'ben', '', ''))
    """
    places: dict[str, int] = {}
    names: list[str] = []
    codes = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values):
        if value and value in places:
            codes[row] = places[value]
            continue
        codes[row] = len(names)
        if value:
            places[value] = len(names)
        names.append(value)
    return InputGroups(codes, tuple(names), column)


@dataclass(frozen=True, eq=False)
class OtherModel:
    """What another model of the same task says about the same inputs.

    Attributes
    ----------
    name : for people.
    predictions : as those of ``Inputs``, the first class alone of several; -1 for a class that the tested model does not have.
    confidence : (N,) probability of what it predicts, 0..1, or None.
    unknown : the names of classes that the tested model does not have, by the row for which one is predicted.
    """

    name: str
    predictions: NDArray[Any]
    confidence: NDArray[np.float64] | None
    unknown: Mapping[int, str] = field(default_factory=dict)

    @property
    def further(self) -> tuple[str, ...]:
        """The classes that the tested model does not have, in the order of the rows."""
        return tuple(dict.fromkeys(self.unknown.values()))

    def numbered_on(self, classes: int) -> NDArray[Any]:
        """The predictions with the ``further`` classes numbered on after the tested model's, of which there are ``classes``."""
        if not self.unknown:
            return self.predictions
        numbers = {name: classes + place for place, name in enumerate(self.further)}
        found = self.predictions.copy()
        found[list(self.unknown)] = [numbers[name] for name in self.unknown.values()]
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Of what it says, whatever its name."""
        said = [self.predictions] if self.confidence is None else [self.predictions, self.confidence]
        return of_bytes(*(of_array(array).encode() for array in said))


@dataclass(frozen=True, eq=False)
class EarlierResults:
    """What earlier models got wrong on the same inputs.

    Attributes
    ----------
    name : of the results, for people.
    losses : (N, M) of each earlier model, 0 right to 1 wrong; nan where it has no result.
    """

    name: str
    losses: NDArray[np.float64]

    @cached_property
    def fingerprint(self) -> str:
        """Return the digest of the results, whatever their name."""
        return of_bytes(b"history", of_array(self.losses).encode())


class PartialTruth(Mapping[int, str]):
    """The labels of the inputs whose truth is known, row -> the label as a file of votes has it, by rising row.

    Written out when they are looked up: a table may have millions.

    Parameters
    ----------
    rows : (k,) rising. truth : (k,) or (k, C), in the form of ``Inputs.truth``.
    """

    def __init__(self, rows: NDArray[np.intp], truth: NDArray[Any], task: Task) -> None:
        self._rows, self._truth, self._task = rows, truth, task

    def __getitem__(self, row: int) -> str:
        place = int(np.searchsorted(self._rows, row))
        if place == len(self._rows) or self._rows[place] != row:
            raise KeyError(row)
        return self._task.answer_text(self._task.true_answer(self._truth[place]), in_full=True)

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True, eq=False, repr=False)
class Inputs:
    """The operational set as arrays; N inputs, row i = input i for ever.

    Attributes
    ----------
    fingerprint : content digest of what these arrays come from; a plan made for it is refused elsewhere.
    task : what an answer is and what a wrong one costs.
    predictions : (N,) class places, or (N, k) for top-k, (N, C) zeros and ones for multi-label, (N,) numbers.
    confidence : (N,) probability of the predicted class, 0..1, or None.
    probabilities : (N, C) rows summing to 1, or None.
    scores : auxiliary variables by name, each (N,) float64, larger = more likely to fail. "confidence" holds
        1 - confidence (from logits where there are any, so that it does not vanish in float32).
    judges : of outputs that people judge, the grades of other judges by column, (N,) numbers as the table has them, nan for a
        blank. The confidence, which is a judge's score, is not among them.
    features : by role (ORI, FL, LHL, CON), each (N, width) float32; may load when looked up.
    truth : (N,) or (N, C) answers where they are known, else None.
    losses : (N,) where the truth is known, else None.
    known : where the truth of some inputs is known and not of all, their labels as a file of votes has them, by row.
    training : the inputs the network was trained on, with their losses, where available.
    compared, compared_predictions : names of the models that are compared on these inputs, M of them, and the class places
        each predicts, (N, M); empty and None where it is one model. ``predictions`` are then those of the front-runner.
    others : other models, whose predictions say where the tested one may fail; what they give is among ``scores``.
    history : results of earlier models; what they give is among ``scores``, if they are in use.
    groups : which inputs belong together, where their owner says so.
    looks_grouped : a sentence, where they seem to belong together and nobody says so; else "".
    reading : how the files were read that they come from; None of a demo.
    names : what its owner calls each input, such as the name of its file; None where they are only numbered.
    keys : the columns by which the owner's table numbers or names its rows, (N,) each; exports carry them.
    """

    fingerprint: str
    task: Task
    predictions: NDArray[Any]
    confidence: NDArray[np.float64] | None = None
    probabilities: NDArray[np.float64] | None = None
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    judges: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    features: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    truth: NDArray[Any] | None = None
    losses: NDArray[np.float64] | None = None
    known: Mapping[int, str] = field(default_factory=dict)
    training: "Inputs | None" = None
    compared: tuple[str, ...] = ()
    compared_predictions: NDArray[np.intp] | None = None
    names: Sequence[str] | None = None
    others: tuple[OtherModel, ...] = ()
    groups: InputGroups | None = None
    looks_grouped: str = ""
    reading: Reading | None = None
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    history: EarlierResults | None = None

    def __len__(self) -> int:
        return len(self.predictions)

    def __repr__(self) -> str:
        scores = f"scores {', '.join(self.scores)}" if self.scores else "no scores"
        known = "true answers known" if self.losses is not None else "true answers not known"
        return f"Inputs: {commas(len(self))} of a {self.task.kind} task, {scores}; {known}."

    def name_of(self, row: int) -> str:
        """What its owner calls the input, untrusted text; empty where it has no name."""
        return "" if self.names is None else self.names[row]

    @cached_property
    def without_truth(self) -> "Inputs":
        """The same inputs for who may not see the truth; themselves where it is not known."""
        if self.truth is None and self.losses is None and not self.known:
            return self
        return replace(self, truth=None, losses=None, known={})

    @property
    def single_class(self) -> bool:
        """Whether one class is predicted of each input, so that ``predictions`` are places of classes, (N,)."""
        return self.task.one_class and self.predictions.ndim == 1

    @property
    def known_accuracy(self) -> float | None:
        """The accuracy of the whole set where the truth is known, else None: 1 - mean outcome."""
        return None if self.losses is None else float(1 - self.task.outcomes(self.losses).mean())

    def loss(self, row: int, answer: Any) -> float:
        """The loss of the row's prediction under a tester's answer, in the form events store it.

        Infinite where a number is too far off to be squared. Raises BadInput where a tester could not have given the answer.

        >>> from testimate.tasks.classification import MultiLabel
        >>> sets = Inputs("f" * 32, MultiLabel(("cat", "dog", "owl")), np.array([[1, 0, 1], [0, 1, 0]]))
        >>> sets.loss(0, [0, 2]), sets.loss(1, [0, 1])
        (0.0, 1.0)
        """
        return float(self.losses_of({row: answer})[0])

    def settled_loss(self, row: int, answer: Any) -> float | None:
        """The loss under this answer; None where it leaves open whether the output is right."""
        loss = self.loss(row, answer)
        return None if np.isnan(loss) else loss

    def losses_of(self, answers: Mapping[int, Any]) -> NDArray[np.float64]:
        """The losses of these answers, as ``loss`` gives them: row -> answer; (k,), in the order of the mapping."""
        if not answers:
            return np.zeros(0)
        checked = [self.task.check_answer(answer) for answer in answers.values()]
        return self.task.losses(self.predictions[list(answers)], checked)

    def score(self, name: str) -> NDArray[np.float64]:
        """The auxiliary variable of that name, (N,); BadInput names those available."""
        try:
            return self.scores[name]
        except KeyError:
            if self.is_left_out(name):
                assert self.reading is not None
                raise BadInput(
                    f"The column {name!r:.60} is left out: {self.reading.left_out[name]}. Expected one of the scores. Choose "
                    f"another, or take it as one: --column {quote(f'score={name}')}."
                ) from None
            known = ", ".join(self.scores) or "none"
            raise BadInput(
                f"There is no auxiliary variable {name!r:.60} here; available: {known}. Choose one of these."
            ) from None

    def is_left_out(self, name: str) -> bool:
        """Whether the table has a column of this name that cannot be used as it is."""
        return self.reading is not None and name in self.reading.left_out

    def part(self, rows: NDArray[np.intp]) -> "Inputs":
        """These rows alone, (k,), as inputs of their own whose row i is rows[i]; features and the training set are left out.

        >>> from testimate.tasks.classification import Classification
        >>> both = Inputs("f" * 32, Classification(("a", "b")), np.array([0, 1, 1]), np.array([0.9, 0.6, 0.8]))
        >>> both.part(np.array([2, 0])).confidence.tolist()
        [0.8, 0.9]
        """

        def of(array: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if array is None else array[rows]

        return replace(
            self,
            fingerprint=of_bytes(self.fingerprint.encode(), of_array(rows).encode()),
            predictions=self.predictions[rows],
            confidence=of(self.confidence),
            probabilities=of(self.probabilities),
            scores={name: score[rows] for name, score in self.scores.items()},
            judges={name: grades[rows] for name, grades in self.judges.items()},
            features={},
            truth=of(self.truth),
            losses=of(self.losses),
            known={place: self.known[row] for place, row in enumerate(rows.tolist()) if row in self.known},
            training=None,
            compared_predictions=of(self.compared_predictions),
            names=None if self.names is None else [self.names[row] for row in rows.tolist()],
            keys={name: [keys[row] for row in rows.tolist()] for name, keys in self.keys.items()},
            others=tuple(
                replace(one, predictions=one.predictions[rows], confidence=of(one.confidence)) for one in self.others
            ),
            groups=None if self.groups is None else self.groups.part(rows),
            history=None if self.history is None else replace(self.history, losses=self.history.losses[rows]),
        )

    def feature(self, roles: str) -> NDArray[np.float32]:
        """Features of one role, or several joined with "+" and set side by side, (N, width)."""
        parts = []
        for role in roles.split("+"):
            if role not in self.features:
                known = ", ".join(self.features) or "none"
                raise BadInput(
                    f"There are no {role!r:.60} features here; available: {known}. "
                    "Choose one of these or add a features file."
                )
            parts.append(self.features[role])
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
