"""Where nobody knows how inputs are prepared, it is asked; what was taken, and who decided it, stays with the result."""

import io
import json
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.datasets.preprocessing import Preprocessing
from testimate.planning.known_inputs import unusual_predictions
from testimate.project.bundle import read_bundle, write_bundle
from testimate.project.project import Project
from testimate.reports.report import report_html
from testimate.subjects.preparation import chosen_preprocessing, range_of_tool
from testimate.tasks.classification import Classification
from tests.own_files import described, open_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")


def network_of_pictures(path, *, scaling=()):
    """Pictures of 3 x 5 x 5 times ``scaling``, a convolution of the whole picture and softmax over four classes."""
    rng = np.random.default_rng(3)
    nodes, last = [], "x"
    weights = [numpy_helper.from_array(rng.normal(size=(4, 3, 5, 5)).astype(np.float32), "w")]
    for place, (operation, number) in enumerate(scaling):
        weights.append(numpy_helper.from_array(np.float32(number), f"c{place}"))
        nodes.append(helper.make_node(operation, [last, f"c{place}"], [f"s{place}"]))
        last = f"s{place}"
    nodes += [
        helper.make_node("Conv", [last, "w"], ["conv"]),
        helper.make_node("Flatten", ["conv"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["p"]),
    ]
    graph = helper.make_graph(
        nodes,
        "pictures",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 5, 5])],
        [helper.make_tensor_value_info("p", TensorProto.FLOAT, ["n", 4])],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.fixture
def files(tmp_path):
    """A network of pictures that does not scale them, and unlabeled ones in color from 0 to 255."""
    pictures = np.random.default_rng(4).integers(0, 256, (60, 5, 5, 3), dtype=np.uint8)
    np.savez(tmp_path / "pictures.npz", x=pictures)
    return network_of_pictures(tmp_path / "net.onnx"), tmp_path / "pictures.npz"


def test_without_labels_features_asks_with_the_candidates_in_the_sentence(files, tmp_path, command):
    status, out, err = command("features", *files, "--project", tmp_path / "p")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--scale 1 (0 to 255) predicts" in err
    assert "--scale 1/255 (0 to 1) predicts" in err
    assert "--scale 1/255 --mean 0.485,0.456,0.406 --deviation 0.229,0.224,0.225 (ImageNet's" in err
    assert "of 4 classes, mean confidence" in err


def test_what_is_typed_is_used_and_reported(files, tmp_path, command):
    typed = ("--scale", "1/255", "--mean", "0.5,0.4,0.3", "--deviation", "0.2", "--channels", "first,bgr")
    table = tmp_path / "t.parquet"
    status, out, _ = command("features", *files, "--project", tmp_path / "p", "--out", table, *typed)
    assert status == 0
    assert "inputs prepared: scale 0.00392157; mean 0.5, 0.4, 0.3; deviation 0.2; color bgr" in out
    assert "(as given on the command line)" in out
    for wrong, sentence in (
        (("--size", "224"), "such as 224x224"),
        (("--channels", "middle"), "Expected first or last"),
    ):
        status, _, err = command("features", *files, *wrong)
        assert (status, sentence in err) == (2, True)


def test_the_file_beside_the_model_answers_the_question(files, tmp_path, command):
    (tmp_path / "net.toml").write_text('[preprocessing]\nscale = "1/255"\n')
    status, out, _ = command("features", *files, "--project", tmp_path / "p")
    assert status == 0
    assert "(net.toml beside the model)" in out


@pytest.mark.parametrize(
    ("scaling", "own_range"),
    [
        ((("Mul", 1 / 255),), "0 to 255"),
        ((("Div", 127.5), ("Sub", 1.0)), "0 to 255"),
        ((("Sub", 0.45), ("Div", 0.22)), "0 to 1"),
        ((("Sub", 116.0),), "0 to 255"),
        ((), None),
    ],
)
def test_a_model_whose_first_layers_scale_pictures_says_itself_what_it_takes(files, scaling, own_range):
    model = network_of_pictures(files[0], scaling=scaling)
    own = open_files(model, files[1])
    assert own.record.facts.own_range == own_range
    if own_range is None:
        with pytest.raises(BadInput, match="These files don't record how inputs were prepared"):
            own.check_decided()
    else:
        own.check_decided()
        assert own.record.preprocessing.scale == (1 if own_range == "0 to 255" else 1 / 255)
        assert "own first layers" in own.record.decided


