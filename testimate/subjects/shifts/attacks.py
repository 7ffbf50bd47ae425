"""Adversarial attacks on pictures in a file: FGSM, BIM, and Carlini and Wagner.

Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks (IEEE S&P 2017), section VI-A, with which PACE
(section 6.2) and SSOA (section 6.5) move their inputs.

Goodfellow et al., Explaining and Harnessing Adversarial Examples (ICLR 2015); Kurakin et al., Adversarial Examples in the
Physical World (2017), which PACE (section 4.1.1) used for its Autogen subjects.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.models.torch_graph import build

BLOCK = 128

Move = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def fgsm(
    module: nn.Module,
    inputs: NDArray[np.float32],
    classes: NDArray[np.intp],
    *,
    epsilon: float,
    low: float = 0.0,
    high: float = 1.0,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """One step of ``epsilon`` along the sign of the gradient; see ``bim``."""
    return bim(module, inputs, classes, epsilon=epsilon, step=epsilon, steps=1, low=low, high=high, progress=progress)


def bim(
    module: nn.Module,
    inputs: NDArray[np.float32],
    classes: NDArray[np.intp],
    *,
    epsilon: float,
    step: float,
    steps: int,
    low: float = 0.0,
    high: float = 1.0,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """Steps along the sign of the gradient of the cross-entropy, never farther than ``epsilon`` from the input.

    Parameters
    ----------
    module : takes (n, *shape) and gives (n, C) logits; it is left in evaluation mode, its weights as they are.
    inputs : (N, *shape) as the module takes them. classes : (N,) true classes, or the predicted ones where none are known.
    epsilon, step : in the unit of the inputs, above 0. steps : at least 1.
    low, high : range of the inputs, which the result stays in.

    Returns
    -------
    (N, *shape) float32.

    Raises
    ------
    BadInput : an invalid size, or a module without a gradient.
    """
    if not (epsilon > 0 and step > 0 and steps >= 1):
        raise BadInput(
            f"epsilon is {epsilon}, the step {step} and there are {steps} steps. Expected sizes above 0 and at least 1 step. "
            "Change them."
        )

    def move(original: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        moved = original
        for _ in range(steps):
            moved = moved + step * _gradient(module, moved, target).sign()
            moved = torch.clamp(torch.clamp(moved, original - epsilon, original + epsilon), low, high)
        return moved

    return moved_in_blocks(module, inputs, classes, move, progress)


def moved_in_blocks(
    module: nn.Module, inputs: NDArray[np.float32], classes: NDArray[np.intp], move: Move, progress: Progress
) -> NDArray[np.float32]:
    """What ``move`` makes of the inputs (n, *shape) and classes (n,) of each block; (N, *shape). The module evaluates then."""
    module.eval()
    found = np.empty(inputs.shape, dtype=np.float32)
    for start in range(0, len(inputs), BLOCK):
        progress(start, len(inputs), "steps against the network")
        part = slice(start, start + BLOCK)
        original = torch.tensor(np.asarray(inputs[part], dtype=np.float32))
        found[part] = move(original, torch.tensor(classes[part], dtype=torch.int64)).numpy()
    return found


def _gradient(module: nn.Module, inputs: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    watched = inputs.clone().requires_grad_(True)
    loss: Any = nn.functional.cross_entropy(module(watched), target, reduction="sum")
    return torch.autograd.grad(loss, watched)[0]


WEIGHT = 1.0
"""c in the first search: how much the network's answer counts against the squared distance."""

UP = 10.0
"""Factor by which c grows until a search succeeds; after that, c is halfway between a value that did and one that did not."""

INSIDE = 1 - 1e-6
"""How near to the ends of the range a value may begin: at the ends themselves the slope of tanh is 0."""


