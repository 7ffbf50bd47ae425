"""Strata: how an auxiliary variable divides the inputs into groups, and how each technique spends the budget on them."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.clusters import allocation, strata_histogram
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.core.terms import TERMS
from testimate.core.words import commas, counted
from testimate.planning.build import build, titled
from testimate.planning.forecast import SCHEMES, allocations, strata_of
from testimate.planning.needs import possible
from testimate.reports.explained_words import plan_words
from testimate.selectors import SELECTORS
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_dialog import closer_look_if_asked
from testimate.ui.input_walls import how_many, losses_known, more_button, shown_inputs, wall
from testimate.ui.navigation import opened_session, opened_subject
from testimate.ui.page_head import about, nothing_here, page_head
from testimate.ui.pages import PLAN, STRATA, SUBJECT
from testimate.ui.shell import run_page

DRAWN = ("css", "sups")
"""Techniques whose draws are counted by default."""


def show() -> None:
    """The page."""
    head = page_head(STRATA)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    about(head, subject, inputs)
    if not inputs.scores:
        words = (
            "No strata: this table has no score to divide by. Add a confidence column, or label without strata (every "
            "input has the same chance)."
        )
        nothing_here(words, PLAN, SUBJECT, icon=":material/stacked_bar_chart:")
        return
    constant = st.container()
    with st.container(key="chart-and-detail"):
        left, right = st.columns([2, 1], gap="medium")
    with st.expander("Advanced", icon=":material/tune:"):
        division = chosen_division(inputs)
        techniques = also_drawn(inputs)
        scores, strata, name = inputs.score(division.auxiliary), division.strata(inputs), in_words(division.auxiliary)
        spent = allocations(inputs, division.auxiliary, strata, division.budget)
        spent |= drawn(techniques, inputs, division.auxiliary, strata, division.budget)
        table(inputs, scores, strata, spent)
    if np.ptp(scores) == 0:
        words = f"{name} is the same for all inputs, so it cannot separate them. Choose another, or plan without one."
        with constant:
            nothing_here(words, PLAN, icon=":material/stacked_bar_chart:")
    session = opened_session()
    if session is not None and session.inputs.fingerprint != inputs.fingerprint:
        session = None  # of another subject
    with left:
        histogram(scores, strata, name, log_count=division.log_count)
        labels_per_stratum(spent)
    with right, st.container(key=DETAIL):
        stratum_inputs(subject, inputs, session, scores, strata, name)


@dataclass(frozen=True)
class Division:
    """How the inputs are divided, how many labels are spent on them, and whether the histogram counts in powers of ten."""

    auxiliary: str
    scheme: str
    budget: int
    log_count: bool

    def strata(self, inputs: Inputs) -> NDArray[np.intp]:
        """Return the stratum of each input, (N,), from 0."""
        return strata_of(inputs, self.auxiliary, self.scheme)


def chosen_division(inputs: Inputs) -> Division:
    """Ask how to divide the inputs; at first by the confidence where there is one."""
    chooser = st.columns([3, 4, 2, 2], vertical_alignment="bottom")
    names = list(inputs.scores)
    auxiliary = chooser[0].selectbox(
        "Failure score",
        names,
        index=names.index("confidence") if "confidence" in names else 0,
        format_func=in_words,
        help=auxiliary_help(names),
    )
    scheme = chooser[1].selectbox(
        "Cut into strata", list(SCHEMES), format_func=lambda name: SCHEMES[name], help=SCHEME_HELP
    )
    budget = chooser[2].number_input("Labels, at most", 1, len(inputs), min(200, len(inputs)), key="strata budget")
    log_count = chooser[3].toggle("Log counts", value=True, key="log counts")
    return Division(auxiliary, scheme, int(budget), log_count)


DETAIL = "stratum-detail"
CHART = 270
SCHEME_HELP = (
    "Rule: lowest 10% of confidence, next 10%, other 80% (CSS, SSOA-R). "
    "Clusters: 1-d k-means (SSOA-C with 3, SSRS with 10). Equal spread: ten strata of equal expected spread of failures (rrs)."
)
WHY_STRATA = (
    "Its inputs are about equally likely to fail. Sampling each one separately usually gives a more precise estimate for the "
    "same number of labels."
)
SPENT_HELP = explained(
    "Neyman allocation",
    "In proportion to size, by Neyman allocation on the spread, and in equal parts. Where the truth is known, "
    "also the best possible. Then the draws that techniques would make with seed 1, counted by stratum.",
)


def auxiliary_help(names: list[str]) -> str:
    """What an auxiliary variable is, and each of those available."""
    return "\n\n".join([explained("auxiliary variable"), *(explained(name) for name in names if name in TERMS)])


def in_words(auxiliary: str) -> str:
    """The auxiliary variable as it is shown."""
    return "1 - confidence" if auxiliary == "confidence" else auxiliary


def in_full(scheme: str) -> str:
    """A way to spend the budget, such as "ssrs (Neyman)", by the technique's title."""
    name, _, how = scheme.partition(" ")
    return f"{titled(name)} {how}".rstrip() if name in SELECTORS else scheme


