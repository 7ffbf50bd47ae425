"""From Python: tables at hand in, plans and votes, and estimates that read as sentences; the terminal is the witness."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import testimate
from testimate import Plan, Votes, estimate, open_subject, prioritize, rank, reuse, select, study, top_up
from testimate.core.errors import BadInput, SubjectChanged, UnknownRow
from testimate.planning.plan import read_plan
from tests.each import each
from tests.verbs import typed_use

ROOT = Path(testimate.__file__).parent


@pytest.fixture(scope="module")
def frame():
    """600 inputs of 4 classes, of which the network is right as often as it says."""
    rng = np.random.default_rng(0)
    confidence = rng.beta(6, 2, 600)
    prediction = rng.integers(4, size=600)
    label = np.where(rng.random(600) < confidence, prediction, (prediction + 1) % 4)
    return pd.DataFrame({"prediction": prediction, "confidence": confidence, "label": label})


@pytest.fixture(scope="module")
def subject(frame):
    """The table without its truth."""
    return open_subject(frame[["prediction", "confidence"]], name="films")


@pytest.fixture(scope="module")
def plan(subject):
    """150 inputs of it."""
    return select(subject, budget=150, seed=3)


@pytest.fixture(scope="module")
def answers(plan, frame):
    """The truth of the inputs of the plan, by row."""
    return {row: frame["label"][row] for row in plan.rows}


def test_python_draws_and_estimates_what_the_terminal_does_to_the_last_digit(
    frame, subject, plan, answers, command, tmp_path
):
    frame[["prediction", "confidence"]].to_csv(tmp_path / "t.csv", index=False)
    command.ok("select", tmp_path / "t.csv", "--budget", 150, "--seed", 3, "--out", tmp_path / "p.json")
    there = read_plan(tmp_path / "p.json")
    assert there.draws == plan.draws
    Votes.of(answers).write(tmp_path / "v.csv")
    said = json.loads(command.ok("estimate", tmp_path / "p.json", tmp_path / "v.csv", "--json", "-"))
    found = estimate(plan, answers, subject=subject)
    assert {name: said[name] for name in found.estimate.to_json()} == json.loads(json.dumps(found.estimate.to_json()))
    assert said["headline"] == found.headline == "fixed"
    assert (found.low, found.high) == (said["low"], said["high"])
    assert estimate(tmp_path / "p.json", tmp_path / "v.csv").estimate == found.estimate


def test_before_the_plan_is_complete_the_interval_that_holds_whenever_one_stops_counts(subject, plan, answers):
    some = {row: answers[row] for row in plan.rows[:90]}
    found = estimate(plan, some, subject=subject)
    assert (found.low, found.high) == (found.estimate.always_low, found.estimate.always_high)
    assert "stop-safe" in repr(found)


def test_every_kind_of_table_at_hand_is_the_same_subject(frame, subject):
    columns = {name: frame[name].to_numpy() for name in ("prediction", "confidence")}

    class Dataset:
        """As of the datasets library, whose ``to_parquet`` knows no index."""

        def to_parquet(self, path_or_buf, batch_size=None):
            assert batch_size is None
            frame[["prediction", "confidence"]].to_parquet(path_or_buf)

    for source in (columns, pa.table(columns), Dataset()):
        other = open_subject(source).inputs
        assert np.array_equal(other.predictions, subject.inputs.predictions)
        assert np.array_equal(other.confidence, subject.inputs.confidence)


def test_an_array_of_probabilities_gives_predictions_and_confidence():
    chances = np.random.default_rng(1).dirichlet(np.ones(3), 50)
    inputs = open_subject({"probabilities": chances}).inputs
    assert np.array_equal(inputs.predictions, chances.argmax(axis=1))
    assert inputs.confidence == pytest.approx(chances.max(axis=1))


def test_features_may_be_an_array(frame, tmp_path):
    features = np.random.default_rng(2).normal(size=(600, 3))
    np.save(tmp_path / "f.npy", features)
    by_file, by_array = (open_subject(frame, features=one) for one in (tmp_path / "f.npy", features))
    assert by_file.fingerprint == by_array.fingerprint
    with pytest.raises(BadInput, match="'features' has 5 rows"):
        open_subject(frame, features=features[:5])


PREDICTIONS = ["cat", "dog"] * 3
FRAME = pd.DataFrame({"prediction": PREDICTIONS, "confidence": np.linspace(0.5, 1, 6)})


@each(
    "table, sentence",
    [
        (
            FRAME.set_index(pd.Index(list("abcdef"))),
            r"row at position 0 of the DataFrame has the index 'a'.*reset_index\(\)",
        ),
        (FRAME[FRAME["confidence"] > 0.6], "row at position 0 of the DataFrame has the index 2. Expected 0, 1, 2"),
        (FRAME.iloc[::-1], "row at position 0 of the DataFrame has the index 5"),
        (pd.concat([FRAME, FRAME], axis=1), "two columns 'prediction'. Expected each name once"),
        (FRAME.assign(prediction=["cat", 3] * 3), r"'prediction' mixes kinds of values: 'cat' \(str\) and 3 \(int\)"),
        (FRAME.rename(columns={"prediction": 0}), "A column of the DataFrame is called 0. Expected words"),
        (FRAME.assign(more=[[1], [2, 3]] * 3).assign(more=[object()] * 6), "cannot be written as Parquet"),
        ({"prediction": PREDICTIONS, "confidence": [0.5]}, "arrays have 1 and 6 values. Expected as many"),
        ({"prediction": np.zeros((6, 2))}, r"'prediction' has the shape \(6, 2\). Expected \(N,\)"),
        ({"train": FRAME, "test": FRAME}, "several tables, train, test. Expected one"),
        ([1, 2, 3], "Expected a table, got 'list'"),
        (FRAME["prediction"], r"got a Series that is not one .*Pass a column by its name: \{'prediction'"),
    ],
)
def test_a_table_that_could_be_misread_is_refused_in_a_sentence(table, sentence):
    with pytest.raises(BadInput, match=sentence):
        open_subject(table)


def test_votes_are_the_same_from_a_file_a_frame_and_a_mapping(answers, tmp_path):
    unsure = {**answers, next(iter(answers)): None}
    votes = Votes.of(unsure)
    votes.write(tmp_path / "v.csv")
    frame = pd.DataFrame({"Row": list(unsure), "label": list(unsure.values())})
    numbers = frame.assign(label=frame["label"].astype("float"))  # as pandas reads a column with an empty cell
    assert Votes.read(tmp_path / "v.csv") == votes == Votes.of(frame.assign(label=frame["label"].astype("Int64")))
    assert [float(cell) for cell in Votes.of(numbers).cells.values() if cell] == [
        float(cell) for cell in votes.cells.values() if cell
    ]
    assert votes.to_frame()["label"].tolist() == list(votes.cells.values())
    assert Votes.of(pd.Series(list(unsure.values()), index=list(unsure), dtype="Int64")) == votes
    assert repr(votes) == "Votes: 150 inputs with the true label, of which 1 is can't tell."
    assert Votes.of({1: True, 2: np.bool_(False)}, kind="failed").cells == {1: "1", 2: "0"}
    yes_or_no = open_subject(pd.DataFrame({"prediction": [True, False] * 20}))
    drawn = select(yes_or_no, budget=40, seed=1, technique="srs")
    assert estimate(drawn, dict.fromkeys(drawn.rows, True), subject=yes_or_no).accuracy == 0.5
    assert Votes.of({1: ["dog", "cat"], 2: []}).cells == {1: "cat;dog", 2: "none"}


@each(
    "votes, sentence",
    [
        (pd.DataFrame({"row": [1, 1], "label": [0, 1]}), "Row 1 has two votes"),
        (pd.DataFrame({"row": [-1], "label": [0]}), "rows are places from 0 on"),
        (pd.Series([0, 1], index=[4, 4]), "Row 4 has two votes"),
        (pd.Series([0, 1], index=["a.png", "b.png"]), "A vote is on row 'a.png'. Expected the place of an input"),
        (pd.DataFrame({"row": ["a17"], "label": [0]}), "A vote is on row 'a17'. Expected the place of an input"),
        (pd.DataFrame({"place": [1], "label": [0]}), "columns place, label. Expected row and exactly one of"),
        (pd.DataFrame({"row": [1], "label": [0], "failed": [1]}), "Expected row and exactly one of"),
    ],
)
def test_votes_that_could_be_misread_are_refused_in_a_sentence(votes, sentence):
    with pytest.raises(BadInput, match=sentence):
        Votes.of(votes)


def test_an_estimate_refuses_what_does_not_belong_together(frame, subject, plan, answers):
    with pytest.raises(BadInput, match="Expected the test set that the plan was made for"):
        estimate(plan, answers)
    with pytest.raises(SubjectChanged):
        estimate(plan, answers, subject=open_subject(frame))
    drawn = set(plan.rows)
    with pytest.raises(UnknownRow):
        estimate(plan, {next(row for row in range(600) if row not in drawn): 1}, subject=subject)
    with pytest.raises(BadInput, match="kind of vote is 'right'"):
        Votes.of(answers, kind="right")


def test_verdicts_need_no_subject_and_teach_a_technique_that_learns(subject, plan, answers):
    failed = {row: int(answer != subject.inputs.predictions[row]) for row, answer in answers.items()}
    found = estimate(plan, Votes.of(failed, kind="failed"))
    assert found.estimate == estimate(plan, answers, subject=subject).estimate
    selector = testimate.build(subject.inputs, testimate.Request("rra", budget=100, seed=1))
    draws = selector.ask(100)
    votes = Votes.of({draw.row: 0 for draw in draws}, kind="failed")
    selector.tell(votes.verdicts(draws))
    assert len(draws) < 100
    assert selector.ask(100)


def test_a_regression_is_estimated_by_its_tolerance_with_its_mean_errors():
    rng = np.random.default_rng(5)
    truth = rng.normal(0, 10, 400)
    subject = open_subject({"prediction": truth + rng.normal(0, 1, 400)}, tolerance=1.0)
    plan = select(subject, budget=100, seed=1)
    found = estimate(plan, {row: truth[row] for row in plan.rows}, subject=subject)
    right = np.abs(subject.inputs.predictions - truth)[list(plan.rows)] <= 1.0
    assert found.accuracy == pytest.approx(right.mean())
    assert "Mean absolute error" in repr(found)
    wider = estimate(plan, {row: truth[row] for row in plan.rows}, subject=subject, tolerance=100)
    assert wider.accuracy == 1.0


def test_results_are_sentences_and_in_a_notebook_tables_and_intervals(frame, subject, plan, answers):
    assert repr(subject) == "Subject 'films': 600 inputs, classification; true answers not known."
    assert repr(subject.inputs) == ("Inputs: 600 of a classification task, scores confidence; true answers not known.")
    assert repr(plan) == "Plan: 150 inputs to label of 600, by rrs with seed 3."
    found = estimate(plan, answers, subject=subject)
    low, high = (f"{100 * end:.1f}" for end in (found.low, found.high))
    assert re.fullmatch(r"Accuracy \d\d\.\d% from 150 labels \(95% interval \d\d\.\d to \d\d\.\d%\)\.", repr(found))
    html = found._repr_html_()
    for end in (low, high):
        assert str(round(float(end))) in html or f"{float(end):.0f}" in html
    assert html.count("<line") == 2
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    assert plan._repr_html_().count("<tr>") == 12
    known = open_subject(frame)
    rows = study(known, techniques=["srs"], budgets=[30], repetitions=3, seed=1, workers=1)
    assert "<td>srs</td>" in rows._repr_html_()
    assert rows.to_frame()["rmse"].tolist() == [rows[0].rmse]
    order = prioritize(subject, "severity-first", seed=1)
    assert order.to_frame()["row"].tolist() == order.rows.tolist()
    assert repr(order).startswith("Priority: 600 inputs in order of priority")


def test_what_others_wrote_into_a_table_stays_text_in_a_notebook():
    subject = open_subject({"prediction": ["<script>", "b"] * 20, "file": ["<img src=x>.png"] * 40})
    assert "<script>" not in select(subject, budget=5, seed=1, technique="srs")._repr_html_()
    ranking = rank({"<b>": [0, 1, 1], "c": [0, 1, 0]}, "majority")
    assert "<b>" not in ranking._repr_html_()


def test_the_chart_ends_at_the_estimate(subject, plan, answers):
    found = estimate(plan, answers, subject=subject)
    line = next(one for one in found.plot().data if one.name == "accuracy")
    assert line.x[-1] == 150
    assert line.y[-1] == pytest.approx(100 * found.accuracy)


def test_models_are_ranked_from_a_frame_as_from_a_file(frame, command, tmp_path):
    table = pd.DataFrame(
        {"first": frame["label"], "second": frame["prediction"], "third": [0] * 600, "y": frame["label"]}
    )
    table.to_csv(tmp_path / "p.csv", index=False)
    there = json.loads(command.ok("rank", tmp_path / "p.csv", "--truth", "y", "--json", "-"))
    assert rank(table, truth="y").to_json() == there == rank(tmp_path / "p.csv", truth="y").to_json()


def test_old_labels_say_of_a_new_version_in_a_sentence(frame, plan, answers, subject, tmp_path):
    table = tmp_path / "old.csv"
    frame[["prediction", "confidence"]].to_csv(table, index=False)
    old = select(open_subject(table), budget=150, seed=3)
    old.write(tmp_path / "p.json")
    Votes.of(answers).write(tmp_path / "v.csv")
    better = frame[["label", "confidence"]].rename(columns={"label": "prediction"})
    found = reuse(better, plan=tmp_path / "p.json", votes=tmp_path / "v.csv", old=table)
    accuracy = re.match(r"Accuracy ([\d.]+)% \(95% interval [\d.]+ to [\d.]+%", repr(found))
    assert float(accuracy[1]) == pytest.approx(100, abs=0.05)  # it is never wrong
    assert "by 150 of 150 labels given before" in repr(found)
    assert re.search(r"It is [\d.]+ to [\d.]+ points better than the version before", repr(found))


def test_a_few_more_labels_from_python_are_the_terminal_s(frame, plan, answers, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame[["prediction", "confidence"]].to_csv("old.csv", index=False)
    select(open_subject(Path("old.csv")), budget=150, seed=3).write("p.json")
    Votes.of(answers).write("v.csv")
    better = frame[["label", "confidence"]].rename(columns={"label": "prediction"})
    better.to_csv("new.csv", index=False)
    files = {"plan": "p.json", "votes": "v.csv", "old": "old.csv"}
    found = top_up("new.csv", **files, count=6, purpose="difference", seed=2)
    command.ok(
        *("reuse", "new.csv", "--plan", "p.json", "--votes", "v.csv", "--old", "old.csv"),
        *("--top-up", 6, "--for", "difference", "--seed", 2, "--out", "p2.json"),
    )
    assert [draw.row for draw in found.draws] == [draw.row for draw in Plan.read("p2.json").draws]
    assert all(frame["prediction"][row] != frame["label"][row] for row in found.rows[:6])


def test_every_public_name_has_its_real_type_for_who_reads_the_code():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    [typed] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = {alias.asname: f"{one.module}" for one in typed.body for alias in one.names}
    assert imports == testimate._HOME
    assert (ROOT / "py.typed").exists()
    assert dir(testimate) == sorted(imports)


def test_what_mypy_reads_of_the_verbs_also_runs():
    accuracy, low, high = typed_use.from_a_table_to_an_interval()
    assert low < accuracy < high
    with pytest.raises(AttributeError, match="no attribute 'estimates'"):
        typed_use.a_name_there_is_not()


def test_a_plan_goes_to_a_file_and_back(plan, tmp_path):
    plan.write(tmp_path / "p.json")
    assert Plan.read(tmp_path / "p.json") == plan
    frame = plan.to_frame()
    assert frame["row"].tolist() == [draw.row for draw in plan.draws]


def test_boxes_and_groups_go_from_a_file_to_their_estimate(tmp_path):
    images = [{"id": row, "file_name": f"{row}.png", "width": 10, "height": 10} for row in range(60)]
    boxes = [{"image_id": row, "category_id": 1, "bbox": [1, 1, 4, 4], "score": 0.9} for row in range(60)]
    record = {"images": images, "categories": [{"id": 1, "name": "ship"}], "annotations": boxes}
    (tmp_path / "found.json").write_text(json.dumps(record))
    subject = open_subject(tmp_path / "found.json", task="boxes")
    plan = select(subject, budget=40, seed=1, technique="srs")
    found = estimate(plan, {row: "wrong 1" if row < 15 else "all right" for row in plan.rows}, subject=subject)
    wrong = sum(row < 15 for row in plan.rows)
    assert found.boxes_say.scores.all.precision.value == pytest.approx(1 - wrong / 40)
    assert found.boxes_say.scores.all.recall.value == 1
    assert "are right (precision)" in repr(found)
    visits = {"prediction": ["a", "b"] * 60, "patient": [f"p{row // 4}" for row in range(120)]}
    grouped = open_subject(visits, columns={"group": "patient"})
    plan = select(grouped, budget=40, seed=1, technique="srs-groups")
    of_groups = estimate(plan, dict.fromkeys(plan.rows, "a"), subject=grouped)
    assert of_groups.estimate.method == "ratio of whole groups, Wilson interval"
    assert of_groups.low < of_groups.accuracy < of_groups.high
