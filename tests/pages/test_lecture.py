"""A lecture: links that open a plan, what they cannot ask for, and the truth revealed as a step of its own."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.selectors import SELECTORS
from testimate.ui.plan.options import read_plan
from tests.each import each

LINKS = re.findall(
    r"\((http://localhost:8501/[^)\s]+)\)",
    (Path(__file__).parents[2] / "docs/how-to/lecture.md").read_text(encoding="utf-8"),
)


def fields(test) -> dict[str, object]:
    return {one.label: one.value for one in (*test.number_input, *test.selectbox)}


def test_a_link_opens_a_demo_with_its_technique_labels_seed_and_goal_and_a_change_afterwards_holds(opened, project):
    test = opened("plan", subject="digits", technique="ssrs", budget="60", seed="7", within="4")
    assert not test.exception
    assert not test.warning
    now = fields(test)
    assert (now["Technique"], now["Labels, at most"], now["Seed"]) == ("ssrs", 60, 7)
    assert now["Goal, ± points"] == 4.0
    assert test.expander[0].proto.expanded
    note = "From the link: Stratified simple random sampling (ssrs), 60 labels, seed 7, goal ±4 points."
    assert note in [one.value.replace("\\", "").replace("\u00a0", " ") for one in test.caption]
    assert "technique" not in test.query_params
    [budget] = [one for one in test.number_input if one.label == "Labels, at most"]
    budget.set_value(40).run()
    assert fields(test)["Labels, at most"] == 40
    [start] = [button for button in test.button if button.label == "Start labeling"]
    start.click().run()
    [record] = project.sessions()
    assert record.request == Request("ssrs", 40, 7, record.request.auxiliary, options=record.request.options)
    assert record.half_width == 0.04


def test_a_plan_is_linked_by_its_own_address_and_opens_as_it_was(opened):
    test = opened("plan", subject="digits")
    [address] = [block.value for block in test.code if "plan?" in block.value]
    said = dict(parse_qsl(urlsplit(address).query))
    again = opened("plan", **said)
    assert {name: fields(again)[name] for name in ("Labels, at most", "Seed")} == {"Labels, at most": 200, "Seed": 1}
    assert fields(again)["Technique"] == said["technique"]


def test_what_a_link_asks_for_and_cannot_be_is_said_and_the_usual_is_there(opened):
    test = opened("plan", subject="digits", technique="magic", budget="0", seed="x", within="nan")
    assert not test.exception
    said = " ".join(warning.value for warning in test.warning).replace("\\", "")
    for words in ("magic", "budget=0", "seed=x", "within=nan"):
        assert words in said
    assert fields(test)["Labels, at most"] == 200


@each("text", ["", "1e400", "٣", "-1", "1.5", "9" * 400, "<b>1</b>"])
def test_no_text_in_a_link_is_taken_for_another_number(text):
    plan, refused = read_plan({"budget": text}, 100)
    if text == "٣":  # a digit three, in another script, as Python reads it
        assert plan.budget == 3
        return
    assert plan.budget is None
    assert len(refused) == 1
    assert len(refused[0]) < 200


@each("link", LINKS)
def test_every_link_of_the_lesson_plans_names_a_page_a_demo_and_a_technique_there_are(link):
    parts = urlsplit(link)
    said = dict(parse_qsl(parts.query))
    assert parts.path in ("/plan", "/clusters")
    assert said.pop("subject") in ("glyphs", "digits", "road")
    assert said.pop("lecture") == "on"
    plan, refused = read_plan({name: said.pop(name) for name in list(said)}, 1_000)
    assert refused == []
    assert said == {}
    assert plan.technique is None or plan.technique in SELECTORS


def test_the_truth_is_revealed_as_a_step_and_the_card_says_whether_the_interval_holds_it(opened, project):
    session = project.start_session("digits", Request("rrs", budget=60, seed=1))
    truth = session.inputs.truth
    for place, draw in enumerate(session.upcoming(60)):
        session.record(
            [Event(f"event-{place:04}", "answer", draw.row, "tester", "2026-11-25T10:00:00Z", int(truth[draw.row]))]
        )
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not any("The truth is" in element.value for element in test.markdown)
    test.button(key="reveal now").click().run()
    [said] = [element.value for element in test.markdown if "The truth is" in element.value]
    estimate, known = session.estimate(), session.inputs.known_accuracy
    assert f"{100 * known:.1f}" in said
    assert f"{100 * abs(estimate.accuracy - known):.1f} points off" in said
    assert "outside" not in said
    assert "inside the interval" in said


def test_what_does_not_estimate_the_whole_set_is_not_held_against_the_truth_of_all(opened, project):
    session = project.start_session("digits", Request("pace", budget=20, seed=1))
    for draw in session.upcoming(20):
        answer = int(session.inputs.truth[draw.row])
        session.record([Event(f"event-{draw.row:04}", "answer", draw.row, "tester", "2026-11-25T10:00:00Z", answer)])
    test = opened("results", subject="digits", session=session.session_record.id, truth="on")
    assert not test.exception
    assert not any("The truth is" in element.value for element in test.markdown)
    assert not any(button.key == "reveal now" for button in test.button)
