"""Joins a component's ES modules into the one that Streamlit gives to the browser, each in a scope of its own.

Streamlit takes a component's JavaScript as one text or as files of an installed package that its ``pyproject.toml`` declares.
The former works from a checkout, a wheel and a zip alike, so the modules are joined here, without Node: decision 24.
"""

import re
from collections.abc import Sequence
from pathlib import Path

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "(\.{1,2}/[\w/.]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default (?=function )", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import\b(?!\()|export\b).*$", re.MULTILINE)


def joined(entry: Path) -> str:
    """One ES module that does what ``entry`` with its imports does; its default export stays.

    Parameters
    ----------
    entry : a module with ``export default function``. It and what it imports use two forms, one a line:
        ``import { one, other } from "./file.js";`` and ``export`` before a function, class or const at its beginning.

    Raises
    ------
    ValueError
        Where a module is written in another form, imports a name that is not exported, or imports in a circle.
    """
    texts: list[str] = []
    exports: dict[Path, list[str]] = {}
    _add(entry.resolve(), (), texts, exports, entry.resolve())
    return "\n".join(texts)


def _add(file: Path, importers: Sequence[Path], texts: list[str], exports: dict[Path, list[str]], entry: Path) -> None:
    if file in importers:
        circle = " -> ".join(one.name for one in [*importers[importers.index(file) :], file])
        raise ValueError(
            f"{circle}: these modules import each other in a circle. Move what they share to its own module."
        )
    if file in exports:
        return
    if not file.is_file():
        raise ValueError(f"{importers[-1].name} imports {file.name}, which does not exist. Correct the path.")
    source = file.read_text(encoding="utf-8")
    for names, path in _IMPORT.findall(source):
        imported = (file.parent / path).resolve()
        _add(imported, [*importers, file], texts, exports, entry)
        missing = sorted(set(names.split(", ")) - set(exports[imported]))
        if missing:
            raise ValueError(f"{file.name} imports {missing[0]} from {imported.name}, which does not export it.")
    exports[file] = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(lambda found: _bound(file, found), source))
    if file == entry:
        other = _OTHER.search(_DEFAULT.sub("", body))
        texts.append(body)
    else:
        other = _OTHER.search(body)
        texts.append(f"const {_name(file)} = (() => {{\n{body}return {{ {', '.join(exports[file])} }};\n}})();\n")
    if other:
        raise ValueError(
            f"{file.name} has the line {other[0].strip()!r:.80}, which is not joined. Write import {{ name }} from "
            '"./file.js"; or export before a function, class or const.'
        )


def _bound(file: Path, found: re.Match[str]) -> str:
    return f"const {{ {found[1]} }} = {_name((file.parent / found[2]).resolve())};"


def _name(file: Path) -> str:
    return f"${file.parent.name}_{file.stem}"
