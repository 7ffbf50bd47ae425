"""Testimate without what only some systems have: the first steps go through, and no file asks for it without a way out.

No Windows and no macOS is at hand: what they lack is taken away here.
"""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.systems.of_some_systems import MODULES, NAMES

ROOT = Path(__file__).parents[2]
PRODUCT = [*(ROOT / "testimate").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py", ROOT / "serve.py"]

ASKED_FIRST = {
    "testimate/core/machine.py": {"os.killpg", "resource", "signal.SIGKILL"},  # where the system is not Windows
    "testimate/labels/database.py": {"fcntl"},  # caught where there is none
    # after the limit that sends the signal was found; of Linux alone, which the first function of Landlock asks
    "testimate/models/confinement.py": {"signal.SIGXFSZ", "os.O_PATH", "os.O_CLOEXEC"},
    "testimate/models/frames.py": {"os.MFD_CLOEXEC", "os.MFD_ALLOW_SEALING"},  # after memfd_create
}


def uses(source: str) -> set[str]:
    """What a file names of that: modules that it imports, and names of a module, except by getattr or hasattr."""
    tree = ast.parse(source)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name in MODULES}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found |= {module} & set(MODULES)
            found |= {f"{module}.{name.name}" for name in node.names if name.name in NAMES.get(module, ())}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {f"{node.value.id}.{node.attr}"} if node.attr in NAMES.get(node.value.id, ()) else set()
    return found


def test_no_file_of_the_product_names_what_only_some_systems_have_unless_it_asked_first():
    assert uses("import fcntl, os\nfrom os import fork\nos.killpg(1, 2)\nhasattr(os, 'fork')") == {
        "fcntl",
        "os.fork",
        "os.killpg",
    }
    found = {str(path.relative_to(ROOT).as_posix()): uses(path.read_text(encoding="utf-8")) for path in PRODUCT}
    assert {path: names for path, names in found.items() if names} == ASKED_FIRST


def test_without_them_all_modules_import_and_a_tester_comes_from_the_demo_and_from_a_model_to_an_answer(tmp_path):
    hidden = os.pathsep.join([str(Path(__file__).parent / "without_posix"), str(ROOT)])
    said = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("first_steps.py")), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": hidden},
    )
    assert said.returncode == 0, said.stderr[-3000:]
    records = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    assert records[0]["imported"] > 350
    assert records[1:] == [{"problems": [], "answers": [7]}]
    off = re.search(r"limits: (.*)", said.stdout)
    assert off is not None
    assert all(limit.endswith(" off") for limit in off[1].split(", "))
    assert "95% interval" in said.stdout
