"""The operations of a network in the order in which they run, and which of their values play a part."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from testimate.core.errors import BadInput
from testimate.subjects.models.outputs import Closing

Operation = Literal["dense", "kernel", "bias", "softmax", "log-softmax", "sigmoid", "pass", "other"]
"""dense: a matrix times its input. kernel: a convolution, an embedding, a recurrent layer. pass: only shape or type changes."""


@dataclass(frozen=True)
class Step:
    """One operation: the names of the values it takes, constants left out, and of the one it gives.

    ``weighted`` : whether it uses a learned matrix or kernel. ``constant`` : whether any constant goes in.
    """

    operation: Operation
    inputs: tuple[str, ...]
    output: str
    weighted: bool = False
    constant: bool = False


@dataclass(frozen=True)
class Parts:
    """Names of the values that play a part.

    ``first`` : what the first operation with weights says. ``hidden`` : what goes into the last dense one. ``dense`` : what
    that says. ``closing`` : the operation at the end, if it is one of those; ``before_closing`` : what goes into it, or
    the output itself.
    """

    first: str
    hidden: str
    dense: str
    closing: Closing | None
    before_closing: str


def steps_of(nodes: Iterable[Step], constants: Collection[str]) -> list[Step]:
    """The steps that depend on the input: what only constants go into is a constant itself."""
    fixed, steps = set(constants), []
    for node in nodes:
        inputs = tuple(name for name in node.inputs if name not in fixed)
        if not inputs:
            fixed.add(node.output)
            continue
        constant = len(inputs) < len(node.inputs) or node.constant
        weighted = node.weighted or (constant and node.operation in ("dense", "kernel"))
        steps.append(Step(node.operation, inputs, node.output, weighted, constant))
    return steps


def find_parts(steps: Sequence[Step], output: str) -> Parts:
    """The parts of the network that ends in the value ``output``; BadInput where it has no weights on the way there."""
    maker = {step.output: step for step in steps}
    needed = _ancestors(maker, output)
    way = [step for step in steps if step.output in needed]
    weighted = [step for step in way if step.weighted]
    if not weighted:
        raise BadInput(
            "The model has no layer with weights between its input and its output, so it has no first and no hidden "
            "layer; needed is a neural network. Use a prediction table for other models."
        )
    last = next((step for step in reversed(weighted) if step.operation == "dense"), weighted[-1])
    closing, before = _closing(maker, output)
    return Parts(
        first=_with_bias(way, weighted[0]),
        hidden=last.inputs[0],
        dense=_with_bias(way, last),
        closing=closing,
        before_closing=before,
    )


def _ancestors(maker: Mapping[str, Step], output: str) -> set[str]:
    found, waiting = {output}, [output]
    while waiting:
        step = maker.get(waiting.pop())
        new = [] if step is None else [name for name in step.inputs if name not in found]
        found.update(new)
        waiting += new
    return found


def _with_bias(way: Sequence[Step], step: Step) -> str:
    """The step's value with its bias, where that is added by a step of its own."""
    takers = [other for other in way if step.output in other.inputs]
    if len(takers) == 1 and takers[0].operation == "bias" and takers[0].constant:
        return takers[0].output
    return step.output


def _closing(maker: Mapping[str, Step], output: str) -> tuple[Closing | None, str]:
    name = output
    while name in maker:
        step = maker[name]
        if step.operation in ("softmax", "log-softmax", "sigmoid"):
            return step.operation, step.inputs[0]
        if step.operation != "pass":
            break
        name = step.inputs[0]
    return None, output
