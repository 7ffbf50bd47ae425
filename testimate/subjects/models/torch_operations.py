"""The meaning of PyTorch's operations in the search for layers, by their names in graphs."""

from collections.abc import Mapping

from testimate.subjects.models.network_nodes import Operation

OPERATIONS_BY_NAME: Mapping[str, Operation] = {
    **dict.fromkeys(("linear", "addmm", "mm", "matmul", "bmm"), "dense"),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "convolution", "_convolution", "embedding", "embedding_bag", "lstm", "gru"),
        "kernel",
    ),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "rnn_tanh", "rnn_relu"), "kernel"),
    **dict.fromkeys(("softmax", "_softmax", "_safe_softmax"), "softmax"),
    **dict.fromkeys(("log_softmax", "_log_softmax"), "log-softmax"),
    **dict.fromkeys(
        (
            "view",
            "reshape",
            "flatten",
            "squeeze",
            "unsqueeze",
            "clone",
            "contiguous",
            "to",
            "_to_copy",
            "alias",
            "detach",
        ),
        "pass",
    ),
    **dict.fromkeys(("dropout", "feature_dropout", "lift_fresh_copy"), "pass"),
    "sigmoid": "sigmoid",
    "add": "bias",
    **dict.fromkeys(("sub", "mul", "div"), "scaling"),
}
SHAPE_ONLY = frozenset({"size", "dim", "dtype", "device", "sym_size", "sym_numel", "numel", "len"})
"""Operations that only report a shape or type, so that no value depends on them."""


def operation_of(name: str) -> Operation:
    """The operation of that name, with or without the underscore of those that work in place."""
    return OPERATIONS_BY_NAME.get(name, OPERATIONS_BY_NAME.get(name.rstrip("_"), "other"))
