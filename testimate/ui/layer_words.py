"""A network's layers by their names: the papers' codes stand behind, in brackets."""

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
