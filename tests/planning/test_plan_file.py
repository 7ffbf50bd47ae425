"""PLAN.json: written whole or not at all, read back to the same plan, refused with a sentence when it is not one."""

import errno
import json
import re
from pathlib import Path

import numpy as np
import pytest

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.inputs import Inputs, groups_of
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.plan import check_fingerprint, continue_plan, make_plan, read_plan
from testimate.planning.votes import read_votes, verdicts_of_votes
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each
from tests.sampling import rotating


def techniques_of_a_table() -> list[str]:
    """Techniques that a table with confidence alone can feed."""
    return [
        name
        for name, technique in SELECTORS.items()
        if set(technique.needs) <= {"size", "scores", "scores_are_chances"}
    ]


@each("technique", techniques_of_a_table())
def test_a_plan_read_back_is_the_plan_that_was_written(technique, table, tmp_path):
    plan = make_plan(inputs_of_table(table), Request(technique, budget=12, seed=5), table=str(table))
    plan.write(tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == plan


@each("technique", techniques_of_a_table())
def test_a_plan_continued_step_by_step_ends_like_one_continued_at_once(technique, table):
    inputs = inputs_of_table(table)
    request = Request(technique, budget=40, seed=2)
    losses = inputs.losses
    assert losses is not None
    plan = make_plan(inputs, request)
    for _ in range(40):
        if len(plan.draws) >= plan.design.planned:
            break
        plan = continue_plan(inputs, plan, [Verdict(draw, float(losses[draw.row])) for draw in plan.draws])
    selector, drawn = build(inputs, request), []
    while selector.remaining:
        draws = selector.ask(40)
        selector.tell([Verdict(draw, float(losses[draw.row])) for draw in draws])
        drawn += draws
    assert list(plan.draws) == drawn


def test_a_vote_that_changes_after_the_plan_went_on_is_refused(table):
    inputs = inputs_of_table(table)
    plan = make_plan(inputs, Request("ssoa-r-p", budget=48, seed=2))
    longer = continue_plan(inputs, plan, [Verdict(draw, 0.0) for draw in plan.draws])
    with pytest.raises(BadInput, match="later draws depend on it"):
        continue_plan(inputs, longer, [Verdict(draw, 1.0) for draw in plan.draws])


def test_a_plan_for_another_table_is_refused(table, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("0.99", "0.98"))
    plan = make_plan(inputs_of_table(table), Request("srs", budget=5, seed=1))
    with pytest.raises(SubjectChanged, match="changed"):
        check_fingerprint(plan, inputs_of_table(other))


@each(
    "spoil",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace('"format": 1', '"format": 2'),
        lambda text: text.replace('"simple random"', '"lucky"'),
        lambda text: text.replace('"seed": 1', '"sead": 1'),
        lambda text: text.replace('"row": ', '"row": -'),
        lambda text: text.replace('"probability": null', '"probability": 2'),
    ],
)
def test_what_is_no_plan_is_refused_in_a_sentence(spoil, table, tmp_path):
    path = tmp_path / "plan.json"
    make_plan(inputs_of_table(table), Request("srs", budget=5, seed=1)).write(path)
    path.write_text(spoil(path.read_text()))
    with pytest.raises(BadInput) as error:
        read_plan(path)
    assert "\n" not in str(error.value)


