"""The project this server works in, one object for all browser tabs."""

import os
import threading
from pathlib import Path

from testimate.project.files import remarks_on_place
from testimate.project.jobs import MadeOnce
from testimate.project.project import Project

_projects: MadeOnce[tuple[str, str], Project] = MadeOnce(threading.RLock())
"""Opened projects, with their connections and jobs; not in Streamlit's cache, which any browser may ask to empty."""


def project() -> Project:
    """The project that TESTIMATE_PROJECT and TESTIMATE_DATABASE name."""
    folder, database = (
        os.environ.get("TESTIMATE_PROJECT", "testimate-project"),
        os.environ.get("TESTIMATE_DATABASE", ""),
    )
    return _projects.get_or_make((folder, database), lambda: Project(Path(folder), database or None))


def team() -> bool:
    """Whether the app is served to a team, where everybody logs in."""
    return os.environ.get("TESTIMATE_TEAM") == "yes"


def remarks_on_its_place() -> list[str]:
    """What may go wrong where the labels are kept; nothing for a database elsewhere."""
    return [] if os.environ.get("TESTIMATE_DATABASE") else remarks_on_place(project().folder)
