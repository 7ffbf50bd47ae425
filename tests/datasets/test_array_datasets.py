"""Arrays: .npz, .npy and IDX, their splits and answers, what is copied, and what a person sees."""

import gzip
import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged
from testimate.core.subject import MOST_POINTS
from testimate.datasets import array_files
from testimate.datasets.array_files import array_members
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from tests.each import each

PICTURES = np.random.default_rng(5).integers(0, 256, (12, 4, 6), dtype=np.uint8)
LABELS = np.arange(12) % 3


def npz(path: Path, **arrays: np.ndarray) -> Path:
    np.savez_compressed(path, **arrays)
    return path


def idx(values: np.ndarray, kind: int) -> bytes:
    sides = struct.pack(f">{values.ndim}I", *values.shape)
    return bytes((0, 0, kind, values.ndim)) + sides + values.astype(values.dtype.newbyteorder(">")).tobytes()


def everything(dataset) -> np.ndarray:
    return dataset.batch(np.arange(len(dataset)))


def pixels_of(png: bytes | None) -> np.ndarray:
    assert png is not None
    return np.asarray(Image.open(io.BytesIO(png)))


def test_mnist_opens_with_its_test_set_to_judge_and_its_training_set_beside(real_data):
    opened = open_dataset_file(real_data / "mnist" / "mnist.npz")
    with np.load(real_data / "mnist" / "mnist.npz") as stored:
        images, labels, trained = stored["x_test"], stored["y_test"], stored["x_train"]
    assert opened.training is not None
    assert (len(opened.dataset), len(opened.training.dataset)) == (10_000, 60_000)
    assert (opened.truth == labels).all()
    assert opened.classes == tuple("0123456789")
    assert (opened.dataset.batch(np.array([9_999, 0])) == images[[9_999, 0]]).all()
    assert (opened.training.dataset.batch(np.array([31_415])) == trained[[31_415]]).all()
    assert (pixels_of(opened.dataset.show(7).image) == images[7]).all()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_the_rows_of_an_npz_are_those_numpy_reads_packed_or_not(tmp_path, save):
    path = tmp_path / "d.npz"
    save(path, x_test=PICTURES, y_test=LABELS)
    opened = open_dataset_file(path)
    with np.load(path) as witness:
        assert (everything(opened.dataset) == witness["x_test"]).all()
        assert (opened.truth == witness["y_test"]).all()


def test_an_array_is_mapped_from_disk_and_not_held_in_memory(tmp_path):
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "d.npz", x=PICTURES)
        base = array_members(tmp_path / "d.npz")["x"].open().values
        assert not base.flags.owndata
        while isinstance(base.base, np.ndarray):
            base = base.base
        assert isinstance(base, np.memmap)


def test_arrays_saved_column_by_column_are_read_the_right_way_round(tmp_path):
    np.save(tmp_path / "d.npy", np.asfortranarray(PICTURES))
    assert (everything(open_dataset_file(tmp_path / "d.npy").dataset) == PICTURES).all()


@pytest.mark.parametrize(
    "names",
    [
        ("x_test", "y_test"),
        ("X", "y"),
        ("images", "labels"),
        ("test_images", "test_labels"),
        ("arr_0", "arr_1"),
        ("a", "b"),
    ],
)
def test_inputs_and_labels_are_found_by_what_people_call_them(tmp_path, names):
    opened = open_dataset_file(npz(tmp_path / "d.npz", **{names[0]: PICTURES, names[1]: LABELS}))
    assert (everything(opened.dataset) == PICTURES).all()
    assert (opened.truth == LABELS).all()


def test_a_split_is_chosen_by_name_and_the_training_set_is_never_its_own(tmp_path):
    path = npz(tmp_path / "d.npz", train_images=PICTURES[:6], val_images=PICTURES[6:9], test_images=PICTURES[9:])
    assert (everything(open_dataset_file(path).dataset) == PICTURES[9:]).all()
    validation = open_dataset_file(path, split="val")
    assert (everything(validation.dataset) == PICTURES[6:9]).all()
    assert validation.training is not None
    assert open_dataset_file(path, split="train").training is None
    with pytest.raises(BadInput, match=r"no split 'nine'\. Expected one of"):
        open_dataset_file(path, split="nine")


