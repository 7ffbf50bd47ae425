"""Makes the Keras files of the tests, and beside each Keras's own outputs; in one process, because TensorFlow starts slowly.

Run as ``python keras_files.py FOLDER``.
"""

import json
import sys
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import tensorflow as tf
from keras import layers

from testimate.models.saved_model import settle_device

FOLDER = Path(sys.argv[1])
RNG = np.random.default_rng(3)
IMAGES = RNG.random((6, 8, 8, 3), dtype=np.float32)
TOKENS = RNG.integers(0, 40, (6, 5))
ROWS = RNG.random((6, 4), dtype=np.float32)


def keep(name: str, model: keras.Model, batch: np.ndarray, **parts: keras.KerasTensor) -> None:
    """Saves the model in both formats, and Keras's own word on its output and on some values inside it."""
    model.save(FOLDER / f"{name}.keras")
    model.save(FOLDER / f"{name}.h5")
    inside = {part: keras.Model(model.inputs, value)(batch, training=False).numpy() for part, value in parts.items()}
    np.savez(FOLDER / f"{name}.npz", batch=batch, output=model(batch, training=False).numpy(), **inside)


def images() -> None:
    taken = keras.Input((8, 8, 3))
    x = layers.Rescaling(2.0)(taken)
    first = layers.Conv2D(5, 3, name="conv")(x)
    x = layers.BatchNormalization(name="norm")(layers.ReLU()(first))
    x = layers.Dropout(0.5)(x, training=True)  # asks for dropout forever, as Monte Carlo dropout does
    block = keras.Sequential([layers.Conv2D(4, 3, activation="relu"), layers.GlobalAveragePooling2D()], name="block")
    hidden = layers.Dense(7, activation="tanh", name="hidden")(block(x))
    logits = layers.Dense(3, name="scores")(hidden)
    model = keras.Model(taken, layers.Softmax()(logits))
    model.get_layer("norm").set_weights([np.full(5, value, dtype=np.float32) for value in (1.5, 0.1, 0.4, 0.2)])
    still = keras.models.clone_model(model, call_function=_without_training)
    still.set_weights(model.get_weights())
    model.compile("adam", "mse")  # as a model that was trained is saved
    model.save(FOLDER / "images.keras")
    model.save(FOLDER / "images.h5")
    inner = {name: still.get_layer(name).output for name in ("conv", "hidden", "scores")}
    said = {name: keras.Model(still.inputs, value)(IMAGES, training=False).numpy() for name, value in inner.items()}
    np.savez(FOLDER / "images.npz", batch=IMAGES, output=still(IMAGES, training=False).numpy(), **said)


def _without_training(layer, *taken, **named):
    named.pop("training", None)
    return layer(*taken, **named)


def others() -> None:
    text = keras.Input((5,))
    x = layers.Embedding(40, 6, name="embedding")(text)
    x = layers.Bidirectional(layers.LSTM(4))(x)
    keep("text", keras.Model(text, layers.Dense(3, activation="log_softmax")(x)), TOKENS)

    rows = keras.Input((4,))
    score = layers.Dense(1, name="score")(layers.Dense(5, activation="relu")(rows))
    keep("one", keras.Model(rows, layers.Activation("sigmoid")(score)), ROWS, score=score)
    keep("labels", keras.Model(rows, layers.Dense(3, activation="sigmoid")(rows)), ROWS)
    keep("regression", keras.Model(rows, layers.Dense(1)(layers.Dense(5, activation="relu")(rows))), ROWS)

    small = keras.Sequential(
        [keras.Input((28, 28, 1)), layers.Conv2D(2, 5), layers.MaxPooling2D(2), layers.Flatten(), layers.Dense(3)]
    )
    batch = RNG.random((4, 28, 28, 1), dtype=np.float32)
    keep("sequential", small, batch)

    half = keras.Sequential(
        [keras.Input((4,)), layers.Dense(6, "relu", dtype="mixed_float16"), layers.Dense(3, "softmax")]
    )
    keep("half", half, ROWS)

    hard = keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="hard_sigmoid"), layers.Dense(2)])
    keep("hard", hard, ROWS)
    np.savez(FOLDER / "hard_weights.npz", *hard.get_weights())

    code = keras.Sequential([keras.Input((4,)), layers.Lambda(lambda values: 2.0 * values), layers.Dense(2)])
    code.save(FOLDER / "lambda.keras")
    code.save(FOLDER / "lambda.h5")

    keras.Model(rows, layers.Softmax()(layers.Dense(3)(layers.Dense(5, activation="relu")(rows)))).export(
        str(FOLDER / "saved_model"), verbose=False
    )


