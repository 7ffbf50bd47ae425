"""The other models of a project's subjects: those that are kept, those it could add, and the inputs with what they predict.

Other models' predictions of a subject's inputs, as a project keeps them: sessions find them again by their fingerprint.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.comparison import compared_predictions
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged, TestimateError
from testimate.core.files import write_whole
from testimate.core.inputs import EarlierResults, Inputs, OtherModel
from testimate.core.subject import Subject, content_of
from testimate.demos.catalog import find_demo
from testimate.planning.history import with_history
from testimate.planning.other_models import with_others
from testimate.project.columns import InputColumns
from testimate.project.jobs import MadeOnce
from testimate.project.subjects import SubjectAccess


class KeptOthers:
    """``subjects/<key>/others/<fingerprint>.npz`` in the folder: name, predictions, and confidence where it is known."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, key: str) -> tuple[OtherModel, ...]:
        """The other models kept for a subject, by name; damaged files are left out."""
        return tuple(one for one in self._all(key) if isinstance(one, OtherModel))

    def histories(self, key: str) -> tuple[EarlierResults, ...]:
        """Return the results of earlier models kept for a subject, by name; damaged files are left out."""
        return tuple(one for one in self._all(key) if isinstance(one, EarlierResults))

    def _all(self, key: str) -> tuple[OtherModel | EarlierResults, ...]:
        found = []
        for file in self._place(key).glob("*.npz"):
            try:
                found.append(_read(file))
            except (OSError, ValueError, KeyError):
                continue
        return tuple(sorted(found, key=lambda one: (one.name, one.fingerprint)))

    def named(self, key: str, fingerprints: Sequence[str]) -> tuple[OtherModel | EarlierResults, ...]:
        """Return the models, or results of earlier ones, with these fingerprints, in that order.

        Raises BadInput if one is gone, SubjectChanged if its content changed.
        """
        found = []
        for digest in fingerprints:
            try:
                other = _read(self._place(key) / f"{_checked(digest)}.npz")
            except (OSError, ValueError, KeyError):
                raise BadInput(
                    f"The session was planned with another model's predictions ({digest[:8]}) that are gone from the project; "
                    "its labels are still saved. Add the same predictions under Project again."
                ) from None
            if other.fingerprint != digest:
                raise SubjectChanged(
                    f"The predictions of {other.name!r:.60} are not those the session was planned with. Put them back."
                )
            found.append(other)
        return tuple(found)

    def keep(self, key: str, other: OtherModel | EarlierResults) -> None:
        """Keep a model's predictions or earlier results, the same content once; StoreUnavailable if they cannot be written."""
        held = io.BytesIO()
        if isinstance(other, EarlierResults):
            np.savez_compressed(held, name=np.array(other.name), losses=other.losses)
        else:
            sure = {} if other.confidence is None else {"confidence": other.confidence}
            said = {"name": np.array(other.name), "predictions": other.predictions, **sure}
            np.savez_compressed(held, **said)  # type: ignore[arg-type] # allow_pickle is never among them
        place = self._place(key)
        try:
            place.mkdir(parents=True, exist_ok=True)
            write_whole(place / f"{other.fingerprint}.npz", held.getvalue())
        except OSError as error:
            raise StoreUnavailable(
                f"The predictions could not be kept in {place} ({error.strerror}). Free space or choose another project folder."
            ) from None

    def drop(self, key: str, fingerprint: str | None = None) -> None:
        """Removes the model with that fingerprint, or all other models of the subject; nothing where there are none."""
        name = "*" if fingerprint is None else _checked(fingerprint)
        for file in self._place(key).glob(f"{name}.npz"):
            file.unlink(missing_ok=True)
        if fingerprint is None and self._place(key).is_dir() and not any(self._place(key).iterdir()):
            self._place(key).rmdir()

    def _place(self, key: str) -> Path:
        if not re.fullmatch(r"[a-z0-9-]+", key):
            raise BadInput(f"There is no test set {key!r:.60} in this project. Choose one from the list.")
        return self._folder / "subjects" / key / "others"


