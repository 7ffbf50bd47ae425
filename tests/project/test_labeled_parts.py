"""What labels say about parts: counts by a loop, and the estimate of a selection by simulation and by labeling it whole."""

from types import SimpleNamespace

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.project.project import Project
from testimate.project.selections import estimated_parts, label_some, labeled_counts, largest_within, selection_estimate
from testimate.selectors.following import OfSelection
from testimate.tasks.classification import Classification

TASK = Classification(("no", "yes"))


@pytest.fixture
def project(tmp_path, demo_ready) -> Project:
    demo_ready("digits", tmp_path)
    return Project(tmp_path)


def labeled(rows: list[int], wrong: set[int], count: int, seed: int) -> SimpleNamespace:
    """A session that labeled so many of the rows, as far as an estimate looks at it."""
    draws = OfSelection(500, budget=count, seed=seed, rows=rows).ask(count)
    request = Request("of-selection", count, seed, options={"rows": rows, "called": "x"})
    return SimpleNamespace(
        session_record=SessionRecord("s", "k", "n", "f" * 32, request, "2026-11-20T10:00:00+00:00"),
        inputs=SimpleNamespace(task=TASK),
        verdicts=lambda: tuple(Verdict(draw, float(draw.row in wrong)) for draw in draws),
    )


def test_the_interval_of_a_selection_holds_its_accuracy_as_often_as_it_claims():
    rows, wrong = list(range(100, 300)), set(range(100, 140))  # 80% of the selection are right
    held = means = 0.0
    for seed in range(500):
        found = selection_estimate(labeled(rows, wrong, 40, seed))
        held += found.low <= 0.8 <= found.high
        means += found.accuracy
    assert held / 500 >= 0.93
    assert means / 500 == pytest.approx(0.8, abs=4 * (0.16 / 40 / 500) ** 0.5)


def test_a_selection_that_is_labeled_whole_is_known():
    found = selection_estimate(labeled(list(range(7, 57)), {7, 8, 9, 400}, 50, 3))
    assert (found.accuracy, found.low, found.high) == pytest.approx((0.94, 0.94, 0.94))


def test_labels_are_counted_by_cluster_and_the_minority_space_is_in_none():
    rng = np.random.default_rng(4)
    labels = rng.integers(-1, 4, 300)
    losses = rng.choice([0.0, 1.0, np.nan], 300)
    found = labeled_counts(labels, 4, TASK, losses)
    for cluster in range(4):
        inside = [loss for of, loss in zip(labels, losses, strict=True) if of == cluster and not np.isnan(loss)]
        assert (found.labeled[cluster], found.right[cluster]) == (len(inside), inside.count(0.0))


def test_a_cluster_finds_the_largest_part_that_lies_in_it_and_none_without_labels(project, say):
    few = label_some(project, "digits", range(40, 60), 10, called="few", seed=1)
    many = label_some(project, "digits", range(100), 10, called="many", seed=2)
    assert estimated_parts(project, "digits") == []
    with pytest.raises(NotEnoughLabels):
        selection_estimate(many)
    for session in (few, many):
        truth = session.inputs.truth
        session.record([say(draw.row, int(truth[draw.row])) for draw in session.upcoming(10)])
    parts = estimated_parts(project, "digits")
    assert [part.called for part in parts] == ["many", "few"]
    assert largest_within(parts, np.arange(30, 70)).called == "few"
    assert largest_within(parts, np.arange(200)).called == "many"
    assert largest_within(parts, np.arange(45, 70)) is None
