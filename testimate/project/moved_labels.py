"""A project's labels moved into another database, so that nobody goes on labeling in the old one by mistake."""

from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import make_url, text

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.labels import SqlStore
from testimate.labels.copied_tables import copy_rows
from testimate.project.files import LABELS, MOVED
from testimate.project.project import Project

OLD = "labels.moved.sqlite"
"""What the file of the labels is called once they were moved; nothing reads it any more."""


def move_labels(project: Project, url: str) -> dict[str, int]:
    """Copies all labels, testers and notes into an empty database and closes the old one; rows by table.

    Nobody can label meanwhile; anyone who tries has to wait. Afterwards the old file has another name, and the folder
    names the new
    database, so that an app that is opened without it says where the labels are. The tables on a database server that
    labels are moved away from stay as they are. Raises BadInput where the new database holds anything, or is the old
    one, or somebody else has moved the
    labels meanwhile; then nothing has changed.
    """
    store = project.store
    if store.is_at(url):
        raise BadInput(f"The labels are in {store.name} already. Expected another database after --to. Name one.")
    _check_still_here(project)
    try:
        counts = _moved(project, url)
    except StoreUnavailable:
        _check_still_here(project)
        raise
    return counts


def _moved(project: Project, url: str) -> dict[str, int]:
    """Moves them; rows by table."""
    folder, store = project.folder, project.store
    home = str((folder / LABELS).resolve())
    with closing(SqlStore(url)) as target, store.transaction(writes=True) as read:
        if read.dialect.name == "postgresql":
            read.execute(text("LOCK TABLE sessions, events IN EXCLUSIVE MODE"))
        _check_still_here(project)  # of two leads at once the second waits for the first, and then finds nothing here
        counts = copy_rows(read, target)
        if target.file is not None and str(target.file.resolve()) == home:
            (folder / MOVED).unlink(missing_ok=True)
        else:
            leave_word(folder, url)
        if store.file is not None:
            for ending in ("-wal", "-shm", ""):  # what is not yet in the file lies beside it, under its name
                part = store.file.with_name(f"{store.file.name}{ending}")
                with suppress(OSError):  # Windows renames nothing that is open; the word in the folder is enough
                    part.rename(store.file.with_name(f"{OLD}{ending}"))
    return counts


def _check_still_here(project: Project) -> None:
    """BadInput where the folder says that the labels are in another database than the one that is open."""
    word = project.folder / MOVED
    there = word.read_text(encoding="utf-8") if word.is_file() else ""
    if there and not project.store.is_at(there):
        raise BadInput(
            f"Somebody has moved the labels of {project.folder} to {there:.300} meanwhile. Expected labels in "
            f"{project.store.name}. Name the other database with --database."
        )


def leave_word(folder: Path, url: str) -> None:
    """Writes into the folder where its labels are, without the password."""
    replace_file(folder / MOVED, make_url(url).render_as_string(hide_password=True).encode())
