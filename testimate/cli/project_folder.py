"""Checks that a project folder exists."""

from pathlib import Path

from testimate.core.errors import BadInput


def check_project_folder(project: Path) -> None:
    """Raises BadInput where there is no such folder: a mistyped name must not make a new, empty project."""
    if not project.is_dir():
        raise BadInput(f"There is no project in {project}. Name the folder of one with --project.")
