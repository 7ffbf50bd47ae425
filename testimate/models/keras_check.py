"""Checks a Keras file before Keras builds it: it may hold Keras's own known layers and arrays of numbers, nothing else."""

import io
import json
import zipfile
from typing import Any

import h5py

from testimate.core.errors import BadInput
from testimate.core.files import read_member
from testimate.core.words import commas
from testimate.models.bounds import MAX_CONFIG_BYTES, MAX_DEPTH, MAX_FILE_BYTES, MAX_LAYERS, MAX_PARAMETERS


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODELS = frozenset({"Sequential", "Functional", "Model"})
LAYERS = _names(
    """
    InputLayer Dense Activation Embedding Masking Flatten Reshape Permute RepeatVector Identity EinsumDense
    Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D AlphaDropout GaussianDropout GaussianNoise
    ActivityRegularization Rescaling Normalization Resizing CenterCrop
    Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D Conv1DTranspose Conv2DTranspose Conv3DTranspose
    SeparableConv1D SeparableConv2D DepthwiseConv1D DepthwiseConv2D
    MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D
    GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D
    GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
    MaxPool1D MaxPool2D MaxPool3D AvgPool1D AvgPool2D AvgPool3D
    UpSampling1D UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D Cropping1D Cropping2D Cropping3D
    BatchNormalization LayerNormalization GroupNormalization UnitNormalization SpectralNormalization
    ReLU LeakyReLU PReLU ELU Softmax
    SimpleRNN LSTM GRU RNN SimpleRNNCell LSTMCell GRUCell StackedRNNCells ConvLSTM1D ConvLSTM2D ConvLSTM3D
    Bidirectional TimeDistributed MultiHeadAttention GroupedQueryAttention GroupQueryAttention Attention AdditiveAttention
    Add Subtract Multiply Average Maximum Minimum Concatenate Dot
    """
)
PARTS = _names(
    """
    Zeros Ones Constant RandomNormal RandomUniform TruncatedNormal VarianceScaling Orthogonal OrthogonalInitializer
    Identity IdentityInitializer GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal LecunUniform
    L1 L2 L1L2 OrthogonalRegularizer MaxNorm NonNeg UnitNorm MinMaxNorm
    DTypePolicy Policy __tuple__ __keras_tensor__
    """
)
"""Allowed initializers, regularizers and constraints, number types, and Keras's notation for tuples and tensors."""

ACTIVATIONS = _names(
    """
    linear relu relu6 leaky_relu elu selu celu glu gelu silu swish mish softmax log_softmax softplus softsign tanh
    sigmoid hard_sigmoid hard_silu hard_swish hard_tanh exponential log_sigmoid squareplus tanh_shrink threshold
    """
)
MODULES = ("keras", "builtins")
MEMBERS = frozenset({"metadata.json", "config.json", "model.weights.h5"})
KNOWN = "Expected layers of Keras's own that contain no code"


