"""What runs on a machine of a cluster: says what is installed there, then does the pieces it is given.

Sent to the machine as it is here, and needs nothing but Python's standard library, so that a machine with another
Testimate, or none, can still say what it has.
"""

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "scipy", "onnxruntime", "torch", "tensorflow", "keras", "scikit-learn")
"""Libraries whose version may change a value."""


class Host:
    """The actor of one machine; ``worker`` is what was sent for the work, opened only after ``installed`` was compared."""

    def __init__(self, threads: str) -> None:
        os.environ["OMP_NUM_THREADS"] = threads  # before a framework is imported, which reads it once
        self._worker: Any = None

    def installed(self) -> Mapping[str, str]:
        """The versions that have to be the same everywhere."""
        return installed()

    def ready(self, worker: Sequence[Any]) -> Any:
        """Opens the worker, a reference in a list, and returns its proof and what it says about where it runs."""
        import ray

        self._worker = ray.get(worker[0])
        return self._worker.ready()

    def rest(self) -> None:
        """Lets the worker go, until another is sent."""
        self._worker = None

    def run(self, piece: Any) -> Any:
        """The worker's answer for a piece."""
        return self._worker.run(piece)


def installed() -> Mapping[str, str]:
    """This machine's Testimate by a digest of its files, Python and the libraries, by the name of each."""
    found = find_spec("testimate")
    folder = None if found is None or not found.submodule_search_locations else found.submodule_search_locations[0]
    return {
        "Testimate": "none" if folder is None else package_digest(Path(folder)),
        "Python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def package_digest(folder: Path) -> str:
    """12 hex digits of SHA-256 over the names and contents of the Python files under a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:12]
