"""Libraries that only some need: which extra of Testimate brings each, and the sentence where one is wanted and not there."""

from collections.abc import Sequence
from importlib.util import find_spec

from testimate.core.errors import BadInput

# The core does without all of these: decision 92.
EXTRA_OF = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
    "h5py": "tensorflow",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "tokenizers": "onnx",
    "psycopg": "team",
    "authlib": "team",
    "ray": "ray",
    "mlflow": "mlflow",
    "anywidget": "notebook",
}
"""By the name of the module."""

NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "onnxruntime": "ONNX Runtime", "ray": "Ray"}


def is_there(module: str) -> bool:
    """Whether the module is installed; it is not imported.

    >>> is_there("json"), is_there("of_nobody")
    (True, False)
    """
    try:
        return find_spec(module) is not None
    except ValueError:  # it was imported by something that left no trace of where from
        return True


def check_extra(modules: Sequence[str], what: str, instead: str = "") -> None:
    """BadInput with the extra's name where one of the modules is not installed.

    ``what`` : what needs it, as the beginning of a sentence. ``instead`` : another way, as its end.

    >>> check_extra(["json"], "This")
    """
    lacking = next((module for module in modules if not is_there(module)), None)
    if lacking is not None:
        raise missing_extra(lacking, what, instead)


def missing_extra(module: str, what: str, instead: str = "") -> BadInput:
    """The error for a module that is not installed."""
    extra = EXTRA_OF[module]
    other = f", or {instead}" if instead else ""
    return BadInput(
        f"{what} needs {NAMES.get(module, module)}, which is not installed here; expected the extra {extra!r}. Run: "
        f'python -m pip install "testimate[{extra}]"{other}.'
    )
