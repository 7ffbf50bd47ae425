"""Verdicts at the terminal: from a table of outputs to a plan, from votes to score, shares and the judge's kappa."""

import csv
import json

import numpy as np
import pytest

from testimate.demos.answers import answered_questions, answers_csv, two_answerers_csv


@pytest.fixture
def answers(tmp_path):
    rows = answered_questions(300, seed=5)
    (tmp_path / "answers.csv").write_bytes(answers_csv(rows))
    return tmp_path, rows


def test_a_plan_of_outputs_becomes_the_score_with_the_shares_of_the_grades(command, answers):
    folder, rows = answers
    command.ok(
        *(
            "select",
            folder / "answers.csv",
            "--task",
            "verdict",
            "--technique",
            "srs",
            "--budget",
            "100",
            "--seed",
            "1",
        ),
        *("--out", folder / "plan.json"),
    )
    plan = json.loads((folder / "plan.json").read_text())
    drawn = [draw["row"] for draw in plan["draws"]]
    votes = "row,label\n" + "".join(f"{row},{rows[row].grade}\n" for row in drawn)
    (folder / "votes.csv").write_text(votes)
    said = json.loads(command.ok("estimate", folder / "plan.json", folder / "votes.csv", "--json", "-"))
    grades = [rows[row].grade for row in drawn]
    assert (plan["task"], plan["grades"], said["measure"]) == ("verdict", "right-partly-wrong", "Score")
    assert said["accuracy"] == pytest.approx((grades.count("right") + grades.count("partly") / 2) / 100)
    assert said["verdicts"]["right"][0] == pytest.approx(grades.count("right") / 100)
    assert [said["verdicts"]["shares"][grade][0] for grade in ("right", "partly", "wrong")] == pytest.approx(
        [grades.count(grade) / 100 for grade in ("right", "partly", "wrong")]
    )
    assert said["verdicts"]["judge"]["low"] < said["verdicts"]["judge"]["kappa"] < said["verdicts"]["judge"]["high"]
    words = command.ok("estimate", folder / "plan.json", folder / "votes.csv")
    assert "Of all inputs: right" in words
    assert "kappa" in words


def test_a_grade_that_is_none_is_refused_in_a_sentence(command, answers):
    folder, _ = answers
    command.ok("select", folder / "answers.csv", "--budget", "10", "--seed", "1", "--out", folder / "plan.json")
    row = json.loads((folder / "plan.json").read_text())["draws"][0]["row"]
    (folder / "votes.csv").write_text(f"row,label\n{row},splendid\n")
    assert "is not on the scale" in command.refusal("estimate", folder / "plan.json", folder / "votes.csv")


