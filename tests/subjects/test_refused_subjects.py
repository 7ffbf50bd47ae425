"""Tables with their files, models and shifts that cannot be used are refused, and what the sentence says makes them open."""

import io
import json
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.datasets.preprocessing import Preprocessing
from testimate.models.facts import ModelFacts
from testimate.subjects.other_predictions import read_other
from testimate.subjects.prediction_table import read_table
from testimate.subjects.preparation import classes_before_orders, padding_token, task_of
from testimate.subjects.shifts.shifted_dataset import ShiftedPictures, shift_file
from testimate.subjects.table_choices import TableChoices
from testimate.tables.files import digests_of
from testimate.tables.workbooks import cells_of_workbook
from tests.each import each
from tests.media import gray
from tests.own_files import open_files

FILE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def parquet(**columns):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def zip_of(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return path


def read(content, name="t.csv", task=None, **choices):
    return read_table(content, name=name, task=task, choices=TableChoices(**choices))


IMAGES = pa.array([{"bytes": gray(40 * row), "path": None} for row in range(6)], FILE)
CLASSES = ["cat", "dog"] * 3


def test_a_dataset_with_its_pictures_and_no_predictions_is_refused_with_the_command_that_runs_a_model():
    with pytest.raises(
        BadInput, match=r"a dataset with its files in 'image', and no predictions.*testimate features MODEL DATASET"
    ):
        read(parquet(image=IMAGES, label=CLASSES), "t.parquet")
    assert len(read(parquet(image=IMAGES, label=CLASSES, prediction=CLASSES), "t.parquet").dataset) == 6


def test_a_column_without_numbers_or_words_is_refused_for_a_role_and_another_one_is_taken():
    content = parquet(prediction=CLASSES, photo=IMAGES, said=CLASSES)
    with pytest.raises(
        BadInput, match=r"The column 'photo' contains no numbers or words. Expected the prediction there"
    ):
        read(content, "t.parquet", columns=(("prediction", "photo"),))
    read(content, "t.parquet", columns=(("prediction", "said"),))
    outputs = parquet(output=["fine", "bad"] * 3, photo=IMAGES, earlier=["right", "wrong"] * 3)
    with pytest.raises(
        BadInput, match=r"The column 'photo' contains no numbers or words. Expected an earlier model's results"
    ):
        read(outputs, "t.parquet", columns=(("history", "photo"),))
    read(outputs, "t.parquet", columns=(("history", "earlier"),))


def test_inputs_of_which_nothing_is_seen_have_no_digest_and_a_column_gives_them_one():
    with pytest.raises(BadInput, match=r"Nothing is shown of these inputs.*Expected a column 'key', or pictures"):
        digests_of(read(b"prediction\n" + b"cat\ndog\n" * 9).dataset)
    lines = b"".join(b"%s,%d kg\n" % ((b"cat", b"dog")[row % 2], row) for row in range(18))
    assert len({*digests_of(read(b"prediction,weight\n" + lines).dataset)}) == 18


def locked_workbook():
    """What Excel saves with a password: a compound file with a stream called EncryptedPackage (MS-CFB, 2.2 to 2.6)."""
    free, end, table = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6)
    header += bytes(6) + struct.pack("<9I", 0, 1, 1, 0, 4096, end, 0, end, 0) + struct.pack("<109I", 0, *[free] * 108)

    def entry(name, kind, child, start, size):
        called = name.encode("utf-16-le").ljust(64, b"\0")
        links = struct.pack("<HBB3I", 2 * len(name) + 2, kind, 1, free, free, child)
        return called + links + bytes(36) + struct.pack("<IQ", start, size)

    sectors = struct.pack("<128I", table, end, *range(3, 10), end, *[free] * 118)
    folder = entry("Root Entry", 5, 1, end, 0) + entry("EncryptedPackage", 2, free, 2, 4096) + bytes(256)
    return header + sectors + folder + bytes(4096)


def test_a_workbook_behind_a_password_is_refused_as_locked():
    with pytest.raises(BadInput, match=r"'t.xlsx' is locked by a password. Expected a workbook that opens without one"):
        cells_of_workbook(locked_workbook(), "t.xlsx")


def test_a_line_or_a_name_that_is_too_long_is_refused_in_words(monkeypatch):
    from testimate.tables import limits

    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 4_000)
    with pytest.raises(BadInput, match=r"A line is longer than 4,000 bytes, or a quotation mark is never closed"):
        read(b"prediction,note\n" + b"cat,fine\n" * 20 + b"dog," + b"x" * 20_000 + b"\n" + b"cat,fine\n" * 20)
    monkeypatch.setattr(limits, "MAX_CELL_LENGTH", 100)
    with pytest.raises(BadInput, match=r"The first line is not a header .*Expected column names"):
        read(b"prediction," + b"x" * 200 + b"\ncat,1\ndog,2\n")


