"""Checks that a project folder exists, and says what its records may name outside it."""

from collections.abc import Sequence
from pathlib import Path

from testimate.cli.output import aside
from testimate.core.errors import BadInput


def check_project_folder(project: Path) -> None:
    """Raises BadInput where there is no such folder: a mistyped name must not make a new, empty project."""
    if not project.is_dir():
        raise BadInput(f"There is no project in {project}. Name the folder of one with --project.")


def allow_paths(project: Path, paths: Sequence[Path] | None) -> None:
    """Lets the project's records name these files and folders from now on, and says so."""
    from testimate.project.record_paths import allow, real_path

    for path in paths or ():
        allow(project, path)
        aside(f"Subjects of {project} may read {real_path(path)} from now on.")