def test_the_zip_of_teachable_machine_says_how_pictures_are_scaled(files, tmp_path):
    own = open_files(network_of_pictures(files[0], scaling=()), files[1])
    for names, found in ((("keras_model.h5", "labels.txt"), "-1 to 1"), (("keras_model.h5", "labels.txt", "a.py"), "")):
        with zipfile.ZipFile(tmp_path / "converted_keras.zip", "w") as archive:
            for name in names:
                archive.writestr(name, "0 Paper")
        assert range_of_tool(tmp_path / "converted_keras.zip") == found
    chosen = chosen_preprocessing(
        SimpleNamespace(roles={}), own.record.facts, own.dataset, given=None, exported="-1 to 1"
    )
    assert (chosen.preprocessing.scale, chosen.preprocessing.mean) == (pytest.approx(1 / 127.5), (1.0,))
    assert chosen.source == "Teachable Machine gives its models pictures of -1 to 1"


def test_a_project_keeps_no_subject_whose_preprocessing_nobody_decided(files, tmp_path):
    project = Project(tmp_path / "p")
    with pytest.raises(BadInput, match="These files don't record how"):
        project.add_uploaded(described(*files))
    assert not [entry for entry in project.entries() if not entry.demo]


def test_the_preprocessing_stays_with_the_session_its_report_and_its_export(files, tmp_path):
    project = Project(tmp_path / "p")
    subject = project.add_uploaded(
        described(*files, preprocessing=Preprocessing(scale=1 / 255), decided="as chosen here")
    )
    session = project.start_session(subject.key, Request("rrs", budget=5, seed=1))
    said = "scale 0.00392157; channels first (as chosen here)"
    assert session.session_record.prepared == said
    assert dict(subject.facts)["preprocessing decided by"] == "as chosen here"
    assert said in report_html(session)
    exported = write_bundle(session)
    assert read_bundle(exported).record.prepared == said
    parts = zipfile.ZipFile(io.BytesIO(exported))
    before = json.loads(parts.read("session.json"))
    del before["prepared"]  # of an earlier version
    older = io.BytesIO()
    with zipfile.ZipFile(older, "w") as file:
        for name in parts.namelist():
            file.writestr(name, json.dumps(before) if name == "session.json" else parts.read(name))
    assert read_bundle(older.getvalue()).record == replace(session.session_record, prepared="")
    assert Project(tmp_path / "p").subject(subject.key).prepared == said


def inputs_of(predictions, confidence, classes=10) -> Inputs:
    task = Classification(tuple(map(str, range(classes))))
    return Inputs("f" * 32, task, np.asarray(predictions), np.asarray(confidence, dtype=np.float64))


def test_predictions_that_suggest_a_wrong_scale_are_reported():
    every = np.arange(200) % 10
    assert unusual_predictions(inputs_of(every, np.where(np.arange(200) < 190, 0.99999, 0.9))) == ()  # 95%, not more
    [sure] = unusual_predictions(inputs_of(every, np.where(np.arange(200) < 191, 0.99999, 0.9)))
    assert "95.5" in sure
    assert unusual_predictions(inputs_of(every % 5, np.full(200, 0.9))) == ()  # half of the classes
    [few] = unusual_predictions(inputs_of(every % 4, np.full(200, 0.9)))
    assert "Only 4 of 10 classes" in few
    assert unusual_predictions(inputs_of([0, 1, 2], np.full(3, 0.9), classes=100)) == ()  # three inputs, three classes


@pytest.mark.parametrize(("lines", "found"), [("0 cat\n1 owl\n", "-1 to 1"), ("cat\nowl\n", ""), ("", "")])
def test_the_files_of_teachable_machine_say_their_range_in_a_folder_too(tmp_path, lines, found):
    (tmp_path / "labels.txt").write_text(lines)
    assert range_of_tool(tmp_path / "keras_model.h5") == found
    assert range_of_tool(tmp_path / "model.h5") == ""


def test_the_labels_of_a_training_set_decide_for_a_test_set_without_labels(tmp_path):
    """A network of brightness from 0 to 1; on pictures from 0 to 255 it calls all but black ones light."""
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["m"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Clip", ["m", "zero", "one"], ["c"]),
        helper.make_node("Unsqueeze", ["c", "axis"], ["light"]),
        helper.make_node("Sub", ["one", "light"], ["dark"]),
        helper.make_node("Concat", ["dark", "light"], ["y"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "brightness",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 5, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
        [
            numpy_helper.from_array(np.float32(0), "zero"),
            numpy_helper.from_array(np.float32(1), "one"),
            numpy_helper.from_array(np.int64([1]), "axis"),
        ],
    )
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9), path)
    for number, value in enumerate(range(2, 254, 2)):
        name = f"train/{'light' if value > 127 else 'dark'}" if number % 3 else "test"
        (tmp_path / "set" / name).mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((5, 5), value, np.uint8)).save(tmp_path / "set" / name / f"{number:03}.png")
    own = open_files(path, tmp_path / "set")
    assert own.subject.truth is None
    assert own.record.class_order is not None
    assert own.record.class_order.names == ("dark", "light")
    assert own.record.preprocessing.scale == pytest.approx(1 / 255)
    assert own.record.decided is not None
    assert own.record.decided.endswith("of the training set")
