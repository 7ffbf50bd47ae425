"""Versions in a project: labels belong to the inputs, and judge every version of the model."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import testimate
from testimate.core.errors import BadInput
from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.planning.plan import plan_of_json
from testimate.project import version_history
from testimate.project.deleted import delete_subject
from testimate.project.kept_labels import import_labels, keep_labels_of
from testimate.project.project import Project
from testimate.project.subject_records import VersionFacts
from testimate.project.version_history import NO_PLAN, history_of
from testimate.project.version_labels import is_top_up, start_top_up
from testimate.project.versions import add_version, families, recognized, versions_of
from testimate.reports.exports import plan_json
from testimate.session.session import Session
from tests.session.labeling import label_all

BEFORE = Path(__file__).parents[1] / "projects_made_before" / "first_house" / "project"
SIZE, CLASSES = 600, ("a", "b", "c", "d")


def model(seed: int, wrong: float) -> tuple[np.ndarray, np.ndarray]:
    """What a model that is wrong so often predicts, and how sure it is; it is less sure where it is wrong."""
    rng = np.random.default_rng(seed)
    chance = np.clip(rng.beta(1, 8, SIZE) * 9 * wrong, 0.001, 0.9)
    said = np.where(rng.random(SIZE) < chance, (TRUTH + rng.integers(1, 4, SIZE)) % 4, TRUTH)
    return said, np.round(1 - chance, 4)


TRUTH = np.random.default_rng(5).integers(0, 4, SIZE)


def table(said: np.ndarray, sure: np.ndarray) -> bytes:
    lines = [f"k{row},{CLASSES[place]},{one:.4f}" for row, (place, one) in enumerate(zip(said, sure, strict=True))]
    return ("\n".join(["key,prediction,confidence", *lines]) + "\n").encode()


def other(seed: int, wrong: float, name: str) -> OtherModel:
    return OtherModel(name, *model(seed, wrong))


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path / "project")
    made.add_table("v1.csv", table(*model(1, 0.12)))
    return made


@pytest.fixture
def key(project) -> str:
    return next(entry.key for entry in project.entries() if entry.name == "v1.csv")


@pytest.fixture
def labeled(project, key, say) -> Session:
    session = project.start_session(key, Request("rrs", 100, seed=2))
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    return session


def test_a_label_says_what_the_input_is_who_said_so_when_and_under_which_plan(project, key, labeled):
    keep_labels_of(project, key)
    kept = project.known_labels.of(project.dataset_of(key))
    assert {one.row: one.answer for one in kept} == {draw.row: CLASSES[TRUTH[draw.row]] for draw in labeled.draws}
    assert {(one.session, one.source) for one in kept} == {(labeled.session_record.id, "drawn")}
    said = {event.row: (event.tester, event.at) for event in labeled.history()}
    assert {one.row: (one.tester, one.at) for one in kept} == said
    [plan] = project.known_labels.plans(project.dataset_of(key))
    assert plan_of_json(plan.plan, "plan").draws == labeled.draws


def test_an_answer_that_was_taken_back_or_changed_is_kept_as_it_stands(project, key, labeled, say):
    history_of(project, key)
    first, second = (draw.row for draw in labeled.draws[:2])
    labeled.record([say(first, 3)])
    labeled.record([say(second, kind="undo")])
    keep_labels_of(project, key)
    kept = {one.row: one.answer for one in project.known_labels.of(project.dataset_of(key))}
    assert kept[first] == "d"
    assert second not in kept
    assert len(kept) == 99


def test_a_new_version_is_judged_as_the_terminal_judges_it_from_the_same_files(project, key, labeled, tmp_path):
    add_version(project, key, other(2, 0.06, "v2"))
    (tmp_path / "v1.csv").write_bytes(table(*model(1, 0.12)))
    (tmp_path / "v2.csv").write_bytes(table(*model(2, 0.06)))
    plan = project.session(labeled.session_record.id)
    (tmp_path / "plan.json").write_text(json.dumps(plan_json(plan)))
    votes = [f"{row},{CLASSES[answer]}" for row, answer in labeled.answers().items()]
    (tmp_path / "votes.csv").write_text("\n".join(["row,label", *votes]) + "\n")
    said = testimate.reuse(
        tmp_path / "v2.csv", plan=tmp_path / "plan.json", votes=tmp_path / "votes.csv", old=tmp_path / "v1.csv"
    )
    first, second = history_of(project, key).versions
    assert (first.version.name, second.version.name, second.before) == ("v1.csv", "v2", "v1.csv")
    assert second.reused.estimate == said.estimate
    assert second.reused.difference == said.difference
    assert second.reused.headline == "fixed"
    right = [(model(seed, wrong)[0] == TRUTH).mean() for seed, wrong in ((1, 0.12), (2, 0.06))]
    assert first.reused.estimate.low < right[0] < first.reused.estimate.high
    assert second.reused.estimate.low < right[1] < second.reused.estimate.high


def test_what_got_worse_are_the_labeled_inputs_that_only_the_version_before_had_right(project, key, labeled):
    add_version(project, key, other(2, 0.06, "v2"))
    _, second = history_of(project, key).versions
    rows = {draw.row for draw in labeled.draws}
    old, new = model(1, 0.12)[0] == TRUTH, model(2, 0.06)[0] == TRUTH
    assert set(second.worse) == {row for row in rows if old[row] and not new[row]}
    assert set(second.better) == {row for row in rows if new[row] and not old[row]}


def test_versions_open_again_in_their_order_with_their_names(project, key, labeled):
    second = add_version(project, key, other(2, 0.06, "v2"))
    third = add_version(project, key, other(3, 0.04, "v3"))
    for place, (one, name) in enumerate([(third.key, "the last one"), (key, ""), (second.key, "")], start=1):
        project.version_facts.keep(one, VersionFacts(name, place, False))
    again = Project(project.folder)
    assert [(one.key, one.name) for one in versions_of(again, second.key)] == [
        (third.key, "the last one"),
        (key, "v1.csv"),
        (second.key, "v2"),
    ]
    assert again.inputs(second.key).fingerprint == second.fingerprint
    assert {one.key: count for one, count in recognized(again, second.key)} == {third.key: 0, key: 100}


def test_a_version_that_labels_trained_or_chose_has_no_number_and_helps_no_other_one(project, key, labeled):
    second = add_version(project, key, other(2, 0.06, "v2"))
    alone = history_of(project, key).versions[0]
    third = add_version(project, key, other(3, 0.04, "v3"))
    for one in (second, third):
        project.version_facts.keep(one.key, VersionFacts("", project.version_facts.of(one.key).place, True))
    first, *rest = history_of(project, key).versions
    assert all(one.reused is None and "trained or chose" in one.why for one in rest)
    project.version_facts.keep(third.key, VersionFacts("", 3, False))
    last = history_of(project, key).versions[-1]
    assert last.before == "v1.csv"
    assert first.reused.estimate != alone.reused.estimate  # which the second version helped


def test_a_version_is_judged_again_only_when_labels_or_the_versions_that_help_have_changed(
    project, key, labeled, say, monkeypatch
):
    second = add_version(project, key, other(2, 0.06, "v2"))
    asked, judge = [], version_history.reuse_labels
    monkeypatch.setattr(
        version_history, "reuse_labels", lambda *given, **more: asked.append(1) or judge(*given, **more)
    )
    kept, reports = {}, []

    def judged(**more) -> tuple[int, list]:
        asked.clear()
        found = history_of(project, key, judged_before=kept, **more).versions
        return len(asked), [(one.version.name, one.before, one.reused.estimate) for one in found]

    assert judged(only=[second.key])[0] == 1
    first = judged(progress=lambda done, total, what: reports.append((done, total, what)))
    assert (first[0], reports) == (1, [(0, 2, "version 1 of 2: v1.csv"), (1, 2, "version 2 of 2: v2")])
    project.version_facts.keep(key, VersionFacts("week 1", 1, False))
    numbers = [one[2] for one in first[1]]
    assert judged() == (0, [("week 1", "", numbers[0]), ("v2", "week 1", numbers[1])])
    labeled.record([say(labeled.draws[0].row, (TRUTH[labeled.draws[0].row] + 1) % 4)])
    assert judged()[0] == 2
    assert len(kept) == 2  # what other labels said is gone
    add_version(project, key, other(3, 0.04, "v3"))
    assert judged()[0] == 3


def test_labels_of_a_deleted_subject_live_on_until_they_are_to_go_too(project, key, labeled):
    dataset = project.dataset_of(key)
    delete_subject(project, key)
    assert len(project.known_labels.of(dataset)) == 100
    assert not project.sessions()
    again = project.add_table("v1.csv", table(*model(1, 0.12)))
    second = add_version(project, again.key, other(2, 0.06, "v2"))
    assert history_of(project, second.key).versions[1].reused.labeled == 100
    delete_subject(project, second.key)
    delete_subject(project, again.key, labels_too=True)
    assert len(project.known_labels.of(dataset)) == 100  # of a session that is not the subject's any more
    project.known_labels.forget([labeled.session_record.id])
    assert project.known_labels.of(dataset) == []


def test_a_subject_whose_inputs_a_version_shows_is_not_deleted(project, key):
    add_version(project, key, other(2, 0.06, "v2"))
    with pytest.raises(BadInput, match="'v2' shows its inputs by this test set"):
        delete_subject(project, key)


def test_imported_labels_check_the_others_and_stand_in_no_estimate(project, key, labeled):
    before = history_of(project, key)
    drawn = [draw.row for draw in labeled.draws[:10]]
    brought = {row: CLASSES[TRUTH[row]] for row in range(SIZE)} | {drawn[0]: CLASSES[(TRUTH[drawn[0]] + 1) % 4]}
    assert import_labels(project.known_labels, project.dataset_of(key), brought, "another tool", "2026-01-01") == SIZE
    after = history_of(project, key)
    assert after.versions[0].reused == before.versions[0].reused
    assert (after.imported, after.agreeing) == (100, 99)
    assert len(after.labels) == SIZE
    assert after.labels[drawn[0]].source == "drawn"


@pytest.mark.parametrize("purpose", ["accuracy", "difference"])
def test_a_top_up_is_a_session_that_asks_what_is_unknown_and_makes_its_number_sharper(
    project, key, labeled, say, purpose
):
    second = add_version(project, key, other(2, 0.10, "v2"))
    before = history_of(project, key).versions[1].reused
    session = start_top_up(project, second.key, purpose, 20)
    assert is_top_up(session.session_record)
    rows = [draw.row for draw in session.draws]
    assert len(set(rows)) == 20
    assert not set(rows) & set(labeled.answers())
    if purpose == "difference":
        apart = model(1, 0.12)[0] != model(2, 0.10)[0]
        assert all(apart[row] for row in rows)
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    again = Project(project.folder)
    found = history_of(again, key).versions[1].reused
    assert found.headline == "fixed"
    if purpose == "accuracy":
        assert found.labeled == 120
        assert found.estimate.high - found.estimate.low < before.estimate.high - before.estimate.low
    else:
        assert found.differing_labeled == before.differing_labeled + 20
        assert found.difference.high - found.difference.low < before.difference.high - before.difference.low


def test_a_version_with_another_class_and_a_top_up_without_labels_are_refused_in_a_sentence(project, key):
    said, sure = model(2, 0.06)
    with pytest.raises(BadInput, match=r"predicts a class that 'v1\.csv' does not have, first for input 0"):
        add_version(project, key, OtherModel("v2", np.where(np.arange(SIZE) == 0, -1, said), sure))
    with pytest.raises(BadInput, match="nothing to add to"):
        start_top_up(project, key, "accuracy", 10)


def test_a_plan_that_was_extended_while_watching_has_the_stop_safe_interval_for_every_version(
    project, key, labeled, say
):
    labeled.extend(20, "tester")
    label_all(labeled, say, dict(enumerate(TRUTH.tolist())))
    add_version(project, key, other(2, 0.06, "v2"))
    assert [one.reused.headline for one in history_of(project, key).versions] == ["always", "always"]


def test_a_plan_or_a_top_up_that_is_only_begun_takes_no_number_away(project, key, labeled, say):
    second = add_version(project, key, other(2, 0.06, "v2"))
    before = history_of(project, key).versions[1].reused
    more = start_top_up(project, second.key, "difference", 20)
    fresh = project.start_session(key, Request("rrs", 60, seed=9))
    for session in (more, fresh):
        session.record([say(draw.row, int(TRUTH[draw.row])) for draw in session.upcoming(3)])
    assert history_of(project, key).versions[1].reused == before


def test_while_the_only_plan_is_being_labeled_the_stop_safe_interval_counts(project, key, say):
    session = project.start_session(key, Request("rrs", 60, seed=9))
    session.record([say(draw.row, int(TRUTH[draw.row])) for draw in session.upcoming(3)])
    [one] = history_of(project, key).versions
    assert (one.reused, one.why) == (None, NO_PLAN)
    session.record([say(draw.row, int(TRUTH[draw.row])) for draw in session.upcoming(37)])
    [one] = history_of(project, key).versions
    assert (one.reused.labeled, one.reused.headline) == (40, "always")


def test_answers_of_a_project_made_before_join_the_labels_of_its_inputs(tmp_path):
    shutil.copytree(BEFORE, tmp_path / "project")
    project = Project(tmp_path / "project")
    of_tables = {r.subject for r in project.sessions() if r.subject.startswith("table-")}
    joined = 0
    for key in of_tables:
        keep_labels_of(project, key)
        kept = project.known_labels.of(project.dataset_of(key))
        for record in (one for one in project.sessions() if one.subject == key):
            session = project.session(record.id)
            if session.inputs.task.kind != "classification":
                continue
            classes = session.inputs.task.classes
            answers = {row: classes[answer] for row, answer in session.answers().items()}
            mine = [one for one in kept if one.session == record.id and one.row in answers]
            source = "drawn" if session.selector.design.at_random else "explored"  # chosen inputs stand for no others
            assert {(one.row, one.answer, one.source) for one in mine} == {(*pair, source) for pair in answers.items()}
            joined += len(answers)
    assert joined > 100


def test_the_list_of_subjects_has_versions_together_named_and_in_their_order(project, key, labeled):
    second = add_version(project, key, other(2, 0.06, "v2"))
    third = add_version(project, key, other(3, 0.05, "v3"))
    project.version_facts.keep(third.key, VersionFacts("the one of May", 2))
    project.version_facts.keep(second.key, VersionFacts("", 3))
    alone = project.add_table("another.csv", table(*model(9, 0.2)))
    found = families(project)
    assert [[one.name for one in family.members] for family in found] == [
        ["another.csv"],
        ["v1.csv", "the one of May", "v2"],
    ]
    assert [one.key for one in versions_of(project, key)] == [one.entry.key for one in found[1].members]
    assert found[0].members[0].entry.key == alone.key


def test_a_demo_stands_in_the_list_with_the_versions_that_were_added_to_it(tmp_path, demo_ready):
    project = Project(demo_ready("digits", tmp_path / "project"))
    assert families(project) == []
    truth = project.inputs("digits").truth
    add_version(project, "digits", OtherModel("exact", truth.astype(np.intp), None))
    assert [[one.name for one in family.members] for family in families(project)] == [["Handwritten digits", "exact"]]
