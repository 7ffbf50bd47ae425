"""The JavaScript without a browser: its unit tests by Node, and the bundle that the server hands out."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.typescript import LOADED

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "testimate" / "ui" / "components" / "bundle"
SCRIPTS = sorted(BUNDLE.glob("*.js"))
NOT_STREAMLITS = {"notebook"}
NAMED = {"https://github.com/markedjs/marked."}
"""Where a library comes from, in the comment with its license."""


@pytest.fixture(scope="module")
def node() -> str:
    """Node's program."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("There is no Node on this machine; it only checks the JavaScript. Run: apt-get install nodejs")
    return found


def run(node: str, *arguments: str | Path) -> str:
    done = subprocess.run([node, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_modules_do_what_their_unit_tests_say(node):
    tests = sorted(BUNDLE.parent.rglob("*.test.js"))
    assert {test.name.removesuffix(".test.js") for test in tests} >= {
        "outbox",
        "event_sender",
        "keys",
        "standing",
        "at_hand",
    }
    reported = run(node, *LOADED, "--test", *tests)
    assert int(re.search(r"(?:#|ℹ) pass (\d+)", reported)[1]) >= 100


def name(file: Path) -> str:
    """A component's name, of the name of its file."""
    return file.name.partition("-")[0]


@pytest.mark.parametrize("file", SCRIPTS, ids=name)
def test_each_bundled_script_exports_the_function_that_shows_it(node, file, tmp_path):
    shutil.copy(file, tmp_path / "component.mjs")
    script = tmp_path / "look.mjs"
    script.write_text('import * as all from "./component.mjs"; console.log(typeof all.default);')
    assert run(node, script).strip() == "function"


def test_streamlit_is_told_of_every_component_that_a_page_mounts():
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "testimate" / "ui").rglob("*.py")]
    mounted = {found for source in sources for found in re.findall(r'= component\("(\w+)"\)', source)}
    manifest = tomllib.loads((ROOT / "testimate" / "pyproject.toml").read_text(encoding="utf-8"))
    declared = manifest["tool"]["streamlit"]["component"]["components"]
    assert mounted == {one["name"] for one in declared} == {*map(name, SCRIPTS)} - NOT_STREAMLITS
    assert {(ROOT / "testimate" / one["asset_dir"]).resolve() for one in declared} == {BUNDLE}
    assert len(SCRIPTS) == len({*map(name, SCRIPTS)}), "one version of each"


def test_a_bundled_script_reaches_for_no_other_address():
    for file in SCRIPTS:
        addresses = re.findall(r"https?://[^\s\"'`]+", file.read_text(encoding="utf-8"))
        assert [one for one in addresses if one not in NAMED] == [], file