def test_a_plan_that_cannot_be_written_leaves_the_old_one_whole(table, tmp_path, monkeypatch):
    path = tmp_path / "plan.json"
    plan = make_plan(inputs_of_table(table), Request("srs", budget=5, seed=1))
    plan.write(path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(BadInput, match="could not be written"):
        plan.write(path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.part"))


def test_options_given_as_text_are_taken_in_their_type_and_bad_ones_named(table):
    inputs = inputs_of_table(table)
    assert build(inputs, Request("srs", 5, 1, options={"replacement": "true"})).design.replacement
    for options, message in [({"replacement": "perhaps"}, "perhaps"), ({"speed": "9"}, "replacement")]:
        with pytest.raises(BadInput, match=message):
            build(inputs, Request("srs", 5, 1, options=options))
    with pytest.raises(BadInput, match="from 1 to"):
        build(inputs, Request("ssrs", 5, 1, options={"clusters": "0"}))


def test_features_beside_a_table_belong_to_its_fingerprint_and_must_match_its_rows(table, tmp_path):
    features = np.random.default_rng(0).random((60, 4)).astype(np.float32)
    np.save(tmp_path / "f.npy", features)
    with_features = inputs_of_table(table, tmp_path / "f.npy")
    assert with_features.fingerprint != inputs_of_table(table).fingerprint
    assert np.array_equal(with_features.feature("FILE"), features)
    np.save(tmp_path / "f.npy", features[:59])
    with pytest.raises(BadInput, match="59"):
        inputs_of_table(table, tmp_path / "f.npy")


@pytest.mark.parametrize(
    "content", [b"PK\x03\x04" + b"\0" * 40, b"\x80\x04\x95", b""], ids=["zip", "pickle", "nothing"]
)
def test_features_that_are_no_array_are_refused_with_what_to_do(table, tmp_path, content):
    (tmp_path / "f.npy").write_bytes(content)
    with pytest.raises(BadInput, match=r"not a readable \.npy array of numbers .*Save it with numpy\.save\."):
        inputs_of_table(table, tmp_path / "f.npy")


def test_features_that_hide_a_pickle_are_never_unpickled(table, tmp_path):
    mark = tmp_path / "mark"
    payload = np.array([_Writes(mark)], dtype=object)
    np.save(tmp_path / "f.npy", payload, allow_pickle=True)
    with pytest.raises(BadInput, match=r"not a readable \.npy"):
        inputs_of_table(table, tmp_path / "f.npy")
    assert not mark.exists()


class _Writes:
    """An object that would write a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_the_json_of_a_plan_has_the_fields_that_other_programs_rely_on(table):
    record = json.loads(json.dumps(make_plan(inputs_of_table(table), Request("rrs", budget=5, seed=1)).to_json()))
    assert {"technique", "parameters", "seed", "fingerprint", "design", "draws"} <= set(record)
    assert sum(record["design"]["stratum_sizes"]) == 60
    assert record["design"]["planned"] == 5
    assert all({"row", "probability", "stratum", "reason"} <= set(draw) for draw in record["draws"])


DAMAGES = {
    "fingerprint a number": (("fingerprint",), 5),
    "no table": (("table",), None),
    "training a number": (("training",), 3),
    "a list of techniques": (("technique",), ["srs"]),
    "seed a text": (("seed",), "1"),
    "seed true": (("seed",), True),
    "no auxiliary": (("parameters", "auxiliary"), None),
    "auxiliary a number": (("parameters", "auxiliary"), 5),
    "budget a share": (("parameters", "budget"), 4.5),
    "variant a number": (("parameters", "variant"), 1),
    "loss bound a text": (("loss_bound",), "1"),
    "loss bound infinite": (("loss_bound",), float("inf")),
    "half an input": (("design", "stratum_sizes"), [59.5]),
    "planned a text": (("design", "planned"), "5"),
    "a row that is not there": (("draws", 0, "row"), 60),
    "a row beyond 64 bits": (("draws", 0, "row"), 10**30),
    "half a row": (("draws", 0, "row"), 1.5),
    "a stratum that is not there": (("draws", 0, "stratum"), 1),
    "no reason": (("draws", 0, "reason"), None),
    "told of a row that is not there": (("told",), [[60, 0.0]]),
    "told a text": (("told",), [[3, "0"]]),
    "told one number": (("told",), [[3]]),
    "further classes a text": (("further",), "ab"),
    "class names a text": (("class_names",), "yes"),
    "names of other tables numbers": (("others",), [3]),
}


@each(("damage", "verb"), rotating(list(DAMAGES), [("estimate",), ("continue", "--out", "longer.json")]))
def test_a_damaged_plan_is_refused_at_the_terminal_in_one_line(damage, verb, table, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_plan(inputs_of_table(table), Request("srs", budget=5, seed=1), table=str(table)).write(Path("plan.json"))
    record = json.loads(Path("plan.json").read_text())
    (*places, last), value = DAMAGES[damage]
    part = record
    for place in places:
        part = part[place]
    part[last] = value
    Path("plan.json").write_text(json.dumps(record))
    Path("votes.csv").write_text("row,failed\n")
    assert re.search("Make (the plan|it) again", command.refusal(verb[0], "plan.json", "votes.csv", *verb[1:]))


@pytest.mark.parametrize(
    ("text", "message"), [("[" * 100_000, "too deep"), ('{"seed": ' + "9" * 5_000 + "}", "number too long")]
)
def test_json_that_python_will_not_read_is_refused_in_words(text, message, tmp_path):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_plan(tmp_path / "plan.json")


@each("technique", SELECTORS)
def test_the_plan_of_every_technique_passes_its_own_checks_while_it_grows(technique, tmp_path):
    rng = np.random.default_rng(3)
    losses = (rng.random(80) < 0.3).astype(float)
    chance = rng.uniform(0.05, 0.9, 80)
    known = {
        "scores": dict.fromkeys(("confidence", "lsa", "dsa", "gini", "entropy", "margin"), chance),
        "features": {"LHL": rng.normal(size=(80, 3)).astype(np.float32)},
        "losses": losses,
        "groups": groups_of([str(row // 4) for row in range(80)]),
    }
    task = Classification(("a", "b"))
    training = Inputs("training", task, np.arange(80) % 2, **known)
    inputs = Inputs("inputs", task, np.arange(80) % 2, 1 - chance, **known, training=training)
    plan = make_plan(inputs, Request(technique, budget=40, seed=2))
    for _ in range(3):
        plan.write(tmp_path / "plan.json")
        assert read_plan(tmp_path / "plan.json") == plan
        plan = continue_plan(inputs, plan, [Verdict(draw, float(losses[draw.row])) for draw in plan.draws])


def test_a_vote_that_no_number_can_hold_is_refused_in_words(table, tmp_path):
    (tmp_path / "votes.csv").write_text(f"row,failed\n{'9' * 5_000},1\n")
    with pytest.raises(BadInput, match="Expected a whole number"):
        read_votes(tmp_path / "votes.csv")
    task = Regression(tolerance=1.0)
    inputs = Inputs("inputs", task, np.zeros(3))
    for kind, cell in (("loss", "1e308"), ("loss", "inf"), ("label", "1e300"), ("label", "1e60")):
        with pytest.raises(BadInput, match="Correct"):
            verdicts_of_votes([Draw(1)], kind, {1: cell}, inputs)
    assert verdicts_of_votes([Draw(1)], "label", {1: "1e9"}, inputs)[0].loss == 1e18
