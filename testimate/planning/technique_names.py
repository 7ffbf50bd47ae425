"""What a technique is called for people: its name, followed by the code used in files and commands."""

from testimate.comparison.techniques import COMPARING
from testimate.selectors import FOLLOWING, SELECTORS


def titled(code: str) -> str:
    """The technique's name with its code; the code alone where this installation does not have the technique.

    >>> titled("rra"), titled("tell-apart"), titled("of-my-own")
    ('Adaptive rounds (rra)', 'Tell models apart (tell-apart)', 'of-my-own')
    """
    known = next((table for table in (SELECTORS, FOLLOWING) if code in table), COMPARING)
    return f"{known[code].title} ({code})" if code in known else code
