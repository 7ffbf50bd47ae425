"""Texts for a model of tokens: the files of a tokenizer beside the model, and the text split by it in the model's process.

The files are tokenizer.json, and what Hugging Face's other two files say about it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.plug_ins import missing_extra
from testimate.core.words import commas
from testimate.models.confinement import Device
from testimate.models.description import ModelDescription, Opened
from testimate.models.graph import MADE_UP_TEXTS
from testimate.models.onnx_parts import has_onnx, unpacked

FILLER = -1
"""Marks padding, because the number of the padding token may also occur inside a text."""

LONGEST = 1_000_000
"""Most tokens; transformers writes 1e30 for a model without a limit."""

FIXED = ("logits", "CON", "OUT")
"""Roles whose width must not depend on the length of the text, or the model cannot be used."""


class TokenCutter:
    """A tokenizer of the library tokenizers, with the choices about it.

    ``padding`` : number of the padding token, None if unknown. ``length`` : tokens for every text, None for the length
        of the longest in a batch. BadInput where the file is not one of that library.
    """

    def __init__(self, content: bytes, model: ModelDescription) -> None:
        try:
            # Here, because a tokenizer.json is a stranger's file too: decision 52.
            from tokenizers import Tokenizer
        except ImportError as error:
            raise missing_extra(
                "tokenizers",
                "The tokenizer.json beside the model",
                "say under [preprocessing] in NAME.toml beside the model how texts become tokens",
            ) from error
        said = json.loads(content)
        try:
            self._tokenizer = Tokenizer.from_str(said["tokenizer"])
        except Exception as error:  # the library raises a bare Exception
            raise BadInput(
                f"tokenizer.json beside the model cannot be read ({error!s:.150}). Expected what tokenizer.save() or "
                "save_pretrained() of transformers wrote. Save it again."
            ) from error
        settings: Mapping[str, Any] = said["settings"]
        filled, cut = self._tokenizer.padding or {}, self._tokenizer.truncation or {}
        self.padding = model.pad if model.pad is not None else self._padding_token(filled, settings)
        self.length: int | None = model.length or filled.get("length")
        self._before = (filled.get("direction") or settings.get("padding_side")) == "left"
        most = self.length or cut.get("max_length") or settings.get("model_max_length")
        self.most = int(most) if isinstance(most, int | float) and 0 < most < LONGEST else None
        self._tokenizer.no_padding()
        if self.most is None:
            self._tokenizer.no_truncation()
        else:
            side = "left" if cut.get("direction") == "left" else "right"
            self._tokenizer.enable_truncation(self.most, direction=side)

    def _padding_token(self, filled: Mapping[str, Any], settings: Mapping[str, Any]) -> int | None:
        if "pad_id" in filled:
            return int(filled["pad_id"])
        named = settings.get("pad_token")
        named = named.get("content") if isinstance(named, dict) else named
        names = [named] if isinstance(named, str) else ["[PAD]", "<pad>"]
        found = (self._tokenizer.token_to_id(name) for name in names)
        return next((token for token in found if token is not None), None)

    def settle_length(self, length: int | None) -> None:
        """Texts get as many tokens as the model takes, if it takes only one length."""
        if length is not None:
            self.length = self.most = length
            self._tokenizer.enable_truncation(length)

    def cut(self, texts: Sequence[str], *, filler: int) -> NDArray[np.int64]:
        """The numbers of the tokens (n, length), with ``filler`` after or before those of a shorter text."""
        found = [one.ids for one in self._tokenizer.encode_batch([str(text) for text in texts])]
        length = self.length or max(1, *map(len, found))
        ids = np.full((len(found), length), filler, dtype=np.int64)
        for row, tokens in enumerate(found):
            start = length - len(tokens) if self._before else 0
            ids[row, start : start + len(tokens)] = tokens
        return ids

    @property
    def sentence(self) -> str:
        """What is done to a text, in words."""
        far = f"every text of {commas(self.length)} tokens" if self.length else "padded to the longest of a batch"
        most = f", at most {commas(self.most)}" if self.most and not self.length else ""
        return f"texts are cut into tokens by tokenizer.json ({commas(self._tokenizer.get_vocab_size())} tokens), {far}{most}"


class TextModel:
    """A model of tokens as one of texts.

    Roles whose layer is wider for a longer text are left out, because features must have the same width for all inputs.
    Raises BadInput where the padded length is unknown and the model, without a mask, would depend on it.
    """

    def __init__(self, model: Opened, cutter: TokenCutter, filler: int) -> None:
        self._model, self._cutter, self._filler = model, cutter, filler
        self.fingerprint, self.layers = model.fingerprint, model.layers
        self.facts = facts = model.facts
        [length] = facts.input_shape
        cutter.settle_length(length)
        if not facts.masks and cutter.length is None:
            raise BadInput(
                "The model takes no attention_mask, so its answer depends on how far a text is padded. Expected that length in "
                "tokenizer.json. Write length = 128, or what it was trained with, under [preprocessing] "
                "into NAME.toml beside the model, or save the tokenizer after tokenizer.enable_padding(length=128)."
            )
        if not facts.masks and cutter.padding is None:
            raise BadInput(
                "Nothing says which token pads a text. Expected a padding token in tokenizer.json. Write pad = 0, or "
                "the number "
                "the model was trained with, under [preprocessing] into NAME.toml beside the model."
            )
        texts = np.array([MADE_UP_TEXTS[0], " ".join(MADE_UP_TEXTS)])
        short, long = (self._widths(texts[place : place + 1], facts.roles) for place in (0, 1))
        self.roles: Mapping[str, str] = {
            role: layer for role, layer in facts.roles.items() if short[role] == long[role]
        }
        if left := [role for role in facts.roles if role in FIXED and role not in self.roles]:
            raise BadInput(
                f"The model gives more numbers for a longer text ({left[0]}: {short[left[0]]} and {long[left[0]]}). "
                "Expected one "
                "row of scores per text. Export one that gives the scores of the whole text."
            )
        lost = ", ".join(role for role in facts.roles if role not in self.roles)
        notes = (cutter.sentence, *([f"no {lost}, which is wider for a longer text"] if lost else []))
        self.facts = replace(
            facts,
            roles=self.roles,
            widths={role: long[role] for role in self.roles},
            input_shape=(),
            input_type="str",
            channels=None,
            notes=(*facts.notes, *notes),
        )

    @property
    def device(self) -> Device:
        """The device it runs on."""
        return self._model.device

    def run(self, batch: NDArray[Any], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Outputs of the named layers for texts (n,), each (n, width) float32."""
        if batch.dtype.kind != "U":
            raise BadInput("The model takes texts, which its tokenizer cuts. Expected these. Leave tokens at none.")
        return self._model.run(self._cutter.cut(list(batch), filler=self._filler), layers)

    def _widths(self, texts: NDArray[Any], roles: Mapping[str, str]) -> Mapping[str, int]:
        said = self.run(texts, list(roles.values()))
        return {role: said[layer].shape[1] for role, layer in roles.items()}


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
            f"{TOKENIZER} beside the model is not text in UTF-8. Expected what tokenizer.save() wrote. Save it again."
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
        content = model.read_bytes()
        held = unpacked(content).beside if has_onnx(content) else {}
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
        f"{name} beside the model has {commas(size)} bytes. Expected at most {commas(MOST_BYTES)}. Remove it, and "
        "bring token ids or a prediction table."
    )


def _json(data: bytes | None) -> Mapping[str, Any]:
    """The JSON object in the file; empty if it is not one, because many programs write files of these names."""
    try:
        said = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
