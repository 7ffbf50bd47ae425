"""A prediction table is uploaded with its pictures and features, its columns assigned by eye, and comes back with all of it."""

import io
import json
import re
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from PIL import Image

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.selector import Request
from testimate.project.deleted import delete_subject
from testimate.project.files import keep_upload
from testimate.project.project import Project
from testimate.subjects.table_choices import TableChoices
from testimate.tasks.classification import MultiLabel
from tests.media import gray
from tests.tables.evaluation_files import TOOLS


def zip_of(names) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for place, name in enumerate(names):
            archive.writestr(name, gray(place))
    return file.getvalue()


NAMES = [f"{place:02}.png" for place in range(40)]
TABLE = "\n".join(
    ["where,guess,certainty", *(f"{name},{'cat' if name < '20' else 'dog'},0.75" for name in NAMES)]
).encode()


def npy(values) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def uploaded(test, start: str, name: str, content: bytes):
    [field] = [field for field in test.file_uploader if str(field.key or field.label).startswith(start)]
    return field.set_value([(name, content, "application/octet-stream")]).run()


def role(test, column: str):
    return next(box for box in test.selectbox if str(box.key).startswith(f"role of {column} "))


def understood(test) -> str:
    """The line that says how the table was read, on the import page or on the subject's; empty where there is none."""
    lines = [one.value for one in (*test.caption, *test.markdown)]
    lines = [re.sub(r"\\|\u2060", "", line) for line in lines]
    return next((line for line in lines if re.match(r"[\d\u202f,]+ (rows|pictures|inputs)\b.*:", line)), "")


def test_columns_are_assigned_by_eye_and_pictures_and_features_come_with_the_table(opened, project):
    test = opened("subject")
    uploaded(test, "dropped files", "t.csv", TABLE)
    assert not test.error
    assert understood(test) == "40 rows: files by `where` · `guess` 2 classes · scores `certainty`"
    role(test, "certainty").set_value("confidence").run()
    assert understood(test).endswith("`certainty` = chance of the predicted class, 0.75 to 0.75")
    role(test, "where").set_value("prediction").run()
    assert (role(test, "guess").value, role(test, "where").value) == ("ignore", "prediction")
    press(test, "Read it as before")
    role(test, "certainty").set_value("confidence").run()
    uploaded(test, "table inputs upload", "p.zip", zip_of([*NAMES[1:], "more.png"]))
    uploaded(test, "table features upload", "f.npy", npy(np.eye(40, 3)))
    assert not test.exception
    warned = [one.value.replace("\\", "") for one in test.warning]
    assert warned == ["Rows without a file: 1 (00.png)", "Files of no row: 1 (more.png)"]
    next(one for one in test.button if one.label == "Open without labeling").click().run()
    [entry] = [entry for entry in project.entries() if not entry.demo]
    subject, inputs = Project(project.folder).subject(entry.key), Project(project.folder).inputs(entry.key)
    assert subject.dataset.modality == "image"
    assert inputs.features["FILE"].shape == (40, 3)
    assert inputs.name_of(7) == "07.png"
    assert inputs.confidence.tolist() == [0.75] * 40
    again = opened("subject", subject=entry.key)
    assert not again.exception


def kept(project, name: str, content: bytes):
    return keep_upload(project.folder, "dataset", name, content).path


def test_pictures_may_be_added_to_a_table_that_is_being_labeled_and_never_be_exchanged(project):
    content = b"image,prediction\n" + b"".join(f"{name},{place % 3}\n".encode() for place, name in enumerate(NAMES))
    plain = project.add_table("t.csv", content)
    session = project.start_session(plain.key, Request("srs", budget=5, seed=1))
    first, other = kept(project, "a.zip", zip_of(NAMES)), kept(project, "b.zip", zip_of(reversed(NAMES)))
    shown = project.add_table("t.csv", content, choices=TableChoices(inputs=first))
    assert shown.key == plain.key
    assert Project(project.folder).session(session.session_record.id).show(3).image is not None
    with pytest.raises(BadInput, match="labeled with other files"):
        project.add_table("t.csv", content, choices=TableChoices(inputs=other))
    first.write_bytes(other.read_bytes())
    with pytest.raises(SubjectChanged, match="are not what they were"):
        Project(project.folder).subject(plain.key)
    first.unlink()
    with pytest.raises(BadInput, match=r"a\.zip' of 't.csv' is gone"):
        Project(project.folder).subject(plain.key)


def test_top_k_is_chosen_on_plan_and_opens_the_same_table_as_a_subject_of_its_own(opened, project):
    rng = np.random.default_rng(2)
    lines = [",".join(f"{chance:.6f}" for chance in line) for line in rng.dirichlet(np.ones(4), 50)]
    key = project.add_table("t.csv", "\n".join(["p_a,p_b,p_c,p_d", *lines]).encode()).key
    test = opened("plan", subject=key)
    field = next(one for one in test.number_input if str(one.key) == f"top k {key}")
    field.set_value(2).run()
    assert not test.exception
    [other] = [entry.key for entry in project.entries() if not entry.demo and entry.key != key]
    assert Project(project.folder).inputs(other).predictions.shape == (50, 2)
    assert Project(project.folder).inputs(key).predictions.shape == (50,)


