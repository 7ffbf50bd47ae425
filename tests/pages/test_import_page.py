"""Import: a table and the files of its rows are dropped together, its columns are checked, and labeling starts."""

import re

import numpy as np
import pytest

from testimate.project.project import Project
from tests.media import gray
from tests.pages.test_table_with_inputs import NAMES, zip_of
from tests.pages.upload_steps import press

TYPE = "application/octet-stream"
RNG = np.random.default_rng(5)
TRUTH = RNG.choice(["cat", "dog", "owl"], len(NAMES))
PREDICTED = np.where(RNG.random(len(NAMES)) < 0.85, TRUTH, "owl")
LINES = list(zip(NAMES, PREDICTED, TRUTH, strict=True))
PLAIN = "\n".join(["photo,said,sure", *(f"{name},{said},0.75" for name, said, _ in LINES)]).encode()
WITH_TRUTH = "\n".join(["photo,said,really", *(",".join(line) for line in LINES)]).encode()


def dropped(test, *files: tuple[str, bytes], folder: bool = False):
    """The page after these files were dropped, in one go, into the field of files or of folders."""
    [field] = [one for one in test.file_uploader if one.accept_multiple_files and one.accept_directory == folder]
    field.set_value([(name, content, TYPE) for name, content in files]).run()
    assert not test.exception
    return test


def pictures(start: str = "") -> list[tuple[str, bytes]]:
    return [(f"{start}{name}", gray(place)) for place, name in enumerate(NAMES)]


def button(test, label: str):
    return next(one for one in test.button if one.label == label)


def subject_added(project):
    [entry] = [entry for entry in project.entries() if not entry.demo]
    return Project(project.folder).subject(entry.key)


def reasons(test) -> list[str]:
    return [re.sub(r"\\|\u2060", "", one.value) for one in test.caption]


def test_table_and_loose_pictures_in_one_drop_are_joined_by_name(opened, project):
    test = dropped(opened("subject"), *pictures(), ("t.csv", PLAIN))
    assert "names match 40 of 40 files" in reasons(test)
    button(test, "Open without labeling").click().run()
    assert subject_added(project).dataset.modality == "image"


@pytest.mark.parametrize("first", ["folder", "table"])
def test_folder_and_table_come_in_either_order(first, opened, project):
    test = opened("subject")
    for part in ("folder", "table") if first == "folder" else ("table", "folder"):
        if part == "folder":
            dropped(test, *pictures("pictures/"), ("pictures/.DS_Store", b"x"), folder=True)
        else:
            dropped(test, ("t.csv", PLAIN))
    assert "**t.csv** + **pictures/, 40 files**" in [one.value.replace("\\", "") for one in test.markdown]
    button(test, "Open without labeling").click().run()
    assert subject_added(project).dataset.modality == "image"


def test_a_folder_with_its_table_is_enough(opened):
    test = dropped(opened("subject"), ("set/t.csv", PLAIN), *pictures("set/pictures/"), folder=True)
    assert "names match 40 of 40 files" in reasons(test)


def test_same_files_are_kept_once_however_often_they_are_dropped(opened, project):
    packed = zip_of(NAMES)  # once: a zip tells the second in which it was made
    for _ in range(2):
        dropped(opened("subject"), ("t.csv", PLAIN), ("p.zip", packed))
        dropped(opened("subject"), *reversed(pictures()), ("t.csv", PLAIN))
    assert len(list((project.folder / "datasets").rglob("*.zip"))) == 2


def test_start_labeling_plans_with_the_question_budget_and_goal_on_the_page(opened, project):
    test = dropped(opened("subject"), ("t.csv", PLAIN))
    next(one for one in test.text_input if one.label == "Question for testers").set_value("Which animal?")
    next(one for one in test.number_input if one.label == "Labels, at most").set_value(25)
    next(one for one in test.number_input if one.label == "Goal, ± points").set_value(8.0)
    button(test, "Start labeling").click().run()
    [record] = project.sessions()
    assert (record.question, record.request.budget, record.half_width) == ("Which animal?", 25, 0.08)
    assert Project(project.folder).subject(record.subject).name == "t.csv"


@pytest.mark.parametrize("answer", ["Yes", "No, ignore it"])
def test_a_column_that_may_be_the_truth_is_asked_about_before_labeling(answer, opened, project):
    test = dropped(opened("subject"), ("t.csv", WITH_TRUTH))
    assert "Is this the true answer?" in reasons(test)
    assert button(test, "Start labeling").disabled
    assert "First answer the question about `really`." in reasons(test)
    press(test, answer)
    assert not button(test, "Start labeling").disabled
    button(test, "Open without labeling").click().run()
    inputs = Project(project.folder).inputs(subject_added(project).key)
    assert (inputs.losses is not None) == (answer == "Yes")


def test_a_truth_by_its_name_is_confirmed_and_stays_the_same_subject(opened, project):
    content = WITH_TRUTH.replace(b"really", b"label")
    key = project.add_table("t.csv", content).key
    test = dropped(opened("subject"), ("t.csv", content))
    assert button(test, "Start labeling").disabled
    press(test, "Yes")
    button(test, "Open without labeling").click().run()
    assert subject_added(project).key == key


def test_without_a_prediction_neither_button_can_be_pressed(opened):
    test = dropped(opened("subject"), ("t.csv", b"first,second\n" + b"a,x\nb,y\na,y\n" * 20))
    assert button(test, "Start labeling").disabled
    assert button(test, "Open without labeling").disabled
    assert "First choose above how to read the table." in reasons(test)


def test_change_files_leads_back_to_the_first_screen(opened):
    test = dropped(opened("subject"), ("t.csv", PLAIN))
    press(test, "Change files")
    assert [one.value for one in test.title] == ["How accurate is your model? Label a few inputs to find out."]


def test_the_ways_to_read_an_output_show_the_question_and_what_would_be_judged(opened):
    lines = [
        f"How does house {n} stand by the river?,It stands as number {n} does.,Nobody saw the house of {n} people."
        for n in range(30)
    ]
    test = dropped(opened("subject"), ("replies.csv", "\n".join(["prompt,completion,response", *lines]).encode()))
    first, second = (frame.value for frame in test.dataframe if "output" in frame.value)
    assert first.loc[2].tolist() == ["How does house 2 stand by the river?", "It stands as number 2 does."]
    assert second.loc[2].tolist() == ["How does house 2 stand by the river?", "Nobody saw the house of 2 people."]


def test_a_truth_that_is_predicted_in_every_row_is_doubted_on_the_page_too(opened):
    rows = "".join(f"the {n} house of the town is big,{'abc'[n % 3]},{'abc'[n % 3]}\n" for n in range(60))
    test = opened("subject")
    dropped(test, ("t.csv", f"text,prediction,label\n{rows}".encode()))
    assert any("is what was predicted in all 60 rows" in one.value for one in test.markdown)
