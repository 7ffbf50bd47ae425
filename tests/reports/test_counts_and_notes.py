"""One set of words for what became of a plan's inputs, and notes of flags, in every place that shows them."""

import csv
import html
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.reports.exports import faults_csv, label_studio_json, labels_csv, labels_table
from testimate.reports.live import live
from testimate.reports.report import report_html
from testimate.reports.votes_import import votes_from_csv
from testimate.reports.words import counts_words, done_words, standing_words
from testimate.session.session import Counts
from testimate.tasks.classification import MultiLabel
from testimate.tasks.regression import Regression


def test_answered_cannot_tell_skipped_and_to_do_add_up_and_the_export_and_the_report_say_the_same(
    open_session, say, inputs
):
    session = open_session("srs", 20)
    rows = [draw.row for draw in session.upcoming(12)]
    session.record([say(row, int(inputs.truth[row])) for row in rows[:6]])
    session.record([say(rows[6]), say(rows[7]), say(rows[8], kind="skip"), say(rows[9], 1), say(rows[9], kind="undo")])
    session.record([say(rows[0], kind="undo"), say(rows[0], 2)])
    assert session.counts() == Counts(answered=6, cannot_tell=2, skipped=1, not_settled=0, to_do=11)
    assert session.counts().drawn == session.planned == 20
    words = "20 drawn: 6 answered, 2 can't tell, 1 skipped, 11 to do"
    assert counts_words(live(session).counts) == words
    report = report_html(session)
    assert words in html.unescape(report)
    assert '<td>Ann</td><td class="number">6</td><td class="number">2</td><td class="number">2</td>' in report
    states = [record["state"] for record in labels_table(session)]
    assert sorted(states) == ["answered"] * 6 + ["cannot tell"] * 2 + ["skipped"]
    assert done_words(Counts(54, 6, 0, 0, 0)).startswith("All planned inputs are done (54 answered, 6 can't tell).")


def test_a_note_is_read_in_the_report_and_in_every_export_and_is_no_formula(open_session, say, inputs):
    session = open_session("srs", 300)
    wrong = int(np.flatnonzero(inputs.losses)[0])
    note = "=1+1 <b>blurred</b>"
    session.record([say(wrong, kind="flag", detail={"note": note}), say(wrong, int(inputs.truth[wrong]))])
    assert (
        report_html(session).count("Ann: =1+1 &lt;b&gt;blurred&lt;/b&gt;") == 2
    )  # at the fault, and among the flagged
    for text in (labels_csv(session), faults_csv(session)):
        [line] = csv.DictReader(io.StringIO(text))
        assert line["notes"] == f"'{note}"
    [task] = json.loads(label_studio_json(session))
    assert task["data"]["notes"] == [f"Ann: {note}"]


def test_none_of_the_classes_is_a_word_that_an_export_brings_back_and_cannot_tell_is_another(open_session, say, inputs):
    sets = np.zeros((300, 3), np.uint8)
    task = MultiLabel(("cat", "dog", "owl"))
    of = replace(inputs, task=task, predictions=sets, truth=sets, losses=np.zeros(300), training=None, scores={})
    session = open_session("srs", 300, of=of)
    first, second, third = (draw.row for draw in session.upcoming(3))
    session.record([say(first, []), say(second), say(third, [0, 2])])
    table = {record["row"]: (record["state"], record["answer"]) for record in labels_table(session)}
    assert table == {first: ("answered", "none"), second: ("cannot tell", ""), third: ("answered", "cat, owl")}
    back = {vote.row: (vote.kind, vote.answer) for vote in votes_from_csv(labels_csv(session).encode(), task)}
    assert back == {first: ("answer", []), second: ("cannot tell", None), third: ("answer", [0, 2])}
    assert MultiLabel(("none", "dog")).answer_text([]) == "none of the classes"


def test_a_set_of_all_two_hundred_labels_is_whole_in_the_export_that_brings_it_back_and_in_the_report(
    open_session, say, inputs
):
    names = tuple(f"label {place}" for place in range(200))
    sets = np.zeros((300, 200), np.uint8)
    task = MultiLabel(names)
    of = replace(inputs, task=task, predictions=sets, truth=sets, losses=np.zeros(300), training=None, scores={})
    session = open_session("srs", 300, of=of)
    [draw] = session.upcoming(1)
    session.record([say(draw.row, list(range(200)))])
    [record] = labels_table(session)
    assert record["answer"] == ", ".join(names)
    [vote] = votes_from_csv(labels_csv(session).encode(), task)
    assert (vote.row, vote.answer) == (draw.row, list(range(200)))
    assert ", ".join(names) in report_html(session)


def test_where_everything_is_labeled_the_sentence_says_exactly(open_session, say, inputs):
    session = open_session("srs", 300)
    session.record([say(draw.row, int(inputs.truth[draw.row])) for draw in session.upcoming(300)])
    share = f"{100 * (1 - inputs.losses.mean()):.1f}%"
    assert standing_words(session, session.estimate(), "", 0, None).startswith(f"Exactly {share} of the 300 inputs")


def test_numbers_in_a_file_of_votes_are_read_as_typed_ones_are():
    task = Regression(tolerance=1.0)

    def read(cell: str) -> float:
        [vote] = votes_from_csv(f'row,answer\n3,"{cell}"\n'.encode(), task)
        return vote.answer

    assert [read(cell) for cell in ("12 500,75", "−1.25", "1e-07", "710437.0")] == [12500.75, -1.25, 1e-07, 710437]
    for cell, why in (("450,000", "could be"), ("0x10", "not a number"), ("nan", "not a number"), ("7" * 400, "40")):
        with pytest.raises(BadInput, match="Line 2 of the votes has the answer") as refused:
            read(cell)
        assert why in str(refused.value)
