"""The order of the classes under Project: shown with its reason, changed by a list, asked about where unclear."""

import io
import json

import numpy as np
import onnx
import pytest
from streamlit.testing.v1 import AppTest

from testimate.project.project import Project
from tests.pages.upload_steps import can_be_used, onnx_of, press, said, upload

pytestmark = pytest.mark.usefixtures("models_in_this_process")

ROWS = 200


def network() -> bytes:
    """Says output 1 where the first number is above 0."""
    return onnx_of(
        [np.array([[1, -1], [0, 0]]), np.array([[-1, 1], [1, -1]])], [np.zeros(2), np.zeros(2)], flatten=False
    )


def customers(stays: str = "stays", leaves: str = "leaves") -> bytes:
    """Rows that the network, trained with 0 = stays and 1 = leaves, is right about in 157 of 200 cases."""
    x = np.random.default_rng(1).normal(size=(ROWS, 2))
    words = np.where((x[:, 0] > 0) ^ (np.arange(ROWS) >= 157), leaves, stays)
    return "\n".join(
        ["a,b,label", *(f"{a:.6f},{b:.6f},{word}" for (a, b), word in zip(x, words, strict=True))]
    ).encode()


@pytest.fixture
def form(opened):
    """A call that uploads the network and some data, and gives the page."""

    def run(data: bytes, name: str = "customers.csv", model: bytes | None = None) -> AppTest:
        test = press(opened("subject"), "Upload a model")
        upload(test, "model", "churn.onnx", network() if model is None else model)
        return upload(test, "dataset", name, data)

    return run


def shown(test: AppTest) -> str:
    return said(test).replace("\\", "")


def kept(project) -> object:
    [entry] = [entry for entry in Project(project.folder).entries() if not entry.demo]
    return Project(project.folder).subject(entry.key)


def test_a_wrong_order_is_shown_with_its_number_and_changed_only_by_a_press(form, project):
    test = form(customers())
    assert "labels' words in alphabetical order" in shown(test)
    assert "21.5% right; with leaves and stays exchanged 78.5% (of 200 labeled inputs)" in shown(test)
    assert not can_be_used(test)
    press(test, "Keep the order")
    assert "21.5% right" in shown(test)
    assert can_be_used(test)
    press(test, "Take this order")
    assert "21.5%" not in shown(test)
    assert "Taken from: as the labels suggest" in shown(test)
    press(test, "Use this model and data")
    subject = kept(project)
    assert subject.task.classes == ("stays", "leaves")
    model = subject.open_model()
    predicted = model.run(subject.dataset.batch(np.arange(ROWS)), [model.roles["CON"]])[model.roles["CON"]].argmax(
        axis=1
    )
    assert np.mean(predicted == subject.truth) == pytest.approx(0.785)


def test_the_order_is_changed_by_a_pasted_list_which_also_names_outputs_without_labels(form, project):
    file = io.BytesIO()
    np.save(file, np.random.default_rng(2).normal(size=(30, 2)).astype(np.float32))
    test = form(file.getvalue(), "bare.npy")
    assert "nothing names them" in shown(test)
    test.text_area[0].set_value("stays\nleaves").run()
    press(test, "Take this list")
    assert "Taken from: as pasted" in shown(test)
    press(test, "Use this model and data")
    assert kept(project).task.classes == ("stays", "leaves")
    assert kept(project).truth is None


def test_a_list_of_the_wrong_length_is_refused_in_a_sentence_and_can_be_forgotten(form):
    test = form(customers())
    test.text_area[0].set_value("stays, leaves, returns").run()
    press(test, "Take this list")
    assert "The list names 3 classes" in shown(test)
    assert not can_be_used(test)
    press(test, "Forget this list")
    assert "labels' words in alphabetical order" in shown(test)
    press(test, "Exchange the two")
    assert "Taken from: as changed by hand" in shown(test)
    press(test, "As found")
    assert "labels' words in alphabetical order" in shown(test)
    assert not can_be_used(test), "the labels contradict this order, and it was not kept by a press"


