"""What a technique is, in the glossary's words or, for a user's own technique, in its own."""

from testimate.core.selector import Selector
from testimate.core.terms import TERMS, Term


def technique_term(technique: type[Selector]) -> Term:
    """The technique's term, or one of its title and source."""
    return TERMS.get(technique.name) or Term(technique.name, technique.title, source=technique.source)
