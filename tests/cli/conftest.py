"""One command of the terminal, run inside the test."""

from collections.abc import Callable

import pytest

from testimate.cli import main


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command; gives its exit status, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            main([str(argument) for argument in arguments])
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
