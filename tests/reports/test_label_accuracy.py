"""Each label's accuracy against a count by hand: of a whole set that is labeled, and with the interval of the design."""

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.reports.people import label_accuracies
from testimate.reports.report import report_html

NAMES = ("cat", "dog", "owl")


def cell(marks) -> str:
    return ";".join(name for name, there in zip(NAMES, marks, strict=True) if there) or "none"


def test_each_label_is_as_often_right_as_counting_by_hand_says_and_the_report_shows_it(tmp_path):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, (40, 3))
    said = truth ^ (rng.random((40, 3)) < [0.05, 0.2, 0.5])
    project = Project(tmp_path)
    table = "\n".join(["prediction", *map(cell, said)]).encode()
    subject = project.add_table("sets.csv", table, task="multi-label")
    session = project.start_session(subject.key, Request("srs", budget=40, seed=1))
    session.record(
        [
            Event(
                id=f"e{row}",
                kind="answer",
                row=row,
                tester="Ada",
                at="2024-05-01T10:00:00+00:00",
                answer=np.flatnonzero(truth[row]).tolist(),
            )
            for row in (draw.row for draw in session.draws)
        ]
    )
    found = label_accuracies(session)
    assert [one.label for one in found] == list(NAMES)
    assert [one.estimate.accuracy for one in found] == pytest.approx((said == truth).mean(axis=0))
    assert [one.present for one in found] == truth.sum(axis=0).tolist()
    assert session.estimate().accuracy == pytest.approx((said == truth).all(axis=1).mean())
    assert "Each label by itself" in report_html(session)
