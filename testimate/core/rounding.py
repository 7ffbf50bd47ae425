"""How shares and other numbers are written: rounded, but never to a 0 or 1 that they are not; interval ends outwards."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

EXACT = 12
"""Places after the point that count: what differs from 1 by less is 1, but for the rounding of floating point."""

THIN_SPACE = "\u202f"  # does not break

NEAREST, DOWN, UP = ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING


def spaced(number: float) -> str:
    """A count with thin spaces between thousands: beside typed numbers, where 450,000 is 450 in Rome, a comma would mislead.

    >>> spaced(1497), spaced(-710_437.0), spaced(999)
    ('1\\u202f497', '-710\\u202f437', '999')
    """
    whole = f"{number:,}" if isinstance(number, int) else f"{number:,.0f}"  # an int may be larger than any float
    return whole.replace(",", THIN_SPACE)


def percent(share: float, digits: int = 1, *, space: str = THIN_SPACE) -> str:
    """A share in percent, with more digits where it would otherwise read as 0 or 100 % and is neither.

    >>> percent(0.9161, space=" "), percent(1.0, space=" "), percent(29_999 / 30_000, space=" ")
    ('91.6 %', '100.0 %', '99.997 %')
    """
    return f"{_fixed(share, digits, NEAREST, scale=100)}{space}%"


def percent_range(low: float, high: float, digits: int = 1, *, space: str = THIN_SPACE) -> str:
    """The ends of an interval of shares in percent, the lower one rounded down and the higher one up.

    >>> percent_range(0.88151, 0.93449, space=" "), percent_range(0.0, 0.99996, space=" ")
    ('88.1 – 93.5 %', '0.0 – 99.996 %')
    """
    return f"{' – '.join(_ends(low, high, digits, scale=100))}{space}%"


def percent_ends(low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """As ``percent_range``, each end by itself, with its sign."""
    first, last = _ends(low, high, digits, scale=100)
    return f"{first} %", f"{last} %"


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


def points(difference: float, digits: int = 1, *, outwards: bool = False) -> str:
    """A difference of two shares in percentage points; ``outwards`` for the half-width of an interval, rounded up.

    >>> points(0.084), points(0.0204, outwards=True), points(0.0003), points(0.0)
    ('8.4 points', '2.1 points', '0.03 points', '0.0 points')
    """
    return f"{_fixed(difference, digits, UP if outwards else NEAREST, scale=100)} points"


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
