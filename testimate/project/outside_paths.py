"""What in a project leads out of its folder, for those who check or restore one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.project.record_paths import (
    ROLES,
    allowed_paths,
    check_inside,
    is_name,
    link_words,
    links_in,
    real_path,
    record_words,
)
from testimate.project.subject_records import read_facts

RECORD = "subject.json"
PLACES = ("subjects", "cache")
"""Folders of a project that hold a ``subject.json`` for each subject or entry."""


def paths_outside(project: Path, also_allowed: Sequence[Path] = (), target: str = "") -> list[str]:
    """A sentence for each path of a record, and each link, that leads out of the project to where nobody allowed it.

    ``target`` : as of ``check_inside``.
    """
    allowed = (*allowed_paths(project), *map(real_path, also_allowed))
    found: dict[str, None] = {}  # each once: two entries of the cache may name one file
    for path, says in _paths(project):
        try:
            check_inside(path, says, project, allowed, target)
        except BadInput as error:
            found[str(error)] = None
    return list(found)


def _paths(project: Path) -> Iterator[tuple[Path, str]]:
    """Every path in the project, with how a sentence about it begins."""
    for record in (file for place in PLACES for file in sorted((project / place).glob(f"*/{RECORD}"))):
        facts = read_facts(record) or {}
        for role in ROLES:
            name = facts.get(role)
            if is_name(name):
                yield project / name, record_words(facts, name)
    for link in links_in(project, datasets_too=True):
        yield link, link_words(link, project)
