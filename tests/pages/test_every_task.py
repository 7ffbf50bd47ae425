"""Every page with a labeled session of every task: no error, and each answer costs what the task says it costs."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.subject import Shown, Subject
from testimate.demos.catalog import DEMOS, Demo
from testimate.project import clusters
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import ClusterView, view_clusters
from testimate.project.project import Project
from testimate.reports.report import report_html
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from testimate.ui.clusters.selection import HOW, ROWS
from testimate.ui.current_project import project as the_pages_project
from testimate.ui.input_walls import losses_known, said

PAGES = ["subject", "clusters", "strata", "plan", "label", "results", "study", "compare", "disputes"]
SIZE, SCATTERED = 240, 12
KINDS = ("ant", "bee", "cat", "dog")
TASKS = {
    "classification": Classification(KINDS),
    "two-classes": Classification(KINDS, top_k=2),
    "sets": MultiLabel(KINDS),
    "numbers": Regression(tolerance=0.5, unit="m"),
}


class Notes:
    """Inputs that are a line of text each."""

    modality = "text"
    fingerprint = "d" * 32

    def __len__(self) -> int:
        return SIZE

    def show(self, row: int) -> Shown:
        return Shown("text", text=f"note {row}")


def subject_of(name: str) -> Subject:
    """240 inputs, the first twelve scattered and the others in three heaps; about one in four predictions is wrong."""
    rng, task = np.random.default_rng(7), TASKS[name]
    heap = np.arange(SIZE) % 3
    features = rng.normal(size=(SIZE, 4)) + 12.0 * np.eye(4)[heap]
    features[:SCATTERED] = rng.uniform(-90, 90, size=(SCATTERED, 4))
    if name == "numbers":
        predictions = rng.normal(size=SIZE)
        truth = predictions + np.where(rng.random(SIZE) < 0.25, 1.0, 0.1)
    elif name == "sets":
        predictions = (rng.random((SIZE, 4)) < 0.4).astype(np.uint8)
        truth = predictions.copy()
        truth[rng.random(SIZE) < 0.25, 0] ^= 1
    else:
        order = np.argsort(rng.random((SIZE, 4)), axis=1)
        predictions = order[:, 0] if name == "classification" else order[:, :2]
        truth = np.where(rng.random(SIZE) < 0.25, order[:, 3], order[:, 0])
    confidence = None if name == "numbers" else rng.uniform(0.4, 1.0, SIZE)
    inputs = Inputs(
        fingerprint="f" * 32,
        task=task,
        predictions=predictions,
        confidence=confidence,
        scores={"lsa": rng.random(SIZE), **({} if confidence is None else {"confidence": 1 - confidence})},
        features={"LHL": features.astype(np.float32)},
        truth=truth,
        losses=task.losses(predictions, truth),
    )
    return Subject(name, f"Notes: {name}", task, Notes(), "f" * 32, truth=truth, inputs=inputs)


def stored(task, truth):
    """A true answer as events hold it."""
    if isinstance(task, MultiLabel):
        return [int(place) for place in np.flatnonzero(truth)]
    return int(truth) if isinstance(task, Classification) else float(truth)


@pytest.fixture(params=TASKS)
def name(request, monkeypatch):
    """A task whose subject any project of this test can open, with the truth known or not."""
    monkeypatch.setitem(DEMOS, request.param, Demo(request.param, "", "", "", lambda *_: subject_of(request.param)))
    return request.param


@pytest.fixture
def truth_unknown(name, monkeypatch):
    subject = subject_of(name)
    unknown = replace(subject, truth=None, inputs=replace(subject.inputs, truth=None, losses=None))
    monkeypatch.setitem(DEMOS, name, Demo(name, "", "", "", lambda *_: unknown))


@pytest.fixture(scope="module")
def found() -> dict[tuple[object, ...], ClusterView]:
    """The clusters of each task's inputs, with the truth known and not, by their settings."""
    return {}