def test_a_class_that_was_never_predicted_can_be_answered_and_stays_where_it_is(project):
    content = b"prediction\n" + b"cat\ndog\neel\n" * 10
    subject = project.add_table("t.csv", content, choices=TableChoices(further=("owl",)))
    assert subject.task.classes == ("cat", "dog", "eel", "owl")
    project.start_session(subject.key, Request("srs", budget=5, seed=1))
    more = project.add_table("t.csv", content, choices=TableChoices(further=("owl", "another class")))
    assert more.task.classes[3:] == ("owl", "another class")
    with pytest.raises(BadInput, match="sessions in which owl, another class could be answered"):
        project.add_table("t.csv", content, choices=TableChoices(further=("another class",)))


def saved_dataset() -> bytes:
    """A zip of a folder that the datasets library's save_to_disk left, with pictures and a network's predictions."""
    made = pa.table(
        {
            "image": [{"bytes": gray(5 * place), "path": f"{place}.png"} for place in range(30)],
            "label": [place % 3 for place in range(30)],
            "prediction": [0, 1, 1] * 10,
        }
    )
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, made.schema) as out:
        out.write_table(made)
    names = {"label": {"_type": "ClassLabel", "names": ["ant", "bee", "owl"]}}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("birds/state.json", json.dumps({"_data_files": [{"filename": "d.arrow"}]}))
        archive.writestr("birds/dataset_info.json", json.dumps({"features": names}))
        archive.writestr("birds/d.arrow", stream.getvalue())
        archive.writestr("birds/run.py", "raise SystemExit")
    return file.getvalue()


def press(test, label: str) -> None:
    next(one for one in test.button if one.label == label).click().run()


def test_a_zip_of_a_saved_dataset_opens_with_its_pictures_and_again_from_the_project(opened, project):
    test = opened("subject")
    uploaded(test, "dropped files", "birds.zip", saved_dataset())
    assert not test.error
    press(test, "Open without labeling")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    subject = Project(project.folder).subject(entry.key)
    assert subject.task.classes == ("ant", "bee", "owl")
    assert np.asarray(Image.open(io.BytesIO(subject.dataset.show(7).image)))[0, 0] == 35
    assert subject.inputs.losses.sum() == 10
    assert not list(project.folder.rglob("run.py"))
    assert not list(project.folder.rglob("*.zip"))
    delete_subject(project, entry.key)
    test = opened("subject")
    folder = next(box for box in test.selectbox if box.key == "table folder")
    folder.set_value(str(*project.folder.rglob("birds"))).run()
    press(test, "Open without labeling")
    assert [one.key for one in project.entries() if not one.demo] == [entry.key]


def test_a_zip_without_a_dataset_is_a_sentence_that_says_where_it_belongs(opened, project):
    test = opened("subject")
    uploaded(test, "dropped files", "p.zip", zip_of(["a.png", "t.csv"]))
    [error] = [one.value.replace("\\", "") for one in test.error]
    assert "'p.zip' contains the table 't.csv' among other files. Expected a Hugging Face dataset" in error
    assert not list((project.folder / "datasets").rglob("*.part*"))


def test_a_number_is_asked_for_its_tolerance_at_the_upload_and_keeps_it_while_it_is_labeled(opened, project):
    values = np.linspace(0, 100, 40)
    content = "\n".join(["prediction", *(f"{value:.3f}" for value in values)]).encode()
    test = opened("subject")
    uploaded(test, "dropped files", "prices.csv", content)
    field = next(one for one in test.text_input if one.label == "Tolerance")
    assert field.proto.placeholder.startswith(f"{values.std():.4g}, one standard deviation")
    field.set_value("-1").run()
    assert "The tolerance is -1" in test.error[0].value.replace("\\", "")
    next(one for one in test.text_input if one.label == "Tolerance").set_value("2,5").run()
    press(test, "Open without labeling")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert Project(project.folder).subject(entry.key).task.tolerance == 2.5
    project.start_session(entry.key, Request("srs", budget=5, seed=1))
    with pytest.raises(BadInput, match=r"sessions with a tolerance of 2.5, and the usual tolerance would change"):
        project.add_table("prices.csv", content)


