"""The questions demo: what it always was, its further judges, the criteria it names and its earlier versions."""

from pathlib import Path

import numpy as np
import pytest

from testimate.core.fingerprint import of_array
from testimate.core.subject import Subject
from testimate.demos.answers import SEED, answered_questions, earlier_versions_csv
from testimate.demos.catalog import DEMOS
from testimate.project.project import Project
from testimate.verbs import estimate, select

POINTS = {"right": 1.0, "partly": 0.5, "wrong": 0.0}


@pytest.fixture(scope="module")
def subject() -> Subject:
    return DEMOS["answers"].open(Path(), lambda *_: None)


def test_sessions_of_the_questions_from_before_its_judges_came_still_open(subject, tmp_path):
    """The digests were taken before: of the table, its confidence and its truth; and so was what a plan draws."""
    inputs = Project(tmp_path).inputs("answers")
    assert subject.fingerprint == inputs.fingerprint == "8e5ade5403494d80c4806dc099eb098f"
    assert of_array(inputs.confidence) == "9a21993213f33151d1bab23979d5d908"
    assert of_array(inputs.truth) == "f65a4de760fc093dde01d66c5c03dad2"
    assert [*inputs.scores] == ["confidence"]
    assert [draw.row for draw in select(inputs, budget=40, seed=1).draws[:8]] == [
        803,
        268,
        697,
        459,
        154,
        729,
        739,
        889,
    ]


def test_with_every_answer_labeled_each_judges_bias_is_counted_by_hand(subject):
    rows = answered_questions(seed=SEED)
    plan = select(subject.inputs, budget=len(rows), technique="srs", seed=1)
    found = estimate(plan, {row: one.grade for row, one in enumerate(rows)}, subject=subject.inputs)
    score = sum(POINTS[one.grade] for one in rows) / len(rows)
    biases = {one.name: one.bias for one in found.verdicts_say.assisted.found.judges}
    assert biases == pytest.approx(
        {"confidence": sum(one.score for one in rows) / len(rows) - score}
        | {name: float(np.mean(grades)) - score for name, grades in subject.inputs.judges.items()}
    )


def test_one_judge_is_too_kind_and_explains_a_third_the_other_strict_and_worse(subject):
    points = np.array([POINTS[one.grade] for one in answered_questions(seed=SEED)])
    kind, strict = subject.inputs.judges.values()
    explained = [np.corrcoef(points, grades)[0, 1] ** 2 for grades in (kind, strict)]
    assert kind.mean() > points.mean() + 0.05
    assert strict.mean() < points.mean() - 0.1
    assert explained == pytest.approx([0.36, 0.17], abs=0.02)


def test_earlier_versions_were_wrong_more_often_and_most_of_all_where_this_one_is():
    rows = answered_questions(seed=SEED)
    header, *lines = earlier_versions_csv(rows).decode().splitlines()
    versions = [*zip(*(line.split(",") for line in lines), strict=True)]
    assert (header, len(lines)) == ("version 1,version 2", len(rows))
    right_now = [one.grade == "right" for one in rows]
    shares = [said.count("right") / len(rows) for said in versions]
    assert shares[0] < shares[1] < sum(right_now) / len(rows)
    for said in versions:
        also = [one == "wrong" for one, right in zip(said, right_now, strict=True) if not right]
        newly = [one == "wrong" for one, right in zip(said, right_now, strict=True) if right]
        assert sum(also) / len(also) > 0.6 > 0.4 > sum(newly) / len(newly)
