"""Names of classes as people spell them: when two are the same, when only a person knows, and what stands for none."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

MARKS = frozenset({"", "-", "?", "unknown", "none", "nan", "null", "na", "n/a", "unlabeled", "unlabelled", "-1"})
"""What stands in place of a label that is not known, folded, unless it is a class: one that is predicted."""

DIGITS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
"""Numbers in words, which some name classes by."""


def bare(name: str) -> str:
    """A name in lower-case letters and digits.

    >>> bare("Predicted_Class")
    'predictedclass'
    """
    return re.sub("[^a-z0-9]", "", name.casefold())


def folded(word: str) -> str:
    """A class's name without the case, the spaces and the form of a number that do not tell classes apart.

    >>> folded(" Cat"), folded("3.0"), folded("three")
    ('cat', '3', '3')
    """
    plain = re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", unicodedata.normalize("NFKC", word).strip().casefold())
    return DIGITS.get(plain, re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", plain))


def respelled(words: Collection[str], known: Sequence[str]) -> dict[str, str]:
    """The words that are no known class but differ from one in spelling alone, each with that class.

    >>> respelled(["Cat", "owl", "dog"], ["cat", "dog"])
    {'Cat': 'cat'}
    """
    of_fold = {folded(name): name for name in known}
    have = {*known}
    return {word: of_fold[folded(word)] for word in words if word and word not in have and folded(word) in of_fold}


def counted_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """How often each name occurs, spellings of one together under the commonest of them, the commonest name first.

    >>> counted_names(["owl", "fox", "Fox", "fox", "grey owl"])
    [('fox', 3), ('owl', 1), ('grey owl', 1)]
    """
    spelled: dict[str, Counter[str]] = {}
    for name, count in Counter(names).items():
        spelled.setdefault(folded(name), Counter())[name] = count
    ranked = sorted(spelled.values(), key=lambda one: -one.total())
    return [(one.most_common(1)[0][0], one.total()) for one in ranked]


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known name from which the word differs in spelling alone, or else in one letter; None where there is none.

    Names with digits are apart however alike they look, and so are those of fewer than three letters.

    >>> nearest("Cat", ["cat", "bird"]), nearest("brid", ["cat", "bird"]), nearest("bir", ["bird"]), nearest("owl", ["bird"])
    ('cat', 'bird', 'bird', None)
    """
    same = respelled([word], known)
    if same:
        return same[word]
    plain = folded(word)
    return next((name for name in known if _one_letter_apart(plain, folded(name))), None)


def unlike(one: str, other: str) -> str:
    """How two names differ where nobody can see it, as the end of a sentence; "" if they look different.

    >>> unlike("caf\\u00e9", "cafe\\u0301")
    ". They look alike, and Unicode spells 'é' in two ways: one has 4 characters, the other 5"
    >>> unlike("red cat", "red\\u00a0cat"), unlike("cat", "Cat")
    ('. They look alike, and one has another space (U+00A0)', '')
    """
    plain = unicodedata.normalize("NFC", one)
    if one != other and plain == unicodedata.normalize("NFC", other):
        letter = next((letter for letter in plain if unicodedata.normalize("NFD", letter) != letter), plain)
        return (
            f". They look alike, and Unicode spells {letter!r:.40} in two ways: one has {len(one)} characters, the other "
            f"{len(other)}"
        )
    spaces = {*filter(str.isspace, one)} ^ {*filter(str.isspace, other)}
    if spaces and one.split() == other.split():
        return f". They look alike, and one has another space (U+{ord(max(spaces)):04X})"
    return ". They look alike, and one has more spaces" if one != other and one.split() == other.split() else ""


def _one_letter_apart(one: str, other: str) -> bool:
    """Whether a letter more, less or other, or two that are swapped, make one of the other."""
    if min(len(one), len(other)) < FEWEST_LETTERS or abs(len(one) - len(other)) > 1 or re.search("[0-9]", one + other):
        return False
    short, long = sorted((one, other), key=len)
    at = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at : at + 2][::-1] + short[at + 2 :]
    return short != long and (short[at + 1 :] == long[at + 1 :] or swapped == long)


FEWEST_LETTERS = 3
"""Letters of a name from which on one that differs in a single letter may be a slip."""
