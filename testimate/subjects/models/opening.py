"""Opens a model inside its worker process: the reader of each kind of file, imported only when it is needed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from testimate.subjects.models.graph_model import Graph, GraphModel, first_that_runs
from testimate.subjects.models.model_to_open import ModelToOpen, Opened


def open_model(given: ModelToOpen) -> Opened:
    """The model, ready to run; BadInput where it is refused or damaged."""
    return READERS[given.kind](given)


def _onnx(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.onnx_graph import OnnxGraph

    return _graph_model(OnnxGraph(given.content, mixed=given.model.mixed_precision), given)


def _keras(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.keras_files import open_keras

    return _graph_model(open_keras(given.content, trust=given.trust, mixed=given.model.mixed_precision), given)


def _keras_hdf5(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.keras_files import open_keras_hdf5

    return _graph_model(open_keras_hdf5(given.content, trust=given.trust, mixed=given.model.mixed_precision), given)


def _torch_file(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.torch_files import open_torch_file

    return open_torch_file(given)


def _safetensors(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.torch_files import open_safetensors

    return open_safetensors(given)


def _torchscript(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.torchscript_graph import TorchScriptGraph

    def opened(example: NDArray[Any] | None) -> Opened:
        graph = TorchScriptGraph(given.content, example, mixed=given.model.mixed_precision)
        return _graph_model(graph, replace(given, example=example))

    return opened(None) if given.example is None else first_that_runs(opened, given.example)


def _exported(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.exported_graph import ExportedGraph

    return _graph_model(ExportedGraph(given.content, mixed=given.model.mixed_precision), given)


def _saved_model(given: ModelToOpen) -> Opened:
    from testimate.subjects.models.saved_model_graph import SavedModelGraph

    return _graph_model(SavedModelGraph(given.model.path, mixed=given.model.mixed_precision), given)


def _graph_model(graph: Graph, given: ModelToOpen) -> Opened:
    return GraphModel(graph, fingerprint=given.fingerprint, example=given.example, output=given.model.output)


READERS: Mapping[str, Callable[[ModelToOpen], Opened]] = {
    "ONNX": _onnx,
    "Keras": _keras,
    "Keras HDF5": _keras_hdf5,
    "PyTorch": _torch_file,
    "safetensors": _safetensors,
    "TorchScript": _torchscript,
    "PyTorch export": _exported,
    "SavedModel": _saved_model,
}
