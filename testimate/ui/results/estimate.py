"""The estimate on the Results page: in words, as a chart, assisted by a model, and what it rests on.

It rests on how far testers agree and on a second look at their answers. Beyond the score: each label of a set, the shares
of the grades, and where a judge is wrong. With several models each has a row, and a lecture reveals the truth as a step of
its own.
"""

from dataclasses import replace
from typing import Any

import streamlit as st

from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError, WrongDesign
from testimate.core.session_record import SessionRecord
from testimate.core.words import commas, level_words, percent, percent_range
from testimate.estimators.second_look import answered_of
from testimate.labels.agreement import Agreement, agreement_of, dawid_skene, error_rate_of
from testimate.planning.assisted import assisted_estimate, assisting, model_title, why_unassisted
from testimate.planning.build import titled
from testimate.planning.estimate import counting_ends, value_words
from testimate.planning.task_estimates import Prices, VerdictEstimate, bias_words, judge_words, outcomes_of
from testimate.project.further_criteria import add_criteria
from testimate.project.second_looks import (
    corrections,
    first_session_of,
    is_second_look,
    second_looks_at,
    start_second_look,
)
from testimate.project.version_history import history_of
from testimate.project.version_labels import is_top_up, shared_models
from testimate.reports.compared_models import labels_of_plans, row_of, subtracted
from testimate.reports.criteria import asked_later, criteria_lines, session_criteria
from testimate.reports.live import LiveReport
from testimate.reports.people import (
    comparable_votes,
    disputed_draws,
    in_words,
    known_answer_words,
    known_label_words,
    label_accuracies,
    with_disputes,
)
from testimate.reports.remarks import remarks
from testimate.reports.words import (
    DECIDED,
    JudgeError,
    counts_words,
    decided_words,
    earlier_interval_words,
    extended_words,
    judge_errors,
    measured_words,
    other_interval_words,
    reasons_given,
    skipped_words,
)
from testimate.selectors import with_honest_interval
from testimate.session.session import Session
from testimate.tasks.verdict import criterion_of
from testimate.ui.components.fact_list import facts
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained, technique_term
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.member import present_member
from testimate.ui.navigation import go
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import DISPUTES, LABEL, RESULTS, VERSIONS
from testimate.ui.result_charts import estimate_chart
from testimate.ui.sessions import moment
from testimate.ui.truth import reveal, truth_revealed


def estimate_in_words(session: Session, report: LiveReport) -> None:
    """The estimate as a sentence, and what qualifies it."""
    words, estimate = report.words[:1].upper() + report.words[1:], report.estimate
    with st.container(key="the answer"):
        st.markdown(f"#### {escape_markdown(words)}")
    why = "" if estimate is None else estimate.why
    measure = session.inputs.task.measure
    again = earlier_interval_words(session, estimate)
    for more in (
        with_disputes("", session, estimate).strip(),
        "" if report.errors is None else report.errors.words(),
        why,
        other_interval_words(session, estimate),
        skipped_words(estimate, measure, disputed_draws(session)),
        extended_words(session),
        again,
        *remarks(session),
        *known_label_words(session),
    ):
        if more:
            st.write(escape_markdown(more))
    if report.headline is not None and not session.inputs.task.compares:
        goal(session, report)


