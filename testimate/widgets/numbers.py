"""Shares as the screens write them: in percent, with a space that does not break."""


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
