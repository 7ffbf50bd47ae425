"""Models and datasets of one's own under Project: what holds no program comes in and is labeled, the rest is refused."""

import hashlib
import io
import time
from pathlib import Path

import numpy as np
import onnx
import pytest

from testimate.core.selector import Request
from testimate.project.deleted import delete_subject
from testimate.project.files import keep_upload, project_files
from testimate.project.project import Project
from tests.own_files import described
from tests.pages.upload_steps import (
    NPZ,
    ONNX,
    answered_by_buttons,
    can_be_used,
    onnx_of,
    press,
    said,
    upload,
    wait_for_features,
)

HERE = pytest.mark.usefixtures("models_in_this_process")
"""All but the first test: that one runs its model as a tester does, in a process of its own."""


def test_a_model_and_data_go_from_upload_over_features_and_a_plan_to_labels(opened, project, digit_files):
    test = press(opened("subject"), "Upload a model")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", NPZ, digit_files[NPZ])
    upload(test, "training", "train.npz", digit_files["train.npz"])
    assert not test.error, said(test)
    accuracy = digit_files["accuracy"].decode()
    assert {field.key for field in test.file_uploader if "classes" not in field.key} == {
        f"own {key} upload 1" for key in ("model", "dataset", "training")
    }
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value == "0 to 1"
    assert radio.options[0].startswith(f"0 to 1 · {accuracy}")
    press(test, "Use this model and data")
    [entry] = [entry for entry in Project(project.folder).entries() if not entry.demo]
    assert entry.key.startswith("own-")
    test = wait_for_features(opened("subject", subject=entry.key, truth="on"), project)
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Inputs"] == "300"
    assert values["Accuracy, known here"].startswith(accuracy)
    facts = dict(project.subject(entry.key).facts)
    assert facts["preprocessing"] == "scale 0.00392157; channels last"
    assert facts["training set"] == "200 inputs"
    table = next(shown.value for shown in test.table if "here" in shown.value)
    rest = table["here"][table["here"] != "can be used"].tolist()  # those for groups, of which nobody said anything
    assert [one.replace("\\", "") for one in rest] == [
        "It needs a column that says which inputs belong together, and there is none."
    ] * 2
    plan = opened("plan", subject=entry.key)
    assert not plan.error
    next(button for button in plan.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    answered_by_buttons(opened, entry.key, record.id, 3)
    session = Project(project.folder).session(record.id)  # another process would find the same
    assert len(session.answers()) == 3
    assert {"dsa", "lsa", "confidence"} <= set(session.inputs.scores)


@HERE
def test_files_in_the_project_folder_are_chosen_without_typing_a_path(opened, project, digit_files):
    for kind, name in (("models", ONNX), ("datasets", NPZ)):
        (project.folder / kind).mkdir()
        (project.folder / kind / name).write_bytes(digit_files[name])
    (project.folder / "models" / "net.toml").write_text('[preprocessing]\nscale = "1/510"\n')
    test = press(opened("subject"), "Upload a model")
    test.selectbox(key="own model 0").set_value(str(project.folder / "models" / ONNX)).run()
    test.selectbox(key="own dataset 0").set_value(str(project.folder / "datasets" / NPZ)).run()
    assert not test.exception
    assert not test.error, said(test)
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value == "as chosen"  # the TOML beside the model
    upload(test, "training", "train.npz", digit_files["train.npz"])
    assert test.selectbox(key="own dataset 0").value == str(project.folder / "datasets" / NPZ)  # the list is longer now
    assert test.selectbox(key="own training 1").value.endswith("train.npz")
    layer = test.selectbox(key="own layer LHL")
    [chosen] = [option for option in layer.options if option.startswith("dense0") and "(" not in option]
    layer.select(chosen).run()
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    reopened = Project(project.folder).subject(entry.key)
    assert reopened.open_model().roles["LHL"] == chosen
    assert reopened.dataset.batch(np.array([0])).max() <= 0.5


@HERE
def test_features_can_be_canceled_and_taken_up_again(opened, project, digit_files, monkeypatch):
    for kind, name in (("model", ONNX), ("dataset", NPZ)):
        keep_upload(project.folder, kind, name, digit_files[name])
    [model], [dataset] = project_files(project.folder, "model"), project_files(project.folder, "dataset")
    subject = project.add_uploaded(described(model.path, dataset.path))
    began = time.monotonic()

    def slow(*args, progress, **named):
        while time.monotonic() - began < 60:
            progress(1, 3, "running the model")
            time.sleep(0.02)  # a step of the slow work
        raise AssertionError("nobody stopped it")

    monkeypatch.setattr("testimate.feature_cache.cache.FeatureCache.outputs", slow)
    for page in ("subject", "clusters", "strata", "plan"):  # it goes on whatever page is open
        test = opened(page, subject=subject.key)
        assert not test.exception
        assert any(button.label == "Stop" for button in test.button)
    press(test, "Stop")
    monkeypatch.undo()
    monkeypatch.setenv("TESTIMATE_PROJECT", str(project.folder))
    monkeypatch.chdir(Path(__file__).parents[2])
    deadline = time.monotonic() + 30
    while not any(button.label == "Continue" for button in test.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
    press(test, "Continue")
    wait_for_features(opened("subject", subject=subject.key), project)


@HERE
def test_of_two_models_of_one_name_and_size_the_one_uploaded_last_is_opened_and_either_can_be_chosen(
    opened, digit_files
):
    rng = np.random.default_rng(2)
    nets = [onnx_of([rng.normal(size=(64, 10))], [np.zeros(10)], flatten=True) for _ in range(2)]
    assert len(nets[0]) == len(nets[1])
    test = press(opened("subject"), "Upload a model")
    upload(test, "dataset", NPZ, digit_files[NPZ])
    for net in (*nets, nets[0]):
        upload(test, "model", ONNX, net)
        field = next(one for one in test.selectbox if one.label == "Model, in this project")
        assert hashlib.sha256(net).hexdigest()[:16] in test.table[1].value.to_string()
    assert len(set(field.options)) == 2
    field.select_index(1 - field.index).run()
    assert hashlib.sha256(nets[1]).hexdigest()[:16] in test.table[1].value.to_string()


@HERE
def test_the_same_upload_is_kept_once(project):
    first = keep_upload(project.folder, "model", "one.onnx", b"\x08\x01")
    again = keep_upload(project.folder, "model", "two.onnx", b"\x08\x01")
    assert first == again
    assert [file.name for file in project_files(project.folder, "model")] == ["one.onnx"]


@HERE
def test_a_table_whose_score_knows_the_answers_is_told_so(opened, project):
    rng = np.random.default_rng(2)
    truth, predictions = rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    wrong = rng.random(300) < 0.3
    predictions = np.where(wrong, (truth + 1) % 3, truth)
    honest, leaking = rng.random(300), truth * 5 + rng.random(300)
    lines = ["label,prediction,confidence,honest,leaking"]
    lines += [f"{t},{p},0.9,{h:.4f},{k}" for t, p, h, k in zip(truth, predictions, honest, leaking, strict=True)]
    subject = project.add_table("scores.csv", "\n".join(lines).encode())
    test = opened("subject", subject=subject.key)
    assert [warning.value.split(" and the")[0].replace("\\", "") for warning in test.warning] == ["The score leaking"]


@HERE
def test_a_changed_file_is_noticed_before_labels_mean_something_else(project, digit_files):
    files = [
        keep_upload(project.folder, kind, name, digit_files[name]) for kind, name in (("model", ONNX), ("dataset", NPZ))
    ]
    subject = project.add_uploaded(described(files[0].path, files[1].path))
    files[1].path.write_bytes(digit_files["train.npz"])
    with pytest.raises(Exception, match="is not what it was"):
        Project(project.folder).subject(subject.key)
    files[1].path.unlink()
    with pytest.raises(Exception, match="Put the same file back"):
        Project(project.folder).subject(subject.key)
    assert onnx.load_model_from_string(files[0].path.read_bytes()).graph.name == "net"


@HERE
def test_without_labels_the_page_asks_how_inputs_are_prepared_and_shows_what_each_way_gives(
    opened, project, digit_files
):
    bare = io.BytesIO()
    np.savez(bare, x=np.load(io.BytesIO(digit_files[NPZ]))["x_test"])
    test = press(opened("subject"), "Upload a model")
    upload(test, "model", ONNX, digit_files[ONNX])
    upload(test, "dataset", NPZ, bare.getvalue())
    assert "These files don't record how inputs were prepared" in said(test)
    radio = next(radio for radio in test.radio if radio.label == "Preprocessing")
    assert radio.value is None
    assert not can_be_used(test)
    overview, inputs = (shown.value for shown in test.dataframe[:2])
    assert list(overview["prepared"]) == ["0 to 255", "0 to 1", "-1 to 1", "MNIST's mean and deviation"]
    assert len(inputs) == 48
    sure = {name: float(words.split("mean confidence ")[1]) for name, words in overview.iloc[:, :2].values}
    assert sure["0 to 255"] > 0.99 > sure["0 to 1"]
    assert inputs["picture"][0].startswith("data:image/png;base64,")
    radio.set_value("0 to 1").run()
    press(test, "Use this model and data")
    [entry] = [entry for entry in project.entries() if not entry.demo]
    facts = dict(project.subject(entry.key).facts)
    assert facts["preprocessing decided by"] == "as chosen under Project"
    wait_for_features(opened("subject", subject=entry.key), project)
    record = project.start_session(entry.key, Request("rrs", budget=5, seed=1)).session_record
    results = opened("results", session=record.id)
    rests_on = {row["what"]: str(row["value"]) for shown in results.table for row in shown.value.to_dict("records")}
    assert "as chosen under Project" in rests_on["Inputs prepared"]


@HERE
def test_confidences_as_of_a_wrong_scale_are_reported_on_subject_and_plan(opened, project):
    rows = "\n".join(f"{row % 8},0.99999" for row in range(200))
    subject = project.add_table("sure.csv", f"prediction,confidence\n{rows}".encode())
    for page in ("subject", "plan"):
        test = opened(page, subject=subject.key)
        assert any("networks are rarely that sure" in str(warning.value) for warning in test.warning), page


@HERE
def test_a_subject_that_no_longer_opens_is_deleted_with_its_sessions_after_one_question(opened, project, digit_files):
    files = [
        keep_upload(project.folder, kind, name, digit_files[name]) for kind, name in (("model", ONNX), ("dataset", NPZ))
    ]
    subject = project.add_uploaded(described(files[0].path, files[1].path))
    session = project.start_session(subject.key, Request("rrs", budget=5, seed=1))
    kept = project.add_table("kept.csv", b"prediction,confidence\n1,0.5\n0,0.75\n")
    other = project.start_session(kept.key, Request("rrs", budget=2, seed=1)).session_record.id
    files[1].path.unlink()
    test = opened("subject")
    assert f"Delete {subject.name} with its 1 session? You can't undo this." in said(test)
    test.button(key=f"delete {subject.key} for good").click().run()
    assert not test.exception
    again = Project(project.folder)
    assert [entry.key for entry in again.entries() if not entry.demo] == [kept.key]
    assert [record.id for record in again.sessions()] == [other]
    with pytest.raises(Exception, match="There is no session"):
        again.session(session.session_record.id)
    with pytest.raises(Exception, match="There is no test set 'digits' that was added"):
        delete_subject(project, "digits")


def test_a_name_too_long_for_the_head_of_the_page_is_among_the_facts_in_full(opened, project):
    name = f"{'long ' * 30}end.csv"
    subject = project.add_table(name, b"label,prediction\n" + b"a,b\nb,b\n" * 30)
    facts = [table.value for table in opened("subject", subject=subject.key).table]
    assert any(name.removesuffix(".csv") in str(cell) for table in facts for cell in table.to_numpy().ravel())
