"""What a session exports: the terminal makes the same estimate of it, to the digit, and a reader sees how each row came in."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from testimate import open_subject
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.spreadsheet_cells import quoted
from testimate.planning.plan import continue_plan, inputs_of_plan, plan_of_json, read_plan
from testimate.reports.exports import labels_csv, labels_parquet, labels_table, plan_json
from testimate.reports.votes_import import add_votes, votes_from_csv
from testimate.selectors import SELECTORS, with_honest_interval
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

BALANCE = {"zones": 12, "exploit": 8, "eps_start": 0.3, "eps_end": 0.05}
KNOWN = {
    "size",
    "scores",
    "scores_are_chances",
    "features",
    "confidence",
    "doubt",
    "training_scores",
    "training_losses",
}
"""What is known of the inputs of these tests."""

FORMS = {name: (name, {}) for name in SELECTORS if KNOWN.issuperset(SELECTORS[name].needs)}
FORMS["rra, balance"] = ("rra", BALANCE)


def label(session, say, count, unsure=(), put_off=()) -> None:
    """Labels the next inputs by the truth, some at a time; of the ``unsure`` ones nobody can tell, others are put off."""
    number = 0
    while number < count and (upcoming := session.upcoming(min(12, count - number))):
        events = []
        for draw in upcoming:
            answer = None if number in unsure else session.inputs.truth[draw.row].tolist()
            events.append(say(draw.row, kind="skip") if number in put_off else say(draw.row, answer))
            number += 1
        session.record(events)


def at_the_terminal(session, folder, command) -> dict:
    """What `testimate estimate` makes of the exported files."""
    (folder / "plan.json").write_text(json.dumps(plan_json(session)))
    (folder / "votes.csv").write_text(labels_csv(session))
    found = json.loads(command.ok("estimate", folder / "plan.json", folder / "votes.csv", "--json", "-"))
    beside = ("skips", "computed_anew", "errors", "measure", "headline")
    return {name: value for name, value in found.items() if name not in beside}


def settled_estimate(session, say):
    """The session's estimate, once there are labels enough for one."""
    for _ in range(100):
        try:
            return session.estimate()
        except NotEnoughLabels:
            label(session, say, 1)
    raise AssertionError("a hundred labels more and still no estimate")


@pytest.mark.parametrize(
    ("form", "count"), [*((form, 77) for form in FORMS), ("rra", 33), ("rra, balance", 33), ("ssoa-r-p", 33)]
)
def test_the_terminal_estimates_an_exported_session_to_the_same_digits(
    form, count, open_session, say, tmp_path, command
):
    technique, options = FORMS[form]
    session = open_session(technique, budget=120, options=options)
    label(session, say, count, unsure=(3, 31), put_off=(5, count - 1))  # the last input reached is one put off
    changed = session.draws[2].row
    truth = int(session.inputs.truth[changed])
    session.record([say(changed, (truth + 1) % 4), say(changed, kind="undo"), say(changed, (truth + 2) % 4)])
    session.record([say(session.draws[1].row, kind="undo")])
    session.record([say(row, 0, stream="exploration") for row in (7, session.draws[0].row)])
    expected = settled_estimate(session, say)
    shown = with_honest_interval(expected, technique)
    assert at_the_terminal(session, tmp_path, command) == shown.to_json()
    assert expected.skipped >= 1


@pytest.mark.parametrize("form", [form for form, (name, _) in FORMS.items() if SELECTORS[name].adapts])
def test_an_exported_plan_keeps_what_its_technique_was_told_and_goes_on_with_it(
    form, open_session, say, inputs, tmp_path, command
):
    technique, options = FORMS[form]
    session = open_session(technique, budget=120, options=options)
    label(session, say, 50, unsure=(4,))
    at_the_terminal(session, tmp_path, command)
    plan = read_plan(tmp_path / "plan.json")
    assert dict(plan.told) == session.told
    assert len(plan.told) == len({verdict.draw.row for verdict in session.verdicts()})
    again = continue_plan(inputs, plan, ())  # no votes: from the outcomes in the plan alone
    assert (again.draws, again.design) == (session.draws, session.selector.design)


