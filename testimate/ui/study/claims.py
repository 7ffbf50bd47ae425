"""What the papers claim, beside what our studies measured and what was just measured on this subject."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.studies.claims import CLAIMS, NOT_RUN, ORDERS, PAPERS, JustMeasured, PaperClaim, Verdict, nothing_here
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.study.prioritizers import judged
from testimate.ui.study.techniques import file_of, last_choice

ICONS: dict[Verdict, str] = {
    "holds": ":material/check_circle:",
    "holds in part": ":material/contrast:",
    "not found here": ":material/cancel:",
    "cannot be tried": ":material/help:",
}


def claims(subject: Subject, inputs: Inputs) -> None:
    """The view: each paper with how its claims fared, and a line for each claim."""
    st.caption(
        "What our studies measured is quoted from this project's studies (docs/studies), with DeepSample's subjects D and "
        "G, DeepEST's CN12 and PACE's LeNets. The last column shows what you ran on this subject: run techniques "
        "side by side, and the prioritizers, to fill it in."
    )
    found = here(inputs)
    for paper in PAPERS:
        of_paper = [claim for claim in CLAIMS if claim.paper == paper]
        st.subheader(paper, anchor=False, divider="gray")
        st.caption(" · ".join(f"{icon} {verdict}: {count}" for verdict, icon, count in fared(of_paper)))
        st.table([row(claim, subject.name, found) for claim in of_paper], border="horizontal", hide_index=True)


def fared(of_paper: Sequence[PaperClaim]) -> list[tuple[Verdict, str, int]]:
    """Each verdict that some of the claims have, its sign, and how many have it."""
    counts = Counter(claim.verdict for claim in of_paper)
    return [(verdict, icon, counts[verdict]) for verdict, icon in ICONS.items() if counts[verdict]]


def row(claim: PaperClaim, name: str, found: JustMeasured) -> dict[str, str]:
    """The claim's line of the table."""
    return {
        "": f"{ICONS[claim.verdict]} {claim.verdict}",
        "The paper says": f"{claim.says} :gray[:small[{claim.place}]]",
        "Our studies measured": escape_markdown(unbroken(claim.studied())),
        f"On {escape_markdown(name)}": escape_markdown(unbroken(claim.here(found))) or f":gray[{said_of_none(claim)}]",
    }


def said_of_none(claim: PaperClaim) -> str:
    """The words for a claim about which nothing was measured on this subject."""
    return "–" if claim.here is nothing_here else NOT_RUN


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
