"""Whole numbers in a table: classes or measurements, asked where the columns do not tell, and kept as they were said."""

import json

import numpy as np
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.selector import Request
from testimate.core.words import commas
from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each


def csv(predictions, labels=None) -> bytes:
    if labels is None:
        return "\n".join(["prediction", *map(str, predictions)]).encode()
    return "\n".join(["label,prediction", *(f"{a},{b}" for a, b in zip(labels, predictions, strict=True))]).encode()


def prices(count: int = 999) -> np.ndarray:
    return 100_000 + 731 * np.random.default_rng(3).permutation(count)


def repeated(classes: int) -> np.ndarray:
    return np.tile(np.arange(classes), 20)


@each("predictions", [prices(), prices(8), repeated(30), [25, 31, 44, 31, 60]])
def test_whole_numbers_that_may_be_either_are_never_guessed(predictions):
    with pytest.raises(ReadingUnclear, match="--task classification or --task regression") as raised:
        read_table(csv(predictions), name="t.csv")
    assert f"{commas(len(set(predictions)))} distinct whole numbers" in raised.value.found


@each("predictions", [repeated(29), [7, 2, 1, 0], [1, 1, 0], np.repeat([200, 404, 500], 9)])
def test_few_whole_numbers_that_repeat_and_single_digits_are_classes(predictions):
    subject = read_table(csv(predictions), name="t.csv")
    assert isinstance(subject.task, Classification)
    assert subject.readable_as == ("classification", "regression")


def test_the_stated_task_is_used():
    labels = prices() + np.random.default_rng(4).integers(-9, 10, 999)
    data = csv(prices(), labels)
    number = read_table(data, name="t.csv", task="regression", tolerance=5)
    assert number.task == Regression(tolerance=5)
    np.testing.assert_array_equal(number.inputs.losses, (labels - prices()) ** 2.0)
    named = read_table(data, name="t.csv", task="classification")
    assert isinstance(named.task, Classification)
    np.testing.assert_array_equal(named.inputs.losses, labels != prices())


@pytest.mark.parametrize("predictions", [prices(84), [7, 2, 1, 0]])
def test_a_tolerance_makes_whole_numbers_a_regression(predictions):
    assert read_table(csv(predictions), name="t.csv", tolerance=2.0).task == Regression(tolerance=2.0)


def test_probabilities_and_outcomes_say_that_they_are_classes():
    rows = [f"{value},Pass" for value in prices(40)]
    assert isinstance(read_table("\n".join(["SUT,outcome", *rows]).encode(), name="t.csv").task, Classification)


@each(
    ("table", "options", "words"),
    [
        (b"prediction\n0.5\n1.5\n", {"task": "classification"}, "Expected words or whole numbers"),
        (b"prediction\ncat\ndog\n", {"task": "regression"}, "contains the text 'cat'"),
        (b"prediction,p_0,p_1\n0,0.5,0.5\n1,0.5,0.5\n", {"task": "regression"}, "columns of probabilities"),
        (b"prediction,outcome\n3,Pass\n1,Fail\n", {"task": "regression"}, "an outcome, right or wrong,"),
        (
            b"prediction\n3\n1\n",
            {"task": "classification", "tolerance": 1.0},
            "Expected a tolerance for a regression alone",
        ),
        (b"prediction\nnone\nNone\n", {"task": "multi-label"}, "Expected at least one class"),
        (b"prediction,p_0,p_1\n0,0.5,0.5\n1,0.5,0.5\n", {"task": "multi-label"}, "which sets of classes do not have"),
    ],
)
def test_a_table_that_cannot_be_the_stated_task_is_refused_in_a_sentence(table, options, words):
    with pytest.raises(BadInput, match=words):
        read_table(table, name="t.csv", **options)


def test_sets_are_names_separated_by_semicolons_and_none_is_the_empty_one():
    data = b"label,prediction\ncat; dog,dog;cat\nnone,owl\nowl,owl;cat\n"
    subject = read_table(data, name="t.csv", task="multi-label")
    assert subject.task == MultiLabel(("cat", "dog", "owl"))
    assert subject.inputs.predictions.tolist() == [[1, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert subject.truth.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert subject.inputs.losses.tolist() == [0, 1, 1]


def test_the_same_content_read_as_two_tasks_is_two_subjects_and_the_usual_reading_keeps_its_fingerprint():
    data = csv(prices(40))
    named, number = (read_table(data, name="t.csv", task=task) for task in ("classification", "regression"))
    assert named.key != number.key
    assert named.fingerprint != number.fingerprint == number.inputs.fingerprint
    assert named.fingerprint == read_table(data, name="t.csv", undecided="classes").fingerprint


def test_the_task_is_kept_and_changed_until_there_is_a_session(tmp_path):
    project, data = Project(tmp_path), csv(prices(50))
    with pytest.raises(ReadingUnclear):
        project.add_table("prices.csv", data)
    assert not [entry for entry in project.entries() if not entry.demo]
    wrong = project.add_table("prices.csv", data, task="classification")
    right = project.change_task(wrong.key, "regression")
    assert [entry.key for entry in project.entries() if not entry.demo] == [right.key]
    session = project.start_session(right.key, Request("srs", budget=5, seed=1))
    with pytest.raises(BadInput, match="has a session"):
        project.change_task(right.key, "classification")
    reopened = Project(tmp_path)
    assert isinstance(reopened.subject(right.key).task, Regression)
    assert isinstance(reopened.session(session.session_record.id).inputs.task, Regression)
    with pytest.raises(BadInput, match="not a prediction table"):
        project.change_task("digits", "regression")


@pytest.mark.parametrize("tolerance", [None, 5.0])
def test_a_subject_kept_by_an_earlier_version_opens_with_the_classes_it_had(tmp_path, tolerance):
    project = Project(tmp_path)
    key = project.add_table("prices.csv", csv(prices(50)), task="classification").key
    session = project.start_session(key, Request("srs", budget=5, seed=1))
    record = tmp_path / "subjects" / key / "subject.json"
    record.write_text(json.dumps({"name": "prices.csv", "tolerance": tolerance}))
    reopened = Project(tmp_path)
    assert len(reopened.subject(key).task.classes) == 50
    assert reopened.session(session.session_record.id).draws == session.draws
