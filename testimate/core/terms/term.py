"""A term of the field: its name, what it means in a plain sentence, its formula and where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One term.

    Attributes
    ----------
    name : as it stands in running text; a technique's is the name it is chosen by.
    meaning : one plain sentence, without its full stop.
    formula : LaTeX, with the letters of the glossary; empty where there is none.
    source : paper with section or equation; empty where it is common knowledge.
    also : other names of the same thing on the screens.
    """

    name: str
    meaning: str
    formula: str = ""
    source: str = ""
    also: tuple[str, ...] = ()