FILES = {
    "no column names them": (
        b"prediction,size\ncat,big\ndog,small\n",
        {},
        "No column names the 2 files in 'files.zip'. Expected a column image, audio or file",
    ),
    "a column that seems to": (
        b"prediction,where\ncat,a.png\ndog,b.png\n",
        {"columns": (("show", "where"),)},
        "Column 'where' names 2 of the first 2: choose it for the role file",
    ),
    "a judged table without one": (
        b"output,note\nfine day,x\nbad day,y\n",
        {},
        "No column names the files in 'a.png' and so on",
    ),
}


@each("name", [*FILES])
def test_files_that_no_column_names_are_refused_and_the_column_that_is_chosen_is_taken(name, tmp_path):
    content, choices, words = FILES[name]
    inputs = zip_of(tmp_path / "files.zip", a_png=gray(1), b_png=gray(2))
    with pytest.raises(BadInput) as refused:
        read(content, inputs=inputs, **choices)
    assert words in str(refused.value)


def test_the_column_of_the_role_file_shows_the_files_that_it_names(tmp_path):
    inputs = zip_of(tmp_path / "files.zip", a_png=gray(1), b_png=gray(2))
    found = read(b"prediction,where\ncat,a.png\ndog,b.png\n", inputs=inputs, columns=(("file", "where"),))
    assert found.dataset.show(1).image is not None


def test_files_given_beside_files_in_cells_are_refused_and_either_alone_opens(tmp_path):
    content = parquet(image=IMAGES, prediction=CLASSES)
    with pytest.raises(BadInput, match=r"'image' contains the files themselves, and 'files.zip' was given as well"):
        read(content, "t.parquet", inputs=zip_of(tmp_path / "files.zip", a_png=gray(1)))
    assert read(content, "t.parquet").dataset.show(0).image is not None


def test_a_file_of_no_kind_among_the_rows_is_said_to_be_none_in_the_place_of_its_picture(tmp_path):
    inputs = zip_of(tmp_path / "files.zip", a_png=gray(1), b_png=gray(2), c_bin=b"?")
    found = read(b"prediction,file\ncat,a.png\ndog,b.png\ncat,c.bin\n", inputs=inputs)
    assert dict(found.dataset.show(2).cells)["not shown"].startswith(
        "'c.bin' is neither a picture (PNG, JPEG, BMP, WebP)"
    )
    assert found.dataset.show(1).image is not None


def boxes(tmp_path, given, **files):
    return read(json.dumps(given).encode(), "r.json", "boxes", inputs=zip_of(tmp_path / "p.zip", **files))


def test_boxes_without_a_field_or_of_no_picture_are_refused_and_complete_ones_open(tmp_path):
    box = {"image_id": 1, "category_id": 2, "bbox": [1, 1, 3, 3], "score": 0.5}
    lacking = {name: value for name, value in box.items() if name != "bbox"}
    with pytest.raises(BadInput, match=r"Entry 1 of the list has no bbox. Expected image_id, category_id, bbox"):
        boxes(tmp_path, [box, lacking], **{"1_png": gray(1)})
    with pytest.raises(
        BadInput, match=r"Box 1 of the list is of picture 7, and no picture is called so.*such as '1.png'"
    ):
        boxes(tmp_path, [box, box | {"image_id": 7}], **{"1_png": gray(1)})
    assert len(boxes(tmp_path, [box], **{"1_png": gray(1), "2_png": gray(2)}).dataset) == 2


def test_another_model_without_a_row_of_an_input_is_refused_by_its_key_and_a_complete_one_is_read():
    tested = read_table({"prediction": CLASSES, "key": [*"abcdef"]}, name="t").inputs
    keys = {"key": [*"abcdef"]}
    with pytest.raises(
        BadInput, match=r"has no row whose key is 'f', one of 1 inputs that it lacks. Expected them all"
    ):
        read_other(b"key,prediction\na,cat\nb,dog\nc,cat\nd,dog\ne,cat\n", tested, name="o.csv", keys=keys)
    assert (
        len(
            read_other(
                b"key,prediction\n" + b"".join(b"%c,cat\n" % one for one in b"fedcba"), tested, name="o.csv", keys=keys
            ).predictions
        )
        == 6
    )


