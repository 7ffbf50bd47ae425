"""Datasets that cannot be used are refused in the sentence written for them, and what it says to do makes them open."""

import gzip
import io
import json
import os
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.datasets import open as datasets_open
from testimate.datasets.array_files import array_members, operational_split
from testimate.datasets.class_lists import lists_beside
from testimate.datasets.folders import FolderFiles, file_content
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import preprocessing_beside
from tests.datasets.test_file_sets import encoded

FILE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def npz(path, **arrays):
    np.savez(path, **arrays)
    return path


def stream(table):
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def saved(folder, table):
    folder.mkdir()
    (folder / "data.arrow").write_bytes(stream(table))
    (folder / "state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}')
    (folder / "dataset_info.json").write_text("{}")
    return folder


def idx(values):
    return struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape) + values.tobytes()


PICTURES = np.random.default_rng(2).integers(0, 256, (6, 4, 4), dtype=np.uint8)


def test_names_of_classes_that_are_no_list_are_refused_and_a_list_opens(tmp_path):
    names = np.array([["ant", "bee"]])
    with pytest.raises(BadInput, match=r"'classes' has no list of class names. Expected one name per class"):
        open_dataset_file(npz(tmp_path / "a.npz", x=PICTURES, y=np.arange(6) % 2, classes=names))
    opened = open_dataset_file(npz(tmp_path / "b.npz", x=PICTURES, y=np.arange(6) % 2, classes=names.ravel()))
    assert opened.classes == ("ant", "bee")


