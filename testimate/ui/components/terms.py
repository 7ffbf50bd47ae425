"""Terms explained in place: a hover text with meaning, formula and source, and a list of all terms on a page.

A technique of a plug-in is explained in its own words; the papers' codes of a network's layers stand behind their names.
"""

from collections.abc import Iterable

import streamlit as st

from testimate.core.selector import Selector
from testimate.core.terms import TERMS, Term, term


def explained(name: str | Term, here: str = "") -> str:
    """The ``help=`` of a widget: what the term means, its formula and its source, as Markdown.

    ``here`` : a trusted sentence about the term in this place; it comes first.
    """
    one = name if isinstance(name, Term) else term(name)
    parts = [here, f"**{_called(name, one)}**: {one.meaning}."]
    if one.formula:
        parts.append(f"$$\n{one.formula}\n$$")
    if one.source:
        parts.append(f":small[Source: {one.source}.]")
    return "\n\n".join(part for part in parts if part)


def words(names: Iterable[str]) -> None:
    """Every term of a page in a list, for those who cannot hover: by keyboard, by touch, read aloud."""
    for name in names:
        st.markdown(_entry(name, term(name)))


def _called(name: str | Term, one: Term) -> str:
    """The name as it appears on the screen, followed by the term's own name where that differs."""
    if isinstance(name, Term) or one.name.casefold().startswith(name.casefold().rstrip("s")):
        return one.name
    return f"{name} ({one.name})"


def _entry(name: str, one: Term) -> str:
    formula = f"  \n$\\displaystyle {one.formula}$" if one.formula else ""
    source = f"  \n:small[:gray[{one.source}]]" if one.source else ""
    return f"**{_called(name, one)}**: {one.meaning}.{formula}{source}"


def technique_term(technique: type[Selector]) -> Term:
    """The technique's term, or one of its title and source."""
    return TERMS.get(technique.name) or Term(technique.name, technique.title, source=technique.source)


LAYERS = {
    "LHL": "last hidden layer",
    "FL": "first layer",
    "ORI": "inputs themselves",
    "CON": "probabilities of the classes",
    "OUT": "output",
}


def layer_words(features: str) -> str:
    """The layers that are joined with "+", by name; others, such as a file of features, as they are called.

    >>> layer_words("LHL"), layer_words("LHL+ORI"), layer_words("file")
    ('last hidden layer (LHL)', 'last hidden layer (LHL) with inputs themselves (ORI)', 'file')
    """
    return " with ".join(f"{LAYERS[role]} ({role})" if role in LAYERS else role for role in features.split("+"))