def also_drawn(inputs: Inputs) -> list[str]:
    """Techniques whose draws are counted; those that learn from labels have none in advance."""
    fixed = [name for name, technique in SELECTORS.items() if not technique.adapts and not possible(inputs, technique)]
    return st.multiselect(
        "Count the draws of",
        fixed,
        [name for name in DRAWN if name in fixed],
        format_func=titled,
        key="drawn techniques",
        help="Not shown: techniques that learn as you label, because their picks aren't known in advance.",
        wrap=True,
    )


def histogram(scores: NDArray[np.float64], strata: NDArray[np.intp], name: str, *, log_count: bool) -> None:
    """How the variable is distributed, and where it is cut."""
    st.subheader("Distribution", anchor=False, help=explained("stratum", WHY_STRATA))
    counts = np.bincount(strata)
    lowest = [float(scores[strata == stratum].min()) for stratum in range(1, len(counts))]
    figure = strata_histogram(scores, lowest, name=name, counts=counts, log_count=log_count, dark=dark(), height=CHART)
    st.plotly_chart(figure, theme=None, key="distribution", alt="Histogram of the auxiliary variable, cut into strata")


def labels_per_stratum(spent: dict[str, NDArray[np.intp]]) -> None:
    """How many of the labels each technique gives to each stratum."""
    st.subheader("Labels per stratum", anchor=False, help=SPENT_HELP)
    st.plotly_chart(
        allocation({in_full(name): counts for name, counts in spent.items()}, dark=dark(), height=CHART),
        theme=None,
        key="allocation",
        alt="Labels per stratum and technique",
    )


def drawn(
    techniques: list[str], inputs: Inputs, auxiliary: str, strata: NDArray[np.intp], budget: int
) -> dict[str, NDArray[np.intp]]:
    """The draws of each technique by stratum, (H,) each; those that cannot be planned are left out, with the reason."""
    found = {}
    for technique in techniques:
        try:
            with st.spinner(f"Drawing with {technique} …"):
                rows = rows_of(inputs, Request(technique, budget, 1, auxiliary=auxiliary))
        except TestimateError as error:
            st.caption(escape_markdown(f"{titled(technique)}: {error}"))
            continue
        found[technique if technique not in ("srs", "ssrs", "rrs") else f"{technique} (drawn)"] = np.bincount(
            strata[rows], minlength=int(strata.max()) + 1
        )
    return found


@st.cache_data(
    show_spinner=False, max_entries=64, hash_funcs={Inputs: lambda inputs: inputs.fingerprint, Request: repr}
)
def rows_of(inputs: Inputs, request: Request) -> NDArray[np.intp]:
    """The rows that the technique would ask for, repeats included; computed once for each request."""
    return np.array([draw.row for draw in build(inputs, request).ask(request.budget)], dtype=np.intp)


def short(scheme: str) -> str:
    """The same as the heading of a narrow column; counted draws stay distinct from computed ones."""
    return scheme if scheme.endswith("(drawn)") else scheme.partition(" ")[0]


