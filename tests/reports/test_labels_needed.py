"""The panel's forecast of the labels still needed, which is recomputed only now and then."""

import pytest

from testimate.core.rounding import spaced
from testimate.estimators.labels_needed import labels_still_needed
from testimate.reports import words as module
from testimate.reports.words import still_needed, still_needed_words


def test_between_two_computations_the_forecast_counts_down_with_the_labels(open_session, say, monkeypatch):
    session, asked = open_session("srs", 250), []

    def compute(*given, **options):
        asked.append(given[0].labeled)
        return labels_still_needed(*given, **options)

    monkeypatch.setattr(module, "labels_still_needed", compute)
    forecasts = []
    for draw in session.draws[:60]:
        event = say(draw.row, int(session.inputs.truth[draw.row]))
        session.record([event])
        forecasts.append(still_needed(session, session.estimate()))
    assert asked == list(range(1, 61, 5))  # every fifth label, then every 5 % of them
    known = [one for one in forecasts if one is not None]
    assert len(known) > 40
    estimate, wanted = session.estimate(), session.session_record.half_width
    now = labels_still_needed(estimate, session.selector.design, wanted, always_valid=True)
    assert forecasts[-1] == pytest.approx(now, abs=5)


def test_without_a_stop_safe_interval_there_is_no_forecast(open_session):
    session = open_session("pace", 60)
    assert still_needed(session, None) is None
    assert still_needed_words(session, None) == ""


def test_the_sentence_says_where_the_plan_holds_fewer_inputs_than_are_needed(open_session, say):
    short, long = open_session("srs", 40), open_session("srs", 250)
    for session in (short, long):
        session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in session.draws[:10]])
    wanted = short.session_record.half_width
    for session, more in ((short, "; the plan holds 30 more"), (long, "")):
        estimate = session.estimate()
        needed = labels_still_needed(estimate, session.selector.design, wanted, always_valid=True)
        assert 30 < needed < 240
        assert still_needed_words(session, estimate) == f"That takes about {spaced(needed)} more labels{more}."
