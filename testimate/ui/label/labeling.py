"""The part of the Label page that runs again after an answer: the surface, beside it the panel, and what goes on after it."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import streamlit as st

from testimate.core.draw import Draw
from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.core.session_record import Event, SessionRecord, Tester
from testimate.core.subject import Shown
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.labels.testers import TeamDesk
from testimate.planning.build import titled
from testimate.project.second_looks import first_session_of, is_second_look
from testimate.project.version_labels import is_top_up
from testimate.reports.compared_models import compares_models
from testimate.reports.failure_codes import can_have_codes
from testimate.reports.live import LiveReport, live
from testimate.reports.people import TeamProgress, team_progress
from testimate.reports.words import done_words
from testimate.session.next_inputs import HAND, IDLE_SECONDS
from testimate.session.session import Session
from testimate.tasks.question import reason_needed
from testimate.ui.components.labeling_surface.fallback_buttons import fallback_buttons
from testimate.ui.components.labeling_surface.surface import labeling_surface
from testimate.ui.components.labeling_surface.view import (
    Past,
    QueuedInput,
    SurfaceView,
    failed_as_shown,
    names_given,
    usual_numbers,
)
from testimate.ui.components.terms import explained, technique_term
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words, sentence_of
from testimate.ui.label.live_panel import (
    PacedCharts,
    its_cluster_if_asked,
    last_fault_if_asked,
    one_line,
    own_panel,
    paced_charts,
    panel,
    surface_menu,
)
from testimate.ui.label.notices import CHOOSING, HeldUp, held_up, instructions_of, message_of, standstill_words, way_on
from testimate.ui.member import is_here
from testimate.ui.navigation import go
from testimate.ui.pages import COMPARE, LABEL, RESULTS, VERSIONS
from testimate.ui.tabs import steps
from testimate.ui.truth import report_as_revealed

AHEAD = 30
"""Inputs the browser holds, enough for a fast tester; an adaptive technique keeps as many open."""

FEW_LETTERS, LOW = 500, 130
"""A rubric with more characters scrolls in a box of this height in pixels."""

STRIP = 12

EVERY = 5.0
"""Seconds between two updates of a lead's panel."""


def labeling(session: Session, who: Tester) -> None:
    """Surface and panel; an answer runs this part of the page again and nothing else.
    A lead who only watches sees the current result of the team's answers.
    """
    every = None if takes_part(session, who) else EVERY
    called = name_of(session.session_record)  # once, not with every answer
    st.fragment(errors_in_words(surface_and_panel), run_every=every)(session, who, called)


def name_of(record: SessionRecord) -> str:
    """The name that a session was given, or ""; while the labels cannot be reached, the one this tab read last."""
    kept = f"name of {record.id}"
    with suppress(StoreUnavailable):
        st.session_state[kept] = project().session_changes.names().get(record.id, "")
    return str(st.session_state.get(kept, ""))


def takes_part(session: Session, who: Tester) -> bool:
    """Whether this person is given inputs: a team's lead only watches, without reserving any, until they choose to label."""
    in_a_team = session.session_record.votes_per_input is not None
    if not in_a_team or not who.leads or session.said_by(who.name):
        return True
    return bool(st.session_state.get(f"labels too {session.session_record.id}"))


def looks_on(session: Session) -> None:
    """In place of the surface: a lead may label, but only on request, because a shown input waits for its answer."""
    st.info("You're watching. The numbers update as your team labels.", icon=":material/visibility:")
    if st.button("Join in", icon=":material/label:", help="Takes inputs from the queue, as each tester does."):
        st.session_state[f"labels too {session.session_record.id}"] = True
        st.rerun()


