"""Opens PyTorch's weight files: state dicts and safetensors for known networks; whole modules if a person trusts the file."""

import io
import pickle
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import nn

from testimate.core.errors import BadInput
from testimate.core.words import commas, natural
from testimate.models.bounds import MAX_FILE_BYTES, MAX_PARAMETERS
from testimate.models.description import ModelToOpen
from testimate.models.graph import PROBES, SEED, NeedsExample, first_that_runs
from testimate.models.torch_graph import TorchModel, build

WRAPPERS = ("state_dict", "model_state_dict", "model")
"""Keys under which training checkpoints have the state dict."""

PREFIXES = ("module.", "_orig_mod.", "model.", "net.")
"""Prefixes that data parallelism, compilation and wrappers add to every name."""

WHOLE_OBJECT = (
    "This .pt file contains a whole Python object, which can run any program on this computer. If you trust it, convert it "
    'to ONNX, torch.onnx.export(model.eval(), (example,), "model.onnx", external_data=False), or bring a table of its '
    "predictions, or start with --trust."
)


def open_torch_file(given: ModelToOpen) -> TorchModel:
    """The model in a file of torch.save; BadInput where it holds more than weights and is not trusted."""
    _check_archive(given.content)
    loaded = _loaded(given)
    if isinstance(loaded, nn.Module):
        if given.example is None:
            raise NeedsExample(
                "A whole PyTorch module does not say what its inputs look like. Open it together with its dataset."
            )
        return first_that_runs(lambda example: _model(loaded, example, given), given.example)
    return _known_network(_state_dict(loaded), given)


def open_safetensors(given: ModelToOpen) -> TorchModel:
    """The model in a safetensors file."""
    try:
        weights = safetensors.torch.load(given.content)
    except Exception as error:  # the reader's own error class is not exported where it is raised
        raise BadInput(
            f"This safetensors file cannot be read ({error!s:.150}). Expected a complete one. Save it again."
        ) from error
    # The file sorts by size of number and name.
    ordered = dict(sorted(weights.items(), key=lambda item: natural(item[0])))
    return _known_network(_state_dict(ordered), given)


def _known_network(weights: Mapping[str, torch.Tensor], given: ModelToOpen) -> TorchModel:
    side = None if given.example is None else _side(given.example.shape)
    built = build(weights, given.model.architecture, side)
    example = given.example
    if example is None or example.shape[1:] != built.shape:
        example = np.random.default_rng(SEED).random((PROBES, *built.shape), dtype=np.float32)
    return _model(built.module, example, given)


def _model(module: nn.Module, example: NDArray[Any], given: ModelToOpen) -> TorchModel:
    return TorchModel(
        module,
        example=example,
        fingerprint=given.fingerprint,
        output=given.model.output,
        mixed=given.model.mixed_precision,
    )


def _check_archive(content: bytes) -> None:
    """BadInput where the archive would unpack to more than its own size."""
    if not content.startswith(b"PK"):
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members) or (
        sum(member.file_size for member in members) > min(len(content), MAX_FILE_BYTES)
    ):
        raise BadInput(
            "This PyTorch file is not packed the way PyTorch packs it. Expected a file written by torch.save(). Save "
            "the weights again."
        )


def _loaded(given: ModelToOpen) -> Any:
    try:
        return torch.load(io.BytesIO(given.content), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if not given.trust:
            raise BadInput(WHOLE_OBJECT) from error
    except Exception as error:  # a damaged file may raise anything
        raise BadInput(
            f"This PyTorch file cannot be read ({type(error).__name__}: {error!s:.150}). Expected a complete one. "
            "Save it again."
        ) from error
    try:
        return torch.load(io.BytesIO(given.content), map_location="cpu", weights_only=False)
    except Exception as error:  # it runs the file's own program
        raise BadInput(
            f"This PyTorch object cannot be rebuilt ({type(error).__name__}: {error!s:.150}). Expected the classes it was "
            "made of. Put their folder on PYTHONPATH, or save model.state_dict()."
        ) from error


def _state_dict(loaded: Any) -> dict[str, torch.Tensor]:
    """The weights by name, without the prefixes of wrappers; BadInput where they claim more than they hold."""
    inner = _weights_in(loaded)
    count = 0
    for name, weight in inner.items():
        held = 0 if weight.layout != torch.strided or weight.is_quantized else weight.untyped_storage().nbytes()
        if weight.numel() * weight.element_size() > held:
            raise BadInput(
                f"The weight {name!s:.60} of this PyTorch file claims {commas(weight.numel())} numbers and contains fewer. "
                "Expected a plain state dict. Save model.state_dict() again."
            )
        count += weight.numel()
    if count > MAX_PARAMETERS:
        raise BadInput(
            f"This PyTorch file contains {commas(count)} weights. Expected at most {commas(MAX_PARAMETERS)}. Use a prediction "
            "table for a model of that size."
        )
    weights = {str(name): weight for name, weight in inner.items()}
    for prefix in PREFIXES:
        if all(name.startswith(prefix) for name in weights):
            weights = {name.removeprefix(prefix): weight for name, weight in weights.items()}
    return weights


def _weights_in(loaded: Any) -> Mapping[Any, torch.Tensor]:
    """The weights by name, of a checkpoint those of its model; BadInput where there are none, or those of several models."""
    if _is_weights(loaded):
        return dict(loaded)
    parts = [str(name) for name, part in loaded.items() if _is_weights(part)] if isinstance(loaded, Mapping) else []
    usual = [name for name in WRAPPERS if name in parts]
    if usual or len(parts) == 1:
        return dict(loaded[(usual or parts)[0]])
    if parts:
        raise BadInput(
            f"This PyTorch checkpoint contains the weights of {len(parts)} models, {', '.join(map(repr, parts))!s:.120}. "
            f'Expected those of one. Save one: torch.save(torch.load(FILE, weights_only=True)["{parts[0]:.40}"], "weights.pt").'
        )
    keys = f" with {', '.join(map(repr, loaded))!s:.120}" if isinstance(loaded, Mapping) and loaded else ""
    raise BadInput(
        f"This PyTorch file contains a {type(loaded).__name__}{keys}, not weights by name. Expected a state dict. Save it: "
        'torch.save(model.state_dict(), "weights.pt").'
    )


def _is_weights(part: Any) -> bool:
    return isinstance(part, Mapping) and bool(part) and all(isinstance(value, torch.Tensor) for value in part.values())


def _side(shape: tuple[int, ...]) -> int | None:
    """The side of square pictures (n, ..., side, side) or (n, side, side, channels); None for others."""
    axes = [size for size in shape[1:] if size > 4]
    return axes[0] if len(axes) == 2 and axes[0] == axes[1] else None
