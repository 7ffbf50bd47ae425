"""How the public names are used, with the types a reader of the code should see; `mypy` checks this file with the others."""

from typing import assert_type

import numpy as np

import testimate
from testimate import Plan, Votes, estimate, open_subject, prioritize, rank, select, study
from testimate.comparison.ranking import Ranking
from testimate.core.subject import Subject
from testimate.planning.estimate import PlanEstimate
from testimate.planning.priority import Priority
from testimate.studies.plots import StudyRows


def from_a_table_to_an_interval() -> tuple[float, float, float]:
    """Accuracy and both ends, each verb used once on the way."""
    said = np.tile(["cat", "dog"], 100)
    subject = open_subject(
        {"prediction": said, "confidence": np.linspace(0.5, 1, 200), "label": np.repeat(["cat", "dog"], 100)}
    )
    assert_type(subject, Subject)
    plan = select(subject, budget=40, seed=1, technique="srs")
    assert_type(plan, Plan)
    assert_type(plan.rows, tuple[int, ...])
    votes = Votes.of(dict.fromkeys(plan.rows, "cat"))
    assert_type(votes, Votes)
    found = estimate(plan, votes, subject=subject)
    assert_type(found, PlanEstimate)
    assert_type(found.low, float | None)
    assert_type(prioritize(subject, "deepgini" if subject.inputs is None else "severity-first", seed=1), Priority)
    assert_type(rank({"first": said, "second": said[::-1], "third": said}, "majority"), Ranking)
    rows = study(subject, techniques=["srs"], budgets=[20], repetitions=2, seed=1, workers=1)
    assert_type(rows, StudyRows)
    assert found.low is not None
    assert found.high is not None
    return found.accuracy, found.low, found.high


def a_name_there_is_not() -> object:
    """Raises AttributeError; mypy takes the name for a mistake only where the names have real types."""
    return testimate.estimates  # type: ignore[attr-defined]
