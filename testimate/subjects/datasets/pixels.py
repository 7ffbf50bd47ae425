"""Turns stacks of pictures into what a model takes: size, colour, scale, channel order."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core.errors import BadInput
from testimate.subjects.datasets.preprocessing import Channels, Colour, Preprocessing

FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def resized(picture: NDArray[Any], preprocessing: Preprocessing) -> NDArray[Any]:
    """The (height, width, C) picture in the requested size; uint8 stays uint8, others become float32."""
    if preprocessing.resize is None or picture.shape[:2] == preprocessing.resize:
        return picture
    height, width = preprocessing.resize
    kind = np.uint8 if picture.dtype == np.uint8 else np.float32
    channels = [np.ascontiguousarray(picture[:, :, place], dtype=kind) for place in range(picture.shape[2])]
    images = [Image.fromarray(c).resize((width, height), FILTERS[preprocessing.resample]) for c in channels]
    return np.stack([np.asarray(image) for image in images], axis=2)


def recoloured(stack: NDArray[Any], colour: Colour) -> NDArray[Any]:
    """The (n, height, width, C) pictures in other colours; grey is Pillow's (ITU-R 601-2 luma)."""
    channels = stack.shape[3]
    if colour == "as stored":
        return stack
    if channels not in (1, 3, 4):
        raise BadInput(
            f"The pictures have {channels} channels; expected 1, 3 or 4 to change colours. Leave the colours as stored."
        )
    if colour == "grey":
        return stack if channels == 1 else _luma(stack[..., :3])
    red_first = np.repeat(stack, 3, axis=3) if channels == 1 else stack[..., :3]
    return red_first[..., ::-1] if colour == "bgr" else red_first


def _luma(stack: NDArray[Any]) -> NDArray[Any]:
    if stack.dtype == np.uint8:  # in whole numbers, as Pillow's convert("L")
        weighted = stack @ np.array([19_595, 38_470, 7_471], dtype=np.uint32)
        return ((weighted + 0x8000) >> 16).astype(np.uint8)[..., None]
    return (stack.astype(np.float32) @ np.array([0.299, 0.587, 0.114], dtype=np.float32))[..., None]


def scaled(values: NDArray[Any], preprocessing: Preprocessing) -> NDArray[np.float32]:
    """``(value x scale - mean) / deviation`` along the last axis, computed in float64 and rounded once to float32."""
    width = values.shape[-1]
    mean = _per_channel("mean", preprocessing.mean, width, 0.0)
    deviation = _per_channel("deviation", preprocessing.deviation, width, 1.0)
    if preprocessing.is_identity:
        return np.ascontiguousarray(values, dtype=np.float32)

    def computed(numbers: NDArray[Any]) -> NDArray[np.float32]:
        result: NDArray[np.float32] = ((numbers * preprocessing.scale - mean) / deviation).astype(np.float32)
        return result

    if values.dtype == np.uint8:
        return _looked_up(values, computed, width)
    all_of_them = np.empty(values.shape, dtype=np.float32)
    for place in range(len(values)):  # one input at a time, because float64 takes twice the memory
        all_of_them[place] = computed(values[place].astype(np.float64))
    return all_of_them


def _looked_up(
    values: NDArray[np.uint8], computed: Callable[[NDArray[Any]], NDArray[np.float32]], width: int
) -> NDArray[np.float32]:
    """The result for each of the 256 values is computed once and looked up for every pixel."""
    table = computed(np.repeat(np.arange(256.0)[:, None], width, axis=1))  # (256, C)
    if (table == table[:, :1]).all():
        return np.take(table[:, 0], values)  # three times as fast as table[values]
    return np.stack([np.take(table[:, place], values[..., place]) for place in range(width)], axis=-1)


def laid_out(stack: NDArray[np.float32], channels: Channels) -> NDArray[np.float32]:
    """The (n, height, width, C) pictures with the channel axis moved to where the model takes it, contiguous in memory."""
    if channels == "first":
        return np.ascontiguousarray(np.moveaxis(stack, 3, 1))
    if channels == "flat":
        return stack.reshape(len(stack), -1)
    if channels == "none":
        if stack.shape[3] != 1:
            raise BadInput(
                f"The pictures have {stack.shape[3]} channels, and the model is to get none of them as an axis; "
                "expected one. Make the pictures grey, or choose another order of channels."
            )
        return stack[..., 0]
    return stack


def _per_channel(name: str, numbers: tuple[float, ...], width: int, otherwise: float) -> NDArray[np.float64]:
    if len(numbers) not in (0, 1, width):
        raise BadInput(
            f"The preprocessing has {len(numbers)} numbers as {name} and the inputs have {width} channels; expected "
            "one number, or one for each channel. Correct it."
        )
    return np.array(numbers or (otherwise,), dtype=np.float64)
