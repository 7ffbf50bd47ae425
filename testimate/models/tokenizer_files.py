"""The files of a tokenizer beside a model: tokenizer.json, and what Hugging Face's other two files say about it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.models.onnx_parts import unpacked

TOKENIZER, SETTINGS, CONFIG = "tokenizer.json", "tokenizer_config.json", "config.json"
MOST_BYTES = 64_000_000
"""Bytes of one of them; vocabularies of 256,000 tokens take 34 MB."""

ABOVE = "onnx"
"""The folder into which transformers' exports put the model, with the tokenizer above it."""


def tokenizer_of(model: Path) -> bytes:
    """The tokenizer's JSON and what else is known about it, as one JSON record; empty if there is none.

    ``model`` : a file, with the tokenizer beside it; a folder or a zip, with the tokenizer beside the model inside.
    BadInput where a file is too large or not text.
    """
    files = _files(model)
    if TOKENIZER not in files:
        return b""
    said = {**_json(files.get(CONFIG)), **_json(files.get(SETTINGS))}
    known = {name: said[name] for name in ("model_max_length", "pad_token", "padding_side") if name in said}
    try:
        text = files[TOKENIZER].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{TOKENIZER} beside the model is not text in UTF-8; expected what tokenizer.save() wrote. Save it again."
        ) from error
    return json.dumps({"tokenizer": text, "settings": known}).encode()


def padding_token_of(model: Path) -> int | None:
    """Number of the padding token, from config.json beside the model or in its folder or zip; None if unknown."""
    said = _json(_files(model).get(CONFIG)).get("pad_token_id")
    return said if is_whole(said, 0) else None


def _files(model: Path) -> Mapping[str, bytes]:
    """Those of the three that exist, by name."""
    wanted = (TOKENIZER, SETTINGS, CONFIG)
    if model.suffix.lower() == ".zip":
        held = unpacked(model.read_bytes()).beside
        return {name: _within(name, held[name]) for name in wanted if name in held}
    folder = model if model.is_dir() else model.parent
    folders = [folder, *([folder.parent] if folder.name == ABOVE else [])]
    found = {}
    for name in wanted:
        path = next((place / name for place in folders if _is_plain(place / name)), None)
        if path is not None:
            if path.stat().st_size > MOST_BYTES:
                raise _too_large(name, path.stat().st_size)
            found[name] = path.read_bytes()
    return found


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _within(name: str, data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise _too_large(name, len(data))
    return data


def _too_large(name: str, size: int) -> BadInput:
    return BadInput(
        f"{name} beside the model has {spaced(size)} bytes; expected at most {spaced(MOST_BYTES)}. Remove it, and "
        "bring token ids or a prediction table."
    )


def _json(data: bytes | None) -> Mapping[str, Any]:
    """The JSON object in the file; empty if it is not one, because many programs write files of these names."""
    try:
        said = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
