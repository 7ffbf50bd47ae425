"""Zips of unknown origin that hold one table: a workbook, a log of inspect_ai, or a file of any kind that is read here."""

import copy
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from shlex import quote
from typing import Any

from testimate.core.errors import BadInput, TestimateError
from testimate.core.files import PACKINGS, check_directory, check_member
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.kinds import SQLITE, START_BYTES, TABLE_ENDINGS, TABLE_KINDS, is_json

MOST_MEMBERS = 200_000
"""Files in a zip: a log of inspect_ai has one for each sample."""

SAMPLES, HEADER = "samples/", "header.json"
"""Where a log of inspect_ai has its samples, and what tells it from other zips."""

BESIDE = ("__MACOSX/", ".")
"""How the names of files begin that systems add to a zip."""

SHEETS = "xl/worksheets/"
"""Where a workbook has its sheets."""


@contextmanager
def opened_zip(content: bytes | Path, name: str) -> Iterator[zipfile.ZipFile]:
    """Open a zip, in memory or on disk; the errors of a damaged one are BadInput, also while its files are read."""
    try:
        with BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
            check_directory(file, name, MOST_MEMBERS)
            with zipfile.ZipFile(file) as archive:
                yield archive
    except TestimateError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError, struct.error) as error:
        raise BadInput(
            f"{name!r:.200} is a zip that is damaged or cut off ({error!s:.80}). Expected a complete one. Copy or download it "
            "again."
        ) from error


def pieces_of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the bytes of a file in a zip, a megabyte at a time and to its end, however long it claims to be."""
    check_member(member)
    whole = copy.copy(member)
    whole.file_size = limits.MAX_UNPACKED_BYTES + 1
    with archive.open(whole) as stream:
        while piece := stream.read(1 << 20):
            yield piece


def bytes_of_members(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> Iterator[bytes]:
    """Yield the whole content of each file; BadInput where all together unpack to more than the limit."""
    total = 0
    for member in members:
        pieces = []
        for piece in pieces_of_member(archive, member):
            total += len(piece)
            if total > limits.MAX_UNPACKED_BYTES:
                raise limits.too_large("or more bytes when unpacked", total, limits.MAX_UNPACKED_BYTES)
            pieces.append(piece)
        yield b"".join(pieces)


ABOUT = re.compile(
    r"(read[ _-]?me|licen[cs]e|copying|notice|citation|change[ _-]?log|authors|about|terms.*)(\.\w+)?"
    r"|.*\.(md|rst|pdf|html?|ya?ml|toml|ini|cfg|log)"
    r"|(.*[._-])?(config|configuration|params|parameters|hparams|args|settings|metrics|metadata|info|summary|environment"
    r"|requirements)\.(json|txt)",
    re.IGNORECASE,
)
"""Names of files that say something about the others."""


def members_of(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of a zip without folders and what systems add, and, if one other is left, without what is about it."""
    found = [
        one
        for one in archive.infolist()
        if not one.filename.endswith("/")
        and not any(part.startswith(BESIDE) for part in (one.filename, one.filename.rpartition("/")[2]))
    ]
    others = [one for one in found if not ABOUT.fullmatch(one.filename.rpartition("/")[2])]
    return others if len(others) == 1 else found


def is_workbook(members: list[zipfile.ZipInfo]) -> bool:
    """Return whether a zip of these files is a workbook."""
    return any(one.filename.startswith(SHEETS) and one.filename.endswith(".xml") for one in members)


def is_inspect_log(members: list[zipfile.ZipInfo]) -> bool:
    """Return whether a zip of these files is a log of inspect_ai."""
    names = {one.filename for one in members}
    return any(name.startswith(SAMPLES) and name.endswith(".json") for name in names) and (
        HEADER in names or any(name.startswith("_journal/") for name in names)
    )


def samples_of_log(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> list[Mapping[str, Any]]:
    """Return the samples of a log of inspect_ai; BadInput where its compression is not one that Python reads."""
    chosen = [one for one in members if one.filename.startswith(SAMPLES) and one.filename.endswith(".json")]
    if any(one.compress_type not in PACKINGS for one in chosen):
        raise BadInput(
            f"{name!r:.200} is a log of inspect_ai in its newer compression. Expected one of the older, or JSON. Run "
            f"inspect log convert {name:.100} --to json --output-dir logs-json and open what it wrote."
        )
    samples: list[Mapping[str, Any]] = []
    for member, content in zip(chosen, bytes_of_members(archive, chosen), strict=True):
        try:
            sample = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{member.filename!r:.100} in {name!r:.100} is not readable as JSON ({error!s:.80}). Expected a complete log. "
                "Copy it again."
            ) from None
        if isinstance(sample, dict):
            samples.append(sample)
    return samples


def holds_one_table(content: bytes | Path, name: str) -> bool:
    """Return whether a zip is a workbook, a log of inspect_ai, or has one table in it; False where it is damaged.

    A file of texts, and what may be one part of a dataset, a Parquet or an Arrow file, is no table by itself here.
    """
    try:
        with opened_zip(content, name) as archive:
            members = members_of(archive)
            if is_workbook(members) or is_inspect_log(members):
                return True
            if len(members) != 1 or members[0].filename.lower().endswith((*PARTS, ".npy", ".txt")):
                return False
            check_member(members[0])
            with archive.open(members[0]) as stream:
                start = stream.read(START_BYTES)
    except BadInput:
        return False
    named = members[0].filename.lower().endswith((".csv", ".tsv", ".csv.gz"))
    return named or is_json(start) or start.startswith(SQLITE)


PARTS = (".parquet", ".pq", ".arrow")


def only_table(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> tuple[str, bytes]:
    """Return the name and the content of the only file in a zip; BadInput where there are several, or none."""
    if any(one.filename.startswith(("word/", "ppt/")) for one in members):
        raise BadInput(
            f"{name!r:.200} is a document of Word or PowerPoint. Expected a table: {TABLE_KINDS}. Save the table in it as CSV."
        )
    if len(members) != 1:
        some = f", such as {members[0].filename!r:.60}" if members else ""
        first = next((one.filename for one in members if one.filename.lower().endswith(TABLE_ENDINGS)), "")
        way = (
            f"Run unzip -j {quote(name):.100} {quote(first):.100} and name that"
            if first
            else "Unpack it and name the table"
        )
        raise BadInput(
            f"{name!r:.200} is a zip of {commas(len(members))} files{some}. Expected one table in it. {way}. Inputs of a "
            f"model: testimate features MODEL {quote(name):.100} --out table.parquet."
        )
    return members[0].filename, next(bytes_of_members(archive, members))
