"""The Study page: ways out of its empty state, numbers that are the study's own, a race one can follow step by step."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.words import percent, percent_range
from testimate.project.compared_models import ComparisonChoice, csv_of
from testimate.reports.live import exact_metrics, live
from testimate.studies.claims import PAPERS
from testimate.studies.race import run_course, what_goes_on, without_truth
from testimate.studies.study import study
from testimate.ui.pages import PLAN, STUDY
from testimate.ui.study.lessons import LESSONS

QUICK = {"techniques": ["rrs", "srs"], "budgets": [30, 60], "repetitions": 4, "seed": 7}
NO_TRUTH = b"prediction,confidence\n" + b"".join(b"a,0.9\nb,0.6\n" for _ in range(20))


def button(test, label):
    return next(one for one in test.button if one.label == label)


def by_key(elements, key):
    return next(one for one in elements if one.key == key)


def words(test):
    return " ".join(str(one.value) for kind in ("markdown", "info", "caption") for one in test.get(kind))


def until_measured(test, rows=4):
    """Runs the page until the job is over; each run lasts as long as it takes to look at it."""
    for _ in range(600):
        if test.dataframe and len(test.dataframe[0].value) == rows and not test.get("progress"):
            return test
        test.run(timeout=120)
    raise AssertionError("the study did not end")


def test_without_a_subject_it_offers_the_demos(opened):
    test = opened("study")
    assert not test.exception
    assert [one.label for one in test.button if one.label.startswith("1. ")]
    by_key(test.button_group, "view").set_value("Side by side").run()
    assert "A study needs a test set whose true answers are known" in words(test)
    button(test, "Open the demo handwritten digits").click().run(timeout=120)
    assert not test.exception
    assert button(test, "Run")


def test_the_address_in_the_docs_opens_the_same_claims_with_nothing_open(opened):
    page = (Path(__file__).parents[2] / "docs" / "studies" / "claims.md").read_text()
    [address] = re.findall(r"\((http[^)]+)\)", page)
    named = urlsplit(address)
    assert named.path == f"/{STUDY.address}"
    test = opened("study", **dict(parse_qsl(named.query)))
    assert not test.exception
    assert "docs/studies/claims.md" in words(test)
    lines = [line.split(" | ") for line in page.splitlines() if re.match(r"\| (holds|not found|cannot)", line)]
    shown = [row for table in test.table for row in table.value.values.tolist()]
    assert len(lines) == len(shown) > 30
    for line, (verdict, says, _) in zip(lines, shown, strict=True):
        assert verdict.endswith(line[0].removeprefix("| "))
        assert says == f"{line[1]} :gray[:small[{line[2]}]]"


def test_without_a_known_truth_it_says_what_to_do(opened, project):
    key = project.add_table("plain.csv", NO_TRUTH).key
    test = opened("study", subject=key)
    assert not test.exception
    assert "A study needs true answers" in words(test)
    assert button(test, "Go to Project")


def test_several_models_have_a_page_of_their_own(opened, project):
    columns = {name: np.arange(40) % 3 for name in ("one", "other")}
    choice = ComparisonChoice("two.csv", "label")
    key = project.add_comparison(csv_of({**columns, "label": np.arange(40) % 3}), choice).key
    test = opened("study", subject=key)
    assert not test.exception
    assert "under Models, Compare" in words(test).replace("\\", "")


@pytest.mark.parametrize("view", ["Side by side", "Race", "Prioritizers", "What the papers claim"])
def test_numbers_that_are_predicted_are_borne_with(opened, project, view):
    rng = np.random.default_rng(2)
    lines = [
        f"{a:.3f},{a + e:.3f},{abs(e):.3f}" for a, e in zip(rng.normal(size=80), rng.normal(0, 0.3, 80), strict=True)
    ]
    table = "\n".join(["prediction,label,lsa", *lines]).encode()
    key = project.add_table("angles.csv", table, tolerance=0.4).key
    test = opened("study", subject=key, view=view)
    assert not test.exception
    assert not test.error
    if view == "Race":
        button(test, "One step").click().run()
        assert not test.exception
        assert "1 label" in words(test)


def test_a_small_study_runs_in_the_background_and_shows_the_studys_own_numbers(opened, project):
    test = opened("study", subject="digits")
    assert [heading.value for heading in test.header] == ["Learn"]
    by_key(test.multiselect, "study techniques").set_value(QUICK["techniques"])
    by_key(test.multiselect, "study budgets").set_value(QUICK["budgets"])
    by_key(test.number_input, "study repetitions").set_value(QUICK["repetitions"])
    by_key(test.number_input, "study seed").set_value(QUICK["seed"]).run()
    assert not test.exception
    assert "4 pairs of technique and budget to measure" in words(test)
    button(test, "Run").click().run(timeout=120)
    project.inputs("digits")
    until_measured(test)
    assert not test.exception
    expected = study(project.inputs("digits"), **QUICK, workers=1)
    shown = test.dataframe[0].value
    assert shown["RMSE"].tolist() == pytest.approx([100 * row.rmse for row in expected])
    assert shown["failures"].tolist() == pytest.approx([row.failures_mean for row in expected])
    assert shown["coverage"].tolist() == pytest.approx([100 * row.coverage for row in expected])
    assert len(test.get("plotly_chart")) == 5
    assert "All of this has been measured" in words(test)

    again = opened("study", subject="digits")  # another tab finds the study that was run last
    assert len(again.dataframe[0].value) == 4
    claims = opened("study", subject="digits", view="What the papers claim")
    assert not claims.exception
    assert "Mean RMSE over srs" in str(claims.table[0].value)
    assert [one.value for one in claims.subheader] == list(PAPERS)


def test_a_table_of_one_row_has_its_study_page(opened, project):
    key = project.add_table("one.csv", b"prediction,confidence,label\n1,0.9,1\n").key
    test = opened("study", subject=key)
    assert not test.exception
    assert "1 input" in words(test)
    assert "1 inputs" not in words(test)


def test_what_is_typed_as_a_budget_and_is_none_is_said_and_left_out(opened):
    test = opened("study", subject="digits")
    by_key(test.multiselect, "study budgets").set_value([50, "\u00b2", "0", "60", "1.5"]).run()
    assert not test.exception
    [warning] = test.warning
    assert warning.value.replace("\\", "").endswith("at least 1: \u00b2, 0, 1.5.")
    choice = next(one.value for one in test.caption if "pairs of technique" in one.value)
    assert choice.startswith("8 pairs")  # four techniques at 50 and 60


def test_a_study_that_is_canceled_says_so_and_can_go_on(opened):
    test = opened("study", subject="digits")
    by_key(test.number_input, "study repetitions").set_value(5000).run()
    button(test, "Run").click().run(timeout=120)
    assert "This keeps running" in words(test)
    button(test, "Stop").click().run(timeout=120)
    for _ in range(600):
        if any(one.label == "Run" for one in test.button):
            break
        test.run(timeout=120)
    assert not test.exception
    assert "You stopped this" in words(test)
    assert not button(test, "Run").disabled


def test_a_study_without_a_technique_is_said_and_not_run(opened):
    test = opened("study", subject="digits")
    by_key(test.multiselect, "study techniques").set_value([]).run()
    assert not test.exception
    assert "techniques" in test.error[0].value


@pytest.mark.slow  # half a minute; tests/studies/test_judged_orders.py holds the numbers
def test_prioritizers_are_judged_as_the_page_opens(opened):
    test = opened("study", subject="digits", view="Prioritizers")
    until_measured(test, rows=6)
    assert not test.exception
    table = test.dataframe[0].value
    assert table["order"].tolist()[0].endswith("(severity-first)")
    assert table["SFDR"].idxmax() == 0
    assert "134 of 1,497 inputs are faults" in words(test)


def race(opened):
    test = opened("study", subject="digits", view="Race")
    by_key(test.number_input, "race budget").set_value(40).run(timeout=120)
    assert not test.exception
    return test


def shown_metrics(test):
    return [(metric.label, metric.value) for metric in test.metric]


def test_the_race_goes_step_by_step_and_says_what_goes_on(opened, project):
    test = race(opened)
    assert "0 of 40 labels" in test.get("progress")[0].proto.text
    for _ in range(12):
        button(test, "One step").click().run()
    assert not test.exception
    assert "12 of 40 labels" in test.get("progress")[0].proto.text
    pace, rrs = (run_course(project.inputs("digits"), Request(name, 40, 1)) for name in ("pace", "rrs"))
    metrics = shown_metrics(test)
    assert ("Mean of chosen", percent(pace.accuracy[11])) in metrics
    assert ("95% interval", "none") in metrics
    assert ("Accuracy", percent(rrs.accuracy[11])) in metrics
    assert ("95% interval", percent_range(rrs.low[11], rrs.high[11])) in metrics
    plain = words(test).replace("\\", "")
    assert what_goes_on(without_truth(pace), 12) in plain
    assert what_goes_on(without_truth(rrs), 12) in plain


def test_the_race_shows_the_truth_and_exact_metrics_only_when_revealed(opened, project):
    test = race(opened)
    test.session_state["race at"] = 40.0
    test.run()
    inputs = project.inputs("digits")
    hidden = words(test) + test.get("progress")[0].proto.text
    assert "dashed" not in hidden
    assert "In the end" not in hidden
    button(test, "Reveal the truth").click().run()
    assert not test.exception
    assert f"dashed line: the truth, {percent(inputs.known_accuracy)}" in test.get("progress")[0].proto.text
    assert "In the end it" in words(test)
    rows = np.array([draw.row for draw in run_course(inputs, Request("rrs", 40, 1)).draws])
    exact = exact_metrics(inputs, rows)
    assert ("Found early (WFDR)", percent(exact.wfdr)) in shown_metrics(test)
    assert ("Severe first (SFDR)", percent(exact.sfdr)) in shown_metrics(test)


def test_the_race_estimates_the_metrics_of_faults_as_a_session_does(opened, project):
    test = race(opened)
    test.session_state["race at"] = 40.0
    test.run()
    session = project.start_session("digits", Request("rrs", 40, 1))
    truth = project.inputs("digits").truth
    while draws := session.upcoming(8):
        said = [(draw.row, int(truth[draw.row])) for draw in draws]
        session.record([Event(f"e{row}", "answer", row, "tester", "2026-01-01T00:00:00Z", one) for row, one in said])
    running = live(session).running
    assert ("Found early (WFDR)", percent(running.wfdr)) in shown_metrics(test)
    assert ("Severe first (SFDR)", percent(running.sfdr)) in shown_metrics(test)


def test_the_race_ends_where_a_session_labeled_with_the_truth_does(opened, project):
    test = race(opened)
    test.session_state["race at"] = 40.0
    test.run()
    session = project.start_session("digits", Request("rrs", 40, 1))
    truth = project.inputs("digits").truth
    while draws := session.upcoming(8):
        session.record(
            [
                Event(f"e{draw.row}", "answer", draw.row, "tester", "2026-01-01T00:00:00Z", int(truth[draw.row]))
                for draw in draws
            ]
        )
    estimate = session.estimate()
    metrics = shown_metrics(test)
    assert ("Accuracy", percent(estimate.accuracy)) in metrics
    assert ("95% interval", percent_range(estimate.low, estimate.high)) in metrics
    assert ("Stop-safe", percent_range(estimate.always_low, estimate.always_high)) in metrics


def test_another_seed_begins_anew_with_other_chances(opened):
    test = race(opened)
    button(test, "One step").click().run()
    button(test, "Another seed").click().run(timeout=120)
    assert "0 of 40 labels" in test.get("progress")[0].proto.text
    assert next(field for field in test.number_input if field.label == "Seed").value == 2


def test_go_and_pause_are_one_button_and_the_oracle_labels_by_the_clock(opened, monkeypatch):
    test = race(opened)
    clock = [100.0]
    monkeypatch.setattr("testimate.ui.study.race.monotonic", lambda: clock[0])
    button(test, "Go").click().run()
    clock[0] += 2.0
    button(test, "Pause").click().run()
    count = test.session_state["race at"]
    assert count <= 1  # what went by while paused is not made up for
    button(test, "Go").click().run()
    clock[0] += 2.0
    test.run()
    assert test.session_state["race at"] == pytest.approx(count + 10)  # five a second
    clock[0] += 1000.0  # the page stood still
    test.run()
    assert test.session_state["race at"] == pytest.approx(count + 25)


def test_a_lesson_is_a_card_whose_first_step_opens_the_plan_of_the_lecture_guide(opened):
    test = opened("study")
    assert [one.value for one in test.subheader] == [
        "1. Sampling and intervals",
        "2. Clusters and criticisms",
        "3. Severity",
    ]
    guide = (Path(__file__).parents[2] / "docs/how-to/lecture.md").read_text(encoding="utf-8")
    linked = [urlencode(step.opens) for step in LESSONS[0].steps if step.page is PLAN]
    assert len([address for address in linked if f"/plan?{address}" in guide]) == len(linked) == 2
    assert button(test, "Show me around")


def test_glossary_finds_the_terms_that_have_every_word(opened):
    test = opened("study", view="Glossary")
    everything = len(test.markdown)
    test.text_input[0].set_value("Severe FAULT").run()
    assert 0 < len(test.markdown) < everything
    assert all("severe" in one.value.casefold() and "fault" in one.value.casefold() for one in test.markdown)
    test.text_input[0].set_value("no such term at all").run()
    assert "Try fewer" in words(test)
