"""A table that was kept is read as it was when it was kept, also where the rules have grown since."""

from dataclasses import replace
from pathlib import Path

import pytest

from testimate import open_subject, select
from testimate.core.errors import SubjectChanged
from testimate.core.fingerprint import of_bytes
from testimate.core.reading import ColumnRole
from testimate.planning.plan import check_fingerprint, inputs_of_plan, read_plan
from testimate.project.kept_subjects import KeptTable, reopened_table
from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices

RAGAS = "user_input,retrieved_contexts,response,reference,faithfulness\n" + "".join(
    f'"Who runs line {line}?","[\'Line {line} is run by crew {line % 4}.\']",'
    f'"Crew {(line + (line % 5 == 0)) % 4} runs line {line}.","Crew {line % 4}",{0.5 + line / 50:.3f}\n'
    for line in range(20)
)
CALLS = "".join(
    f'{{"prompt": "Plan {call} for the shop?", "response": "Buy {call + 3} crates, and sell them on day {call % 7}.", '
    f'"latency": "{1 + call / 4:.1f} s", "cost": "${call / 1000:.4f}"}}\n'
    for call in range(20)
)
CHANCES = "id,oof_prob,actual\n" + "".join(
    f"{row},{0.05 + (row * 37 % 90) / 100:.2f},{int((row * 37 % 90) > 40 + 9 * (row % 3 - 1))}\n" for row in range(60)
)
BEFORE = {
    "ragas.csv": (RAGAS, "2fcabbba81a66895dfec9dca2add6a49"),  # the list with one context was a text
    "calls.jsonl": (CALLS, "d0a343e03648c3122ae1d2537b2a2694"),  # amounts in units were words
    "chances.csv": (CHANCES, "fa4bfd8db81cb4e6d0c494449206131c"),
}
"""Tables, and the fingerprints under which the version of 2026-11-28 kept them."""


def kept(name, text, **choices):
    """The record of a table in a project, and the subject it is of."""
    table = KeptTable(name, choices=TableChoices(**choices))
    subject = read_table(text.encode(), name=name, choices=table.choices)
    return table.record(subject, Path(), b""), subject


@pytest.mark.parametrize("name", BEFORE)
def test_a_project_that_another_version_made_by_the_same_rules_opens(name):
    text, fingerprint = BEFORE[name]
    facts, today = kept(name, text)
    subject = reopened_table(facts | {"fingerprint": fingerprint}, text.encode(), Path())
    assert (subject.fingerprint, subject.key) == (fingerprint, f"table-{fingerprint[:12]}")
    assert {*subject.inputs.scores} == {*today.inputs.scores}


@pytest.mark.parametrize("name", BEFORE)
def test_a_plan_that_another_version_made_by_the_same_rules_is_still_that_of_its_table(name, tmp_path):
    text, fingerprint = BEFORE[name]
    (tmp_path / name).write_text(text)
    made = select(open_subject(tmp_path / name), budget=5, seed=1)
    made.write(tmp_path / "plan.json")
    stored = replace(read_plan(tmp_path / "plan.json"), table=str(tmp_path / name), fingerprint=fingerprint)
    check_fingerprint(stored, inputs_of_plan(tmp_path / "plan.json", stored))


TWO = "id,first,second,width\n" + "".join(f"{row},{'ab'[row % 2]},{'ab'[row % 3 % 2]},{row % 7}\n" for row in range(30))


def test_a_column_keeps_the_role_it_had_when_the_table_was_kept_whatever_the_cells_say_by_now():
    facts, subject = kept("two.csv", TWO, columns=(("prediction", "second"), ("ignore", "first")))
    roles = dict(subject.reading.roles) | {"second": ColumnRole("prediction", "the only classes")}
    reading = replace(subject.reading, roles=roles, left_out={"first": "it may be the truth"}, task_reason="its words")
    changes = ["ignore=first", "prediction=second"]  # what was found then, in place of the choices of today
    as_then = of_bytes(of_bytes(TWO.encode()).encode(), repr(changes).encode())
    facts |= {"columns": [], "reading": reading.to_json(), "fingerprint": as_then}
    found = reopened_table(facts, TWO.encode(), Path())
    assert found.fingerprint == as_then
    assert found.reading == reading
    assert found.inputs.predictions.tolist() == subject.inputs.predictions.tolist()
    assert "first" not in dict(found.dataset.show(0).cells)


def test_another_file_in_its_place_is_noticed_as_ever():
    facts, _ = kept("two.csv", TWO, columns=(("prediction", "second"), ("ignore", "first")))
    with pytest.raises(SubjectChanged, match="not what they were"):
        reopened_table(facts, TWO.replace("a", "c").encode(), Path())


def test_a_table_of_one_chance_opens_again_in_its_project(tmp_path):
    subject = Project(tmp_path).add_table("chances.csv", CHANCES.encode())
    again = Project(tmp_path).subject(subject.key)
    assert again.inputs.predictions.tolist() == subject.inputs.predictions.tolist()
    assert again.inputs.losses.tolist() == subject.inputs.losses.tolist()


@pytest.mark.parametrize(
    "found", [[], ["output=answer"], ["input=question", "output=answer"], ["output=answer", "show=id"]]
)
def test_a_table_opens_whether_its_roles_were_given_by_names_or_by_cells_when_it_was_kept(found):
    text = "id,question,answer\n" + "".join(
        f"{row},Who runs line {row}?,Crew {row % 4} runs it.\n" for row in range(30)
    )
    facts, subject = kept("asked.csv", text)
    content = of_bytes(of_bytes(text.encode()).encode(), b"verdict right-partly-wrong")
    as_then = of_bytes(content.encode(), repr(found).encode()) if found else content
    again = reopened_table(facts | {"fingerprint": as_then}, text.encode(), Path())
    assert (again.fingerprint, again.reading) == (as_then, subject.reading)
    otherwise = of_bytes(content.encode(), repr(sorted([*found, "ignore=answer"])).encode())
    with pytest.raises(SubjectChanged, match="not what they were"):
        reopened_table(facts | {"fingerprint": otherwise}, text.encode(), Path())