@pytest.fixture
def project(tmp_path, monkeypatch, found) -> Project:
    """The very project that the pages work in, so that what is computed for it they need not wait for.

    The same inputs have the same clusters, which are found for the first test that asks.
    """

    def once(inputs: Inputs, settings: ClusterSettings, **progress: object) -> ClusterView:
        asked = (inputs.task, inputs.losses is None, settings)
        if asked not in found:
            found[asked] = view_clusters(inputs, settings, **progress)
        return found[asked]

    monkeypatch.setattr(clusters, "view_clusters", once)
    monkeypatch.setenv("TESTIMATE_PROJECT", str(tmp_path))
    return the_pages_project()


def labeled(project: Project, name: str):
    """A session with 40 answers as the truth says, one "cannot tell", and ten labels given while exploring."""
    session = project.start_session(name, Request("srs", budget=60, seed=1))
    truth, task = subject_of(name).truth, TASKS[name]
    drawn = [draw.row for draw in session.upcoming(41)]
    picked = [row for row in range(SIZE) if row not in {draw.row for draw in session.draws}][:10]
    events = []
    for place, row in enumerate((*drawn, *picked)):
        answer = None if place == 40 else stored(task, truth[row])
        event = Event(
            f"event-{place:04}",
            "cannot tell" if answer is None else "answer",
            row,
            "tester",
            "2026-11-22T10:00:00+00:00",
            answer,
            stream="exploration" if place > 40 else "selection",
        )
        events.append(event)
    assert session.record(events).refused == {}
    return session, [*drawn[:40], *picked]


def shown_without_an_error(pages, name, project, opened, subtests):
    session, _ = labeled(project, name)
    project.clusters(name)
    for page in pages:
        with subtests.test(page=page):
            test = opened(page, subject=name, session=session.session_record.id)
            assert not test.exception
            assert not test.error


def test_every_page_shows_a_labeled_session_without_an_error(name, project, truth_unknown, opened, subtests):
    shown_without_an_error(PAGES, name, project, opened, subtests)


def test_every_page_shows_it_where_the_truth_is_known_too(name, project, opened, subtests):
    shown_without_an_error(["clusters", "strata", "label", "results"], name, project, opened, subtests)


def test_the_walls_of_the_clusters_page_hang_labeled_inputs(name, project, truth_unknown, opened):
    session, rows = labeled(project, name)
    assert set(rows) & set(project.clusters(name).minority.tolist())
    test = opened("clusters", subject=name, session=session.session_record.id)
    assert any(part.value.startswith("Minority space") for part in test.subheader)
    test.session_state[ROWS], test.session_state[HOW] = rows[:6], "lasso"
    test.run()
    assert "6 selected" in [part.value for part in test.subheader]
    assert not test.exception
    assert not test.error


def test_the_map_of_the_inputs_has_every_coloring_it_offers(name, project, truth_unknown, opened):
    session, _ = labeled(project, name)
    project.clusters(name)
    test = opened("clusters", subject=name, session=session.session_record.id)
    offered = test.selectbox(key="color by").options
    assert {"labeled", "failed"} <= set(offered)
    for coloring in offered:
        test.selectbox(key="color by").set_value(coloring).run()
        assert not test.exception, coloring
        assert not test.error


def test_an_answer_costs_the_same_on_the_walls_in_the_estimate_and_by_the_truth(name, project):
    session, rows = labeled(project, name)
    losses = losses_known(session.inputs, session)
    known = subject_of(name).inputs.losses
    assert sorted(rows) == np.flatnonzero(np.isfinite(losses)).tolist()
    np.testing.assert_array_equal(losses[rows], known[rows])
    assert 0 < np.count_nonzero(known[rows] > 0.5) < len(rows)  # some are right and some are wrong
    in_estimate = {verdict.draw.row: verdict.loss for verdict in session.verdicts() if verdict.loss is not None}
    assert in_estimate == {row: known[row] for row in rows[:40]}


def test_a_prediction_without_any_label_is_put_into_words_on_the_walls():
    inputs = subject_of("sets").inputs
    without = np.flatnonzero(~inputs.predictions.any(axis=1))
    assert len(without)
    assert {said(int(row), inputs).split(" · ")[0] for row in without} == {"none"}


def test_the_report_can_be_written_of_it(name, project):
    session, _ = labeled(project, name)
    assert len(report_html(session)) > 1000
