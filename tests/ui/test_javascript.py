"""The JavaScript without a browser: its unit tests by Node, and the modules joined into the one that Streamlit takes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from testimate.ui.components.joined_modules import joined
from tests.each import each

ROOT = Path(__file__).parents[2]
WIDGETS = ROOT / "testimate" / "ui" / "components"
ENTRIES = (
    WIDGETS / "command_palette" / "palette.js",
    WIDGETS / "labeling_surface" / "for_notebook.js",
    WIDGETS / "labeling_surface" / "for_streamlit.js",
    WIDGETS / "labeling_surface" / "late_answers.js",
    WIDGETS / "linked_pictures" / "map_picks.js",
    WIDGETS / "linked_pictures" / "map_pictures.js",
    WIDGETS / "linked_pictures" / "map_pointer.js",
    WIDGETS / "linked_pictures" / "picture_wall.js",
    WIDGETS / "spoken_status.js",
    WIDGETS / "server_away.js",
    WIDGETS / "window_changes.js",
)


@pytest.fixture(scope="module")
def node() -> str:
    """Node's program."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("There is no Node on this machine; it only checks the JavaScript. Run: apt-get install nodejs")
    return found


def run(node: str, *arguments: str | Path) -> str:
    done = subprocess.run([node, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_modules_do_what_their_unit_tests_say(node):
    tests = sorted((ROOT / "tests" / "javascript").glob("*.test.js"))
    assert {test.name.removesuffix(".test.js") for test in tests} >= {
        "outbox",
        "courier",
        "keys",
        "standing",
        "at_hand",
    }
    reported = run(node, "--test", *tests)
    assert int(re.search(r"(?:#|ℹ) pass (\d+)", reported)[1]) >= 100


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.stem)
def test_a_component_joined_is_one_module_that_exports_what_its_entry_does(node, entry, tmp_path):
    file = tmp_path / "joined.mjs"
    file.write_text(joined(entry))
    script = tmp_path / "look.mjs"
    script.write_text('import * as all from "./joined.mjs"; console.log(typeof all.default);')
    assert run(node, script).strip() == "function"


def test_every_module_is_part_of_a_component():
    reached = "".join(joined(entry) for entry in ENTRIES)
    for file in WIDGETS.rglob("*.js"):
        if file.name != "types.js" and file not in ENTRIES:
            assert f"const ${file.parent.name}_{file.stem} = " in reached, file


def write(folder: Path, **modules: str) -> Path:
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source)
    return folder / "main.js"


def test_each_module_keeps_its_own_names_and_is_there_once(node, tmp_path):
    entry = write(
        tmp_path,
        main='import { one } from "./one.js";\nimport { two } from "./two.js";\n'
        "export default function () { return [one(), two()]; }\n",
        one='import { count } from "./shared.js";\nconst secret = "one";\nexport function one() { return secret + count(); }\n',
        two='import { count } from "./shared.js";\nconst secret = "two";\nexport const two = () => secret + count();\n',
        shared="let counted = 0;\nexport function count() { counted += 1; return counted; }\n",
    )
    file = tmp_path / "joined.mjs"
    file.write_text(joined(entry))
    script = tmp_path / "look.mjs"
    script.write_text('import main from "./joined.mjs"; console.log(main().join(" "));')
    assert run(node, script).strip() == "one1 two2"


@each(
    ("modules", "said"),
    [
        ({"main": 'import { one } from "./one.js";\n'}, "main.js imports one.js, which does not exist"),
        (
            {"main": 'import { one } from "./one.js";\n', "one": "export const two = 2;\n"},
            "main.js imports one from one.js, which does not export it",
        ),
        (
            {
                "main": 'import { a } from "./a.js";\n',
                "a": 'import { b } from "./b.js";\n',
                "b": 'import { a } from "./a.js";\n',
            },
            "a.js -> b.js -> a.js: these modules import each other in a circle",
        ),
        ({"main": 'import one from "./one.js";\n', "one": ""}, "which is not joined"),
        ({"main": 'import * as one from "./one.js";\n', "one": ""}, "which is not joined"),
        ({"main": "export { one };\n"}, "which is not joined"),
        ({"main": "export let one = 1;\n"}, "which is not joined"),
        (
            {
                "main": 'import { one } from "./one.js";\n',
                "one": "export const one = 1;\nexport default function () {}\n",
            },
            "one.js has the line 'export default function () {}', which is not joined",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused_by_name(tmp_path, modules, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        joined(write(tmp_path, **modules))
