"""Hold what one case left behind: named fields of text, without what differs from run to run."""

import base64
import dataclasses
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = {".csv", ".json", ".jsonl", ".html", ".md", ".xml", ".svg", ".txt", ".toml", ".bib", ".yaml"}
ARCHIVES = {".zip", ".testimate", ".npz"}
LONGEST = 40
"""Values of an array that are shown; its digest stands for the others."""

MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?")

EMBEDDED = re.compile(r"data:[a-z]+/([a-z]+)[^,\"']*;base64,([A-Za-z0-9+/]+=*)")
"""A file inside a page."""


class Recording:
    """Fields of text by name, and pictures in PNG.

    ``hidden`` are texts that differ from run to run, each with what stands for it.
    """

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.pictures: dict[str, bytes] = {}
        self.hidden: dict[str, str] = {}
        self._used: dict[str, int] = {}

    def label(self, name: str) -> str:
        """Return the name, with a number if it was taken before."""
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name} {self._used[name]}"

    def hide(self, text: str, placeholder: str) -> None:
        """Replace the text everywhere by the placeholder."""
        self.hidden[text] = placeholder

    def write(self, path: Path) -> None:
        """Write the fields as JSON, each in its lasting form, and the pictures into a folder beside it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = {lasting(name, self.hidden): lasting(text, self.hidden) for name, text in self.fields.items()}
        for name, picture in self.pictures.items():
            path.with_suffix("").mkdir(exist_ok=True)
            (path.with_suffix("") / f"{name}.png").write_bytes(picture)
        path.write_text(
            json.dumps(fields, indent=1, ensure_ascii=False, default=str), encoding="utf-8", errors="replace"
        )


def lasting(text: str, hidden: Mapping[str, str]) -> str:
    """Return the text with placeholders for hidden texts and for moments of today and of yesterday.

    Other moments come from recorded files and stay.

    >>> lasting("in /tmp/a at 2001-01-01T10:00:00Z", {"/tmp/a": "<case>"})
    'in <case> at 2001-01-01T10:00:00Z'
    """
    for value in sorted(hidden, key=len, reverse=True):
        text = text.replace(value, hidden[value])
    now = datetime.now(UTC)
    recent = {f"{now + timedelta(days=days):%Y-%m-%d}": days for days in (-1, 0, 1)}
    text = MOMENT.sub(lambda found: "<now>" if found[1] in recent else found[0], text)
    for day in recent:
        text = text.replace(day, "<today>")
    return text


def without_seconds(text: str) -> str:
    """Return the text without how long a study took, which is never the same: in JSON, or in a table's column of that name.

    >>> without_seconds('"seconds": 0.25'), without_seconds("rmse,seconds,more\\n0.5,0.25,1\\n")
    ('"seconds": <seconds>', 'rmse,seconds,more\\n0.5,<seconds>,1\\n')
    """
    text = re.sub(r'(?m)(^ *seconds: |"seconds": )[\d.e-]+', r"\1<seconds>", text)
    lines = text.splitlines(keepends=True)
    for mark in (",", "|"):
        headers = [[cell.strip() for cell in line.split(mark)] for line in lines]
        first = next((row for row, cells in enumerate(headers) if "seconds" in cells), len(lines))
        for row in range(first + 1, len(lines)):
            cells, place = lines[row].split(mark), headers[first].index("seconds")
            if len(cells) == len(headers[first]):
                cells[place] = re.sub(r"[\d.e-]*\d[\d.e-]*", "<seconds>", cells[place])
                lines[row] = mark.join(cells)
    return "".join(lines)


def content(path: Path) -> str:
    """Return what a file contains as text: tables and archives unpacked, other bytes by their digest."""
    data = path.read_bytes()
    try:
        return content_of_bytes(path.name, data)
    except ValueError as error:  # a file that a command wrote under another ending
        return f"{error}\n{len(data)} bytes, {digest(data)}"


def content_of_bytes(name: str, data: bytes) -> str:
    """Return the same of bytes with the name of their file."""
    suffix = Path(name).suffix.lower()
    if suffix == ".parquet":
        import pandas as pd

        frame = pd.read_parquet(io.BytesIO(data))
        return f"{dict(frame.dtypes)}\n{frame.to_csv()}"
    if suffix == ".npy":
        return described(np.load(io.BytesIO(data), allow_pickle=False))
    if suffix in ARCHIVES and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "\n".join(
                f"-- {one}\n{content_of_bytes(one, archive.read(one))}" for one in sorted(archive.namelist())
            )
    if suffix in TEXTS:
        text = data.decode("utf-8", "backslashreplace")
        return EMBEDDED.sub(lambda found: content_of_bytes(f"it.{found[1]}", base64.b64decode(found[2])), text)
    return f"{len(data)} bytes, {digest(data)}"


def digest(data: bytes) -> str:
    """Return a short digest of bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def described(value: Any, depth: int = 0) -> str:
    """Return a value as text that is the same wherever its class is defined: records by their fields, arrays by content.

    >>> described({"a": np.arange(3), "b": (1.5, None)})
    'a: int64 (3,) ... [0 1 2]\\nb: 1.5\\n   None'
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if depth > 6:
        return "..."
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    if isinstance(value, Mapping):
        return _lines({str(key): value[key] for key in value}, depth)
    if isinstance(value, str) or value is None or isinstance(value, bool | int | float | np.generic):
        return str(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes, {digest(value)}"
    if hasattr(value, "to_csv"):
        return str(value.to_csv())
    if isinstance(value, Sequence | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        shown = [described(item, depth + 1) for item in items[:LONGEST]]
        more = f"and {len(items) - LONGEST} more, {digest(str(items).encode())}" if len(items) > LONGEST else ""
        return "\n".join([*shown, *([more] if more else [])]) or "none"
    return (
        "a call" if callable(value) else re.sub(r" object at 0x\w+|<class '[\w.]*\.|<[\w.]*\.(?=\w+ )", "", repr(value))
    )


def _array(array: "np.ndarray[Any, Any]") -> str:
    data = repr(array.tolist()).encode() if array.dtype == object else np.ascontiguousarray(array).tobytes()
    few = np.array2string(array.ravel()[:LONGEST], threshold=LONGEST + 1, max_line_width=120)
    return f"{array.dtype} {array.shape} {digest(data)} {few}"


def _lines(fields: Mapping[str, Any], depth: int) -> str:
    lines = []
    for name, value in fields.items():
        text = described(value, depth + 1)
        lines.append(f"{name}: " + text.replace("\n", "\n" + " " * (len(name) + 2)))
    return "\n".join(lines) or "none"
