"""Names for lists of choices: equal names get a suffix that tells them apart."""

from collections import Counter
from collections.abc import Callable, Mapping


def distinct_names(names: Mapping[str, str], more: Callable[[str], str] = str) -> dict[str, str]:
    """The name of each by its key, with ``more`` of the key after names that occur more
    than once. Streamlit finds a choice by its name: of two equal names it takes the last one, whichever was chosen.

        >>> distinct_names({"a": "net.onnx", "b": "net.onnx", "c": "other.onnx"})
        {'a': 'net.onnx · a', 'b': 'net.onnx · b', 'c': 'other.onnx'}
    """
    often = Counter(names.values())
    return {key: f"{name} · {more(key)}" if often[name] > 1 else name for key, name in names.items()}
