"""The device TensorFlow runs on: CUDA if it sees one, in full precision unless requested otherwise, else the CPU."""

import tensorflow as tf

from testimate.subjects.models.devices import Device


def settle_device(*, mixed: bool) -> Device:
    """The device TensorFlow chooses by itself; call this before any of its operations.

    TensorFloat-32 stays off without ``mixed``; with it, graphs are rewritten so that products have sixteen bits.
    """
    found = tf.config.list_physical_devices("GPU")
    tf.config.experimental.enable_tensor_float_32_execution(mixed)
    if mixed:
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
    return "cuda" if found else "cpu"
