"""Copies of a plan's pictures and sounds, for a labeling tool that cannot reach the originals."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.subject import Subject
from testimate.planning.label_exchange import LabelTask
from testimate.subjects.media import EmbeddedMedia, NamedFiles


def holds_files(subject: Subject) -> bool:
    """Whether the table holds its pictures or sounds itself, so that a tool can only have copies of them."""
    return isinstance(getattr(subject.dataset, "media", None), EmbeddedMedia)


def named_by_key(tasks: Sequence[LabelTask], subject: Subject) -> list[LabelTask]:
    """The tasks with the names of their copies: the keys, since a file's own name and folder often give away its class.

    BadInput where the table has no files, or a row's file is missing.
    """
    named, media = [], _media(subject)
    for task in tasks:
        try:
            named.append(replace(task, file=f"{task.key}{media.ending(task.row)}"))
        except BadInput as error:
            raise _of_row(task, media, error) from None
    return named


def copy_files(tasks: Sequence[LabelTask], subject: Subject, folder: Path) -> None:
    """Copies the file of each task to a new folder, under the task's name for it.

    BadInput where the folder holds something already, or a file cannot be read; then there is no folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{str(folder)!r:.200} is not empty. Expected a new folder. Choose another place.")
    media = _media(subject)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for task in tasks:
            try:
                write_whole(folder / task.file, media.content(task.row))
            except BadInput as error:
                raise _of_row(task, media, error) from None
    except BaseException:
        shutil.rmtree(folder)
        raise


def _media(subject: Subject) -> NamedFiles | EmbeddedMedia:
    media = getattr(subject.dataset, "media", None)
    if not isinstance(media, NamedFiles | EmbeddedMedia):
        raise BadInput(
            f"The rows of {subject.name!r:.60} name no pictures or sounds that could be copied. Leave --inputs out."
        )
    return media


def _of_row(task: LabelTask, media: NamedFiles | EmbeddedMedia, error: BadInput) -> BadInput:
    name = media.name(task.row)
    return BadInput(f"Row {task.row}{f', {name!r:.100}' if name else ''}: {error}")
