"""How large a model, and what its process reports, may be; every bound is checked before the memory is taken."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from testimate.core.errors import BadInput
from testimate.core.stored_record import LONGEST_TEXT, MOST_LISTED, Rule, Text
from testimate.core.words import commas
from testimate.datasets.limits import MAX_VALUES
from testimate.tables import limits

MAX_FILE_BYTES = 2_000_000_000
"""Bytes of the file; of a folder, all its files together."""

MAX_PARAMETERS = 500_000_000
"""Numbers that a model may have learned: 2 GB as float32."""

MAX_CONFIG_BYTES = 16_000_000
"""Bytes of a description of layers, unpacked."""

MAX_LAYERS = 20_000
"""Layers or operations of a model."""

MAX_DEPTH = 60
"""Layers inside layers in a description."""

MAX_CLASSES = limits.MAX_CLASSES
"""Classes that a model may distinguish: as many as a table may name."""

MAX_WIDTH = MAX_VALUES
"""Numbers that one layer gives for one input, or that one input has."""

MAX_AXES = 32
"""Axes of an array."""

MAX_LISTED = MOST_LISTED
"""Layers, class names or columns that a model's process may list; an operation may have several outputs."""

MAX_COUNTED = 1 << 53
"""Any other count, which is only shown: the largest that JSON keeps exact."""

MAX_TEXT_LENGTH = LONGEST_TEXT
"""Characters of one text that a model's process reports: a name, or a sentence."""

MAX_LIMITS = 100
"""Limits that a model's process may report."""

MAX_HEAD_BYTES = 16_000_000
"""Bytes of the record before a message's arrays: it lists every layer's name, and Python takes up to 25 times as much."""

MAX_MESSAGE_BYTES = 4_000_000_000
"""Bytes of all arrays of one message between the program and a model's process."""


def input_size(shape: Sequence[int | None]) -> int:
    """How many numbers an input of that shape has at least.

    >>> input_size((None, 28, 28))
    784
    """
    count = 1
    for size in shape:
        count *= 1 if size is None else size
    return count


Count = Annotated[int, Meta(ge=0, le=MAX_COUNTED)]
ClassCount = Annotated[int, Meta(ge=0, le=MAX_CLASSES)]
Width = Annotated[int, Meta(ge=0, le=MAX_WIDTH)]
Widths = Annotated[Mapping[Text, Width], Meta(max_length=MAX_LISTED)]
Shape = Annotated[
    tuple[Width | None, ...],
    Meta(max_length=MAX_AXES),
    Rule(lambda shape: input_size(shape) <= MAX_WIDTH, f"a shape of at most {MAX_WIDTH} numbers"),
]
"""What a model's process may report: lists and pictures are made of as many parts as it says."""


def check_classes(count: int) -> None:
    """BadInput if a model gives more numbers for one input than there may be classes."""
    if count > MAX_CLASSES:
        raise BadInput(
            f"The model gives {commas(count)} numbers per input. Expected the scores of at most {commas(MAX_CLASSES)} "
            "classes. Export the part that gives these scores."
        )


def check_input_size(shape: tuple[int | None, ...]) -> None:
    """BadInput if one input of that shape has too many numbers; an axis of variable length counts as one."""
    if (count := input_size(shape)) > MAX_WIDTH:
        raise BadInput(
            f"The model takes {commas(count)} numbers per input. Expected at most {commas(MAX_WIDTH)}. Export it for "
            "smaller inputs."
        )
