"""The files of a test set as they are dropped: which is the table or the model, and which are what its rows are about."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from testimate.core import fingerprint
from testimate.core.errors import BadInput, TestimateError
from testimate.core.words import counted
from testimate.project.files import keep_unpacked
from testimate.tables.archives import holds_one_table
from testimate.tables.kinds import GZIP, NOT_TEXT, START_BYTES, TABLE_ENDINGS, ZIP, begins, is_json
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.subject.chosen_files import keep_file

INPUTS, FEATURES = "table inputs", "table features"
"""The fields under Advanced in which the files of the rows and the features are chosen."""

MODEL, DATA = "own model", "own dataset"
"""The fields of the page on which a model and its data are chosen."""

_DROPPED, _REFUSED, _FIELDS = "dropped", "dropped refused", "dropped fields"
_FILES, _FOLDER = "dropped files", "dropped folder"

TEXTS = (".txt", ".zip")
"""Endings of tables that other files have as well."""


@dataclass(frozen=True)
class Dropped:
    """What one test set was made of.

    Attributes
    ----------
    name, data : of the table; a folder of the project where it is a dataset that lies there, None where it is still to be
        chosen. id : tells this table from others. inputs : what the rows are about, in words, such as "pictures/, 3 files".
    """

    name: str = ""
    data: bytes | Path | None = None
    id: str = ""
    inputs: str = ""


@dataclass(frozen=True)
class File:
    """A file that was dropped; ``name`` with the folders that it was in."""

    name: str
    content: bytes


def dropped() -> Dropped:
    """Return what was dropped in this tab and is not in the project yet."""
    found: Dropped = st.session_state.get(_DROPPED, Dropped())
    return found


def take_table(name: str, data: bytes | Path, id: str) -> None:
    """Take a table, with the inputs that were dropped before it."""
    st.session_state[_DROPPED] = Dropped(name, data, id, dropped().inputs)


def forget_dropped() -> None:
    """Forget all that was dropped."""
    for name in (_DROPPED, _REFUSED, f"{INPUTS} kept", f"{FEATURES} kept"):
        st.session_state.pop(name, None)
    _count_fields()


def drop_area() -> None:
    """Show the two fields that take files: a table with loose files or zips, and a folder."""
    # any ending: the content decides what a file is, and a browser would only say "files are not allowed"
    files, folder = (f"{name} {st.session_state.get(_FIELDS, 0)}" for name in (_FILES, _FOLDER))
    left, right = st.columns(2)
    left.file_uploader(
        "Table, with files or zips", accept_multiple_files=True, key=files, on_change=_take, args=(files,)
    )
    right.file_uploader(
        "Folder of pictures, sounds or texts",
        accept_multiple_files="directory",
        key=folder,
        on_change=_take,
        args=(folder,),
    )
    if _REFUSED in st.session_state:
        st.error(escape_markdown(st.session_state[_REFUSED]), icon=":material/error:")


def _count_fields() -> None:
    """Let empty fields take the place of those that are full."""
    st.session_state[_FIELDS] = st.session_state.get(_FIELDS, 0) + 1


def _take(field: str) -> None:
    """Sort what was dropped, before the page is drawn again."""
    uploads: Sequence[UploadedFile] = st.session_state[field] or ()
    files = [File(one.name, one.getvalue()) for one in uploads if not _hidden(one.name)]
    if not files:
        return
    st.session_state.pop(_REFUSED, None)
    _count_fields()
    try:
        _sort(files, in_folder=field.startswith(_FOLDER))
    except TestimateError as error:
        st.session_state[_REFUSED] = str(error)


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts)


def _sort(files: list[File], *, in_folder: bool) -> None:
    """Take the table among the files, features in an array, and the others as what the rows are about.

    ``in_folder`` : a table in a folder is one of its files if there is a table already.
    """
    first = dropped().data is None
    if first and (model := model_among(files)) is not None:
        _take_model(model, [one for one in files if one is not model])
        return
    table = table_among(files, alone=first) if first or not in_folder else None
    if table is not None:
        data: bytes | Path = table.content
        if begins(table.content, ZIP) and not holds_one_table(table.content, table.name):
            data = keep_unpacked(project().folder, table.name, table.content)
        take_table(PurePosixPath(table.name).name, data, fingerprint.of_bytes(table.content))
    rest = [one for one in files if one is not table]
    arrays = [one for one in rest if one.name.lower().endswith(".npy")]
    for array in arrays:
        keep_file("dataset", FEATURES, PurePosixPath(array.name).name, array.content)
    others = [one for one in rest if one not in arrays]
    if others:
        _take_inputs(others)


def table_among(files: Sequence[File], *, alone: bool) -> File | None:
    """Return the table among files: by its content, a CSV by its ending; the outermost one where there are several.

    ``alone`` : whether no table was dropped before, so that a single file is one, whatever it is called.

    >>> files = [File("set/1.png", b""), File("set/a.csv", b"prediction"), File("set/notes/b.csv", b"")]
    >>> table_among(files, alone=True).name
    'set/a.csv'
    """
    found = sorted((one for one in files if _is_table(one)), key=lambda one: (one.name.count("/"), one.name))
    if found:
        return found[0]
    return files[0] if alone and len(files) == 1 else None


def _is_table(file: File) -> bool:
    """Return whether a file is a table: the texts, zips and arrays of inputs are none."""
    start, name = file.content[:START_BYTES], file.name.lower()
    if begins(start, ZIP):
        return holds_one_table(file.content, file.name)
    named = name.endswith(tuple(f".{ending}" for ending in TABLE_ENDINGS)) and not name.endswith(TEXTS)
    return begins(start, *NOT_TEXT) or is_json(start) or (named and (begins(start, GZIP) or bool(start)))


def model_among(files: Sequence[File]) -> File | None:
    """Return the network among files; None where there is none."""
    from testimate.models.kinds import is_model  # the first screen need not wait for it

    return next((one for one in files if is_model(one.content, Path(one.name))), None)


def _take_model(model: File, files: Sequence[File]) -> None:
    """Keep a model with the list of its classes, and its data, and lead to the page where both are checked."""
    from testimate.datasets.class_lists import LIST_FILES

    lists = [one for one in files if PurePosixPath(one.name).name in LIST_FILES]
    name = PurePosixPath(model.name).name
    if lists and not begins(model.content, ZIP):
        model = File(
            f"{PurePosixPath(name).stem}.zip",
            zip_of([File(PurePosixPath(one.name).name, one.content) for one in (model, *lists)]),
        )
    keep_file("model", MODEL, PurePosixPath(model.name).name, model.content)
    data = [one for one in files if one not in lists]
    if data:
        one = data[0] if len(data) == 1 else _in_one_zip(data)
        keep_file("dataset", DATA, PurePosixPath(one.name).name, one.content)
    st.query_params["add"] = "own"


def _in_one_zip(files: Sequence[File]) -> File:
    """Return files in one zip; BadInput if one of them is a zip already."""
    if len(zips := [one.name for one in files if begins(one.content, ZIP)]) > 0:
        raise BadInput(
            f"{zips[0]!r:.100} was dropped together with {counted(len(files) - 1, 'other file')}. Expected one zip, or "
            "files alone. Put all of them into one zip."
        )
    folder = PurePosixPath(files[0].name).parts[0] if "/" in files[0].name else "files"
    return File(f"{folder}.zip", zip_of(files))


def _take_inputs(files: Sequence[File]) -> None:
    """Keep what the rows are about: a zip as it is, other files in one."""
    if len(files) == 1 and begins(files[0].content, ZIP):
        [one] = files
        words = one.name
    else:
        one = _in_one_zip(files)
        words = f"{one.name.removesuffix('.zip')}/, {counted(len(files), 'file')}"
    keep_file("dataset", INPUTS, one.name, one.content)
    now = dropped()
    st.session_state[_DROPPED] = Dropped(now.name, now.data, now.id, words)


def zip_of(files: Sequence[File]) -> bytes:
    """Return the files in a zip that is the same for the same files, so that the project keeps it once.

    >>> zip_of([File("a.txt", b"a"), File("b.txt", b"b")]) == zip_of([File("b.txt", b"b"), File("a.txt", b"a")])
    True
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for file in sorted(files, key=lambda one: one.name):
            archive.writestr(zipfile.ZipInfo(file.name), file.content)
    return made.getvalue()
