"""What a file in a backup may be called: the same rules when a backup is written, checked and restored."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from testimate.core.visible_text import CONTROLS, HALVES
from testimate.project.files import DEVICES

COMPUTED_AGAIN = ("cache", "descriptions")
"""Folders of a project that are left out: all in them is computed from the rest."""

PART_BYTES, NAME_BYTES = 255, 1_024
"""The longest name of a file or folder, and of all folders with the file, in UTF-8; file systems take that much."""


def is_left_out(parts: Sequence[str]) -> bool:
    """Whether a backup leaves a file out: it is computed again, half written, or part of the labels.

    >>> is_left_out(("cache", "a.npy")), is_left_out(("labels.sqlite-wal",)), is_left_out(("models", "labels.txt"))
    (True, True, False)
    """
    first, last = parts[0].casefold(), parts[-1].casefold()
    return first in COMPUTED_AGAIN or first.startswith("labels.") or last.endswith((".part", ".lock"))


def wrong_name(names: Iterable[str]) -> str:
    """Returns what is wrong with the first name that cannot be that of a file in a backup, "" if all are right.

    Names are with slashes, from the project's folder. Right is what every system keeps as it is: Windows takes some
    characters and names for its own and drops a dot at the end, macOS and Windows take a capital letter and a small one for
    the same, macOS also two ways to write an accent.

    >>> wrong_name(["models/net.onnx", "models/aux.onnx"])
    "'models/aux.onnx': 'aux' means a device on Windows"
    """
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        why = next((why for is_wrong, why in _RULES if is_wrong(name)), "") or _wrong_part(name)
        if why:
            return f"{name!r:.80}: {why}"
        folded = _folded(name)
        if folded in files:
            return f"{name!r:.80}: many systems take it for {files[folded]!r:.80}"
        files[folded] = name
        for parent in PurePosixPath(folded).parents[:-1]:
            folders.setdefault(str(parent), name)
    clash = next((one for one in files if one in folders), None)
    return f"{files[clash]!r:.80}: the folder of {folders[clash]!r:.80} has the same name" if clash is not None else ""


def _wrong_part(name: str) -> str:
    for part in name.split("/"):
        if DEVICES.fullmatch(part.split(".", 1)[0].strip()):
            return f"{part.split('.', 1)[0]!r:.80} means a device on Windows"
        if len(part.encode()) > PART_BYTES:
            return f"a name has at most {PART_BYTES} bytes"
        if part.endswith((".", " ")):
            return "Windows drops a dot or a space at the end"
    return ""


def _folded(name: str) -> str:
    """The name as a file system holds it that tells neither capital letters nor ways to write an accent apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _leads_out(name: str) -> bool:
    return not name or name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/"))


def _has_odd_characters(name: str) -> bool:
    return re.search(rf'[\\:*?"<>|\t\n\r{CONTROLS}{HALVES}]', name) is not None


_RULES: tuple[tuple[Callable[[str], bool], str], ...] = (
    (_leads_out, "it is not a path inside the project"),
    (_has_odd_characters, "it has a character that not every system allows"),
    (lambda name: len(name.encode()) > NAME_BYTES, f"a path has at most {NAME_BYTES} bytes"),
    (lambda name: is_left_out(name.split("/")), "backups leave this file out"),
)
