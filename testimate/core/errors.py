"""Errors for the person who sees them: what was found, what was expected, what to do."""


class TestimateError(Exception):
    """Every error Testimate raises on purpose; its message is one sentence of three parts, fit for a screen."""


class BadInput(TestimateError, ValueError):
    """What was handed in (a table, an array, an option) cannot be used as it is."""


class TaskUnclear(BadInput):
    """A table's whole numbers may be names of classes or measurements; only who made the table knows.

    ``found`` : the sentence that says what was found, without the ways to say which it is.
    """

    def __init__(self, found: str) -> None:
        super().__init__(f"{found} Say which: --task classification or --task regression.")
        self.found = found


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


class Cancelled(TestimateError):
    """A long run was stopped because the person asked for it."""