def test_a_folder_of_npy_files_is_read_like_an_npz(tmp_path):
    np.save(tmp_path / "x_test.npy", PICTURES)
    np.save(tmp_path / "y_test.npy", LABELS)
    opened = open_dataset_file(tmp_path)
    assert (everything(opened.dataset) == PICTURES).all()
    assert (opened.truth == LABELS).all()


@pytest.mark.parametrize("packed", [False, True])
def test_idx_files_are_read_as_their_makers_describe_them(tmp_path, packed):
    wrap, ending = (gzip.compress, ".gz") if packed else (bytes, "")
    for name, count in (("t10k", 5), ("train", 12)):
        (tmp_path / f"{name}-images-idx3-ubyte{ending}").write_bytes(wrap(idx(PICTURES[:count], 8)))
        (tmp_path / f"{name}-labels-idx1-ubyte{ending}").write_bytes(wrap(idx(LABELS[:count].astype(np.uint8), 8)))
    folder = open_dataset_file(tmp_path)
    assert (everything(folder.dataset) == PICTURES[:5]).all()
    assert folder.training is not None
    assert (folder.training.truth == LABELS).all()
    alone = open_dataset_file(tmp_path / f"t10k-images-idx3-ubyte{ending}")
    assert (alone.truth == LABELS[:5]).all()
    assert alone.dataset.fingerprint == folder.dataset.fingerprint


@pytest.mark.parametrize("name", ["{}-idx{}-ubyte.gz", "{}.idx{}-ubyte", "MNIST/raw/{}-idx{}-ubyte"])
def test_a_zip_of_idx_files_is_what_its_folder_is(tmp_path, name):
    wrap = gzip.compress if name.endswith("gz") else bytes
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        for split, count in (("t10k", 5), ("train", 12)):
            archive.writestr(name.format(f"{split}-images", 3), wrap(idx(PICTURES[:count], 8)))
            archive.writestr(name.format(f"{split}-labels", 1), wrap(idx(LABELS[:count].astype(np.uint8), 8)))
    opened = open_dataset_file(tmp_path / "archive.zip")
    assert (everything(opened.dataset) == PICTURES[:5]).all()
    assert (opened.truth == LABELS[:5]).all()
    assert (opened.training.truth == LABELS).all()


@pytest.mark.parametrize(("kind", "dtype"), [(0x09, "i1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")])
def test_every_kind_of_number_of_idx_keeps_its_value(tmp_path, kind, dtype):
    values = np.array([[-7, 100], [3, 0]]).astype(dtype)
    (tmp_path / "some").write_bytes(idx(values, kind))
    assert (everything(open_dataset_file(tmp_path / "some").dataset) == values).all()


def test_whole_numbers_stay_whole_because_they_may_be_tokens(tmp_path):
    tokens = np.array([[5, 70_000], [1, 2]])
    opened = open_dataset_file(npz(tmp_path / "d.npz", x=tokens))
    assert everything(opened.dataset).dtype == np.int64
    assert (everything(opened.dataset) == tokens).all()


@pytest.mark.parametrize(
    ("labels", "truth", "classes"),
    [
        (np.array([[2], [0], [1]]), [2, 0, 1], ("0", "1", "2")),
        (np.eye(3, dtype=np.float32)[[2, 0, 1]], [2, 0, 1], ("0", "1", "2")),
        (np.array([[1, 1], [0, 0], [1, 0]]), [[1, 1], [0, 0], [1, 0]], ("0", "1")),
        (np.array([0.5, -1.25, 3.0]), [0.5, -1.25, 3.0], ()),
        (np.array(["dog", "ant", "cat"]), [2, 0, 1], ("ant", "cat", "dog")),
        (np.array([1, -1, 1]), [1, 0, 1], ("-1", "1")),
    ],
)
def test_answers_are_understood_in_every_form_they_are_saved_in(tmp_path, labels, truth, classes):
    opened = open_dataset_file(npz(tmp_path / "d.npz", x=PICTURES[:3], y=labels))
    assert np.array_equal(opened.truth, truth)
    assert opened.classes == classes


