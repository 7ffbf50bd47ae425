"""Frameworks start for every user, with a home or without; one that cannot start is not the fault of the model's file."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.models import open_model_file, worker
from testimate.models.description import ModelDescription
from testimate.models.frames import Message

ROOT = Path(__file__).parents[2]
NOBODY = 65534
NO_FOLDER = 'raise OSError("Matplotlib requires access to a writable cache directory")\n'
OPENS = """
import sys
from pathlib import Path
from testimate.models import open_model_file
from testimate.models.description import ModelDescription
import matplotlib.pyplot  # the process that asks may use it
print(open_model_file(ModelDescription(Path(sys.argv[1]))).facts.output)
"""


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that every user may enter: that of pytest is for one alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def interpreter_of(user: int) -> str:
    """A Python of this version that the user may start; skips where there is none."""
    for candidate in (
        sys.executable,
        shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path="/usr/bin"),
    ):
        try:
            if candidate and subprocess.run([candidate, "-c", ""], user=user, check=False).returncode == 0:
                return candidate
        except PermissionError:
            continue
    pytest.skip(f"User {user} may start no Python of this version here.")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no user of that number.")
def test_a_keras_model_opens_for_a_user_without_rights_and_with_an_empty_home(keras_files, shared_folder):
    pytest.importorskip("matplotlib")
    user = NOBODY if os.getuid() == 0 else os.getuid()
    model, home = shutil.copy(keras_files / "images.keras", shared_folder), shared_folder / "home"
    Path(model).chmod(0o644)
    home.mkdir()
    os.chown(home, user, -1)
    places = os.pathsep.join([str(ROOT), *(place for place in sys.path if "site-packages" in place)])
    said = subprocess.run(
        [interpreter_of(user), "-B", "-c", OPENS, model],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": places},
        cwd=shared_folder,
        user=user,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.stdout == "probabilities\n", said.stderr[-2_000:]


@pytest.mark.slow
def test_a_keras_model_opens_where_matplotlib_cannot_be_imported(keras_files, tmp_path, monkeypatch):
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text(NO_FOLDER)
    monkeypatch.syspath_prepend(tmp_path)
    model = open_model_file(ModelDescription(keras_files / "images.keras")).model
    assert model.facts.output == "probabilities"
    model.close()


def test_a_framework_that_cannot_be_imported_is_reported_as_the_computers_fault(keras_files, tmp_path, monkeypatch):
    (tmp_path / "keras.py").write_text(NO_FOLDER)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match=r"cannot be started on this computer \(OSError: Matplotlib") as refused:
        open_model_file(ModelDescription(keras_files / "images.keras"))
    assert "Export the model again" not in str(refused.value)


@pytest.mark.parametrize(("at_import", "kind"), [(True, "not installed"), (False, "bad input")])
def test_an_oserror_is_the_files_fault_only_where_nothing_was_imported(at_import, kind, tmp_path, monkeypatch):
    (tmp_path / "part_of_a_framework.py").write_text(NO_FOLDER)
    monkeypatch.syspath_prepend(tmp_path)

    def read(_):
        try:
            if at_import:
                import part_of_a_framework  # noqa: F401 - importing it is what is tried
            raise OSError("Unable to synchronously open file")
        except OSError as error:
            raise BadInput("This model cannot be read. Export the model again.") from error

    monkeypatch.setattr(worker, "open_model", read)
    model = ModelDescription(tmp_path / "m.h5").to_json()
    question = {"kind": "Keras HDF5", "fingerprint": "f", "trust": False, "model": model}
    content, no_tokenizer = np.zeros(1, dtype=np.uint8), np.zeros(0, dtype=np.uint8)
    answer = worker.Desk().answer(Message({"open": question}, [content, no_tokenizer]))
    assert answer.head["refused"] == kind
