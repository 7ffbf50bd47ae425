"""The Label page when its data changed or went, its database is away, or the team has nothing left for a tester."""

import re
from pathlib import Path

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from testimate.core.errors import StoreUnavailable
from testimate.core.selector import Request
from testimate.core.session_record import Event, Tester
from testimate.core.words import commas, percent
from testimate.labels import SqlStore
from testimate.project.project import Project
from testimate.reports.explained_words import place_words
from testimate.reports.live import live
from testimate.ui.current_project import project as opened_project
from testimate.ui.label.labeling import next_draws
from tests.pages.page_parts import reveal_truth

ROOT = Path(__file__).parents[2]


def rows(classes: int = 3) -> bytes:
    """A table of 60 inputs; every fifth is wrong."""
    lines = [f"{row % classes},{(row + (row % 5 == 4)) % classes},0.{60 + row % 40}" for row in range(60)]
    return "\n".join(["label,prediction,confidence", *lines]).encode()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TESTIMATE_PROJECT", str(tmp_path / "project"))
    monkeypatch.chdir(ROOT)
    return tmp_path / "project"


def planned(folder, budget=20, **settings):
    """A session over the table, as another process planned it, with a first label."""
    project = Project(folder)
    subject = project.add_table("rows.csv", rows())
    session = project.start_session(subject.key, Request("srs", budget, seed=1), **settings)
    if not settings:
        said(session, session.draws[0].row, 1)
    return subject.key, session


def said(session, row, answer, tester="tester", name="vote"):
    event = Event(f"{name}-{tester}-{row:04}", "answer", row, tester, "2026-11-20T10:00:00+00:00", answer, seconds=2.0)
    assert session.record([event]).acknowledged


def label_page(**params):
    test = AppTest.from_file(str(ROOT / "pages" / "label.py"), default_timeout=60)
    for name, value in params.items():
        test.query_params[name] = value
    return test.run()


@pytest.mark.parametrize("change", ["another class", "another order of the rows", "gone"])
def test_a_table_that_changed_under_a_session_is_told_and_its_labels_stay(folder, change):
    key, session = planned(folder)
    table = folder / "subjects" / key / "table"
    if change == "gone":
        table.unlink()
    elif change == "another class":
        table.write_bytes(rows(classes=4))
    else:
        head, *lines = rows().splitlines()
        table.write_bytes(b"\n".join([head, *lines[::-1]]))
    test = label_page(subject=key, session=session.session_record.id)
    assert not test.exception
    assert not test.metric  # no number about other data
    [error] = test.error
    assert (
        "gone from the project folder" if change == "gone" else "its plans and labels are for the earlier ones"
    ) in error.value.replace("\\", "")
    [kept] = SqlStore(f"sqlite:///{folder / 'labels.sqlite'}").history(session.session_record.id)
    assert (kept.row, kept.answer) == (session.draws[0].row, 1)
    table.write_bytes(rows())
    again = label_page(subject=key, session=session.session_record.id)
    assert not again.error
    assert again.metric


def test_an_answer_while_the_database_is_away_says_so_and_the_page_stays_up(folder):
    key, session = planned(folder)
    test = label_page(subject=key, session=session.session_record.id)
    test.toggle(key="plain buttons").set_value(True).run()
    row = session.draws[1].row
    file, aside = folder / "labels.sqlite", folder / "aside"
    file.rename(aside)
    test.button(key=f"fallback {row} class 2").click().run()
    assert not test.exception
    assert any("is gone" in error.value for error in test.error)
    assert test.metric
    aside.rename(file)
    test.button(key=f"fallback {row} class 2").click().run()
    assert not test.exception
    assert not test.error
    session.refresh()
    assert session.answers()[row] == 2


def test_what_another_process_stores_after_an_answer_of_this_page_is_there_at_the_next_look(folder):
    key, session = planned(folder)
    test = label_page(subject=key, session=session.session_record.id)
    test.toggle(key="plain buttons").set_value(True).run()
    test.button(key=f"fallback {session.draws[1].row} class 2").click().run()
    assert any("2 of 20" in one.value for one in test.markdown)
    said(session, session.draws[2].row, 1)
    test.run()
    assert any("3 of 20" in one.value for one in test.markdown)


