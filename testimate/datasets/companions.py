"""Pictures that belong to others and are no inputs: masks and thumbnails, by their names and by what is in them."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.datasets.array_files import words_of
from testimate.datasets.pictures import decoded
from testimate.datasets.rows import Files

BELONGING = (MASKS, THUMBNAILS) = "masks", "thumbnails"

WORDS: Mapping[str, frozenset[str]] = {
    MASKS: frozenset(
        {
            *(
                "mask",
                "masks",
                "seg",
                "segmentation",
                "segmentations",
                "segmap",
                "gt",
                "groundtruth",
                "matte",
                "trimap",
            ),
            *("annotation", "annotations", "label", "labels"),
        }
    ),
    THUMBNAILS: frozenset({"thumb", "thumbs", "thumbnail", "thumbnails", "small", "preview", "previews"}),
}
"""Words in the name of such a picture or of its folder."""

LOOKED_AT, FEW_COLORS, ALIKE = 8, 32, 0.05
"""Pairs that are compared, most colors of a mask, and how far the proportions of a thumbnail may be from its picture's."""


def companions_among(files: Files, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the pictures of each kind that belong to another one in the same folder, or of the same name elsewhere.

    Names say which may, and a few of them have to look so: a mask has few colors and fewer than its picture, a thumbnail has
    its picture's proportions and is smaller. So folders of people with and without a mask are classes.
    """
    found: dict[str, tuple[str, ...]] = {}
    for kind, words in WORDS.items():
        pairs = _pairs(names, words)
        if pairs and all(_belongs(files, kind, *pairs[place]) for place in _some(len(pairs))):
            found[kind] = tuple(name for name, _ in pairs)
    return found


def in_words(found: Mapping[str, Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Facts about such pictures, one for each kind."""
    return tuple(
        (kind, f"{commas(len(some))} beside their pictures, such as {some[0]:.100}") for kind, some in found.items()
    )


def _pairs(names: Sequence[str], words: frozenset[str]) -> list[tuple[str, str]]:
    """Names with such a word, in themselves or in the name of a folder, and the picture that each belongs to."""
    said = re.compile(rf"(?:^|[ ._-]+)(?:{'|'.join(sorted(words))})(?:[ ._-]*[0-9]+)?(?=$|[ ._-])", re.IGNORECASE)
    beside: dict[tuple[str, str], str] = {}
    elsewhere: dict[str, list[str]] = {}
    inside: list[tuple[PurePosixPath, str]] = []
    for name in names:
        path = PurePosixPath(name)
        if any({*words_of(folder)} and {*words_of(folder)} <= words for folder in path.parts[:-1]):
            inside.append((path, name))
            continue
        beside.setdefault((str(path.parent), path.stem), name)
        elsewhere.setdefault(path.stem, []).append(name)
    pairs = []
    for name in names:
        path = PurePosixPath(name)
        bare = said.sub("", path.stem).strip(" ._-")
        other = beside.get((str(path.parent), bare)) if bare and bare != path.stem else None
        if other is not None and other != name:
            pairs.append((name, other))
    for path, name in inside:
        bare = said.sub("", path.stem).strip(" ._-") or path.stem
        others = elsewhere.get(path.stem) or elsewhere.get(bare) or []
        near = [one for one in others if PurePosixPath(one).parts[:-1] == _above(path, words)] or others
        if len(near) == 1:
            pairs.append((name, near[0]))
    return pairs if 2 * len(pairs) >= len(inside) else []


def _above(path: PurePosixPath, words: frozenset[str]) -> tuple[str, ...]:
    """The folders of a picture without those that are called so."""
    return tuple(folder for folder in path.parts[:-1] if not {*words_of(folder)} <= words)


def _some(count: int) -> list[int]:
    return sorted({*np.linspace(0, count - 1, min(count, LOOKED_AT)).astype(int).tolist()})


def _belongs(files: Files, kind: str, name: str, other: str) -> bool:
    """Whether a picture looks as one of this kind does beside the other; False where one cannot be read."""
    with suppress(BadInput):
        own, whole = (decoded(files.read(one), one) for one in (name, other))
        if kind == THUMBNAILS:
            (height, width, _), (tall, wide, _) = own.shape, whole.shape
            return height < tall and width < wide and bool(abs(height * wide / (width * tall) - 1) <= ALIKE)
        colors, others = (len(np.unique(one.reshape(-1, one.shape[2]), axis=0)) for one in (own, whole))
        return colors <= FEW_COLORS and colors < others
    return False
