"""What the parts of a project ask of it: its subjects, what is known of their inputs, and its sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from testimate.core.inputs import Inputs
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Subject
from testimate.project.subject_records import SubjectEntry

if TYPE_CHECKING:
    from testimate.project.kept_tables import KeptTable


class SubjectAccess(Protocol):
    """The part of a project's interface that its parts use; ``Project`` documents each call."""

    folder: Path

    def entries(self) -> list[SubjectEntry]:
        """The demos, then what was added, by name."""
        ...

    def subject(self, key: str) -> Subject:
        """The subject of that key; BadInput where there is none."""
        ...

    def inputs(self, key: str) -> Inputs:
        """What is known of the subject's N inputs: predictions, confidence, features and more, a row for each."""
        ...

    def kept_table(self, key: str) -> tuple[KeptTable, bytes | Path]:
        """How a subject's table is read, and its content or where it lies."""
        ...

    def owner_of_inputs(self, key: str) -> str:
        """The subject whose inputs a version shows; any other subject's are its own."""
        ...

    def sessions(self, *, deleted: bool = False) -> list[SessionRecord]:
        """Every session, newest first; with ``deleted`` those, too, that can still be put back."""
        ...
