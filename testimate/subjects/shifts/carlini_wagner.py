"""Carlini and Wagner's attack in the Euclidean distance: the smallest change of an input that a network falls for.

Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks (IEEE S&P 2017), section VI-A, with which PACE
(section 6.2) and SSOA (section 6.5) move their inputs.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.subjects.shifts.gradient_steps import moved_in_blocks

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
            f"The margin is {margin}, with {searches} searches of {steps} steps of {rate}; expected a margin from 0 on, at "
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
            if cost.grad_fn is None or not lead.requires_grad:
                raise BadInput(
                    "The network gives no gradient for its inputs; expected one that does. Open it from its weights."
                )
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