def carlini_wagner(
    module: nn.Module,
    inputs: NDArray[np.float32],
    classes: NDArray[np.intp],
    *,
    margin: float = 0.0,
    searches: int = 4,
    steps: int = 60,
    rate: float = 0.05,
    low: float = 0.0,
    high: float = 1.0,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """Each input changed as little as Adam finds, so that another class leads by ``margin``.

    Parameters
    ----------
    module : takes (n, *shape) and gives (n, C) logits, C at least 2; it is left in evaluation mode, its weights as they are.
    inputs : (N, *shape) as the module takes them, from low to high. classes : (N,) true classes, or the predicted ones.
    margin : by how much, in logits, another class has to lead; at least 0 (kappa in the paper).
    searches, steps : values of c that are tried for each input, and steps of Adam for each value; at least 1.
    rate : length of Adam's steps, above 0.
    low, high : range of the inputs, which the result stays in.

    Returns
    -------
    (N, *shape) float32; an input for which nothing was found is left as it is.

    Raises
    ------
    BadInput : an invalid size, or a module without a gradient.
    """
    if not (margin >= 0 and searches >= 1 and steps >= 1 and rate > 0):
        raise BadInput(
            f"The margin is {margin}, with {searches} searches of {steps} steps of {rate}. Expected a margin from 0 on, at "
            "least 1 search and 1 step, and a rate above 0. Change them."
        )

    def move(original: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return _nearest(module, original, target, margin, searches, steps, rate, (low, high))

    return moved_in_blocks(module, inputs, classes, move, progress)


def _nearest(
    module: nn.Module,
    original: torch.Tensor,
    target: torch.Tensor,
    margin: float,
    searches: int,
    steps: int,
    rate: float,
    ends: tuple[float, float],
) -> torch.Tensor:
    low, high = ends
    count = len(original)
    weight = torch.full((count,), WEIGHT)
    too_small, large_enough = torch.zeros(count), torch.full((count,), torch.inf)
    best, least = original.clone(), torch.full((count,), torch.inf)
    begin = torch.atanh(((original - low) / (high - low) * 2 - 1) * INSIDE)
    for _ in range(searches):
        free = begin.clone().requires_grad_(True)
        walk = torch.optim.Adam([free], lr=rate)
        fell = torch.zeros(count, dtype=torch.bool)
        for _ in range(steps):
            moved = (torch.tanh(free) + 1) / 2 * (high - low) + low
            distance = (moved - original).flatten(1).square().sum(dim=1)
            lead = _lead(module(moved), target)  # of its own class over the next, (n,)
            cost: Any = (distance + weight * (lead + margin).clamp(min=0)).sum()
            falls = lead.detach() < -margin
            nearer = falls & (distance.detach() < least)
            best[nearer], least[nearer] = moved.detach()[nearer], distance.detach()[nearer]
            fell |= falls
            (free.grad,) = torch.autograd.grad(cost, free)
            walk.step()
        large_enough = torch.where(fell, torch.minimum(large_enough, weight), large_enough)
        too_small = torch.where(fell, too_small, torch.maximum(too_small, weight))
        halved = (too_small + large_enough) / 2
        weight = torch.where(torch.isinf(large_enough), weight * UP, halved)
    return best


def _lead(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    own = logits.gather(1, target[:, None])[:, 0]
    others = logits.scatter(1, target[:, None], -torch.inf)
    lead: torch.Tensor = own - others.max(dim=1).values
    return lead


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
        raise BadInput(f"The severity is {severity!r:.60}. Expected a whole number from 1 to 5. Change it.")
    scale = 255 if pictures.dtype == np.uint8 else 1
    last = pictures if pictures.ndim == 4 else pictures[..., None]
    inputs = np.ascontiguousarray(last.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(scale)
    built = build(_read(weights), architecture, inputs.shape[2])
    if inputs.shape[1:] != built.shape:
        raise BadInput(
            f"The pictures are {inputs.shape[1:]} (channels, height, width) and the network takes {built.shape}. Expected "
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
        raise BadInput(f"There is no file {weights}. Expected a state dict of torch.save. Check the path.") from None
    except Exception as error:  # torch raises RuntimeError, UnpicklingError and others for a foreign file
        raise BadInput(
            f"{weights.name!r:.100} is not a state dict ({type(error).__name__}). Expected weights alone. Save "
            "model.state_dict()."
        ) from None
    if not (isinstance(found, Mapping) and all(isinstance(value, torch.Tensor) for value in found.values())):
        raise BadInput(
            f"{weights.name!r:.100} contains more than weights. Expected a state dict. Save model.state_dict()."
        )
    return found
