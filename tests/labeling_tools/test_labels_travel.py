"""A plan with its pictures labeled by the real packages of three labeling tools and by a real server, and back to the digit."""

import csv
import json
import os
import subprocess
import venv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # minutes of installing; tests/cli/test_plan_labels.py fills in the same formats

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".studies" / "labeling-tools"
CLASSES = ("ant & bee", "cat", "owl <3")
TOOLS = {
    "label_studio": ("label-studio", "tasks.json", "export.json", ["label-studio-sdk==2.1.2"]),
    "label_studio_server": ("label-studio", "tasks.json", "export.json", ["label-studio==1.23.2"]),
    "cvat": ("cvat", "annotations.xml", "export.xml", ["cvat-sdk==2.80.0", "datumaro==1.13.12"]),
    "fiftyone": ("fiftyone", "labels.json", "export.json", ["fiftyone==1.22.1"]),
}
"""By what ``with_NAME.py`` runs: its format, what it reads, what it writes, and its packages."""


def environment(tool, packages):
    """The Python of an environment with these packages alone, made once."""
    place = ENVIRONMENTS / tool
    python, kept = place / "bin" / "python", place / "packages"
    if not kept.exists() or kept.read_text().split() != packages:
        venv.create(place, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True
        )
        kept.write_text("\n".join(packages))
    return python


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A folder with 120 pictures and their table; the true classes by row."""
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(4)
    truth = rng.choice(CLASSES, 120)
    said = np.where(rng.random(120) < 0.8, truth, rng.choice(CLASSES, 120))
    (folder / "in").mkdir()
    for row in range(120):
        Image.fromarray(rng.integers(256, size=(24, 32, 3), dtype=np.uint8)).save(folder / "in" / f"{row:03}.png")
    with (folder / "t.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("file", "prediction", "confidence"))
        lines.writerows((f"{row:03}.png", one, 0.5 + row / 300) for row, one in enumerate(said))
    return folder, {str(row): str(one) for row, one in enumerate(truth)}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tools_own_package_opens_a_plan_with_its_pictures_and_its_labels_come_back_to_the_digit(
    tool, table, command, tmp_path
):
    folder, truth = table
    plan, votes = tmp_path / "p.json", tmp_path / "v.csv"
    command.ok("select", folder / "t.csv", "--budget", 40, "--seed", 2, "--out", plan)
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    with votes.open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *((row, truth[str(row)]) for row in rows)])
    expected = command.ok("estimate", plan, votes, "--json", "-")
    votes.unlink()

    to, read, written, packages = TOOLS[tool]
    more = ["--predictions"] if to == "label-studio" else []
    asked = ("plan", "export", plan, "--to", to, "--out", tmp_path / read, "--inputs", folder / "in", *more)
    assert "40 inputs to label" in command.ok(*asked)
    assert len(list((tmp_path / "data").iterdir())) == 40
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    python = environment(tool, packages)
    own = {**os.environ, "PYTHONPATH": "", "HOME": str(tmp_path)}
    called = [python, HERE / f"with_{tool}.py", tmp_path / read, tmp_path / "truth.json", tmp_path / written]
    done = subprocess.run(called, check=False, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert command.ok("plan", "import", tmp_path / written, "--plan", plan, "--out", votes).startswith("40 votes in ")
    assert command.ok("estimate", plan, votes, "--json", "-") == expected

    command.ok("select", folder / "t.csv", "--budget", 40, "--seed", 3, "--out", tmp_path / "q.json")
    other = command.refusal(
        "plan", "import", tmp_path / written, "--plan", tmp_path / "q.json", "--out", tmp_path / "w.csv"
    )
    assert "of inputs that this plan did not draw" in other
    assert not (tmp_path / "w.csv").exists()
