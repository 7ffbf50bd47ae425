"""Another program is started as each system wants it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from testimate.core.machine import apart, become

ROOT = Path(__file__).parents[2]


def test_what_is_started_apart_leads_a_session_of_its_own_and_so_gets_no_interrupt_of_ours():
    code = "import os; print(os.getsid(0) == os.getpid())"
    said = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, **apart())
    assert said.communicate()[0].strip() == "True"


def test_on_windows_it_is_a_process_group_instead(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    assert apart() == {"creationflags": 0x200}


def test_where_a_program_cannot_take_our_place_its_status_becomes_ours(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as ended:
        become([sys.executable, "-c", "import os, sys; sys.exit(len(os.environ['OF A TEST']))"], {"OF A TEST": "four"})
    assert ended.value.code == 4


def test_an_interrupt_while_waiting_leaves_it_to_the_other_program_when_to_end():
    """The other program interrupts us as Ctrl-C would, once we wait, and ends with a status of its own."""
    code = (
        "import sys; from testimate.core.machine import status_of\n"
        "inner = 'import os, signal, sys; sys.stdin.read(1); os.kill(os.getppid(), signal.SIGINT); sys.exit(7)'\n"
        "sys.exit(status_of([sys.executable, '-c', inner], {}))"
    )
    waiting = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, cwd=ROOT)
    status = Path(f"/proc/{waiting.pid}/status")
    if not status.exists():
        waiting.kill()
        pytest.skip("Only Linux says which signals a process ignores.")
    ignores_interrupt = re.compile(r"SigIgn:\s*[0-9a-f]*[2367abef]$", re.MULTILINE)  # signal 2 is the second bit
    while not ignores_interrupt.search(status.read_text()):
        assert waiting.poll() is None
    waiting.communicate(b"x")
    assert waiting.returncode == 7
