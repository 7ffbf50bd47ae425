"""How far a team's session is, for each of its testers: cheap, and computed once a second for all of them."""

import threading
import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from testimate.core.errors import NotEnoughLabels
from testimate.reports.words import may_stop_words
from testimate.session.session import Session

SECONDS = 1.0
"""Greatest age of what is shown; twenty testers ask forty times a second."""


@dataclass(frozen=True)
class TeamProgress:
    """Inputs answered by enough testers, inputs in all, and whether the always-valid interval is as narrow as asked."""

    answered: int
    inputs: int
    may_stop: bool


_kept: WeakKeyDictionary[Session, tuple[float, TeamProgress]] = WeakKeyDictionary()
_lock = threading.Lock()


def team_progress(session: Session) -> TeamProgress:
    """How far the session is, computed at most ``SECONDS`` ago."""
    with _lock:
        at, seen = _kept.get(session, (0.0, None))
        if seen is not None:
            if time.monotonic() - at <= SECONDS:
                return seen
            _kept[session] = (time.monotonic(), seen)  # others are shown this one while it is computed again
    seen = _look(session)
    with _lock:
        _kept[session] = (time.monotonic(), seen)
    return seen


def _look(session: Session) -> TeamProgress:
    try:
        estimate = session.estimate()
    except NotEnoughLabels:
        estimate = None
    return TeamProgress(*session.answered(), may_stop_words(session, estimate)[0])
