"""Texts and source code as a dataset: the text itself for a person, its tokens or the text for the model."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.core.visible_text import whole_characters
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.preprocessing import Preprocessing, prepared_fingerprint
from testimate.datasets.rows import Contents, checked_row, checked_rows


class TextSource(Protocol):
    """What holds the texts of a dataset: its number of rows, and the text of each."""

    fingerprint: str

    def __len__(self) -> int: ...

    def text(self, row: int) -> str:
        """The text of one row."""
        ...

    def digests(self) -> Iterator[bytes]:
        """A digest of each text."""
        ...


class TextList:
    """Texts in memory, or in an object whose ``cell`` gives the text of a row."""

    def __init__(self, size: int, cell: Callable[[int], str], digest: str) -> None:
        self._size, self._cell, self.fingerprint = size, cell, digest

    def __len__(self) -> int:
        return self._size

    def text(self, row: int) -> str:
        """The text of one row."""
        return checked_text(self._cell(row), f"row {row}")

    def digests(self) -> Iterator[bytes]:
        """A digest of each text."""
        texts = (self._cell(row).encode("utf-8", "surrogatepass") for row in range(len(self)))
        return (hashlib.blake2b(text, digest_size=16).digest() for text in texts)


class TextFiles:
    """Texts in files, read on demand."""

    def __init__(self, contents: Contents) -> None:
        self._contents, self.fingerprint = contents, contents.fingerprint

    def __len__(self) -> int:
        return len(self._contents)

    def text(self, row: int) -> str:
        """The text of one file."""
        return text_of(self._contents.read(row), self._contents.name(row))

    def digests(self) -> Iterator[bytes]:
        """A digest of each file."""
        return self._contents.digests()


BYTES = 8
"""Of a token's number; a letter of a text takes half as much, and the text is also held as UTF-8 on its way."""

MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""First bytes that mark a file in another encoding than UTF-8, and that encoding."""

CONVERT = "Convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW, or save it as UTF-8"


def text_of(content: bytes, name: str) -> str:
    """The text, in UTF-8 or as its first bytes say; BadInput where it is neither or above ``limits.MAX_TEXT_LENGTH``."""
    try:
        text = content.decode(MARKS.get(content[:2], "utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{name!r:.100} contains characters that are not UTF-8 in line {line}. Expected text in UTF-8. {CONVERT}; or take "
            "it out."
        ) from error
    return checked_text(text, name)


def checked_text(text: str, name: str) -> str:
    """The text; BadInput where it is longer than ``limits.MAX_TEXT_LENGTH``, or contains half of a surrogate pair."""
    if len(text) > limits.MAX_TEXT_LENGTH:
        raise limits.too_large(
            f"characters in {name!r:.60}", len(text), limits.MAX_TEXT_LENGTH, "Shorten it or take it out."
        )
    return whole_characters(text, name)


def text_list(texts: Sequence[str]) -> TextList:
    """Texts in memory, with the fingerprint of all of them."""
    digest = fingerprint.of_bytes(*(text.encode("utf-8", "surrogatepass") for text in texts))
    return TextList(len(texts), texts.__getitem__, digest)


class TextDataset:
    """Texts prepared for a model."""

    modality: Modality = "text"

    def __init__(self, source: TextSource, preprocessing: Preprocessing) -> None:
        self.source, self.preprocessing = source, preprocessing
        self.content_fingerprint = source.fingerprint
        self.fingerprint = prepared_fingerprint(source.fingerprint, preprocessing)
        self._places = {token: place for place, token in enumerate(preprocessing.vocabulary)}

    def __len__(self) -> int:
        return len(self.source)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "TextDataset":
        """The same texts with another preprocessing."""
        return TextDataset(self.source, preprocessing)

    def digests(self) -> Iterator[bytes]:
        """A digest of each text."""
        return self.source.digests()

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The tokens' numbers, (len(rows), length) int64; or the texts, (len(rows),) str, if they are not split."""
        return self.batch_of([self.source.text(int(row)) for row in checked_rows(rows, len(self))])

    def batch_of(self, texts: Sequence[str]) -> NDArray[Any]:
        """Any texts, prepared as ``batch`` prepares those of the dataset."""
        self._check_batch(texts)
        if self.preprocessing.tokens == "none":
            return np.array(texts, dtype=np.str_)
        tokens = [np.fromiter(self._numbers(text), dtype=np.int64) for text in texts]
        return filled(tokens, self.preprocessing, "texts")

    def _check_batch(self, texts: Sequence[str]) -> None:
        """BadInput if the texts would take too much memory as the model is given them."""
        length = max(map(len, texts), default=0)
        if self.preprocessing.tokens != "none":
            length = min(length, self.preprocessing.length or length)
        if (needed := len(texts) * length * BYTES) > limits.MAX_BATCH_BYTES:
            raise BadInput(
                f"A batch of {commas(len(texts))} texts, the longest of {commas(length)} characters, takes "
                f"{commas(needed)} bytes. Expected at most {commas(limits.MAX_BATCH_BYTES)}. Lower the batch size, or cut "
                "the texts to the length that the model takes."
            )

    def show(self, row: int) -> Shown:
        """The text as it is stored."""
        return Shown(modality="text", text=self.source.text(checked_row(row, len(self))))

    def _numbers(self, text: str) -> Iterator[int]:
        """The numbers of the tokens, no more of them than ``filled`` keeps."""
        kept = kept_of(self.preprocessing)
        if self.preprocessing.tokens == "bytes":
            return iter(text.encode("utf-8", "replace")[kept])
        tokens = text[kept] if self.preprocessing.tokens == "characters" else text.lower().split()[kept]
        return (self._places.get(token, self.preprocessing.unknown) for token in tokens)


def kept_of(preprocessing: Preprocessing) -> slice:
    """Which tokens of a text are kept: the first ones, or the last ones if it is padded before them."""
    if preprocessing.length is None:
        return slice(None)
    return slice(preprocessing.length) if preprocessing.padding == "after" else slice(-preprocessing.length, None)


def filled(sequences: Sequence[NDArray[Any]], preprocessing: Preprocessing, what: str) -> NDArray[Any]:
    """The (t,) sequences as one array (n, length), cut or padded; BadInput where their lengths differ and none is set.

    >>> filled([np.array([7, 8, 9]), np.array([5])], Preprocessing(length=2, padding="before"), "texts")
    array([[8, 9],
           [0, 5]])
    """
    lengths = {len(sequence) for sequence in sequences}
    if preprocessing.length is None and len(lengths) > 1:
        raise BadInput(
            f"The {what} are of different lengths ({commas(min(lengths))} to {commas(max(lengths))}). Expected one for the "
            "model. Choose a length to cut or pad them to."
        )
    length = preprocessing.length or max(lengths, default=0)
    kind = sequences[0].dtype if sequences else np.dtype(np.int64)
    table = np.full((len(sequences), length), preprocessing.pad, dtype=kind)
    for place, sequence in enumerate(sequences):
        count = min(len(sequence), length)
        if preprocessing.padding == "after":
            table[place, :count] = sequence[:count]
        elif count:
            table[place, -count:] = sequence[-count:]
    return table
