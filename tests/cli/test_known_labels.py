"""`testimate select --known`, and what `continue`, `estimate`, `recheck` and `reuse` make of labels that were known before."""

import json

import numpy as np
import pandas as pd
import pytest

SIZE = 240
RNG = np.random.default_rng(7)
TRUTH = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, SIZE)]
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, np.roll(TRUTH, 1))
TABLE = pd.DataFrame(
    {
        "prediction": SAID,
        "confidence": RNG.uniform(0.4, 1, SIZE).round(4),
        "picture": [f"p{row}.png" for row in range(SIZE)],
    }
)
KNOWN = np.flatnonzero(RNG.random(SIZE) < 0.5)


@pytest.fixture
def files(tmp_path):
    """The table, and known labels of about half of its inputs."""
    table, known = tmp_path / "table.csv", tmp_path / "known.csv"
    TABLE.to_csv(table, index=False)
    pd.DataFrame({"row": KNOWN, "label": TRUTH[KNOWN]}).to_csv(known, index=False)
    return table, known


def voted(plan_file, wrong=()):
    """Votes on all that a plan asks for, beside it; its JSON and the rows asked for."""
    plan = json.loads(plan_file.read_text())
    known = {row for row, _ in plan.get("known", ())}
    rows = [draw["row"] for draw in plan["draws"] if draw["row"] not in known]
    votes = plan_file.with_name("votes.csv")
    pd.DataFrame({"row": rows, "label": ["bee" if row in wrong else TRUTH[row] for row in rows]}).to_csv(
        votes, index=False
    )
    return votes, plan, rows


def test_select_says_how_many_are_known_and_estimate_counts_them_apart(command, files, tmp_path):
    table, known, plan_file = *files, tmp_path / "plan.json"
    said = command.ok("select", table, "--known", known, "--budget", 60, "--seed", 1, "--out", plan_file)
    votes, plan, rows = voted(plan_file)
    assert f"{len(rows)} inputs to label, picked by rrs" in said
    assert f"{60 - len(rows)} of 60 are known and not asked." in said
    assert f"{len(KNOWN) - 60 + len(rows)} more known labels were not drawn" in said
    drawn = [draw["row"] for draw in plan["draws"]]
    found = json.loads(command.ok("estimate", plan_file, votes, "--classes", "--json", "-"))
    assert found["known"] == {
        "used": 60 - len(rows),
        "drawn": 60,
        "beside": len(KNOWN) - 60 + len(rows),
        "disputed": [],
    }
    assert (found["labeled"], found["headline"]) == (60, "fixed")
    assert len(drawn) == 60
    assert f"{60 - len(rows)} of 60 were known and not asked." in command.ok("estimate", plan_file, votes)


def test_known_labels_match_the_table_by_its_files_too(command, files, tmp_path):
    table, _ = files
    known, plan_file = tmp_path / "by_file.csv", tmp_path / "plan.json"
    pd.DataFrame({"picture": [f"p{row}.png" for row in KNOWN], "label": TRUTH[KNOWN]}).to_csv(known, index=False)
    command.ok("select", table, "--known", known, "--budget", 60, "--seed", 1, "--out", plan_file)
    assert [row for row, _ in json.loads(plan_file.read_text())["known"]] == KNOWN.tolist()


def test_an_adaptive_plan_goes_on_past_known_inputs_by_itself(command, files, tmp_path):
    table, known, plan_file = *files, tmp_path / "plan.json"
    command.ok("select", table, "--known", known, "--technique", "rra", "--budget", 60, "--seed", 1, "--out", plan_file)
    for _ in range(9):
        votes, plan, rows = voted(plan_file)
        if len(plan["draws"]) == 60:
            break
        said = command.ok("continue", plan_file, votes, "--out", plan_file)
        assert "are known and not asked." in said
    found = json.loads(command.ok("estimate", plan_file, votes, "--json", "-"))
    assert (found["known"]["used"], found["labeled"], found["headline"]) == (60 - len(rows), 60, "fixed")
    assert set(rows).isdisjoint(KNOWN.tolist())


def test_a_second_look_finds_a_known_label_of_a_wrong_class(command, files, tmp_path):
    table, known, plan_file = *files, tmp_path / "plan.json"
    labels = TRUTH[KNOWN].copy()
    command.ok("select", table, "--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan_file)
    drawn = [draw["row"] for draw in json.loads(plan_file.read_text())["draws"]]
    wrong = next(row for row in drawn if row in KNOWN and SAID[row] == TRUTH[row])
    labels[KNOWN.tolist().index(wrong)] = next(word for word in ("ant", "bee", "cat") if word != TRUTH[wrong])
    pd.DataFrame({"row": KNOWN, "label": labels}).to_csv(known, index=False)
    command.ok("select", table, "--known", known, "--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan_file)
    votes, _, _ = voted(plan_file)
    check = tmp_path / "check.csv"
    command.ok("recheck", plan_file, votes, "--count", 60, "--seed", 2, "--out", check)
    looks = pd.read_csv(check)
    assert wrong in looks.row.tolist()
    looks.assign(label=TRUTH[looks.row]).to_csv(check, index=False)
    found = json.loads(command.ok("estimate", plan_file, votes, "--recheck", check, "--json", "-"))
    assert (found["recheck"]["looked_at"], found["recheck"]["changed"]) == (60, 1)
    assert found["recheck"]["accuracy"] == pytest.approx(np.mean([SAID[row] == TRUTH[row] for row in drawn]))


def test_known_labels_judge_the_next_version_as_votes_do(command, files, tmp_path):
    table, known, plain, helped = *files, tmp_path / "plain.json", tmp_path / "helped.json"
    version = tmp_path / "next.csv"
    TABLE.assign(prediction=np.where(np.arange(SIZE) % 9 == 0, TRUTH, SAID)).to_csv(version, index=False)
    command.ok("select", table, "--budget", 60, "--seed", 1, "--out", plain)
    command.ok("select", table, "--known", known, "--budget", 60, "--seed", 1, "--out", helped)
    found = []
    for plan_file in (plain, helped):
        votes, _, _ = voted(plan_file)
        found.append(json.loads(command.ok("reuse", version, "--plan", plan_file, "--votes", votes, "--json", "-")))
    assert found[0] == found[1]


def test_labels_of_which_none_is_a_class_are_refused(command, files, tmp_path):
    table, known = files
    pd.DataFrame({"row": [1, 2, 3], "label": ["unicorn", "dragon", "gryphon"]}).to_csv(known, index=False)
    said = command.refusal(
        "select", table, "--known", known, "--budget", 60, "--seed", 1, "--out", tmp_path / "plan.json"
    )
    assert "None of the 3 labels in 'known.csv' is a class of this network" in said
