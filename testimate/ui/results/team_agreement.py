"""How far the testers of a session agree, who disputes what, and what the votes say once testers are weighed."""

from dataclasses import replace
from typing import Any

import streamlit as st

from testimate.core.errors import NotEnoughLabels
from testimate.core.rounding import percent
from testimate.labels.agreement import Agreement, agreement_of, dawid_skene
from testimate.session.session import Session
from testimate.ui.components.fact_list import facts
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.pages import DISPUTES

FEW = "Too few or too equal answers to tell."


def team_agreement(session: Session) -> None:
    """The section; nothing where one person labels alone."""
    if session.session_record.votes_per_input is None:
        return
    st.subheader("How far the testers agree", anchor=False)
    disputed, settled = session.disputed(), session.adjudicated()
    st.write(
        f"Waiting for more testers: {session.pending():,}. Disputed: {len(disputed):,}. Settled by a lead: {len(settled):,}. "
        "What is not settled has no answer; above it says what that could change."
    )
    if disputed and st.button("Go to Disputes", icon=":material/gavel:"):
        st.switch_page(DISPUTES.file)
    votes = hashable(session.votes())
    try:
        found = agreement_of(votes, numeric=session.inputs.task.numeric)
    except NotEnoughLabels as error:
        st.caption(escape_markdown(str(error)))
        st.caption(
            "With one tester alone there is nothing to compare. A lead adds another with: testimate testers add NAME"
        )
        return
    numbers(found)
    left, right = st.columns(2, gap="large")
    with left:
        testers(found)
    with right:
        classes(session, found)
    if not session.inputs.task.numeric:
        weighed(session, votes)


def hashable(votes: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The votes with each set of classes as a tuple."""
    return {
        row: {who: tuple(sorted(said)) if isinstance(said, list) else said for who, said in given.items()}
        for row, given in votes.items()
    }


def numbers(found: Agreement) -> None:
    """Agreement in three numbers."""
    columns = st.columns(4)
    columns[0].metric("Answered by two or more", f"{found.inputs:,}")
    columns[1].metric("Equal pairs of answers", percent(found.agreement))
    columns[2].metric(
        "Krippendorff's alpha",
        "–" if found.alpha is None else f"{found.alpha:.3f}",
        help=explained("Krippendorff's alpha"),
    )
    columns[3].metric(
        "Fleiss' kappa",
        "–" if found.fleiss is None else f"{found.fleiss:.3f}",
        help=explained("Fleiss' kappa", f"Over the {found.fleiss_inputs:,} inputs with the usual number of answers."),
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
    """Agreement on each class against the rest, the least first: these need better instructions."""
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
    with st.expander("Weigh the testers by how good they are (Dawid and Skene)", icon=":material/balance:"):
        best = dawid_skene(votes).best()
        answers = {row: list(said) if isinstance(said, tuple) else said for row, said in best.items()}
        losses = dict(zip(answers, session.inputs.losses_of(answers).tolist(), strict=True))
        majority = session.answers()
        changed = [row for row, said in answers.items() if row in majority and said != majority[row]]
        verdicts = [replace(verdict, loss=losses.get(verdict.draw.row, verdict.loss)) for verdict in session.verdicts()]
        try:
            estimate = session.estimate_of(verdicts)
        except NotEnoughLabels as error:
            st.caption(escape_markdown(str(error)))
            return
        measure = session.inputs.task.measure
        said = measure.value(estimate.accuracy)
        if estimate.low is not None and estimate.high is not None:
            said += f", between {' and '.join(measure.ends(estimate.low, estimate.high))}"
        st.write(
            escape_markdown(
                f"With these answers the accuracy would be {said}. They differ from the majority's on {len(changed):,} of the "
                f"{len(majority):,} settled inputs; inputs still open or disputed are counted by their likeliest answer."
            )
        )
        st.caption(FEW if len(best) < 30 else "Each tester's mistakes are learned from all votes together.")