def surface_and_panel(session: Session, who: Tester, called: str) -> None:
    """The surface comes first, so that an answer is acknowledged before any of the panel is computed or drawn.

    ``called`` : the name that the session was given, or "".
    """
    away = ""
    outcome = outcome_of(session)
    if not outcome.fresh:
        try:
            if not is_here(who):
                st.rerun()
            session.refresh()
        except StoreUnavailable as error:
            away = sentence_of(error)
    outcome.fresh = False
    charts = paced_charts(session.session_record.id)
    head = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
    with head:  # unchanging parts come before the surface, which measures the room below it
        steps(LABEL)
        what_is_labeled(session, called)
    judged = session.inputs.task.graded  # its panes stand side by side
    with st.container(key="surface and panel"):
        left, right = st.columns([8, 4] if judged else [6, 5], gap="medium")
    with left:
        if not session.inputs.task.criteria:  # of which each shows its own
            rubric(session.session_record.rubric)
        charts.begin_run()
        asked = takes_part(session, who)
        desk, held, away = desk_and_held_up(session, who, away, asked)
        row = surface(session, who, away, charts, held) if asked else None
        brief = st.container(key="panel-in-a-line")  # of a narrow screen, on which the panel lies below the surface
        with_faults = who.leads and not judged and not is_second_look(session.session_record)
        if asked:
            surface_menu(last_fault_known=with_faults)
        else:
            looks_on(session)
    report = live(session) if who.leads else team_progress(session)
    if isinstance(report, LiveReport) and (words := one_line(session, report_as_revealed(report))):
        brief.markdown(words)
    with head:
        how_far(report, counted_below=asked and not st.session_state.get("plain buttons"))
        on_from_here(session, who)
    if asked:
        with left:
            its_cluster_if_asked(session, row)
            if with_faults:
                last_fault_if_asked(session)
    with right:
        way_on(held, session.session_record, who)
        if desk is not None and not away:
            message_of(desk)
            instructions_of(desk, session.session_record.id)
        with st.container(gap="xsmall", key="panel"):  # of which all but the details is seen without scrolling
            if isinstance(report, LiveReport):
                panel(session, report_as_revealed(report), charts)
            else:
                own_panel(session, report, who, goes_on=row is not None)


def on_from_here(session: Session, who: Tester) -> None:
    """Once the plan is done, the way to its results, or to more labels."""
    if not session.finished or not who.leads:
        return
    record = session.session_record
    if is_second_look(record):
        if st.button("See what it corrects", type="primary", icon=":material/arrow_forward:"):
            go(RESULTS, subject=record.subject, session=first_session_of(record))
        return
    if is_top_up(record):
        if st.button("See the versions", type="primary", icon=":material/arrow_forward:"):
            go(VERSIONS, subject=record.subject)
        return
    words, target = ("See the ranking", COMPARE) if compares_models(session) else ("See the results", RESULTS)
    if st.button(words, type="primary", icon=":material/arrow_forward:"):
        st.switch_page(target.file)
    extend_button(session, who)


def what_is_labeled(session: Session, called: str) -> None:
    """What is asked, and the session's name, or else its subject, and its technique."""
    record = session.session_record
    asked = record.question or session.inputs.task.usual_question
    st.markdown(f"**{escape_markdown(asked)}**", width="content")
    name = called or record.subject_name
    words = f"\u2068{escape_markdown(name)}\u2069 · {titled(record.request.technique)}"
    st.markdown(words, help=explained(technique_term(type(session.selector))), width="content")


def rubric(words: str) -> None:
    """What the grades mean, in view while one grades; nothing if nobody wrote it."""
    if words:
        with st.container(height="content" if len(words) < FEW_LETTERS else LOW, border=True, key="rubric"):
            lines = [escape_markdown(line) for line in words.splitlines()]
            st.caption("**Rubric**  \n" + "  \n".join(lines))


def how_far(report: LiveReport | TeamProgress, *, counted_below: bool) -> None:
    """The session's progress, and how long the rest takes; a tester does not see how many inputs the team agrees on.

    ``counted_below`` : whether the surface is below, which counts the answers itself.
    """
    done, planned = (
        (report.counts.done, report.planned) if isinstance(report, LiveReport) else (report.answered, report.inputs)
    )
    parts = [] if counted_below else [f"{commas(done)} of {commas(planned)}"]
    if isinstance(report, LiveReport) and report.counts.answered < done:
        parts += [f"{commas(report.counts.answered)} answered", f"{commas(report.counts.cannot_tell)} can't tell"]
    if isinstance(report, LiveReport) and report.counts.skipped:
        parts += [f"{commas(report.counts.skipped)} skipped"]
    if isinstance(report, LiveReport) and report.per_minute is not None and report.minutes_left:
        left = f"{report.minutes_left:.0f}" if report.minutes_left >= 1 else "under 1"
        parts += [f"{report.per_minute:.0f} a minute", f"{left} min left"]
    if parts:
        st.markdown(" · ".join(parts), width="content")


