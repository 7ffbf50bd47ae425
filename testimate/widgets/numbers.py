"""Numbers as the screens write them: shares in percent with a space that does not break, answers with their unit."""

import math

from testimate.core.task import Regression


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.9161)
    '91.6\\u202f%'
    """
    return f"{100 * share:.{digits}f}\u202f%"


def percent_range(low: float, high: float, digits: int = 1) -> str:
    """Two shares in percent, from the lower to the higher.

    >>> percent_range(0.881, 0.934)
    '88.1 – 93.4\\u202f%'
    """
    return f"{100 * low:.{digits}f} – {100 * high:.{digits}f}\u202f%"


def number_with_unit(number: float, task: Regression) -> str:
    """An answer of a regression with its unit, and as many digits after the point for every input.

    The last digit is a tenth of the power of ten that the tolerance begins with; four digits in all where there is none.

    >>> number_with_unit(-0.3413, Regression(6.0, unit="degrees")), number_with_unit(1234.5, Regression(250.0))
    ('-0.3 degrees', '1,234')
    >>> number_with_unit(0.123456, Regression(0.0))
    '0.1235'
    """
    if not task.tolerance:
        return f"{number:.4g} {task.unit}".rstrip()
    digits = max(0, 1 - math.floor(math.log10(task.tolerance)))
    return f"{number:,.{digits}f} {task.unit}".rstrip()
