"""Which output is which class: lists are read, names are mapped, and what nobody can tell is asked about."""

import json
import zipfile

import numpy as np
import onnx
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from testimate.core.errors import BadInput
from testimate.datasets.class_lists import ClassList, given_list, names_in
from testimate.datasets.dataset import OpenedDataset
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.project.project import Project
from testimate.subjects.class_order import UnclearClasses
from testimate.subjects.uploaded_subject import UploadedRecord, reopen_uploaded_subject
from tests.each import each
from tests.own_files import described, open_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def write_csv(path, x, labels):
    rows = [",".join([*(f"{value:.6f}" for value in row), str(label)]) for row, label in zip(x, labels, strict=True)]
    path.write_text("\n".join([",".join([*(f"f{place}" for place in range(x.shape[1])), "label"]), *rows]))
    return path


@pytest.fixture
def staying(network, tmp_path):
    """A network trained with 0 = stays, 1 = leaves, right about 157 of 200 customers, and these in words."""
    x = np.random.default_rng(1).normal(size=(200, 2)).astype(np.float32)
    first = np.hstack([np.eye(2), -np.eye(2)]).astype(np.float32)
    sides = np.array([[-1, 1], [0, 0], [1, -1], [0, 0]], dtype=np.float32)
    model = (
        network(tmp_path / "m" / "churn.onnx", first, sides, "Softmax") if (tmp_path / "m").mkdir() is None else None
    )
    leaves = (x[:, 0] > 0) ^ (np.arange(200) >= 157)
    return model, write_csv(tmp_path / "customers.csv", x, np.where(leaves, "leaves", "stays"))


@pytest.fixture(scope="module")
def digits():
    """Pixels and classes of digits no network has seen, and the weights of one that was trained on others."""
    x, y = load_digits(return_X_y=True)
    x = (x / 16).astype(np.float32)
    trained = LogisticRegression(max_iter=300).fit(x[:900], y[:900])
    last = np.vstack([trained.coef_.T, trained.intercept_[None]]).astype(np.float32)
    return np.hstack([x[900:], np.ones((len(x) - 900, 1), np.float32)]), y[900:], last


def right(subject, tmp_path):
    return 1 - known_inputs(subject, FeatureCache(tmp_path / "cache")).losses.mean()


def test_features_asks_for_the_order_of_two_classes_that_the_labels_contradict(staying, tmp_path, command):
    asked = command("features", *staying, "--project", tmp_path / "p")
    assert asked.status == 2
    assert "21.5% right; with leaves and stays exchanged 78.5% (of 200 labeled inputs)" in asked.err
    assert "--class-names stays,leaves" in asked.err
    assert "--class-names leaves,stays" in asked.err
    assert "accuracy" not in asked.out
    kept = command.ok("features", *staying, "--class-names", "leaves,stays", "--project", tmp_path / "p")
    assert "The classes may be in the wrong order: 21.5% right" in kept, "what a person said is followed, and doubted"
    assert "Accuracy 21.50%" in kept
    out = command.ok("features", *staying, "--class-names", "stays,leaves", "--project", tmp_path / "p")
    assert "classes: output 0 is stays, output 1 is leaves (as given)" in out
    assert "Accuracy 78.50%" in out
    assert "wrong order" not in out
    listed = tmp_path / "names.txt"
    listed.write_text("stays\nleaves\n")
    again = command.ok("features", *staying, "--class-names", listed, "--project", tmp_path / "p")
    assert f"output 1 is leaves ({listed})" in again
    assert "Accuracy 78.50%" in again