@dataclass
class Outcome:
    """What happened to the events this browser page sent last."""

    acknowledged: Collection[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    offline: str = ""
    fresh: bool = False
    """Whether storing them has already read the labels and checked who is here, so that this run need not do so again."""


def outcome_of(session: Session) -> Outcome:
    """What happened to the events sent last from this tab."""
    kept: Outcome = st.session_state.setdefault(f"outcome {session.session_record.id}", Outcome())
    return kept


def desk_and_held_up(
    session: Session, who: Tester, away: str, asked: bool
) -> tuple[TeamDesk | None, HeldUp | None, str]:
    """The decisions of a team's leads; why the tester, if ``asked``, gets no inputs; why the labels cannot be reached.

    ``away`` : the last of these, if it is already known.
    """
    if session.session_record.votes_per_input is None:
        return None, None, away
    try:
        desk = project().team.desk()
        return desk, held_up(session.session_record, who, desk) if asked else None, away
    except StoreUnavailable as error:
        return None, None, away or sentence_of(error)


def surface(session: Session, who: Tester, away: str, charts: PacedCharts, held: HeldUp | None) -> int | None:
    """The labeling surface, or plain buttons where the tester prefers them; returns the row that is asked first.

    ``away`` : why the labels cannot be reached now, in a sentence; empty if they can. ``charts`` : those beside it, for
    which the surface asks again once they may be drawn. ``held`` : why the tester gets no inputs.
    """
    name = f"outcome {session.session_record.id}"

    def record(events: list[Event]) -> None:
        try:
            if not is_here(who):
                return  # the browser keeps the events until the same tester has logged in again
            recorded = session.record(events, lead=who.leads)
        except TestimateError as error:
            st.session_state[name] = Outcome(offline=sentence_of(error))
        else:
            st.session_state[name] = Outcome(recorded.acknowledged, recorded.refused, fresh=True)
            say_what_came_late(session, events, recorded.acknowledged)

    plain = st.session_state.get("plain buttons", False)
    view = view_of(session, outcome_of(session), who, away, charts.rest if who.leads else 0.0, held)
    if plain:
        fallback_buttons(view, key="fallback", on_event=lambda event: record([event]))
    else:
        labeling_surface(view, key="surface", on_events=record)
    return view.queue[0].row if view.queue else None


def say_what_came_late(session: Session, events: Sequence[Event], acknowledged: Collection[str]) -> None:
    """Tells a team's tester whose input was meanwhile given to somebody else that their answer is kept as well."""
    said = {event.row for event in events if event.id in acknowledged and event.kind in ("answer", "cannot tell")}
    late = sorted(row for row in said if session.answers_beyond(row))
    if late:
        words = f"Input {commas(late[0])} was" if len(late) == 1 else f"{commas(len(late))} inputs were"
        st.toast(f"{words} given to another tester in between. Your answer is saved and counts, too.")


def next_draws(session: Session, who: Tester) -> tuple[tuple[Draw, ...], str]:
    """The tester's next inputs and, if they cannot be chosen again, the reason; then the previous ones are kept.

    Of those only what the tester has not answered since: it would be labeled a second time.
    """
    name = f"next {session.session_record.id} {who.name}"
    alone = session.session_record.votes_per_input is None
    try:
        st.session_state[name] = draws = session.upcoming(AHEAD if alone else HAND, who.name)
    except StoreUnavailable as error:
        answered = {row for row, said in session.votes().items() if who.name in said}
        kept = tuple(draw for draw in st.session_state.get(name, ()) if draw.row not in answered)
        return kept, sentence_of(error)
    return draws, ""


def shown_inputs(session: Session, who: Tester, rows: Sequence[int]) -> dict[int, Shown]:
    """What a person sees of the rows; those shown at the last look are not drawn again."""
    name = f"shown {session.session_record.id} {who.name}"
    of, before = st.session_state.get(name, (None, {}))
    before = before if of is session else {}
    shown = {row: before[row] if row in before else session.show(row) for row in rows}
    st.session_state[name] = session, shown
    return shown


def reasons_of(record: SessionRecord, task: Task) -> tuple[int, ...]:
    """The places of the grades that are answered with a reason."""
    if not task.graded:
        return ()
    if record.reasons == "faults" and not task.compares:
        return task.fault_grades
    return tuple(range(len(task.classes))) if reason_needed(record.reasons, task, 0.0) else ()


def codes_while_labeling(session: Session) -> bool:
    """Whether a tester may say why an input failed: where their own answer settles it, and in no second look."""
    record = session.session_record
    return can_have_codes(session) and record.votes_per_input in (None, 1) and not is_second_look(record)


def asks_again(held: int) -> float:
    """Seconds after which a team's page checks again by itself, 0 if not: to give back idle inputs, or to get some."""
    if held == 1:
        return 0.0
    return IDLE_SECONDS + 1 if held else EVERY


def view_of(
    session: Session,
    outcome: Outcome,
    who: Tester,
    away: str = "",
    ask_again: float = 0.0,
    held: HeldUp | None = None,
) -> SurfaceView:
    """What the surface shows this tester now; ``held``: why it shows no input."""
    record, inputs = session.session_record, session.inputs
    draws, no_turns = next_draws(session, who) if held is None else ((), "")
    counts = session.counts()
    past = tuple(reversed(session.recent(STRIP, who.name)))
    shown = shown_inputs(session, who, [draw.row for draw in draws] + [vote.row for vote in past])
    done, planned = (counts.done, counts.drawn) if who.leads else (session.said_by(who.name), session.answered()[1])
    if record.votes_per_input is None:
        said, slipped = session.slipped_in_so_far(who.name)
        done, planned = done + said, planned + slipped
    alone = record.votes_per_input is None
    left = None if alone or draws or held else session.still_open(who.name)
    standstill = held.words if held else "" if left is None else standstill_words(left)
    over = session.finished if alone else held is not None or (left is not None and left.over)
    task = inputs.task
    coded = session.codes_given()
    queue = [
        QueuedInput(
            row=draw.row,
            position=0 if session.is_slipped_in(draw.row) else session.position_of(draw.row),
            shown=shown[draw.row],
            why=draw.reason if record.show_prediction else "",  # "chance of failure 70%" hints at the answer
            prediction=inputs.task.prediction_text(inputs.predictions[draw.row]) if record.show_prediction else None,
        )
        for draw in draws
    ]
    history = [
        Past(
            row=vote.row,
            position=0 if session.is_slipped_in(vote.row) else session.position_of(vote.row),
            answer=vote.answer,
            label="can't tell" if vote.answer is None else inputs.task.answer_text(vote.answer),
            failed=failed_as_shown(task, vote.loss),
            shown=shown[vote.row],
            why="" if session.is_slipped_in(vote.row) else session.draw_of(vote.row).reason,
            codes=coded.get(vote.row, ()),
        )
        for vote in past
    ]
    return SurfaceView(
        session=record.id,
        tester=who.name,
        task=task,
        queue=queue,
        history=history,
        acknowledged=outcome.acknowledged,
        refused=outcome.refused,
        done=done,
        planned=planned,
        waiting=not queue and not over,
        waiting_words=CHOOSING if record.votes_per_input is None else standstill,
        finished=over,
        finished_words=done_words(counts) if alone or (who.leads and session.finished and not held) else standstill,
        usual=usual_numbers(inputs.predictions) if inputs.task.numeric else None,
        reasons=reasons_of(record, task),
        colors=record.colors,
        names=names_given(task, (one for said in session.votes().values() for one in said.values()))
        if task.outside
        else (),
        codes=tuple(dict.fromkeys(name for names in coded.values() for name in names))
        if codes_while_labeling(session)
        else None,
        predictions_shown=record.show_prediction,
        offline_error=outcome.offline or away or no_turns,
        ask_again=ask_again or (0.0 if alone else asks_again(len(queue))),
    )


MORE = 50
"""Labels that one press adds, if there are that many inputs."""


def extend_button(session: Session, who: Tester) -> None:
    """ "Label 50 more", which extends the plan at once; if it was pressed elsewhere in the meantime, it changes nothing."""
    stored = session.session_record.request.options.get("rows")  # of a part, or with draws made in advance
    left = len(session.inputs if stored is None else stored) - session.planned
    if stored is not None and left < 1:
        st.caption("This plan has no inputs left. To label more, make a new plan.")
        return
    more = max(min(MORE, left), 1)
    why_not = session.why_not_extended(more)
    if why_not:
        st.caption(escape_markdown(why_not))
        return
    meaning = "Adds inputs to this plan. All your answers keep counting."
    if st.button(f"Label {more} more", icon=":material/add:", help=meaning, key="label-more"):
        session.extend(more, who.name)
        st.rerun()
