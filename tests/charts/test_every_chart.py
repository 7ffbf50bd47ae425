"""What holds of every chart: axis titles, no figure title, both themes, safe names, an empty state that says what to do."""

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest

from testimate.charts.cluster_map import Coloring, cluster_map
from testimate.charts.clusters import allocation, cluster_sizes, condensed_tree, strata_filled, strata_histogram
from testimate.charts.comparison import (
    agreement_matrix,
    confusion,
    fault_curve,
    model_ranking,
    order_scores,
    predicted_classes,
    rank_change,
)
from testimate.charts.estimates import (
    StudyLine,
    coverage_lines,
    failure_lines,
    forecast,
    running_estimate,
    severity,
    severity_bands,
    width_lines,
)
from testimate.charts.palette import shades
from testimate.charts.theme import safe_text, themed
from testimate.core.draw import Trail
from testimate.core.errors import BadInput
from tests.each import each

Chart = Callable[[bool], go.Figure]
EVIL = "<b>bold</b> %{y} $x$"
NODE = np.dtype([("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")])
TREE = np.array([(4, 0, 1.0, 1), (4, 1, 1.0, 1), (4, 2, 2.0, 1), (4, 3, np.inf, 1)], dtype=NODE)
POINTS = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])

CHARTS: dict[str, Chart] = {
    "agreement of models": lambda dark: agreement_matrix([[1, 0.4], [0.4, 1]], [EVIL, "b"], dark=dark),
    "ranking of models": lambda dark: model_ranking([EVIL, "b"], [2, 1], [1, 0], [3, 2], dark=dark, what="ability"),
    "change of rank": lambda dark: rank_change({EVIL: [1, 2], "b": [2, 1]}, [EVIL, "d"], dark=dark),
    "running estimate": lambda dark: running_estimate(
        Trail([1, 2, 3], [None, 0.9, 0.8], [None, 0.5, 0.5], [None, 1, 0.9], None, None), dark=dark, truth=0.85
    ),
    "map by cluster": lambda dark: cluster_map(POINTS, Coloring("cluster", [-1, 0, 1]), dark=dark),
    "map by class": lambda dark: cluster_map(
        POINTS, Coloring("predicted class", [0, 1, 0], [EVIL, "b"]), dark=dark, hover=[EVIL] * 3
    ),
    "map by confidence": lambda dark: cluster_map(POINTS, Coloring("confidence", [0.2, None, 1]), dark=dark),
    "map by variable": lambda dark: cluster_map(
        POINTS, Coloring("auxiliary variable", [0.2, None, 7], variable=EVIL), dark=dark
    ),
    "map by labeled": lambda dark: cluster_map(POINTS, Coloring("labeled", [1, 0, 0]), dark=dark),
    "map by failed": lambda dark: cluster_map(POINTS, Coloring("failed", [1, 0, None]), dark=dark),
    "condensed tree": lambda dark: condensed_tree(TREE, [4], dark=dark),
    "cluster sizes": lambda dark: cluster_sizes([5, 3], 2, dark=dark),
    "predicted classes": lambda dark: predicted_classes([5, 3], [EVIL, "b"], dark=dark),
    "strata histogram": lambda dark: strata_histogram([0.1, 0.2, 0.9], [0.5], dark=dark, name=EVIL, unit=EVIL),
    "allocation": lambda dark: allocation({EVIL: [3, 4], "srs": [2, 5]}, dark=dark, strata=[EVIL, "b"]),
    "forecast": lambda dark: forecast([50, 100], {EVIL: [0.1, 0.05]}, dark=dark, chosen_budget=80, target=0.06),
    "severity": lambda dark: severity([5, 10], dark=dark),
    "ten levels": lambda dark: severity([5, 10], dark=dark, ten_levels=True),
    "severity bands": lambda dark: severity_bands([EVIL, "large"], [3, 1], dark=dark, what=EVIL),
    "fault curve": lambda dark: fault_curve({EVIL: [0, 1, 1]}, dark=dark, size=30, faults=4),
    "strata filled": lambda dark: strata_filled([1, 2], [3, 4], dark=dark, names=[EVIL, "b"], what=EVIL),
    "confusion": lambda dark: confusion([0, 1, 1], [0, 1, 0], [EVIL, "b"], dark=dark),
    "scores of orders": lambda dark: order_scores([EVIL, "b"], {"WFDR": [0.5, None]}, dark=dark),
    "failures of a study": lambda dark: failure_lines({EVIL: StudyLine([50, 100], [5, 9])}, dark=dark),
    "coverage of a study": lambda dark: coverage_lines({EVIL: StudyLine([50], [0.9], [0.8], [1.0])}, dark=dark),
    "widths of a study": lambda dark: width_lines({EVIL: StudyLine([50, 100], [0.2, None])}, dark=dark),
}
EMPTY: dict[str, Chart] = {
    "agreement of models": lambda dark: agreement_matrix(np.empty((0, 0)), [], dark=dark),
    "ranking of models": lambda dark: model_ranking([], [], None, None, dark=dark, what="ability"),
    "change of rank": lambda dark: rank_change({}, [], dark=dark),
    "running estimate": lambda dark: running_estimate(Trail([], [], None, None, None, None), dark=dark),
    "running estimate before a number": lambda dark: running_estimate(
        Trail([1, 2], [None, None], None, None, [0.0, 0.0], [1.0, 1.0]), dark=dark, truth=0.9, target_half_width=0.02
    ),
    "cluster map": lambda dark: cluster_map([], Coloring("cluster", []), dark=dark),
    "map by class": lambda dark: cluster_map([], Coloring("predicted class", []), dark=dark),
    "map by confidence": lambda dark: cluster_map([], Coloring("confidence", []), dark=dark),
    "map by failed": lambda dark: cluster_map([], Coloring("failed", []), dark=dark),
    "condensed tree": lambda dark: condensed_tree(np.empty(0, dtype=NODE), [], dark=dark),
    "cluster sizes": lambda dark: cluster_sizes([], 0, dark=dark),
    "predicted classes": lambda dark: predicted_classes([], [], dark=dark),
    "strata histogram": lambda dark: strata_histogram([], [], dark=dark, name="lsa"),
    "allocation": lambda dark: allocation({}, dark=dark),
    "forecast": lambda dark: forecast([], {}, dark=dark),
    "severity": lambda dark: severity([], dark=dark),
    "ten levels": lambda dark: severity([], dark=dark, ten_levels=True),
    "fault curve": lambda dark: fault_curve({}, dark=dark, size=30, faults=4),
    "strata filled": lambda dark: strata_filled([], [], dark=dark),
    "confusion": lambda dark: confusion([], [], ["a", "b"], dark=dark),
    "scores of orders": lambda dark: order_scores([], {}, dark=dark),
    "failures of a study": lambda dark: failure_lines({}, dark=dark),
}
EVERY = each("name", CHARTS)


