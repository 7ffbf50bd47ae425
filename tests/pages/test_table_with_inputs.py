"""A prediction table is uploaded with its pictures and features, its columns assigned by eye, and comes back with all of it."""

import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.selector import Request
from testimate.project.project import Project
from testimate.subjects.prediction_table import TableChoices


def png(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (4, 4), shade).save(file, "PNG")
    return file.getvalue()


def zip_of(names) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for place, name in enumerate(names):
            archive.writestr(name, png(place))
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


def role(test, name: str):
    return next(box for box in test.selectbox if str(box.key).startswith(f"role {name} "))


def test_columns_are_assigned_by_eye_and_pictures_and_features_come_with_the_table(opened, project):
    test = opened("subject")
    uploaded(test, "Prediction table", "t.csv", TABLE)
    assert "does not say what was predicted" in test.error[0].value
    for name, column in (("prediction", "guess"), ("confidence", "certainty"), ("file", "where")):
        role(test, name).set_value(column).run()
    uploaded(test, "table inputs upload", "p.zip", zip_of([*NAMES[1:], "more.png"]))
    uploaded(test, "table features upload", "f.npy", npy(np.eye(40, 3)))
    assert not test.exception
    warned = [one.value.replace("\\", "") for one in test.warning]
    assert warned == ["Rows without a file: 1 (00.png)", "Files of no row: 1 (more.png)"]
    next(one for one in test.button if one.label == "Open the table").click().run()
    [entry] = [entry for entry in project.entries() if not entry.demo]
    subject, inputs = Project(project.folder).subject(entry.key), Project(project.folder).inputs(entry.key)
    assert subject.dataset.modality == "image"
    assert inputs.features["FILE"].shape == (40, 3)
    assert inputs.name_of(7) == "07.png"
    assert inputs.confidence.tolist() == [0.75] * 40
    again = opened("subject", subject=entry.key)
    assert not again.exception


def kept(project, name: str, content: bytes):
    return project.add_file("dataset", name, content).path


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
