"""Rows as text, read back by other programs."""

import csv
import io
import json

import pandas as pd
import pytest

from testimate.studies.study_rows import StudyRow, to_csv, to_markdown

FIELDS = [
    *("technique", "auxiliary", "variant", "budget", "repetitions", "truth", "rmse", "rmedse", "bias"),
    *("bias_standard_error", "rmse_ratio_to_srs", "failures_mean", "failures_sd", "coverage", "width_mean", "seconds"),
    *("labels_p", "neurons_covered"),
]


@pytest.fixture
def rows():
    plain = StudyRow("srs", None, None, 50, 300, 0.7, 1 / 3, 0.01, -1e-5, 0.001, 1.02, 15.0, 3.2, 0.95, 0.2, 0.001)
    odd = StudyRow(
        "pace", 'a|"b",c\n', "as published", 50, 1, 0.7, 0.1, 0.1, 0.1, None, 2.0, 9.0, None, None, None, 4.0
    )
    return [plain, odd]


def test_json_has_the_promised_fields_in_order(rows):
    record = rows[1].to_json()
    assert list(record) == FIELDS
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_csv_reads_back_to_the_same_values(rows):
    first, second = csv.DictReader(io.StringIO(to_csv(rows)))
    assert list(first) == FIELDS
    assert float(first["rmse"]) == 1 / 3
    assert second["auxiliary"] == 'a|"b",c\n'
    assert (second["coverage"], first["auxiliary"]) == ("", "")
    frame = pd.read_csv(io.StringIO(to_csv(rows)))
    assert frame.rmse.tolist() == [1 / 3, 0.1]
    assert frame.coverage.isna().tolist() == [False, True]


def test_markdown_has_one_line_per_row_and_no_stray_column(rows):
    header, rule, first, second = to_markdown(rows).splitlines()
    assert [name.strip() for name in header.strip("|").split("|")] == FIELDS
    assert rule.count("---") == len(FIELDS)
    assert first.startswith("| srs | – | – | 50 | 300 | 0.7 | 0.3333 |")
    assert '| a\\|"b",c ' in second
    assert second.replace("\\|", "").count("|") == first.count("|")