def goal(session: Session, report: LiveReport) -> None:
    """Whether the goal is reached and, where it is not, the way on."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(report.may_stop_words), width="content")
        if not report.may_stop and report.counts.to_do and st.button("Continue labeling", icon=":material/label:"):
            go(LABEL, subject=session.session_record.subject, session=session.session_record.id)


def accuracy(session: Session, report: LiveReport) -> None:
    """The running estimate, with the truth where it is known."""
    chosen = not session.selector.design.at_random
    what = session.inputs.task.measure.title
    watched = explained(
        "stop-safe interval", "Light band: stop-safe. Dark band: fixed-size, valid at the planned number of labels."
    )
    of = f"{what} of the chosen" if chosen else what
    st.subheader(f"{of}, label by label", anchor=False, help=explained("accuracy") if chosen else watched)
    if report.estimate is None:
        st.caption("No number yet: label a few more inputs.")
        return
    figure = estimate_chart(session, report, truth=report.truth)
    st.plotly_chart(figure, theme=None, key="as the labels came", alt=report.words)


def assisted(session: Session, report: LiveReport) -> None:
    """The estimate assisted by a model of the losses, on request; the plain one above stays the main one."""
    inputs, plain = session.inputs, report.estimate
    judged = inputs.task.graded
    if judged and not inputs.scores:
        return
    whose = "the judge's" if judged else "the network's own"
    with st.expander(f"Estimate with {whose} scores", icon=":material/function:"):
        models = assisting(inputs, session.selector.design)
        if plain is None or not models:
            why = why_unassisted(inputs, session.selector.design)
            st.caption(escape_markdown(why or "No estimate yet. Label more inputs."))
            return
        model = st.radio(
            "Which scores guess each input's loss?",
            [None, *models],
            format_func=lambda name: "none: keep the estimate above" if name is None else model_title(name, inputs),
            key=f"model {session.session_record.id}",
        )
        st.caption("Choose before you compare widths. An interval picked for being narrow misses more often.")
        if model is None:
            return
        counted, bound = outcomes_of(inputs.task, session.verdicts()), inputs.task.outcome_bound
        try:
            helped = assisted_estimate(inputs, session.selector.design, counted, plain, model=model, loss_bound=bound)
        except NotEnoughLabels as error:
            st.info(escape_markdown(str(error)), icon=":material/label:")
            return
        technique = session.session_record.request.technique
        measure, found = inputs.task.measure, with_honest_interval(helped.estimate, technique)
        st.markdown(escape_markdown(f"Model-assisted: {value_words(found, measure)}."))
        st.write(escape_markdown(helped.words))


def what_it_rests_on(session: Session, report: LiveReport) -> None:
    """How the number was measured, in three lines; folded below, all that it takes to check it."""
    st.subheader("How this was measured", anchor=False, help=explained(technique_term(type(session.selector))))
    st.markdown("  \n".join(map(escape_markdown, measured_words(session, report.estimate))))
    with st.expander("Everything needed to check it"):
        all_facts(session, report)


def all_facts(session: Session, report: LiveReport) -> None:
    """Design, seed, fingerprints."""
    record, estimate = session.session_record, report.estimate
    rows = {
        "Technique": titled(record.request.technique),
        "Method": "no number yet" if estimate is None else estimate.method,
        "Inputs": counts_words(report.counts),
        "Seed": str(record.request.seed),
        "Test set": f"{record.subject_name} ({record.fingerprint[:12]})",
        "Prediction shown before the answer": "yes" if record.show_prediction else "no",
        "Session": f"{record.id}, started {moment(record.created)}",
    }
    if record.prepared:
        rows["Inputs prepared"] = record.prepared
    measure = session.inputs.task.measure
    if report.exploit:
        rows["Picked to find faults (exploit picks)"] = (
            f"{commas(report.exploit)}, of which {commas(report.exploit_failures)} did"
        )
        rows["Drawn at random"] = (
            f"{commas(report.labeled - report.exploit)}; only these represent the unlabeled inputs"
        )
    if estimate is not None and estimate.standard_error is not None:
        rows["Standard error"] = measure.difference(estimate.standard_error, 2)
    if report.truth is not None:
        rows[f"{measure.true_noun.capitalize()} (known here)"] = measure.value(report.truth, 2)
    note = type(session.selector).claims.note
    facts(rows.items())
    if note:
        st.caption(escape_markdown(note))


FEW = "Too few answers, or too little variety, to say."


def team_agreement(session: Session) -> None:
    """The section; nothing where one person labels alone."""
    if session.session_record.votes_per_input is None:
        return
    st.subheader("Agreement between testers", anchor=False)
    disputed, settled = session.disputed(), session.adjudicated()
    st.write(
        f"Waiting for more testers: {commas(session.pending())}. Disputed: {commas(len(disputed))}. Settled by a "
        f"lead: {commas(len(settled))}. "
        "Inputs not settled count as unanswered. What that could change is shown above."
    )
    if disputed and st.button("Go to Disputes", icon=":material/gavel:"):
        st.switch_page(DISPUTES.file)
    votes = comparable_votes(session)
    try:
        found = agreement_of(votes, numeric=session.inputs.task.numeric)
    except NotEnoughLabels as error:
        st.caption(escape_markdown(str(error)))
        st.caption("Agreement needs two or more testers. A lead can add one: testimate testers add NAME")
        return
    numbers(found)
    if not session.inputs.task.numeric and (words := what_twice_answered_says(session, found)):
        st.write(escape_markdown(words))
    left, right = st.columns(2, gap="large")
    with left:
        testers(found)
    with right:
        classes(session, found)
    if not session.inputs.task.numeric:
        weighed(session, votes)


def known_answers(session: Session) -> None:
    """How often each tester was right on inputs slipped in because their answer is known; nothing where there are none."""
    given = known_answer_words(session)
    if not given:
        return
    st.subheader("Known answers", anchor=False, help=explained("known answer"))
    for words in given:
        st.write(escape_markdown(words))
    st.caption("These control inputs are not part of any estimate.")


def what_twice_answered_says(session: Session, found: Agreement) -> str:
    """How often each tester seems to err, and how many errors remain if each input is answered more than once."""
    wrong, needed = error_rate_of(found.agreement), session.session_record.votes_per_input or 1
    if wrong is None:
        return ""
    words = f"If they err independently, about {percent(wrong)} of each tester's answers are wrong."
    if needed < 2:
        return words
    return (
        f"{words} Each input is answered by {commas(needed)} and a lead settles their disputes, so only answers on "
        f"which all make the same error stay wrong: at most about {percent(wrong**needed, 2)}. A second look would find "
        "little more."
    )


def numbers(found: Agreement) -> None:
    """Side by side: inputs with two or more answers, equal pairs, Krippendorff's alpha and Fleiss' kappa."""
    columns = st.columns(4)
    columns[0].metric("Answered by two or more", commas(found.inputs))
    columns[1].metric("Pairs of answers that agree", percent(found.agreement))
    columns[2].metric(
        "Krippendorff's alpha",
        "–" if found.alpha is None else f"{found.alpha:.3f}",
        help=explained("Krippendorff's alpha"),
    )
    columns[3].metric(
        "Fleiss' kappa",
        "–" if found.fleiss is None else f"{found.fleiss:.3f}",
        help=explained(
            "Fleiss' kappa", f"Over the {commas(found.fleiss_inputs)} inputs with the usual number of answers."
        ),
    )


def testers(found: Agreement) -> None:
    """Each tester against the others, and each two."""
    st.markdown("**Testers**", help=explained("Cohen's kappa"))
    facts([(name, f"agrees with others on {percent(share)}") for name, share in found.per_tester.items()])
    st.dataframe(
        [
            {
                "Tester": pair.first,
                "and": pair.second,
                "Inputs": pair.inputs,
                "Equal": percent(pair.agreement),
                "Cohen's kappa": "–" if pair.kappa is None else f"{pair.kappa:.3f}",
            }
            for pair in found.pairs
        ],
        hide_index=True,
    )


def classes(session: Session, found: Agreement) -> None:
    """Agreement on each class against the rest, the lowest first: these need better instructions."""
    if not found.per_class:
        return
    st.markdown("**Classes, the least agreed on first**", help=explained("Alpha", "Of each class against the rest."))
    order = sorted(found.per_class.items(), key=lambda item: (item[1] is None, item[1] or 0.0))
    rows = [
        {
            "Class": session.inputs.task.answer_text(list(one) if isinstance(one, tuple) else one),
            "Alpha": "–" if alpha is None else f"{alpha:.3f}",
        }
        for one, alpha in order
    ]
    st.dataframe(rows, hide_index=True, height=250)


def weighed(session: Session, votes: dict[int, dict[str, Any]]) -> None:
    """The estimate with Dawid and Skene's answers in place of the majority's."""
    with st.expander("Weight the testers by how reliable they are (Dawid and Skene)", icon=":material/balance:"):
        best = dawid_skene(votes).best()
        answers = {row: list(said) if isinstance(said, tuple) else said for row, said in best.items()}
        losses = dict(zip(answers, session.inputs.losses_of(answers).tolist(), strict=True))
        majority, same = session.answers(), session.inputs.task.same_answer
        changed = [row for row, said in answers.items() if row in majority and not same(said, majority[row])]
        verdicts = [replace(verdict, loss=losses.get(verdict.draw.row, verdict.loss)) for verdict in session.verdicts()]
        try:
            estimate = session.estimate_of(verdicts)
        except NotEnoughLabels as error:
            st.caption(escape_markdown(str(error)))
            return
        measure = session.inputs.task.measure
        st.write(
            escape_markdown(
                f"With these answers the accuracy would be {value_words(estimate, measure)}. They differ from the majority's "
                f"on {commas(len(changed))} of the {commas(len(majority))} settled inputs. Inputs still open or disputed "
                "count by their most likely answer."
            )
        )
        st.caption(FEW if len(best) < 30 else "Each tester's mistakes are learned from all votes together.")


def each_label(session: Session) -> None:
    """The labels of a multi-label task; nothing for other tasks."""
    found = label_accuracies(session)
    if not found:
        return
    st.subheader("Each label by itself", anchor=False)
    st.caption(
        "For the accuracy above, the whole set has to be right. Here an input is right for a label if prediction "
        "and answer agree about that label."
    )
    rows = [
        {
            "Label": one.label,
            "Right, with its interval": in_words(one),
            "Present": one.present,
            "Predicted": one.predicted,
        }
        for one in found
    ]
    st.dataframe(rows, hide_index=True)


MOST = 8
"""Outputs in a gallery of the judge's errors."""