def bright() -> None:
    """A network that tells dark from bright pictures of 0 to 255, and what Keras says about some in shades between."""
    pictures = np.clip(np.linspace(40, 215, 12)[:, None, None, None] + RNG.normal(0, 20, (12, 8, 8, 1)), 0, 255)
    small = keras.Sequential(
        [keras.Input((8, 8, 1)), layers.Flatten(), layers.Dense(2, activation="relu"), layers.Dense(2, "softmax")]
    )
    weights = np.tile([0.5, -0.5], (64, 1)), [-16.0, 16.0], [[-1.0, 1.0], [1.0, -1.0]], [0.0, 0.0]
    small.set_weights([np.array(one, dtype=np.float32) for one in weights])
    keep("bright", small, pictures.astype(np.uint8) / np.float32(255))


def teachable() -> None:
    """A file as Teachable Machine makes it: a model inside a Sequential inside a Sequential, described by Keras 2."""
    taken = keras.Input((8, 8, 3), name="input_1")
    x = layers.Conv2D(4, 3, padding="same", activation="relu", name="conv")(taken)
    x = layers.DepthwiseConv2D(3, padding="same", name="depthwise")(x)
    body = keras.Sequential(
        [
            keras.Model(taken, layers.ReLU(6.0, name="out")(x), name="model1"),
            layers.GlobalAveragePooling2D(name="pool"),
        ],
        name="sequential_1",
    )
    ends = [layers.Dense(6, "relu", name="dense_1"), layers.Dense(3, "softmax", use_bias=False, name="dense_2")]
    head = keras.Sequential(ends, name="sequential_3")
    whole = keras.Sequential([body, head], name="sequential_4")
    batch = RNG.random((6, 8, 8, 3), dtype=np.float32)
    whole(batch)
    keep("teachable", whole, batch)
    with h5py.File(FOLDER / "teachable.h5", "r+") as file:
        file.attrs["model_config"] = json.dumps(teachable_config())
        file.attrs["keras_version"] = "2.4.0"


def teachable_config() -> dict[str, Any]:
    def layer(kind: str, name: str, *before: str, **config: Any) -> dict[str, Any]:
        nodes = {"inbound_nodes": [[[one, 0, 0, {}] for one in before]] if before else []}
        return {"class_name": kind, "name": name, "config": {"name": name, "trainable": True, **config}, **nodes}

    taken = {"class_name": "InputLayer", "name": "input_1", "inbound_nodes": []}
    taken["config"] = {"batch_input_shape": [None, 8, 8, 3], "dtype": "float32", "sparse": False, "name": "input_1"}
    shared = {"kernel_size": [3, 3], "strides": [1, 1], "padding": "same", "dilation_rate": [1, 1], "groups": 1}
    inner = [
        taken,
        layer("Conv2D", "conv", "input_1", filters=4, activation="relu", **shared),
        layer("DepthwiseConv2D", "depthwise", "conv", depth_multiplier=1, activation="linear", **shared),
        layer("ReLU", "out", "depthwise", max_value=6.0, negative_slope=0.0, threshold=0.0),
    ]
    ends = {"input_layers": [["input_1", 0, 0]], "output_layers": [["out", 0, 0]]}
    model = {"class_name": "Functional", "config": {"name": "model1", "trainable": True, "layers": inner, **ends}}
    pool = layer("GlobalAveragePooling2D", "pool", data_format="channels_last")
    dense = [layer("Dense", "dense_1", units=6, activation="relu"), layer("Dense", "dense_2", units=3, use_bias=False)]
    dense[1]["config"]["activation"] = "softmax"
    body = {"class_name": "Sequential", "config": {"name": "sequential_1", "layers": [model, pool]}}
    head = {"class_name": "Sequential", "config": {"name": "sequential_3", "layers": dense}}
    return {"class_name": "Sequential", "config": {"name": "sequential_4", "layers": [body, head]}}


def devices() -> None:
    """What TensorFlow would run on here, and with an accelerator."""
    products = tf.config.experimental.tensor_float_32_execution_enabled
    said = {"without": {"device": settle_device(mixed=False), "short products": products()}}
    tf.config.list_physical_devices = lambda kind: ["an accelerator"] if kind == "GPU" else []
    for name, mixed in (("with an accelerator", False), ("mixed", True)):
        said[name] = {"device": settle_device(mixed=mixed), "short products": products()}
    said["rewritten in mixed precision"] = tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]
    (FOLDER / "devices.json").write_text(json.dumps(said))


images()
others()
bright()
teachable()
devices()
