"""How the pages look: their logo and margins, readable grays, whether the theme is dark, and projector mode for a lecture."""

from pathlib import Path

import streamlit as st

from testimate.ui.navigation import is_on
from testimate.ui.tabs import LECTURE

LOGOS = Path(__file__).parent / "logo"

QUIET = """<style>
[data-testid="stMainBlockContainer"] { padding: 4rem 2rem 2rem; }
[data-testid="stToolbar"] { padding-left: 1rem; }
[data-testid="stMetricValue"] { font-size: 1.6rem; }
.st-key-headline [data-testid="stMetric"] > div { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 0.75rem; }
.st-key-headline [data-testid="stMetric"] label { flex: 0 0 100%; }
.st-key-headline [data-testid="stMetricValue"] { font-size: 2rem; font-weight: 600; }
.st-key-headline [data-testid="stMetricDelta"] { font-size: 1.125rem; background: none; padding: 0; color: inherit; }
.st-key-headline [data-testid="stMetric"] * { overflow: visible; }
[data-testid="stToolbar"] { padding-right: 7.5rem; }
[data-testid="stLayoutWrapper"]:has(> :is(.st-key-one-step-back, .st-key-server-away, .st-key-window-changes)),
[data-testid="stLayoutWrapper"]:has(> .st-key-picks-on-the-map),
[data-testid="stLayoutWrapper"]:has(> .st-key-command-palette) {
  position: absolute; width: 1px; height: 1px; overflow: hidden; }
:is(.st-key-one-step-back, .st-key-server-away, .st-key-window-changes) { visibility: hidden; }
[data-testid="stLayoutWrapper"]:has(> * > * > :is(.st-key-command-palette, .st-key-page-help)) { position: absolute; width: 0; }
[data-testid="stLayoutWrapper"]:has(> .st-key-page-help) {
  position: fixed; top: 0.6rem; right: 2rem; width: auto; z-index: 1000000;
}
[data-testid="stLayoutWrapper"]:has(> .st-key-late-answers) {
  position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); width: auto; max-width: 44rem; z-index: 1000000;
}
[data-testid="stFileChip"]:has([role="alert"]) { flex-wrap: wrap; }
[data-testid="stFileChip"] [role="alert"] {
  position: static; width: 100%; height: auto; margin: 0; clip: auto; clip-path: none; white-space: normal; font-size: 0.875rem;
}
[data-testid="stLayoutWrapper"]:has(> * > * > .st-key-switcher-line) { order: -1; margin-bottom: -0.75rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-who) { position: fixed; top: 0.6rem; right: 8rem; width: auto; z-index: 1000000; }
.st-key-who > [data-testid="stLayoutWrapper"] { width: auto; flex: 0 0 auto; }
.st-key-who { gap: 0.5rem; }
.st-key-switcher-line button { max-width: 20.6rem; }
.st-key-label-more button p { white-space: nowrap; }
.st-key-switcher-line button p, .st-key-disputes-waiting p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
@media (min-width: 1000px) {
  [data-testid="stLayoutWrapper"]:has(> .st-key-switcher-line) {
    position: fixed; top: 0.6rem; right: 8.5rem; width: auto; z-index: 1000000; }
  body:has(.st-key-who) [data-testid="stLayoutWrapper"]:has(> .st-key-switcher-line) { right: 12rem; }
  body:has(.st-key-disputes-waiting) [data-testid="stLayoutWrapper"]:has(> .st-key-switcher-line) { right: 20rem; }
  [data-testid="stToolbar"] { padding-right: 28rem; }
  body:has(.st-key-disputes-waiting) [data-testid="stToolbar"] { padding-right: 36rem; }
}
.st-key-page-help button, .st-key-page-help button:is(:hover, :focus, :active) { color: inherit; }
@media (min-width: 1000px) {
  [data-testid="stLayoutWrapper"]:has(> :is(.st-key-cluster-detail, .st-key-stratum-detail)) {
    position: sticky; top: 4rem; z-index: 1; }
  :is(.st-key-cluster-detail, .st-key-stratum-detail) { max-height: calc(100vh - 4.5rem); overflow-y: auto; flex-wrap: nowrap; }
}
.st-key-stratum-detail [data-testid="stButtonGroup"] button { padding-inline: 0.6rem; }
[class*="st-key-name-"] p { unicode-bidi: plaintext; text-align: left; overflow-wrap: anywhere;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
[class*="st-key-picture-"] .no-picture { height: 2.5rem; width: 6rem; border-radius: 4px; background: #80808020; }
[class*="st-key-menu-"] button { color: inherit !important; }
@media (max-width: 1000px) {
  :is([data-testid="stMetricLabel"], [data-testid="stMetricValue"]) * {
    white-space: normal !important; overflow: visible !important; }
  [class*="st-key-row-"] {
    display: grid; grid-template: "picture name name" auto "go bar menu" auto / auto 1fr auto; gap: 0.25rem 1rem; }
  [class*="st-key-row-"] > :nth-child(1) { grid-area: go; }
  [class*="st-key-row-"] > :nth-child(2) { grid-area: picture; width: auto; min-width: 6.5rem; }
  [class*="st-key-row-"] > :nth-child(2) img { max-width: 6.5rem !important; }
  [class*="st-key-row-"] > :nth-child(2) p { /* takes the column's width and does not set it */
    width: 0; min-width: 100%; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
  [class*="st-key-row-"] > :nth-child(3) { grid-area: name; }
  [class*="st-key-row-"] > :nth-child(4) { grid-area: bar; width: auto; }
  [class*="st-key-row-"] > :nth-child(5) { grid-area: menu; }
}
.st-key-page-head h2 { padding: 0.25rem 0; }
@media (min-width: 768px) { /* for readers of headings: the lit tab and its step say it; below, the tabs are folded */
  .st-key-page-head > [data-testid="stElementContainer"]:has(h2):first-child {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
:is(.st-key-page-head, .st-key-subject-head) h2, .st-key-page-head [data-testid="stCaptionContainer"] p {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
@media (max-width: 1000px) {
  [class*="st-key-stacked-"] [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  [class*="st-key-stacked-"] [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] { min-width: 100%; }
  .st-key-stacked-early-faults [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] { min-width: calc(50% - 1rem); }
}
@media (max-width: 999px) { /* what stands beside lies below; of the panel a line above the surface says the same in short */
  :is(.st-key-surface-and-panel, .st-key-chart-and-detail) > * > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  :is(.st-key-surface-and-panel, .st-key-chart-and-detail) > * > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] {
    min-width: 100%; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-panel-in-a-line) { order: -1; margin-bottom: -0.5rem; }
}
@media (min-width: 1000px) {
  [data-testid="stLayoutWrapper"]:has(> .st-key-panel-in-a-line) { display: none; }
}
@media (max-width: 640px) {
  [class*="st-key-claims-"] :is(tr, td) { display: block; width: 100%; } /* a claim's cells below each other */
  [class*="st-key-claims-"] thead { display: none; }
  h1 { font-size: 1.75rem !important; }
  [data-testid="stMainBlockContainer"] { padding: 4rem 1rem 2rem; }
  [data-testid="stToolbar"] { padding-left: 0; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-page-help) { right: 1rem; }
  [data-testid="stButtonGroup"] > [role="radiogroup"] { flex-wrap: wrap; }
  [data-testid="stColumn"]:has(> * > [data-testid="stElementContainer"]:only-child > [data-testid="stMetric"]) {
    min-width: calc(50% - 1rem); }
  .st-key-faults-found > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] > [data-testid="stLayoutWrapper"] {
    flex: none; width: calc(50% - 0.5rem); }
}
@media (hover: none) {
  [data-testid="stElementToolbar"], [data-testid="stElementContainer"]:not(.st-key-map) .modebar { display: none !important; }
}
@media (max-width: 1439px) {
  [data-testid="stHeader"] [data-testid="stHeaderLogo"] { width: 1.5rem; object-fit: cover; object-position: left; }
}
[data-testid="stElementContainer"]:has(> [data-testid="stSpinner"]) {
  position: sticky; top: 4rem; z-index: 2; backdrop-filter: blur(8px); }
[data-testid="stRadioOption"] > div > div:first-child { align-self: flex-start; margin-top: 0.25rem; }
[data-testid="stRadioOption"]:not([data-selected="true"]) > div > div:first-child { border-color: #8A8784; }
[data-testid="stMarkdownContainer"] .katex-display { overflow: auto hidden; }
[data-testid="stBaseButton-tertiary"] p { text-align: left; }
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-card-"]) { flex: 1 1 auto; }
.st-key-faults-found [data-testid="stCaptionContainer"] p { margin-bottom: 0; }
.st-key-faults-found [data-testid="stButton"] button { min-height: 1.5rem; padding-block: 0; }
[data-testid="stTable"] td:last-child, [data-testid="stMarkdownContainer"] .katex-display { overflow: auto hidden; }
[data-testid="stBaseButton-tertiary"] p { text-align: left; }
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-card-"]) { flex: 1 1 auto; }
.st-key-faults-found [data-testid="stCaptionContainer"] p { margin-bottom: 0; }
.st-key-faults-found [data-testid="stButton"] button { min-height: 1.5rem; padding-block: 0; }
[data-testid="stTable"] td:last-child * { overflow-wrap: anywhere; }
.st-key-tour-card { border-left: 4px solid #0072B2; padding: 0.6rem 1rem; }
</style>"""

