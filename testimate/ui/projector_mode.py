"""Projector mode for a lecture: large type and few elements, on while the address says ``lecture=on``."""

import streamlit as st

from testimate.ui.navigation import is_on

LECTURE = "lecture"

_STYLE = """<style>
html { font-size: 21px !important; }
.js-plotly-plot .main-svg text, #js-plotly-tester text { font-size: 18px !important; }
[data-testid="stMetricValue"] { font-size: 2.25rem; }
[data-testid="stMetricValue"] * { white-space: normal !important; overflow: visible !important; }
[data-testid="stTooltipIcon"]:has([aria-label="Help"], [aria-label^="Help for "]) { display: none !important; }
[data-testid="stElementToolbar"], .modebar { display: none !important; }
[data-testid="stHeader"] a :has(> [data-testid="stIconMaterial"]) { display: none; }
@media (max-width: 1400px) {
  html { font-size: 19px !important; }
  [data-testid="stMetricValue"] { font-size: 1.75rem; }
}
</style>"""
"""What is read from the last row; question marks and the tools of a chart are for a person at a desk, and the icons of
the pages would push the last of them under the switch for the truth. A button with a help lies in a tooltip, too, and stays."""


def lecturing() -> bool:
    """Whether this tab shows projector mode."""
    return is_on(LECTURE)


def lecture_style() -> None:
    """The style of projector mode, if it is on."""
    if lecturing():
        st.html(_STYLE)
