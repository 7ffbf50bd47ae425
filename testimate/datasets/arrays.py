"""Named arrays as a dataset: pictures, rows of numbers or texts by their shape, with their answers and training set."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.datasets import limits
from testimate.datasets.array_files import (
    ArrayMember,
    ArraySplit,
    StoredArray,
    array_roles,
    operational_split,
    training_split,
)
from testimate.datasets.dataset import KnownAnswers, OpenedDataset, PreparedDataset, from_array
from testimate.datasets.pictures import ArrayPictures, PictureDataset
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.tables import NumberDataset
from testimate.datasets.texts import TextDataset, TextList


def open_arrays(
    members: Mapping[str, ArrayMember], name: str, *, split: str | None, preprocessing: Preprocessing
) -> OpenedDataset:
    """The arrays of the operational split, with those of the training set where there are any.

    (N, H, W), (N, H, W, C) and (N, C, H, W) are pictures, (N, width) and (N,) rows of numbers, (N,) words texts. Arrays of
    other splits are not read. BadInput where names and shapes do not show which array is which.
    """
    roles = array_roles({name: member.header for name, member in members.items()})
    operational = operational_split(roles.splits, split)
    training = training_split(roles.splits, operational)
    class_names: tuple[str, ...] = ()
    if roles.class_names is not None:
        class_names = _class_names(members[roles.class_names])

    def opened(one: ArraySplit, training_set: OpenedDataset | None) -> OpenedDataset:
        dataset = _dataset(members[one.inputs].open(), preprocessing)
        return OpenedDataset(
            name, dataset, _answers(members, one, class_names), _facts(members[one.inputs]), training_set, class_names
        )

    trained = None if training is None else opened(roles.splits[training], None)
    return opened(roles.splits[operational], trained)


def _dataset(stored: StoredArray, preprocessing: Preprocessing) -> PreparedDataset:
    values = stored.values
    limits.check_rows(len(values))
    if values.size // len(values) > limits.MAX_VALUES:
        raise limits.too_large("numbers in an input", values.size // len(values), limits.MAX_VALUES)
    if values.dtype.kind in "US":
        if values.ndim != 1:
            raise BadInput(
                f"{stored.name!r:.60} holds words of shape {values.shape}; expected one text per input, (N,). Join "
                "them."
            )
        return TextDataset(TextList(len(values), partial(_text, stored), stored.fingerprint), preprocessing)
    if values.ndim <= 2:
        return NumberDataset(stored, preprocessing)
    return PictureDataset(ArrayPictures(stored), preprocessing)


def _text(stored: StoredArray, row: int) -> str:
    text: Any = stored.rows(row)  # a single word, not an array
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _answers(members: Mapping[str, ArrayMember], one: ArraySplit, names: tuple[str, ...]) -> KnownAnswers | None:
    if one.answers is None:
        return None
    values = members[one.answers].open().values
    if values.nbytes > limits.MAX_TEXT_BYTES:
        raise limits.too_large("bytes of labels", values.nbytes, limits.MAX_TEXT_BYTES)
    return from_array(np.array(values), names=names)


def _class_names(member: ArrayMember) -> tuple[str, ...]:
    if member.header.bytes > limits.MAX_SETTINGS_BYTES * 10 or len(member.header.shape) != 1:
        raise BadInput(f"{member.name!r:.60} has no list of class names; expected one name per class. Correct it.")
    return tuple(
        n.decode("utf-8", "replace") if isinstance(n, bytes) else str(n) for n in member.open().values.tolist()
    )


def _facts(member: ArrayMember) -> tuple[tuple[str, str], ...]:
    return (("array", f"{member.name}, {' x '.join(map(str, member.header.shape))}, {member.header.dtype}"),)
