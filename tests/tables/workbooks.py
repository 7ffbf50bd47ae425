"""Workbooks as Excel writes them, made part by part, so that tests say what stands in each."""

import io
import string
import zipfile
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{sheets}</Types>'
)
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"


def workbook(
    rows: Sequence[Sequence[Any]],
    *,
    other: Sequence[Sequence[Any]] | None = None,
    merged: Sequence[str] = (),
    far: str = "",
) -> bytes:
    """The rows as an Excel workbook (ECMA-376), its header first.

    A pair is a formula and its saved value, or None. ``other`` : a second sheet; ``far`` : the place of one more cell.
    """
    sheets = [rows, *([] if other is None else [other])]
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    named = "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in range(1, len(sheets) + 1))
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEET}"/>' for n in range(1, len(sheets) + 1)
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    files = {
        "[Content_Types].xml": _TYPES.format(sheets=parts),
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{_RELATED}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{related}</Relationships>',
        **{f"xl/worksheets/sheet{n}.xml": _sheet(lines, merged, far) for n, lines in enumerate(sheets, 1)},
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return held.getvalue()


def _sheet(rows: Sequence[Sequence[Any]], merged: Sequence[str], far: str) -> str:
    lines = "".join(
        f'<row r="{row}">{"".join(_cell(f"{chr(64 + column)}{row}", value) for column, value in enumerate(line, 1))}</row>'
        for row, line in enumerate(rows, 1)
    )
    if far:
        lines += f'<row r="{far.lstrip(string.ascii_uppercase)}">{_cell(far, "far")}</row>'
    joined = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
    joined = f"<mergeCells>{joined}</mergeCells>" if joined else ""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData>{joined}</worksheet>'


def _cell(place: str, value: Any) -> str:
    if isinstance(value, tuple):
        formula, saved = value
        return f'<c r="{place}"><f>{formula[1:]}</f>{"" if saved is None else f"<v>{saved}</v>"}</c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
