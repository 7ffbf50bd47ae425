"""A regression's tolerance as people say it: a number in the unit of the predictions, or a percentage of the true number."""

from testimate.core.errors import BadInput
from testimate.core.regression import Regression
from testimate.core.typed_number import read_number

SaidTolerance = float | str
"""0.5, or as text "0.5" or "10 %": of the true number."""


def regression(said: SaidTolerance, unit: str = "") -> Regression:
    """The task with this tolerance; BadInput, in a sentence, if it is not a tolerance.

    >>> regression("10 %").within_words, regression("0,5", "m").within_words, regression(6).within_words
    ('within 10 % of the true number', 'within 0.5 m', 'within 6')
    """
    if not isinstance(said, str):
        return Regression(float(said), unit)
    number = said.strip()
    relative = number.endswith(("%", "\uff05"))
    try:
        value = read_number(number[:-1] if relative else number)
    except BadInput as error:
        raise BadInput(f"The tolerance is {said!r:.60}; expected a number such as 0.5, or 10 %. {error}") from None
    return Regression(value / 100, unit, relative=True) if relative else Regression(value, unit)


def as_said(task: Regression) -> SaidTolerance:
    """What gives the same tolerance again, for records and plans.

    >>> as_said(regression("12.5%")), as_said(regression("0.5"))
    ('12.5 %', 0.5)
    """
    return f"{float(f'{100 * task.tolerance:.12g}')!r}".removesuffix(".0") + " %" if task.relative else task.tolerance
