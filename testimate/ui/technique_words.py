"""What a technique is, in the glossary's words; one that a user wrote and the glossary lacks, in its own."""

from testimate.comparison.techniques import COMPARING
from testimate.core.selector import Selector
from testimate.core.terms import TERMS, Term
from testimate.selectors import SELECTORS


def titled(name: str) -> str:
    """A technique by its short and its long name; by the short one alone where it is not at hand."""
    known = SELECTORS if name in SELECTORS else COMPARING
    return f"{name} · {known[name].title}" if name in known else name


def technique_term(technique: type[Selector]) -> Term:
    """The technique's term, or one of its title and source."""
    return TERMS.get(technique.name) or Term(technique.name, technique.title, source=technique.source)
