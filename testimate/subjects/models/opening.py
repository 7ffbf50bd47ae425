"""Opens a model inside its worker process: the reader of each kind of file, imported only when it is needed."""

from collections.abc import Callable, Mapping

from testimate.subjects.models.graph_model import Graph, GraphModel
from testimate.subjects.models.request import Opened, Request


def open_model(request: Request) -> Opened:
    """The model, ready to run; BadInput where it is refused or damaged."""
    return READERS[request.kind](request)


def _onnx(request: Request) -> Opened:
    from testimate.subjects.models.onnx_graph import OnnxGraph

    return _graph_model(OnnxGraph(request.content, mixed=request.mixed), request)


def _keras(request: Request) -> Opened:
    from testimate.subjects.models.keras_files import open_keras

    return _graph_model(open_keras(request.content, trust=request.trust, mixed=request.mixed), request)


def _keras_hdf5(request: Request) -> Opened:
    from testimate.subjects.models.keras_files import open_keras_hdf5

    return _graph_model(open_keras_hdf5(request.content, trust=request.trust, mixed=request.mixed), request)


def _torch_file(request: Request) -> Opened:
    from testimate.subjects.models.torch_files import open_torch_file

    return open_torch_file(request)


def _safetensors(request: Request) -> Opened:
    from testimate.subjects.models.torch_files import open_safetensors

    return open_safetensors(request)


def _torchscript(request: Request) -> Opened:
    from testimate.subjects.models.torchscript_graph import TorchScriptGraph

    return _graph_model(TorchScriptGraph(request.content, request.example, mixed=request.mixed), request)


def _exported(request: Request) -> Opened:
    from testimate.subjects.models.exported_graph import ExportedGraph

    return _graph_model(ExportedGraph(request.content, mixed=request.mixed), request)


def _saved_model(request: Request) -> Opened:
    from testimate.subjects.models.saved_model_graph import SavedModelGraph

    return _graph_model(SavedModelGraph(request.path, mixed=request.mixed), request)


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