def _checked(fingerprint: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{32}", fingerprint):
        raise BadInput(
            f"{fingerprint!r:.60} is not a fingerprint of predictions. Expected 32 hex digits. Start a new session."
        )
    return fingerprint


def _read(file: Path) -> OtherModel | EarlierResults:
    with np.load(file, allow_pickle=False) as held:
        if "losses" in held:
            return EarlierResults(str(held["name"]), held["losses"])
        return OtherModel(str(held["name"]), held["predictions"], held.get("confidence"))


Offered = dict[str, Callable[[], OtherModel]]


def offered_by_demo(key: str) -> Offered:
    """The models that come with a demo besides its own, by name; none where it has no others."""
    demo = find_demo(key)
    if demo is None or demo.level is None:
        return {}
    from testimate.demos.comparison_models import NINE

    return {model.name: partial(_of_demo, model.name, demo.level) for model in NINE}


def _of_demo(name: str, level: int) -> OtherModel:
    from testimate.demos.comparison_models import glyph_outputs

    return OtherModel(name, *glyph_outputs(name, level))


def offered_by_subject(subject: Subject, inputs: Inputs, other: Subject, its: Callable[[], Inputs]) -> Offered:
    """What another subject says about the same inputs, by name: its own model, or each of those it compares.

    None where it has another dataset or task.
    """
    comparing = other.inputs is not None and bool(other.inputs.compared)
    same = content_of(other.dataset) == content_of(subject.dataset) or (comparing and len(other.dataset) == len(inputs))
    if other.key == subject.key or not same or other.task.kind != inputs.task.kind:
        return {}
    if not comparing or other.inputs is None:
        return {other.name: partial(_single, inputs, its, other.name)}
    return {model: partial(_compared, inputs, its, place, model) for place, model in enumerate(other.inputs.compared)}


def _compared(inputs: Inputs, its: Callable[[], Inputs], place: int, name: str) -> OtherModel:
    known = its()
    return OtherModel(name, _renumbered(inputs, known, compared_predictions(known).labels[:, place]), None)


def _single(inputs: Inputs, its: Callable[[], Inputs], name: str) -> OtherModel:
    known = its()
    first = known.predictions.ndim == 1 or known.task.several
    said = known.predictions if first else known.predictions[:, 0]
    return OtherModel(name, _renumbered(inputs, known, said), known.confidence)


def _renumbered(inputs: Inputs, known: Inputs, said: NDArray[Any]) -> NDArray[Any]:
    """Class places in the numbering of the tested model, -1 for a class it does not have."""
    if not (inputs.task.one_class and known.task.one_class):
        return said
    numbers: NDArray[Any] = ClassIndex(inputs.task.classes).indices(known.task.classes, UNKNOWN)[said]
    return numbers


class OtherModels:
    """The other models of each subject: kept, offered, added and removed."""

    def __init__(self, project: SubjectAccess, columns: InputColumns, lock: threading.RLock) -> None:
        self._project, self._columns = project, columns
        self._kept = KeptOthers(project.folder)
        self._helped: MadeOnce[str, Inputs] = MadeOnce(lock)  # by the subject and the fingerprints

    def of(self, key: str) -> tuple[OtherModel, ...]:
        """The other models whose predictions of the subject's inputs are kept, by name."""
        return self._kept.of(key)

    def histories(self, key: str) -> tuple[EarlierResults, ...]:
        """Return the results of earlier models that are kept with the subject, by name."""
        return self._kept.histories(key)

    def offered(self, key: str) -> dict[str, Callable[[], OtherModel]]:
        """Models of this project, or of the demo, that predict for the same inputs, by name, not kept yet."""
        project = self._project
        subject, inputs = project.subject(key), project.inputs(key)
        found = offered_by_demo(project.owner_of_inputs(key))
        for entry in project.entries():
            if not entry.demo:
                with suppress(TestimateError):  # a subject that does not open offers nothing
                    other = project.subject(entry.key)
                    # compared models have no confidence: a demo's own model of the same name says more
                    found = offered_by_subject(subject, inputs, other, partial(project.inputs, entry.key)) | found
        return {name: made for name, made in found.items() if name not in {one.name for one in self.of(key)}}

    def add(self, key: str, other: OtherModel) -> Inputs:
        """Keeps what another model predicts for the subject's inputs; the inputs with it. BadInput where it is of no use."""
        inputs = with_others(self._project.inputs(key), [other])
        self._kept.keep(key, other)
        return inputs

    def add_history(
        self, key: str, name: str, data: bytes, *, tell: Callable[[str], object] = warnings.warn
    ) -> EarlierResults:
        """Keep what a table's content says earlier models got wrong; BadInput where it is of no use."""
        from testimate.subjects.other_predictions import keys_of, read_history

        inputs, own = self._project.inputs(key), self._columns.table(key)
        history = read_history(data, inputs, name=name, keys=None if own is None else keys_of(own.cells), tell=tell)
        with_history(inputs, history)
        self._kept.keep(key, history)
        return history

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
            raise BadInput("The test set has no table of its own. Expected one with further columns. Upload a table.")
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
                "A session was planned with these predictions and could not go on without them. Expected predictions that no "
                "session uses. Leave them: a new plan may do without."
            )
        self._kept.drop(key, fingerprint)

    def remove_all(self, key: str) -> None:
        """Forgets all other models of a subject, which is about to be deleted."""
        self._kept.drop(key)

    def inputs_with(self, key: str, others: Sequence[str]) -> Inputs:
        """What is known of the subject's inputs with these other models, and earlier models' results, by their fingerprints."""
        own = self._project.inputs(key)
        others = [one for one in others if own.history is None or one != own.history.fingerprint]
        if not others:
            return own

        def made() -> Inputs:
            named = self._kept.named(key, others)
            inputs = with_others(own, [one for one in named if isinstance(one, OtherModel)])
            for one in named:
                inputs = with_history(inputs, one) if isinstance(one, EarlierResults) else inputs
            return inputs

        return self._helped.get_or_make(f"{key} {' '.join(others)}", made)
