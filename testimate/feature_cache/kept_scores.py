"""Scores that took long to compute, put on disk as roles of an entry of their own."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.feature_cache.manifest import Manifest, RoleRecord, load_manifest
from testimate.feature_cache.storing import storing


def keep_scores(folder: Path, scores: Mapping[str, NDArray[np.float64]], name: str, size: int) -> None:
    """Puts (size,) scores on disk, each as a role of its own with one range; to be called with the folder locked."""
    with storing(folder):
        manifest = load_manifest(folder)
        if manifest is None or manifest.size != size:
            manifest = Manifest(name=name, model="", dataset="", size=size, step=size)
        for role, values in scores.items():
            manifest.roles[role] = RoleRecord(layer=role, width=1, dtype="<f8")
            file = manifest.file(folder, role)
            file.reopen()
            with file.writing(range(size)) as writer:
                writer.add(np.asarray(values, dtype=np.float64).reshape(size, 1))
                manifest.roles[role].digests[0] = writer.finish()
            manifest.save(folder)
            file.finish()
