"""The record of what is finished in one folder of the cache: row ranges with the digest of their values."""

import json
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from testimate.core.files import replace_file
from testimate.feature_cache import writers
from testimate.feature_cache.role_file import RoleFile
from testimate.feature_cache.storing import storing
from testimate.feature_cache.writers import Writers

VERSION = 2
MANIFEST_NAME = "manifest.json"
BETWEEN = 0.1
"""Seconds between two saves of a run: what a killed one loses of finished ranges, and time that quick models do not spend."""


@dataclass
class RoleRecord:
    """What is finished of one role.

    Attributes
    ----------
    layer : that plays it. width : numbers per input. dtype : of them, as numpy writes it into a file's header.
    digests : of finished row ranges, by their first row; empty where the role is known but was never asked for.
    """

    layer: str
    width: int
    dtype: str = "<f4"
    digests: dict[int, str] = field(default_factory=dict)


@dataclass
class Manifest:
    """One model on one dataset.

    Attributes
    ----------
    name : of the subject, for people. model, dataset : their fingerprints. size : N.
    step : rows in a range; ranges begin at 0, step, 2 step and so on, and the last one ends at N.
    layers : every role the model has, with the layer that plays it.
    roles : those whose width is known, and what is finished of them.
    """

    name: str
    model: str
    dataset: str
    size: int
    step: int
    layers: dict[str, str] = field(default_factory=dict)
    roles: dict[str, RoleRecord] = field(default_factory=dict)

    def ranges(self) -> list[range]:
        """All row ranges, in order."""
        return [range(start, min(start + self.step, self.size)) for start in range(0, self.size, self.step)]

    def is_whole(self, role: str) -> bool:
        """Whether every range of the role is finished."""
        return role in self.roles and all(rows.start in self.roles[role].digests for rows in self.ranges())

    def begun(self) -> tuple[str, ...]:
        """The roles of which something is finished."""
        return tuple(role for role, record in self.roles.items() if record.digests)

    def file(self, folder: Path, role: str) -> RoleFile:
        """The file of a role whose width is known."""
        return RoleFile(folder, role, self.size, self.roles[role].width, self.roles[role].dtype)

    def below(self, largest: int) -> tuple[str, ...] | None:
        """The model's roles whose files take at most ``largest`` bytes; None where a width is not known yet."""
        if not self.layers or any(role not in self.roles for role in self.layers):
            return None
        return tuple(role for role in self.layers if self.bytes_of(role) <= largest)

    def bytes_of(self, role: str) -> int:
        """Bytes of all values of a role whose width is known."""
        record = self.roles[role]
        return self.size * record.width * int(record.dtype[-1])

    def save(self, folder: Path) -> None:
        """Replaces the manifest on disk; called only after the values it names were written."""
        replace_file(folder / MANIFEST_NAME, self.content())

    def content(self) -> bytes:
        """What is in the file."""
        for record in self.roles.values():
            record.digests = dict(sorted(record.digests.items()))  # the same bytes, in whatever order they came
        roles = {role: vars(record) for role, record in self.roles.items()}
        return json.dumps({"version": VERSION, **vars(self), "roles": roles}).encode()


class SavedBehind:
    """Saves a manifest and who wrote what again and again in a thread of its own, ``BETWEEN`` seconds apart and when the block
    ends.

    Raises StoreUnavailable where the one before could not be saved.
    """

    def __init__(self, folder: Path, manifest: Manifest, writers: Writers) -> None:
        self._folder, self._manifest, self._writers = folder, manifest, writers
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None
        self._next, self._waits = 0.0, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._waits:
            self._submit()
        self._thread.shutdown()
        if error is None:
            self._check()

    def save(self) -> None:
        """Replaces the manifest on disk soon, by its content then."""
        self._waits = True
        if time.monotonic() >= self._next:
            self._check()
            self._submit()

    def _submit(self) -> None:
        contents = {writers.FILE_NAME: self._writers.content(), MANIFEST_NAME: self._manifest.content()}
        self._last = self._thread.submit(self._replace, contents)
        self._next, self._waits = time.monotonic() + BETWEEN, False

    def _replace(self, contents: dict[str, bytes]) -> None:
        for name, content in contents.items():
            replace_file(self._folder / name, content)

    def _check(self) -> None:
        if self._last is not None:
            with storing(self._folder):
                self._last.result()


def load_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest, or None where there is none that can be understood."""
    try:
        kept = json.loads((folder / MANIFEST_NAME).read_bytes())
        if kept.pop("version") != VERSION:
            return None
        roles = {
            role: RoleRecord(
                layer=str(record["layer"]),
                width=int(record["width"]),
                dtype={"<f4": "<f4", "<f8": "<f8"}[record["dtype"]],
                digests={int(start): str(digest) for start, digest in record["digests"].items()},
            )
            for role, record in kept.pop("roles").items()
        }
        manifest = Manifest(**kept, roles=roles)
        usable = isinstance(manifest.size, int) and isinstance(manifest.step, int) and manifest.step > 0
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest if usable and isinstance(manifest.layers, dict) else None
