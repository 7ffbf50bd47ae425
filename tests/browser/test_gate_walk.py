"""Ready to release: from the margin on Versions over labels by keyboard to the answer, in a real browser."""

import re

import numpy as np
import pytest

from testimate.core.inputs import OtherModel
from testimate.project.project import Project
from testimate.project.version_gate import gate_of_session
from testimate.project.versions import add_version
from tests.browser.app_server import ROOT
from tests.browser.app_steps import PATIENCE, answer_in_turn, click, keys_on_screen, still

DIFFERING, STEP = 150, 4


def changed(inputs, *, better: bool) -> OtherModel:
    """The subject's own predictions but for some inputs: those it got wrong are right, or as many right ones wrong."""
    wrong = inputs.predictions != inputs.truth
    rows = np.random.default_rng(5).permutation(np.flatnonzero(wrong if better else ~wrong))[:DIFFERING]
    predictions = inputs.predictions.copy()
    predictions[rows] = inputs.truth[rows] if better else (inputs.truth[rows] + 1) % len(inputs.task.classes)
    return OtherModel("second", predictions.astype(np.intp), None)


@pytest.mark.slow
@pytest.mark.parametrize(("better", "said"), [(True, "Pass"), (False, "Fail")])
def test_a_gate_walks_from_its_margin_over_labels_to_its_answer(better, said, run_app, demo_ready, tmp_path, page):
    project = Project(demo_ready("glyphs", tmp_path / "project"))
    inputs = project.inputs("glyphs")
    second = add_version(project, "glyphs", changed(inputs, better=better))
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))
    page.goto(f"{app.url}/versions?subject={second.key}")
    still(page)
    page.get_by_text("Labels to expect").wait_for(timeout=1000 * PATIENCE)
    click(page, page.get_by_role("button", name="Label until decided"))
    page.wait_for_url(re.compile("/label"), timeout=1000 * PATIENCE)
    keys = keys_on_screen(page)
    [record] = Project(project.folder).sessions()
    decided = page.get_by_role("button", name="See the versions")
    for _ in range(0, DIFFERING, STEP):
        answer_in_turn(page, lambda row: [keys[inputs.task.classes[inputs.truth[row]]]], STEP)
        session = Project(project.folder).session(record.id)
        if gate_of_session(project, session).outcome != "undecided":
            break
    decided.wait_for(timeout=1000 * PATIENCE)
    click(page, decided)
    page.wait_for_url(re.compile("/versions"), timeout=1000 * PATIENCE)
    page.get_by_text(said, exact=True).first.wait_for(timeout=1000 * PATIENCE)
