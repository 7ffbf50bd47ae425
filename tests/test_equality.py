import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from equality.compare import Intended, compare, read_intended
from equality.pictures import picture_differences, picture_in
from equality.recording import Recording, described

ROOT = Path(__file__).parents[1]
ESTIMATE = {"estimate/status": "0", "estimate/out": '{\n "accuracy": 0.75,\n "low": 0.7\n}'}


@pytest.fixture
def sides(tmp_path) -> tuple[Path, Path]:
    """Two folders of equal recordings: of a task, and of a file."""
    for side in ("base", "now"):
        for name in ("task/classes", "foreign/gaps.csv"):
            path = tmp_path / side / f"{name}.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(ESTIMATE))
    return tmp_path / "base", tmp_path / "now"


def change(folder: Path, **fields: str) -> None:
    path = folder / "task/classes.json"
    path.write_text(json.dumps(ESTIMATE | {name.replace("_", "/"): text for name, text in fields.items()}))


def test_equal_recordings_have_no_difference(sides):
    assert compare(*sides, []) == []


def test_changed_value_is_reported_with_its_line_before_and_after(sides):
    change(sides[1], estimate_out=ESTIMATE["estimate/out"].replace("0.75", "0.76"))
    [text] = compare(*sides, [])
    assert text.startswith("task/classes: estimate/out\n")
    assert '- "accuracy": 0.75,' in text
    assert '+ "accuracy": 0.76,' in text


def test_intended_difference_is_not_reported_and_others_are(sides):
    change(sides[1], estimate_out="another", estimate_status="2")
    [text] = compare(*sides, [Intended("task/*", "*/out", "rounded")])
    assert text.startswith("task/classes: estimate/status")


def test_intended_words_excuse_no_other_change_of_the_field(sides):
    words = [Intended("*", "*/out", "renamed", was='"low"', now='"lowest"')]
    renamed = ESTIMATE["estimate/out"].replace('"low"', '"lowest"')
    change(sides[1], estimate_out=renamed)
    assert compare(*sides, words) == []
    change(sides[1], estimate_out=renamed.replace("0.7\n", "0.6\n"))
    assert len(compare(*sides, words)) == 1


def test_what_is_meant_to_be_added_may_be_there_and_nothing_else(tmp_path):
    sides = (tmp_path / "base", tmp_path / "now")
    for side, out in zip(sides, ("{\n 1\n}", "5 rows: x\n{\n 1\n}"), strict=True):
        side.mkdir()
        (side / "one.json").write_text(json.dumps({"out": out}))
    assert compare(*sides, [Intended("one", "out", "said", adds="^[0-9]+ rows: [^\\n]*$")]) == []
    assert len(compare(*sides, [Intended("one", "out", "said", adds="^[0-9]+ files: [^\\n]*$")])) == 1


def test_intended_difference_that_does_not_occur_is_reported(sides):
    [text] = compare(*sides, [Intended("task/*", "*/out", "rounded")])
    assert "rounded" in text
    assert compare(*sides, [Intended("screens/*", "*", "of cases that were not recorded")]) == []


@pytest.mark.parametrize("side", [0, 1])
def test_missing_case_is_reported_on_either_side(sides, side):
    (sides[side] / "task/classes.json").unlink()
    assert compare(*sides, []) == [f"task/classes: the case is {'new' if side == 0 else 'missing'}."]


def test_picture_that_differs_is_reported_and_laid_beside_the_base(tmp_path):
    sides, looked_at = (tmp_path / "base", tmp_path / "now"), tmp_path / "looked at"
    for side, spot in zip(sides, (0, 3), strict=True):
        (side / "pictures/digits").mkdir(parents=True)
        for name, width in (("plan", 1), ("label", 40)):
            picture = Image.new("RGB", (100, 100), "white")
            picture.paste("black", (spot, 0, spot + width, 10))
            picture.save(side / f"pictures/digits/{name}.png")
    [difference] = picture_differences(*sides, looked_at)
    assert (difference.case, difference.field) == ("pictures/digits", "picture of label")
    assert "0.60%" in difference.after  # twice 3 of 100 columns, 10 of 100 rows
    assert picture_in(looked_at / "pictures/digits/label.png").size == (300, 100)


def test_list_of_intended_differences_names_case_field_and_reason():
    assert all(one.case and one.field and one.reason for one in read_intended(ROOT / "equality/intended.toml"))


def test_recording_hides_folders_and_today_and_keeps_earlier_days(tmp_path):
    from datetime import UTC, datetime

    recording = Recording()
    recording.hide("/tmp/abc", "<case>")
    recording.fields["out"] = f"/tmp/abc/x at {datetime.now(UTC).isoformat()}, made 2001-02-03T04:05:06Z"
    recording.write(tmp_path / "one.json")
    assert json.loads((tmp_path / "one.json").read_text()) == {"out": "<case>/x at <now>, made 2001-02-03T04:05:06Z"}


def test_described_record_does_not_depend_on_where_its_class_is():
    code = "import dataclasses\n@dataclasses.dataclass\nclass Draw:\n    row: int = 3\n"
    one, other = {"__name__": "one"}, {"__name__": "other"}
    for module in (one, other):
        exec(code, module)
    assert described(one["Draw"]()) == described(other["Draw"]()) == "row: 3"


def test_recorder_runs_a_checkout_and_says_what_a_command_said(tmp_path):
    command = [sys.executable, "-m", "equality.record", "--out", tmp_path / "out", "--work", tmp_path / "work"]
    subprocess.run([*command, "--only", "malformed/header alone"], cwd=ROOT, check=True)
    said = json.loads((tmp_path / "out/malformed/header alone.json").read_text())
    assert said["select/status"] == "2"
    assert "odd.csv" in said["select/command"]
    assert said["select/err"].count("\n") == 1