ACROSS = 9


def decision(session: Session, report: LiveReport) -> None:
    """Of two systems, which is preferred, or that it is not decided yet; nothing for other tasks."""
    decided = decided_words(session, report.estimate)
    if decided:
        show = st.success if decided.startswith(DECIDED) else st.info
        show(escape_markdown(decided), icon=":material/balance:")


PRICES = "In money or in time, both in the same unit."


def judge_assisted(found: VerdictEstimate | None, level: float, size: int) -> None:
    """Show the score that judges help to estimate and how far each is from people; nothing without judges."""
    if found is None or found.assisted is None:
        return
    judges = found.assisted
    st.markdown(escape_markdown(judges.headline))
    with st.expander("Judges beside people", icon=":material/gavel:"):
        lines = [
            {
                "Judge": one.name,
                "Outputs": commas(one.graded),
                "Mean": judges.measure.value(one.score) if one.graded else "–",
                "Beside people": bias_words(one),
            }
            for one in judges.found.judges
        ]
        st.dataframe(lines, hide_index=True, height="content")
        for remark in judges.remarks:
            st.write(escape_markdown(remark))
        if judges.found.saved > 0:
            with st.container(horizontal=True):
                label = st.number_input("A label costs", 0.01, None, 1.0, help=PRICES, width=160)
                judge = st.number_input("A judged output costs", 0.0, None, 0.01, format="%.3f", help=PRICES, width=160)
            st.markdown(escape_markdown(judges.cost_words(Prices(label, judge), size)))
        st.caption(
            "The estimate at the top is the plan's own, without the judges. Decide before you compare which one you report. "
            f"The ranges are {level_words(level)} intervals of a judge's mean less people's."
        )


