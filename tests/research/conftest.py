"""The fixtures of `tests.studies.conftest`, for this room too."""

from tests.studies.conftest import inputs, with_technique

__all__ = ["inputs", "with_technique"]