READABLE = """<style>
[data-testid="stCaptionContainer"] { color: %s; opacity: 1; }
button[aria-checked="true"] p, [data-testid="stSliderThumbValue"] { color: %s; }
</style>"""
"""Streamlit's own grays, and its blue on dark, are too pale for WCAG 2.2 at AA: 4.5 to 1."""


def logo() -> None:
    """The mark and the name, in the navigation: an estimate in its interval."""
    st.logo(str(LOGOS / f"{'dark' if dark() else 'light'}.svg"))


def dark() -> bool:
    """Whether this browser shows the dark theme."""
    return st.context.theme.type == "dark"


_STYLE = """<style>
html { font-size: 21px !important; }
.js-plotly-plot .main-svg text, #js-plotly-tester text { font-size: 18px !important; }
[data-testid="stMetricValue"] { font-size: 2.25rem; }
.st-key-headline [data-testid="stMetricValue"] { font-size: 3.5rem; }
.st-key-the-answer h4 { font-size: clamp(1.75rem, 2.9vw, 56px); line-height: 1.2; }
[data-testid="stLayoutWrapper"]:has(> .st-key-page-help) { display: none; }
[data-testid="stMetricValue"] * { white-space: normal !important; overflow: visible !important; }
[data-testid="stTooltipIcon"]:has([aria-label="Help"], [aria-label^="Help for "]) { display: none !important; }
[data-testid="stElementToolbar"], .modebar { display: none !important; }
@media (max-width: 1400px) {
  html { font-size: 19px !important; }
  [data-testid="stMetricValue"] { font-size: 1.75rem; }
}
</style>"""
"""What is read from the last row; question marks and the tools of a chart are for a person at a desk. A button with a help lies
in a tooltip, too, and stays."""


def lecturing() -> bool:
    """Whether this tab shows projector mode."""
    return is_on(LECTURE)


def lecture_style() -> None:
    """The style of projector mode, if it is on."""
    if lecturing():
        st.html(_STYLE)
