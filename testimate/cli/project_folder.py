"""Checks that a project folder exists."""

from pathlib import Path

from testimate.core.errors import BadInput


def check_project_folder(project: Path) -> None:
    """BadInput where there is no such folder."""
    if not project.is_dir():
        raise BadInput(f"There is no project in {project}. Name the folder of one with --project.")