def test_digits_named_in_words_are_reported_to_be_in_another_order_and_mapped_by_a_list(network, digits, tmp_path):
    x, y, last = digits
    model = network(tmp_path / "digits.onnx", np.eye(65, dtype=np.float32), last, "Softmax")
    data = write_csv(tmp_path / "digits.csv", x, np.array(DIGITS)[y])
    wrong = open_files(model, data)
    expected = float(np.mean((x @ last).argmax(axis=1) == y))
    assert expected > 0.9
    assert right(wrong.subject, tmp_path) < 0.15
    assert wrong.exchanged.names == DIGITS
    assert wrong.exchanged.right_then == pytest.approx(expected, abs=0.02)
    listed = open_files(model, data, classes=ClassList(DIGITS, "as given"))
    assert right(listed.subject, tmp_path) == pytest.approx(expected)
    assert listed.exchanged is None
    assert listed.subject.task.classes == DIGITS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("class_indices.json", '{"leaves": 1, "stays": 0}'),
        ("classes.txt", "stays\nleaves\n"),
        ("labels.txt", "0 stays\n1 leaves\n"),
        ("class_names.json", '["stays", "leaves"]'),
        ("config.json", '{"model_type": "x", "id2label": {"1": "leaves", "0": "stays"}}'),
        ("churn.classes.txt", "\ufeffstays\r\nleaves"),
    ],
)
def test_lists_that_frameworks_leave_beside_the_model_are_read(staying, tmp_path, name, text):
    (staying[0].parent / name).write_text(text, encoding="utf-8")
    own = open_files(*staying)
    assert own.subject.task.classes == ("stays", "leaves")
    assert name in own.record.class_order.source
    assert right(own.subject, tmp_path) == pytest.approx(0.785)


def test_placeholders_of_transformers_and_lists_of_another_length_are_not_used_and_the_latter_are_reported(staying):
    (staying[0].parent / "config.json").write_text('{"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}')
    (staying[0].parent / "classes.txt").write_text("cat\ndog\nhorse")
    order = open_files(*staying).record.class_order
    assert order.names == ("leaves", "stays")
    [remark] = order.remarks
    assert "classes.txt beside the model lists 3 names" in remark
    assert "was not used" in remark


@pytest.mark.parametrize("value", ["{0: 'stays', 1: 'leaves'}", '["stays", "leaves"]', "stays,leaves"])
def test_names_in_the_metadata_of_an_onnx_file_are_the_outputs_names_with_labels_and_without(staying, tmp_path, value):
    model = onnx.load(staying[0])
    entry = model.metadata_props.add()
    entry.key, entry.value = "names", value
    onnx.save(model, staying[0])
    own = open_files(*staying)
    assert own.record.class_order.source == "the model's own metadata"
    assert right(own.subject, tmp_path) == pytest.approx(0.785)
    np.save(tmp_path / "bare.npy", np.zeros((3, 2), dtype=np.float32))
    bare = open_files(staying[0], tmp_path / "bare.npy")
    assert bare.subject.task.classes == ("stays", "leaves")
    assert bare.subject.truth is None


def test_a_list_in_the_data_itself_is_read_from_an_npz_and_from_a_zip(own, tmp_path):
    np.savez(tmp_path / "named.npz", x=own.x, class_names=np.array(["c", "a", "b"]))
    assert open_files(own.model, tmp_path / "named.npz").subject.task.classes == ("c", "a", "b")
    file = tmp_path / "texts.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("set/class_indices.json", json.dumps({"b": 2, "a": 1, "c": 0}))
        for name in ("a", "b"):
            archive.writestr(f"set/{name}/1.py", f"print('{name}')")
    order = open_files(own.model, file).record.class_order
    assert (order.names, order.source) == (("c", "a", "b"), "class_indices.json in the data")


def test_folders_0_to_9_without_8_are_the_outputs_of_their_numbers(network, digits, tmp_path):
    x, y, last = digits
    model = network(tmp_path / "digits.onnx", np.eye(65, dtype=np.float32), last, "Softmax")
    x, y = x[y != 8], y[y != 8]
    data = np.array([f"{label}" for label in y])
    np.savez(tmp_path / "d.npz", x=x, y=data)
    own = open_files(model, tmp_path / "d.npz")
    assert own.subject.task.classes == tuple("0123456789")
    np.testing.assert_array_equal(own.subject.truth, y)
    named = open_files(model, tmp_path / "d.npz", classes=ClassList(DIGITS, "as given"))
    np.testing.assert_array_equal(named.subject.truth, y)
    assert named.subject.task.classes == DIGITS
    np.savez(tmp_path / "words.npz", x=x, y=np.array(DIGITS)[y])
    words = open_files(model, tmp_path / "words.npz", classes=ClassList(DIGITS, "as given"))
    np.testing.assert_array_equal(words.subject.truth, y)