def table(
    inputs: Inputs, scores: NDArray[np.float64], strata: NDArray[np.intp], spent: dict[str, NDArray[np.intp]]
) -> None:
    """Sizes, spread and, where known, failures of each stratum; labels per technique."""
    rows = []
    for stratum in range(int(strata.max()) + 1):
        inside = strata == stratum
        row: dict[str, object] = {
            "stratum": stratum + 1,
            "inputs": int(inside.sum()),
            "share": 100 * float(inside.mean()),
            "lowest": float(scores[inside].min()),
            "highest": float(scores[inside].max()),
            "spread (sd)": float(scores[inside].std()),
        }
        if inputs.losses is not None:
            failing = inputs.task.failed(inputs.losses[inside])
            row["failing, known here"] = 100 * float(failing.mean())
        rows.append(row | {name: int(counts[stratum]) for name, counts in spent.items()})
    numbers = st.column_config.NumberColumn
    columns = {
        "inputs": numbers(format="localized"),
        "share": numbers(format="%.1f%%", help="Of all inputs."),
        "spread (sd)": numbers(format="%.3g", help="Standard deviation of the auxiliary variable in the stratum."),
        "failing, known here": numbers(format="%.1f%%", help=explained("fault", "Share of the stratum's inputs.")),
        "lowest": numbers(format="%.3g", help="Of the auxiliary variable in the stratum."),
        "highest": numbers(format="%.3g", help="Of the auxiliary variable in the stratum."),
        **{name: numbers(short(name), help=f"Labels by {in_full(name)}.") for name in spent},
    }
    st.dataframe(rows, hide_index=True, column_config=columns)


WALL = 24
ORDERS = ("at random", "largest first", "smallest first")


@st.fragment
@errors_in_words
def stratum_inputs(
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    scores: NDArray[np.float64],
    strata: NDArray[np.intp],
    name: str,
) -> None:
    """A stratum to choose, and its inputs; ``strata`` (N,) counts from 0, ``name`` is the auxiliary variable's."""
    count = int(strata.max()) + 1
    chosen = st.segmented_control(
        "Stratum",
        range(count),
        default=count - 1,
        required=True,
        format_func=lambda stratum: str(stratum + 1),
        key=f"stratum of {count}",
        help="Ordered by the failure score. The last one has the inputs most likely to fail.",
    )
    stratum = count - 1 if chosen is None else int(chosen)
    inside = np.flatnonzero(strata == stratum)
    st.markdown(escape_markdown(facts(inside, inputs, scores, name)))
    order = st.selectbox("Order", ORDERS, format_func=str.capitalize, key="stratum order", label_visibility="collapsed")
    shelf = f"stratum {stratum} {order}"
    rows = arranged(inside, scores, order)[: how_many(shelf, WALL)].tolist()
    why = {
        row: (f"stratum {stratum + 1} of {count}", f"its {name} is {scores[row]:.4g}", plan_words(session, row))
        for row in rows
    }
    more_lines = {row: tuple(line for line in lines if line) for row, lines in why.items()}
    under = {row: f"{scores[row]:.3g}" for row in rows}
    losses = losses_known(inputs, session)
    wall(
        shown_inputs(rows, subject, inputs, why=under, more=more_lines, losses=losses),
        key="stratum",
        size=72,
        label="Inputs of the stratum",
    )
    more_button(shelf, len(rows), len(inside), WALL)
    closer_look_if_asked(subject, inputs, session, more_lines)


def arranged(rows: NDArray[np.intp], scores: NDArray[np.float64], order: str) -> NDArray[np.intp]:
    """The rows in that order; "at random" is the same at every look."""
    if order == "at random":
        return np.random.default_rng(0).permutation(rows)
    sign = -1 if order == "largest first" else 1
    return rows[np.argsort(sign * scores[rows], kind="stable")]


def facts(rows: NDArray[np.intp], inputs: Inputs, scores: NDArray[np.float64], name: str) -> str:
    """What the stratum holds, in a sentence."""
    text = f"{counted(len(rows), 'input')}, {name} from {scores[rows].min():.4g} to {scores[rows].max():.4g}."
    if inputs.losses is not None:
        failed = int(inputs.task.failed(inputs.losses[rows]).sum())
        text += f" {commas(failed)} of them fail, known here."
    return text


run_page(STRATA, show)
