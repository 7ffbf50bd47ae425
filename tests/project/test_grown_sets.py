"""A subject that holds another one's labeled inputs: recognized by content, judged by the labels of both parts."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.project.changed_sets import (
    become_ordered_version,
    judged_parts,
    label_added,
    labeled_part,
    left_to_draw,
    same_in_another_order,
    sets_to_compare,
    weighted_labels,
)
from testimate.project.project import Project
from testimate.project.subject_records import VersionFacts
from testimate.project.version_history import history_of
from tests.session.labeling import label_all

OLD, ALL, CLASSES = 240, 400, ("a", "b", "c")
RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 3, ALL)
SURE = RNG.uniform(0.4, 1, ALL).round(3)
SAID = np.where(RNG.random(ALL) < 1 - SURE, (TRUTH + 1) % 3, TRUTH)
GROWN = RNG.permutation(ALL)


def table(rows, key: bool = True) -> bytes:
    what = (lambda row: f"k{row}") if key else (lambda row: f"A letter no. {row}")
    lines = [f"{what(row)},{CLASSES[SAID[row]]},{SURE[row]}" for row in rows]
    return ("\n".join([f"{'key' if key else 'text'},prediction,confidence", *lines]) + "\n").encode()


@pytest.fixture(params=[True, False], ids=["by key", "by content"])
def project(tmp_path, request) -> Project:
    made = Project(tmp_path / "project")
    made.add_table("old.csv", table(range(OLD), request.param))
    made.add_table("grown.csv", table(GROWN, request.param))
    made.add_table("less.csv", table(range(5, ALL), request.param))
    return made


def key_of(project: Project, name: str) -> str:
    return next(entry.key for entry in project.entries() if entry.name == name)


@pytest.fixture
def labeled(project, say):
    session = project.start_session(key_of(project, "old.csv"), Request("rrs", 80, seed=2))
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    return session


def label(session, say) -> None:
    label_all(session, say, dict(enumerate(TRUTH[GROWN].tolist())))


@pytest.mark.usefixtures("labeled")
def test_the_labeled_inputs_are_found_wherever_they_stand(project):
    part = labeled_part(project, key_of(project, "grown.csv"))
    assert (part.name, part.labeled, part.gone) == ("old.csv", 80, 0)
    assert GROWN[part.places].tolist() == list(range(OLD))
    assert sorted(GROWN[part.added].tolist()) == list(range(OLD, ALL))
    assert labeled_part(project, key_of(project, "old.csv")) is None


@pytest.mark.usefixtures("labeled")
def test_each_part_is_judged_by_its_own_labels_and_all_by_both(project, say):
    key = key_of(project, "grown.csv")
    part = labeled_part(project, key)
    first = judged_parts(project, key, part)
    assert first.old.estimate.low < (SAID == TRUTH)[:OLD].mean() < first.old.estimate.high
    assert (first.added, first.all) == (None, None)
    label(label_added(project, key, part, 50), say)
    second = judged_parts(project, key, part)
    assert second.old.estimate == first.old.estimate
    assert second.added.estimate.low < (SAID == TRUTH)[OLD:].mean() < second.added.estimate.high
    whole = 0.6 * second.old.estimate.accuracy + 0.4 * second.added.estimate.accuracy
    assert second.all.accuracy == pytest.approx(whole)
    assert second.headline == "fixed"
    assert left_to_draw(project, key, part) == ALL - OLD - 50


@pytest.mark.usefixtures("labeled")
def test_a_second_session_goes_on_with_the_sample_and_leaves_only_the_stop_safe_interval(project, say):
    key = key_of(project, "grown.csv")
    part = labeled_part(project, key)
    label(label_added(project, key, part, 60), say)
    label(label_added(project, key, part, ALL - OLD - 60), say)
    found = judged_parts(project, key, part)
    assert found.added.estimate.accuracy == pytest.approx((SAID == TRUTH)[OLD:].mean())
    assert found.headline == "always"
    assert left_to_draw(project, key, part) == 0


@pytest.mark.usefixtures("labeled")
def test_where_old_inputs_are_gone_it_says_so_and_gives_no_number(project):
    key = key_of(project, "less.csv")
    part = labeled_part(project, key)
    assert part.gone == 5
    with pytest.raises(BadInput, match="5 of the 240 old inputs are not in the new set"):
        judged_parts(project, key, part)


@pytest.mark.usefixtures("labeled")
def test_the_same_inputs_in_another_order_become_a_version_in_the_first_one_s(project, request):
    by_key = "by key" in request.node.name
    order = np.random.default_rng(2).permutation(OLD)
    key = project.add_table("again.csv", table(order, by_key)).key
    assert labeled_part(project, key) is None
    same = same_in_another_order(project, key)
    assert (same.name, order[same.places].tolist()) == ("old.csv", list(range(OLD)))
    version = become_ordered_version(project, key, same)
    assert project.inputs(version.key).predictions.tolist() == SAID[:OLD].tolist()
    assert history_of(project, version.key).versions[1].reused.labeled == 80
    assert key not in {entry.key for entry in project.entries()}
    assert same_in_another_order(project, key_of(project, "old.csv")) is None


@pytest.mark.usefixtures("labeled")
def test_labels_of_another_set_are_weighted_to_this_one_s_mix(project):
    key, old = key_of(project, "grown.csv"), key_of(project, "old.csv")
    assert old in sets_to_compare(project, key)
    found = weighted_labels(project, key, old, "confidence")()
    assert found.estimate.low < (SAID == TRUTH).mean() < found.estimate.high
    assert weighted_labels(project, old, key, "confidence") is None


@pytest.mark.usefixtures("labeled")
def test_a_model_that_the_labels_trained_or_chose_has_no_number_here_either(project):
    key, old = key_of(project, "grown.csv"), key_of(project, "old.csv")
    part = labeled_part(project, key)
    project.version_facts.keep(key, VersionFacts("", 0, True))
    with pytest.raises(BadInput, match="It was trained or chosen by labels of these inputs"):
        judged_parts(project, key, part)
    with pytest.raises(BadInput, match="It was trained or chosen by labels of these inputs"):
        weighted_labels(project, key, old, "class")
