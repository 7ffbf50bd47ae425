"""A project folder for the pages, with the digits demo made ready once."""

import hashlib
import io
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from streamlit.testing.v1 import AppTest

from testimate.project.cluster_settings import ClusterSettings
from testimate.project.project import Project
from testimate.structure.density_clusters import find_clusters
from testimate.structure.maps import neighbor_map
from tests.pages.clusters_page_steps import written
from tests.pages.upload_steps import NPZ, ONNX, onnx_of
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


FOUND: dict[bytes, Any] = {}
"""Clusterings and maps, by what they were found from."""


def found_once(find: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which does its work once for the same features, places to start from and settings."""

    def again(features: Any, *, progress: Any = None, moved: Any = None, **settings: Any) -> Any:
        callbacks = {name: by for name, by in (("progress", progress), ("moved", moved)) if by is not None}
        arrays = [np.asarray(features), *(one for one in settings.values() if isinstance(one, np.ndarray))]
        plain = {name: one for name, one in sorted(settings.items()) if not isinstance(one, np.ndarray)}
        content = b"".join(f"{one.shape} {one.dtype}".encode() + one.tobytes() for one in arrays)
        key = hashlib.sha256(f"{find.__name__} {plain}".encode() + content).digest()
        if key not in FOUND:
            FOUND[key] = find(features, **callbacks, **settings)
        return FOUND[key]

    return again


ONCE = {
    "testimate.project.clusters.find_clusters": found_once(find_clusters),
    "testimate.structure.maps.neighbor_map": found_once(neighbor_map),
}


@pytest.fixture(autouse=True, scope="module")
def the_same_inputs_are_clustered_and_laid_out_once() -> Iterator[None]:
    """What is found, and how good a map gets, is for ``tests/structure`` to say; nearly every page begins with the digits'.

    For all tests of a file: a map that a test has begun goes on being laid out, in few rounds, while the next ones run.
    """
    with pytest.MonkeyPatch.context() as patch:
        for rounds in ("EARLY", "LATER"):
            patch.setattr(f"testimate.structure.maps.{rounds}", 1)
        for name, once in ONCE.items():
            patch.setattr(name, once)
        yield


@pytest.fixture(autouse=True)
def views_of_the_road_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """How they look is for ``tests/demos`` to say."""
    monkeypatch.setattr("testimate.demos.road.SHOWN_HEIGHT", 60)


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
    monkeypatch.setattr("testimate.ui.input_dialog.AT_ONCE", 60.0)
    monkeypatch.setattr("testimate.ui.compare.AT_ONCE", 60.0)

    def run(page: str, **params: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
        for name, value in params.items():
            test.query_params[name] = value
        return test.run()

    return run


@pytest.fixture
def ready_page(opened, project) -> Callable[..., AppTest]:
    """The page once its clusters are found, however slow the machine."""

    def show(settings: ClusterSettings | None = None, **params: str) -> AppTest:
        if settings is not None:
            params["clusters"] = written(settings)
        test = opened("clusters", **{"subject": "digits", **params})
        deadline = time.monotonic() + 60
        while any(button.label == "Stop" for button in test.button):
            assert time.monotonic() < deadline
            time.sleep(0.05)  # between two looks
            test.run()
        assert not test.exception
        return test

    return show


@pytest.fixture(scope="session")
def digit_files() -> dict[str, bytes]:
    """A network over digits from 0 to 1, its 0 to 255 test pictures with labels, and some of its training pictures."""
    bunch = load_digits()
    pictures = np.rint(bunch.images / 16 * 255).astype(np.uint8)[..., None]
    net = MLPClassifier((24,), max_iter=400, alpha=5.0, random_state=3, tol=2e-2).fit(
        pictures[:600].reshape(600, -1) / 255, bunch.target[:600]
    )
    test, train = io.BytesIO(), io.BytesIO()
    np.savez(test, x_test=pictures[600:900], y_test=bunch.target[600:900])
    np.savez(train, x_train=pictures[:200], y_train=bunch.target[:200])
    model = onnx_of(net.coefs_, net.intercepts_, flatten=True)
    said = net.score(pictures[600:900].reshape(300, -1) / 255, bunch.target[600:900])
    return {ONNX: model, NPZ: test.getvalue(), "train.npz": train.getvalue(), "accuracy": f"{100 * said:.1f}".encode()}
