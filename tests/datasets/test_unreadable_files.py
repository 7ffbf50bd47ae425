"""Files that cannot be read are counted, named with a reason, and left out only where somebody says so."""

import io
import pathlib
import sqlite3
import tarfile
import tracemalloc
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import UnreadableFiles
from testimate.project.project import Project
from tests.own_files import described, open_files


def picture(seed: int, kind: str, **saved: object) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 6, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **saved)
    return file.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Twelve pictures of two classes; one is text, one a PNG and one a JPEG cut short."""
    place = tmp_path / "pictures"
    for row in range(12):
        kind = "PNG" if row % 2 else "JPEG"
        (place / ("cat" if row < 6 else "dog")).mkdir(parents=True, exist_ok=True)
        content = picture(row, kind)
        if row == 2:
            content = b"not a picture"
        if row in (7, 8):
            content = content[: len(content) * 2 // 3]
        (place / ("cat" if row < 6 else "dog") / f"{row:02}.{kind.lower()}").write_bytes(content)
    return place


BROKEN = ["cat/02.jpeg", "dog/07.png", "dog/08.jpeg"]


def test_all_unreadable_files_are_named_with_their_reasons_and_nothing_is_left_out_by_itself(folder):
    with pytest.raises(
        UnreadableFiles, match=r"3 of 12 files cannot be read \(cat/02\.jpeg, dog/07\.png, dog/08"
    ) as found:
        open_dataset_file(folder)
    assert [name for name, _ in found.value.reasons] == BROKEN
    assert all("is not a readable picture" in reason for _, reason in found.value.reasons)


def test_without_them_rows_and_labels_are_those_of_the_others(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "pictures.zip", "w") as archive:
        for file in sorted(folder.rglob("*.*")):
            archive.write(file, file.relative_to(folder))
    for place in (folder, tmp_path / "pictures.zip"):
        opened = open_dataset_file(place, leave_out=True)
        assert (len(opened.dataset), opened.left_out) == (9, 3)
        np.testing.assert_array_equal(opened.truth, [0] * 5 + [1] * 4)
        assert opened.dataset.batch(np.arange(9)).shape == (9, 8, 6, 3)
        assert dict(opened.facts)["unreadable files left out"] == f"3: {', '.join(BROKEN)}"
    for file in folder.rglob("*.*"):
        file.write_bytes(b"nothing")
    with pytest.raises(BadInput, match="None of the 12 files can be read"):
        open_dataset_file(folder, leave_out=True)


def test_what_was_left_out_is_reported_with_the_result_and_the_subject_opens_again(folder, tmp_path, network, command):
    model = network(tmp_path / "m.onnx", np.eye(144, dtype=np.float32), np.eye(144, 2, dtype=np.float32), "Softmax")
    status, _, err = command("features", model, folder, "--scale", "1/255", "--project", tmp_path / "p")
    assert (status, "--leave-out-unreadable" in err, err.count("\n")) == (2, True, 1)
    status, out, _ = command(
        *("features", model, folder, "--scale", "1/255", "--leave-out-unreadable", "--project", tmp_path / "p")
    )
    assert (status, "9 inputs (3 unreadable left out)" in out) == (0, True)
    chosen = {"preprocessing": Preprocessing(scale=1 / 255), "leave_out": True}
    assert open_files(model, folder, **chosen).subject.prepared.endswith("; unreadable files left out: 3")
    project = Project(tmp_path / "q")
    added = project.add_uploaded(described(model, folder, **chosen))
    again = Project(tmp_path / "q").subject(added.key)
    assert (again.fingerprint, len(again.dataset), again.prepared) == (added.fingerprint, 9, added.prepared)


def test_a_photograph_that_exif_says_to_turn_is_given_as_stored_and_that_is_reported(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    (tmp_path / "a.jpg").write_bytes(picture(0, "JPEG", exif=exif))
    (tmp_path / "b.jpg").write_bytes(picture(1, "JPEG"))
    opened = open_dataset_file(tmp_path)
    assert dict(opened.facts)["photographs turned by EXIF"].startswith("1, given to the model and shown as stored")
    assert opened.dataset.batch(np.arange(2)).shape == (2, 8, 6, 3)


def test_texts_of_any_script_are_read_as_they_were_written_in_utf_8_and_in_utf_16(tmp_path):
    texts = ["مرحبا بالعالم", "שלום, 3 ימים", "🙂🏳️‍🌈 fine", "日本語\nzwei Zeilen", "plain"]
    for place, text in enumerate(texts):
        content = text.encode("utf-16" if place % 2 else "utf-8-sig" if place else "utf-8")
        (tmp_path / f"{place}.txt").write_bytes(content)
    dataset = open_dataset_file(tmp_path).dataset
    assert [dataset.show(row).text for row in range(5)] == texts
    assert list(dataset.batch(np.arange(5))) == texts


def test_fifty_megabytes_of_text_in_a_cell_are_refused_without_being_held(tmp_path):
    table = tmp_path / "t.csv"
    with table.open("w") as file:
        file.write("text\nfirst\n")
        file.writelines(["word " * 200_000 for _ in range(50)])
    tracemalloc.start()
    with pytest.raises(BadInput, match=r"or more bytes in a line. Expected at most"):
        open_dataset_file(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 70_000_000


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.zip", b"only,text\n1,2\n", "named like a zip but does not begin like one"),
        ("a.heic", b"\0\0\0\x18ftypheic" + bytes(40), "a HEIC picture.*Convert to JPEG"),
        ("a.csv", "text\nwörter\n".encode("utf-16"), "text in UTF-16.*iconv -f UTF-16 -t UTF-8"),
        ("a.csv", b"text\nw\x81rter\n", "Line 2 contains .* not UTF-8.*iconv -f WINDOWS-1252 -t UTF-8"),
        ("a.dcm", bytes(128) + b"DICM" + bytes(9), r"a DICOM picture.*pydicom\.dcmread"),
        ("a.tif", b"II*\x00" + bytes(40), "a TIFF picture.*mogrify -format png"),
        ("a.gif", b"GIF89a" + bytes(40), "a GIF picture.*mogrify -format png"),
        ("a.ts", b"# gait\n@problemName Gait\n@data\n1,2:a\n", "time series of sktime.*load_from_tsfile"),
        ("iris.arff", b"% Iris\n%\n\n@RELATION iris\n@DATA\n1,2\n", r"a file of Weka's, ARFF.*arff\.loadarff"),
        ("a.libsvm", b"1 1:0.5 3:2\n-1 2:1\n", r"text of LIBSVM.*load_svmlight_file"),
        ("d.mat", b"MATLAB 5.0 MAT-file" + bytes(200), r"a MATLAB file\..*scipy\.io\.loadmat.*moveaxis"),
        ("e.mat", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF", r"version 7\.3, which is HDF5.*h5py\.File\(FILE\)"),
        ("p.tar", bytes(257) + b"ustar" + bytes(300), "a tar archive that is damaged"),
        ("folder/1.tif", b"II*\x00", r"contains 1 TIFF pictures.*mogrify -format png \*\.tif"),
        ("folder/1.dcm", bytes(128) + b"DICM", "contains 1 DICOM pictures.*dcmread"),
        ("folder/1.heic", b"\0\0\0\x18ftypheic", "contains 1 HEIC pictures.*Convert to JPEG"),
    ],
)
def test_what_is_often_taken_for_a_dataset_is_refused_with_what_to_do(tmp_path, name, content, sentence):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        open_dataset_file(file.parent if "/" in name else file)


def test_an_archive_of_pictures_is_refused_with_what_unpacks_it_packed_or_not(tmp_path):
    picture = tmp_path / "1.png"
    picture.write_bytes(b"x")
    for name, mode in (("a.tar.gz", "w:gz"), ("a.tar", "w")):
        with tarfile.open(tmp_path / name, mode) as archive:
            archive.add(picture, "pets/cat/1.png")
        with pytest.raises(BadInput, match=r"a tar archive without CIFAR's.*tar -xf, and choose the folder"):
            open_dataset_file(tmp_path / name)


def test_bytes_in_a_database_are_said_and_become_files_by_the_command_in_the_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("d.db")) as database:
        database.execute("CREATE TABLE photos (image BLOB, label)")
        database.executemany("INSERT INTO photos VALUES (?, ?)", [(b"one", "a"), (b"two", "b")])
        database.commit()
    with pytest.raises(BadInput) as refused:
        open_dataset_file(Path("d.db"))
    command = str(refused.value).partition("in Python: ")[2].removesuffix(".")
    exec(command, {"sqlite3": sqlite3, "pathlib": pathlib})
    assert [Path(name).read_bytes() for name in ("1.png", "2.png")] == [b"one", b"two"]


def test_a_readme_beside_pictures_that_are_not_read_is_no_dataset_of_texts(tmp_path):
    for name in ("1.tif", "2.tif", "README.txt"):
        (tmp_path / name).write_bytes(b"II*\x00")
    with pytest.raises(BadInput, match="contains 2 TIFF pictures"):
        open_dataset_file(tmp_path)
