"""What the map's scripts rely on in Plotly, as Streamlit serves it: names that no version of Plotly promises to keep."""

import re
from pathlib import Path

import pytest
import streamlit

SCRIPTS = Path(__file__).parents[2] / "testimate" / "ui" / "components" / "linked_pictures"
SERVED = Path(streamlit.__file__).parent / "static" / "static" / "js"
ELEMENTS = ("js-plotly-plot", "gl-container", "cartesianlayer", "modebar-btn")
"""Classes of elements that are looked for."""


@pytest.fixture(scope="module")
def plotly() -> str:
    """The chunk of Streamlit's scripts that holds Plotly."""
    [file] = SERVED.glob("PlotlyChart.*.js")
    return file.read_text(encoding="utf-8")


def private_fields() -> set[str]:
    """Every field of Plotly's own that a script of the map reads or writes."""
    sources = "".join(file.read_text(encoding="utf-8") for file in SCRIPTS.glob("*.ts"))
    return {*re.findall(r"\._(\w+)", sources)}


def test_the_map_uses_no_private_field_of_plotly_but_these():
    assert private_fields() == {"fullLayout", "fullData", "length", "offset", "rangeInitial0", "rangeInitial1"}


def test_every_private_field_that_the_map_uses_is_in_the_plotly_that_streamlit_serves(plotly):
    written = {field for field in private_fields() if re.search(rf"\b_{field}\b", plotly)}
    assert written == private_fields()
    assert [name for name in ("l2p", "lassoPoints", "plotly_afterplot", *ELEMENTS) if name not in plotly] == []