def other_task(kind: str, inputs: Inputs) -> Inputs:
    """The same 300 inputs as another task."""
    rng = np.random.default_rng(8)
    if kind == "regression":
        task, predictions = Regression(tolerance=0.3, unit="degrees"), rng.normal(size=300)
        truth = predictions + rng.normal(size=300) * (0.1 + inputs.scores["confidence"])
        losses = task.losses(predictions, truth)
        return Inputs("r" * 32, task, predictions, scores=inputs.scores, truth=truth, losses=losses)
    if kind == "top-k":
        top = Classification(("a", "b", "c", "d"), top_k=2)
        ordered = np.argsort(rng.random((300, 4)), axis=1)[:, :2]
        truth = np.where(inputs.losses == 0, ordered[:, 1], (ordered.sum(axis=1) + 1) % 4)
        losses = top.losses(ordered, truth)
        return Inputs("t" * 32, top, ordered, inputs.confidence, scores=inputs.scores, truth=truth, losses=losses)
    many = MultiLabel(("a", "b", "c"))
    sets = (rng.random((300, 3)) < 0.5).astype(np.uint8)
    truth = np.where((inputs.losses > 0)[:, None], 1 - sets, sets)
    return Inputs(
        "m" * 32,
        many,
        sets,
        inputs.confidence,
        scores=inputs.scores,
        truth=truth,
        losses=many.losses(sets, truth),
    )


@pytest.mark.parametrize("kind", ["regression", "top-k", "multi-label"])
def test_the_other_tasks_too_are_estimated_to_the_same_digits(kind, inputs, open_session, say, tmp_path, command):
    of = other_task(kind, inputs)
    session = open_session("ssrs" if kind == "regression" else "rra", budget=90, of=of)
    for number in range(6):
        answers = [
            np.flatnonzero(of.truth[draw.row]).tolist() if kind == "multi-label" else of.truth[draw.row].item()
            for draw in session.upcoming(10)
        ]
        answers[number] = None
        rows = [draw.row for draw in session.upcoming(10)]
        session.record([say(row, answer) for row, answer in zip(rows, answers, strict=True)])
    assert at_the_terminal(session, tmp_path, command) == session.estimate().to_json()
    record = labels_table(session)[1]
    row = record["row"]
    if kind == "top-k":
        assert record["prediction"] == ", ".join("abcd"[place] for place in of.predictions[row])
    if kind == "regression":
        assert float(record["answer"]) == of.truth[row]


def test_every_export_marks_the_exploit_picks_as_such(open_session, say):
    session = open_session("rra", budget=120, options=BALANCE)
    label(session, say, 40)
    picked = {draw.row for draw in session.draws[:40] if draw.exploit}
    assert len(picked) == 16
    of_csv = {
        int(line["row"]) for line in csv.DictReader(io.StringIO(labels_csv(session))) if line["pick"] == "exploit"
    }
    of_parquet = {
        line["row"]
        for line in pq.read_table(io.BytesIO(labels_parquet(session))).to_pylist()
        if line["pick"] == "exploit"
    }
    of_json = {draw["row"] for draw in plan_json(session)["draws"][:40] if draw["exploit"]}
    of_reasons = {line["row"] for line in labels_table(session) if line["why"].startswith("exploit: ")}
    assert of_csv == of_parquet == of_json == of_reasons == picked


@pytest.mark.parametrize(("technique", "pick"), [("srs", "at random"), ("pace", "chosen")])
def test_a_row_that_was_drawn_or_chosen_is_marked_so(technique, pick, open_session, say):
    session = open_session(technique, budget=40)
    label(session, say, 5)
    assert {line["pick"] for line in labels_table(session)} == {pick}


@each("number", ["-0.25", "-1.5e-07", "-3"])
def test_a_negative_number_is_no_formula(number):
    assert quoted(number) == number
    assert quoted(f"{number}+cmd") == f"'{number}+cmd"