def test_classes_of_subjects_before_their_order_was_stored_are_names_or_numbers():
    with pytest.raises(
        BadInput, match=r"distinguishes 3 classes and the dataset names 2 \(ant, bee\). Expected the same number"
    ):
        classes_before_orders(("ant", "bee"), 3)
    assert classes_before_orders(("0", "1"), 3) == ("0", "1", "2")


def facts(output, **widths):
    roles = {role: role for role in widths}
    return ModelFacts(1, (*roles,), roles, widths, (4,), "float32", "flat", output, widths.get("CON", 0))


def test_a_model_of_several_numbers_or_labels_is_refused_for_what_needs_one():
    with pytest.raises(
        BadInput, match=r"The model gives 3 numbers per input. Expected one, or the classes' probabilities"
    ):
        task_of(facts("numbers", OUT=3), (), None)
    with pytest.raises(
        BadInput, match=r"Top 2 was asked for, and the model says several probabilities. .*Leave it at 1"
    ):
        task_of(facts("several probabilities", CON=3), ("a", "b", "c"), None, 2)
    assert task_of(facts("numbers", OUT=1), (), None).numeric
    assert task_of(facts("several probabilities", CON=3), ("a", "b", "c"), None).several


class Tokens:
    """Texts that came as the numbers of their tokens."""

    def __init__(self, rows):
        self.rows = np.array(rows)

    def __len__(self):
        return len(self.rows)

    def batch(self, rows):
        return self.rows[rows]


def test_padding_with_another_token_than_the_mask_is_asked_and_what_is_written_is_taken(tmp_path):
    padded = Tokens([[5, 6, 7, 1, 1], [8, 1, 1, 1, 1], [9, 9, 2, 3, 1]] * 3)
    with pytest.raises(BadInput, match=r"seem to be padded with 1, not with 0. Write pad = 1, or pad = 0"):
        padding_token(tmp_path / "m.onnx", padded, None)
    assert padding_token(tmp_path / "m.onnx", padded, Preprocessing(pad=1)) == 1
    (tmp_path / "config.json").write_text('{"pad_token_id": 1}')
    assert padding_token(tmp_path / "m.onnx", padded, None) == 1


@pytest.mark.usefixtures("models_in_this_process")
def test_a_class_inside_without_names_anywhere_is_asked_for_them_and_named_by_them(tmp_path):
    from testimate.datasets.class_lists import ClassList
    from tests.subjects.uploaded.test_meaning_of_outputs import with_class_inside

    random = np.random.default_rng(4)
    weights = random.normal(size=(4, 5)).astype(np.float32), random.normal(size=(5, 3)).astype(np.float32)
    model = with_class_inside(tmp_path / "m.onnx", *weights)
    np.savez(tmp_path / "d.npz", x=random.normal(size=(9, 4)).astype(np.float32))
    with pytest.raises(
        BadInput, match=r"gives the number of the predicted class, and neither it nor the data name the classes"
    ):
        open_files(model, tmp_path / "d.npz")
    named = open_files(model, tmp_path / "d.npz", classes=ClassList(("a", "b", "c"), "as given"))
    assert named.subject.task.classes == ("a", "b", "c")


@pytest.mark.usefixtures("models_in_this_process")
def test_a_training_set_of_other_classes_is_refused_as_not_of_the_model(tmp_path, network):
    random = np.random.default_rng(4)
    first, last = random.normal(size=(4, 5)).astype(np.float32), random.normal(size=(5, 2)).astype(np.float32)
    model = network(tmp_path / "m.onnx", first, last, "Softmax")
    x = random.normal(size=(8, 4)).astype(np.float32)
    np.savez(tmp_path / "d.npz", x=x, y=np.array(["ant", "bee"] * 4))
    np.savez(tmp_path / "other.npz", x=x, y=np.array(["elk", "fox"] * 4))
    np.savez(tmp_path / "same.npz", x=x, y=np.array(["bee", "ant"] * 4))
    with pytest.raises(BadInput, match=r"The training set does not belong to the model"):
        open_files(model, tmp_path / "d.npz", training=tmp_path / "other.npz")
    assert open_files(model, tmp_path / "d.npz", training=tmp_path / "same.npz").subject.training is not None


def shift(source, *, name="bim", severity=1, model=None):
    out = source.with_name("out" + source.suffix)
    return shift_file(source, out, name, severity, seed=1, weights=model, architecture="lenet-1")


