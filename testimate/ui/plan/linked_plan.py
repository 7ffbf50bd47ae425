"""A plan given by a link, such as a lecturer's: the settings that the page starts with, and which of them cannot be used."""

from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from testimate.core.selector import Request
from testimate.core.words import spaced
from testimate.selectors import SELECTORS
from testimate.ui.components.untrusted_text import escape_markdown

NAMES = ("technique", "budget", "seed", "within")
_KEPT = "plan of a link"


@dataclass(frozen=True)
class LinkedPlan:
    """What a link asks for; None where it does not say.

    Attributes
    ----------
    technique : by its short name. budget : labels. seed : of the draws. within : half-width wanted, in points.
    """

    technique: str | None = None
    budget: int | None = None
    seed: int | None = None
    within: float | None = None


def linked_plan(subject: str, size: int) -> LinkedPlan:
    """The plan of the link this page was opened by, for a subject of ``size`` inputs; an empty one if there is none.

    The link is applied once, so changes on the page afterwards stay.
    """
    given = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if given:
        st.session_state[_KEPT] = (subject, *read_plan(given, size))
        for name in given:
            del st.query_params[name]
        st.session_state.pop("by name", None)  # the only field that would keep an earlier choice
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != subject:
        return LinkedPlan()
    for sentence in kept[2]:
        st.warning(escape_markdown(sentence), icon=":material/link_off:")
    plan: LinkedPlan = kept[1]
    return plan


def read_plan(given: dict[str, str], size: int) -> tuple[LinkedPlan, list[str]]:
    """The settings that can be taken, and a sentence for each that cannot."""
    refused: list[str] = []
    technique = given.get("technique")
    if technique is not None and technique not in SELECTORS:
        refused.append(
            f"The link asks for the technique {technique!r:.40}; expected one of {', '.join(SELECTORS)}. The advised one is "
            "chosen instead."
        )
        technique = None
    budget = _number(given, "budget", 1, size, refused)
    seed = _number(given, "seed", 0, 2**31, refused)
    within = _number(given, "within", 0.5, 50, refused)
    whole = (None if budget is None else int(budget), None if seed is None else int(seed))
    return LinkedPlan(technique, *whole, within), refused


def _number(given: dict[str, str], name: str, low: float, high: float, refused: list[str]) -> float | None:
    text = given.get(name)
    if text is None:
        return None
    whole = isinstance(low, int) and name != "within"
    try:
        number = float(int(text)) if whole else float(text)
    except (ValueError, OverflowError):
        number = float("nan")
    if low <= number <= high:
        return number
    kind = "a whole number" if whole else "a number"
    refused.append(
        f"The link asks for {name}={text:.40}; expected {kind} from {low:g} to {spaced(int(high))}. The usual value is there "
        "instead."
    )
    return None


def link_to_plan(subject: str, request: Request, half_width: float | None) -> None:
    """The address of this plan, to put on a slide or send to a class."""
    said = {"subject": subject, "technique": request.technique, "budget": request.budget, "seed": request.seed}
    if half_width is not None:
        said["within"] = f"{100 * half_width:g}"
    address = (st.context.url or "http://localhost:8501/plan").split("?")[0]
    with st.popover("Link to this plan", icon=":material/link:", type="tertiary"):
        st.caption("Opens this subject with this technique, number of labels and seed: everyone draws the same inputs.")
        st.code(f"{address}?{urlencode(said)}", language=None, wrap_lines=True)
