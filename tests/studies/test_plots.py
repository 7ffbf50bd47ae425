"""A study's plots: what their lines hold, and a page that needs no network."""

import re

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.studies.plots import lines_of, to_html
from testimate.studies.study import study


@pytest.fixture(scope="module")
def rows(inputs):
    asked = {"techniques": ["srs", "rrs"], "budgets": [80, 40], "repetitions": 8, "seed": 5}
    return study(inputs, **asked, auxiliaries=["confidence", "noise"], workers=1)


def test_each_line_holds_its_rows_by_rising_budget(rows):
    lines = lines_of(rows, lambda row: row.rmse)
    assert list(lines) == ["srs", "rrs, confidence", "rrs, noise"]
    line = lines["rrs, noise"]
    own = {row.budget: row.rmse for row in rows if row.auxiliary == "noise"}
    assert list(line.budgets) == [40, 80]
    assert list(line.values) == [own[40], own[80]]


def test_the_band_is_what_the_repetitions_leave_open(rows):
    line = lines_of(rows, lambda row: row.rmse)["srs"]
    share = 1.96 / np.sqrt(2 * 8)  # of an RMSE from 8 normal errors
    assert np.allclose(line.high / line.values, 1 + share)
    assert np.allclose(line.low / line.values, 1 - share)


def test_one_repetition_has_no_band(inputs):
    alone = study(inputs, techniques=["srs"], budgets=[40], repetitions=1, seed=5, workers=1)
    assert lines_of(alone, lambda row: row.rmse)["srs"].low is None


def test_the_page_names_the_techniques_and_fetches_nothing(rows):
    page = to_html(rows)
    assert "rrs, confidence" in page
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", page)


def test_without_rows_there_is_no_plot():
    with pytest.raises(BadInput, match="no rows"):
        to_html([])
