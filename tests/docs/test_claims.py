"""The table that opens the benchmarks' results: every section has a row, and every figure is the one its section measured."""

import pytest

from benchmarks.__main__ import sections_of_results
from benchmarks.claims import CLAIMS, cell, claims
from tests.docs.pages import ROOT

SECTION = """
| kind | processor s | ratio |
|---|---:|---:|
| 10 x 8 | 1.0 | 2.5 |
| 20 x 8 | 3.0 | 4.5 |

| FastICA | ratio |
|---|---:|
| | 9.5 |
"""


def test_a_claim_is_the_cell_of_its_row_and_column():
    assert cell(SECTION, "20 x 8", "ratio") == "4.5"
    assert cell(SECTION, "10 x 8|1", "ratio") == "2.5"
    assert cell(SECTION, "FastICA", "ratio") == "9.5"


def test_a_section_that_lost_its_row_is_noticed():
    with pytest.raises(LookupError, match="30 x 8"):
        cell(SECTION, "30 x 8", "ratio")


def test_every_section_of_the_results_opens_with_a_claim():
    assert set(sections_of_results()) == {claim.benchmark for claim in CLAIMS}


def test_the_results_open_with_what_their_sections_measured():
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    assert claims(sections_of_results()) in text.partition("<!-- ")[0]