def lines_of(session):
    """The exported lines by row: who is said to have voted, when, in how long, the answer and the loss."""
    names = ("tester", "at", "seconds", "answer", "loss")
    return {int(line["row"]): tuple(map(line.get, names)) for line in csv.DictReader(io.StringIO(labels_csv(session)))}


def imported(session, open_session, **settings):
    """Another session of the same plan, into which the export was taken."""
    again = open_session(session.session_record.request.technique, 40, id="again", **settings)
    add_votes(again, votes_from_csv(labels_csv(session).encode(), session.inputs.task))
    return again


def loss_of(session, row, answer):
    return str(float(session.inputs.predictions[row] != answer))


def test_a_team_s_line_names_who_gave_the_answer_that_stands_and_comes_back_as_that_vote(open_session, say):
    session = open_session("srs", 40, votes_per_input=3)
    outvoted, changed, settled = (draw.row for draw in session.draws[:3])
    for row, said in (
        (outvoted, (("Ann", 1), ("Bob", 1), ("Cy", 2))),
        (changed, (("Ann", 2), ("Bob", 1), ("Cy", 0), ("Ann", 1))),
        (settled, (("Ann", 0), ("Bob", 1), ("Cy", 2))),
    ):
        session.record([say(row, answer, tester=who, seconds=float(answer)) for who, answer in said])
    word = say(settled, 3, kind="adjudication", tester="Lea", at="2024-05-02T10:00:00Z", seconds=9.0)
    session.record([word, say(settled, 1, tester="Ann")], lead=True)
    day = "2024-05-01T10:00:00Z"
    assert lines_of(session) == {
        outvoted: ("Bob", day, "1.0", "b", loss_of(session, outvoted, 1)),
        changed: ("Ann", day, "1.0", "b", loss_of(session, changed, 1)),
        settled: ("Lea", "2024-05-02T10:00:00Z", "9.0", "d", loss_of(session, settled, 3)),
    }
    again = imported(session, open_session, votes_per_input=3)
    assert again.votes() == {outvoted: {"Bob": 1}, changed: {"Ann": 1}, settled: {"Lea": 3}}


def test_what_is_open_comes_back_as_open(open_session, say):
    session = open_session("srs", 40, votes_per_input=2)
    disputed, pending, put_off, taken_back, unsure = (draw.row for draw in session.draws[:5])
    session.record([say(disputed, 1), say(disputed, 2, tester="Bob"), say(pending, 1), say(put_off, kind="skip")])
    session.record([say(taken_back, 1), say(taken_back, kind="undo")])
    session.record([say(unsure), say(unsure, tester="Bob")])
    nobody = ("", "", "", "", "")
    assert lines_of(session) == {
        disputed: nobody,
        pending: nobody,
        put_off: nobody,
        unsure: ("Bob", "2024-05-01T10:00:00Z", "", "", ""),
    }
    assert imported(session, open_session, votes_per_input=2).votes() == {unsure: {"Bob": None}}


def test_alone_the_line_is_of_the_vote_that_stands_after_one_was_taken_back_or_put_off(open_session, say):
    session = open_session("srs", 40)
    back, put_off, gone, last = (draw.row for draw in session.draws[:4])
    session.record([say(back, 1, seconds=1.0), say(back, 2, at="2024-06-01T10:00:00Z", seconds=99.0)])
    session.record([say(back, kind="undo"), say(put_off, 3, seconds=2.0), say(put_off, kind="skip", tester="Bob")])
    session.record([say(gone, 1), say(last, 0), say(gone, kind="undo")])
    assert {row: line[:4] for row, line in lines_of(session).items()} == {
        back: ("Ann", "2024-05-01T10:00:00Z", "1.0", "b"),
        put_off: ("Ann", "2024-05-01T10:00:00Z", "2.0", "d"),
        last: ("Ann", "2024-05-01T10:00:00Z", "", "a"),
    }
    again = imported(session, open_session)
    assert again.answers() == session.answers()
    assert again.upcoming(1)[0].row == gone


