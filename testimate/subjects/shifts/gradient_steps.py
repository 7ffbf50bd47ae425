"""FGSM and BIM: inputs moved against a network along the gradient of its loss.

Goodfellow et al., Explaining and Harnessing Adversarial Examples (ICLR 2015); Kurakin et al., Adversarial Examples in the
Physical World (2017), which PACE (section 4.1.1) used for its Autogen subjects.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent

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
            f"epsilon is {epsilon}, the step {step} and there are {steps} steps; expected sizes above 0 and at least 1 step. "
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
    if loss.grad_fn is None:
        raise BadInput(
            "The network gives no gradient for its inputs; expected one that does. Open it from its weights."
        )
    return torch.autograd.grad(loss, watched)[0]