def read_keras_archive(content: bytes) -> dict[str, Any]:
    """The description in a .keras file, which may have only its three usual members, of allowed size."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            names = [member.filename for member in members]
            if set(names) != MEMBERS or len(names) != len(MEMBERS):
                strange = next((name for name in names if name not in MEMBERS), "one missing or repeated")
                raise BadInput(
                    f"This .keras file has members that Keras does not write for plain layers ({strange!r:.60}). "
                    f"Expected {', '.join(sorted(MEMBERS))} alone. Leave out layers that keep vocabularies or files, "
                    "and save it again."
                )
            if sum(member.file_size for member in members) > MAX_FILE_BYTES:
                raise BadInput(
                    f"This .keras file unpacks to more than {commas(MAX_FILE_BYTES)} bytes. Expected at most that many. Use a "
                    "prediction table for a model of that size."
                )
            if archive.getinfo("config.json").file_size > MAX_CONFIG_BYTES:
                raise _too_long()
            return parse_config(read_member(archive, "config.json"))
    except (zipfile.BadZipFile, RuntimeError, EOFError, OSError) as error:
        raise BadInput(
            f"This .keras file is damaged ({type(error).__name__}). Expected a complete one. Copy or save it again."
        ) from error


def read_hdf5_config(file: h5py.File) -> dict[str, Any]:
    """The description in a legacy HDF5 file."""
    if "model_config" not in file.attrs:
        raise BadInput(
            "This HDF5 file contains weights without the layers they belong to. Expected the whole model. Save it with "
            "model.save() instead of save_weights()."
        )
    if file.attrs.get_id("model_config").get_storage_size() > MAX_CONFIG_BYTES:
        raise _too_long()
    text = file.attrs["model_config"]
    return parse_config(text.encode() if isinstance(text, str) else bytes(text))


def parse_config(text: bytes) -> dict[str, Any]:
    """The description as a record; BadInput where it is invalid."""
    if len(text) > MAX_CONFIG_BYTES:
        raise _too_long()
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"The description of this Keras model's layers is damaged ({type(error).__name__}). Expected a complete file. Save "
            "the model again."
        ) from error
    if not isinstance(config, dict) or not isinstance(config.get("config"), dict | list):
        raise BadInput("This Keras file describes no model. Expected a complete model. Save it with model.save().")
    return config


def check_config(config: dict[str, Any]) -> None:
    """BadInput for any layer, function or object that is not on the lists above, at any depth."""
    if config.get("class_name") not in MODELS:
        raise BadInput(
            f"This Keras file contains a {config.get('class_name')!r:.60}, whose layers are Python code outside the file. "
            "Expected a Sequential or functional model. Rebuild it so, or export it to ONNX."
        )
    waiting: list[tuple[Any, int]] = [(config, 0)]
    objects = 0
    while waiting:
        value, depth = waiting.pop()
        if depth > 8 * MAX_DEPTH or objects > 10 * MAX_LAYERS:
            raise BadInput(
                f"This Keras model has more than {commas(MAX_LAYERS)} layers, or too many inside each other. Expected fewer. "
                "Simplify it."
            )
        if isinstance(value, dict):
            if "class_name" in value:
                objects += 1
                _check_object(value)
            waiting += [(part, depth + 1) for part in value.values()]
        elif isinstance(value, list):
            waiting += [(part, depth + 1) for part in value]


def _check_object(value: dict[str, Any]) -> None:
    name, module = value["class_name"], value.get("module")
    if name in ("Lambda", "__lambda__"):
        raise BadInput(
            f"This model has a Lambda layer (hidden Python code). {KNOWN}. If you trust it, convert it to ONNX, "
            'model.export("model.onnx", format="onnx"), or bring a table of its predictions, or start with --trust.'
        )
    if module is not None and not (isinstance(module, str) and module.partition(".")[0] in MODULES):
        raise BadInput(
            f"This model asks for {module!r:.60}, a program outside Keras. {KNOWN}. Replace it, or start with --trust."
        )
    if value.get("registered_name") not in (None, name):
        raise _unknown(str(value.get("registered_name")))
    if name == "function":
        if value.get("config") not in ACTIVATIONS:
            raise _unknown(str(value.get("config")))
    elif not isinstance(name, str) or name not in LAYERS | PARTS | MODELS:
        raise _unknown(str(name))


def _unknown(name: str) -> BadInput:
    return BadInput(
        f"This model has a part {name!r:.60} that is not on the list of known ones. {KNOWN}. Replace it, export the model to "
        "ONNX, or start with --trust."
    )


def _too_long() -> BadInput:
    return BadInput(
        f"The description of this Keras model's layers is longer than {commas(MAX_CONFIG_BYTES)} bytes. Expected a shorter "
        "one. Use a prediction table for a model of that size."
    )


MAX_OBJECTS = 200_000

# The HDF5 that TensorFlow allows has known faults: decision 10.
PLAIN_FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
"""Filters that arrays may be packed with: gzip and its companions. Keras packs nothing; other filters have known faults."""


def check_hdf5(file: h5py.File, *, left_out: str = "") -> None:
    """Walks every group; the arrays of the group ``left_out`` are not counted, because they are never read.

    Raises BadInput for external, soft and virtual links, arrays that are not numbers or use another filter, and too
    many of them.
    """
    waiting: list[tuple[h5py.Group, int]] = [(file, 0)]
    seen: set[object] = set()
    claimed = 0
    while waiting:
        group, depth = waiting.pop()
        place = h5py.h5o.get_info(group.id).addr
        if place in seen:  # a group that contains itself
            continue
        seen.add(place)
        for name in group:
            seen.add((place, name))
            if len(seen) > MAX_OBJECTS or depth > MAX_DEPTH:
                raise BadInput(
                    f"This HDF5 file has more than {commas(MAX_OBJECTS)} parts. Expected a Keras model. Save it again."
                )
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise BadInput(
                    f"This HDF5 file points to another place or file ({name!r:.60} is a link). Expected one file that contains "
                    "everything. Save the model again with model.save()."
                )
            part = group[name]
            if isinstance(part, h5py.Group):
                waiting.append((part, depth + 1))
            elif isinstance(part, h5py.Dataset):
                claimed += 0 if left_out and part.name.startswith(f"/{left_out}/") else _checked_size(part)
            if claimed > MAX_PARAMETERS:
                raise BadInput(
                    f"This HDF5 file claims more than {commas(MAX_PARAMETERS)} weights. Expected at most that many. Use a "
                    "prediction table for a model of that size."
                )


def _checked_size(array: h5py.Dataset) -> int:
    """The number of numbers that the array claims."""
    if array.external or array.is_virtual:
        raise BadInput(
            f"This HDF5 file keeps {array.name!r:.60} in another file. Expected one file that contains everything. Save the "
            "model again with model.save()."
        )
    made = array.id.get_create_plist()
    if not {made.get_filter(place)[0] for place in range(made.get_nfilters())} <= PLAIN_FILTERS:
        raise BadInput(
            f"This HDF5 file packs {array.name!r:.60} by a filter that Keras never uses. Expected arrays as Keras writes them. "
            "Save the model again with model.save()."
        )
    if array.dtype.kind not in "fiub":
        raise BadInput(
            f"This HDF5 file contains {array.name!r:.60}, which is not an array of numbers. Expected a Keras model with "
            "its weights alone. Save it again with model.save()."
        )
    return int(array.size or 0)
