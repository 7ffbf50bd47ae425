"""Opens a model's file in a process of its own; its content decides its kind, and files that could run code are refused."""

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.plug_ins import check_extra
from testimate.models.confinement import DeviceName, Limits, Wish
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.file_content import read_described, read_unchanged
from testimate.models.kinds import MODEL_KINDS, TABLE, kind_of
from testimate.models.worker_process import Recipe, WorkerModel, WorkerProcess

LOG = logging.getLogger("testimate.trust")

AS_ONNX = "export the model to ONNX, which the extra 'onnx' runs"

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
    if kind in MODEL_KINDS:
        known = MODEL_KINDS[kind]
        if known.refusal and not trust:
            raise BadInput(known.refusal)
        check_extra(known.libraries, f"This model ({kind})", AS_ONNX if kind != "ONNX" else TABLE)
    if trust:
        LOG.warning("trusted by the person at the terminal: %s, SHA-256%s", path, content.digest)
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
