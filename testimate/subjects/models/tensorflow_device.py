"""What TensorFlow runs on: CUDA where it sees any, in full precision unless asked otherwise, else the CPU."""

import tensorflow as tf

from testimate.subjects.models.devices import Device


def settle_device(*, mixed: bool) -> Device:
    """The device TensorFlow puts its work on by itself; to be called before any of its operations.

    TensorFloat-32 stays off without ``mixed``; with it, graphs are rewritten so that products are of sixteen bits.
    """
    found = tf.config.list_physical_devices("GPU")
    tf.config.experimental.enable_tensor_float_32_execution(mixed)
    if mixed:
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
    return "cuda" if found else "cpu"