def test_a_packed_array_with_a_changed_byte_is_refused_when_its_numbers_are_read(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.random.default_rng(1).random((200, 40)))
    spoilt = bytearray((tmp_path / "a.npz").read_bytes())
    spoilt[len(spoilt) // 2 : len(spoilt) // 2 + 40] = b"\xff" * 40
    (tmp_path / "a.npz").write_bytes(spoilt)
    with pytest.raises(BadInput, match=r"is damaged or cut off .* Expected a complete"):
        open_dataset_file(tmp_path / "a.npz")


def test_a_stored_array_whose_own_header_in_the_zip_is_damaged_is_refused(tmp_path):
    npz(tmp_path / "a.npz", x=PICTURES)
    spoilt = bytearray((tmp_path / "a.npz").read_bytes())
    spoilt[:4] = b"PK\0\0"
    (tmp_path / "a.npz").write_bytes(spoilt)
    with pytest.raises(BadInput, match=r"'a.npz' is damaged or cut off .* Expected a complete zip"):
        array_members(tmp_path / "a.npz")


@pytest.mark.parametrize("part", ["images-idx3", "labels-idx1"])
def test_packed_idx_files_that_are_cut_off_are_refused_by_their_name(tmp_path, part):
    for name, values in (("images-idx3", PICTURES), ("labels-idx1", np.arange(6, dtype=np.uint8))):
        (tmp_path / f"t10k-{name}-ubyte.gz").write_bytes(gzip.compress(idx(values)))
    file = tmp_path / f"t10k-{part}-ubyte.gz"
    whole = file.read_bytes()
    for kept in (len(whole) - 12, 12):
        file.write_bytes(whole[:kept])
        with pytest.raises(BadInput, match=r"t10k.*is damaged or cut off .* Expected a complete file"):
            open_dataset_file(tmp_path / "t10k-images-idx3-ubyte.gz")
    file.write_bytes(whole)
    assert open_dataset_file(tmp_path / "t10k-images-idx3-ubyte.gz").truth.tolist() == [*range(6)]


@pytest.mark.parametrize("kept", [12, 200])
def test_half_a_gzip_of_texts_is_refused_and_the_whole_one_opens(tmp_path, kept):
    words = np.random.default_rng(3).integers(97, 122, 40_000).astype(np.uint8).tobytes().decode()
    whole = gzip.compress(("text\n" + "\n".join(words[k : k + 40] for k in range(0, 40_000, 40)) + "\n").encode())
    (tmp_path / "t.csv.gz").write_bytes(whole[: kept if kept < 100 else len(whole) // 2])
    with pytest.raises(BadInput, match=r"is damaged or cut off .* Expected a complete"):
        open_dataset_file(tmp_path / "t.csv.gz")
    (tmp_path / "t.csv.gz").write_bytes(whole)
    assert len(open_dataset_file(tmp_path / "t.csv.gz").dataset) == 1_000


def test_a_label_that_is_infinite_is_refused_by_its_row_and_an_empty_one_is_unknown(tmp_path):
    rows = ["a,label", *(f"{row}.5,{'inf' if row == 3 else row % 2}" for row in range(6))]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    with pytest.raises(
        BadInput, match=r"Column 'label', row 3 \(counted from 0\) is 'inf'. Expected labels, or empty cells"
    ):
        open_dataset_file(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("\n".join(rows).replace("inf", ""))
    assert open_dataset_file(tmp_path / "t.csv").known.rows.tolist() == [0, 1, 2, 4, 5]


def test_a_name_with_a_line_break_is_refused_and_another_name_opens(tmp_path):
    (tmp_path / "a\nb.png").write_bytes(encoded(PICTURES[0]))
    with pytest.raises(
        BadInput, match=r"The file name 'a\\nb.png' is not printable. Expected printable characters. Rename it"
    ):
        open_dataset_file(tmp_path)
    (tmp_path / "a\nb.png").rename(tmp_path / "ab.png")
    assert len(open_dataset_file(tmp_path).dataset) == 1


def test_a_folder_that_is_gone_when_its_files_are_listed_is_refused_by_its_name(tmp_path):
    with pytest.raises(BadInput, match=r"The folder 'gone' could not be read .* Check its name and permissions"):
        FolderFiles(tmp_path / "gone")


def test_a_pipe_among_the_inputs_is_refused_without_being_read(tmp_path):
    (tmp_path / "a.png").write_bytes(encoded(PICTURES[0]))
    os.mkfifo(tmp_path / "b.png")
    with pytest.raises(BadInput, match=r"'b.png' is a pipe or a device. Expected files. Take it out of the folder"):
        open_dataset_file(tmp_path)


def test_files_of_parquet_that_list_other_classes_are_refused_and_of_the_same_ones_open(tmp_path):
    def write(name, classes):
        features = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": classes}}
        cells = [{"bytes": encoded(picture), "path": None} for picture in PICTURES]
        table = pa.table({"image": pa.array(cells, FILE), "label": pa.array([0, 1] * 3)})
        described = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
        pyarrow.parquet.write_table(described, tmp_path / name)

    write("test-00000-of-00002.parquet", ["ant", "bee"])
    write("test-00001-of-00002.parquet", ["bee", "ant"])
    with pytest.raises(
        BadInput, match=r"'test-00001.*lists different classes from 'test-00000.*Expected the same in every"
    ):
        open_dataset_file(tmp_path)
    write("test-00001-of-00002.parquet", ["ant", "bee"])
    assert len(open_dataset_file(tmp_path).dataset) == 12


def test_a_preprocessing_that_is_no_table_is_refused_and_a_table_is_read(tmp_path):
    (tmp_path / "m.toml").write_text("preprocessing = 3")
    with pytest.raises(BadInput, match=r"'m.toml' says preprocessing = .*Expected a table \[preprocessing\]"):
        preprocessing_beside(tmp_path / "m.onnx")
    (tmp_path / "m.toml").write_text("[preprocessing]\nscale = 0.5")
    assert preprocessing_beside(tmp_path / "m.onnx")[0].scale == 0.5


def test_a_list_of_classes_that_cannot_be_read_is_refused_by_its_name_and_place(tmp_path):
    (tmp_path / "classes.json").write_text('{"ant": 1, "bee": 2}')
    files = tmp_path / "m.onnx", tmp_path / "d.npz"
    with pytest.raises(BadInput, match=r"'classes.json' beside the model: .* Expected 0, 1, 2 and so on"):
        [*lists_beside(*files)]
    (tmp_path / "classes.json").write_text('{"ant": 0, "bee": 1}')
    assert [one.names for one in lists_beside(*files)] == [("ant", "bee")]


def test_a_saved_dataset_with_a_name_twice_or_nothing_for_a_model_is_refused_with_what_to_rename(tmp_path):
    twice = pa.table([pa.array([1.5, 2.5]), pa.array([3.5, 4.5])], names=["a", "a"])
    with pytest.raises(BadInput, match=r"Two columns share a name. Expected each name once. Rename one"):
        open_dataset_file(saved(tmp_path / "twice", twice))
    words = {"first": ["fine", "bad"], "second": ["x", "y"]}
    with pytest.raises(
        BadInput, match=r"The columns are 'first', 'second'. .* Rename the one with the texts to 'text'"
    ):
        open_dataset_file(saved(tmp_path / "words", pa.table(words)))
    opened = open_dataset_file(saved(tmp_path / "text", pa.table({"text": words["first"], "second": words["second"]})))
    assert opened.dataset.show(1).text == "bad"


def test_a_saved_dataset_behind_a_link_is_refused_and_opens_in_its_own_folder(tmp_path):
    place = saved(tmp_path / "d", pa.table({"text": ["fine", "bad"]}))
    (tmp_path / "link").symlink_to(place)
    with pytest.raises(BadInput, match=r"'link' is a link. Expected a folder of its own"):
        open_dataset_file(tmp_path / "link")
    assert len(open_dataset_file(place).dataset) == 2


def with_more_rows_claimed(content, said, claimed):
    """A Parquet file whose footer claims more rows for its only row group, and in all, than its pages have."""
    length = int.from_bytes(content[-8:-4], "little")
    footer = bytearray(content[-8 - length : -8])
    was, now = (bytes((2 * count & 127 | 128, 2 * count >> 7)) for count in (said, claimed))  # zigzag varints of Thrift
    places = [place for place in range(len(footer)) if footer[place : place + 2] == was]
    for place in (places[0], places[-1]):
        footer[place : place + 2] = now
    return content[: -8 - length] + bytes(footer) + content[-8:]


def test_rows_that_a_parquet_file_only_claims_are_refused(tmp_path):
    cells = [{"bytes": encoded(PICTURES[row % 6]), "path": None} for row in range(200)]
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"image": pa.array(cells, FILE)}), file)
    for path, content in (("whole", file.getvalue()), ("more", with_more_rows_claimed(file.getvalue(), 200, 240))):
        (tmp_path / path).write_bytes(content)
    assert len(open_dataset_file(tmp_path / "whole").dataset) == 200
    with pytest.raises(BadInput, match=r"There is no row 200 in 'image'. Expected as many as the file says"):
        open_dataset_file(tmp_path / "more")


def test_a_picture_in_a_damaged_page_of_parquet_is_refused_by_its_row(tmp_path):
    cells = [{"bytes": encoded(PICTURES[row % 6]) + bytes([row % 256]) * 999, "path": None} for row in range(300)]
    file = io.BytesIO()
    pyarrow.parquet.write_table(
        pa.table({"image": pa.array(cells, FILE)}), file, use_dictionary=False, data_page_size=4_000, compression="gzip"
    )
    spoilt = bytearray(file.getvalue())
    spoilt[len(spoilt) // 2 : len(spoilt) // 2 + 400] = b"\xff" * 400
    (tmp_path / "t.parquet").write_bytes(spoilt)
    with pytest.raises(BadInput, match=r"(Row [0-9]+ \(counted from 0\) of 'image' is damaged|damaged or cut off)"):
        open_dataset_file(tmp_path / "t.parquet")


def test_there_is_always_a_split_to_test_on():
    for splits, taken in (
        ({"train": 0}, "train"),
        ({"": 0}, ""),
        ({"train": 0, "extra": 0}, "train"),
        ({"train": 0, "test": 0}, "test"),
    ):
        assert operational_split(splits, None) == taken


def test_a_zip_with_a_pickle_of_torch_opens_as_the_arrays_that_the_sentence_makes(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    torch.save((torch.tensor(PICTURES), torch.arange(6)), "test.pt")
    with pytest.raises(BadInput, match=r"contains a pickle, which can run any program") as refused:
        open_dataset_file(tmp_path / "test.pt")
    exec(str(refused.value).partition("In Python: ")[2].removesuffix("."), {"torch": torch, "numpy": np})
    opened = open_dataset_file(tmp_path / "data.npz")
    assert (opened.dataset.batch(np.arange(6)) == PICTURES).all()
    assert opened.truth.tolist() == [*range(6)]
    with zipfile.ZipFile("d.zip", "w") as archive:
        archive.writestr("frame.pkl", b"x")
    with pytest.raises(BadInput, match=r"Save the arrays with numpy.savez"):
        open_dataset_file(tmp_path / "d.zip")


def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(BadInput, match=r"'settings.toml' is not a plain file. Expected one. Take it out of the folder"):
        file_content(tmp_path / "settings.toml", 100)


class Strange:
    """Another package's reader that breaks on the files it knows."""

    def knows(self, start):
        return start.startswith(b"STRANGE")

    def open(self, path, _preprocessing):
        raise KeyError(path.name)


def test_a_reader_of_another_package_is_named_where_it_breaks_and_refused_where_it_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets_open, "dataset_readers", lambda: {"strange-reader": Strange()})
    (tmp_path / "d.bin").write_bytes(b"STRANGE" + bytes(20))
    with pytest.raises(
        BadInput, match=r"'d.bin' could not be read by strange-reader \(KeyError: 'd.bin'\).*tell the author"
    ):
        open_dataset_file(tmp_path / "d.bin")
    with pytest.raises(BadInput, match=r"'half' is .* Expected an object with knows and open"):
        datasets_open._check("half", object())
    datasets_open._check("strange-reader", Strange())
