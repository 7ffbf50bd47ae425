"""What people said in Prodigy: choices with and without a model's suggestion, decisions, and labels as votes for a plan."""

import numpy as np
import pandas as pd
import pytest

from testimate.subjects.prediction_table import read_table
from tests.each import each
from tests.tables.held_out_files import lines

SIZE = 120
RNG = np.random.default_rng(16)
WORDS = np.array(["ART", "NEWS", "SPORT"])
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE))


def choice(row, *, scored):
    """One task, its options in the order of their names and not of their chances."""
    chances = [0.9 if place == SAID[row] else 0.05 for place in range(3)]
    options = [
        {"id": word, "text": word.title(), **({"meta": f"{chance:.2f}"} if scored else {})}
        for word, chance in zip(WORDS.tolist(), chances, strict=True)
    ]
    answer = "ignore" if row % 10 == 9 else "accept"
    accepted = [str(WORDS[TRUTH[row]])]
    return {"text": f"Headline {row}", "options": options, "accept": accepted, "answer": answer, "_input_hash": 7 - row}


def test_of_a_choice_the_option_a_model_found_likeliest_is_predicted_and_ignored_tasks_are_open():
    subject = read_table(lines([choice(row, scored=True) for row in range(SIZE)]), name="choices.jsonl")
    assert subject.reading.with_role("prediction") == ("options.id",)
    assert subject.reading.with_role("confidence") == ("options.meta",)
    known = [row for row in range(SIZE) if row % 10 != 9]
    assert list(subject.inputs.known) == known
    assert subject.inputs.confidence.tolist() == [0.9] * SIZE
    right = [subject.inputs.known[row] == subject.task.classes[subject.inputs.predictions[row]] for row in known]
    assert np.mean(right) == pytest.approx((SAID == TRUTH)[known].mean())
    assert "accept" not in dict(subject.dataset.show(0).cells)


@each("ignored", [False, True])
def test_decisions_on_suggested_labels_are_known_unless_some_were_ignored(ignored):
    answers = ["ignore" if ignored and row % 9 == 8 else "accept" if row % 4 else "reject" for row in range(SIZE)]
    tasks = [
        {"text": f"T {row}", "label": str(WORDS[SAID[row]]), "answer": answer, "_input_hash": row * 7}
        for row, answer in enumerate(answers)
    ]
    subject = read_table(lines(tasks), name="binary.jsonl")
    assert subject.reading.with_role("prediction") == ("label",)
    assert "answer" not in dict(subject.dataset.show(0).cells)
    if ignored:
        assert subject.inputs.losses is None
        assert subject.reading.left_out["answer"] == "it says what is right or wrong"
    else:
        assert subject.inputs.losses.mean() == pytest.approx(0.25)


def test_choices_without_a_model_are_labels_for_a_plan_and_match_by_their_text(tmp_path, command):
    table = pd.DataFrame({"text": [f"Headline {row}" for row in range(SIZE)], "prediction": WORDS[SAID]})
    table.to_csv(tmp_path / "t.csv", index=False)
    tasks = [choice(row, scored=False) | {"answer": "accept"} for row in RNG.permutation(SIZE).tolist()]
    (tmp_path / "labels.jsonl").write_bytes(lines(tasks))
    plan, how = tmp_path / "p.json", ("--technique", "srs", "--budget", 9, "--seed", 1, "--out")
    refused = command("select", tmp_path / "labels.jsonl", *how, plan)
    assert "labels that people gave in Prodigy, and no predictions" in refused.err
    command.ok("select", tmp_path / "t.csv", "--technique", "srs", "--budget", SIZE, "--seed", 1, "--out", plan)
    said = command.ok("estimate", plan, tmp_path / "labels.jsonl")
    assert f"Accuracy {100 * (SAID == TRUTH).mean():.1f}%" in said
