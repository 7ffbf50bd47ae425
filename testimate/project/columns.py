"""What is known about each input besides the model's answer: the table's columns, tags, descriptions, and its content.

Simple descriptions of a dataset's inputs as a project keeps them: looked at once, then read from a file.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from testimate.core.files import replace_file
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, content_of
from testimate.labels.notes import Selections, tag_columns
from testimate.project.jobs import MadeOnce
from testimate.project.subjects import SubjectAccess

if TYPE_CHECKING:
    from testimate.planning.plan_votes import VotedOn
    from testimate.subjects.other_predictions import Keys
    from testimate.subjects.prediction_table import TableContent
    from testimate.tables.cells import Column


Description = Mapping[str, NDArray[np.float64] | Sequence[str]]


def kept_descriptions(folder: Path, name: str, dataset: Dataset, progress: Progress = silent) -> Description:
    """Those in the folder's file of that name, made where it is not there or damaged; a folder that is full keeps none."""
    found = _read(folder / f"{name}.npz", len(dataset))
    if found is not None:
        return found
    from testimate.subjects.occlusion import simple_descriptions

    made = simple_descriptions(dataset, progress)
    held = io.BytesIO()
    # a name in front, so that none is taken for an argument of numpy's
    np.savez_compressed(held, **{f"of {column}": np.asarray(values) for column, values in made.items()})  # type: ignore[arg-type] # allow_pickle is never among them
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / f"{name}.npz", held.getvalue())
    return made


def has_descriptions(folder: Path, name: str) -> bool:
    """Whether they were made before."""
    return (folder / f"{name}.npz").exists()


def _read(path: Path, size: int) -> Description | None:
    try:
        with np.load(path, allow_pickle=False) as held:
            found = {column.removeprefix("of "): held[column] for column in held.files}
    except (OSError, ValueError, EOFError):
        return None
    if any(values.shape != (size,) for values in found.values()):
        return None
    return {
        column: values if values.dtype.kind == "f" else [str(one) for one in values.tolist()]
        for column, values in found.items()
    }


class InputColumns:
    """Columns with a cell for each input of a project's subjects."""

    def __init__(self, project: SubjectAccess, selections: Selections, lock: threading.RLock) -> None:
        self._project, self._selections = project, selections
        self._further: MadeOnce[str, Mapping[str, Column]] = MadeOnce(lock)
        self._descriptions: MadeOnce[str, Description] = MadeOnce(lock)  # by the content of the dataset
        self._contents: MadeOnce[str, list[str]] = MadeOnce(lock)  # of each input, by the dataset's fingerprint

    def table(self, key: str) -> TableContent | None:
        """The subject's own table; None where it has none."""
        if not key.startswith("table-"):
            return None
        from testimate.subjects.prediction_table import table_content
        from testimate.subjects.table_choices import AS_NAMED

        kept, source = self._project.kept_table(key)
        choices = kept.choices or AS_NAMED
        return table_content(source, kept.name, choices.inputs).by(choices.rules)

    def names(self, key: str) -> tuple[str, ...]:
        """The columns of the subject's own table; none where it is no table."""
        table = self.table(key)
        return () if table is None else tuple(table.cells.columns)

    def voted_on(self, key: str) -> VotedOn:
        """What votes on the subject's inputs are matched with."""
        from testimate.planning.plan_votes import votes_on_inputs

        table = self.table(self._project.owner_of_inputs(key))
        inputs = self._project.inputs(key)
        return votes_on_inputs(inputs, None if table is None else table.cells, self._project.subject(key).name)

    def further(self, key: str) -> Mapping[str, Column]:
        """The columns of the subject's own table that play no role, by name; none where it is no table.

        A version has those of the subject whose inputs it shows.
        """
        owner = self._project.owner_of_inputs(key)
        if not owner.startswith("table-"):
            return {}
        from testimate.project.kept_subjects import further_columns

        return self._further.get_or_make(owner, lambda: further_columns(*self._project.kept_table(owner)))

    def tags(self, key: str) -> dict[str, NDArray[np.object_]]:
        """The columns that named selections make, by name: a cell per input, (N,), "" where it is in none."""
        return tag_columns(self._selections.of(key), len(self._project.inputs(key)))

    def descriptions(self, key: str, progress: Progress = silent) -> Description:
        """What can be said about each of the subject's inputs without a model; looked at once, and kept in the folder."""
        dataset = self._project.subject(key).dataset
        name = content_of(dataset)
        folder = self._project.folder / "descriptions"
        return self._descriptions.get_or_make(name, lambda: kept_descriptions(folder, name, dataset, progress))

    def has_descriptions(self, key: str) -> bool:
        """Whether ``descriptions`` answers at once, in this process or from the folder, without looking at the inputs."""
        name = content_of(self._project.subject(key).dataset)
        return name in self._descriptions or has_descriptions(self._project.folder / "descriptions", name)

    def same_keys(self, key: str, other: str) -> bool:
        """Whether two tables have a key column in common with the very same keys, in any order."""
        mine, its = self._keys(key), self._keys(other)
        return any(sorted(mine[name]) == sorted(its[name]) for name in mine.keys() & its.keys())

    def contents(self, key: str, other: str, progress: Progress = silent) -> tuple[Sequence[str], Sequence[str]]:
        """What tells the inputs of two subjects apart, (N,) and (M,): a key that both tables have, else their content.

        BadInput where nothing is shown of the inputs.
        """
        from testimate.subjects.other_predictions import shared_key
        from testimate.tables.files import digests_of

        mine, its = self._keys(key), self._keys(other)
        shared = shared_key(mine, its)
        if shared is not None:
            return mine[shared], its[shared]
        first, second = (self._project.subject(one).dataset for one in (key, other))
        return (
            self._contents.get_or_make(content_of(first), lambda: digests_of(first, progress)),
            self._contents.get_or_make(content_of(second), lambda: digests_of(second, progress)),
        )

    def _keys(self, key: str) -> Keys:
        from testimate.subjects.other_predictions import keys_of

        table = self.table(key)
        return {} if table is None else keys_of(table.cells)
