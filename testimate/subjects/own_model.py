"""A tester's own model as a subject has it: opened from its file when it is needed, and only if the file is the same."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testimate.core.errors import SubjectChanged
from testimate.core.subject import Model
from testimate.subjects.models import OpenedModel, open_model_file
from testimate.subjects.models.file_content import read_content


class ModelOpener:
    """Gives the model of a file; it stays warm here, and is opened anew in another process that this is sent to."""

    def __init__(self, path: Path, sha256: str, roles: Mapping[str, str], settings: Mapping[str, Any]) -> None:
        self._path, self._sha256, self._roles, self._settings = path.absolute(), sha256, dict(roles), dict(settings)
        self._model: Model | None = None

    def __call__(self) -> Model:
        """The model; SubjectChanged where the file is no longer what it was."""
        if self._model is None:
            check_same(self._path, self._sha256)  # before anything in it is run
            return self.keep(open_model_file(self._path, **self._settings))
        return self._model

    def keep(self, opened: OpenedModel) -> Model:
        """Has a model that was opened from the file stay warm; returns it with the roles chosen."""
        self._model = opened.opener().with_roles(self._roles)
        return self._model

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": None}


def check_same(path: Path, sha256: str) -> None:
    """SubjectChanged where the model's file is no longer the one of that SHA-256."""
    if read_content(path).digest != sha256:
        raise SubjectChanged(
            f"The model file {path.name!r:.100} was changed since it was opened; needed is the same file. Open it again."
        )
