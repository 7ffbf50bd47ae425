"""The operations of a network in the order in which they run, and which of their values have a role."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from testimate.subjects.models.outputs import Closing

Operation = Literal["dense", "kernel", "bias", "scaling", "softmax", "log-softmax", "sigmoid", "pass", "other"]
"""dense: a matrix times its input. kernel: a convolution, an embedding, a recurrent layer. scaling: every number times or
less a constant. pass: only shape or type changes."""


@dataclass(frozen=True)
class Node:
    """One operation: the names of the values it takes, constants left out, and of the one it gives.

    ``weighted`` : whether it uses a learned matrix or kernel. ``constant`` : whether any input is a constant.
    """

    operation: Operation
    inputs: tuple[str, ...]
    output: str
    weighted: bool = False
    constant: bool = False


@dataclass(frozen=True)
class Parts:
    """Names of the values that have a role.

    ``first`` : the output of the first operation with weights. ``hidden`` : the input of the last dense one.
        ``dense`` : its output, or the network's if there is none. Without any weights ``first`` and ``hidden`` are
        None. ``closing`` : the operation at the end, if it is a closing one; ``before_closing`` : its input, or the
        network's output. ``scaled`` : the input of the first operation with weights, if only constants that scale or
        shift come before it; None otherwise.
    """

    first: str | None
    hidden: str | None
    dense: str
    closing: Closing | None
    before_closing: str
    scaled: str | None = None


def varying_nodes(nodes: Iterable[Node], constants: Collection[str]) -> list[Node]:
    """The nodes that depend on the input: a node with only constant inputs is a constant itself."""
    fixed, varying = set(constants), []
    for node in nodes:
        inputs = tuple(name for name in node.inputs if name not in fixed)
        if not inputs:
            fixed.add(node.output)
            continue
        constant = len(inputs) < len(node.inputs) or node.constant
        weighted = node.weighted or (constant and node.operation in ("dense", "kernel"))
        varying.append(Node(node.operation, inputs, node.output, weighted, constant))
    return varying


def find_parts(nodes: Sequence[Node], output: str) -> Parts:
    """The parts of the network, or other model, that ends in the value ``output``."""
    maker = {node.output: node for node in nodes}
    needed = _ancestors(maker, output)
    way = [node for node in nodes if node.output in needed]
    weighted = [node for node in way if node.weighted]
    closing, before = _closing(maker, output)
    if not weighted:
        return Parts(first=None, hidden=None, dense=output, closing=closing, before_closing=before)
    last = next((node for node in reversed(weighted) if node.operation == "dense"), weighted[-1])
    return Parts(
        first=_with_bias(way, weighted[0]),
        hidden=last.inputs[0],
        dense=_with_bias(way, last),
        closing=closing,
        before_closing=before,
        scaled=_scaled(maker, weighted[0]),
    )


def _ancestors(maker: Mapping[str, Node], output: str) -> set[str]:
    found, waiting = {output}, [output]
    while waiting:
        node = maker.get(waiting.pop())
        new = [] if node is None else [name for name in node.inputs if name not in found]
        found.update(new)
        waiting += new
    return found


def _with_bias(way: Sequence[Node], node: Node) -> str:
    """The node's value with its bias, if a separate node adds it."""
    takers = [other for other in way if node.output in other.inputs]
    if len(takers) == 1 and takers[0].operation == "bias" and takers[0].constant:
        return takers[0].output
    return node.output


def _scaled(maker: Mapping[str, Node], first: Node) -> str | None:
    """The input of the first operation with weights, if the model itself scales its input before it."""
    name, scales = first.inputs[0], False
    while name in maker:
        node = maker[name]
        if len(node.inputs) != 1 or node.operation not in ("scaling", "bias", "pass"):
            return None
        scales = scales or node.operation != "pass"
        name = node.inputs[0]
    return first.inputs[0] if scales else None


def _closing(maker: Mapping[str, Node], output: str) -> tuple[Closing | None, str]:
    name = output
    while name in maker:
        node = maker[name]
        if node.operation in ("softmax", "log-softmax", "sigmoid"):
            return node.operation, node.inputs[0]
        if node.operation != "pass":
            break
        name = node.inputs[0]
    return None, output
