"""Columns of judges' grades: which they are, what their cells mean, and what is refused in a sentence."""

import numpy as np
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from tests.each import each


def table(cells, *, column="marks", role=(("judge", "marks"),), grades="1-5"):
    lines = [f"input,output,{column}", *(f"q{row},a{row},{cell}" for row, cell in enumerate(cells))]
    return read_table("\n".join(lines).encode(), name="t.csv", choices=TableChoices(columns=role, grades=grades))


@each(
    ("grades", "cells", "expected"),
    [
        ("1-5", ["1", "5", "3", ""], [1, 5, 3, np.nan]),
        ("1-5", ["0.25", "1", "0", "N/A"], [0.25, 1, 0, np.nan]),
        ("", ["right", "partly", "WRONG", "?"], [1, 0.5, 0, np.nan]),
    ],
)
def test_cells_of_a_chosen_judge_are_grades_or_blank(grades, cells, expected):
    found = table(cells, grades=grades)
    assert np.allclose(found.inputs.judges["marks"], expected, equal_nan=True)
    assert found.reading.roles["marks"].role == "judge"
    assert "judges `marks`" in str(found.reading)


@each("column", ["llm_judge", "gpt-4o", "Claude grade"])
def test_a_judge_is_found_by_its_name(column):
    found = table(["1", "5", "3", "N/A"], column=column, role=())
    assert list(found.inputs.judges) == [column]
    assert found.reading.roles[column].role == "judge"
    assert "a0" in str(found.dataset.show(0))
    assert column not in str(found.dataset.show(0)), "no tester sees a judge's grades"


@each("column", ["judge_latency_ms", "gpt4_tokens", "age"])
def test_counts_and_times_are_no_grades(column):
    assert not table(["1", "5", "3", "2"], column=column, role=()).inputs.judges


def test_a_number_that_may_be_a_judges_is_asked_about():
    unclear = table(["1", "5", "3", "2"], column="rating", role=())
    assert not unclear.inputs.judges
    assert any("--column judge=rating" in one for one in unclear.reading.doubtful)
    said = table(["1", "5", "3", "2"], column="rating", role=(("judge", "rating"),))
    assert not said.reading.doubtful


def test_grades_in_a_column_of_confidence_are_asked_about():
    with pytest.raises(ReadingUnclear, match="A chance goes from 0 to 1") as asked:
        table(["1", "5", "3", "2"], column="confidence", role=())
    assert asked.value.ways[0].option == "--column judge=confidence"


def test_without_a_confidence_a_plan_follows_the_mean_of_the_judges(tmp_path):
    lines = ["output,judge_a,judge_b,judge_same", "x,1,0.5,3", "y,5,,3", "z,3,1.0,3"]
    subject = read_table("\n".join(lines).encode(), name="t.csv", choices=TableChoices(grades="1-5"))
    scores = known_inputs(subject, FeatureCache(tmp_path)).scores
    assert scores["judges"].tolist() == pytest.approx([0.75, 0.125, 0.25])


@each(
    ("text", "choices", "sentence"),
    [
        ("prediction,marks\ncat,1\ndog,2\n", TableChoices((("judge", "marks"),)), "no output is graded here"),
        ("output,marks\nx,fine\ny,lovely\n", TableChoices((("judge", "marks"),)), "No cell of 'marks' is a grade"),
        ("output,marks\nx,\ny,n/a\n", TableChoices((("judge", "marks"),)), "No cell of 'marks' is a grade"),
    ],
)
def test_a_column_that_cannot_be_a_judges_is_refused(text, choices, sentence):
    with pytest.raises(BadInput, match=sentence):
        read_table(text.encode(), name="t.csv", choices=choices)
