"""The figures that advice is given by are those of the paper and of the study pages."""

import json
import shutil
from collections import Counter

import pytest

from research.studies import evidence as pages_evidence
from testimate.advice.evidence import TABLE_10, TABLE_11, RelativeResult, evidence


def top_three(rows: tuple[str, ...]) -> Counter[str]:
    """How often each technique is among the best three in these rows of table 10."""
    return Counter(name for found in TABLE_10.values() for row in rows for name in found[row])


def test_table_10_gives_the_counts_that_the_paper_counts_in_it():
    exact = top_three(("RMSE", "RMedSE"))  # section 6: of 24
    assert {name: exact[name] for name in ("ssrs", "sups", "rhc-s")} == {"ssrs": 22, "sups": 11, "rhc-s": 10}
    assert exact["srs"] == 12
    assert exact["gbs"] == 13  # the text says 12; the printed table has it 13 times
    failures = top_three(("failures",))  # of 12
    assert {name: failures[name] for name in ("sups", "deepest", "rhc-s")} == {"sups": 10, "deepest": 8, "rhc-s": 7}
    trade = top_three(("T RMSE", "T RMedSE"))  # of 24
    assert {name: trade[name] for name in ("sups", "rhc-s", "ssrs")} == {"sups": 23, "rhc-s": 22, "ssrs": 12}
    assert len(TABLE_10) == 12


@pytest.mark.parametrize(("task", "of"), [("classification", 270), ("regression", 60)])
def test_table_11_counts_each_configuration_once_by_every_measure(task, of):
    for measure in range(3):
        assert sum(one[measure] for one in TABLE_11[task].values()) == of


def test_the_file_holds_what_the_study_pages_say_now():
    assert json.loads(pages_evidence.FILE.read_text(encoding="utf-8")) == json.loads(
        json.dumps(pages_evidence.evidence())
    )


def test_its_findings_are_on_the_pages_word_for_word():
    for name, (page, _, _) in pages_evidence.FINDINGS.items():
        text = " ".join((pages_evidence.STUDIES / f"{page}.md").read_text(encoding="utf-8").replace("**", "").split())
        assert evidence().findings[name] in text


def test_a_figure_is_read_from_its_own_place():
    """One of each kind, copied from the pages by hand."""
    found = evidence()
    assert found.measured("confidence", "rra")["G"] == RelativeResult(0.77, 1.23)
    assert found.measured("regression, lsa", "deepest")["DO"] == RelativeResult(1.62, 6.12)
    assert found.picks["12+8"]["CN12"] == (0.89, 111.2)
    assert found.faults_of_200["srs"] == (56.9, 67.4, 38.7)
    assert found.stop_safe[200]["rra"] == (8.70, 8.96, 6.85)
    assert found.error_by_labels[50]["rrs"] == (0.828, 0.853, 0.783)
    assert found.severe["confidence"]["severity-first"] == (33.18, 48.31, 34.37)


def test_every_case_has_every_subject():
    found = evidence()
    for case, techniques in found.figures.items():
        assert {"rrs", "ssrs", "sups", "deepest"} <= set(techniques), case
        assert {len(figures) for figures in techniques.values()} == {len(found.subjects[case])}


def test_a_page_that_lost_a_passage_is_refused_by_name(tmp_path):
    shutil.copytree(pages_evidence.STUDIES, tmp_path / "studies", ignore=shutil.ignore_patterns("*.png", "*.svg"))
    page = tmp_path / "studies" / "laf.md"
    page.write_text(page.read_text(encoding="utf-8").replace("LaF reaches", "LaF gets to"), encoding="utf-8")
    with pytest.raises(ValueError, match="has no passage that begins 'LaF reaches'"):
        pages_evidence.evidence(tmp_path / "studies")


def test_the_nearest_budget_is_nearest_by_ratio():
    nearest = [evidence().nearest_budget(one) for one in (1, 50, 70, 71, 282, 283, 9999)]
    assert nearest == [50, 50, 50, 100, 200, 400, 800]
