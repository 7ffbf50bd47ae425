"""A file that may be read in two ways is asked about on the import page, and read as one click says."""

import re
from pathlib import Path

from playwright.sync_api import expect

from testimate.project.project import Project
from tests.browser.app_steps import PATIENCE, click
from tests.tables.test_outputs_of_prompts import PASSED, SAID, in_cells

ROOT = Path(__file__).parents[2]


def test_a_question_about_a_dropped_file_is_answered_with_one_click(run_app, page, tmp_path):
    """Of two prompts in a file of promptfoo the second is taken; its outputs are seen, and those of the other are not."""
    file, project = tmp_path / "output.csv", tmp_path / "project"
    in_cells().to_csv(file, index=False)
    page.goto(run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project)).url)
    page.locator('section[aria-label="Table, with files or zips"] input[type=file]').set_input_files(str(file))
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("Which column is the output?")).to_be_visible(timeout=1000 * PATIENCE)
    first, second = PASSED
    click(page, main.get_by_role("button", name="Read it this way").nth(1))
    click(page, page.get_by_role("button", name="Open without labeling"))
    page.wait_for_url(re.compile("subject=table-"), timeout=1000 * PATIENCE)
    [key] = [entry.key for entry in Project(project).entries() if not entry.demo]
    subject = Project(project).subject(key)
    assert subject.reading.with_role("output") == (f"{second}.output",)
    assert SAID[second][7] in str(subject.dataset.show(7))
    assert SAID[first][7] not in str(subject.dataset.show(7))
