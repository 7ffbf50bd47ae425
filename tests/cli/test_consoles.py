"""A terminal that lacks a sign prints something like it: nobody meets a traceback for a thin space."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


SIGNS = "10\u202f000 \u00b1 3 \u2013 K\u00e4se"


def printed(encoding: str, *python: str) -> str:
    """What a program prints on a terminal of an encoding."""
    said = subprocess.run(
        [sys.executable, *python],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert b"Traceback" not in said.stderr
    return said.stdout.decode(encoding).strip()


def test_signs_that_a_terminal_has_stay_and_others_are_something_like_them():
    code = f"from testimate.cli import main; import typer\nmain([], run=lambda **_: typer.echo({SIGNS!a}))"
    assert printed("utf-8", "-c", code) == SIGNS
    assert printed("cp1252", "-c", code) == "10 000 \u00b1 3 \u2013 K\u00e4se"
    assert printed("ascii", "-c", code) == "10 000 +/- 3 - Kase"


def test_the_help_and_the_list_of_techniques_can_be_read_on_a_terminal_of_ascii():
    assert "estimate" in printed("ascii", "-m", "testimate.cli", "--help")
    assert "adaptive rounds" in printed("ascii", "-m", "testimate.cli", "techniques").lower()
