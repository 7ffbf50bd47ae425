"""One row per answer: agreement computed from the file is what the app shows, and a file of labels has one row per input."""

import csv
import io
import itertools
from collections import defaultdict

import pyarrow.parquet as pq
import pytest
from sklearn.metrics import cohen_kappa_score

from testimate.labels.agreement import agreement_of
from testimate.reports.exports import labels_csv
from testimate.reports.people import votes_csv, votes_parquet, votes_table
from testimate.reports.votes_import import votes_from_csv

TEAM = ("Ann", "Bob", "Cid")


@pytest.fixture
def disputed(open_session, inputs, say):
    """Three testers on 40 inputs by rra; each errs in a pattern of their own, and a lead settles one dispute."""
    session = open_session("rra", 40, votes_per_input=3)
    for number, row in enumerate([draw.row for draw in session.draws]):
        for place, name in enumerate(TEAM):
            right = int(inputs.truth[row])
            answer = None if number % 13 == 12 else (right + (place if number % (5 + place) == 0 else 0)) % 4
            session.record([say(row, answer, tester=name)])
    [first, *_] = session.disputed()
    session.record([say(first, 3, tester="Lea", kind="adjudication")], lead=True)
    return session


def lines_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_every_answer_is_a_row_and_every_input_has_one_label(disputed):
    votes, labels = lines_of(votes_csv(disputed)), lines_of(labels_csv(disputed))
    assert len(votes) == 3 * len(labels) == 120
    assert {line["tester"] for line in votes} == set(TEAM)
    assert [line["row"] for line in votes[::3]] == [line["row"] for line in labels]
    assert {int(line["round"]) for line in votes} == {1, 2, 3, 4}
    by_lead = {line["row"] for line in votes if line["settled by"]}
    assert by_lead == {str(row) for row in disputed.adjudicated()}
    standing = {line["row"]: line["answer"] for line in labels}
    for line in votes:
        assert (line["counts"] == "True") == (line["answer"] == standing[line["row"]] and line["answer"] != "") or (
            line["answer"] == "" == standing[line["row"]]
        )


def test_agreement_from_the_file_is_what_the_app_shows_to_the_digit(disputed):
    shown = agreement_of(disputed.votes())
    said = defaultdict(dict)
    for line in lines_of(votes_csv(disputed)):
        if line["answer"]:
            said[int(line["row"])][line["tester"]] = line["answer"]
    from_file = agreement_of(said)
    assert (from_file.alpha, from_file.agreement, from_file.fleiss) == (shown.alpha, shown.agreement, shown.fleiss)
    pairs = list(itertools.combinations(TEAM, 2))
    for pair, (one, other) in zip(shown.pairs, pairs, strict=True):
        both = [(given[one], given[other]) for given in said.values() if one in given and other in given]
        outside = cohen_kappa_score(*zip(*both, strict=True))
        assert (pair.first, pair.second) == (one, other)
        assert pair.kappa == pytest.approx(outside, abs=1e-12)


def test_the_votes_come_back_as_votes_and_parquet_holds_the_same(disputed, tmp_path):
    back = votes_from_csv(votes_csv(disputed).encode(), disputed.inputs.task)
    given = {(row, who): answer for row, votes in disputed.votes().items() for who, answer in votes.items()}
    assert {(event.row, event.tester): event.answer for event in back} == given
    (tmp_path / "votes.parquet").write_bytes(votes_parquet(disputed))
    assert pq.read_table(tmp_path / "votes.parquet").to_pylist() == votes_table(disputed)