def test_class_names_beside_the_labels_belong_to_them(tmp_path):
    names = np.array(["plane", "car", "bird", "cat"])
    opened = open_dataset_file(npz(tmp_path / "d.npz", x=PICTURES, y=LABELS, class_names=names))
    assert opened.classes == ("plane", "car", "bird", "cat")
    other = open_dataset_file(npz(tmp_path / "f.npz", x=PICTURES, y=LABELS, class_names=names[::-1]))
    assert other.fingerprint != opened.fingerprint
    with pytest.raises(BadInput, match="class 2 and there are 2 class names"):
        open_dataset_file(npz(tmp_path / "e.npz", x=PICTURES, y=LABELS, class_names=names[:2]))


def test_any_changed_byte_changes_the_fingerprint_and_nothing_else_does(tmp_path):
    first = open_dataset_file(npz(tmp_path / "a.npz", x=PICTURES, y=LABELS))
    np.savez(tmp_path / "b.npz", x=PICTURES, y=LABELS)
    assert open_dataset_file(tmp_path / "b.npz").fingerprint == first.fingerprint
    seen = {first.fingerprint}
    for row in range(12):
        changed = PICTURES.copy()
        changed[row, row % 4, row % 6] ^= 1
        seen.add(open_dataset_file(npz(tmp_path / "c.npz", x=changed, y=LABELS)).fingerprint)
        relabeled = LABELS.copy()
        relabeled[row] = (relabeled[row] + 1) % 3
        seen.add(open_dataset_file(npz(tmp_path / "c.npz", x=PICTURES, y=relabeled)).fingerprint)
    seen.add(open_dataset_file(npz(tmp_path / "c.npz", x=PICTURES.reshape(12, 6, 4), y=LABELS)).fingerprint)
    seen.add(open_dataset_file(npz(tmp_path / "c.npz", x=PICTURES.view(np.int8), y=LABELS)).fingerprint)
    assert len(seen) == 27


def test_labels_alone_do_not_change_what_a_model_says_about_the_inputs(tmp_path):
    one = open_dataset_file(npz(tmp_path / "a.npz", x=PICTURES, y=LABELS))
    other = open_dataset_file(npz(tmp_path / "b.npz", x=PICTURES, y=1 - LABELS % 2))
    assert one.dataset.fingerprint == other.dataset.fingerprint
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        (np.array([[0.0, 0.5, 1.0]]), [0, 128, 255]),
        (np.array([[-1.0, 0.0, 1.0]]), [0, 128, 255]),
        (np.array([[0.0, 100.0, 255.0]]), [0, 100, 255]),
        (np.array([[10.0, 20.0, 510.0]]), [0, 5, 255]),
        (np.array([[False, True, True]]), [0, 255, 255]),
        (np.array([[np.nan, 0.5, 1.0]]), [0, 128, 255]),
    ],
)
def test_a_person_sees_numbers_of_any_range_between_black_and_white(tmp_path, values, seen):
    np.save(tmp_path / "d.npy", values[None])
    png = open_dataset_file(tmp_path / "d.npy").dataset.show(0).image
    assert pixels_of(png)[0].tolist() == seen


def test_colors_are_shown_alike_wherever_the_channel_axis_is(tmp_path):
    colors = np.random.default_rng(2).integers(0, 256, (2, 5, 7, 3), dtype=np.uint8)
    np.save(tmp_path / "last.npy", colors)
    np.save(tmp_path / "first.npy", np.moveaxis(colors, 3, 1))
    for name in ("last.npy", "first.npy"):
        dataset = open_dataset_file(tmp_path / name).dataset
        assert (pixels_of(dataset.show(1).image) == colors[1]).all()
        channels_first = dataset.with_preprocessing(Preprocessing(channels="first"))
        assert (everything(channels_first) == np.moveaxis(colors, 3, 1)).all()


def test_words_in_an_array_are_texts(tmp_path):
    opened = open_dataset_file(npz(tmp_path / "d.npz", text=np.array(["good", "no"]), label=np.array([1, 0])))
    assert opened.dataset.modality == "text"
    assert opened.dataset.show(0).text == "good"


def test_a_row_that_does_not_exist_is_refused_even_where_python_would_count_from_the_end(tmp_path):
    opened = open_dataset_file(npz(tmp_path / "d.npz", x=PICTURES))
    for row in (-1, 12):
        with pytest.raises(BadInput, match=rf"no row {row}. Expected one from 0 to 11"):
            opened.dataset.batch(np.array([row]))
        with pytest.raises(BadInput, match=f"no row {row}"):
            opened.dataset.show(row)