def test_labels_1_to_9_of_10_outputs_are_asked_about_where_each_agrees_with_the_output_before(
    network, digits, tmp_path
):
    x, y, last = digits
    model = network(tmp_path / "digits.onnx", np.eye(65, dtype=np.float32), last, "Softmax")
    own = open_files(model, write_csv(tmp_path / "d.csv", x[y < 9], y[y < 9] + 1))
    with pytest.raises(BadInput, match=r"in the wrong order: 0\.7% right.*--class-names 1,2,3,4,5,6,7,8,9,0 or"):
        own.check_order()
    kept = open_files(model, tmp_path / "d.csv", classes=ClassList(tuple("0123456789"), "as given"))
    kept.check_order()
    open_files(model, write_csv(tmp_path / "right.csv", x[y > 0], y[y > 0])).check_order()


def test_numbers_from_one_are_the_outputs_in_order_and_that_is_reported(own, tmp_path):
    np.savez(tmp_path / "d.npz", x=own.x, y=own.y + 1)
    opened = open_files(own.model, tmp_path / "d.npz")
    assert opened.record.class_order.names == ("1", "2", "3")
    assert opened.record.class_order.remarks == ('The labels are the numbers 1 to 3, so "1" was taken for output 0.',)
    np.testing.assert_array_equal(opened.subject.truth, own.y)


def test_ten_names_from_1_to_10_are_the_outputs_0_to_9_in_the_order_that_is_reported(own, network, tmp_path):
    last = np.random.default_rng(4).normal(size=(6, 10)).astype(np.float32)
    model, truth = network(tmp_path / "ten.onnx", own.first, last, "Softmax"), np.arange(60) % 10
    numbers, words = tmp_path / "numbers.npz", tmp_path / "words.npz"
    np.savez(numbers, x=own.x, y=truth + 1)
    np.savez(words, x=own.x, y=np.array([f"{place + 1}" for place in truth]))
    in_order = tuple(f"{place + 1}" for place in range(10))

    by_number = open_files(model, numbers)
    np.testing.assert_array_equal(by_number.subject.truth, truth)
    assert by_number.subject.task.classes == in_order
    assert "numbers 1 to 10" in by_number.record.class_order.remarks[0]

    by_alphabet = open_files(model, words)  # 1, 10, 2 and so on, as frameworks number folders
    assert by_alphabet.subject.task.classes == tuple(sorted(in_order))
    assert "list the names in that order" in by_alphabet.record.class_order.remarks[0]

    listed = open_files(model, words, classes=ClassList(in_order, "as pasted"))
    np.testing.assert_array_equal(listed.subject.truth, truth)
    assert "output 0 is '1'" in listed.record.class_order.remarks[0]
    counted = ClassList(tuple(map(str, range(10))), "as pasted")
    np.savez(tmp_path / "outputs.npz", x=own.x, y=truth)
    assert open_files(model, tmp_path / "outputs.npz", classes=counted).record.class_order.remarks == ()


