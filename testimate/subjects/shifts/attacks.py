"""FGSM, BIM, and Carlini and Wagner's attack on pictures in a file, against a known network with its state dict."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.subjects.models.architectures import build
from testimate.subjects.shifts.carlini_wagner import carlini_wagner
from testimate.subjects.shifts.gradient_steps import bim, fgsm

EPSILON = tuple(amount / 255 for amount in (2, 4, 8, 16, 32))
STEPS = 10
"""Steps of BIM, each a quarter of epsilon long."""

MARGIN = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Logits by which another class leads after Carlini and Wagner's attack; rounding to bytes costs some of it."""


def attacked(
    pictures: NDArray[Any],
    attack: str,
    severity: int,
    weights: Path,
    *,
    architecture: str | None = None,
    progress: Progress = silent,
) -> NDArray[Any]:
    """The pictures moved away from what the network predicts now, in their own shape and type.

    Parameters
    ----------
    pictures : (N, height, width) or (N, height, width, channels): bytes, or floating-point numbers from 0 to 1. The
        network must take values from 0 to 1, that is, bytes divided by 255.
    weights : a state dict of torch.save; nothing but numbers is read from it.
    architecture : which known network, if the shapes fit several.

    Raises
    ------
    BadInput : the file holds other weights, or the network does not take such pictures.
    """
    if not 1 <= severity <= len(EPSILON):
        raise BadInput(f"The severity is {severity!r:.60}; expected a whole number from 1 to 5. Change it.")
    scale = 255 if pictures.dtype == np.uint8 else 1
    last = pictures if pictures.ndim == 4 else pictures[..., None]
    inputs = np.ascontiguousarray(last.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(scale)
    built = build(_read(weights), architecture, inputs.shape[2])
    if inputs.shape[1:] != built.shape:
        raise BadInput(
            f"The pictures are {inputs.shape[1:]} (channels, height, width) and the network takes {built.shape}; expected "
            "the same. Choose the pictures it was trained on."
        )
    epsilon = EPSILON[severity - 1]
    with torch.no_grad():
        said = built.module(torch.tensor(inputs)).argmax(dim=1).numpy().astype(np.intp)
    if attack == "fgsm":
        found = fgsm(built.module, inputs, said, epsilon=epsilon, progress=progress)
    elif attack == "carlini-wagner":
        found = carlini_wagner(built.module, inputs, said, margin=MARGIN[severity - 1], progress=progress)
    else:
        found = bim(built.module, inputs, said, epsilon=epsilon, step=epsilon / 4, steps=STEPS, progress=progress)
    moved = found.transpose(0, 2, 3, 1).reshape(pictures.shape) * scale
    return (np.rint(moved) if scale == 255 else moved).astype(pictures.dtype)


def _read(weights: Path) -> Mapping[str, torch.Tensor]:
    try:
        found: Any = torch.load(weights, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise BadInput(f"There is no file {weights}; expected a state dict of torch.save. Check the path.") from None
    except Exception as error:  # torch raises RuntimeError, UnpicklingError and others for a foreign file
        raise BadInput(
            f"{weights.name!r:.100} is not a state dict ({type(error).__name__}); expected weights alone. Save "
            "model.state_dict()."
        ) from None
    if not (isinstance(found, Mapping) and all(isinstance(value, torch.Tensor) for value in found.values())):
        raise BadInput(
            f"{weights.name!r:.100} holds more than weights; expected a state dict. Save model.state_dict()."
        )
    return found
