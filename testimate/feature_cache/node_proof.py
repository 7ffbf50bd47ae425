"""What a machine of a cluster proves before it works: the same program, the same libraries, and the same values."""

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import testimate
from testimate.core.fingerprint import of_array, of_bytes
from testimate.core.subject import Dataset, Model

LIBRARIES = ("numpy", "onnxruntime", "torch", "tensorflow", "keras", "scikit-learn")
"""Libraries whose version may change a value."""

VALUES = "the values for the first inputs"


@dataclass(frozen=True)
class Proof:
    """What a machine says about itself, by the name of each thing that has to be the same everywhere."""

    says: Mapping[str, str]

    def differences(self, other: "Proof") -> str:
        """What the other machine has and this one, in words; empty where it may work.

        >>> Proof({"Python": "3.12.1", "the device": "cpu"}).differences(Proof({"Python": "3.11.7", "the device": "cpu"}))
        'Python: 3.11.7 there, 3.12.1 here'
        """
        names = dict.fromkeys((*self.says, *other.says))
        return "; ".join(
            f"{name}: {other.says.get(name, 'none'):.40} there, {self.says.get(name, 'none'):.40} here"
            for name in names
            if self.says.get(name) != other.says.get(name)
        )


def proof_of(model: Model, dataset: Dataset, layers: Sequence[str], batch_size: int) -> Proof:
    """This machine's proof; the model is run on the first batch of the data, in the size in which it will be run.

    ``layers`` : those that are asked for. Raises what the model or the data raise.
    """
    rows = np.arange(min(batch_size, len(dataset)))
    said = model.run(dataset.batch(rows), list(layers))
    values = of_bytes(*(of_array(np.asarray(said[layer], dtype=np.float32)).encode() for layer in layers))
    return Proof(
        {
            "Testimate": package_digest(Path(testimate.__file__).parent),
            "Python": platform.python_version(),
            **{name: _version(name) for name in LIBRARIES},
            "the device": str(getattr(model, "device", "cpu")).split(":")[0],
            VALUES: values[:12],
        }
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@lru_cache(maxsize=4)
def package_digest(folder: Path) -> str:
    """12 hex digits of SHA-256 over the names and contents of the Python files under a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:12]
