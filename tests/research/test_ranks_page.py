"""The page that sets the papers' orders and figures beside ours says what the tables of the other pages say today."""

import shutil

import numpy as np

from research.studies import ranks_page
from research.studies.ranks_page import OF_30, Figure, published_figures, table_after
from tests.docs.pages import DOCS


def test_the_page_is_made_of_the_other_pages_as_they_are(tmp_path):
    for page in ("deepsample", "pace", "ssoa", "prioritizers"):
        shutil.copy(DOCS / "studies" / f"{page}.md", tmp_path)
    ranks_page.write(tmp_path)
    assert (tmp_path / "ranks.md").read_text() == (DOCS / "studies" / "ranks.md").read_text()


def test_a_table_is_read_after_its_words():
    text = "| a | b |\n| --- | ---: |\n| 1 | 2 |\n\nWords here\n\n| c |\n| --- |\n| 3 (4) |\n| 5 |\n\nMore\n"
    assert table_after(text, "Words") == (["c"], [["3 (4)"], ["5"]])


def test_how_far_two_figures_are_apart_is_in_both_their_errors():
    of = Figure("D", "srs", 200, np.e * 2.0, 2.0, own_error=0.0)
    assert of.apart == 1 / OF_30
    assert Figure("D", "srs", 200, np.e * 2.0, 2.0, own_error=OF_30).apart == 1 / (OF_30 * np.sqrt(2))


def test_a_technique_without_a_score_is_counted_once_for_each_subject():
    figures = published_figures(DOCS / "studies")
    assert {(one.subject, one.technique) for one in figures if one.technique == "srs"} == {
        ("D, confidence", "srs"),
        ("G, confidence", "srs"),
        ("DO, lsa", "srs"),
    }
    assert sum(one.technique == "sups" for one in figures) == 9 * 5
