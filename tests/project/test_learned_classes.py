"""Versions in a project that learned a class which testers had named before."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.project.project import Project
from testimate.project.version_history import classes_moved, history_of
from testimate.project.version_labels import start_top_up
from testimate.project.versions import add_version

SIZE, CLASSES = 300, ("a", "b", "c")
TRUTH = np.where(np.arange(SIZE) % 5 == 0, 3, np.arange(SIZE) % 3)
OLD = np.where(TRUTH == 3, 0, TRUTH)
LEARNED = {int(row): "fox" for row in np.flatnonzero(TRUTH == 3)}
"""What the second version predicts that the first does not know: every fox."""


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path / "project")
    lines = [f"k{row},{CLASSES[place]},{0.5 + row / 1000}" for row, place in enumerate(OLD)]
    made.add_table("v1.csv", "\n".join(["key,prediction,confidence", *lines, ""]).encode())
    return made


@pytest.fixture
def key(project) -> str:
    return next(entry.key for entry in project.entries() if entry.name == "v1.csv")


def label(project, key, say, fox="fox", budget=100):
    session = project.start_session(key, Request("srs", budget, seed=2))
    for draw in session.draws:
        session.record([say(draw.row, fox if TRUTH[draw.row] == 3 else int(TRUTH[draw.row]))])
    return session


def second() -> OtherModel:
    return OtherModel("v2", np.where(TRUTH == 3, -1, OLD), np.full(SIZE, 0.9), LEARNED)


@pytest.mark.parametrize("fox", ["fox", "Fox", " FOX"])
def test_a_learned_class_is_right_in_the_history_from_the_labels_that_were_there(project, key, say, fox):
    label(project, key, say, fox)
    add_version(project, key, second())
    again = Project(project.folder)
    first, then = history_of(again, key).versions
    assert first.reused.estimate.accuracy < 0.9
    assert then.reused.estimate.accuracy > 0.999
    assert then.worse == ()
    assert {TRUTH[row] for row in then.better} == {3}
    assert classes_moved(again, history_of(again, key), then)


def test_a_learned_class_is_refused_while_no_label_is_none_of_the_classes(project, key, say):
    label(project, key, say, 1)
    with pytest.raises(BadInput, match="no other could have been answered"):
        add_version(project, key, second())


def test_a_label_without_a_name_leaves_open_whether_the_learned_class_is_right(project, key, say):
    session = label(project, key, say, "")
    add_version(project, key, second())
    then = history_of(project, key).versions[1].reused
    assert then.labeled == 100
    assert then.reused == sum(TRUTH[draw.row] != 3 for draw in session.draws)


def test_a_top_up_of_the_version_that_learned_offers_its_class_and_all_judge_together(project, key, say):
    label(project, key, say)
    version = add_version(project, key, second())
    session = start_top_up(project, version.key, "accuracy", 20)
    assert session.inputs.task.classes == (*CLASSES, "fox")
    for draw in session.draws:
        session.record([say(draw.row, int(TRUTH[draw.row]))])
    first, then = (one.reused.estimate for one in history_of(project, key).versions)
    assert then.accuracy > 0.999
    assert first.labeled == then.labeled == 120
    assert first.low <= (OLD == TRUTH).mean() <= first.high
