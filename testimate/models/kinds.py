"""The kinds of model files in one table: how each is recognized by its content, what runs it, and which may run a program.

The app's own process asks what a file is and what it needs; the model's process opens it. Both read this table, and a kind's
library is imported only while its file is opened.

Readers of models that other packages bring, under the entry point ``testimate.models``; they run in the model's process.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.files import check_directory
from testimate.core.plug_ins import first_that_knows, plug_ins
from testimate.core.words import commas
from testimate.models.bounds import MAX_CONFIG_BYTES
from testimate.models.description import ModelToOpen, Opened
from testimate.models.graph import Graph, GraphModel, first_that_runs
from testimate.models.onnx_parts import HDF5_ENDINGS, unpacked
from testimate.tables.kinds import FOREIGN, START_BYTES, ForeignKind


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


def _check(name: str, reader: Any) -> None:
    if isinstance(reader, type) or not isinstance(reader, ModelReader):
        raise BadInput(
            f"{name!r:.60} is {reader!r:.60}. Expected an object with knows and open. Name one in the entry point"
        )


ACCEPTED = "an ONNX file, a Keras file (.keras or HDF5), a PyTorch state dict or a safetensors file"
HDF5, ZIP = b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"
PACKED = (b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x04\x22M\x18")
"""First bytes of what zlib, gzip, bzip2, xz and lz4 pack."""

OLD_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""How files of torch.save before 1.6 begin: a pickled magic number."""

TABLE = "bring a table of its predictions"
_WEIGHTS_OF_TRANSFORMERS = (
    "{name} contains a model of transformers as weights alone. Expected its ONNX export. Make it, optimum-cli export onnx "
    f"--model FOLDER NEW_FOLDER, and choose the new folder, or a zip of it, or {TABLE}."
)
_SAVED_MODEL = (
    f"This is a TensorFlow SavedModel, which contains a program that can read and write files. Expected {ACCEPTED}. If you "
    f"trust it, convert it to ONNX, python -m tf2onnx.convert --saved-model FOLDER --output model.onnx, or {TABLE}"
)
_OF_XGBOOST = (
    "from onnxmltools.convert.common.data_types import FloatTensorType; m = xgboost.XGBClassifier(); m.load_model({name}); "
    "onnxmltools.save_model(onnxmltools.convert_xgboost(m, initial_types=[('x', FloatTensorType([None, "
    "m.n_features_in_]))]), 'model.onnx')"
)
OTHERS = (
    (
        b"tree\nversion=",
        "LightGBM",
        "from onnxmltools.convert.common.data_types import FloatTensorType; m = lightgbm.Booster(model_file={name}); "
        "onnxmltools.save_model(onnxmltools.convert_lightgbm(m, initial_types=[('x', FloatTensorType([None, "
        "m.num_feature()]))]), 'model.onnx')",
    ),
    (b'"learner"', "XGBoost", _OF_XGBOOST),
    (b"learner{", "XGBoost", _OF_XGBOOST),
    (
        b"CBM1",
        "CatBoost",
        "catboost.CatBoostClassifier().load_model({name}).save_model('model.onnx', format='onnx')",
    ),
)
"""Marks near the beginning of other libraries' files, the library, and the call that converts the model to ONNX."""

MAX_MEMBERS = 100_000


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model's file, or a folder that holds none of which the content is read.

    ``content`` : empty for a folder, unless it holds an ONNX file.
    """

    path: Path
    content: bytes

    @cached_property
    def is_folder(self) -> bool:
        """Whether only its names say what it is."""
        return not self.content and self.path.is_dir()

    @property
    def name(self) -> str:
        """What a sentence about it begins with."""
        return f"{'The folder ' if self.is_folder else ''}{self.path.name!r:.100}"

    @property
    def is_zip(self) -> bool:
        """Whether its members say what it is."""
        return self.content.startswith(ZIP)

    @cached_property
    def members(self) -> frozenset[str]:
        """The names in the archive, none of another file; BadInput where it is damaged or has too many."""
        if not self.is_zip:
            return frozenset()
        name = self.path.name
        try:
            check_directory(io.BytesIO(self.content), name, MAX_MEMBERS)
            with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
                members = archive.namelist()
        except BadInput:
            raise  # it says what is damaged
        except (
            zipfile.BadZipFile,
            ValueError,
            NotImplementedError,
        ) as error:  # the last: a version zipfile does not know
            raise BadInput(
                f"{name!r:.100} is a damaged archive ({error!s:.100}). Expected a complete file. Copy or save it again."
            ) from None
        if len(members) > MAX_MEMBERS:
            raise BadInput(
                f"{name!r:.100} has {commas(len(members))} members. Expected {ACCEPTED}. Export the model to ONNX."
            )
        return frozenset(members)

    @cached_property
    def inner(self) -> frozenset[str]:
        """The names of the members below the archive's one folder."""
        return frozenset(member.partition("/")[2] for member in self.members)

    def has_inside(self, *starts: str) -> bool:
        """Whether a member below the archive's folder begins so."""
        return any(name.startswith(starts) for name in self.inner)


