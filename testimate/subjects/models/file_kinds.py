"""What kind of model a file holds, by its content and never by its name."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.files import check_directory
from testimate.core.words import spaced
from testimate.subjects.models.bounds import MAX_CONFIG_BYTES
from testimate.subjects.models.plugged_readers import plugged_kind

ACCEPTED = "an ONNX file, a Keras file (.keras or HDF5), a PyTorch state dict or a safetensors file"
HDF5, ZIP = b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"
OLD_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""How files of torch.save before 1.6 begin: a pickled magic number."""

TABLE = "bring a table of its predictions"
RUNS_CODE: Mapping[str, str] = {
    "TorchScript": (
        "This is a TorchScript file, which holds a program and can read and write files while it is opened. If you trust "
        'it, convert it to ONNX, torch.onnx.export(torch.jit.load("model.pt"), (example,), "model.onnx", dynamo=False), or '
        f"{TABLE}, or start with --trust."
    ),
    "PyTorch export": (
        "This is a .pt2 file of torch.export, which can run any program while it is opened. If you trust it, convert it "
        'to ONNX, torch.onnx.export(torch.export.load("model.pt2"), f="model.onnx", external_data=False), or '
        f"{TABLE}, or start with --trust."
    ),
    "SavedModel": (
        "This is a TensorFlow SavedModel, which holds a program that can read and write files. If you trust it, "
        f"convert it to ONNX, python -m tf2onnx.convert --saved-model FOLDER --output model.onnx, or {TABLE}, or "
        "start with --trust."
    ),
}
"""Kinds that are opened only if the person at the terminal trusts the file, and the refusal elsewhere."""

OTHERS = (
    (
        b"tree\nversion=",
        "LightGBM",
        'onnxmltools.convert_lightgbm(model, initial_types=[("x", FloatTensorType([None, d]))])',
    ),
    (b'"learner"', "XGBoost", 'onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, d]))])'),
    (b"learner{", "XGBoost", 'onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, d]))])'),
    (b"CBM1", "CatBoost", 'model.save_model("model.onnx", format="onnx")'),
)
"""Marks near the beginning of other libraries' files, the library, and the call that converts the model to ONNX."""

_WEIGHTS_OF_TRANSFORMERS = (
    "{} holds a model of transformers as weights alone; expected its ONNX export. Make it, optimum-cli export onnx --model "
    f"FOLDER NEW_FOLDER, and choose the new folder, or a zip of it, or {TABLE}."
)

MAX_MEMBERS = 100_000


def kind_of(content: bytes, path: Path) -> str:
    """The kind of the file at ``path`` with that content, or of the folder there; BadInput where it is not a model.

    ``content`` : empty for a folder, unless it holds an ONNX file.
    """
    if path.is_dir() and not content:
        return _kind_of_folder(path)
    if content.startswith(ZIP):
        return _kind_of_archive(content, path.name)
    if content.startswith(HDF5):
        return "Keras HDF5"
    if content.startswith(OLD_TORCH):
        return "PyTorch"
    if _is_safetensors(content):
        return "safetensors"
    if content[:1] == b"\x80" and content[1:2] in b"\x02\x03\x04\x05":
        raise BadInput(
            f"{path.name!r:.100} is a Python pickle, which can run any program on this computer; expected {ACCEPTED}. "
            f"If scikit-learn made it, skl2onnx.to_onnx(model, x[:1]) makes ONNX of it; or {TABLE}."
        )
    if content[4:8] == b"TFL3":
        raise BadInput(
            f"{path.name!r:.100} is a TensorFlow Lite file, whose layers cannot be read; expected {ACCEPTED}. Use the model "
            f"it was made from, or {TABLE}."
        )
    if (
        content[:1] == b"\x08" and content[1:2] and 1 <= content[1] <= 64
    ):  # field 1 of an ONNX model: its format's version
        return "ONNX"
    for start, maker, way in OTHERS:
        if start in content[:200]:
            raise BadInput(
                f"{path.name!r:.100} is a model of {maker}; expected {ACCEPTED}. Convert it to ONNX, {way}, or {TABLE}."
            )
    kind = plugged_kind(content)
    if kind is not None:
        return kind
    if path.suffix.lower() == ".zip":
        raise BadInput(
            f"{path.name!r:.100} is named like a zip but does not begin like one; expected a zip of an ONNX file and "
            "what belongs to it. Make it again, or name the file after what it holds."
        )
    raise BadInput(
        f"{path.name!r:.100} is not a model that Testimate knows; expected {ACCEPTED}. Export the model to ONNX, or {TABLE}."
    )


def _kind_of_folder(folder: Path) -> str:
    if (folder / "saved_model.pb").is_file():
        return "SavedModel"
    if (folder / "config.json").is_file() and any(folder.glob("*.safetensors")):
        raise BadInput(_WEIGHTS_OF_TRANSFORMERS.format(f"The folder {folder.name!r:.100}"))
    raise BadInput(
        f"The folder {folder.name!r:.100} holds no saved_model.pb; expected {ACCEPTED}. Choose the model's file instead."
    )


def _kind_of_archive(content: bytes, name: str) -> str:
    try:
        check_directory(io.BytesIO(content), name, MAX_MEMBERS)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:  # the last: a version zipfile does not know
        raise BadInput(
            f"{name!r:.100} is a damaged archive ({error!s:.100}); expected a complete file. Copy or save it again."
        ) from None
    if len(members) > MAX_MEMBERS:
        raise BadInput(
            f"{name!r:.100} has {spaced(len(members))} members; expected {ACCEPTED}. Export the model to ONNX."
        )
    if any(member.lower().endswith(".onnx") for member in members):  # before Keras: an export has a config.json, too
        return "ONNX"
    if "config.json" in members and any(member.endswith(".safetensors") for member in members):
        raise BadInput(_WEIGHTS_OF_TRANSFORMERS.format(f"{name!r:.100}"))
    if "config.json" in members:
        return "Keras"
    inner = {member.partition("/")[2] for member in members}
    if _any_in(inner, ("code/", "constants.pkl")):
        return "TorchScript"
    if _any_in(inner, ("archive_format", "models/")) or "serialized_exported_program.json" in members:
        return "PyTorch export"
    if "data.pkl" in inner:
        return "PyTorch"
    if all(member.endswith(".npy") for member in members):
        raise BadInput(f"{name!r:.100} holds arrays, so it is a dataset; expected {ACCEPTED}. Open it as the dataset.")
    if "saved_model.pb" in members or "saved_model.pb" in inner:
        raise BadInput(
            f"{RUNS_CODE['SavedModel'].rpartition(', or start')[0]}."
        )  # only an unpacked folder can be trusted
    raise BadInput(f"{name!r:.100} is an archive without a model; expected {ACCEPTED}. Unpack it and choose the model.")


def _any_in(names: set[str], starts: Sequence[str]) -> bool:
    return any(name.startswith(tuple(starts)) for name in names)


def _is_safetensors(content: bytes) -> bool:
    length = int.from_bytes(content[:8], "little")
    if content[8:9] != b"{" or not 2 <= length <= len(content) - 8:
        return False
    if length > MAX_CONFIG_BYTES:
        raise BadInput(
            f"This safetensors file has a header of {spaced(length)} bytes; expected at most {spaced(MAX_CONFIG_BYTES)}. "
            "Save the weights again."
        )
    try:
        return isinstance(json.loads(content[8 : 8 + length]), dict)
    except (ValueError, RecursionError):
        return False
