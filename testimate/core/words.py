"""Numbers in words: rounded shares, counted things, the order of names, and a number as it is typed.

How shares and other numbers are written: rounded, but never to a 0 or 1 that they are not; interval ends outwards.

A number as a tester types it and as screens show it in full; ``typed_number.ts`` does the same in the browser.
"""

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from testimate.core.errors import BadInput

EXACT = 12
"""Places after the point that count: what differs from 1 by less is 1, but for the rounding of floating point."""

THIN_SPACE = "\u202f"  # does not break

NEAREST, DOWN, UP = ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING


def commas(number: float) -> str:
    """A count with commas between thousands.

    >>> commas(1497), commas(-710_437.0), commas(999)
    ('1,497', '-710,437', '999')
    """
    return f"{number:,}" if isinstance(number, int) else f"{number:,.0f}"  # an int may be larger than any float


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, with more digits where it would otherwise read as 0 or 100% and is neither.

    >>> percent(0.9161), percent(1.0), percent(29_999 / 30_000)
    ('91.6%', '100.0%', '99.997%')
    """
    return f"{_fixed(share, digits, NEAREST, scale=100)}%"


def level_words(level: float) -> str:
    """The level of an interval as sentences and charts write it.

    >>> level_words(0.95), level_words(0.999), level_words(0.07)
    ('95%', '99.9%', '7%')
    """
    return f"{100 * level:g}%"


def percent_range(low: float, high: float, digits: int = 1) -> str:
    """The ends of an interval of shares in percent, the lower one rounded down and the higher one up.

    >>> percent_range(0.88151, 0.93449), percent_range(0.0, 0.99996)
    ('88.1 to 93.5%', '0.0 to 99.996%')
    """
    return f"{' to '.join(_ends(low, high, digits, scale=100))}%"


def percent_ends(low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """As ``percent_range``, each end by itself, with its sign."""
    first, last = _ends(low, high, digits, scale=100)
    return f"{first}%", f"{last}%"


def decimal(value: float, digits: int = 4) -> str:
    """A share, or 1 - mean squared error, with that many digits after the point, or more as in ``percent``.

    >>> decimal(0.9125), decimal(1.0), decimal(29_999 / 30_000)
    ('0.9125', '1.0000', '0.99997')
    """
    return _fixed(value, digits, NEAREST, scale=1)


def decimal_ends(low: float, high: float, digits: int = 4) -> tuple[str, str]:
    """The ends of an interval as ``decimal`` writes numbers, the lower one rounded down and the higher one up.

    >>> decimal_ends(0.876956, 0.938496), decimal_ends(0.9, 0.99998)
    (('0.8769', '0.9385'), ('0.9000', '0.99998'))
    """
    first, last = _ends(low, high, digits, scale=1)
    return first, last


def percentage(share: float, digits: int, rounding: str = NEAREST) -> float:
    """A share in percent as a number: ``DOWN`` and ``UP`` for the ends of an interval, which are rounded outwards.

    >>> percentage(0.29, 0, DOWN), percentage(0.88151, 1, DOWN), percentage(0.93449, 1, UP)
    (29.0, 88.1, 93.5)
    """
    return float(_rounded(_exact(share) * 100, digits, rounding) + 0)  # + 0 turns a negative zero into 0


def points(difference: float, digits: int = 1, *, outwards: bool = False) -> str:
    """A difference of two shares in percentage points; ``outwards`` for the half-width of an interval, rounded up.

    >>> points(0.084), points(0.0204, outwards=True), points(0.0003), points(0.0)
    ('8.4 points', '2.1 points', '0.03 points', '0.0 points')
    """
    return f"{_fixed(difference, digits, UP if outwards else NEAREST, scale=100)} points"


def points_either_way(low: float, high: float) -> str:
    """Both ends of a difference in percentage points without their signs, the smaller first, rounded outwards.

    >>> points_either_way(0.00312, 0.0209), points_either_way(-0.048, -0.0041)
    ('0.3 to 2.1', '0.4 to 4.8')
    """
    ends = percentage(low, 1, DOWN), percentage(high, 1, UP)
    first, last = ends if low > 0 else (-ends[1], -ends[0])
    return f"{first:.1f} to {last:.1f}"


def better_or_worse(low: float, high: float) -> str:
    """How much better one share is than another by the ends of their difference, rounded outwards.

    >>> better_or_worse(-0.001, 0.0479), better_or_worse(0.004, 0.048), better_or_worse(-0.048, -0.004)
    ('between 0.1 points worse and 4.8 better', '0.4 to 4.8 points better', '0.4 to 4.8 points worse')
    >>> better_or_worse(0.0, 0.0)
    'no better and no worse'
    """
    if low == high == 0:
        return "no better and no worse"
    ends = percentage(low, 1, DOWN), percentage(high, 1, UP)
    if low > 0 or high < 0:
        return f"{points_either_way(low, high)} points {'better' if low > 0 else 'worse'}"
    return f"between {abs(ends[0]):.1f} points worse and {ends[1]:.1f} better"


def number(value: float, digits: int = 4, rounding: str = NEAREST) -> str:
    """A number of any size with that many significant digits, or more where it would otherwise read as 1 and is not.

    ``rounding`` : ``NEAREST``, or ``DOWN`` and ``UP`` for the ends of an interval.

    >>> number(-3.14159), number(0.99999), number(1.0), number(123456.0), number(0.12349, rounding=DOWN)
    ('-3.142', '0.99999', '1', '1.235e+05', '0.1234')
    """
    if not math.isfinite(value):
        return f"{value}"
    exact = _exact(value) if abs(value) > 0.1 else Decimal(repr(float(value)))
    for places in range(digits, EXACT + 1):
        rounded = Context(prec=places, rounding=rounding).create_decimal(exact)
        if exact == 1 or rounded != 1:
            break
    return f"{float(rounded):.{places}g}"


def number_ends(low: float, high: float, digits: int = 4) -> tuple[str, str]:
    """The ends of an interval as ``number`` writes them, the lower one rounded down and the higher one up."""
    return number(low, digits, DOWN), number(high, digits, UP)


def _ends(low: float, high: float, digits: int, *, scale: int) -> list[str]:
    """Both ends, each with the digits it needs: then a point between them, written by ``_fixed``, stays between them."""
    return [_fixed(low, digits, DOWN, scale=scale), _fixed(high, digits, UP, scale=scale)]


def _fixed(value: float, digits: int, rounding: str, *, scale: int) -> str:
    return _written(value, _places(value, digits, rounding, scale), rounding, scale)


def _places(value: float, digits: int, rounding: str, scale: int) -> int:
    """That many digits after the point, or as many more as keep the value from reading as a 0 or 1 that it is not."""
    if not math.isfinite(value):
        return digits
    exact = _exact(value)
    for places in range(digits, EXACT + 1):
        rounded = _rounded(exact * scale, places, rounding)
        if exact in (0, 1) or rounded not in (0, scale):
            return places
    return EXACT


def _written(value: float, places: int, rounding: str, scale: int) -> str:
    if not math.isfinite(value):
        return f"{value}"
    rounded = _rounded(_exact(value) * scale, places, rounding)
    return f"{rounded + 0:.{places}f}"  # + 0 turns a negative zero into 0


def _exact(value: float) -> Decimal:
    """The number without what floating point added to it."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-EXACT), context=Context(prec=400))