@dataclass(frozen=True)
class ModelKind:
    """One kind of model file that can be opened.

    Attributes
    ----------
    name : as records and people name it.
    knows : whether a file is of this kind, once none above it in the table was; called in the app's own process.
    open : the model; called in its own confined process, the only one that imports its framework.
    libraries : the modules that run it.
    refusal : of a kind that holds a program: why it is opened only where the person at the terminal trusts it. Else empty.
    """

    name: str
    knows: Callable[[ModelFile], bool]
    open: Callable[[ModelToOpen], Opened]
    libraries: tuple[str, ...]
    refusal: str = ""


@dataclass(frozen=True)
class RefusedKind:
    """Files that are never opened, and the sentences that say why; ``{name}`` is the file's."""

    knows: Callable[[ModelFile], bool]
    refusal: str


def _begins(mark: bytes, file: ModelFile) -> bool:
    return file.content.startswith(mark)


def _is_foreign(kind: ForeignKind, file: ModelFile) -> bool:
    return kind.knows(file.content[:START_BYTES])


def _is_pickle(file: ModelFile) -> bool:
    return file.content[:1] == b"\x80" and file.content[1:2] in b"\x02\x03\x04\x05" and not _begins(OLD_TORCH, file)


def _is_onnx(file: ModelFile) -> bool:
    content = file.content
    if content[:1] == b"\x08" and content[1:2] and 1 <= content[1] <= 64:  # field 1 of a model: its format's version
        return True
    return any(member.lower().endswith(".onnx") for member in file.members)


def _is_keras_hdf5(file: ModelFile) -> bool:
    """Whether this is such a file, or the zip that Teachable Machine makes: one of them, and the names of its classes."""
    if _begins(HDF5, file):
        return True
    members = [one for one in file.members if "__MACOSX" not in one]
    return "config.json" not in file.inner | file.members and any(one.lower().endswith(HDF5_ENDINGS) for one in members)


def _is_of(mark: bytes, file: ModelFile) -> bool:
    return not file.is_zip and mark in file.content[:200]


def _is_safetensors(file: ModelFile) -> bool:
    content = file.content
    length = int.from_bytes(content[:8], "little")
    if content[8:9] != b"{" or not 2 <= length <= len(content) - 8:
        return False
    if length > MAX_CONFIG_BYTES:
        raise BadInput(
            f"This safetensors file has a header of {commas(length)} bytes. Expected at most {commas(MAX_CONFIG_BYTES)}. "
            "Save the weights again."
        )
    try:
        return isinstance(json.loads(content[8 : 8 + length]), dict)
    except (ValueError, RecursionError):
        return False


def _onnx(given: ModelToOpen) -> Opened:
    from testimate.models.onnx import OnnxGraph

    mixed = given.model.mixed_precision
    graph, example = OnnxGraph(given.content, mixed=mixed, padding=given.padding, filler=given.filler), given.example
    if given.cut is not None and example is not None and len(graph.spec.shape) == 1:
        example = given.cut(example, graph.spec.shape[0])
    return _graph_model(graph, replace(given, example=example))


def _keras(given: ModelToOpen) -> Opened:
    from testimate.models.keras_files import open_keras

    return _graph_model(open_keras(given.content, trust=given.trust, mixed=given.model.mixed_precision), given)


def _keras_hdf5(given: ModelToOpen) -> Opened:
    from testimate.models.keras_files import open_keras_hdf5

    content = unpacked(given.content, HDF5_ENDINGS, "HDF5").main
    return _graph_model(open_keras_hdf5(content, trust=given.trust, mixed=given.model.mixed_precision), given)


def _torch_file(given: ModelToOpen) -> Opened:
    from testimate.models.torch_files import open_torch_file

    return open_torch_file(given)


def _safetensors(given: ModelToOpen) -> Opened:
    from testimate.models.torch_files import open_safetensors

    return open_safetensors(given)


