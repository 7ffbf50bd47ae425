"""The fixtures of `tests.session.conftest`, for this room too."""

from tests.session.conftest import inputs, open_session, say, store

__all__ = ["inputs", "open_session", "say", "store"]
