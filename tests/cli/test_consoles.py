"""A terminal that lacks a sign prints something like it: nobody meets a traceback for a thin space."""

import json
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


def test_a_name_gives_the_terminal_no_command_and_is_the_same_in_json(tmp_path, command):
    named = tmp_path / "named.csv"
    evil = "dog\x1b[2J\x07\x9b31m\u202ecod"
    named.write_text("label,prediction\n" + f"{evil},{evil}\n" * 2 + f"cat,{evil}\n", encoding="utf-8")
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    assert command("select", named, "--technique", "srs", "--budget", 2, "--seed", 1, "--out", plan).status == 0
    row = json.loads(plan.read_text(encoding="utf-8"))["draws"][0]["row"]
    votes.write_text(f"row,label\n{row},bird\x1b]0;x\x07\n", encoding="utf-8")
    refused = command("estimate", plan, votes)
    assert refused.status == 2
    assert not set(refused.out + refused.err) & set("\x1b\x07\x9b\u202e")
    code = (
        "import sys\nfrom testimate.cli import main\nfrom testimate.cli.output import write_json\n"
        f"main([], run=lambda **_: (sys.stderr.write({evil!a}), write_json({evil!a}, '-')))"
    )
    assert json.loads(printed("utf-8", "-c", code)) == evil
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, encoding="utf-8"
    )
    assert said.stderr.strip() == r"dog\u001b[2J\u0007\u009b31m\u202ecod"
