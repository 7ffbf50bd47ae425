"""The one way in which tests run a command of the terminal: inside the test, with what it said checked for a traceback."""

import io
from typing import NamedTuple

import pytest

from testimate.cli import main


class Said(NamedTuple):
    """What one command left behind: its exit status, standard output and standard error."""

    status: int
    out: str
    err: str


class CommandLine:
    """Runs commands as ``testimate`` would: ``command("select", table, "--seed", 1)``."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, *arguments: object, typed: str = "") -> Said:
        """Runs one command with ``typed`` on its standard input; no command may end in a traceback."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in err, err[-3_000:]
        return Said(status, out, err)

    def ok(self, *arguments: object, typed: str = "") -> str:
        """The standard output of a command that has to succeed."""
        said = self(*arguments, typed=typed)
        assert said.status == 0, said.err
        return said.out

    def refusal(self, *arguments: object, typed: str = "") -> str:
        """The one line on standard error of a command that has to refuse, with exit status 2 and nothing on standard output."""
        said = self(*arguments, typed=typed)
        assert (said.status, said.out, said.err.count("\n")) == (2, "", 1), said
        return said.err
