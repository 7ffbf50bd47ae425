"""Label once, judge every version: three versions of the letters' network by 200 + 10 + 10 labels given by keyboard."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.demos.comparison_models import glyph_outputs
from testimate.project.project import Project
from testimate.project.version_history import history_of
from testimate.project.versions import versions_of
from tests.browser.app_server import ROOT
from tests.browser.app_steps import PATIENCE, answer_in_turn, choose, click, keys_on_screen, still

FIRST, MORE = 200, 10
NEXT = ("LeNet-5, six typefaces", "LeNet-1, heavy noise")
WORSE = "LeNet-1, another team's"


@pytest.mark.slow
def test_three_versions_by_200_and_10_and_10_labels_beside_the_truth(run_app, demo_ready, tmp_path, page):
    project = Project(demo_ready("glyphs", tmp_path / "project"))
    inputs = project.inputs("glyphs")
    session = project.start_session("glyphs", Request("rrs", FIRST, seed=1))
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))
    page.goto(f"{app.url}/label?subject=glyphs&session={session.session_record.id}")
    keys = keys_on_screen(page)

    def truly(row: int) -> list[str]:
        return [keys[inputs.task.classes[inputs.truth[row]]]]

    answer_in_turn(page, truly, FIRST)
    for place, name in enumerate(NEXT, start=1):
        key = versions_of(Project(project.folder), "glyphs")[-1].key
        page.goto(f"{app.url}/versions?subject={key}")
        still(page)
        if place > 1:
            click(page, page.get_by_text("Add a version", exact=True))
        choose(page, "Model", name)
        click(page, page.get_by_role("button", name="Add this version"))
        # the demo's network reads the letters first; until then the version before has a button of the same name
        page.get_by_text(re.compile(f"{name} (is|can't)")).first.wait_for(timeout=1000 * PATIENCE)
        click(page, page.get_by_text("A few more labels", exact=True))
        page.get_by_text(f"How accurate is {name}?").wait_for(timeout=1000 * PATIENCE)
        click(page, page.get_by_role("button", name=re.compile(f"Label {MORE} more")))
        page.wait_for_url(re.compile("/label"), timeout=1000 * PATIENCE)
        answer_in_turn(page, truly, MORE)
        click(page, page.get_by_role("button", name="See the versions"))
        page.get_by_text(f"judged by {FIRST + place * MORE} labels of {1 + place} plans").wait_for(
            timeout=1000 * PATIENCE
        )

    found = history_of(Project(project.folder), "glyphs").versions
    assert [one.version.name for one in found][1:] == list(NEXT)
    truths = [inputs.known_accuracy] + [float((glyph_outputs(name)[0] == inputs.truth).mean()) for name in NEXT]
    for one, truth in zip(found, truths, strict=True):
        assert one.truth == pytest.approx(truth)  # the dash beside the estimate in the chart
        assert one.reused.headline == "fixed"
        assert one.reused.estimate.low < truth < one.reused.estimate.high
    # about as wide as those of 220 labels drawn for one model
    assert max(one.reused.estimate.high - one.reused.estimate.low for one in found) < 0.12

    shell_gate(project, session.session_record.id, tmp_path, inputs)


def shell_gate(project, session: str, folder: Path, inputs) -> None:
    """A shell script that stops the version that learned P as B, by the first 200 labels, and lets a good one pass."""
    names = {"v1.csv": (inputs.predictions, inputs.confidence)}
    names |= {"v2.csv": glyph_outputs(NEXT[0]), "worse.csv": glyph_outputs(WORSE)}
    classes = np.array(inputs.task.classes)
    for name, (said, sure) in names.items():
        lines = [f"{row},{classes[place]},{sure[row]:.6f}" for row, place in enumerate(said)]
        (folder / name).write_text("key,prediction,confidence\n" + "\n".join(lines) + "\n")
    truth = classes[inputs.truth]
    (folder / "answers.txt").write_text("\n".join(truth) + "\n")
    script = folder / "gate.sh"
    script.write_text(
        """set -eu
testimate select v1.csv --technique rrs --budget 200 --seed 1 --out plan.json
python - <<'END'
import json
truth = open("answers.txt").read().split()
rows = [draw["row"] for draw in json.load(open("plan.json"))["draws"]]
open("votes.csv", "w").write("row,label\\n" + "".join(f"{row},{truth[row]}\\n" for row in rows))
END
gate() { testimate reuse "$1" --plan plan.json --votes votes.csv --no-worse-than v1.csv --by-at-most 8; }
gate v2.csv
if gate worse.csv; then exit 10; else test $? = 1; fi
"""
    )
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    done = subprocess.run(["bash", str(script)], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass: worse than the old version by at most 8 points" in done.stdout
    assert "fail: worse than the old version by at most 8 points" in done.stdout
