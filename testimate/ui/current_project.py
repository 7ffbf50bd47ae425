"""The project this server works in, one object for all browser tabs."""

import os
from pathlib import Path

import streamlit as st

from testimate.project.place import remarks_on_place
from testimate.project.project import Project


def project() -> Project:
    """The project that TESTIMATE_PROJECT and TESTIMATE_DATABASE name."""
    return _project(os.environ.get("TESTIMATE_PROJECT", "testimate-project"), os.environ.get("TESTIMATE_DATABASE", ""))


def remarks_on_its_place() -> list[str]:
    """What may go wrong where the labels are kept; nothing for a database elsewhere."""
    return [] if os.environ.get("TESTIMATE_DATABASE") else remarks_on_place(project().folder)


@st.cache_resource(show_spinner=False)
def _project(folder: str, database: str) -> Project:
    return Project(Path(folder), database or None)
