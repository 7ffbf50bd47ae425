"""A model dropped on the first screen, with its classes and its data: both are chosen on the page that checks them."""

import io
import zipfile

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from testimate.project.files import project_files
from tests.each import each
from tests.pages.test_import_page import dropped
from tests.pages.upload_steps import NPZ, ONNX, can_be_used, press, said

pytestmark = pytest.mark.usefixtures("models_in_this_process")


def pictures(content: bytes) -> bytes:
    """The digits of an array as pictures in a zip, each in the folder of its class."""
    file, held = io.BytesIO(), np.load(io.BytesIO(content))
    with zipfile.ZipFile(file, "w") as archive:
        for row, (picture, label) in enumerate(zip(held["x_test"][:60], held["y_test"], strict=False)):
            png = io.BytesIO()
            Image.fromarray(picture.reshape(8, 8).astype(np.uint8)).save(png, "PNG")
            archive.writestr(f"{NAMES[label]}/{row}.png", png.getvalue())
    return file.getvalue()


NAMES = [f"digit {word}" for word in ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")]


def test_a_model_and_its_data_dropped_together_are_chosen_on_the_page_of_models(opened, project, digit_files):
    test = dropped(opened("subject"), (ONNX, digit_files[ONNX]), (NPZ, digit_files[NPZ]))
    assert not test.error, said(test)
    assert can_be_used(test)
    assert [one.name for one in project_files(project.folder, "model")] == [ONNX]


@each("labels", ["y", "ill"])
def test_what_the_one_number_of_a_model_means_takes_one_click(opened, project, labels):
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])],
        "one logit",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])],
        [numpy_helper.from_array(np.float32([[3]]), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()
    x, data = np.linspace(-2, 2, 40, dtype=np.float32)[:, None], io.BytesIO()
    np.savez(data, **{"x": x, labels: (x[:, 0] > 0).astype(int)})
    test = dropped(opened("subject"), ("logit.onnx", model), ("two.npz", data.getvalue()))
    assert "What is the model's number?" in said(test)
    assert not test.error
    assert not can_be_used(test)
    test = press(test, "Read it this way")
    assert "where it is above 0, else" in said(test)
    assert can_be_used(test)
    press(test, "Use this model and data")
    [entry] = [one for one in project.entries() if not one.demo]
    assert np.array_equal(project.subject(entry.key).truth, x[:, 0] > 0)


def test_a_model_with_labels_txt_and_a_zip_of_pictures_knows_its_classes(opened, project, digit_files):
    lines = "".join(f"{place} {name}\n" for place, name in enumerate(NAMES)).encode()
    files = (ONNX, digit_files[ONNX]), ("labels.txt", lines), ("pictures.zip", pictures(digit_files[NPZ]))
    test = dropped(opened("subject"), *files)
    assert not test.error, said(test)
    press(test, "Use this model and data")
    [entry] = [one for one in project.entries() if not one.demo]
    assert list(project.subject(entry.key).task.classes) == NAMES
    assert [one.name for one in project_files(project.folder, "model")] == ["net.zip"]


def test_a_model_alone_asks_for_its_data(opened, digit_files):
    test = dropped(opened("subject"), (ONNX, digit_files[ONNX]))
    assert "Choose a model and its test data" in said(test)
    assert not test.error, said(test)
