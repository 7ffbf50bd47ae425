"""A project's labels moved into another database, so that nobody labels in the old one without being told."""

from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import make_url, text

from testimate.core.errors import BadInput
from testimate.core.whole_file import replace_file
from testimate.labels import SqlStore
from testimate.labels.copied_tables import copy_rows
from testimate.project.place import LABELS, MOVED
from testimate.project.project import Project

OLD = "labels.moved.sqlite"
"""What the file of the labels is called once they were moved; nothing reads it any more."""


def move_labels(project: Project, url: str) -> dict[str, int]:
    """Copies all labels, testers and notes into an empty database and closes the old one; rows by table.

    Nobody can label meanwhile: who tries waits. Afterwards the old file has another name, and the folder names the new
    database, so that an app that is opened without it says where the labels are. The tables of a database server that is left
    stay as they are. Raises BadInput where the new database holds anything, or is the old one; then nothing has changed.
    """
    folder, store = project.folder, project.store
    home = str((folder / LABELS).resolve())
    if store.is_at(url):
        raise BadInput(f"The labels are in {store.name} already; expected another database after --to. Name one.")
    with closing(SqlStore(url)) as target, store.transaction(writes=True) as read:
        if read.dialect.name == "postgresql":
            read.execute(text("LOCK TABLE sessions, events IN EXCLUSIVE MODE"))
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


def leave_word(folder: Path, url: str) -> None:
    """Writes into the folder where its labels are, without the password."""
    replace_file(folder / MOVED, make_url(url).render_as_string(hide_password=True).encode())
