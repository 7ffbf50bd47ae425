"""The Strata page: what techniques spend where, as they would draw, and the inputs of one stratum."""

import re

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.words import commas
from testimate.planning.build import build, titled
from testimate.planning.forecast import strata_of


def said(test) -> str:
    parts = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", "\n".join(str(part.value) for part in parts))


@pytest.mark.parametrize("technique", ["css", "sups", "rrs", "ces"])
def test_the_draws_of_a_technique_are_counted_as_it_would_draw(opened, project, technique):
    test = opened("strata", subject="digits")
    test.multiselect(key="drawn techniques").set_value([technique]).run()
    assert not test.exception
    table = test.dataframe[0].value
    [name] = [name for name in table.columns if name in (technique, f"{technique} (drawn)")]
    inputs = project.inputs("digits")
    rows = [draw.row for draw in build(inputs, Request(technique, 200, 1, auxiliary="confidence")).ask(200)]
    strata = strata_of(inputs, "confidence", "equal spread")
    assert table[name].tolist() == np.bincount(strata[rows], minlength=10).tolist()
    assert table[name].sum() == 200


def test_techniques_that_learn_from_labels_are_not_offered(opened):
    offered = opened("strata", subject="digits").multiselect(key="drawn techniques").options
    assert "Confidence-stratified sampling (css)" in offered
    assert not {titled(name) for name in ("rra", "gbs", "ssoa-r-p", "severity-first")} & set(offered)


def test_each_stratum_tells_how_many_inputs_it_holds_and_how_many_of_them_fail(opened, project):
    inputs = project.inputs("digits")
    strata = strata_of(inputs, "confidence", "equal spread")
    test = opened("strata", subject="digits", truth="on")
    for stratum in (9, 0):
        test.button_group(key="stratum of 10").set_value(stratum).run()
        assert not test.exception
        inside = strata == stratum
        assert f"{commas(inside.sum())} inputs, 1 - confidence from " in said(test)
        assert f"{commas(int(inputs.losses[inside].sum()))} of them fail" in said(test)


def test_first_view_is_two_charts_and_one_stratum_and_settings_are_advanced(opened):
    test = opened("strata", subject="digits")
    assert [one.value for one in test.subheader] == ["Distribution", "Labels per stratum"]
    assert [one.label for one in test.main.button_group] == ["Explore", "Stratum"]
    [advanced] = [one for one in test.expander if one.label.startswith("Advanced")]
    assert {one.label for one in advanced.selectbox} == {"Failure score", "Cut into strata"}
    assert [one.label for one in advanced.multiselect] == ["Count the draws of"]
    assert len(advanced.dataframe) == 1


def test_a_table_of_rows_alone_has_strata_and_shows_its_rows(opened, project, table):
    subject = project.add_table("mine.csv", table.read_bytes())
    test = opened("strata", subject=subject.key, truth="on")
    assert not test.exception
    assert not test.error
    assert test.dataframe[0].value["inputs"].sum() == 60
    assert "of them fail, known here" in said(test)


def test_a_technique_that_cannot_be_drawn_says_why_and_leaves_the_others(opened, project, table):
    subject = project.add_table("mine.csv", table.read_bytes())
    test = opened("strata", subject=subject.key)
    offered = test.multiselect(key="drawn techniques").options
    assert not any("PACE" in option for option in offered)  # there are no features
    test.multiselect(key="drawn techniques").set_value(["css", "srs"]).run()
    test.number_input(key="strata budget").set_value(1).run()
    assert not test.exception
    assert test.dataframe[0].value["srs (drawn)"].sum() == 1


def test_a_table_without_an_auxiliary_variable_says_what_to_do(opened, project):
    lines = ["label,prediction", *(f"{row % 3},{(row + row // 50) % 3}" for row in range(60))]
    subject = project.add_table("bare.csv", "\n".join(lines).encode())
    test = opened("strata", subject=subject.key)
    assert not test.exception
    assert "No strata" in said(test)
