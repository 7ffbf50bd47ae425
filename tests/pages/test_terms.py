"""The terms: one source for screens and glossary, formulas that KaTeX can read, and what they say held against the code."""

import ast
import importlib.util
import re
from math import log
from pathlib import Path

import numpy as np
import pytest

from testimate.comparison import COMPARING
from testimate.core.errors import BadInput
from testimate.core.terms import TERMS, glossary, term
from testimate.selectors import SELECTORS
from testimate.ui.components.terms import explained, technique_term
from testimate.ui.pages import PAGES

ROOT = Path(__file__).parents[2]


def named_on_pages() -> set[str]:
    """Every term that a page or a part of one names in a call of explained."""
    names = set()
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "testimate" / "ui").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explained":
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    names.add(first.value)
    return names


def test_the_glossary_is_what_the_terms_say():
    assert (ROOT / "docs" / "glossary.md").read_text() == glossary()


def test_every_term_that_a_page_explains_is_in_the_one_source():
    names = named_on_pages()
    assert len(names) > 20
    for name in names | {word for page in PAGES for word in page.terms}:
        assert term(name).meaning


def test_the_terms_that_were_asked_for_stand_on_a_page():
    shown = {term(name).name for name in named_on_pages()} | {word for page in PAGES for word in page.terms}
    asked = """prototype, criticism, minority space, stratum, inclusion probability, auxiliary variable, WFDR, SFDR, APFD,
    severity, always-valid interval, ordinary interval, Neyman allocation, GLOSH, condensed tree, MMD-critic, exploit pick,
    balance, LaF"""
    assert {" ".join(name.split()) for name in asked.split(",")} <= shown


def test_every_technique_is_a_term():
    for name in (*SELECTORS, *COMPARING):
        assert term(name).meaning


def test_a_technique_of_ones_own_is_told_by_its_own_title_until_it_has_a_term():
    class Mine:
        name, title, source = "mine", "My own order", "my notebook"

    assert "My own order" in explained(technique_term(Mine))
    assert technique_term(SELECTORS["srs"]) is term("srs")


def test_an_unknown_term_says_where_to_add_it():
    with pytest.raises(BadInput, match="testimate/core/terms"):
        term("no such word")


def test_every_term_is_a_plain_sentence_with_a_formula_that_closes_what_it_opens():
    for name in TERMS:
        one = term(name)
        assert not one.meaning.endswith("."), name
        assert "|" not in one.meaning + one.formula + one.source, f"a bar would end the cell of {name} in the glossary"
        assert one.formula.count("{") == one.formula.count("}"), name
        assert one.formula.count(r"\left") - one.formula.count(r"\leftarrow") == one.formula.count(r"\right"), name
        assert "$" not in one.formula, name


def test_a_name_stands_for_one_term():
    names = [name for one in TERMS.values() for name in (one.name, *one.also)]
    assert len(names) == len(set(names))


def test_help_holds_meaning_formula_and_source():
    said = explained("WFDR", "Of the labels so far.")
    assert said.startswith("Of the labels so far.")
    assert term("WFDR").meaning in said
    assert f"$$\n{term('WFDR').formula}\n$$" in said
    assert "equations 4 to 6" in said


def value_of(name: str, **letters: float) -> float:
    """A formula without sums, reckoned: its LaTeX turned into Python."""
    formula = term(name).formula
    for pattern, plain in ((r"\\lfloor (.+?) \\rfloor", r"floor(\1)"), (r"\\text\{level\} = \\min", "min")):
        formula = re.sub(pattern, plain, formula)
    return float(eval(formula.replace("10 p", "10 * p"), {"min": min, "floor": lambda x: int(x + 1e-9)}, letters))


def test_the_formula_of_the_severity_level_is_what_the_metrics_count_by():
    from testimate.metrics.severity import severity_level

    for p in (0.05, 0.3, 0.499, 0.8, 0.9, 1.0):
        assert value_of("severity", p=p) == severity_level([p])[0]


def test_the_formulas_of_scores_are_those_of_the_code():
    from testimate.auxiliary.softmax import entropy, gini, margin

    p = np.array([[0.6, 0.3, 0.1]])
    assert gini(p)[0] == pytest.approx(1 - sum(x**2 for x in p[0]))  # 1 - sum p^2
    assert entropy(p)[0] == pytest.approx(-sum(x * log(x) for x in p[0]) / log(3))
    assert margin(p)[0] == pytest.approx(1 - (0.6 - 0.3))


def test_the_script_writes_that_page():
    spec = importlib.util.spec_from_file_location("glossary_page", ROOT / "docs" / "glossary_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE == ROOT / "docs" / "glossary.md"


def test_the_help_of_a_page_lists_its_words_when_it_is_opened(opened):
    test = opened("strata", subject="digits")
    entry = f"**Neyman allocation**: {term('Neyman allocation').meaning}"
    assert not any(str(part.value).startswith(entry) for part in test.markdown)
    test.session_state["help on strata"] = True
    test.run()
    assert not test.exception
    assert any(str(part.value).startswith(entry) for part in test.markdown)