def criteria(session: Session) -> None:
    """What the labels say by each criterion, and by all together; nothing where one question was asked."""
    if not session.inputs.task.criteria:
        return
    st.subheader("Criteria", anchor=False)
    together = st.toggle(
        "Correct for multiple comparisons", help="Wider, so that all of them hold at once (Bonferroni)."
    )
    found = session_criteria(session, together=together)
    if found is None:
        st.caption("No number yet. Label more.")
        return
    team = session.session_record.votes_per_input is not None
    lines = [
        {
            "Criterion": one.name,
            "Grades": one.scale,
            "Labels": one.labels,
            "Result": one.result,
            "Interval": one.interval,
            "Judges save": one.judges,
            **({"Testers agree": one.agreement} if team else {}),
        }
        for one in criteria_lines(session, found)
    ]
    st.dataframe(lines, hide_index=True, height="content")
    st.caption(
        "Judges help where there are enough labels. From 1 to 5, 4 and 5 count as right. An output with a criterion left out "
        "stays open."
    )
    for words in asked_later(session):
        st.caption(escape_markdown(words))
    further_criterion(session)


def further_criterion(session: Session) -> None:
    """Adds a criterion to those that are asked, and leads to Label, where it is."""
    with st.popover("Add a criterion"):
        st.caption("Answers so far count as skipped for it. You can add a grade to each on Label.")
        typed = st.text_input("Criterion", placeholder="polite:1-5=judge_polite | 5: it greets and thanks")
        if not st.button("Add criterion", type="primary") or not typed.strip():
            return
        try:
            added = add_criteria(project(), session.session_record.id, [criterion_of(typed)], present_member().name)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return
    go(LABEL, subject=added.session_record.subject, session=added.session_record.id)


