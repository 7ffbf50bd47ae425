"""What every sentence to a person has to have."""

import re


def three_parts(sentence: str) -> bool:
    """What was found, what was expected and what to do: two or more sentences on one line, none of them a traceback."""
    parts = re.split(r"(?<=[.!?]) (?=[A-Z])", sentence.strip())
    return (
        len(parts) >= 2 and sentence.strip().endswith(".") and "\n" not in sentence.strip() and "Error" not in sentence
    )
