"""Who wrote which row range of an entry: the machine, the versions of what may change a value, and the device."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from testimate.core.subject import Model
from testimate.engines.host import installed

FILE_NAME = "writers.json"

DEVICE = "the device"


@dataclass(frozen=True)
class Writer:
    """A machine as it was when it wrote: its ``name``, and ``had`` its versions and device by the name of each.

    ``batch_size`` : of the batches the model was run on, which may change last bits.
    """

    name: str
    had: Mapping[str, str]
    batch_size: int

    def words(self) -> str:
        """For a sentence.

        >>> Writer("node-2", {"Testimate": "0a1b", "Python": "3.12.1", "torch": "none"}, 256).words()
        'node-2 (Testimate 0a1b, Python 3.12.1)'
        """
        said = ", ".join(f"{name} {version}" for name, version in self.had.items() if version != "none")
        return f"{self.name} ({said})"


@dataclass
class Writers:
    """The writers of an entry's ranges.

    ``known`` : in the order they came. ``ranges`` : by role and first row, the place of the writer among them.
    """

    known: list[Writer] = field(default_factory=list)
    ranges: dict[str, dict[int, int]] = field(default_factory=dict)

    def note(self, role: str, start: int, writer: Writer) -> None:
        """Remembers who wrote a range."""
        if writer not in self.known:
            self.known.append(writer)
        self.ranges.setdefault(role, {})[start] = self.known.index(writer)

    def of(self, role: str, start: int) -> Writer | None:
        """Who wrote a range; None where that was not kept, as before it was."""
        place = self.ranges.get(role, {}).get(start)
        return None if place is None else self.known[place]

    def content(self) -> bytes:
        """What is in the file."""
        return json.dumps({"known": [asdict(one) for one in self.known], "ranges": self.ranges}).encode()


def load_writers(folder: Path) -> Writers:
    """The writers of an entry; nobody where the file is not there or cannot be understood."""
    try:
        kept: dict[str, Any] = json.loads((folder / FILE_NAME).read_bytes())
        known = [Writer(str(one["name"]), dict(one["had"]), int(one["batch_size"])) for one in kept["known"]]
        ranges = {
            str(role): {int(start): int(place) for start, place in places.items() if 0 <= int(place) < len(known)}
            for role, places in kept["ranges"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Writers()
    return Writers(known, ranges)


def writer_here(model: Model, batch_size: int, name: str = "") -> Writer:
    """This computer, or a machine of that name that proved itself to be like it."""
    return Writer(name or platform.node() or "this computer", {**_installed(), DEVICE: device_of(model)}, batch_size)


def device_of(model: Model) -> str:
    """The kind of device a model runs on: cpu or cuda."""
    return str(getattr(model, "device", None) or "cpu").split(":")[0]


@lru_cache(maxsize=1)
def _installed() -> Mapping[str, str]:
    """What is installed; it does not change while a process runs."""
    return installed()
