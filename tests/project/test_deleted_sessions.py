"""Sessions that are named, deleted and put back: nothing is lost for 30 days, and then all of it."""

from datetime import UTC, datetime, timedelta

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.bundle import import_bundle, write_bundle
from testimate.project.deleted import (
    delete_session,
    delete_subject,
    deleted_sessions,
    name_session,
    put_back,
    remove_overdue,
)
from testimate.project.kept_labels import keep_labels_of
from testimate.project.project import Project
from tests.project.test_project import TABLE, answer


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def labeled(project):
    """A session of six answers."""
    session = project.start_session(project.add_table("mine.csv", TABLE).key, Request("srs", budget=10, seed=1))
    for number, draw in enumerate(session.upcoming(6)):
        answer(session, draw.row, number)
    return session


def test_a_deleted_session_is_in_no_list_and_comes_back_to_the_last_answer(project, labeled):
    name = labeled.session_record.id
    estimate = labeled.estimate()
    name_session(project, name, "  the night \n shift 🌙 ", "Ann")
    delete_session(project, name, "Ann")
    another_process = Project(project.folder)
    assert another_process.sessions() == []
    with pytest.raises(BadInput, match=r"was deleted on .* Put it back under Project"):
        another_process.session(name)
    [gone] = deleted_sessions(another_process)
    assert (gone.record.id, gone.deletion.tester) == (name, "Ann")
    put_back(another_process, name, "Ben")
    assert deleted_sessions(another_process) == []
    assert another_process.session(name).estimate() == estimate
    assert another_process.session_changes.names() == {name: "the night shift 🌙"}


def test_an_answer_that_comes_after_the_deletion_is_stored_and_there_when_the_session_is_back(project, labeled):
    name = labeled.session_record.id
    row = labeled.upcoming(1)[0].row
    delete_session(Project(project.folder), name, "Ann")
    labeled.record([Event("late", "answer", row, "tester", "2026-11-20T10:00:00+00:00", 1)])
    put_back(project, name, "Ann")
    assert len(Project(project.folder).session(name).answers()) == 7


def test_it_is_removed_for_good_after_thirty_days_and_not_before(project, labeled):
    name = labeled.session_record.id
    delete_session(project, name, "Ann")
    now = datetime.now(UTC)
    assert remove_overdue(project, now + timedelta(days=29, hours=23)) == []
    assert len(deleted_sessions(project)) == 1
    assert remove_overdue(project, now + timedelta(days=30, hours=1)) == [name]
    assert deleted_sessions(project) == []
    assert project.store.count(name) == 0
    with pytest.raises(BadInput, match="There is no session"):
        put_back(project, name, "Ann")


@pytest.mark.parametrize(("labels_too", "known"), [(False, 6), (True, 0)])
def test_what_its_labels_say_of_the_inputs_stays_known_unless_they_go_too_and_comes_back_with_it(
    project, labeled, labels_too, known
):
    record = labeled.session_record
    dataset = project.dataset_of(record.subject)
    delete_session(project, record.id, "Ann", labels_too=labels_too)
    keep_labels_of(project, record.subject)
    assert project.known_labels.count(dataset) == known
    put_back(project, record.id, "Ann")
    keep_labels_of(project, record.subject)
    assert project.known_labels.count(dataset) == 6


def test_its_bundle_is_not_taken_in_a_second_time_while_it_can_be_put_back(project, labeled):
    bundle = write_bundle(labeled)
    delete_session(project, labeled.session_record.id, "Ann")
    with pytest.raises(BadInput, match="Put it back"):
        import_bundle(project, bundle)


def test_a_subject_takes_its_deleted_sessions_with_it(project, labeled):
    delete_session(project, labeled.session_record.id, "Ann")
    delete_subject(project, labeled.session_record.subject)
    assert project.store.records() == []


@pytest.mark.parametrize("name", ["اختبار الليل", "夜の部", "👩‍🔬 a family: 👨‍👩‍👧", "می‌خواهم", "n" * 120])
def test_a_name_in_any_script_is_kept_letter_by_letter(project, labeled, name):
    name_session(project, labeled.session_record.id, name, "Ann")
    assert project.session_changes.names() == {labeled.session_record.id: name}
    name_session(project, labeled.session_record.id, "", "Ann")
    assert project.session_changes.names() == {}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("n" * 300, "300 characters. Expected at most 120"),
        ("turned \u202egnp.exe", r"invisible character U\+202E"),
        ("null \x00", r"U\+0000"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused_and_the_one_before_stays(project, labeled, name, why):
    name_session(project, labeled.session_record.id, "before", "Ann")
    with pytest.raises(BadInput, match=why):
        name_session(project, labeled.session_record.id, name, "Ann")
    assert project.session_changes.names() == {labeled.session_record.id: "before"}
