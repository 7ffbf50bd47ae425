"""Failure codes in votes: read, written, renamed, merged and refused, and what a plan's estimate says about them."""

import json

import pandas as pd
import pytest

from testimate import estimate, open_subject, select
from testimate.core.errors import BadInput
from testimate.core.failure_codes import checked_codes
from testimate.planning.votes import Votes
from testimate.verbs import with_criteria
from tests.each import each

SIZE, LABELS = 500, 100


@pytest.fixture(scope="module")
def subject():
    """Outputs to be judged, of which every fifth is wrong."""
    return open_subject({"output": [f"answer {row}" for row in range(SIZE)]}, task="verdict")


@pytest.fixture(scope="module")
def plan(subject):
    """A random sample of them."""
    return select(subject, budget=LABELS, seed=4, technique="srs")


def votes_of(plan, codes):
    """Every fifth input that was drawn is wrong, with these codes in turn."""
    rows = plan.rows
    wrong = rows[::5]
    given = dict(zip(wrong, [codes[place % len(codes)] for place in range(len(wrong))], strict=True))
    cells = {row: "wrong" if row in given else "right" for row in rows}
    return Votes("label", cells, codes={row: code for row, code in given.items() if code})


def counts(found):
    return {one.code: len(one.rows) for one in found.codes}


def test_each_code_has_its_share_and_failures_without_one_have_a_line(plan, subject):
    found = estimate(plan, votes_of(plan, ["blur", "blur;dark", "", "dark"]), subject=subject).codes()
    assert counts(found) == {"blur": 10, "dark": 10, "": 5}
    assert [one.share.value for one in found.codes] == pytest.approx([0.1, 0.1, 0.05])
    assert "no code: 5 of 100 labels" in repr(found)


def test_the_accuracy_is_the_same_with_and_without_codes(plan, subject):
    votes = votes_of(plan, ["blur"])
    plain = Votes("label", votes.cells)
    assert estimate(plan, votes, subject=subject).estimate == estimate(plan, plain, subject=subject).estimate


def test_codes_that_differ_in_case_or_spaces_are_one(plan, subject):
    found = estimate(plan, votes_of(plan, ["Too dark", "too  dark", "too dark", "too dark"]), subject=subject).codes()
    assert counts(found) == {"too dark": 20}


def test_merged_codes_are_counted_once_for_each_input(plan, subject):
    found = estimate(plan, votes_of(plan, ["fog;haze", "fog", "haze", "blur"]), subject=subject)
    assert counts(found.codes({"fog": "unclear", "haze": "Unclear"})) == {"unclear": 15, "blur": 5}
    assert counts(found.codes({"blur": "soft", "soft": "FOG"})) == {"fog": 15, "haze": 10}


def test_a_hundred_codes_share_the_risk_with_one_that_was_not_seen(subject):
    plan = select(subject, budget=SIZE, seed=4, technique="srs")
    whole = votes_of(plan, [f"kind {place}" for place in range(100)])
    found = estimate(plan, whole, subject=subject).codes()
    assert [one.share.value for one in found.codes] == pytest.approx([0.002] * 100)
    assert {one.share.high - one.share.low for one in found.codes} == {0.0}
    assert found.unseen.high == 0.0, "every input is labeled"
    some = [*whole.cells][:400]
    part = Votes("label", {row: whole.cells[row] for row in some}, codes={row: whole.codes[row] for row in some[::5]})
    wide = estimate(plan, part, subject=subject).codes()
    alone = estimate(plan, part, subject=subject, level=1 - 0.05 / 81).codes(
        {f"kind {place}": "one" for place in range(1, 80)}
    )
    assert len(wide.codes) == 80
    assert wide.unseen.high <= alone.unseen.high


def test_a_code_of_an_answer_that_is_right_is_refused(plan, subject):
    votes = votes_of(plan, ["blur"])
    for cell in ("right", ""):
        row = plan.rows[1]
        strange = Votes("label", {**votes.cells, row: cell}, codes={**votes.codes, row: "dark"})
        with pytest.raises(BadInput, match=f"Row {row} has the failure code 'dark', and its vote is not a failure"):
            estimate(plan, strange, subject=subject).codes()


def test_votes_without_codes_and_names_that_none_has_are_refused(plan, subject):
    with pytest.raises(BadInput, match="Expected a column codes"):
        estimate(plan, Votes("label", votes_of(plan, ["blur"]).cells), subject=subject).codes()
    with pytest.raises(BadInput, match="no failure code 'fog'"):
        estimate(plan, votes_of(plan, ["blur"]), subject=subject).codes({"fog": "blur"})


