"""Labels drawn inside a slice: joined with the plan's, exact where all is known, and honest for a slice chosen by looking."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from testimate.core.draw import Estimate
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.planning.parts import Grouping
from testimate.project.cluster_review import columns_of, grouping_by
from testimate.project.project import Project
from testimate.project.selections import (
    _with_known,
    keep_selection,
    known_losses,
    label_in_slice,
    labels_for,
    slice_by_fresh_labels,
    top_ups_of,
    topped_up,
    with_top_ups,
)
from testimate.reports.parts import session_slices
from testimate.selectors.following import OfSelection


@pytest.fixture
def project(tmp_path, demo_ready) -> Project:
    demo_ready("digits", tmp_path)
    return Project(tmp_path)


def label(session, wrong=frozenset()):
    """Labels all that is planned by the truth, those rows against it."""
    for draw in session.upcoming(session.planned):
        answer = (int(session.inputs.truth[draw.row]) + (draw.row in wrong)) % 10
        event = Event(
            f"{session.session_record.id}-{draw.row}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", answer
        )
        assert session.record([event]).acknowledged


@pytest.fixture
def of_threes(project):
    """A labeled session of the digits, the rows that are predicted 3, and the slice's grouping."""
    session = project.start_session("digits", Request("srs", 250, 1))
    label(session)
    grouping = Grouping("of 3", ("3", "others"), (session.inputs.predictions != 3).astype(np.intp))
    return session, np.flatnonzero(grouping.groups == 0), grouping


def test_fresh_labels_are_drawn_among_those_without_one_and_all_of_them_give_the_exact_accuracy(project, of_threes):
    session, rows, grouping = of_threes
    before = set(session.answers())
    left = len(set(rows.tolist()) - before)
    with pytest.raises(BadInput, match="Expected 1 to that many"):
        label_in_slice(project, session, rows, left + 1, called="3")
    fresh = label_in_slice(project, session, rows, left, called="3")
    label(fresh)
    assert not before & set(fresh.answers())
    exact = 1 - session.inputs.losses[rows].mean()
    assert slice_by_fresh_labels(fresh, known_losses(project, "digits")).accuracy == pytest.approx(exact)
    alone = session_slices(session, grouping)
    found = topped_up(project, session, grouping, alone, level=0.95)
    assert list(found) == [0]
    assert with_top_ups(alone, found)[0].estimate.value == pytest.approx(
        exact, abs=1e-9
    )  # all weight on what is certain
    assert with_top_ups(alone, found)[1] == alone[1]


def test_a_top_up_is_joined_by_what_no_label_has_a_part_in(project, of_threes):
    session, rows, grouping = of_threes
    fresh = label_in_slice(project, session, rows, 20, called="3", half_width=0.1)
    assert fresh.session_record.half_width == 0.1
    label(fresh, wrong=set(rows[:60].tolist()))
    alone = session_slices(session, grouping)
    [one] = topped_up(project, session, grouping, alone, level=0.95).values()
    own = alone[0].estimate
    left = len(fresh.session_record.request.options["rows"])
    # Cochran 1977, eq. 2.8 with S^2 = 1, of the plan's labels in the slice and of the fresh ones
    plan = (1 - 250 / len(session.inputs)) / own.labeled
    drawn = (left / len(rows)) ** 2 * (1 - 20 / left) / 20
    expected = (own.value / plan + one.fresh.accuracy / drawn) / (1 / plan + 1 / drawn)
    assert one.estimate.accuracy == pytest.approx(expected)
    assert one.headline == "fixed"
    assert one.estimate.low < one.estimate.accuracy < one.estimate.high
    # of two slices the lower one was found by looking: its fresh labels judge it alone
    lower = own.value < alone[1].estimate.value
    assert one.looked_worst == lower
    judged = one.fresh if lower else one.estimate
    assert with_top_ups(alone, {0: one})[0].estimate.value == judged.accuracy
    assert with_top_ups(alone, {0: replace(one, looked_worst=not lower)})[0].estimate.value == pytest.approx(
        (one.estimate if lower else one.fresh).accuracy
    )


def test_fresh_labels_are_exactly_unbiased_given_what_was_known():
    losses, known = np.array([0, 1, 1, 0, 1, 0, 0], dtype=float), {0: 0.0, 1: 1.0}
    right = len(known) - sum(known.values())
    found = [
        _with_known(
            Estimate(1 - losses[list(drawn)].mean(), None, None, None, 0.95, 2, 0, "", ""), right, 2, 5
        ).accuracy
        for drawn in combinations(range(2, 7), 2)
    ]
    assert np.mean(found) == pytest.approx(1 - losses.mean())  # all samples of 2 of the 5 that were left


def test_an_answer_that_was_known_and_is_gone_stops_the_number(project, of_threes):
    session, rows, _ = of_threes
    fresh = label_in_slice(project, session, rows, 20, called="3")
    label(fresh)
    with pytest.raises(NotEnoughLabels, match="Label them again"):
        slice_by_fresh_labels(fresh, {})


def test_a_session_of_a_selection_made_before_is_no_top_up(project, of_threes):
    session, rows, _ = of_threes
    project.start_session(
        "digits", Request(OfSelection.name, 5, 1, options={"rows": rows[:9].tolist(), "called": "old"})
    )
    assert top_ups_of(project, session) == {}


def test_wilsons_interval_needs_as_many_labels_as_are_asked_for():
    # Cochran 1977, eq. 4.2: z^2 p q / d^2 of a very large part, for Wilson's interval a little less
    assert labels_for(0.1, 1_000_000, 0.5) == pytest.approx(1.96**2 * 0.25 / 0.1**2, abs=5)
    assert labels_for(0.0001, 50, 0.9) == 50


def test_tags_are_columns_to_slice_by_and_the_truth_is_none(project, of_threes):
    session, rows, _ = of_threes
    keep_selection(project, "digits", rows.tolist(), "<b>=threes()</b>", column="shape", tester="Ann")
    columns = columns_of(project, session)
    assert list(columns)[:2] == ["predicted class", "confidence"]
    assert grouping_by(columns, "shape").values == ("(empty)", "<b>=threes()</b>")
    pairs = grouping_by(columns, "shape", "predicted class")
    assert "<b>=threes()</b>, 3" in pairs.values