def _torchscript(given: ModelToOpen) -> Opened:
    from testimate.models.torch_graph import TorchScriptGraph

    def opened(example: NDArray[Any] | None) -> Opened:
        graph = TorchScriptGraph(given.content, example, mixed=given.model.mixed_precision)
        return _graph_model(graph, replace(given, example=example))

    return opened(None) if given.example is None else first_that_runs(opened, given.example)


def _exported(given: ModelToOpen) -> Opened:
    from testimate.models.torch_graph import ExportedGraph

    return _graph_model(ExportedGraph(given.content, mixed=given.model.mixed_precision), given)


def _saved_model(given: ModelToOpen) -> Opened:
    from testimate.models.saved_model import SavedModelGraph

    return _graph_model(SavedModelGraph(given.model.path, mixed=given.model.mixed_precision), given)


def _graph_model(graph: Graph, given: ModelToOpen) -> Opened:
    return GraphModel(graph, fingerprint=given.fingerprint, example=given.example, output=given.model.output)


TORCH, TENSORFLOW, KERAS = ("torch",), ("tensorflow",), ("tensorflow", "keras", "h5py")

KINDS: tuple[ModelKind | RefusedKind, ...] = (
    ModelKind(
        "SavedModel",
        lambda file: file.is_folder and (file.path / "saved_model.pb").is_file(),
        _saved_model,
        TENSORFLOW,
        f"{_SAVED_MODEL}, or start with --trust.",
    ),
    RefusedKind(
        lambda file: file.is_folder and (file.path / "config.json").is_file() and any(file.path.glob("*.safetensors")),
        _WEIGHTS_OF_TRANSFORMERS,
    ),
    RefusedKind(
        lambda file: file.is_folder,
        f"{{name}} contains no saved_model.pb. Expected {ACCEPTED}. Choose the model's file instead.",
    ),
    ModelKind("Keras HDF5", _is_keras_hdf5, _keras_hdf5, KERAS),
    ModelKind("safetensors", _is_safetensors, _safetensors, TORCH),
    RefusedKind(
        _is_pickle,
        f"{{name}} is a Python pickle, which can run any program on this computer. Expected {ACCEPTED}. If scikit-learn made "
        f"it and you trust it, open('model.onnx', 'wb').write(skl2onnx.to_onnx(pickle.load(open({{name}}, 'rb')), "
        f"x[[0]].astype('float32')).SerializeToString()) makes ONNX of it; or {TABLE}.",
    ),
    RefusedKind(
        lambda file: file.content.startswith(PACKED),
        f"{{name}} is compressed, as joblib.dump leaves a pickle, which can run any program. Expected {ACCEPTED}. "
        f"If scikit-learn made it and you trust it, open('model.onnx', 'wb').write(skl2onnx.to_onnx(joblib.load({{name}}), "
        f"x[[0]].astype('float32')).SerializeToString()) makes ONNX of it; or {TABLE}.",
    ),
    RefusedKind(
        lambda file: file.content[4:8] == b"TFL3",
        f"{{name}} is a TensorFlow Lite file, whose layers cannot be read. Expected {ACCEPTED}. Use the model it was made "
        f"from, or convert it to ONNX, python -m tf2onnx.convert --tflite {{name}} --output model.onnx, or {TABLE}.",
    ),
    ModelKind("ONNX", _is_onnx, _onnx, ("onnx", "onnxruntime")),
    *(
        RefusedKind(
            partial(_is_of, mark),
            f"{{name}} is a model of {maker}. Expected {ACCEPTED}. Convert it to ONNX, {way}, or {TABLE}.",
        )
        for mark, maker, way in OTHERS
    ),
    RefusedKind(
        lambda file: "config.json" in file.members and any(member.endswith(".safetensors") for member in file.members),
        _WEIGHTS_OF_TRANSFORMERS,
    ),
    ModelKind("Keras", lambda file: "config.json" in file.members, _keras, KERAS),
    ModelKind(
        "TorchScript",
        lambda file: file.has_inside("code/", "constants.pkl"),
        _torchscript,
        TORCH,
        f"This is a TorchScript file, which contains a program and can read and write files while it is opened. Expected "
        f"{ACCEPTED}. If you trust it, convert it to ONNX, "
        'torch.onnx.export(torch.jit.load("model.pt"), (example,), "model.onnx", dynamo=False), or '
        f"{TABLE}, or start with --trust.",
    ),
    ModelKind(
        "PyTorch export",
        lambda file: file.has_inside("archive_format", "models/") or "serialized_exported_program.json" in file.members,
        _exported,
        TORCH,
        f"This is a .pt2 file of torch.export, which can run any program while it is opened. Expected {ACCEPTED}. If you trust "
        'it, convert it to ONNX, torch.onnx.export(torch.export.load("model.pt2"), f="model.onnx", external_data=False), or '
        f"{TABLE}, or start with --trust.",
    ),
    ModelKind("PyTorch", lambda file: "data.pkl" in file.inner or _begins(OLD_TORCH, file), _torch_file, TORCH),
    RefusedKind(
        lambda file: file.is_zip and all(member.endswith(".npy") for member in file.members),
        f"{{name}} contains arrays, so it is a dataset. Expected {ACCEPTED}. Open it as the dataset.",
    ),
    RefusedKind(
        lambda file: "saved_model.pb" in file.members | file.inner,
        f"{_SAVED_MODEL}.",  # only an unpacked folder can be trusted
    ),
    RefusedKind(
        lambda file: file.is_zip,
        f"{{name}} is an archive without a model. Expected {ACCEPTED}. Unpack it and choose the model.",
    ),
)
"""The kinds of files, in the order in which they are tried; a new one is one more entry."""