def test_an_answer_column_of_another_name_is_asked_for_and_neither_given_to_the_model_nor_shown(form, project):
    two_of_words = customers().replace(b"stays", b"stays,south").replace(b"leaves", b"leaves,north")
    test = form(two_of_words.replace(b"a,b,label", b"a,b,churned,region"))
    assert "nothing names them" in shown(test)
    [question] = [one for one in test.selectbox if one.label == "Which column has the true answers?"]
    assert question.options == ["churned", "region", "a", "b"]
    question.select("churned").run()
    assert "21.5% right; with leaves and stays exchanged 78.5%" in shown(test)
    press(test, "Take this order")
    press(test, "Use this model and data")
    subject = kept(project)  # opened again from its record
    truth = [line.rsplit(",", 1)[1] for line in customers().decode().splitlines()[1:]]
    assert [subject.task.classes[place] for place in subject.truth] == truth
    assert [name for name, _ in subject.dataset.show(0).cells] == ["row", "a", "b", "region"]


def test_the_only_column_with_as_many_words_as_the_model_has_outputs_is_the_answers_whatever_it_is_called(
    form, project
):
    test = form(customers().replace(b"a,b,label", b"a,b,churned"))
    assert "truth `churned` (hidden from testers)" in shown(test)
    press(test, "Exchange the two")
    press(test, "Use this model and data")
    assert [name for name, _ in kept(project).dataset.show(0).cells] == ["row", "a", "b"]


def test_answers_as_numbers_under_another_name_are_not_taken_for_an_input_once_they_are_named(form):
    rows = customers("1", "2").replace(b"a,b,label", b"a,b,churned")
    test = form(rows)
    assert "takes 2 numbers, and the table has 3 columns of them. One seems to be the answers." in shown(test)
    assert "Choose it below." in shown(test)
    assert not can_be_used(test)
    next(one for one in test.selectbox if one.label == "Which column has the true answers?").select("churned").run()
    assert "Choose it below." not in shown(test)
    assert can_be_used(test)


def test_names_that_are_alike_are_asked_about(form, project):
    model = onnx.load_model_from_string(network())
    entry = model.metadata_props.add()
    entry.key, entry.value = "classes", json.dumps(["stays", "leaves"])
    test = form(customers(leaves="Leaves"), model=model.SerializeToString())
    assert "'leaves' and 'Leaves' differ only in case" in shown(test)
    assert not can_be_used(test)
    press(test, "The same class")
    assert "Taken from: the model's own metadata" in shown(test)
    press(test, "Use this model and data")
    assert kept(project).task.classes == ("stays", "leaves")


def test_a_model_that_says_the_number_of_its_class_alone_shows_some_inputs_with_it_and_is_used(form, project):
    whole = onnx.load_from_string(network())
    graph = whole.graph
    graph.node.append(onnx.helper.make_node("ArgMax", [graph.output[0].name], ["class"], axis=1, keepdims=0))
    del graph.output[:]
    graph.output.append(onnx.helper.make_tensor_value_info("class", onnx.TensorProto.INT64, ["N"]))
    test = form(customers("b", "c"), model=whole.SerializeToString())
    assert not test.error, shown(test)
    x = np.random.default_rng(1).normal(size=(ROWS, 2))
    [seen] = [one.value for one in test.dataframe if " " in one.value]
    assert [line.split(" · ")[0] for line in seen[" "]] == [
        f"predicted {'c' if float(a) > 0 else 'b'}" for a in seen["a"]
    ]
    press(test, "Use this model and data")
    subject = kept(project)
    assert subject.task.classes == ("b", "c")
    model = subject.open_model()
    said_by_it = model.run(subject.dataset.batch(np.arange(ROWS)), [model.roles["OUT"]])[model.roles["OUT"]]
    assert np.ravel(said_by_it).tolist() == (x[:, 0].round(6) > 0).astype(int).tolist()
