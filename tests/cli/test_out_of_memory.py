"""Too little memory at the terminal: one sentence of three parts and exit status 2, wherever it runs out."""

import errno
import subprocess
import sys

import numpy as np
import pytest

from testimate import cli
from testimate.cli import main
from testimate.core.errors import BadInput
from testimate.tables.cells import pa
from tests.each import each


def failing(error: BaseException, cause: BaseException | None = None):
    def run(**_):
        raise error from cause

    return run


def too_large_for_numpy() -> MemoryError:
    with pytest.raises(MemoryError) as caught:
        np.empty(1 << 60, dtype=np.uint8)
    return caught.value


@each(
    "error",
    [
        MemoryError(),
        too_large_for_numpy(),
        pa.ArrowMemoryError("malloc of size 40000000 failed"),
        RuntimeError("can't start new thread"),
        RuntimeError("std::bad_alloc"),
        RuntimeError("Unable to allocate 38.1 MiB"),
        ImportError("libparquet.so.2600: failed to map segment from shared object"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_every_way_to_run_out_of_memory_is_the_same_sentence(error, capsys):
    for run in (failing(error), failing(BadInput("This is not readable."), error)):
        with pytest.raises(SystemExit) as stop:
            main([], run)
        said = capsys.readouterr().err
        assert stop.value.code == 2
        assert said.startswith("The memory ran out: ")
        assert said.count(". ") == 2
        assert "Traceback" not in said


@each(
    ("error", "cause"),
    [
        (BadInput("Column 'malloc' is empty."), None),
        (BadInput("Row 3 has too few cells."), pa.ArrowInvalid("got 2 columns: allocate,1")),
    ],
)
def test_data_that_quotes_the_words_of_such_errors_is_another_sentence(error, cause, capsys):
    with pytest.raises(SystemExit):
        main([], failing(error, cause))
    assert capsys.readouterr().err == f"{error}\n"


def test_an_error_that_nobody_can_correct_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError):
        main([], failing(ZeroDivisionError()))


def test_libraries_that_do_not_fit_into_the_limit_of_a_process_are_a_sentence(tmp_path):
    (tmp_path / "t.csv").write_text("prediction,label\na,a\n")
    line = 'ulimit -v 300000; exec "$0" -m testimate.cli select t.csv --budget 1 --seed 1 --out p.json'
    ran = subprocess.run(["sh", "-c", line, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("The memory ran out: this process may take 0.3 GB in all. Expected enough for")
    assert ran.stderr.count("\n") == 1


def test_no_library_is_started_where_it_would_wait_for_memory(monkeypatch, capsys):
    monkeypatch.setattr(cli, "bytes_below_own_limits", lambda: cli.LEAST_BYTES - 1)
    with pytest.raises(SystemExit) as stop:
        main(["techniques"])
    assert (stop.value.code, capsys.readouterr().err[:19]) == (2, "The memory ran out:")
