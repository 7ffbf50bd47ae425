"""The paths that a project's records name: inside its folder, or where the person at the terminal allowed it.

A backup or a copied folder may come from anyone, and a record in it may name any file of this computer. What was allowed is
kept with the user's settings, never in the project, so that no project can bring it along (decision 244).
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from platformdirs import user_config_path

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.visible_text import is_line

ROLES = ("model", "dataset", "training", "inputs", "features", "table")
"""The facts of a record that name a file or folder."""

FOLDERS = ("cache", "datasets", "demos", "descriptions", "models", "pictures", "studies", "subjects")
FILES = ("labels.moved", "labels.sqlite", "labels.sqlite-shm", "labels.sqlite-wal", "trust.log")
"""All that a project reads or writes in its folder; what else lies in it is its owner's."""

LONGEST_COMMAND = 400
"""Characters of a path that a sentence still writes into a command."""


def name_in_project(path: Path, project: Path) -> str:
    """The path from the project's folder where it lies inside, so that the folder may be moved; else as it is."""
    absolute, folder = Path(os.path.abspath(path)), Path(os.path.abspath(project))  # no ".." may stay in a record
    return absolute.relative_to(folder).as_posix() if absolute.is_relative_to(folder) else str(absolute)


def path_of(facts: Mapping[str, Any], role: str, project: Path) -> Path | None:
    """The path that a record names in this role; None if it names none.

    Raises BadInput if it is not the name of a file or leads out of the project to where nobody allowed it, links
    included. Nothing is said about whether it exists.
    """
    name = facts.get(role)
    if not name:
        return None
    whose = f"The test set {facts.get('name')!r:.100}"
    if not is_name(name):
        raise BadInput(
            f"{whose} has {name!r:.100} as its {role}. Expected the name of a file in the project. Add the test set again."
        )
    path = project / name
    check_inside(path, record_words(facts, name), project, allowed_paths(project))
    return path


def is_name(value: Any) -> TypeGuard[str]:
    """Whether a fact of a record can be the name of a file at all."""
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    try:
        os.fsencode(value)
    except UnicodeEncodeError:  # half a character, which no file system takes
        return False
    return True


def check_links(project: Path) -> None:
    """BadInput if a link in the project leads out of it to where nobody allowed it.

    The folders of datasets are left out: their readers follow no link.
    """
    allowed = allowed_paths(project)
    for link in links_in(project):
        check_inside(link, link_words(link, project), project, allowed)


# What was allowed


def allow(project: Path, path: Path) -> None:
    """Lets the project's records name this file or folder, and what is in it, from now on; also after a restart.

    Only for what the person at the terminal named. BadInput if it is not there, StoreUnavailable if it cannot be kept.
    """
    if not path.exists():
        raise BadInput(f"There is no file or folder {str(path)!r:.200}. Expected one to allow. Check its name.")
    real = real_path(path)
    if _is_in(real, real_path(project), allowed_paths(project)):
        return
    place = _place_of(project) / fingerprint.of_bytes(os.fsencode(real))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, os.fsencode(real))
    except OSError as error:
        raise StoreUnavailable(
            f"What is allowed could not be kept in {place.parent} ({error.strerror}). Expected a folder that may be "
            "written to. Free space, or correct its permissions."
        ) from None


def allowed_paths(project: Path) -> tuple[Path, ...]:
    """What the project's records may name besides its own folder; nothing if that cannot be read."""
    try:
        return tuple(Path(os.fsdecode(file.read_bytes())) for file in sorted(_place_of(project).iterdir()))
    except OSError:
        return ()


def forget_allowed(project: Path) -> None:
    """Takes back everything that was allowed to a project in this place, because another one takes it."""
    try:
        if _place_of(project).is_dir():
            shutil.rmtree(_place_of(project))
    except OSError as error:
        raise StoreUnavailable(
            f"What was allowed to an earlier project in {project} could not be taken back ({error.strerror}). Expected a "
            f"folder that may be removed. Remove {_place_of(project)}."
        ) from None


def _place_of(project: Path) -> Path:
    name = fingerprint.of_bytes(os.fsencode(real_path(project)))
    return user_config_path("testimate", appauthor=False) / "allowed" / name


# How a path is looked at


def check_inside(path: Path, says: str, project: Path, allowed: Sequence[Path], target: str = "") -> None:
    """BadInput, which begins with ``says``, if the path leads out of the project's folder and is not allowed.

    ``target`` : what the command that allows it is about, as a shell takes it; by default the project.
    """
    real = real_path(path)
    if _is_in(real, real_path(project), allowed):
        return
    where = "" if str(real) == os.path.abspath(path) else f", a link to {str(real)!r:.200}"
    raise BadInput(
        f"{says}{where}, outside the project. Expected a file in the project's folder. If you trust whoever made the "
        f"project, allow it: testimate project check {target or in_project(project)} --allow {typed(real, 'DIR')}"
    )


def _is_in(real: Path, project: Path, allowed: Sequence[Path]) -> bool:
    """Whether a path lies inside the project's folder, which is none of its own files, or is one of the allowed."""
    inside = real != project and real.is_relative_to(project)
    return inside or any(real.is_relative_to(folder) for folder in allowed)


def real_path(path: Path) -> Path:
    """Where a path leads, through every link, whether there is something or not."""
    return Path(os.path.realpath(path))


def in_project(project: Path) -> str:
    """The option that names the project, as a shell takes it."""
    return f"--project {typed(project, 'DIR')}"


def typed(path: Path, instead: str) -> str:
    """The path as a shell takes it; ``instead`` if a person could not see what they copy."""
    text = str(path)
    return shlex.quote(text) if is_line(text) and len(text) <= LONGEST_COMMAND else instead


def record_words(facts: Mapping[str, Any], name: str) -> str:
    """How a sentence about a path in a record begins."""
    return f"The test set {facts.get('name')!r:.100} names {name!r:.200}"


def link_words(link: Path, project: Path) -> str:
    """How a sentence about a link in the project begins."""
    return f"The project contains {link.relative_to(project).as_posix()!r:.200}"


def links_in(project: Path, *, datasets_too: bool = False) -> Iterator[Path]:
    """Every link among a project's own files; none is followed. ``datasets_too`` : also those inside a dataset's folder."""
    yield from (project / name for name in (*FILES, *FOLDERS) if (project / name).is_symlink())
    for name in FOLDERS:
        if not (project / name).is_symlink():
            yield from _links(project / name, (lambda _: True) if datasets_too else partial(_is_no_dataset, project))


def _links(folder: Path, enter: Callable[[Path], bool]) -> Iterator[Path]:
    """Every link under a folder. ``enter`` : whether to look into a folder."""
    try:
        with os.scandir(folder) as entries:  # of which there may be very many, and few are links or folders
            found = [entry for entry in entries if entry.is_symlink() or entry.is_dir(follow_symlinks=False)]
    except OSError:  # nobody can read what is in it, or it is no longer there
        return
    for entry in sorted(found, key=lambda one: one.name):
        path = folder / entry.name
        if entry.is_symlink():
            yield path
        elif enter(path):
            yield from _links(path, enter)


def _is_no_dataset(project: Path, folder: Path) -> bool:
    """Whether a folder is not that of one dataset, which may hold a million files."""
    parts = folder.relative_to(project).parts
    uploads = len(parts) == 2 and len(parts[1]) == 32  # which are in folders named by their content
    return parts[0] != "datasets" or len(parts) == 1 or uploads