@EVERY
def test_both_axes_have_a_title_and_numbers_with_thin_spaces_between_thousands_and_the_figure_has_no_title(name: str):
    layout = CHARTS[name](False).layout
    assert layout.title.text is None
    for axis in (layout.xaxis, layout.yaxis):
        assert axis.title.text
        assert axis.separatethousands
        assert axis.exponentformat == "none"  # 10,000, not 10k
    assert layout.separators == ".,"


@each("dark", [False, True])
@EVERY
def test_the_background_is_transparent_and_the_letters_are_those_of_the_theme(name: str, dark: bool):
    layout = CHARTS[name](dark).layout
    assert not layout.template.layout.to_plotly_json()  # Plotly's own does not come along
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.font.color == shades(dark).text
    assert layout.hoverlabel.bgcolor == shades(dark).panel


@EVERY
def test_markup_in_a_name_reaches_neither_the_figure_nor_its_html(name: str):
    figure = CHARTS[name](True)
    page = figure.to_html(include_plotlyjs=False, full_html=False)
    assert "Plotly.newPlot" in page
    for drawn in (repr(figure.to_dict()), page):
        assert "<b>bold" not in drawn
        assert "bold</b>" not in drawn
        assert "$x$" not in drawn


def test_a_name_is_escaped_for_what_plotly_would_read_into_it():
    assert safe_text("<b>") == "&lt;b&gt;"
    assert safe_text("a & b") == "a &amp; b"
    assert "%{" not in safe_text("%{customdata}")
    assert safe_text("line\nbreak") == "line break"
    assert len(safe_text("x" * 500)) == 40


@each("name", EMPTY)
def test_without_data_it_says_so_and_names_its_axes_all_the_same(name: str):
    figure = EMPTY[name](True)
    assert " yet" in figure.layout.annotations[-1].text
    assert figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text


def test_a_chart_without_a_unit_on_its_axis_is_refused():
    with pytest.raises(BadInput, match="needs a name and a unit"):
        themed(go.Figure(), dark=False, x_title="labels (inputs)", y_title=" ")


@each(
    "chart",
    [
        lambda: running_estimate(Trail([1, 2], [0.5], None, None, None, None), dark=False),
        lambda: strata_filled([1, 2], [3], dark=False),
        lambda: confusion([0, 1], [0], ["a", "b"], dark=False),
        lambda: confusion([0, 2], [0, 1], ["a", "b"], dark=False),
        lambda: cluster_map(POINTS, Coloring("cluster", [0, 1]), dark=False),
        lambda: cluster_map(POINTS, Coloring("predicted class", [0, 1, 2], ["a"]), dark=False),
        lambda: cluster_map(POINTS, Coloring("cluster", [0, 1, 2]), rows=[1], dark=False),
        lambda: cluster_map(POINTS[:, :1], Coloring("cluster", [0, 1, 2]), dark=False),
        lambda: cluster_map(POINTS, Coloring("taste", [0, 1, 2]), dark=False),
        lambda: strata_histogram([1, 2], [2, 1], dark=False, name="lsa"),
        lambda: condensed_tree(TREE, [99], dark=False),
        lambda: fault_curve({"srs": [0]}, dark=False, size=0),
        lambda: cluster_sizes([1.5], 0, dark=False),
        lambda: allocation({"srs": ["many"]}, dark=False),
    ],
)
def test_what_does_not_fit_together_is_refused_in_a_sentence(chart: Callable[[], go.Figure]):
    with pytest.raises(BadInput, match=r"[Ee]xpected|needs?"):
        chart()