def _rounded(value: Decimal, places: int, rounding: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=Context(prec=400))


def counted(number: int, what: str) -> str:
    """The number with its noun.

    >>> counted(1, "fault"), counted(2_577, "more label")
    ('1 fault', '2,577 more labels')
    """
    return f"{commas(number)} {what}{plural(number)}"


def plural(number: float) -> str:
    """What a noun after that number ends on.

    >>> "label" + plural(1), "label" + plural(2)
    ('label', 'labels')
    """
    return "" if number == 1 else "s"


def is_or_are(number: int) -> str:
    """Whichever of "is" and "are" follows that number.

    >>> is_or_are(1), is_or_are(2)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def has_or_have(number: int) -> str:
    """Whichever of "has" and "have" follows that number."""
    return "has" if number == 1 else "have"


def first_line(text: object) -> str:
    """The first line of what an error or another text says; "" where it says nothing.

    >>> first_line(ValueError("no such column\\nat line 3")), first_line("")
    ('no such column', '')
    """
    return (str(text).splitlines() or [""])[0]


def class_order(names: Sequence[str]) -> tuple[int, ...]:
    """The places of the classes in the order in which a tester sees them.

    Names in alphabetical order, which is this program's own, are shown in natural order; any other order is that of whoever
    named them, and stays.

    >>> class_order(["kind 1", "kind 10", "kind 2"]), class_order(["stop", "go"])
    ((0, 2, 1), (0, 1))
    """
    places = range(len(names))
    if list(names) != sorted(names):
        return tuple(places)
    return tuple(sorted(places, key=lambda place: natural(names[place])))


def natural(name: str) -> list[tuple[int, int, str]]:
    """By which names sort as people count: digits by their value, however many there are.

    >>> natural("kind 2") < natural("kind 10")
    True
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name.casefold())
    return [(0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part) for part in parts]


