"""The record of what is finished in one folder of the cache: row ranges with the digest of their values."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from testimate.feature_cache.storing import replace_whole

VERSION = 1
FILE_NAME = "manifest.json"


@dataclass
class RoleRecord:
    """What is finished of one role: the layer that plays it, its width, and digests by the first row of each range."""

    layer: str
    width: int
    digests: dict[int, str] = field(default_factory=dict)


@dataclass
class Manifest:
    """One model on one dataset.

    Attributes
    ----------
    name : of the subject, for people. model, dataset : their fingerprints. size : N.
    step : rows in a range; ranges begin at 0, step, 2 step and so on, and the last one ends at N.
    roles : what is finished, by role.
    """

    name: str
    model: str
    dataset: str
    size: int
    step: int
    roles: dict[str, RoleRecord] = field(default_factory=dict)

    def ranges(self) -> list[range]:
        """All row ranges, in order."""
        return [range(start, min(start + self.step, self.size)) for start in range(0, self.size, self.step)]

    def is_whole(self, role: str) -> bool:
        """Whether every range of the role is finished."""
        return role in self.roles and all(rows.start in self.roles[role].digests for rows in self.ranges())

    def save(self, folder: Path) -> None:
        """Replaces the manifest on disk; called only after the values it speaks of are there."""
        replace_whole(folder / FILE_NAME, json.dumps({"version": VERSION, **asdict(self)}).encode())


def load_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest, or None where there is none that can be understood."""
    try:
        kept = json.loads((folder / FILE_NAME).read_bytes())
        if kept.pop("version") != VERSION:
            return None
        roles = {
            role: RoleRecord(
                layer=str(record["layer"]),
                width=int(record["width"]),
                digests={int(start): str(digest) for start, digest in record["digests"].items()},
            )
            for role, record in kept.pop("roles").items()
        }
        manifest = Manifest(**kept, roles=roles)
        usable = isinstance(manifest.size, int) and isinstance(manifest.step, int) and manifest.step > 0
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest if usable else None