def test_the_terminal_counts_what_a_team_left_open_as_the_app_does(open_session, say, tmp_path, command):
    session = open_session("srs", 40, votes_per_input=2)
    for place, draw in enumerate(session.draws[:20]):
        answer = int(session.inputs.truth[draw.row])
        session.record([say(draw.row, answer)])
        if place % 5:
            session.record([say(draw.row, (answer + (place == 7)) % 4, tester="Bob")])
    session.record([say(session.draws[3].row, kind="undo", tester=who) for who in ("Ann", "Bob")])
    session.record([say(session.draws[20].row, kind="skip")])
    expected = session.estimate()
    assert expected.skipped == 4 + 1 + 1 + 1
    assert at_the_terminal(session, tmp_path, command) == expected.to_json()


@each("key", ["index", "row"])
def test_exported_labels_carry_the_tables_own_keys_and_match_when_they_come_back(
    key, open_session, say, tmp_path, command
):
    numbers = np.random.default_rng(5).permutation(60)
    table = pd.DataFrame({key: numbers, "prediction": np.where(numbers % 3, "cat", "dog"), "sure": numbers / 60 + 1})
    table.to_csv(tmp_path / "t.csv", index=False)
    inputs = open_subject(tmp_path / "t.csv").inputs
    session = open_session(budget=60, of=inputs, id=f"by-{key}")
    session.record([say(draw.row, int(numbers[draw.row] % 4 == 0)) for draw in session.upcoming(60)])
    exported = pd.read_csv(io.StringIO(labels_csv(session)))
    own = {"index": "index", "row": "row (table)"}[key]
    assert (exported[own] == numbers[exported.row]).all()
    plan = tmp_path / "p.json"
    command.ok("select", tmp_path / "t.csv", "--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan)
    for columns in (["row", own, "answer"], [own, "answer"]) if key == "index" else (["row", own, "answer"],):
        votes = exported[columns].rename(columns={"answer": "label"}).sample(frac=1, random_state=1)
        votes.to_csv(tmp_path / "v.csv", index=False)
        found = json.loads(command.ok("estimate", plan, tmp_path / "v.csv", "--json", "-"))
        assert found["accuracy"] == pytest.approx(session.estimate().accuracy)


@each("key", ["id", "file"])
def test_an_exported_plan_is_estimated_by_a_key_without_its_table(key, open_session, say, tmp_path, command):
    numbers = np.random.default_rng(5).permutation(60)
    named = [f"x{one}.png" if key == "file" else f"x{one}" for one in numbers]
    pd.DataFrame({key: named, "prediction": np.where(numbers % 3, "cat", "dog")}).to_csv(
        tmp_path / "t.csv", index=False
    )
    session = open_session(budget=40, of=open_subject(tmp_path / "t.csv").inputs, id=f"of-{key}")
    session.record([say(draw.row, int(numbers[draw.row] % 4 == 0)) for draw in session.upcoming(40)])
    (tmp_path / "p.json").write_text(json.dumps(plan_json(session)))
    exported = pd.read_csv(io.StringIO(labels_csv(session)))
    exported[[key, "loss"]].sample(frac=1, random_state=1).to_csv(tmp_path / "v.csv", index=False)
    found = json.loads(command.ok("estimate", tmp_path / "p.json", tmp_path / "v.csv", "--json", "-"))
    assert found["accuracy"] == pytest.approx(session.estimate().accuracy)
    (tmp_path / "v.csv").write_text("page,loss\n1,0\n")
    status, _, said = command("estimate", tmp_path / "p.json", tmp_path / "v.csv", "--key", "page")
    assert (status, "was not found" in said) == (2, True)


def test_an_exported_plan_says_how_its_table_was_read(open_session, tmp_path):
    (tmp_path / "t.csv").write_text("prediction,y_prob,y_true\n" + "1,0.9,1\n0,0.1,0\n1,0.7,0\n0,0.2,0\n" * 30)
    inputs = open_subject(tmp_path / "t.csv").inputs
    plan = plan_of_json(plan_json(open_session(budget=40, of=inputs)), "plan.json")
    assert plan.reading == inputs.reading
    again = inputs_of_plan(tmp_path / "p.json", replace(plan, table=str(tmp_path / "t.csv")))
    assert again.fingerprint == inputs.fingerprint
