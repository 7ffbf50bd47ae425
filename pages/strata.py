"""Strata: how an auxiliary variable cuts the inputs into groups, and how each technique spends the budget on them."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.opened import dark, opened_subject, page
from testimate.charts.allocation import allocation
from testimate.charts.strata_histogram import strata_histogram
from testimate.core.inputs import Inputs
from testimate.plans.allocations import SCHEMES, allocations, strata_of


def show() -> None:
    """The page."""
    found = opened_subject()
    if found is None:
        return
    inputs = found[1]
    st.header("Strata", anchor=False)
    if not inputs.scores:
        st.info("This table has no auxiliary variable. Add a column such as confidence, and its strata appear here.")
        return
    st.write(
        "A stratum is a group of inputs about equally likely to fail. Drawing from each stratum apart, and counting each by "
        "its size, makes the estimate more exact than the same number of labels drawn from the whole set at once."
    )
    chooser = st.columns([2, 3, 2])
    names = list(inputs.scores)
    auxiliary = chooser[0].selectbox(
        "Auxiliary variable",
        names,
        index=names.index("confidence") if "confidence" in names else 0,
        format_func=lambda name: "1 - confidence" if name == "confidence" else name,
        help="One number per input that foretells failure; larger means more likely to fail.",
    )
    scheme = chooser[1].selectbox(
        "Cut into strata", list(SCHEMES), format_func=lambda name: SCHEMES[name], help=SCHEME_HELP
    )
    budget = chooser[2].number_input("Budget (labels)", 1, len(inputs), min(200, len(inputs)), key="strata budget")
    scores = inputs.score(auxiliary)
    strata = strata_of(inputs, auxiliary, scheme)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Distribution, cut into strata", anchor=False)
        name = "1 - confidence" if auxiliary == "confidence" else auxiliary
        counts = np.bincount(strata)
        lowest = [float(scores[strata == stratum].min()) for stratum in range(1, len(counts))]
        log = st.toggle("Logarithmic counts", value=True, key="log counts")
        figure = strata_histogram(scores, lowest, name=name, counts=counts, log_count=log, dark=dark())
        st.plotly_chart(figure, theme=None, alt="Histogram of the auxiliary variable, cut into strata")
    with right:
        st.subheader("What each technique spends where", anchor=False)
        spent = allocations(inputs, auxiliary, strata, budget)
        st.plotly_chart(allocation(spent, dark=dark()), theme=None, alt="Labels per stratum and technique")
    table(inputs, scores, strata, spent)


SCHEME_HELP = (
    "Rule: lowest 10 % of confidence, next 10 %, other 80 % (CSS, SSOA-R). "
    "Clusters: 1-d k-means (SSOA-C with 3, SSRS with 10). Equal spread: ten strata of equal expected spread of failures (rrs)."
)


def table(
    inputs: Inputs, scores: NDArray[np.float64], strata: NDArray[np.intp], spent: dict[str, NDArray[np.intp]]
) -> None:
    """Sizes, spread and, where known, failure rate of each stratum; labels per technique."""
    rows = []
    for stratum in range(int(strata.max()) + 1):
        inside = strata == stratum
        row: dict[str, object] = {
            "stratum": stratum + 1,
            "inputs": int(inside.sum()),
            "lowest": float(scores[inside].min()),
            "highest": float(scores[inside].max()),
            "spread (sd)": float(scores[inside].std()),
        }
        if inputs.losses is not None:
            row["mean loss (known here)"] = float(inputs.losses[inside].mean())
        rows.append(row | {name: int(counts[stratum]) for name, counts in spent.items()})
    st.dataframe(rows, hide_index=True)


page(show)
