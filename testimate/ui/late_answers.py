"""Answers still in the browser when Label was left: stored by whichever page comes next, before it computes anew."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.tester import Tester
from testimate.ui.components.labeling_surface.browser_events import read_message
from testimate.ui.components.labeling_surface.surface import Delivery, late_answers
from testimate.ui.components.labeling_surface.view import AnswerTask, SurfaceView
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.member import is_here

KEY = "late-answers"
_DELIVERY = "delivery of late answers"


def store_late_answers(who: Tester, *, labeling: bool) -> None:
    """Stores what this browser still holds of this tester; ``labeling``: on the Label page, whose surface sends its own."""

    def arrived(messages: list[object]) -> None:
        if is_here(who):
            st.session_state[_DELIVERY] = _stored(messages, who)

    on_surface = labeling and not st.session_state.get("plain buttons")
    leave = (st.query_params.get("session") or st.session_state.get("opened session") or "") if on_surface else ""
    with st.container(key=KEY):
        delivery = st.session_state.get(_DELIVERY, Delivery())
        late_answers(who.name, delivery, leave=leave, key=f"{KEY} of this browser", on_messages=arrived)


def _stored(messages: list[object], who: Tester) -> Delivery:
    """Records the events of each message in its session; a refusal is shown, for its answer is gone from the browser."""
    settled: list[str] = []
    strangers: list[str] = []
    reason = ""
    try:
        known = {record.id: record for record in project().sessions()}
    except TestimateError as error:
        return Delivery(reason=str(error))
    for message in messages:
        name = message.get("session") if isinstance(message, dict) else None
        if not isinstance(name, str) or name not in known:
            strangers.append(str(name))
            continue
        try:
            if project().compute(known[name].subject) is not None:
                reason = "The model is still being run over the inputs; they are stored after that."
                continue
            session = project().session(name)
            task = session.inputs.task
            assert isinstance(task, AnswerTask), "the kinds of task that a person can answer"
            shown = known[name].show_prediction
            read = read_message(message, SurfaceView(name, who.name, task, predictions_shown=shown))
            if read is None:
                continue
            recorded = session.record(read.events, lead=who.leads)
        except TestimateError as error:
            reason = str(error)
            continue
        refused = {**read.refused, **recorded.refused}
        settled += [*recorded.acknowledged, *refused]
        for why in refused.values():
            st.toast(escape_markdown(f"An answer was not stored. {why}"), icon=":material/error:", duration="infinite")
    return Delivery(settled, strangers, reason)
