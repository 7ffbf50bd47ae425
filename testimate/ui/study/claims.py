"""What the papers claim, beside what our studies measured and what was just measured on this subject."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.studies.claims import CLAIMS, NOT_RUN, JustMeasured
from testimate.studies.judged_orders import ORDERS
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.study.prioritizers import judged
from testimate.ui.study.techniques import file_of, last_choice

ICONS = {
    "holds": ":material/check_circle:",
    "holds in part": ":material/contrast:",
    "not found here": ":material/cancel:",
}


def claims(subject: Subject, inputs: Inputs) -> None:
    """The view: a line for each claim."""
    st.caption(
        "What our studies measured is quoted from this project's studies (docs/studies), with DeepSample's subjects D and "
        "G, DeepEST's CN12 and PACE's LeNets. The last one shows what you ran on this subject: run techniques "
        "side by side, and the prioritizers, to fill it in."
    )
    found = here(inputs)
    rows = [
        {
            "": f"{ICONS[claim.verdict]} {claim.verdict}",
            "The paper says": f"{claim.says} :gray[:small[{claim.source}]]",
            "Our studies measured": escape_markdown(unbroken(claim.studied())),
            f"On {escape_markdown(subject.name)}": escape_markdown(unbroken(claim.here(found))) or f":gray[{NOT_RUN}]",
        }
        for claim in CLAIMS
    ]
    st.table(rows, border="horizontal", hide_index=True)


def unbroken(words: str) -> str:
    """The words with no line break between a number and its percent sign."""
    return words.replace(" %", "\u202f%")


def here(inputs: Inputs) -> JustMeasured:
    """What was measured on this subject so far."""
    try:
        rows = [row for row in last_choice(inputs).done(inputs, file_of(inputs)) if row is not None]
    except TestimateError:
        rows = []
    orders = [one for name in ORDERS if (one := judged().get((inputs.fingerprint, name))) is not None]
    return JustMeasured(rows, orders)