KINDS_AFTER_PLUG_INS = (
    RefusedKind(
        lambda file: file.path.suffix.lower() == ".zip",
        "{name} is named like a zip but does not begin like one. Expected a zip of an ONNX file and what belongs to it. Make "
        "it again, or name the file after what it contains.",
    ),
    *(
        RefusedKind(
            partial(_is_foreign, kind),
            f"{{name}} is {kind.called}, not a model. Expected {ACCEPTED}. Choose the model's own file, or {TABLE}.",
        )
        for kind in FOREIGN
    ),
    RefusedKind(
        lambda _: True,
        f"{{name}} is not a model that Testimate knows. Expected {ACCEPTED}. Export the model to ONNX, or {TABLE}.",
    ),
)
"""Those that are tried once no reader of another package knows the file; the last takes any."""

MODEL_KINDS = {kind.name: kind for kind in KINDS if isinstance(kind, ModelKind)}
"""Those that can be opened, by name."""


def kind_of(content: bytes, path: Path) -> str:
    """The kind of the file at ``path`` with that content, or of the folder there; BadInput where it is not a model.

    ``content`` : empty for a folder, unless it holds an ONNX file.
    """
    file = ModelFile(path, content)
    found = next((kind for kind in KINDS if kind.knows(file)), None)
    if isinstance(found, ModelKind):
        return found.name
    plugged = first_that_knows(model_readers(), content) if found is None else None
    if plugged is not None:
        return plugged
    refused = found or next(kind for kind in KINDS_AFTER_PLUG_INS if kind.knows(file))
    raise BadInput(refused.refusal.format(name=file.name))


def is_model(content: bytes, path: Path) -> bool:
    """Whether the content is that of a model that can be opened; nothing of it is run, and no framework is imported."""
    file = ModelFile(path, content)
    try:
        return isinstance(next((kind for kind in KINDS if kind.knows(file)), None), ModelKind)
    except BadInput:
        return False


ALWAYS_MODELS = re.compile(rb'tree\nversion=|\{"learner":\s*\{"|CBM1|\{L.{8,20}learner\{|.{4}TFL3', re.DOTALL)
"""How files of models begin that a table never begins like: LightGBM's, XGBoost's, CatBoost's, TensorFlow Lite's."""

KERAS_MARK = b"keras_version"
"""What tells a model among HDF5 files, which also hold tables."""


def called_model(content: bytes, path: Path) -> str:
    """What a model's file is called in a sentence, "" for any other file; nothing of it is run."""
    if ALWAYS_MODELS.match(content):
        return "a model"
    if content.startswith(HDF5) and KERAS_MARK not in content:
        return ""
    try:
        found = next((kind for kind in KINDS if kind.knows(ModelFile(path, content))), None)
    except BadInput:
        return ""
    return f"a model ({found.name})" if isinstance(found, ModelKind) else ""


def open_kind(given: ModelToOpen) -> Opened:
    """The model of a file whose kind is known; BadInput where it is refused or damaged. Called in its confined process."""
    if given.kind in MODEL_KINDS:
        return MODEL_KINDS[given.kind].open(given)
    return _graph_model(model_readers()[given.kind].open(given.content), given)