LONGEST = 40
"""Characters in a typed number; a double holds 17 digits."""
LARGEST = 2**53
"""Below it a browser counts every whole number exactly; a number of this size or more is refused."""

_SPACES = " \u00a0\u2007\u2009\u202f"
_MINUS = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_ASCII = str.maketrans(
    {
        **dict.fromkeys(_SPACES, " "),
        **dict.fromkeys(_MINUS, "-"),
        **{
            chr(0xFF10 + digit): str(digit) for digit in range(10)
        },  # full width, as input methods for Chinese write them
        "\uff0e": ".",
        "\uff0c": ",",
        "\uff0b": "+",
    }
)
_NUMBER = re.compile(r"([+-]?)([0-9]+|[1-9][0-9]{0,2}(?: [0-9]{3})+|)(?:([.,])([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


def read_number(typed: str) -> float:
    """The number that a text states; BadInput, in a sentence for the tester, where it states none or could state two.

    Taken: a decimal point or comma, spaces of any width between thousands, minus signs of any kind, exponents. A comma
    before exactly three digits is refused unless only zeros stand before it: 450,000 is 450 in Rome and 450000 in London.

    >>> read_number("−1,25"), read_number("12 000"), read_number("2.5e-3"), read_number("0,125")
    (-1.25, 12000.0, 0.0025, 0.125)
    """
    text = typed.strip(_SPACES + "\t\r\n").translate(_ASCII)
    if not text:
        raise BadInput("Nothing is typed. Type a number such as 0.25.")
    if len(text) > LONGEST:
        raise BadInput(f"{len(text)} characters are typed; a number has at most {LONGEST}. Type it shorter.")
    found = _NUMBER.fullmatch(text)
    sign, whole, mark, decimals, exponent = found.groups() if found else ("", "", "", "", "")
    if not (whole or decimals):
        raise BadInput(
            f"“{typed.strip()}” is not a number. Type digits with at most one decimal point, such as 12500.75 or 2.5e-3."
        )
    if mark == "," and len(decimals or "") == 3 and " " not in whole and whole.strip("0"):
        raise BadInput(
            f"{text} could be {sign}{whole}{decimals} or {sign}{whole}.{decimals}. Type it without a comma, as one of these."
        )
    value = float(f"{sign}{whole.replace(' ', '') or '0'}.{decimals or '0'}e{exponent or '0'}")
    if not abs(value) < LARGEST:
        raise BadInput(f"{text} is too large. Type a number between -9e15 and 9e15.")
    if value == 0 and (whole + (decimals or "")).strip("0 "):
        raise BadInput(f"{text} is too small to be distinguished from 0. Type 0 or a larger number.")
    return value + 0.0  # -0 is 0


def number_in_full(value: float, unit: str = "") -> str:
    """All digits of a number, with thin spaces between thousands and its unit; shorter only by an exponent.

    >>> number_in_full(710437), number_in_full(-1.25, "degrees"), number_in_full(1.5e-7)
    ('710\\u202f437', '-1.25 degrees', '1.5e-7')
    """
    number = float(value) + 0.0  # -0 is 0
    if not math.isfinite(number):
        words = str(number)
    elif number != 0 and not 1e-6 <= abs(number) < 1e21:
        words = re.sub(r"e([+-])0", r"e\1", repr(number)).replace(".0e", "e")
    else:
        whole, _, decimals = format(Decimal(repr(number)), "f").partition(".")
        words = grouped(whole) + (f".{decimals.rstrip('0')}" if decimals.strip("0") else "")
    return f"{words} {unit}".rstrip()


def grouped(number: str) -> str:
    """The digits before the point in groups of three, by thin spaces: of typed numbers, where 450,000 is 450 in Rome.

    >>> grouped("-1234.5678")
    '-1\\u202f234.5678'
    """
    whole, point, decimals = number.partition(".")
    return re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", THIN_SPACE, whole) + point + decimals
