"""Errors for the person who sees them: what was found, what was expected, what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class TestimateError(Exception):
    """Every error Testimate raises on purpose; its message is one sentence of three parts, fit for a screen."""


class BadInput(TestimateError, ValueError):
    """What was handed in (a table, an array, an option) cannot be used as it is."""


@dataclass(frozen=True)
class Way:
    """One of the readings that fit, and how a person takes it.

    Attributes
    ----------
    words : what it is, such as "a class". option : at the terminal, such as "--task classification".
    keyword : in Python, such as 'task="classification"'.
    changes : the choices that it makes on the page, (name, value) pairs of ``KeptTable`` or ``TableChoices``.
    """

    words: str
    option: str
    keyword: str
    changes: tuple[tuple[str, Any], ...]


class ReadingUnclear(BadInput):
    """What was handed in can be read in several ways; only who made it knows which.

    ``question`` : what is asked, in a few words. ``found`` : the sentence that says what was found, without the ways.
    ``ways`` : the readings that fit.
    """

    def __init__(self, question: str, found: str, ways: Sequence[Way]) -> None:
        options = " or ".join(way.option for way in ways)
        keywords = " or ".join(way.keyword for way in ways)
        super().__init__(f"{found} Say which: {options}. In Python: {keywords}.")
        self.question, self.found, self.ways = question, found, tuple(ways)


class NotEnoughLabels(TestimateError):
    """There is no honest number yet: too few labels, or a stratum without any."""


class WrongDesign(TestimateError, TypeError):
    """An estimator was asked to judge draws of a design it is not valid for."""


class UnknownRow(TestimateError, LookupError):
    """An answer came for an input nobody asked for, so its chance of being drawn is unknown."""


class ReplayMismatch(TestimateError):
    """The stored history does not fit the draws that the same technique and seed give now."""


class SubjectChanged(TestimateError):
    """The model, dataset or table is not the one the plan or session was made for."""


class StoreUnavailable(TestimateError, OSError):
    """Labels could not be written or read: disk full, folder read-only, database gone or damaged."""


class Canceled(TestimateError):
    """A long run was stopped because the person asked for it."""
