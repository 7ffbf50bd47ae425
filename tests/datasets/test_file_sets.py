"""Folders and zips of pictures and texts: order, labels, splits, sizes, and files that change under way."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput, Canceled, SubjectChanged
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.tables.rules import EVERYWHERE, LATEST

RNG = np.random.default_rng(3)
COLORS = RNG.integers(0, 256, (6, 5, 7, 3), dtype=np.uint8)


def encoded(pixels: np.ndarray, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **({"lossless": True} if kind == "WEBP" else {}))
    return file.getvalue()


def lay_out(folder: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zipped(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


PETS = {
    "pets/dog/b.png": encoded(COLORS[0]),
    "pets/cat/a.bmp": encoded(COLORS[1], "BMP"),
    "pets/cat/c.webp": encoded(COLORS[2], "WEBP"),
    "pets/.DS_Store": b"clutter",
    "pets/README.txt": b"about",
}


def everything(dataset) -> np.ndarray:
    return dataset.batch(np.arange(len(dataset)))


@pytest.mark.parametrize("make", [lay_out, lambda folder, files: zipped(folder / "d.zip", files)])
def test_pictures_come_in_order_of_their_names_with_their_folders_as_classes(tmp_path, make):
    opened = open_dataset_file(make(tmp_path, {name: PETS[name] for name in reversed(PETS)}))
    assert (everything(opened.dataset) == COLORS[[1, 2, 0]]).all()
    assert opened.truth is not None
    assert opened.truth.tolist() == [0, 0, 1]
    assert opened.classes == ("cat", "dog")
    assert ("files left out", "1 that are not pictures") in opened.facts


def test_a_zip_and_the_folder_it_was_made_from_have_the_same_fingerprint(tmp_path):
    lay_out(tmp_path / "d", PETS)
    zipped(tmp_path / "d.zip", PETS)
    assert open_dataset_file(tmp_path / "d").fingerprint == open_dataset_file(tmp_path / "d.zip").fingerprint


def test_a_zip_is_read_where_it_lies_and_nothing_is_written_beside_it(tmp_path):
    path = zipped(tmp_path / "d.zip", PETS)
    everything(open_dataset_file(path).dataset)
    assert list(tmp_path.iterdir()) == [path]


def test_folders_named_after_splits_are_splits(tmp_path):
    files = {
        f"{split}/{kind}/{n}.png": encoded(COLORS[n])
        for split, kind, n in (
            ("train", "x", 0),
            ("train", "y", 1),
            ("train", "z", 2),
            ("test", "x", 3),
            ("test", "z", 4),
        )
    }
    opened = open_dataset_file(lay_out(tmp_path, files))
    assert opened.training is not None
    assert (everything(opened.dataset) == COLORS[3:5]).all()
    assert opened.truth is not None
    assert opened.truth.tolist() == [0, 2], "classes have one number in all splits"
    assert opened.training.truth is not None
    assert opened.training.truth.tolist() == [0, 1, 2]


def test_a_split_with_one_class_of_several_is_labeled_and_a_single_class_is_not_a_label(tmp_path):
    files = {"train/x/1.txt": "a", "train/y/2.txt": "b", "test/y/3.txt": "c"}
    opened = open_dataset_file(lay_out(tmp_path / "a", files))
    assert opened.truth is not None
    assert opened.truth.tolist() == [1]
    assert open_dataset_file(lay_out(tmp_path / "b", {"train/x/1.txt": "a", "test/x/3.txt": "c"})).known is None


def test_a_name_in_the_csv_that_two_files_have_labels_neither(tmp_path):
    lay_out(tmp_path, {"x/a.txt": "1", "y/a.txt": "2", "y/b.txt": "3", "labels.csv": "file,label\na.txt,no\nb,yes\n"})
    known = open_dataset_file(tmp_path).known
    assert known is not None
    assert known.rows.tolist() == [2]


@pytest.mark.parametrize("names", [("a.png", "b.png"), ("a", "b")])
def test_a_csv_among_the_pictures_gives_their_labels_by_name(tmp_path, names):
    table = f"filename,label\n{names[1]},wolf\n{names[0]},ant\nelsewhere.png,wolf\n"
    lay_out(tmp_path, {"b.png": encoded(COLORS[0]), "a.png": encoded(COLORS[1]), "labels.csv": table})
    opened = open_dataset_file(tmp_path)
    assert opened.truth is not None
    assert opened.truth.tolist() == [0, 1]
    assert opened.classes == ("ant", "wolf")


@pytest.mark.parametrize("place", ["", "set/"])
@pytest.mark.parametrize("named", ["images/{}", "{}"])
def test_a_labels_csv_beside_the_folder_of_the_pictures_gives_their_labels(tmp_path, place, named):
    lines = ["file,label", *(f"{named.format(f'{row}.png')},{'cd'[row % 2]}" for row in range(4))]
    pictures = {f"{place}images/{row}.png": encoded(COLORS[row]) for row in range(4)}
    file = zipped(tmp_path / "set.zip", {f"{place}labels.csv": "\n".join(lines), **pictures})
    opened = open_dataset_file(file)
    assert [opened.classes[answer] for answer in opened.truth] == ["c", "d", "c", "d"]
    assert dict(opened.facts)["labels from"] == f"{place}labels.csv (4 of 4)"
    assert open_dataset_file(file, labels_above=False).known is None  # as subjects added before were opened


@pytest.mark.parametrize(
    ("called", "line"),
    [
        ("labels.tsv", "{}\t{}"),
        ("labels.jsonl", '{{"file_name": "{}", "label": "{}"}}'),
        ("metadata.jsonl", '{{"file_name": "{}", "label": "{}", "photographer": "Ann"}}'),
    ],
)
def test_labels_beside_the_pictures_may_be_another_kind_of_table(tmp_path, called, line):
    head = ["file_name\tlabel"] if called.endswith("tsv") else []
    lines = [*head, *(line.format(f"{row}.png", "cd"[row % 2]) for row in range(4))]
    file = zipped(
        tmp_path / "set.zip", {called: "\n".join(lines), **{f"{row}.png": encoded(COLORS[row]) for row in range(4)}}
    )
    opened = open_dataset_file(file)
    assert [opened.classes[answer] for answer in opened.truth] == ["c", "d", "c", "d"]
    assert open_dataset_file(file, rules=EVERYWHERE).known is None  # as it was opened before


@pytest.mark.parametrize("called", ["metadata.csv", "other.csv"])
def test_the_only_csv_of_a_set_that_was_stored_before_labels_it_whatever_it_is_called(tmp_path, called):
    lines = ["file_name,species", *(f"{row}.png,{'cd'[row % 2]}" for row in range(4))]
    pictures = {f"{row}.png": encoded(COLORS[row]) for row in range(4)}
    opened = open_dataset_file(zipped(tmp_path / "set.zip", {called: "\n".join(lines), **pictures}), rules=EVERYWHERE)
    assert opened.classes == ("c", "d")


@pytest.mark.parametrize("rules", [EVERYWHERE, LATEST])
def test_of_several_csvs_the_one_whose_name_ends_as_labels_do_counts(tmp_path, rules):
    lines = ["file,label", *(f"{row}.png,{'cd'[row % 2]}" for row in range(4))]
    tables = {"birds_labels.csv": "\n".join(lines), "birds_sizes.csv": "file,size\n0.png,3\n"}
    pictures = {f"{row}.png": encoded(COLORS[row]) for row in range(4)}
    opened = open_dataset_file(zipped(tmp_path / "set.zip", {**tables, **pictures}), rules=rules)
    assert opened.classes == ("c", "d")


def test_metadata_without_labels_gives_none_and_that_is_said(tmp_path):
    lines = [f'{{"file_name": "{row}.png", "text": "a picture, number {row}"}}' for row in range(4)]
    pictures = {f"{row}.png": encoded(COLORS[row]) for row in range(4)}
    opened = open_dataset_file(zipped(tmp_path / "set.zip", {"metadata.jsonl": "\n".join(lines), **pictures}))
    assert opened.known is None
    assert dict(opened.facts)["not used"] == "metadata.jsonl ('file_name', 'text')"


def test_a_labels_csv_beside_train_and_test_labels_the_files_it_names_in_each(tmp_path):
    pictures = {f"{split}/{row}.png": encoded(COLORS[row]) for row, split in enumerate(("test", "test", "train"))}
    file = zipped(tmp_path / "set.zip", {"labels.csv": "file,label\ntest/0.png,c\ntest/1.png,d\n", **pictures})
    opened = open_dataset_file(file)
    assert [opened.classes[answer] for answer in opened.truth] == ["c", "d"]
    assert opened.training.known is None
    assert dict(opened.training.facts)["labels from"] == "labels.csv (none of these files)"


def test_pictures_of_which_some_have_labels_have_no_truth_and_known_answers(tmp_path):
    table = "image,target\n2.png,1.5\n"
    lay_out(tmp_path, {f"{n}.png": encoded(COLORS[n]) for n in range(4)} | {"l.csv": table})
    opened = open_dataset_file(tmp_path)
    assert opened.truth is None
    assert opened.known is not None
    assert (opened.known.rows.tolist(), opened.known.answers.tolist()) == ([2], [1.5])


def test_pictures_in_one_folder_have_no_labels(tmp_path):
    opened = open_dataset_file(lay_out(tmp_path, {"in/a.png": encoded(COLORS[0]), "in/b.png": encoded(COLORS[1])}))
    assert opened.known is None
    assert ("labels", "none known") in opened.facts


def test_gray_among_colors_becomes_color_and_gray_alone_stays_gray(tmp_path):
    gray = encoded(COLORS[0, :, :, 0])
    lay_out(tmp_path / "gray", {"a.png": gray, "b.png": gray})
    lay_out(tmp_path / "both", {"a.png": gray, "b.png": encoded(COLORS[1])})
    assert everything(open_dataset_file(tmp_path / "gray").dataset).shape == (2, 5, 7, 1)
    both = everything(open_dataset_file(tmp_path / "both").dataset)
    assert (both[0] == COLORS[0, :, :, :1]).all()
    assert (both[1] == COLORS[1]).all()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
def test_every_mode_of_picture_is_read_as_pillow_reads_it(tmp_path, mode):
    picture = Image.fromarray(COLORS[0])
    if mode == "I;16":
        picture = Image.fromarray(COLORS[0, :, :, 0].astype(np.uint16) * 257)
        expected = COLORS[0, :, :, :1]
    else:
        picture = picture.convert(mode)
        gray = mode in ("1", "L", "LA")
        expected = np.asarray(picture.convert("L" if gray else "RGB")).reshape(5, 7, 1 if gray else 3)
    kind = "JPEG" if mode == "CMYK" else "PNG"
    file = io.BytesIO()
    picture.save(file, kind)
    if mode == "CMYK":
        expected = np.asarray(Image.open(io.BytesIO(file.getvalue())).convert("RGB"))
    lay_out(tmp_path, {f"a.{kind.lower()}": file.getvalue()})
    assert (everything(open_dataset_file(tmp_path).dataset)[0] == expected).all()


def test_pictures_of_several_sizes_need_one_and_are_resized_as_pillow_does(tmp_path):
    lay_out(tmp_path, {"a.png": encoded(COLORS[0]), "b.png": encoded(COLORS[1, :3])})
    dataset = open_dataset_file(tmp_path).dataset
    with pytest.raises(BadInput, match=r"different sizes. Expected one size"):
        everything(dataset)
    resized = everything(dataset.with_preprocessing(Preprocessing(resize=(4, 4))))
    witness = [Image.fromarray(p).resize((4, 4), Image.Resampling.BILINEAR) for p in (COLORS[0], COLORS[1, :3])]
    assert (resized == np.stack([np.asarray(picture) for picture in witness])).all()


def test_a_large_picture_is_shown_smaller_and_given_to_the_model_whole(tmp_path):
    lay_out(tmp_path, {"a.png": encoded(np.zeros((10, 2_048), np.uint8))})
    dataset = open_dataset_file(tmp_path).dataset
    shown = dataset.show(0).image
    assert shown is not None
    assert Image.open(io.BytesIO(shown)).size == (1_024, 5)
    assert dataset.batch(np.array([0])).shape == (1, 10, 2_048, 1)


def test_a_file_that_is_changed_or_removed_after_the_opening_is_noticed(tmp_path):
    lay_out(tmp_path, {"a.png": encoded(COLORS[0]), "b.png": encoded(COLORS[1])})
    opened = open_dataset_file(tmp_path)
    (tmp_path / "a.png").write_bytes(encoded(COLORS[2]))
    with pytest.raises(SubjectChanged, match=r"'a.png' was changed"):
        everything(opened.dataset)
    assert open_dataset_file(tmp_path).fingerprint != opened.fingerprint
    (tmp_path / "b.png").unlink()
    with pytest.raises(BadInput, match=r"'b.png' could not be read"):
        opened.dataset.show(1)


def test_texts_and_source_code_in_folders_are_texts_with_classes(tmp_path):
    lay_out(tmp_path, {"good/1.py": "print('ü')\n", "bad/2.java": "class A {}", "bad/3.txt": "\ufeffno mark"})
    opened = open_dataset_file(tmp_path)
    assert [opened.dataset.show(row).text for row in range(3)] == ["class A {}", "no mark", "print('ü')\n"]
    assert opened.classes == ("bad", "good")
    assert everything(opened.dataset).tolist() == ["class A {}", "no mark", "print('ü')\n"]


def test_text_that_is_not_utf_8_is_refused_with_its_file_and_line(tmp_path):
    lay_out(tmp_path, {"a.txt": b"one\ntw\xf6"})
    with pytest.raises(BadInput, match=r"'a.txt' contains characters that are not UTF-8 in line 2"):
        open_dataset_file(tmp_path)


def test_opening_reports_progress_and_can_be_stopped(tmp_path):
    lay_out(tmp_path, {f"{n:03}.txt": "x" for n in range(150)})

    def stop(done: int, total: int, what: str = "") -> None:
        if done:
            raise Canceled(f"{done} of {total}")

    with pytest.raises(Canceled, match="100 of 150"):
        open_dataset_file(tmp_path, progress=stop)


def test_a_folder_without_inputs_and_unclear_labels_are_refused(tmp_path):
    lay_out(tmp_path / "none", {"a.doc": b"x"})
    with pytest.raises(BadInput, match="contains no pictures"):
        open_dataset_file(tmp_path / "none")
    lay_out(tmp_path / "two", {"a.png": encoded(COLORS[0]), "x.csv": "file,label\n", "y.csv": "file,label\n"})
    with pytest.raises(BadInput, match="2 CSV files beside the inputs"):
        open_dataset_file(tmp_path / "two")
    lay_out(tmp_path / "odd", {"a.png": encoded(COLORS[0]), "x.csv": "width,height\n1,2\n"})
    with pytest.raises(BadInput, match=r"has the columns 'width', 'height'. Expected 'file' and 'label'"):
        open_dataset_file(tmp_path / "odd")
    lay_out(tmp_path / "other", {"a.png": encoded(COLORS[0]), "x.csv": "file,label\nb.png,1\n"})
    with pytest.raises(BadInput, match="labels none of the 1 files"):
        open_dataset_file(tmp_path / "other")