@each("names", [["x" * 61], ["a\u202eb"], ["one;two"], [f"code {place}" for place in range(21)]])
def test_names_that_cannot_be_read_in_a_line_are_no_codes(names):
    with pytest.raises(BadInput):
        checked_codes(names)


def test_codes_like_formulas_are_the_same_after_writing_and_reading(plan, subject, tmp_path):
    votes = votes_of(plan, ["=cmd();+1", "@sum", "-2"])
    votes.write(tmp_path / "votes.csv")
    assert "'=cmd();'+1" in (tmp_path / "votes.csv").read_text()
    assert Votes.read(tmp_path / "votes.csv").codes == votes.codes
    assert Votes.of(votes.to_frame()).codes == votes.codes


def test_a_frame_may_hold_the_codes_as_lists(plan):
    rows = plan.rows[:2]
    frame = pd.DataFrame({"row": rows, "label": ["wrong", "right"], "codes": [["blur", "dark"], None]})
    assert Votes.of(frame).codes == {rows[0]: "blur;dark"}


def test_inputs_that_were_chosen_give_counts_alone(subject, plan):
    table = {"prediction": ["a", "b"] * 50, "confidence": [place / 100 for place in range(100)]}
    chosen = open_subject(table, classes=["c"])
    plan = select(chosen, budget=40, seed=1, technique="severity-first")
    votes = Votes("failed", dict.fromkeys(plan.rows, "1"), codes=dict.fromkeys(plan.rows, "blur"))
    found = estimate(plan, votes, subject=chosen).codes()
    assert counts(found) == {"blur": 10}
    assert found.codes[0].share.value is None
    assert "No intervals" in found.heading


def test_outputs_judged_by_several_criteria_have_codes_where_one_finds_a_fault(command, subject, tmp_path):
    asked = ["polite", "true"]
    plan = select(with_criteria(subject, asked), budget=40, seed=4, technique="srs")
    plan.write(tmp_path / "plan.json")
    lines = [f"{row},right,{'right' if place % 4 else 'wrong'}" for place, row in enumerate(plan.rows)]
    coded = [f"{line},{'' if place % 4 else 'blur' if place else '=cmd()'}" for place, line in enumerate(lines)]
    (tmp_path / "votes.csv").write_text("\n".join(["row,polite,true,codes", *coded]))
    said = command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--codes")
    assert "blur: 9 of 40 labels, 22.5% of all inputs" in said
    assert "=cmd(): 1 of 40 labels" in said
    frame = pd.read_csv(tmp_path / "votes.csv", dtype=str, keep_default_na=False).astype({"row": int})
    found = estimate(plan, frame, subject=with_criteria(subject, asked)).codes({"=cmd()": "blur"})
    assert counts(found) == {"blur": 10}
    (tmp_path / "votes.csv").write_text("\n".join(["row,polite,true,codes", *coded[:-1], f"{coded[-1]}dark"]))
    assert "is not a failure" in command("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--codes").err


def test_the_terminal_says_why_it_failed_in_names_of_ones_own(command, subject, plan, tmp_path):
    plan.write(tmp_path / "plan.json")
    votes = votes_of(plan, ["fog", "haze", ""])
    failed = {row: str(int(cell == "wrong")) for row, cell in votes.cells.items()}
    Votes("failed", failed, codes=votes.codes).write(tmp_path / "votes.csv")
    files = (tmp_path / "plan.json", tmp_path / "votes.csv")
    said = command.ok("estimate", *files, "--codes", "--merge", "fog,haze=unclear")
    assert "unclear: 14 of 100 labels, 14.0% of all inputs (" in said
    assert "no code: 6 of 100 labels" in said
    assert "Any single code not seen so far: at most " in said
    assert "New kinds: 0 of the later 50 labels" in said
    record = json.loads(command.ok("estimate", *files, "--codes", "--json", "-"))["failure_codes"]
    assert [(one["code"], one["count"]) for one in record["codes"]] == [("fog", 7), ("haze", 7), (None, 6)]
    assert "failure_codes" not in json.loads(command.ok("estimate", *files, "--json", "-"))
    for asked, why in (
        (("--merge", "fog=haze"), "Expected --codes"),
        (("--codes", "--merge", "fog"), "Expected CODE=CODE"),
    ):
        assert why in command("estimate", *files, *asked).err
