"""Which array of a file holds the inputs and which the answers of each split, by their names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from testimate.core.errors import BadInput
from testimate.subjects.datasets.array_header import ArrayHeader

INPUTS = frozenset({"x", "image", "images", "img", "data", "inputs", "input", "features", "samples", "text", "texts"})
ANSWERS = frozenset({"y", "label", "labels", "target", "targets", "answers", "truth"})
CLASS_NAMES = frozenset({"classes", "classnames", "labelnames", "names", "categories"})
TEST, TRAINING, VALIDATION = "test", "train", "validation"
SPLITS = {
    **dict.fromkeys(("test", "testing", "te", "t10k", "operational"), TEST),
    **dict.fromkeys(("train", "training", "tr"), TRAINING),
    **dict.fromkeys(("val", "valid", "validation", "dev"), VALIDATION),
}
"""What people call the splits, in lower case, and what they are called here."""


@dataclass(frozen=True)
class ArraySplit:
    """The names of the arrays of one split; ``answers`` is None if it has none."""

    inputs: str
    answers: str | None


@dataclass(frozen=True)
class ArrayRoles:
    """The splits by name ("test", "train", "validation", or "" for the only one), and the array of class names."""

    splits: Mapping[str, ArraySplit]
    class_names: str | None


def array_roles(headers: Mapping[str, ArrayHeader]) -> ArrayRoles:
    """Sorts the arrays: x_test, y_train, X, images, test_labels, arr_0 and the like; BadInput where the names are unclear."""
    inputs, answers, class_names = dict[str, str](), dict[str, str](), None
    for name, header in headers.items():
        words = [word for word in re.split("[^a-z0-9]+", re.sub("([a-z])([A-Z])", r"\1_\2", name).casefold()) if word]
        split = next((SPLITS[word] for word in words if word in SPLITS), "")
        if "".join(words) in CLASS_NAMES and header.dtype.kind in "US":
            class_names = name
        elif ANSWERS & set(words):  # before the inputs: "image_labels" are labels
            _add(answers, split, name)
        elif INPUTS & set(words):
            _add(inputs, split, name)
    if not inputs:
        inputs, answers = _by_shape(headers, answers)
    splits = {split: ArraySplit(name, answers.get(split)) for split, name in inputs.items()}
    for one in splits.values():
        _check_counts(headers, one)
    return ArrayRoles(splits, class_names)


def _add(found: dict[str, str], split: str, name: str) -> None:
    if split in found:
        raise BadInput(
            f"The arrays {found[split]!r:.60} and {name!r:.60} play the same role; expected one of them, such as x_test "
            "with y_test. Remove or rename the other."
        )
    found[split] = name


def _by_shape(headers: Mapping[str, ArrayHeader], answers: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """If no name says so: the only array that can be the inputs, and the one with an answer for each of them."""
    others = {name: header for name, header in headers.items() if name not in answers.values() and header.shape}
    wide = [name for name, header in others.items() if len(header.shape) > 1] or list(others)
    if len(wide) != 1:
        raise BadInput(
            f"The arrays are {', '.join(map(repr, headers)) or 'none'!s:.200}; expected names that say which are the "
            "inputs, such as x_test and y_test, x_train and y_train. Rename them."
        )
    count = headers[wide[0]].shape[0]
    beside = [name for name, header in others.items() if name != wide[0] and header.shape == (count,)]
    return {"": wide[0]}, answers or ({"": beside[0]} if len(beside) == 1 else {})


def _check_counts(headers: Mapping[str, ArrayHeader], split: ArraySplit) -> None:
    if split.answers is None:
        return
    shape, labels = headers[split.inputs].shape, headers[split.answers].shape
    if not shape or not labels or shape[0] != labels[0]:
        raise BadInput(
            f"{split.inputs!r:.60} has shape {shape} and {split.answers!r:.60} {labels}; expected an answer for each "
            "input. Correct them."
        )
