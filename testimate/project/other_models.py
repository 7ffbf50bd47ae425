"""The other models of a project's subjects: those that are kept, those it could add, and the inputs with what they predict."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.planning.other_models import with_others
from testimate.project.input_columns import InputColumns
from testimate.project.kept_others import KeptOthers, offered_by_demo, offered_by_subject
from testimate.project.made_once import MadeOnce
from testimate.project.subject_access import SubjectAccess


class OtherModels:
    """The other models of each subject: kept, offered, added and removed."""

    def __init__(self, project: SubjectAccess, columns: InputColumns, lock: threading.RLock) -> None:
        self._project, self._columns = project, columns
        self._kept = KeptOthers(project.folder)
        self._helped: MadeOnce[str, Inputs] = MadeOnce(lock)  # by the subject and the fingerprints

    def of(self, key: str) -> tuple[OtherModel, ...]:
        """The other models whose predictions of the subject's inputs are kept, by name."""
        return self._kept.of(key)

    def offered(self, key: str) -> dict[str, Callable[[], OtherModel]]:
        """Models of this project, or of the demo, that predict for the same inputs, by name, not kept yet."""
        project = self._project
        subject, inputs = project.subject(key), project.inputs(key)
        found = offered_by_demo(project.owner_of_inputs(key))
        for entry in project.entries():
            if not entry.demo:
                with suppress(TestimateError):  # a subject that does not open offers nothing
                    other = project.subject(entry.key)
                    found |= offered_by_subject(subject, inputs, other, partial(project.inputs, entry.key))
        return {name: made for name, made in found.items() if name not in {one.name for one in self.of(key)}}

    def add(self, key: str, other: OtherModel) -> Inputs:
        """Keeps what another model predicts for the subject's inputs; the inputs with it. BadInput where it is of no use."""
        inputs = with_others(self._project.inputs(key), [other])
        self._kept.keep(key, other)
        return inputs

    def read(
        self,
        key: str,
        name: str,
        data: bytes | Path | None,
        *,
        prediction: str | None = None,
        confidence: str | None = None,
        tell: Callable[[str], object] = warnings.warn,
    ) -> OtherModel:
        """Another model's predictions in a table's content; without content in columns of the subject's own table.

        ``tell`` is called with what the content was taken for where it does not say so itself.
        """
        from testimate.subjects.other_predictions import keys_of, other_content, read_other

        inputs, keys = self._project.inputs(key), None
        own = self._columns.table(key)
        if own is not None:
            keys = keys_of(own.cells)
        content = own if data is None else other_content(data, name, tell)
        if content is None:
            raise BadInput("The subject has no table of its own; expected one with further columns. Upload a table.")
        return read_other(content, inputs, name=name, keys=keys, prediction=prediction, confidence=confidence)

    def read_from_table(self, key: str, of: str) -> OtherModel:
        """What another table of this project predicts for the subject's inputs, its rows in their order by a shared key."""
        kept, source = self._project.kept_table(of)
        return self.read(key, kept.name, source)

    def remove(self, key: str, fingerprint: str) -> None:
        """Forgets another model's predictions; BadInput where a session was planned with them."""
        of_subject = [record for record in self._project.sessions(deleted=True) if record.subject == key]
        if any(fingerprint in record.resolved.get("others", ()) for record in of_subject):
            raise BadInput(
                "A session was planned with these predictions and could not go on without them; expected predictions that no "
                "session uses. Leave them: a new plan may do without."
            )
        self._kept.drop(key, fingerprint)

    def remove_all(self, key: str) -> None:
        """Forgets all other models of a subject, which is about to be deleted."""
        self._kept.drop(key)

    def inputs_with(self, key: str, others: Sequence[str]) -> Inputs:
        """What is known of the subject's inputs with these other models, by their fingerprints."""
        if not others:
            return self._project.inputs(key)
        return self._helped.get_or_make(
            f"{key} {' '.join(others)}", lambda: with_others(self._project.inputs(key), self._kept.named(key, others))
        )