def test_few_numbers_without_names_are_listed_and_many_are_a_line(tmp_path):
    np.save(tmp_path / "few.npy", np.arange(48.0).reshape(2, 24))
    cells = open_dataset_file(tmp_path / "few.npy").dataset.show(1).cells
    assert cells[:3] == (("row", "1"), ("0", "24"), ("1", "25"))
    np.save(tmp_path / "many.npy", np.arange(1_000.0).reshape(2, 500))
    series = open_dataset_file(tmp_path / "many.npy").dataset.show(1).series
    assert series.values[:, 0].tolist() == list(range(500, 1_000))


def test_a_series_of_a_million_points_is_shown_with_its_peak_and_given_to_the_model_as_it_is(tmp_path):
    values = np.zeros((2, 1_000_000), np.float32)
    values[1, 765_432] = 9.5
    np.save(tmp_path / "long.npy", values)
    dataset = open_dataset_file(tmp_path / "long.npy").dataset
    shown = dataset.show(1).series
    assert (shown.length, float(shown.values.max())) == (1_000_000, 9.5)
    assert len(shown.values) <= MOST_POINTS
    np.testing.assert_array_equal(dataset.batch(np.array([1]))[0], values[1])


def test_an_array_far_longer_than_wide_is_several_lines_and_a_gray_picture_stays_one(tmp_path):
    np.save(tmp_path / "lines.npy", np.random.default_rng(1).normal(size=(3, 128, 9)))
    assert open_dataset_file(tmp_path / "lines.npy").dataset.show(0).series.values.shape == (128, 9)
    np.save(tmp_path / "gray.npy", np.random.default_rng(1).random((3, 28, 28)))
    assert open_dataset_file(tmp_path / "gray.npy").dataset.show(0).image


def test_a_full_disk_is_noticed_before_anything_is_unpacked(tmp_path, monkeypatch):
    path = npz(tmp_path / "d.npz", x=PICTURES)
    monkeypatch.setattr(array_files, "SPARE_BYTES", 1 << 62)
    with pytest.raises(StoreUnavailable, match=r"unpacks to 288 bytes and .* has .* free"):
        open_dataset_file(path)


@pytest.mark.parametrize("name", ["d.npz", "d.npy"])
def test_a_mapped_file_that_is_changed_after_the_opening_is_noticed(tmp_path, name):
    def save(values: np.ndarray) -> None:
        np.savez(tmp_path / name, x=values) if name == "d.npz" else np.save(tmp_path / name, values)

    save(PICTURES)
    dataset = open_dataset_file(tmp_path / name).dataset
    assert (everything(dataset) == PICTURES).all()
    save(PICTURES[::-1])
    with pytest.raises(SubjectChanged, match="was changed or removed after the dataset was opened"):
        everything(dataset)
    (tmp_path / name).unlink()
    with pytest.raises(SubjectChanged):
        dataset.show(0)


def test_unclear_or_contradicting_arrays_are_refused_with_a_sentence(tmp_path):
    cases = {
        "Expected names that say which are the inputs": {"a": PICTURES, "b": PICTURES},
        "play the same role": {"x_test": PICTURES, "test_images": PICTURES},
        "Expected an answer for each input": {"x": PICTURES, "y": LABELS[:5]},
        "Expected (N, width)": {"x": np.zeros((2, 5, 5, 7))},
        "contains words of shape": {"x": np.array([["a", "b"]])},
        "Reshape them": {"x": PICTURES, "y": np.zeros((12, 2, 2))},
        "not only zeros and ones": {"x": PICTURES, "y": np.full((12, 2), 7)},
        "contain nan or infinity": {"x": PICTURES, "y": np.full(12, np.nan)},
        "not empty": {"x": np.zeros((0, 4))},
        "Expected numbers or words": {"x": np.zeros(3, dtype=complex)},
    }
    for sentence, arrays in cases.items():
        with pytest.raises(BadInput) as refused:
            open_dataset_file(npz(tmp_path / "d.npz", **arrays))
        assert sentence in str(refused.value)


def test_a_damaged_archive_is_refused(tmp_path):
    whole = npz(tmp_path / "d.npz", x=PICTURES).read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[:-30])
    with pytest.raises(BadInput, match="damaged or cut off"):
        open_dataset_file(tmp_path / "cut.npz")
    with zipfile.ZipFile(tmp_path / "d.npz") as file:
        place = file.getinfo("x.npy").header_offset + 60
    (tmp_path / "bad.npz").write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
    with pytest.raises(BadInput, match="damaged or cut off"):
        open_dataset_file(tmp_path / "bad.npz")


