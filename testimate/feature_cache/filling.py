"""Fills one folder of the cache: runs the model over the row ranges that are missing, and resumes what was begun."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import Progress
from testimate.core.subject import Model, Subject
from testimate.feature_cache.manifest import Manifest, RoleRecord, load_manifest
from testimate.feature_cache.role_file import RoleFile, Values
from testimate.feature_cache.storing import storing

MOST_RANGES = 256
"""Row ranges of an entry; more would make the manifest long, and it is written anew after each."""


def fill(folder: Path, subject: Subject, roles: Sequence[str], *, progress: Progress, batch_size: int) -> None:
    """Makes these roles whole; to be called with the folder locked. Raises as ``FeatureCache.outputs`` does."""
    model = _opened(subject, roles)
    layers = {role: model.roles[role] for role in roles}
    with storing(folder):
        manifest = _resumed(folder, subject, layers, batch_size)
    for rows in manifest.ranges():
        missing = {role: layers[role] for role in roles if not _has(manifest, role, rows)}
        if missing:
            said = _run(model, subject, rows, missing, batch_size, progress)
            with storing(folder):
                _keep(folder, manifest, rows, missing, said)
    with storing(folder):
        for role in roles:
            file = RoleFile(folder, role, manifest.size, manifest.roles[role].width)
            if file.read() is None:
                file.finish()
    progress(manifest.size, manifest.size, "running the model")


def _opened(subject: Subject, roles: Sequence[str]) -> Model:
    if subject.open_model is None:
        raise BadInput(f"{subject.name!r:.60} has no model; needed is one to compute features. Open a model.")
    model = subject.open_model()
    if model.fingerprint != subject.model_fingerprint:
        raise SubjectChanged(
            f"The model of {subject.name!r:.60} is not the one the subject was opened with; needed is the same. "
            "Open the subject again."
        )
    for role in roles:
        if role not in model.roles:
            raise BadInput(
                f"The model has no layer that plays {role!r:.60}; needed is one of {', '.join(model.roles):.200}. "
                "Choose another layer or technique."
            )
    return model


def _resumed(folder: Path, subject: Subject, layers: Mapping[str, str], batch_size: int) -> Manifest:
    """The manifest with only those ranges that are on disk as they were written, its files ready for the others."""
    size = len(subject.dataset)
    batches = -(-size // batch_size)
    fresh = Manifest(
        name=subject.name,
        model=subject.model_fingerprint or "",
        dataset=subject.dataset.fingerprint,
        size=size,
        step=batch_size * -(-batches // MOST_RANGES),
    )
    manifest = load_manifest(folder)
    if manifest is None or manifest.size != size:
        return fresh
    for role, layer in layers.items():
        record = manifest.roles.get(role)
        if record is None:
            continue
        if record.layer != layer:  # another layer plays the role now
            del manifest.roles[role]
            continue
        file = RoleFile(folder, role, size, record.width)
        record.digests = {
            rows.start: record.digests[rows.start]
            for rows in manifest.ranges()
            if rows.start in record.digests and file.digest(rows) == record.digests[rows.start]
        }
        if not manifest.is_whole(role):
            file.reopen()
    manifest.save(folder)
    return manifest


def _has(manifest: Manifest, role: str, rows: range) -> bool:
    return role in manifest.roles and rows.start in manifest.roles[role].digests


def _run(
    model: Model, subject: Subject, rows: range, layers: Mapping[str, str], batch_size: int, progress: Progress
) -> dict[str, Values]:
    """What the layers say of these rows, by role; BadInput where it is not one row of finite numbers per input."""
    parts: dict[str, list[Values]] = {role: [] for role in layers}
    for start in range(rows.start, rows.stop, batch_size):
        progress(start, len(subject.dataset), "running the model")
        some = np.arange(start, min(start + batch_size, rows.stop))
        said = model.run(subject.dataset.batch(some), list(dict.fromkeys(layers.values())))
        for role, layer in layers.items():
            values = np.asarray(said[layer], dtype=np.float32)
            _check(layer, values, some[0], len(some))
            parts[role].append(values)
    widths = {layers[role]: {part.shape[1] for part in said_parts} for role, said_parts in parts.items()}
    for layer, seen in widths.items():
        if len(seen) > 1:
            raise _varying(layer, seen)
    return {role: np.concatenate(said_parts) for role, said_parts in parts.items()}


def _check(layer: str, values: Values, first: int, count: int) -> None:
    if values.ndim != 2 or len(values) != count or not values.shape[1]:
        raise BadInput(
            f"Layer {layer!r:.60} says an array of shape {values.shape} for {count} inputs; needed is one row of numbers "
            "per input. Choose another layer."
        )
    finite = np.isfinite(values).all(axis=1)
    if not finite.all():
        row = first + int(np.flatnonzero(~finite)[0])
        raise BadInput(
            f"Layer {layer!r:.60} says nan or infinity for row {row}; needed are finite numbers. Check how the inputs are "
            "scaled, or repair the model."
        )


def _varying(layer: str, widths: set[int]) -> BadInput:
    return BadInput(
        f"Layer {layer!r:.60} is of varying width ({', '.join(map(str, sorted(widths)[:5]))}); needed is one width for "
        "all inputs. Bring the inputs to one size, or choose another layer."
    )


def _keep(folder: Path, manifest: Manifest, rows: range, layers: Mapping[str, str], said: Mapping[str, Values]) -> None:
    """Puts the values on disk, and only then the manifest that speaks of them."""
    digests = {}
    for role, layer in layers.items():
        width = said[role].shape[1]
        if role not in manifest.roles:
            manifest.roles[role] = RoleRecord(layer=layer, width=width)
            RoleFile(folder, role, manifest.size, width).reopen()
        if manifest.roles[role].width != width:
            raise _varying(layer, {manifest.roles[role].width, width})
        digests[role] = RoleFile(folder, role, manifest.size, width).write(rows, said[role])
    for role, digest in digests.items():
        manifest.roles[role].digests[rows.start] = digest
    manifest.save(folder)