@each(
    ("labels", "names", "sentence"),
    [
        (["a", "b", "c"], ("a", "b"), r"names 2 classes \('a', 'b'\) and the model has 3 outputs.*Add those"),
        (["a", "b", "c"], ("a", "b", "c", "d"), "names 4 classes.*Remove those"),
        (["a", "b", "c"], ("a", "b", "a"), "names 'a' more than once"),
        (
            ["Blatt", "bleibt", "c"],
            ("leaf", "stays", "c"),
            "name 'Blatt', 'bleibt', which are not among.*words of the labels",
        ),
        (["a", "b", "c"], None, None),
        (["a", "b", "b"], None, "distinguishes 3 classes and the dataset names 2.*List all 3 classes"),
        (["Cat", "cat", "dog"], None, "'Cat' and 'cat' differ only in case, spaces or Unicode form: the same class"),
        (["Cat", "dog", "cow"], ("cat", "dog", "cow"), "'cat' and 'Cat' differ only in case"),
    ],
)
def test_what_cannot_be_mapped_is_refused_in_a_sentence_that_names_it(own, tmp_path, labels, names, sentence):
    np.savez(tmp_path / "d.npz", x=own.x[:3], y=np.array(labels))
    classes = None if names is None else ClassList(names, "as given")
    if sentence is None:
        assert open_files(own.model, tmp_path / "d.npz", classes=classes).subject.task.classes == tuple(labels)
        return
    with pytest.raises(UnclearClasses, match=sentence) as refused:
        open_files(own.model, tmp_path / "d.npz", classes=classes)
    assert refused.value.outputs == 3


def test_names_that_are_alike_are_one_class_or_two_as_somebody_says(own, tmp_path):
    words = np.array(["Cat", "dog ", "cow"])[own.y]
    np.savez(tmp_path / "d.npz", x=own.x, y=words)
    listed = ClassList(("cat", "dog", "cow"), "as given")
    same = open_files(own.model, tmp_path / "d.npz", classes=listed, same_names=True)
    np.testing.assert_array_equal(same.subject.truth, own.y)
    assert same.subject.task.classes == listed.names
    with pytest.raises(UnclearClasses, match="not among"):
        open_files(own.model, tmp_path / "d.npz", classes=listed, same_names=False)
    np.savez(tmp_path / "e.npz", x=own.x[:4], y=np.array(["Cat", "cat", "dog", "cow"]))
    merged = open_files(own.model, tmp_path / "e.npz", same_names=True).subject
    assert merged.task.classes == ("Cat", "cow", "dog")
    np.testing.assert_array_equal(merged.truth, [0, 0, 2, 1])


def test_a_thousand_classes_are_listed_shortly_and_mapped(own, network, tmp_path):
    names = tuple(f"class {place:04}" for place in range(1_000))
    rng = np.random.default_rng(3)
    model = network(tmp_path / "m.onnx", own.first, rng.normal(size=(6, 1_000)).astype(np.float32), "Softmax")
    np.savez(tmp_path / "d.npz", x=own.x, y=np.array(names)[np.arange(60) * 16])
    opened = open_files(model, tmp_path / "d.npz", classes=ClassList(names[::-1], "as given"))
    np.testing.assert_array_equal(opened.subject.truth, 999 - np.arange(60) * 16)
    assert len(opened.record.class_order.sentence) < 300
    assert opened.exchanged is None


def test_a_single_output_is_two_classes_and_a_bare_number_says_what_to_do(own, network, tmp_path):
    model = network(tmp_path / "one.onnx", own.first, own.last[:, :1], "Sigmoid")
    np.savez(tmp_path / "d.npz", x=own.x[:3], y=np.array(["stays", "leaves", "stays"]))
    chosen = open_files(model, tmp_path / "d.npz", classes=ClassList(("stays", "leaves"), "as given"))
    np.testing.assert_array_equal(chosen.subject.truth, [0, 1, 0])
    bare = network(tmp_path / "bare.onnx", own.first, own.last[:, :1], None)
    with pytest.raises(BadInput, match=r"gives one number.*'leaves' and 'stays'.*one logit"):
        open_files(bare, tmp_path / "d.npz")
    np.savez(tmp_path / "unlabeled.npz", x=own.x[:3])
    with pytest.raises(BadInput, match="list of 2 classes and the model predicts a number"):
        open_files(bare, tmp_path / "unlabeled.npz", classes=ClassList(("a", "b"), "as given"))


