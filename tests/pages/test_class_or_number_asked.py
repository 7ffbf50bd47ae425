"""Subject shows what a table is read as, and changes it until the first plan."""

from testimate.core.selector import Request
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression


def table_of(values) -> bytes:
    return "\n".join(["prediction,area", *(f"{value},{value % 7}" for value in values)]).encode()


def asked(test):
    return next((group for group in test.button_group if group.label == "What is a prediction?"), None)


def test_the_task_is_changed_on_subject_and_stays_once_there_is_a_session(opened, project):
    key = project.add_table("counts.csv", table_of([1, 2, 3] * 20)).key
    test = opened("subject", subject=key)
    asked(test).set_value("regression").run()
    assert not test.exception
    [other] = [entry.key for entry in project.entries() if not entry.demo]
    assert other != key
    assert isinstance(project.subject(other).task, Regression)
    project.start_session(other, Request("srs", budget=5, seed=1))
    test = opened("subject", subject=other)
    assert not test.exception
    assert asked(test).disabled


def test_nothing_is_asked_of_a_table_that_can_only_be_classes(opened, project):
    subject = project.add_table("kinds.csv", b"prediction\ncat\ndog\n")
    assert isinstance(subject.task, Classification)
    test = opened("subject", subject=subject.key)
    assert not test.exception
    assert asked(test) is None