def test_arrays_without_a_usual_name_are_said_and_one_of_few_values_may_be_the_labels(tmp_path):
    smears = np.random.default_rng(3).integers(0, 256, (60, 4, 6), dtype=np.uint8)
    ill, slides = np.arange(60) % 2, 1200 + np.arange(60) // 4
    path = npz(tmp_path / "d.npz", smears=smears, ill=ill, slide_id=slides, note=np.array("march"))
    found = open_dataset_file(path)
    assert (found.known, found.columns, dict(found.words)) == (None, ("ill", "slide_id"), {"ill": ("0", "1")})
    assert found.reading is not None
    assert set(found.reading.left_out) == {"ill", "slide_id", "note"}
    named = open_dataset_file(path, label="ill")
    assert np.array_equal(named.truth, ill)
    assert named.reading is not None
    assert (named.reading.known, set(named.reading.left_out)) == ("in ill", {"slide_id", "note"})


def test_a_named_array_of_labels_goes_with_the_split_of_as_many_inputs(tmp_path):
    path = npz(tmp_path / "d.npz", x_train=PICTURES, y_train=LABELS, x_test=PICTURES[:6], grade=1 - LABELS[:6] % 2)
    opened = open_dataset_file(path, label="grade")
    assert np.array_equal(opened.truth, 1 - LABELS[:6] % 2)
    assert opened.training is not None
    assert np.array_equal(opened.training.truth, LABELS)


@each(
    ("called", "values"),
    [
        ("slide_id", np.arange(60) // 20),
        ("pred", np.arange(60) % 3),
        ("sample_weight", np.linspace(0, 1, 60)),
        ("split", np.arange(60) % 2),
        ("place", 7 * np.arange(60)),
        ("name", np.array([f"smear {row}" for row in range(60)])),
    ],
)
def test_the_only_array_beside_the_inputs_is_no_label_where_its_name_or_its_values_say_another_thing(
    tmp_path, called, values
):
    smears = np.random.default_rng(3).integers(0, 256, (60, 4, 6), dtype=np.uint8)
    path = npz(tmp_path / f"{called}.npz", smears=smears, **{called: values})
    found = open_dataset_file(path)
    assert (found.known, found.columns) == (None, (called,))
    assert f"{called}, an array of 60" in str(dict(found.facts)["not used"])
    assert len(open_dataset_file(path, label=called).known.rows) == 60, "a person may say so"
    stored = open_dataset_file(path, apart=False)
    assert stored.known is not None, "a set that was opened before keeps its labels"


def test_an_array_that_became_the_labels_by_its_shape_is_named_and_names_of_pictures_are_no_inputs(tmp_path):
    smears = np.random.default_rng(3).integers(0, 256, (60, 4, 6), dtype=np.uint8)
    by_shape = open_dataset_file(npz(tmp_path / "a.npz", smears=smears, ill=np.arange(60) % 2))
    assert by_shape.classes == ("0", "1")
    assert dict(by_shape.facts)["labels from"] == "ill"
    named = npz(tmp_path / "b.npz", images=smears, image_names=np.array([f"{row}.png" for row in range(60)]))
    assert open_dataset_file(named).dataset.modality == "image"


def test_x_and_y_before_the_name_of_a_split_are_the_inputs_and_the_answers(tmp_path):
    path = npz(tmp_path / "d.npz", Xtrain=PICTURES, ytrain=LABELS, Xtest=PICTURES[:6], ytest=LABELS[:6])
    opened = open_dataset_file(path)
    assert (len(opened.dataset), opened.classes) == (6, ("0", "1", "2"))
    assert opened.training is not None
    assert len(opened.training.dataset) == 12


def test_of_two_arrays_of_answers_the_one_that_is_named_counts(tmp_path):
    path = npz(tmp_path / "d.npz", x=PICTURES, y_coarse=LABELS // 2, y_fine=LABELS)
    with pytest.raises(BadInput, match=r"play the same role.*or say --label y_fine"):
        open_dataset_file(path)
    assert np.array_equal(open_dataset_file(path, label="y_fine").truth, LABELS)
