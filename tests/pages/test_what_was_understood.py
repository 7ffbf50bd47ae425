"""What was understood of a file stands above its preview, in the terminal's words; a role or an answer is one click."""

import re

import numpy as np
import pytest

from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from tests.pages.upload_steps import NPZ, ONNX, press, upload

WORDS = ("ant", "bee", "cat")
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 3, 90)
SAID = np.where(RNG.random(90) < 0.8, TRUTH, RNG.integers(0, 3, 90))


def csv(head: str, *columns) -> bytes:
    return "\n".join([head, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]).encode()


CLEAR = csv(
    "sample,said,sure,target",
    range(500, 590),
    [WORDS[k] for k in SAID],
    RNG.uniform(0.4, 1, 90).round(3),
    [WORDS[k] for k in TRUTH],
)
FROM_1 = csv("prediction,label,size", SAID, TRUTH + 1, RNG.random(90).round(3))
UNCLEAR = csv("first,second", [WORDS[k] for k in SAID], [f"v{k}" for k in RNG.integers(0, 4, 90)])


def dropped(test, name: str, content: bytes):
    [field] = [field for field in test.file_uploader if field.label == "Table, with files or zips"]
    field.set_value([(name, content, "application/octet-stream")]).run()
    assert not test.exception
    return test


def understood(test) -> str:
    """The line that says how the table was read, on the import page or on the subject's; empty where there is none."""
    lines = [one.value for one in (*test.caption, *test.markdown)]
    lines = [re.sub(r"\\|\u2060", "", line) for line in lines]
    return next((line for line in lines if re.match(r"[\d\u202f,]+ (rows|pictures|inputs)\b.*:", line)), "")


def role(test, column: str):
    return next(box for box in test.selectbox if str(box.key).startswith(f"role of {column} "))


def test_the_form_and_the_stored_subject_say_what_the_terminal_says(opened, project):
    words = read_table(CLEAR, name="t.csv").reading.in_words()
    assert "truth `target` (hidden from testers)" in words
    test = dropped(opened("subject"), "t.csv", CLEAR)
    assert understood(test) == words
    next(button for button in test.button if button.label == "Open without labeling").click().run()
    [entry] = [entry for entry in Project(project.folder).entries() if not entry.demo]
    assert understood(opened("subject", subject=entry.key)) == words


def test_a_demo_has_no_files_and_says_nothing(opened):
    assert understood(opened("subject", subject="digits")) == ""


def test_each_reading_is_previewed_and_one_click_takes_it(opened):
    test = dropped(opened("subject"), "t.csv", FROM_1)
    assert understood(test) == ""
    right = [(SAID == TRUTH).mean(), (SAID == TRUTH + 1).mean()]
    seen = [re.search(r"Accuracy ([0-9.]+)", one.value) for one in test.caption if one.value.startswith("Accuracy")]
    assert [float(one[1]) for one in seen] == [pytest.approx(100 * share, abs=0.05) for share in right]
    previews = [table.value for table in test.dataframe if "truth" in table.value]
    assert [[int(text) for text in table["truth"]] for table in previews] == [
        TRUTH[:3].tolist(),
        (TRUTH[:3] + 1).tolist(),
    ]
    press(test, "Read it this way")
    assert "truth `label`" in understood(test)
    assert role(test, "size").value == "score"
    press(test, "Ask again")
    assert understood(test) == ""


def test_what_stands_in_cells_has_roles_over_its_first_three_rows(opened):
    said = [f"[{'PASS' if k == SAID[0] else 'FAIL'}] It is {row}." for row, k in enumerate(SAID)]
    test = dropped(
        opened("subject"), "t.csv", csv("question,[gpt] {{question}}", [f"What is {k}?" for k in range(90)], said)
    )
    assert role(test, "[gpt] {{question}}.output").value == "output"
    assert role(test, "[gpt] {{question}}.success").value == "outcome"
    assert "Does this say what is right?" in [one.value for one in test.caption]
    [cells] = [one for one in html_of(test) if "It is 0." in one]
    assert re.findall("<span>(.*?)</span>", cells) == ["It is 0.", "It is 1.", "It is 2."]


def html_of(test) -> list[str]:
    return [one.proto.body for one in test.get("html")]


def test_a_chosen_role_leaves_the_column_that_had_it_and_hides_that_from_testers(opened):
    test = dropped(opened("subject"), "t.csv", CLEAR)
    assert role(test, "said").value == "prediction"
    role(test, "target").set_value("prediction").run()
    assert not test.exception
    assert (role(test, "said").value, role(test, "target").value) == ("ignore", "prediction")
    assert not any("said" in table.value for table in test.dataframe)
    press(test, "Read it as before")
    assert (role(test, "said").value, role(test, "target").value) == ("prediction", "label")


def test_a_table_without_a_prediction_is_read_once_its_column_is_named(opened):
    test = dropped(opened("subject"), "t.csv", UNCLEAR)
    assert test.error
    role(test, "first").set_value("prediction").run()
    assert not test.error
    assert "`first` 3 classes" in understood(test)


@pytest.mark.usefixtures("models_in_this_process")
def test_a_model_and_its_data_are_understood_with_the_way_that_is_chosen(opened, digit_files):
    test = press(opened("subject"), "Upload a model")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", NPZ, digit_files[NPZ])
    line = understood(test)
    assert line.startswith("300 pictures: truth beside the inputs (hidden from testers) · 10 classes (")
    assert line.endswith("prepared: scale 0.00392157; channels last")
    next(radio for radio in test.radio if radio.label == "Preprocessing").set_value("0 to 255").run()
    assert understood(test).endswith("prepared: channels last")
