"""Opens a model inside its worker process: the reader of each kind of file, imported only when it is needed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from testimate.core.subject import Model
from testimate.subjects.models.facts import ModelFacts
from testimate.subjects.models.graph_model import Graph, GraphModel


class Opened(Model, Protocol):
    """A model that knows its facts."""

    facts: ModelFacts


@dataclass(frozen=True, eq=False)
class Request:
    """What to open.

    ``kind`` : as ``file_kinds`` names it. ``content`` : the file's bytes; of a folder empty, and ``path`` says where it is.
    ``trust`` : whether the person at the terminal vouches for it. ``example`` : inputs of its dataset, where there are any.
    ``output``, ``architecture`` : what the person chose, or None.
    """

    kind: str
    content: bytes
    path: Path
    trust: bool
    fingerprint: str
    example: NDArray[Any] | None = None
    output: str | None = None
    architecture: str | None = None


def open_model(request: Request) -> Opened:
    """The model, ready to run; BadInput where it is refused or damaged."""
    return READERS[request.kind](request)


def _onnx(request: Request) -> Opened:
    from testimate.subjects.models.onnx_graph import OnnxGraph

    return _graph_model(OnnxGraph(request.content), request)


def _keras(request: Request) -> Opened:
    from testimate.subjects.models.keras_files import open_keras

    return _graph_model(open_keras(request.content, trust=request.trust), request)


def _keras_hdf5(request: Request) -> Opened:
    from testimate.subjects.models.keras_files import open_keras_hdf5

    return _graph_model(open_keras_hdf5(request.content, trust=request.trust), request)


def _torch_file(request: Request) -> Opened:
    from testimate.subjects.models.torch_files import open_torch_file

    return open_torch_file(request)


def _safetensors(request: Request) -> Opened:
    from testimate.subjects.models.torch_files import open_safetensors

    return open_safetensors(request)


def _torchscript(request: Request) -> Opened:
    from testimate.subjects.models.torchscript_graph import TorchScriptGraph

    return _graph_model(TorchScriptGraph(request.content, request.example), request)


def _exported(request: Request) -> Opened:
    from testimate.subjects.models.exported_graph import ExportedGraph

    return _graph_model(ExportedGraph(request.content), request)


def _saved_model(request: Request) -> Opened:
    from testimate.subjects.models.saved_model_graph import SavedModelGraph

    return _graph_model(SavedModelGraph(request.path), request)


def _graph_model(graph: Graph, request: Request) -> Opened:
    return GraphModel(graph, fingerprint=request.fingerprint, example=request.example, output=request.output)


READERS: Mapping[str, Callable[[Request], Opened]] = {
    "ONNX": _onnx,
    "Keras": _keras,
    "Keras HDF5": _keras_hdf5,
    "PyTorch": _torch_file,
    "safetensors": _safetensors,
    "TorchScript": _torchscript,
    "PyTorch export": _exported,
    "SavedModel": _saved_model,
}
