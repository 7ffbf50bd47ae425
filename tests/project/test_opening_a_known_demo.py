"""A demo whose features are in the cache opens, is planned and shows its first inputs without what took its first opening."""

import subprocess
import sys

import pytest

HEAVY = "{'torch', 'tensorflow', 'keras', 'sklearn', 'hdbscan', 'pandas', 'pyarrow', 'scipy.stats', 'scipy.optimize', 'PIL'}"


@pytest.fixture(scope="module")
def known(tmp_path_factory, demo_ready):
    """A project in which the digits were opened before."""
    return demo_ready("digits", tmp_path_factory.mktemp("known"))


def run(program, *arguments):
    subprocess.run([sys.executable, "-c", program, *map(str, arguments)], check=True)


def test_the_libraries_of_its_first_opening_are_not_loaded(known):
    run(
        f"""
import sys
from pathlib import Path
from testimate.core.selector import Request
from testimate.advice.advice import advise
from testimate.reports.live import live
from testimate.project.project import Project

project = Project(Path(sys.argv[1]))
project.entries(), project.sessions()
inputs = project.inputs("digits")
advice = advise(inputs, "tight interval")
request = Request(advice.technique, budget=200, seed=4, auxiliary=advice.auxiliary, options=advice.options)
session = project.start_session("digits", request)
assert [session.show(draw.row) for draw in session.upcoming(16, "t")]
live(session)
assert not {HEAVY} & set(sys.modules), {HEAVY} & set(sys.modules)
""",
        known,
    )


def test_neither_the_first_screen_nor_the_label_page_asks_for_them():
    run(
        f"""
import sys
import testimate.ui.subject.welcome, testimate.ui.label.labeling, testimate.ui.navigation
import testimate.project.project
assert not ({HEAVY} - {{'PIL'}}) & set(sys.modules), {HEAVY} & set(sys.modules)
"""
    )
