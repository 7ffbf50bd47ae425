"""The testers of a session in a table: each one's answers, speed, agreement with others, and open inputs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.words import counted, percent, spaced
from testimate.labels.testers import TeamDesk
from testimate.project.project import Project
from testimate.project.second_looks import second_looks_at
from testimate.reports.people import ProgressOfTester, progress_of_testers
from testimate.session.next_inputs import IDLE_SECONDS
from testimate.session.session import Session
from testimate.ui.page_head import UNKNOWN

REMOVED = "removed"
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True)
class _Facts:
    """The data of the table; ``heard``: seconds since 1970 of each tester's last key in this process."""

    progress: Mapping[str, ProgressOfTester]
    held: Mapping[str, tuple[int, ...]]
    heard: Mapping[str, float]
    desk: TeamDesk
    now: float


def desk_table(project: Project, session: Session) -> None:
    """One line for each member, and for each removed one whose answers count."""
    session.refresh()
    progress = {one.tester: one for one in progress_of_testers(session, _second_looks(project, session))}
    now, id = time.time(), session.session_record.id
    facts = _Facts(progress, project.store.turns_held(id, now=now), session.heard(), project.team.desk(), now)
    roles = {member.name: member.role for member in project.testers.list()}
    names = [*roles, *(name for name in progress if name not in roles)]
    if not names:
        st.caption("Nobody is in the team yet.")
        return
    lines = [_line(name, roles.get(name, REMOVED), id, facts) for name in names]
    st.dataframe(pd.DataFrame(lines), hide_index=True, width="stretch", key="desk")


def _second_looks(project: Project, session: Session) -> list[Session]:
    """The sessions that looked again at this one's answers; those that cannot be opened now are left out."""
    found = []
    for record in second_looks_at(project, session.session_record.id):
        try:
            second = project.session(record.id)
            second.refresh()
        except TestimateError:
            continue
        found.append(second)
    return found


def _line(name: str, role: str, session: str, facts: _Facts) -> dict[str, str]:
    one = facts.progress.get(name)
    return {
        "Tester": name,
        "Role": role,
        "Now": _state(name, role, session, facts),
        "Answers": spaced(one.answers if one else 0),
        "Seconds each": UNKNOWN if one is None or one.seconds is None else f"{one.seconds:.1f}",
        "Last seen": last_seen(facts.heard.get(name), one.last if one else "", facts.now),
        "In hand": spaced(len(facts.held.get(name, ()))),
        "Agreement": UNKNOWN if one is None or one.agreement is None else percent(one.agreement),
        "Disputes lost": spaced(one.disputes_lost if one else 0),
        "Corrected": f"{spaced(one.corrected)} of {spaced(one.looked_again)}" if one and one.looked_again else UNKNOWN,
    }


def _state(name: str, role: str, session: str, facts: _Facts) -> str:
    held_up = facts.desk.held_up.get(name)
    if role == REMOVED:
        return "has left the team"
    if held_up is not None:
        return f"paused by {held_up.tester}" if held_up.kind == "paused" else "inputs taken back"
    if not facts.desk.may_label(name, session):
        return "labels other sessions"
    heard = facts.heard.get(name)
    return "labeling" if heard is not None and abs(facts.now - heard) <= IDLE_SECONDS else "away"


def last_seen(heard: float | None, last_answer: str, now: float) -> str:
    """When somebody pressed a key here last, or else their last answer by their own clock.

    >>> last_seen(1_000.0, "", now=1_030.0), last_seen(1_000.0, "", now=1_060.0), last_seen(None, "", now=0.0)
    ('just now', '1 minute ago', '–')
    >>> last_seen(0.0, "", now=7_300.0), last_seen(None, "2026-05-01T10:00:59Z", now=0.0)
    ('2 hours ago', '2026-05-01 10:00 UTC')
    """
    if heard is None:
        return f"{last_answer[:16].replace('T', ' ')} UTC" if last_answer else UNKNOWN
    ago = max(now - heard, 0.0)
    if ago < _MINUTE:
        return "just now"
    for unit, size, larger in (("minute", _MINUTE, _HOUR), ("hour", _HOUR, _DAY), ("day", _DAY, float("inf"))):
        if ago < larger:
            return f"{counted(int(ago // size), unit)} ago"
    return UNKNOWN
