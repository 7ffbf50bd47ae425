"""What a technique is, in the glossary's words or, for a user's own technique, in its own.

A network's layers by their names: the papers' codes stand behind, in brackets.
"""

from testimate.core.selector import Selector
from testimate.core.terms import TERMS, Term


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
