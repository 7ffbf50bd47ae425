"""The panel's forecast of the labels still needed, which is recomputed only now and then."""

from itertools import chain, pairwise, repeat

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.words import commas
from testimate.estimators.labels_needed import LabelsAhead, stop_safe_labels_needed
from testimate.planning.expected_range import line_labels
from testimate.project.project import Project
from testimate.reports import words as module
from testimate.reports.words import still_needed, still_needed_words


def same(count: int) -> LabelsAhead:
    """A forecast without a range."""
    return LabelsAhead(count, count, count)


def middle_of(found: LabelsAhead | None) -> int | None:
    return None if found is None else found.middle


def test_between_two_computations_the_forecast_counts_down_with_the_labels(open_session, say, monkeypatch):
    session, asked = open_session("srs", 250), []

    def compute(*given, **options):
        asked.append(given[0].labeled)
        return stop_safe_labels_needed(*given, **options)

    monkeypatch.setattr(module, "stop_safe_labels_needed", compute)
    forecasts = []
    for draw in session.draws[:60]:
        event = say(draw.row, int(session.inputs.truth[draw.row]))
        session.record([event])
        forecasts.append(middle_of(still_needed(session, session.estimate())))
    assert asked == list(range(1, 61, 5))  # every fifth label, then every 5% of them
    known = [one for one in forecasts if one is not None]
    assert len(known) > 40
    estimate, wanted = session.estimate(), session.session_record.half_width
    now = stop_safe_labels_needed(estimate, session.selector.design, session.verdicts(), wanted)
    assert forecasts[-1] == pytest.approx(now.middle, rel=0.25)


def test_once_the_bets_are_steady_no_forecast_leaps_though_each_fresh_one_does(open_session, say, monkeypatch):
    session = open_session("srs", 250)
    leaping = chain(repeat(90, 9), (400, 20, 400, 20), repeat(90))
    monkeypatch.setattr(module, "stop_safe_labels_needed", lambda *_, **__: same(next(leaping)))
    forecasts = []
    for draw in session.draws[:110]:
        session.record([say(draw.row, int(session.inputs.truth[draw.row]))])
        forecasts.append(middle_of(still_needed(session, session.estimate())) or 0)
    pairs = list(pairwise(forecasts[41:]))  # the first that rests on the bets alone is of 41 labels
    assert max(abs(after - before) / before for before, after in pairs) <= 0.26  # a quarter, and the label in between
    assert forecasts[-1] == pytest.approx(90, rel=0.25)  # it comes back to what the fresh ones say


def test_a_session_that_was_not_watched_takes_the_fresh_forecast(open_session, say, monkeypatch):
    session, fresh = open_session("srs", 250), iter([30, 400])
    monkeypatch.setattr(module, "stop_safe_labels_needed", lambda *_, **__: same(next(fresh)))
    found = []
    for part in (session.draws[:50], session.draws[50:150]):
        session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in part])
        found.append(middle_of(still_needed(session, session.estimate())))
    assert found == [30, 400]


def test_without_a_stop_safe_interval_there_is_no_forecast(open_session):
    session = open_session("pace", 60)
    assert still_needed(session, None) is None
    assert still_needed_words(session, None) == ""


def test_the_sentence_says_where_the_plan_holds_fewer_inputs_than_are_needed(open_session, say):
    short, long = open_session("srs", 40), open_session("srs", 250)
    for session in (short, long):
        session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in session.draws[:10]])
    wanted = short.session_record.half_width
    for session, more in ((short, ". Your plan has 30 left"), (long, "")):
        estimate = session.estimate()
        verdicts, request = session.verdicts(), session.session_record.request
        bets = stop_safe_labels_needed(estimate, session.selector.design, verdicts, wanted)
        lines = line_labels(session.inputs, wanted, request)
        needed = lines.ahead(bets, [one.draw.row for one in verdicts], [one.loss for one in verdicts])
        assert (needed.low, needed.high) != (bets.low, bets.high)  # under 40 labels Plan's forecast is asked as well
        assert 1 <= needed.low < needed.middle < needed.high <= len(session.inputs) - 10
        assert 30 < needed.middle < 240
        between = f"(likely {commas(needed.low)} to {commas(needed.high)})"
        said = f"About {commas(needed.middle)} more labels {between}{more}."
        assert still_needed_words(session, estimate) == said


def test_where_the_answer_is_a_number_the_forecast_is_of_the_share_within_tolerance(tmp_path, monkeypatch):
    project = Project(tmp_path)
    lines = ["prediction,label", *(f"{row},{row + (5 if row % 4 == 0 else 0.5)}" for row in range(400))]
    tolerance = 1.0
    subject = project.add_table("numbers.csv", "\n".join(lines).encode(), tolerance=tolerance, task="regression")
    session = project.start_session(subject.key, Request("srs", 200, 1))
    asked = []
    monkeypatch.setattr(module, "stop_safe_labels_needed", lambda *given, **_: asked.append(given) or same(10))
    for draw in session.upcoming(60):
        answer = float(session.inputs.truth[draw.row])
        session.record([Event(f"event-{draw.row:04}", "answer", draw.row, "Ann", "2026-11-25T10:00:00Z", answer)])
    assert still_needed(session, session.estimate()) == LabelsAhead(10, 10, 10)
    [(estimate, _, verdicts, _)] = asked
    assert {verdict.loss for verdict in verdicts} == {0.0, 1.0}
    assert sum(verdict.loss for verdict in verdicts) / 60 == pytest.approx(1 - estimate.accuracy)