@each(
    ("text", "sentence"),
    [
        ('{"a": 0, "b": 2}', "numbers its outputs 0, 2"),
        ('{"a"', "begins like JSON but is not valid"),
        ('[["a"]]', "JSON in an unknown form"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(BadInput, match=sentence):
        names_in(text)


def test_names_may_be_typed_in_every_usual_way(tmp_path):
    assert names_in('a, "b, c" ,d') == ("a", "b, c", "d")
    assert names_in("0: a\n1: b") == ("a", "b")
    assert names_in("\n a \n\nb\n") == ("a", "b")
    assert given_list("a,b") == ClassList(("a", "b"), "as given")
    with pytest.raises(BadInput, match="There is no file"):
        given_list(str(tmp_path / "names.txt"))


def test_the_order_is_kept_with_the_subject_and_earlier_subjects_keep_theirs(staying, tmp_path, monkeypatch):
    project = Project(tmp_path / "project")
    choice = described(*staying, classes=ClassList(("stays", "leaves"), "as given"))
    subject = project.add_uploaded(choice)
    again = Project(project.folder).subject(subject.key)
    assert again.task.classes == ("stays", "leaves")
    np.testing.assert_array_equal(again.truth, subject.truth)
    kept = project.folder / "subjects" / subject.key / "subject.json"
    assert UploadedRecord.of_json(json.loads(kept.read_text())["opened"]).class_order.source == "as given"

    found = project.add_uploaded(described(*staying))
    kept = project.folder / "subjects" / found.key / "subject.json"
    record = json.loads(kept.read_text())
    del record["opened"]["class_order"], record["opened"]["facts"]["class_names"]  # as it was written before
    kept.write_text(json.dumps(record))
    (staying[0].parent / "classes.txt").write_text(
        "stays\nleaves\n"
    )  # found now, and not used for what is labeled already
    before = Project(project.folder).subject(found.key)
    assert before.task.classes == ("leaves", "stays")
    np.testing.assert_array_equal(before.truth, found.truth)
    assert isinstance(open_files(*staying).dataset, OpenedDataset)


def days_of_texts(path):
    """Texts of two days, in folders of three kinds each."""
    with zipfile.ZipFile(path, "w") as archive:
        for day in (1, 2):
            for kind in ("cat", "dog", "owl"):
                archive.writestr(f"day {day}/{kind}/{day}.txt", f"A {kind}.")
    return path


def test_of_two_depths_of_folders_the_one_with_the_model_s_classes_has_the_labels(own, tmp_path):
    path = days_of_texts(tmp_path / "days.zip")
    with pytest.raises(
        UnclearClasses, match=r"Other folders of these files: 'cat', 'dog', 'owl' \(--label 'folder 2'\)"
    ):
        open_files(own.model, path)
    names = ClassList(("owl", "dog", "cat"), "as given")
    named = open_files(own.model, path, classes=names)
    assert (named.record.label, named.subject.task.classes) == ("folder 2", names.names)
    np.testing.assert_array_equal(named.subject.truth, [2, 1, 0, 2, 1, 0])
    again = UploadedRecord.of_json(named.record.to_json())
    assert reopen_uploaded_subject(again, own.model, path, name="t").key == named.subject.key


@each(
    ("labels", "names"),
    [
        (("n012", "n034"), ("n012", "n034")),
        (("tench", "goldfish"), ("tench", "goldfish")),
        (None, ("tench", "goldfish")),
    ],
)
def test_keras_s_list_of_imagenet_has_two_names_for_each_output_and_those_of_the_labels_count(
    network, tmp_path, labels, names
):
    last = np.array([[1, -1], [-1, 1]], dtype=np.float32)
    model = network(tmp_path / "net.onnx", np.eye(2, dtype=np.float32), last, "Softmax")
    pairs = {"0": ["n012", "tench"], "1": ["n034", "goldfish"]}
    (tmp_path / "imagenet_class_index.json").write_text(json.dumps(pairs))
    x = np.abs(np.random.default_rng(1).normal(size=(60, 2))).astype(np.float32)
    known = {} if labels is None else {"y": np.array(labels)[np.where(x[:, 0] > x[:, 1], 0, 1)]}
    np.savez(tmp_path / "d.npz", x=x, **known)
    own = open_files(model, tmp_path / "d.npz")
    assert own.subject.task.classes == names
    assert labels is None or right(own.subject, tmp_path) == 1
