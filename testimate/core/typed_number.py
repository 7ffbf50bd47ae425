"""A number as a tester types it and as screens show it in full; ``typed_number.js`` does the same in the browser."""

import math
import re
from decimal import Decimal

from testimate.core.errors import BadInput

LONGEST = 40
"""Characters in a typed number; a double holds 17 digits."""
LARGEST = 2**53
"""Below it a browser counts every whole number exactly; a number of this size or more is refused."""
THIN_SPACE = "\u202f"
"""Stands between thousands: narrow, and no line breaks at it."""

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
    """The digits before the point in groups of three, by thin spaces.

    >>> grouped("-1234.5678")
    '-1\\u202f234.5678'
    """
    whole, point, decimals = number.partition(".")
    return re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", THIN_SPACE, whole) + point + decimals
