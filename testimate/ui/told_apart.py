"""Names to choose by: what is called the same gets something behind its name that tells it apart."""

from collections import Counter
from collections.abc import Callable, Mapping


def told_apart(names: Mapping[str, str], more: Callable[[str], str] = str) -> dict[str, str]:
    """The name of each by its key, with ``more`` of the key behind names that several have.

    A choice is made by its name: of two that are called the same Streamlit takes the last one, whichever was chosen.

    >>> told_apart({"a": "net.onnx", "b": "net.onnx", "c": "other.onnx"})
    {'a': 'net.onnx · a', 'b': 'net.onnx · b', 'c': 'other.onnx'}
    """
    often = Counter(names.values())
    return {key: f"{name} · {more(key)}" if often[name] > 1 else name for key, name in names.items()}
