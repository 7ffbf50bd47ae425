"""Formulas as MathML, which browsers draw themselves: no script, no fonts."""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)


def drawn(page: str) -> str:
    """The page's HTML with each formula that arithmatex marked as MathML."""
    return FORMULA.sub(lambda found: convert(html.unescape(found[1])), page)