def test_two_systems_are_compared_by_the_preference_for_the_first(command, tmp_path):
    (tmp_path / "two.csv").write_bytes(two_answerers_csv(200, seed=3, better=0.2))
    command.ok("select", tmp_path / "two.csv", "--budget", "80", "--seed", "1", "--out", tmp_path / "plan.json")
    plan = json.loads((tmp_path / "plan.json").read_text())
    losses = "row,loss\n" + "".join(f"{draw['row']},{1 if draw['row'] % 4 else 0.5}\n" for draw in plan["draws"])
    (tmp_path / "votes.csv").write_text(losses)
    said = json.loads(command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--json", "-"))
    assert (plan["grades"], said["measure"]) == ("sides", "Preference for A")
    assert said["always_high"] < 0.5  # B is better
    assert set(said["verdicts"]["shares"]) == {"better by A", "no difference", "better by B"}


def test_judges_of_every_output_assist_the_score_and_their_bias_is_said(command, tmp_path):
    random = np.random.default_rng(3)
    quality = random.normal(size=600)
    people = np.clip(np.round(quality + 3.6), 1, 5).astype(int)
    kind = np.clip(np.round(quality + random.normal(0, 0.8, 600) + 4.4), 1, 5).astype(int)
    with (tmp_path / "outputs.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["output", "judge_kind", "judge_na", "judge_words", "length"])
        for row, grade in enumerate(kind.tolist()):
            table.writerow([f"text {row}", grade, grade if row % 4 else "N/A", "fine", row % 7])
    task = ("--task", "verdict", "--grades", "1-5", "--technique", "srs", "--budget", "120", "--seed", "1")
    command.ok("select", tmp_path / "outputs.csv", *task, "--out", tmp_path / "plan.json")
    drawn = [draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"]]
    (tmp_path / "votes.csv").write_text("row,label\n" + "".join(f"{row},{people[row]}\n" for row in drawn))
    words = command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv")
    assert "Judge-assisted: " in words
    assert " points better than people (estimate " in words.split("'judge_kind' grades ")[1]
    assert "'judge_na' graded 450 of 600 outputs." in words
    said = json.loads(command.ok("estimate", tmp_path / "plan.json", tmp_path / "votes.csv", "--json", "-"))
    found = said["verdicts"]["judge_assisted"]
    assert [one["name"] for one in found["judges"]] == ["judge_kind", "judge_na"]
    assert found["estimate"]["low"] < (people.mean() - 1) / 4 < found["estimate"]["high"]
    assert found["estimate"]["high"] - found["estimate"]["low"] < 0.9 * (said["high"] - said["low"])
    [bias] = [one for one in found["judges"] if one["name"] == "judge_kind"]
    assert bias["low"] < (kind - people).mean() / 4 < bias["high"]


def test_criteria_go_from_one_plan_to_a_score_for_each_and_one_more_is_added_midway(command, tmp_path):
    random = np.random.default_rng(3)
    quality = random.normal(size=400)
    grades = np.clip(np.round(quality + 3.6), 1, 5).astype(int).tolist()
    with (tmp_path / "outputs.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["output", "gpt"])
        for row, seen in enumerate(np.clip(np.round(quality + random.normal(0, 0.8, 400) + 4.4), 1, 5)):
            table.writerow([f"text {row}", int(seen) if row % 4 else "N/A"])
    asked = ("--task", "verdict", "--criterion", "faithful:1-5=gpt", "--criterion", "polite")
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    command.ok("select", tmp_path / "outputs.csv", *asked, "--budget", "100", "--seed", "1", "--out", plan)
    drawn = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    lines = [f"{row},{grades[row]},{'no' if row % 7 == 0 else 'yes'}" for row in drawn]
    votes.write_text("\n".join(["row,Faithful,polite", *lines[:40]]))
    said = command.ok("continue", plan, votes, "--criterion", "short:1-3", "--out", plan)
    assert "short is asked from now on: 40 answers so far count as skipped for it." in said
    assert [draw["row"] for draw in json.loads(plan.read_text())["draws"]] == drawn
    short = ["" if place < 40 else 1 + row % 3 for place, row in enumerate(drawn)]
    votes.write_text("\n".join(["row,Faithful,polite,short", *map("{},{}".format, lines, short)]))
    words = command.ok("estimate", plan, votes)
    assert "polite: Right " in words
    assert "'gpt' grades " in words
    assert "All criteria right:" in words
    found = json.loads(command.ok("estimate", plan, votes, "--simultaneous", "--json", "-"))
    by_name = {one["name"]: one for one in found["criteria"]}
    assert (by_name["faithful"]["labeled"], by_name["short"]["labeled"], by_name["short"]["skipped"]) == (100, 60, 0)
    assert by_name["faithful"]["low"] < (np.mean(grades) - 1) / 4 < by_name["faithful"]["high"]
    assert {one["headline"] for one in by_name.values()} == {"fixed"}
    assert by_name["polite"]["level"] == pytest.approx(1 - 0.05 / 4)
    gate = command("estimate", plan, votes, "--require", "Faithful=0.2", "--require", "polite=0.99")
    assert gate.status == 1
    assert "pass: faithful, accuracy of at least 20.00%" in gate.out
    assert "fail: polite, accuracy of at least 99.00%" in gate.out
    assert "All 4 intervals hold together at 95%." in gate.out
    assert "Expected CRITERION=X" in command.refusal("estimate", plan, votes, "--require", "kind=0.9")
    votes.write_text("row,friendly\n1,yes\n")
    assert "a column for each criterion: faithful, polite, short" in command.refusal("estimate", plan, votes)


def test_prices_say_what_judging_all_some_or_none_costs(command, tmp_path):
    random = np.random.default_rng(3)
    quality = random.normal(size=5000)
    people = np.clip(np.round(quality + 3.6), 1, 5).astype(int)
    kind = np.clip(np.round(quality + random.normal(0, 0.8, 5000) + 4.4), 1, 5).astype(int)
    lines = ["output,judge_kind", *(f"text {row},{grade}" for row, grade in enumerate(kind.tolist()))]
    (tmp_path / "outputs.csv").write_text("\n".join(lines))
    task = ("--task", "verdict", "--grades", "1-5", "--budget", "200", "--seed", "1")
    command.ok("select", tmp_path / "outputs.csv", *task, "--out", tmp_path / "plan.json")
    drawn = [draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"]]
    (tmp_path / "votes.csv").write_text("row,label\n" + "".join(f"{row},{people[row]}\n" for row in drawn))
    files = ("estimate", tmp_path / "plan.json", tmp_path / "votes.csv")
    saved = json.loads(command.ok(*files, "--json", "-"))["verdicts"]["judge_assisted"]["saved"]
    words = command.ok(*files, "--prices", "2,0.004")
    [said] = [line for line in words.splitlines() if "Equally precise" in line]
    assert "label 200 outputs without a judge for 400," in said
    labeled = int(np.ceil(200 * (1 - saved)))
    assert f"judge all 5,000 outputs and label {labeled} for " in said
    both = (np.sqrt(1 - saved) + np.sqrt(saved * 0.002)) ** 2  # Cochran 1977, section 12.6
    assert f"for {100 * both:.0f}% of their price." in said
    assert "no judge pays" in command.ok(*files, "--prices", "2,1")
    assert "Expected the price of a label and of a judged output" in command.refusal(*files, "--prices", "2")
    assert "Expected more than 0 for a label" in command.refusal(*files, "--prices", "0,1")


def test_prices_without_a_judge_are_refused(command, tmp_path):
    (tmp_path / "outputs.csv").write_text("output\n" + "".join(f"text {row}\n" for row in range(60)))
    command.ok("select", tmp_path / "outputs.csv", "--budget", "30", "--seed", "1", "--out", tmp_path / "plan.json")
    drawn = [draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"]]
    votes = "row,label\n" + "".join(f"{row},{'wrong' if row % 3 else 'right'}\n" for row in drawn)
    (tmp_path / "votes.csv").write_text(votes)
    files = (tmp_path / "plan.json", tmp_path / "votes.csv")
    assert "--column judge=NAME" in command.refusal("estimate", *files, "--prices", "2,1")
