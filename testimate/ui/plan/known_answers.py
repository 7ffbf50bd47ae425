"""Inputs whose answers are known, slipped in among the plan's to see how often testers err: how many."""

from typing import Any

import streamlit as st

from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.core.words import spaced
from testimate.project.kept_labels import available_known_answers, chosen_known_answers
from testimate.session.draws import EVERY
from testimate.ui.components.terms import explained
from testimate.ui.current_project import project


def known_answers(subject: Subject, request: Request) -> tuple[tuple[int, Any], ...]:
    """Rows with their answers, as many as are wanted; if no answer is known, nothing is asked and there are none.

    The dataset's own answers are taken whether the truth is revealed or not: none of them is shown.
    """
    available = available_known_answers(project(), subject.key, project().inputs(subject.key))
    if not available:
        return ()
    count = st.number_input(
        "Known answers to slip in",
        0,
        len(available),
        0,
        help=explained(
            "known answer",
            f"{spaced(len(available))} have a known answer. About one input in {EVERY} is one of them, and nothing sets "
            "them apart from the others.",
        ),
    )
    return chosen_known_answers(available, int(count), request.seed)
