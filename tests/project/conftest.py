"""The fixtures of `tests.session.conftest`, for this room too."""

from tests.session.conftest import say

__all__ = ["say"]
