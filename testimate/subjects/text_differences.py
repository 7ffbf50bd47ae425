"""Where an output differs from the expected text, word by word, so that a tester sees it at once."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_SENTENCES = 3000
"""Most sentences or lines of either text; nothing is marked in longer ones."""

MOST_LETTERS = 131_072
"""Most characters of either text; nothing is marked in longer ones, of which a screen shows the beginning."""

MOST_PAIRS = 400_000
"""In a differing stretch with more pairs of words than this, frequent words are not used to align the texts."""

SENTENCE = re.compile(r".*?(?:[.!?;:](?=\s)|\n|$)\s*", re.DOTALL)
WORD = re.compile(r"\s*\S+\s*|\s+")

Pieces = tuple[tuple[str, bool], ...]
"""A text in pieces, in order, each with whether the other text lacks it."""


@dataclass(frozen=True)
class Differences:
    """Both texts in pieces; ``note`` says if they were not compared."""

    first: Pieces
    second: Pieces
    note: str = ""


def compared(first: str, second: str) -> Differences:
    """The pieces of both texts: by sentences first, then word by word where these differ.

    Spaces belong to the word before them; upper and lower case differ.

    >>> compared("Paris, in France", "Paris in France").first
    (('Paris, ', True), ('in France', False))
    """
    too_long = Differences((), (), "The texts are too long to be compared: nothing is marked.")
    if max(len(first), len(second)) > MOST_LETTERS:
        return too_long
    sentences = [[part for part in SENTENCE.findall(text) if part] for text in (first, second)]
    if max(map(len, sentences)) > MOST_SENTENCES:
        return too_long
    sides: list[list[tuple[str, bool]]] = [[], []]
    for differs, one, other in _stretches(*sentences):
        words = WORD.findall(one), WORD.findall(other)
        many = len(words[0]) * len(words[1]) > MOST_PAIRS
        fine = differs and one and other
        for lacking, left, right in _stretches(*words, autojunk=many) if fine else [(differs, one, other)]:
            for side, text in zip(sides, (left, right), strict=True):
                if text and side and side[-1][1] == lacking:
                    side[-1] = (side[-1][0] + text, lacking)
                elif text:
                    side.append((text, lacking))
    return Differences(tuple(sides[0]), tuple(sides[1]))


def _stretches(first: list[str], second: list[str], *, autojunk: bool = False) -> list[tuple[bool, str, str]]:
    """The stretches of both lists in order, each joined, and whether they differ."""
    matcher = SequenceMatcher(
        None, [part.strip() for part in first], [part.strip() for part in second], autojunk=autojunk
    )
    return [
        (kind != "equal", "".join(first[i:j]), "".join(second[k:end])) for kind, i, j, k, end in matcher.get_opcodes()
    ]