@pytest.mark.parametrize("said", ["10%", "12.5%"])
def test_a_tolerance_may_be_a_percentage_of_the_true_number(said, opened, project):
    content = "\n".join(["prediction,label", *(f"{value}.5,{value}" for value in range(1, 41))]).encode()
    test = opened("subject")
    uploaded(test, "dropped files", "prices.csv", content)
    next(one for one in test.text_input if one.label == "Tolerance").set_value(said).run()
    press(test, "Open without labeling")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    inputs = Project(project.folder).inputs(entry.key)
    share = float(said.rstrip("%")) / 100
    assert inputs.task.relative
    assert inputs.known_accuracy == np.mean([0.5 / value <= share for value in range(1, 41)])
    test = opened("subject", subject=entry.key, truth="on")
    assert not test.exception
    assert any(one.label == f"Within {100 * share:g}%, known here" for one in test.metric)


def test_sets_of_classes_are_asked_for_at_the_upload(opened, project):
    content = b"prediction\n" + b"cat;dog\ncat\nnone\n" * 12
    test = opened("subject")
    uploaded(test, "dropped files", "sets.csv", content)
    asked = next(group for group in test.button_group if group.label == "What is a prediction?")
    asked.set_value("multi-label").run()
    press(test, "Open without labeling")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert project.subject(entry.key).task == MultiLabel(("cat", "dog"))


def test_a_zip_that_cannot_be_used_is_a_sentence_and_what_was_assigned_before_stays(opened):
    test = opened("subject")
    uploaded(test, "dropped files", "t.csv", TABLE)
    role(test, "certainty").set_value("ignore").run()
    uploaded(test, "table inputs upload", "bad.zip", zip_of(NAMES)[:-30])
    assert "'bad.zip' is damaged or cut off" in test.error[0].value.replace("\\", "")
    assert role(test, "certainty").value == "ignore"
    uploaded(test, "table inputs upload", "good.zip", zip_of(NAMES))
    assert not test.error
    assert "left out: `certainty` as chosen" in understood(test)


def test_subject_and_plan_say_that_a_network_is_too_sure_and_predicts_few_of_its_classes(opened, project):
    lines = ["p_a,p_b,p_c,p_d,p_e", *["1,0,0,0,0", "0,1,0,0,0"] * 20]
    key = project.add_table("sure.csv", "\n".join(lines).encode()).key
    for page in ("subject", "plan"):
        said = [one.value.replace("\\", "") for one in opened(page, subject=key).warning]
        assert any("of the confidences exceed 0.9999" in one for one in said)
        assert any("Only 2 of 5 classes are ever predicted" in one for one in said)


def test_what_a_table_of_excels_was_taken_for_stands_on_the_page_before_and_after_it_is_kept(opened, project):
    rows = "".join(f"{'Käse' if n % 2 else 'Brot'};{'Käse' if n % 3 else 'Brot'};0,{50 + n}\r\n" for n in range(40))
    test = opened("subject")
    uploaded(test, "dropped files", "aus Excel.csv", f"label;prediction;confidence\r\n{rows}".encode("cp1252"))
    assert not test.exception
    assert "text in Windows-1252 (such as 'Käse') · columns separated by semicolons" in understood(test)
    next(button for button in test.button if button.label == "Open without labeling").click().run()
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert dict(project.subject(entry.key).facts)["read as"].startswith("text in Windows-1252")


def test_the_first_screen_says_that_a_synchronizer_left_a_second_file_of_labels(opened, project):
    (project.folder / "labels-LAPTOP.sqlite").write_bytes(b"")
    [warning] = opened("subject").warning
    assert "labels-LAPTOP.sqlite" in str(warning.value).replace("\\", "")


def test_the_logs_of_evaluations_are_dropped_as_they_are(opened, project):
    for name, tool in (
        ("samples.jsonl", "lm-evaluation-harness"),
        ("log.eval", "inspect_ai, .eval"),
        ("pairs.zip", "AlpacaEval"),
    ):
        made = TOOLS[tool]()
        content = made.content if name != "pairs.zip" else zipped("annotations.json", made.content)
        test = opened("subject")
        uploaded(test, "dropped files", name, content)
        assert not test.error
        assert not test.exception
        press(test, "Open without labeling")
        [entry] = [entry for entry in project.entries() if entry.name == name]
        subject = Project(project.folder).subject(entry.key)
        assert subject.reading.with_role("input") == (made.roles["input"],)
        assert 1 - subject.inputs.losses.mean() == pytest.approx(made.score)


def zipped(name: str, content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(name, content)
    return held.getvalue()


def test_a_parquet_file_too_large_to_upload_is_chosen_in_the_project(opened, project):
    file = project.folder / "datasets" / "large.parquet"
    file.parent.mkdir(exist_ok=True)
    table = pa.table({"prediction": ["cat", "owl"] * 30, "confidence": [0.5, 0.75] * 30})
    pa.parquet.write_table(table, file)
    test = opened("subject")
    next(box for box in test.selectbox if box.key == "table folder").set_value(str(file)).run()
    assert not test.error
    press(test, "Open without labeling")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    reopened = Project(project.folder).subject(entry.key)
    assert reopened.inputs.confidence.tolist() == [0.5, 0.75] * 30
    assert not (project.folder / "subjects" / entry.key / "table").exists()