def test_a_team_whose_tester_has_no_turn_left_reads_what_is_waited_for(folder, monkeypatch):
    monkeypatch.setenv("TESTIMATE_TEAM", "yes")
    key, session = planned(folder, budget=2, votes_per_input=2)
    Project(folder).testers.add("Ann", "long enough")
    for draw in session.draws:
        said(session, draw.row, 1, "Ann")
    test = label_page(subject=key, session=session.session_record.id)
    test.text_input[0].set_value("Ann")
    test.text_input[1].set_value("long enough")
    test.button[0].click().run()
    test.toggle(key="plain buttons").set_value(True).run()
    words = r"You are done\: 2 inputs need another tester\."  # as Markdown
    assert [info.value for info in test.info] == [words]


def test_the_exact_ratios_stand_beside_the_running_ones_where_the_truth_is_known(folder):
    key, session = planned(folder)
    truth = session.inputs.truth
    for draw in session.draws[1:15]:
        said(session, draw.row, int(truth[draw.row]))
    test = label_page(subject=key, session=session.session_record.id)
    assert not any("exact" in metric.delta for metric in test.metric)
    reveal_truth(test)
    by_name = {metric.label: metric for metric in test.metric}
    exact = live(session).exact
    assert exact is not None
    assert by_name["Found early (WFDR)"].delta == f"exact {percent(exact.wfdr)}"
    assert by_name["Severe first (SFDR)"].delta == f"exact {percent(exact.sfdr)}"


def test_its_cluster_is_shown_on_request_without_what_the_network_says(project, opened):
    session = project.start_session("digits", Request("srs", 20, seed=1))
    row = session.draws[0].row
    test = opened("label", subject="digits", session=session.session_record.id)
    opened_project().clusters("digits")
    test.toggle(key="show its cluster").set_value(True).run()
    assert not test.exception
    view = project.clusters("digits")
    sentences = [one.value.replace("\\", "") for one in test.markdown if one.value.startswith("Input ")]
    assert sentences == [f"Input {commas(row)}: {place_words(view, row)}."]
    card = view.cards[view.labels[row]]
    captions = [re.sub(r"[\\,]", "", one.value) for one in test.caption]
    named = [int(words) for words in captions if words.isdigit()]
    assert sorted(named) == sorted([*card.prototypes.tolist(), *card.criticisms.tolist()])
    assert "sure" not in sentences[0]


def test_a_subject_without_features_has_no_cluster_to_show(folder):
    key, session = planned(folder)
    test = label_page(subject=key, session=session.session_record.id)
    test.toggle(key="show its cluster").set_value(True).run()
    assert not test.exception
    assert any("no features" in caption.value for caption in test.caption)


def test_while_turns_cannot_be_taken_nobody_is_shown_again_what_they_have_answered(folder, monkeypatch):
    _, session = planned(folder, votes_per_input=1)
    monkeypatch.setattr(streamlit, "session_state", {})
    ann = Tester("Ann", "tester")
    before, trouble = next_draws(session, ann)
    assert (len(before), trouble) == (8, "")

    def away(*_, **__):
        raise StoreUnavailable("The labels cannot be reached: nothing listens there. Start the database server.")

    monkeypatch.setattr(SqlStore, "take_turns", away)  # the answers are stored, then the database goes
    for draw in before[:7]:
        said(session, draw.row, 1, tester="Ann")
    kept, trouble = next_draws(session, ann)
    assert "nothing listens there" in trouble
    assert [draw.row for draw in kept] == [before[7].row]


def test_label_in_a_new_tab_opens_the_only_session(folder):
    key, session = planned(folder)
    test = label_page()
    assert not test.exception
    assert test.query_params["session"] == session.session_record.id
    Project(folder).start_session(key, Request("srs", 10, seed=2))
    assert label_page().query_params["session"] == session.session_record.id  # the only one that is open


def test_label_in_a_new_tab_chooses_none_of_several_sessions(folder):
    key, _ = planned(folder)
    Project(folder).start_session(key, Request("srs", 10, seed=2))
    test = label_page()
    assert any("No labeling session is open" in one.value for one in [*test.markdown, *test.info])
