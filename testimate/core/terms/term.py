"""A term of the field: its name, its meaning in one plain sentence, its formula and its source."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One term.

    Attributes
    ----------
    name : as in running text; for a technique, the name it is chosen by.
    meaning : one plain sentence, without its full stop.
    formula : LaTeX, with the letters of the glossary; empty if there is none.
    source : paper with section or equation; empty if it is common knowledge.
    also : other names for it on the screens.
    """

    name: str
    meaning: str
    formula: str = ""
    source: str = ""
    also: tuple[str, ...] = ()
