"""Opens a model's file: its kind by content, refused where it could run a program, in a process of its own."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.subjects.models.confinement import Limits
from testimate.subjects.models.devices import Asked, Wish
from testimate.subjects.models.facts import ModelFacts
from testimate.subjects.models.file_content import read_content
from testimate.subjects.models.file_kinds import RUNS_CODE, kind_of
from testimate.subjects.models.worker_model import Recipe, WorkerModel
from testimate.subjects.models.worker_process import WorkerProcess

LOG = logging.getLogger("testimate.trust")

EXAMPLES = 4
"""How many inputs of a dataset are shown to a model to see it run."""


@dataclass(frozen=True)
class OpenedModel:
    """A model's file that was opened once.

    Attributes
    ----------
    kind : such as "ONNX" or "Keras HDF5". fingerprint : of its bytes. sha256 : of its bytes, whole, 64 hex digits.
    facts : what is known of it. opener : gives the Model, in the process that is warm already.
    """

    kind: str
    fingerprint: str
    sha256: str
    facts: ModelFacts
    opener: Callable[[], WorkerModel]


def open_model_file(
    path: str | Path,
    *,
    trust: bool = False,
    example: NDArray[Any] | None = None,
    output: str | None = None,
    architecture: str | None = None,
    limits: Limits | None = None,
    device: Asked = "auto",
    mixed_precision: bool = False,
) -> OpenedModel:
    """Opens a trained network of any kind Testimate reads.

    Parameters
    ----------
    path : the file, or the folder of a SavedModel.
    trust : the person at the terminal vouches for this very path, so that it may run its own program: whole PyTorch
        modules, TorchScript, .pt2, SavedModel, Keras layers with Python code. Never set from a browser.
    example : (n, *shape) a few inputs of its dataset; needed only where the file does not say what it takes.
    output : what the output means (one of ``outputs.OUTPUT_KINDS``), where the person knows better.
    architecture : one of ``architectures.ARCHITECTURES``, for files that hold weights alone and fit several.
    limits : of the model's process.
    device : "cuda" where there must be one, "cpu" for the processor with all its cores, "auto" for the first that works.
    mixed_precision : on CUDA, products of sixteen bits where the framework thinks them harmless; the fingerprint says so.

    Raises
    ------
    BadInput : no model, refused, damaged, or one that cannot be run, or not on that device; the sentence says which.
    NeedsExample : it has to be opened together with its dataset.
    ModelCrashed, ModelTooSlow : its process died or took too long.
    """
    path = Path(path)
    content = read_content(path)
    kind = kind_of(content.data, path)
    if kind in RUNS_CODE and not trust:
        raise BadInput(RUNS_CODE[kind])
    if trust:
        LOG.warning("trusted by the person at the terminal: %s, SHA-256 %s", path, content.digest)
    recipe = Recipe(
        kind=kind,
        path=path.absolute(),
        digest=content.digest,
        trust=trust,
        example=None if example is None else np.asarray(example)[:EXAMPLES],
        output=output,
        architecture=architecture,
        mixed=mixed_precision,
    )
    del content
    readable = [path.absolute()] if path.is_dir() else []
    process = WorkerProcess(recipe.message, limits or Limits(), readable, Wish(device, mixed_precision))
    facts = ModelFacts.from_json(process.open().head["facts"])
    model = WorkerModel(recipe.fingerprint, facts, process)
    return OpenedModel(kind, recipe.digest[:32], recipe.digest, facts, opener=lambda: model)
