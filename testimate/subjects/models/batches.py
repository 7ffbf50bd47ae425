"""Batches as a model takes them: axes, channels first or last, whole numbers, a fixed batch size."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.machine import ran_out

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class InputSpec:
    """What a model takes: the ``shape`` of one input (None: any length) and numpy's name of its ``type``, "str" for texts.

    ``batch`` is the number of inputs it takes at a time if that is fixed, else None.
    """

    shape: tuple[int | None, ...]
    type: str
    batch: int | None = None


def arranged(batch: NDArray[Any], spec: InputSpec) -> NDArray[Any]:
    """The batch (n, ...) in the model's shape and type.

    Grey pictures get a channel axis, channels move first or last, and inputs are flattened if only one of these fits;
    nothing is scaled. Raises BadInput where nothing fits, or for fractions where the model takes whole numbers.
    """
    count, shape = len(batch), batch.shape[1:]
    for candidate in _candidates(batch):
        if _fits(candidate.shape[1:], spec.shape):
            return _typed(candidate, spec)
    if spec.shape and None not in spec.shape and shape and len(spec.shape) == 1 and np.prod(shape) == spec.shape[0]:
        return _typed(batch.reshape(count, -1), spec)
    raise BadInput(
        f"The model takes inputs of shape {_shown(spec.shape)} and these have {_shown(shape)}; expected inputs like "
        "those it was trained on. Choose the dataset that belongs to it, or resize its pictures."
    )


def in_chunks(
    run: Callable[[NDArray[Any], Sequence[str]], Arrays], batch: NDArray[Any], names: Sequence[str], size: int | None
) -> Arrays:
    """The outputs of ``run`` for the batch, ``size`` inputs at a time; the last ones are filled up with repeats."""
    if size is None or len(batch) == size:
        return run(batch, names)
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    for start in range(0, len(batch), size):
        some = batch[start : start + size]
        filled = some if len(some) == size else np.concatenate([some, np.repeat(some[-1:], size - len(some), axis=0)])
        for name, said in run(filled, names).items():
            parts[name].append(said[: len(some)] if said.ndim and len(said) == size else said)
    return {name: np.concatenate(said) for name, said in parts.items()}


def flat(layer: str, said: NDArray[Any], count: int) -> NDArray[np.float32]:
    """A layer's output as (count, width) float32; BadInput where it is not one row per input."""
    if said.ndim == 0 or len(said) != count or said.dtype.kind not in "fiub":
        raise BadInput(
            f"Layer {layer!r:.60} gives {said.dtype} of shape {said.shape} for {count} inputs; expected one row of "
            "numbers "
            "per input. Choose another layer."
        )
    return np.ascontiguousarray(said.reshape(count, -1), dtype=np.float32)


def cannot_run(runner: str, batch: NDArray[Any], error: Exception) -> BadInput | MemoryError:
    """The error to raise when ``runner`` failed on an arranged batch: MemoryError if that is the reason."""
    text = str(error)
    if ran_out(error):
        return MemoryError(text)
    return BadInput(
        f"{runner} cannot run inputs of shape {batch.shape} and type {batch.dtype} ({text:.200}); expected inputs like "
        "those the model was trained on. Choose the dataset that belongs to it."
    )


def _candidates(batch: NDArray[Any]) -> list[NDArray[Any]]:
    if batch.ndim == 3:
        return [batch, batch[:, None], batch[..., None]]
    if batch.ndim == 4:
        return [batch, np.moveaxis(batch, 3, 1), np.moveaxis(batch, 1, 3)]
    return [batch]


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(need in (None, size) for size, need in zip(shape, wanted, strict=True))


def _typed(batch: NDArray[Any], spec: InputSpec) -> NDArray[Any]:
    if spec.type == "str":
        if batch.dtype.kind != "U":
            raise BadInput(
                "The model takes texts and these inputs are numbers; expected texts as they are. Choose the dataset that "
                "belongs to it, and leave its texts uncut."
            )
        return batch
    if batch.dtype.kind not in "fiub":
        raise BadInput(
            f"The inputs are of type {batch.dtype}; expected numbers. Turn words into token ids as the model's training did."
        )
    wanted = np.dtype(spec.type)
    with np.errstate(invalid="ignore"):  # nan and infinity become some whole number, which is detected below
        typed = np.ascontiguousarray(batch, dtype=wanted)
    if wanted.kind in "iu" and not np.array_equal(typed, batch):
        raise BadInput(
            f"The model takes whole numbers ({spec.type}, token ids as a rule) and these inputs are not; expected whole "
            "numbers in that range. Choose the dataset that belongs to it, without scaling."
        )
    return typed


def _shown(shape: tuple[int | None, ...]) -> str:
    return " x ".join("any" if size is None else str(size) for size in shape) or "a single value"
