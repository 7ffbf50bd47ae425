"""Weights a demo has trained, kept under a name that says their content, so that a damaged file is never used."""

import os
import secrets
from pathlib import Path

from testimate.core import fingerprint
from testimate.core.errors import StoreUnavailable, SubjectChanged


def find_weights(place: Path, recipe: str) -> str | None:
    """The fingerprint of the first sound weights of that recipe in the folder, or None where there are none."""
    for path in sorted(place.glob(f"{recipe}-*.pt")):
        claimed = path.stem.removeprefix(f"{recipe}-")
        try:
            if fingerprint.of_bytes(path.read_bytes()) == claimed:
                return claimed
        except OSError:  # unreadable is as good as damaged: trained again
            continue
    return None


def keep_weights(place: Path, recipe: str, content: bytes) -> str:
    """Writes the weights whole or not at all and returns their fingerprint; StoreUnavailable where that fails."""
    digest = fingerprint.of_bytes(content)
    try:
        place.mkdir(parents=True, exist_ok=True)
        part = place / f"{secrets.token_hex(8)}.part"
        try:
            with part.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, _path(place, recipe, digest))
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"The demo's weights could not be kept in {place} ({error.strerror}); expected a folder that can be written "
            "and has room. Free space or choose another project folder."
        ) from error
    return digest


def read_weights(place: Path, recipe: str, digest: str) -> bytes:
    """The weights of that fingerprint; SubjectChanged where the file is gone or no longer what it was."""
    path = _path(place, recipe, digest)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SubjectChanged(
            f"The demo's weights {path.name} are gone ({error.strerror}); expected the file that was there when the "
            "demo was opened. Open the demo again to train them again."
        ) from error
    if fingerprint.of_bytes(content) != digest:
        raise SubjectChanged(
            f"The demo's weights {path.name} were changed on disk; expected the file that was there when the demo was "
            "opened. Open the demo again to train them again."
        )
    return content


def _path(place: Path, recipe: str, digest: str) -> Path:
    return place / f"{recipe}-{digest}.pt"