def verdicts(session: Session, found: VerdictEstimate | None) -> None:
    """The section; nothing for other tasks, or while there is no honest number."""
    if found is None:
        return
    st.subheader("What people say about all inputs", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        lines = []
        for one in (*found.grades, *([found.right] if found.right is not None and len(found.grades) > 3 else [])):
            ends = one.estimate
            between = "" if ends.low is None or ends.high is None else percent_range(ends.low, ends.high)
            lines.append({"Grade": one.name, "Share": percent(ends.accuracy), "Interval": between})
        st.dataframe(lines, hide_index=True, height="content")
        if found.mean_grade is not None:
            value, low, high = found.mean_grade
            level = level_words(found.grades[0].estimate.level)
            between = "" if low is None or high is None else f" ({level} interval {low:.2f} to {high:.2f})"
            st.write(f"Mean grade {value:.2f}{between}.")
        st.caption("Fixed-size intervals.")
    with right:
        if found.judge is not None:
            st.markdown("**The judge and people**")
            st.write(escape_markdown(judge_words(found.judge)))
            st.caption(
                "Kappa is agreement beyond chance: 0 where the judge might as well guess, 1 where it always says what people "
                "say."
            )
    where_the_judge_errs(session)


def where_the_judge_errs(session: Session) -> None:
    """The outputs that the judge called right and people did not, and the other way round, the surest first."""
    errors = judge_errors(session)
    kinds = (
        ("called right", "Called right by the judge, and not by people"),
        ("called wrong", "Called wrong by the judge, and right by people"),
    )
    for kind, title in kinds:
        some = [one for one in errors if one.kind == kind]
        if some:
            st.markdown(f"**{title}** · {len(some)}")
            gallery(
                [_tile(session, one, reasons_given(session).get(one.row, "")) for one in some[:MOST]], across=ACROSS
            )


def _tile(session: Session, one: JudgeError, reason: str) -> Tile:
    why = f": {reason}" if reason else ""
    return Tile(
        session.show(one.row), f"score {percent(one.score, 0)}, {one.answer}{why}", help=f"input {commas(one.row)}"
    )


FEWEST, SHARE = 20, 5
"""A second look proposes a fifth of the answers, and at least this many if there are that many."""


def belongs_to_another(session: Session) -> bool:
    """If the session is a second look, says whose answers it corrects and leads there. Returns whether it is one."""
    record = session.session_record
    if not is_second_look(record):
        return False
    done = session.counts().done
    st.info(
        f"This is a second look at answers of another session, {commas(done)} of {commas(session.planned)} so far. It has no "
        "estimate of its own: it corrects the one of that session.",
        icon=":material/fact_check:",
    )
    with st.container(horizontal=True):
        if not session.finished and st.button("Continue", type="primary"):
            st.switch_page(LABEL.file)
        if st.button("Results of that session", type="primary" if session.finished else "secondary"):
            go(RESULTS, subject=record.subject, session=first_session_of(record))
    return True


def second_look(session: Session) -> None:
    """The section, for a session that is finished and whose answers are right or wrong."""
    if not session.finished:
        return
    try:
        count = answered_of(session.selector.design, session.verdicts()).rows.size
    except (BadInput, WrongDesign, NotEnoughLabels):
        return
    st.subheader("Are the answers right?", anchor=False)
    looks = second_looks_at(project(), session.session_record.id)
    for words in corrections(project(), session):
        st.write(escape_markdown(words))
    for record in looks:
        not_finished(record)
    why = (
        "Testers make mistakes, and the interval doesn't cover them: if 2 in 100 answers are wrong, the estimate is "
        "off by up to 2 points. Re-check a sample of answers, with the first answer hidden, and Testimate corrects "
        "the estimate."
    )
    with st.expander("Look at some answers again", expanded=not looks, icon=":material/fact_check:"):
        st.caption(why)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            few = min(count, max(FEWEST, round(count / SHARE)))
            wanted = st.number_input(
                "Answers to look at again", 1, count, few, key=f"second looks {session.session_record.id}", width=220
            )
            if st.button(f"Look at {commas(int(wanted))} again", icon=":material/fact_check:"):
                second = start_second_look(project(), session, int(wanted))
                go(LABEL, subject=second.session_record.subject, session=second.session_record.id)


def not_finished(record: SessionRecord) -> None:
    """The progress of a second look, and a button to continue it; nothing if it is finished."""
    second = project().session(record.id)
    second.refresh()
    if second.finished:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        done = f"{commas(second.counts().done)} of {commas(second.planned)}"
        st.markdown(f"Begun {moment(record.created)}: {done} looked at again.", width="content")
        if st.button("Continue", key=f"continue {record.id}"):
            go(LABEL, subject=record.subject, session=record.id)


def each_model(session: Session) -> None:
    """The models that the sample is for, each with its accuracy; nothing if it is for one."""
    record = session.session_record
    models = shared_models(record)
    if not models:
        return
    st.subheader("Each model", anchor=False)
    with st.spinner("Judging each model …"):
        history = history_of(project(), record.subject, only=models, level=record.level)
    if len(history.plans) > 1:
        st.caption(
            f"Judged by all {labels_of_plans(history)} that these inputs have; what stands above rests on this session's alone."
        )
    st.dataframe([row_of(one) for one in history.versions], hide_index=True, placeholder=UNKNOWN)
    for one in history.versions:
        if why := f"{one.version.name}: {one.why}" if one.why else subtracted(history, one):
            st.caption(escape_markdown(why))
    st.caption("The best of several on the same labels looks better than it is.")
    if st.button("Compare them on Versions"):
        go(VERSIONS, subject=record.subject)


def reveal_card(session: Session, report: LiveReport) -> None:
    """Where the right answers are known: the button that shows the truth, then whether the interval that counts holds it.

    Nothing for plans without such an interval, such as a list or part of a selection, which do not estimate the whole
    set.
    """
    estimate, truth = report.estimate, session.inputs.known_accuracy
    ends = None if estimate is None else counting_ends(estimate, report.headline)
    if estimate is None or ends is None or truth is None or not session.inputs.task.measure.is_share:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="reveal-card"):
        if not truth_revealed():
            st.markdown("The true answers are known here. Write down your estimate, then reveal them.", width="stretch")
            st.button("Reveal the truth", icon=":material/visibility:", key="reveal now", on_click=reveal, args=(True,))
            return
        where = "inside" if ends[0] <= truth <= ends[1] else "outside"
        missing = f"{100 * (1 - session.session_record.level):g} of 100 sessions"
        seldom = f"ever miss in at most {missing}" if report.headline == "always" else f"miss in about {missing}"
        st.markdown(
            f"**The truth is {percent(truth)}, {where} the interval.** The estimate is "
            f"{100 * abs(estimate.accuracy - truth):.1f} points off. Such intervals {seldom}: a class that labels with "
            "different seeds can count them.",
            width="stretch",
        )


def belongs_to_versions(session: Session) -> bool:
    """If the session is a top-up, says so and leads to Versions. Returns whether it is one."""
    record = session.session_record
    if not is_top_up(record):
        return False
    st.info(
        f"These are a few more labels for versions of a model, {commas(session.counts().done)} of {commas(session.planned)} so "
        "far. They have no estimate of their own: with the labels before them they judge the versions.",
        icon=":material/history:",
    )
    with st.container(horizontal=True):
        if not session.finished and st.button("Continue", type="primary"):
            st.switch_page(LABEL.file)
        if st.button("Versions", type="primary" if session.finished else "secondary"):
            go(VERSIONS, subject=record.subject)
    return True
