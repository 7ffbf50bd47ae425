"""How often testers were right on inputs whose answers are known, in words."""

from math import ceil, floor

from testimate.core.words import spaced
from testimate.estimators.intervals import clopper_pearson
from testimate.session.draws import KnownAnswersGiven
from testimate.session.session import Session


def known_answer_words(session: Session) -> list[str]:
    """A sentence for each tester who answered any, by name; they never enter the estimate."""
    return [words_of(one) for one in session.known_answers_given()]


def words_of(given: KnownAnswersGiven) -> str:
    """How often one tester was right, with the interval of Clopper and Pearson (1934).

    >>> words_of(KnownAnswersGiven("Ann", 20, 18))
    'Ann answered 18 of 20 known answers correctly: 68 to 99 %, with 95 % confidence.'
    """
    ends = clopper_pearson(given.right, given.answered)
    low, high = floor(100 * ends.low), ceil(100 * ends.high)
    counts = f"{spaced(given.right)} of {spaced(given.answered)}"
    return f"{given.tester} answered {counts} known answers correctly: {low} to {high} %, with 95 % confidence."
