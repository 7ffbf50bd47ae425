"""Pictures a demo has drawn for people, kept under names that say their content, so that a damaged one is never shown."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from testimate.core import fingerprint

MOST = 1_000
"""Views kept in a folder: of the road about 50 MB, and more than a session looks at; the others are drawn every time."""


class KeptViews:
    """Views by row, as files; a view that is not kept, or not as it was written, is drawn and kept.

    A folder that cannot be written is no error: what it cannot keep is drawn every time.

    Parameters
    ----------
    folder : of views that are all drawn in the same way; made when one is kept. draw : the view of a row, as PNG.
    """

    def __init__(self, folder: Path, draw: Callable[[int], bytes]) -> None:
        self._folder, self._draw = folder, draw
        self._digests: dict[int, str] | None = None

    def view(self, row: int) -> bytes:
        """The view of that row, as PNG."""
        if self._digests is None:
            self._digests = {}
            for path in self._folder.glob("*-*.png"):
                number, _, digest = path.stem.partition("-")
                if number.isdecimal():
                    self._digests[int(number)] = digest
        kept = self._read(row, self._digests.get(row, ""))
        if kept is not None:
            return kept
        drawn = self._draw(row)
        if row in self._digests or len(self._digests) < MOST:
            self._digests[row] = digest = fingerprint.of_bytes(drawn)
            self._keep(self._path(row, digest), drawn)
        return drawn

    def _path(self, row: int, digest: str) -> Path:
        return self._folder / f"{row}-{digest}.png"

    def _read(self, row: int, digest: str) -> bytes | None:
        if not digest:
            return None
        try:
            content = self._path(row, digest).read_bytes()
        except OSError:  # unreadable is as good as damaged: drawn again
            return None
        return content if fingerprint.of_bytes(content) == digest else None

    def _keep(self, path: Path, content: bytes) -> None:
        """Writes the view whole or not at all; not flushed, for one that a power cut takes is drawn again."""
        part = path.with_name(f"{secrets.token_hex(8)}.part")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(content)
                os.replace(part, path)
            finally:
                part.unlink(missing_ok=True)
