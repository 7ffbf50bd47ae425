"""Opens a model's file in a process of its own; its content decides its kind, and files that could run code are refused.

What kind of model a file holds, by its content and never by its name.

Readers of models that other packages bring, under the entry point ``testimate.models``; they run in the model's process.
"""

import io
import json
import logging
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.files import check_directory
from testimate.core.plug_ins import check_extra, first_that_knows, plug_ins
from testimate.core.words import spaced
from testimate.models.bounds import MAX_CONFIG_BYTES
from testimate.models.confinement import DeviceName, Limits, Wish
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.file_content import read_described, read_unchanged
from testimate.models.graph import Graph
from testimate.models.worker_process import Recipe, WorkerModel, WorkerProcess


@runtime_checkable
class ModelReader(Protocol):
    """Reads one kind of file with a trained network; its framework may be imported only in ``open``."""

    def knows(self, content: bytes) -> bool:
        """Whether the content is of its kind; called in the app's own process."""
        ...

    def open(self, content: bytes) -> Graph:
        """The network, in evaluation mode; BadInput where it cannot be read. Called in the model's confined process."""
        ...


@cache
def model_readers() -> dict[str, ModelReader]:
    """The readers of installed packages, by name, which also names their kind of file."""
    return plug_ins("testimate.models", _check)


def plugged_kind(content: bytes) -> str | None:
    """The name of the reader that knows the content; None if there is none."""
    return first_that_knows(model_readers(), content)


def _check(name: str, reader: Any) -> None:
    if isinstance(reader, type) or not isinstance(reader, ModelReader):
        raise BadInput(
            f"{name!r:.60} is {reader!r:.60}; expected an object with knows and open. Name one in the entry point"
        )


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


LOG = logging.getLogger("testimate.trust")

LIBRARIES = {
    "ONNX": ("onnx", "onnxruntime"),
    "Keras": ("tensorflow", "keras", "h5py"),
    "Keras HDF5": ("tensorflow", "keras", "h5py"),
    "SavedModel": ("tensorflow",),
    **dict.fromkeys(("PyTorch", "safetensors", "TorchScript", "PyTorch export"), ("torch",)),
}
"""The class that runs each kind of model, in its own process."""

AS_ONNX, A_TABLE = "export the model to ONNX, which the extra 'onnx' runs", "bring a table of its predictions"

EXAMPLES = 4
"""How many inputs of a dataset a model is tried on."""


@dataclass(frozen=True)
class OpenedModel:
    """A model's file that has been opened.

    Attributes
    ----------
    kind : such as "ONNX" or "Keras HDF5". fingerprint : of its bytes. sha256 : of its bytes, whole, 64 hex digits.
    facts : what is known about it. model : ready to run, in the warm process, with the chosen roles.
    """

    kind: str
    fingerprint: str
    sha256: str
    facts: ModelFacts
    model: WorkerModel


def open_model_file(
    description: ModelDescription,
    *,
    trust: bool = False,
    device: DeviceName = "auto",
    example: NDArray[Any] | None = None,
    limits: Limits | None = None,
) -> OpenedModel:
    """Opens a trained network of any kind Testimate reads.

    Parameters
    ----------
    description : the file, and the choices about its content.
    trust : the person at the terminal trusts this path, so that it may run its own program: whole PyTorch
        modules, TorchScript, .pt2, SavedModel, Keras layers with Python code. Never set from a browser.
    device : "cuda" where there must be one, "cpu" for the processor with all its cores, "auto" for the first that works.
    example : (n, *shape) a few inputs of its dataset; used only if the file does not say what it takes.
    limits : of the model's process.

    Raises
    ------
    BadInput : not a model, refused, damaged, or not runnable, at least on that device; the sentence says which.
    NeedsExample : it has to be opened together with its dataset.
    ModelCrashed, ModelTooSlow : its process died or took too long.
    """
    path = description.path
    content = read_described(description)
    kind = kind_of(content.data, path)
    if kind in RUNS_CODE and not trust:
        raise BadInput(RUNS_CODE[kind])
    check_extra(LIBRARIES.get(kind, ()), f"This model ({kind})", AS_ONNX if kind != "ONNX" else A_TABLE)
    if trust:
        LOG.warning("trusted by the person at the terminal: %s, SHA-256 %s", path, content.digest)
    recipe = Recipe(
        model=replace(description, path=path.absolute()),
        kind=kind,
        digest=content.digest,
        trust=trust,
        example=None if example is None else np.asarray(example)[:EXAMPLES],
    )
    del content
    readable = [path.absolute()] if path.is_dir() else []
    process = WorkerProcess(recipe.message, limits or Limits(), readable, Wish(device, description.mixed_precision))
    facts = process.facts()
    model = WorkerModel(recipe.fingerprint, facts, process).with_roles(description.roles)
    return OpenedModel(kind, recipe.digest[:32], recipe.digest, facts, model)


class ModelOpener:
    """Gives the model of a file; it stays warm here, and is opened again in any other process that this object is sent to.

    Parameters
    ----------
    description, trust, device, example : as ``open_model_file`` takes them. sha256 : of the file as it was.
    opened : the model, if it is already open.
    """

    def __init__(
        self,
        description: ModelDescription,
        sha256: str,
        *,
        trust: bool = False,
        device: DeviceName = "auto",
        example: NDArray[Any] | None = None,
        opened: WorkerModel | None = None,
    ) -> None:
        self._description, self._sha256 = replace(description, path=description.path.absolute()), sha256
        self._trust, self._device, self._example = trust, device, example
        self._model = opened

    def __call__(self) -> WorkerModel:
        """The model; SubjectChanged where the file has changed."""
        if self._model is None:
            read_unchanged(self._description, self._sha256)  # before anything in it is run
            opened = open_model_file(self._description, trust=self._trust, device=self._device, example=self._example)
            self._model = opened.model
        return self._model

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": None}
