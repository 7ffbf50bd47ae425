"""Names of columns under groups of a sheet are told apart, and another sheet with more columns for the same keys is named."""

from testimate.subjects.prediction_table import read_table
from tests.tables.workbooks import workbook

WORDS = ("benign", "malignant", "unclear")
SAID = [WORDS[row % 3] for row in range(60)]
TRUE = [WORDS[(row + (row % 5 == 0)) % 3] for row in range(60)]


def test_columns_of_one_name_are_called_by_the_group_above_them_too():
    rows = [[row, said, 0.5 + row % 50 / 100, true] for row, (said, true) in enumerate(zip(SAID, TRUE, strict=True))]
    groups, names = ["", "Model", "", "Pathology"], ["Nr.", "Class", "Score", "Class"]
    content = workbook([groups, names, *rows], merged=["B1:C1"])
    reading = read_table(content, name="a.xlsx").reading
    assert reading.roles["Model Class"].role == "prediction"
    assert "Pathology Class" not in dict.fromkeys(name for name, one in reading.roles.items() if one.role == "shown")


def test_a_sheet_with_more_columns_for_the_same_keys_is_named():
    keys = [f"L{row:03d}" for row in range(60)]
    model = [["Lesion", "prediction"], *zip(keys, SAID, strict=True)]
    truth = [["Lesion", "Histology"], *zip(keys, TRUE, strict=True)]
    doubts = read_table(workbook(model, other=truth), name="a.xlsx").reading.doubtful
    assert any("'Sheet2' has the same 'Lesion' with 'Histology', which may be the truth" in doubt for doubt in doubts)
    legend = [["Lesion", "Meaning"], ["Lesion", "the number of the picture"]]
    doubts = read_table(workbook(model, other=legend), name="a.xlsx").reading.doubtful
    assert not any("has the same" in doubt for doubt in doubts)
