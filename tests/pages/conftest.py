"""A project folder for the pages, with the digits demo made ready once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from testimate.project.project import Project
from tests.session.conftest import say

__all__ = ["say"]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory, demo_ready: Callable[[str, Path], Path]) -> Path:
    """A project in which the digits demo is trained and its features computed, without any session."""
    folder = tmp_path_factory.mktemp("ready")
    demo_ready("digits", folder)
    Project(folder).store.close()  # with the tables of an empty database
    return folder


@pytest.fixture(autouse=True)
def maps_settle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """How good a map gets is for ``tests/structure`` to say; one that settles beside the tests that follow slows them."""
    for rounds in ("EARLY", "LATER"):
        monkeypatch.setattr(f"testimate.structure.neighbour_map.{rounds}", 1)


@pytest.fixture
def project(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project the pages open: a copy of the ready one."""
    folder = tmp_path / "project"
    shutil.copytree(ready, folder)
    monkeypatch.setenv("TESTIMATE_PROJECT", str(folder))
    monkeypatch.chdir(ROOT)
    return Project(folder)


@pytest.fixture
def opened(project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Runs one page with what is open in its URL; the page waits for clusters and rankings, however slow the machine is."""
    monkeypatch.setattr("testimate.ui.clusters.cluster_settings.SHORT_WAIT", 60.0)
    monkeypatch.setattr("testimate.ui.explanation.AT_ONCE", 60.0)
    monkeypatch.setattr("testimate.ui.compare.comparing.AT_ONCE", 60.0)

    def run(page: str, **params: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
        for name, value in params.items():
            test.query_params[name] = value
        return test.run()

    return run
