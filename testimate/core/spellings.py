"""Names of classes as people spell them: when two are the same, when only a person knows, and what stands for none."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

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

LOOK_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u04ae"  # Cyrillic
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u0501\u04bb\u051b\u051d\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03b9",  # Greek
    "ABESIJKMHOPCTXYYaesijopcyxdhqwlABEZHIKMNOPTYXovi",
)
"""Letters of other alphabets that nobody can tell from a Latin one, with that one."""


MOST_REMEMBERED, LONGEST_REMEMBERED = 1 << 16, 100
"""Words that are folded once however often they are compared, and their letters at most: texts would fill the memory."""

Fold = TypeVar("Fold", bound=Callable[..., Any])


def remembered(fold: Fold) -> Fold:
    """A function of a word that works once for each short one, and what is given beside it."""
    of_short = lru_cache(MOST_REMEMBERED)(fold)

    @wraps(fold)
    def found(word: str, *more: Any, **named: Any) -> Any:
        return (of_short if len(word) <= LONGEST_REMEMBERED else fold)(word, *more, **named)

    return cast(Fold, found)


@remembered
def bare(name: str) -> str:
    """A name in lower-case letters and digits.

    >>> bare("Predicted_Class")
    'predictedclass'
    """
    return re.sub("[^a-z0-9]", "", name.casefold())


@remembered
def folded(word: str) -> str:
    """A class's name without the case, the spaces and the form of a number that do not tell classes apart.

    >>> folded(" Cat"), folded("3.0"), folded("three")
    ('cat', '3', '3')
    """
    plain = re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", unicodedata.normalize("NFKC", word).strip().casefold())
    return DIGITS.get(plain, re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", plain))


def seen(word: str) -> str:
    """A class's name as a person sees it, folded: letters of other alphabets that look like Latin ones are these.

    >>> seen("c\\u0430t"), folded("c\\u0430t") == "cat"
    ('cat', False)
    """
    return folded(word.translate(LOOK_ALIKE))


def look_alike(words: Iterable[str]) -> dict[str, str]:
    """The words that nobody can tell from an earlier one by looking, each with the first that looks so.

    >>> look_alike(["cat", "c\\u0430t", "Cat"]) == {"c\\u0430t": "cat"}
    True
    """
    first: dict[str, str] = {}
    found = {word: first.setdefault(_look(word), word) for word in words}
    return {word: other for word, other in found.items() if word != other}


def _look(word: str) -> str:
    """What is seen of a word."""
    return " ".join(unicodedata.normalize("NFC", word).translate(LOOK_ALIKE).split())


def respelled(words: Collection[str], known: Sequence[str], key: Callable[[str], str] = seen) -> dict[str, str]:
    """The words that are no known class but differ from one in spelling alone, each with that class.

    ``key`` : what words of one class share.

    >>> respelled(["Cat", "owl", "dog"], ["cat", "dog"])
    {'Cat': 'cat'}
    """
    of_fold = {key(name): name for name in known}
    have = {*known}
    return {word: of_fold[key(word)] for word in words if word and word not in have and key(word) in of_fold}


def counted_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """How often each name occurs, spellings of one together under the commonest of them, the commonest name first.

    >>> counted_names(["owl", "fox", "Fox", "fox", "gray owl"])
    [('fox', 3), ('owl', 1), ('gray owl', 1)]
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
    strange = [max(pair) for pair in zip(one, other, strict=False) if len({*pair}) > 1]  # Latin letters come first
    if strange and one.translate(LOOK_ALIKE) == other.translate(LOOK_ALIKE):
        named = unicodedata.name(strange[0]).capitalize()
        return f". They look alike, and one has a letter of another alphabet, {named} (U+{ord(strange[0]):04X})"
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
