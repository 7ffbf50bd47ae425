"""`testimate recheck` and `estimate --recheck`: which answers to look at again, and what that corrects."""

import csv
import json

import pytest


@pytest.fixture
def labeled(command, table, tmp_path):
    """A plan of 30 of the table's 60 inputs and votes of which two are wrong."""
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    command.ok("select", table, "--technique", "srs", "--budget", 30, "--seed", 1, "--out", plan)
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    wrong = [row for row in rows if row % 5 != 4][:2]
    votes.write_text("row,failed\n" + "".join(f"{row},{int((row % 5 == 4) != (row in wrong))}\n" for row in rows))
    return plan, votes, wrong


def filled(check, answer):
    """The list with every second answer filled in."""
    lines = list(csv.DictReader(check.read_text().splitlines()))
    cells = [f"{line['row']},{line['chance']},{line['of']},{answer(int(line['row']))}\n" for line in lines]
    text = "row,chance,of,failed\n" + "".join(cells)
    path = check.with_name("checked.csv")
    path.write_text(text)
    return path, [int(line["row"]) for line in lines]


def test_the_list_names_answered_inputs_and_tells_nothing_of_the_answers(command, labeled, tmp_path):
    plan, votes, _ = labeled
    check, again = tmp_path / "check.csv", tmp_path / "again.csv"
    command.ok("recheck", plan, votes, "--count", 10, "--seed", 3, "--out", check)
    command.ok("recheck", plan, votes, "--count", 10, "--seed", 3, "--out", again)
    assert check.read_text() == again.read_text()
    lines = list(csv.DictReader(check.read_text().splitlines()))
    assert list(lines[0]) == ["row", "chance", "of", "label"]
    assert len({line["row"] for line in lines}) == 10
    assert all(0 < float(line["chance"]) <= 1 and line["label"] == "" for line in lines)


def test_all_answers_looked_at_again_give_the_estimate_of_the_right_answers(command, labeled, tmp_path):
    plan, votes, wrong = labeled
    check = tmp_path / "check.csv"
    command.ok("recheck", plan, votes, "--count", 30, "--seed", 3, "--out", check)
    checked, rows = filled(check, lambda row: int(row % 5 == 4))
    found = json.loads(command.ok("estimate", plan, votes, "--recheck", checked, "--json", "-"))
    assert found["recheck"]["accuracy"] == pytest.approx(1 - sum(row % 5 == 4 for row in rows) / 30)
    assert found["accuracy"] == pytest.approx(found["recheck"]["accuracy"] - len(wrong) / 30)
    assert (found["recheck"]["looked_at"], found["recheck"]["changed"]) == (30, 2)
    assert found["recheck"]["always_low"] is None


def test_the_corrected_estimate_is_said_beside_the_plain_one(command, labeled, tmp_path):
    plan, votes, _ = labeled
    check = tmp_path / "check.csv"
    command.ok("recheck", plan, votes, "--count", 30, "--seed", 3, "--out", check)
    checked, _ = filled(check, lambda row: int(row % 5 == 4))
    said = command.ok("estimate", plan, votes, "--recheck", checked)
    assert "30 answers were looked at again and 2 of them were wrong" in said
    assert said.count("(fixed-size") == 2


def test_labels_by_name_are_second_looks_too(command, labeled, tmp_path):
    plan, votes, _ = labeled
    check = tmp_path / "check.csv"
    command.ok("recheck", plan, votes, "--count", 5, "--seed", 3, "--out", check)
    lines = check.read_text().splitlines()
    check.write_text("\n".join([lines[0], *(line + str(int(line.split(",")[0]) % 3) for line in lines[1:])]) + "\n")
    found = json.loads(command.ok("estimate", plan, votes, "--recheck", check, "--json", "-"))
    assert found["recheck"]["looked_at"] == 5


def test_a_list_that_is_not_filled_in_whole_is_refused_by_its_first_open_row(command, labeled, tmp_path):
    plan, votes, _ = labeled
    check = tmp_path / "check.csv"
    command.ok("recheck", plan, votes, "--count", 4, "--seed", 3, "--out", check)
    first = check.read_text().splitlines()[1].split(",")[0]
    refusal = command.refusal("estimate", plan, votes, "--recheck", check)
    assert f"4 of the 4 inputs in {check} have no second answer, first row {first}" in refusal


def test_what_is_no_list_of_second_looks_is_refused(command, labeled, tmp_path):
    plan, votes, _ = labeled
    for text, words in (
        ("row,failed\n3,1\n", "Expected row, chance, of and one of failed and label"),
        ("row,chance,of,failed\nx,0.5,30,1\n", "Expected a whole number"),
        ("row,chance,of,failed\n3,half,30,1\n", "Expected the numbers written by testimate recheck"),
        ("row,chance,of,failed\n", "contains no input"),
    ):
        checked = tmp_path / "checked.csv"
        checked.write_text(text)
        assert words in command.refusal("estimate", plan, votes, "--recheck", checked)
    checked.write_text(f"row,chance,of,failed\n{json.loads(plan.read_text())['draws'][0]['row']},0.5,29,1\n")
    assert "drawn from 29 answers and 30 count" in command.refusal("estimate", plan, votes, "--recheck", checked)
    assert "There is no file" in command.refusal("estimate", plan, votes, "--recheck", tmp_path / "none.csv")
    assert "Expected 1 to 30" in command.refusal(
        "recheck", plan, votes, "--count", 31, "--seed", 1, "--out", tmp_path / "c.csv"
    )