def test_steps_against_a_network_are_refused_for_other_weights_pictures_or_severities(tmp_path):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 5), torch.nn.Conv2d(4, 12, 5), torch.nn.Linear(192, 10))
    torch.save(network.state_dict(), tmp_path / "w.pt")
    torch.save({"epoch": 3, "state": network.state_dict()}, tmp_path / "checkpoint.pt")
    (tmp_path / "text.pt").write_text("no weights")
    pictures, colored = tmp_path / "gray.npy", tmp_path / "colored.npy"
    np.save(pictures, np.zeros((2, 28, 28), np.uint8))
    np.save(colored, np.zeros((2, 28, 28, 3), np.uint8))
    cases = {
        "There is no file .*gone.pt. Expected a state dict": (pictures, {"model": tmp_path / "gone.pt"}),
        "'text.pt' is not a state dict .* Save model.state_dict()": (pictures, {"model": tmp_path / "text.pt"}),
        "'checkpoint.pt' contains more than weights": (pictures, {"model": tmp_path / "checkpoint.pt"}),
        "The severity is 9. Expected a whole number from 1 to 5": (
            pictures,
            {"model": tmp_path / "w.pt", "severity": 9},
        ),
        r"The pictures are \(3, 28, 28\) .* and the network takes": (colored, {"model": tmp_path / "w.pt"}),
    }
    for sentence, (source, given) in cases.items():
        with pytest.raises(BadInput, match=sentence):
            shift(source, **given)
    assert shift(pictures, model=tmp_path / "w.pt") == 2


def test_an_archive_with_more_than_arrays_is_refused_and_without_it_is_shifted(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((2, 8, 8)))
    shift(tmp_path / "a.npz", name="fog")
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("notes", "about the pictures")
    with pytest.raises(BadInput, match=r"In .* 'notes' is not an array. Expected arrays alone"):
        shift(tmp_path / "a.npz", name="fog")


def test_only_pictures_are_seen_under_a_shift_and_no_model_is_given_them():
    texts = read(b"prediction,text\ncat,a small day\ndog,a long night\n").dataset
    with pytest.raises(
        BadInput, match=r"The inputs are of the kind text. Expected pictures, which alone can be shifted"
    ):
        ShiftedPictures(texts, "fog", 1, 1)
    shown = ShiftedPictures(read(parquet(image=IMAGES, prediction=CLASSES), "t.parquet").dataset, "fog", 1, 1)
    with pytest.raises(BadInput, match=r"2 shifted inputs were asked for as a model takes them. .*Use show"):
        shown.batch(np.arange(2))
    assert shown.show(1).image is not None


MODELS_AS_TABLES = {
    "trees.txt": b"tree\nversion=v4\nnum_class=3\n",
    "trees.json": b'{"learner":{"attributes":{}}}',
    "trees.ubj": b"{L" + bytes(7) + b"\x02L" + bytes(7) + b"\x07learner{" + bytes(40),
    "trees.cbm": b"CBM1" + bytes(40),
    "phone.tflite": b"\x1c\0\0\0TFL3" + bytes(40),
}


def test_a_model_given_for_its_table_is_refused_with_the_command_that_makes_the_table(tmp_path, network):
    weights = np.eye(4, 5, dtype=np.float32), np.eye(5, 3, dtype=np.float32)
    files = {**MODELS_AS_TABLES, "net one.onnx": network(tmp_path / "n.onnx", *weights, "Softmax").read_bytes()}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        for given in (content, tmp_path / name):
            with pytest.raises(BadInput, match=r"is a model.* not a table of its predictions") as refused:
                read(given, name)
            quoted = f"'{name}'" if " " in name else name
            assert str(refused.value).endswith(f"testimate features {quoted} DATASET --out table.parquet")


def test_a_table_that_only_begins_like_a_model_is_read(tmp_path):
    lines = b"".join(
        b'{"learner": "pupil %d", "prediction": "%s"}\n' % (row, (b"cat", b"dog")[row % 2]) for row in range(20)
    )
    assert len(read(lines, "t.jsonl").dataset) == 20
    trees = b"tree,prediction\n" + b"".join(b"oak %d,%s\n" % (row, (b"cat", b"dog")[row % 2]) for row in range(20))
    assert len(read(trees).dataset) == 20


def test_inputs_of_a_model_given_for_its_table_are_refused_with_the_command_that_runs_one(tmp_path):
    zip_of(tmp_path / "files.zip", a_png=gray(1), b_png=gray(2))
    with pytest.raises(
        BadInput, match=r"is a zip of 2 files.* testimate features MODEL files\.zip --out table\.parquet"
    ):
        read(tmp_path / "files.zip", "files.zip")
    with pytest.raises(BadInput, match=r"The table has no predictions.*or run one: testimate features MODEL DATASET"):
        read(b"age,height\n" + b"31,1.5\n44,1.75\n" * 20)
