"""Datasets made to run code, reach other files or fill the memory: none leaves a mark, each gets a sentence."""

import gzip
import io
import os
import pickle
import stat
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.subjects import limits as table_limits
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.dataset_files import open_dataset_file
from testimate.subjects.datasets.preprocessing_file import read_preprocessing
from testimate.subjects.datasets.zip_files import ZipFiles


class Marks:
    """Leaves a mark where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def look_through(path: Path) -> None:
    dataset = open_dataset_file(path).dataset
    for row in range(len(dataset)):
        dataset.show(row)


def outcome(path: Path) -> str:
    """Whether the file is refused or read; any other error ends the test."""
    try:
        look_through(path)
    except BadInput:
        return "refused"
    return "read"


def refusal(path: Path) -> str:
    """The sentence; it has its three parts."""
    with pytest.raises(BadInput) as refused:
        look_through(path)
    sentence = str(refused.value)
    assert "needed" in sentence or "Save it" in sentence
    assert sentence.endswith(".")
    return sentence


def written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def npy(descr: str, shape: str, data: bytes = b"", *, order: str = "False") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def png_claiming(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header claims a size (PNG specification, third edition, 11.2.1)."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def peak_of(act) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# .npy and .npz


def test_objects_in_an_array_are_never_unpickled(tmp_path):
    mark = tmp_path / "mark"
    evil = np.array([Marks(mark)], dtype=object)
    np.save(tmp_path / "a.npy", evil, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x_test=np.zeros((1, 2)), y_test=evil)
    assert "can run any program" in refusal(tmp_path / "a.npy")
    assert "can run any program" in refusal(tmp_path / "a.npz")
    assert not mark.exists()
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert mark.exists(), "the file would have left a mark"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (npy("'<f8'", "(1000000, 1000000)", b"\0" * 8), "has 8,000,000,000,000 bytes in 'evil.npy'"),
        (npy("'<f8'", "(10, 10)", b"\0" * 8), "claims 800 bytes of numbers and holds 8"),
        (npy("'<f8'", "(1,)", b"\0" * 80), "claims 8 bytes of numbers and holds 80"),
        (npy("'<f8'", "(-5, -5)", b"\0" * 200), "not empty"),
        (npy("'<f8'", "(2**62, 4)", b"\0" * 8), "no header of a NumPy array"),
        (npy("'<U100000000'", "(100,)", b"\0" * 8), "bytes in 'evil.npy'"),
        (npy("[('a', 'O'), ('b', '<f8')]", "(1,)", b"\0" * 16), "can run any program"),
        (npy("[('a', '<f8')]", "(1,)", b"\0" * 8), "needed are numbers or words"),
        (npy("'<M8[s]'", "(1,)", b"\0" * 8), "needed are numbers or words"),
        (npy("__import__('os').mkdir('mark')", "(1,)", b"\0" * 8), "no header of a NumPy array"),
        (npy("'<f8'", "(" * 4_000 + ")" * 4_000, b"\0" * 8), "no header of a NumPy array"),
        (b"\x93NUMPY\x09\x00" + b"\0" * 100, "no header of a NumPy array"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "no header of a NumPy array"),
        (b"\x93NUMPY", "no header of a NumPy array"),
        (npy("'<f8'", "(1,)", b"\0" * 8).replace(b"}", b"("), "no header of a NumPy array"),
    ],
)
def test_a_header_that_lies_is_refused_before_anything_is_read(tmp_path, content, sentence):
    path = written(tmp_path / "evil.npy", content)
    assert sentence in refusal(path)
    with zipfile.ZipFile(tmp_path / "d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("evil.npy", content)
    assert sentence in refusal(tmp_path / "d.npz")
    assert peak_of(lambda: refusal(path)) < 10_000_000


def test_arrays_are_added_up_before_the_first_is_unfolded(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros((200, 1_000)), y=np.zeros(200), z=np.zeros((200, 1_000)))
    assert (tmp_path / "d.npz").stat().st_size < 20_000
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 3_000_000)
    assert "needed are at most 3,000,000" in refusal(tmp_path / "d.npz")
    assert peak_of(lambda: refusal(tmp_path / "d.npz")) < 1_000_000


def test_a_member_whose_size_is_forged_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros((50, 10)))
    content = bytearray((tmp_path / "d.npz").read_bytes())
    place = content.rfind(b"PK\x01\x02") + 24  # the unfolded size in the table of contents
    content[place : place + 4] = struct.pack("<I", 128 + 10 * 10 * 8)
    assert "damaged or cut off" in refusal(written(tmp_path / "e.npz", bytes(content)))
    header = npy("'<f8'", "(10, 10)")
    with zipfile.ZipFile(tmp_path / "f.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header + bytes(4_000))
    content = bytearray((tmp_path / "f.npz").read_bytes())
    place = content.rfind(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", len(header) + 800)
    assert "damaged or cut off" in refusal(written(tmp_path / "g.npz", bytes(content)))


# IDX


def test_an_idx_file_that_lies_about_its_size_is_refused(tmp_path, monkeypatch):
    header = bytes((0, 0, 8, 3)) + struct.pack(">3I", 60_000, 28, 28)
    assert "claims 47,040,000 bytes" in refusal(written(tmp_path / "a", header + bytes(100)))
    assert "before its header says" in refusal(written(tmp_path / "b.gz", gzip.compress(header + bytes(100))))
    small = bytes((0, 0, 8, 1)) + struct.pack(">I", 5)
    bomb = written(tmp_path / "c.gz", gzip.compress(small + bytes(5_000_000)))
    assert "more than its header says" in refusal(bomb)
    assert peak_of(lambda: refusal(bomb)) < 2_500_000
    huge = bytes((0, 0, 8, 4)) + struct.pack(">4I", *(2**32 - 1,) * 4)
    assert "needed are at most" in refusal(written(tmp_path / "d", huge))
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 1_000)
    assert "needed are at most 1,000" in refusal(written(tmp_path / "e", header))


# Pickles and what can lead to other files


def test_a_pickle_is_never_a_dataset_whatever_its_name(tmp_path):
    mark = tmp_path / "mark"
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["evil"] = Marks(mark)
    for name in ("data.pkl", "data.csv", "data.npz", "data.parquet"):
        assert "a pickle, which can run any program" in refusal(written(tmp_path / name, pickle.dumps(frame)))
        assert "a pickle, which can run any program" in refusal(
            written(tmp_path / name, gzip.compress(pickle.dumps(frame)))
        )
    with zipfile.ZipFile(tmp_path / "data.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Marks(mark)))
    assert "holds a pickle" in refusal(tmp_path / "data.pt")
    assert not mark.exists()


@pytest.mark.parametrize(
    "start", [b"\x89HDF\r\n\x1a\n", b"%!PS-Adobe-3.0 EPSF", b"Rar!\x1a", b"ARROW1\0\0", b"%PDF-1.7"]
)
def test_files_that_can_lead_elsewhere_are_named_and_refused(tmp_path, start):
    assert "needed is a dataset in a form that holds none but data" in refusal(
        written(tmp_path / "d.csv", start + bytes(99))
    )


# Tables and texts


def test_gzip_that_unfolds_too_far_is_refused_while_it_unfolds(tmp_path, monkeypatch):
    monkeypatch.setattr(table_limits, "MAX_UNPACKED_BYTES", 3_000_000)
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 3_000_000)
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 100_000)
    numbers = written(tmp_path / "a", gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    assert numbers.stat().st_size < 50_000
    assert "unfolds to more than 3,000,000 bytes" in refusal(numbers)
    texts = written(tmp_path / "b", gzip.compress(b"text\n" + b"x" * 99 + b"\n" + (b"x" * 99 + b"\n") * 50_000))
    assert "or more letters; needed are at most 3,000,000" in refusal(texts)
    lines = written(tmp_path / "c", gzip.compress(b'{"text": "' + b"x" * 5_000_000))
    assert "or more bytes in a line" in refusal(lines)
    assert peak_of(lambda: refusal(lines)) < 2_000_000


def test_texts_cells_and_rows_beyond_the_limits_are_refused(tmp_path, monkeypatch):
    long = "x" * (limits.MAX_TEXT_LENGTH + 1)
    assert "at most 131,072 letters" in refusal(written(tmp_path / "a", f"text\n{long}\n".encode()))
    assert "letters in 'row 0'" in refusal(written(tmp_path / "b", f'{{"text": "{long}"}}\n'.encode()))
    assert "letters in 'a.txt'" in refusal(written(tmp_path / "folder" / "a.txt", long.encode()).parent)
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"text": [long]}), file)
    assert "letters in 'row 0'" in refusal(written(tmp_path / "c", file.getvalue()))
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    assert "needed are at most 10" in refusal(written(tmp_path / "d", b"text\n" + b"x\n" * 11))
    assert "needed are at most 10" in refusal(written(tmp_path / "e", b"a\n" + b"1\n" * 11))
    np.save(tmp_path / "f.npy", np.zeros((11, 2)))
    assert "needed are at most 10" in refusal(tmp_path / "f.npy")


def test_a_parquet_that_repeats_one_long_text_is_counted_as_it_is_read(tmp_path, monkeypatch):
    table = pa.table({"text": pa.array(["x" * 100_000] * 1_000).dictionary_encode()})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 60_000
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 2_000_000)
    assert "or more letters" in refusal(tmp_path / "t.parquet")
    assert peak_of(lambda: refusal(tmp_path / "t.parquet")) < 10_000_000


def test_a_parquet_damaged_anywhere_is_refused_or_read_but_never_crashes(tmp_path):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"text": [f"t {n}" for n in range(99)], "label": list(range(99))}), file)
    whole, rng = file.getvalue(), np.random.default_rng(7)
    outcomes = set()
    for _ in range(60):
        broken = bytearray(whole)
        for place in rng.integers(4, len(whole), 2):
            broken[place] = rng.integers(256)
        outcomes.add(outcome(written(tmp_path / "t.parquet", bytes(broken))))
    assert outcomes == {"refused", "read"}


# Zips and folders


@pytest.mark.parametrize("name", ["../a.png", "/etc/a.png", "x/../../a.png", "C:\\a.png", "a\\..\\b.png", "a\nb.png"])
def test_names_in_a_zip_that_climb_out_are_refused_and_nothing_is_written(tmp_path, name):
    path = tmp_path / "in" / "d.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, png(np.zeros((2, 2), np.uint8)))
    assert "lies outside of it or cannot be printed" in refusal(path)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


def test_a_name_in_a_zip_that_is_cut_to_nothing_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("x.png", png(np.zeros((2, 2), np.uint8)))
    content = (tmp_path / "d.zip").read_bytes().replace(b"x.png", b"\0.png")
    assert "cannot be printed" in refusal(written(tmp_path / "e.zip", content))


def test_links_doubles_passwords_and_odd_packings_in_a_zip_are_refused(tmp_path):
    picture = png(np.zeros((2, 2), np.uint8))
    link = zipfile.ZipInfo("a.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "holds the link" in refusal(tmp_path / "link.zip")
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a.png", picture)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.png", picture)
    assert "twice" in refusal(tmp_path / "twice.zip")
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.png", picture)
    assert "packed in an unusual way" in refusal(tmp_path / "lzma.zip")
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        archive.writestr("a.png", picture)
    content = bytearray((tmp_path / "plain.zip").read_bytes())
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(written(tmp_path / "secret.zip", bytes(content)))


def test_a_zip_that_unfolds_too_far_is_refused_by_its_table_of_contents_and_while_it_is_read(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.bmp", bytes(1_000_000))
    assert (tmp_path / "d.zip").stat().st_size < 10_000
    monkeypatch.setattr(limits, "MAX_ITEM_BYTES", 900_000)
    assert "bytes in '0.bmp'; needed are at most 900,000" in refusal(tmp_path / "d.zip")
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 4_000_000)
    assert "5,000,000 bytes when unfolded" in refusal(tmp_path / "d.zip")
    content = bytearray((tmp_path / "d.zip").read_bytes())
    for place in [place for place in range(len(content)) if content.startswith(b"PK\x01\x02", place)]:
        content[place + 24 : place + 28] = struct.pack("<I", 10)  # claims 10 bytes each
    path = written(tmp_path / "e.zip", bytes(content))
    assert "damaged or cut off" in refusal(path)
    assert peak_of(lambda: refusal(path)) < 3_000_000


def test_a_zip_with_a_table_of_contents_that_would_fill_the_memory_is_refused_unread(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for number in range(3_000):
            archive.writestr(f"{number}.txt", b"")
    monkeypatch.setattr(limits, "MAX_FILES", 1_000)
    with pytest.raises(BadInput, match="bytes in its table of contents"):
        ZipFiles(tmp_path / "d.zip")
    large = bytearray((tmp_path / "d.zip").read_bytes())
    place = large.rfind(b"PK\x05\x06")
    form_64 = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 3_000, 3_000, 200_000, 0)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, place, 1)
    large[place + 12 : place + 16] = b"\xff" * 4
    with pytest.raises(BadInput, match="200,000 bytes in its table of contents"):
        ZipFiles(written(tmp_path / "e.zip", bytes(large[:place]) + form_64 + locator + bytes(large[place:])))


def test_a_zip_damaged_anywhere_is_refused_or_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"c{number % 2}/{number}.png", png(np.full((9, 9), number, np.uint8)))
    whole, rng = (tmp_path / "d.zip").read_bytes(), np.random.default_rng(2)
    outcomes = set()
    for _ in range(200):
        broken = bytearray(whole)
        for place in rng.integers(0, len(whole), 2):
            broken[place] = rng.integers(256)
        outcomes.add(outcome(written(tmp_path / "e.zip", bytes(broken))))
    assert outcomes == {"refused", "read"}


def test_links_pipes_and_too_many_files_in_a_folder_are_refused(tmp_path, monkeypatch):
    secret = written(tmp_path / "secret.txt", b"secret")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").symlink_to(secret)
    assert "'x.txt' is a link" in refusal(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    assert "'up' is a link" in refusal(tmp_path / "b")
    (tmp_path / "c").mkdir()
    os.mkfifo(tmp_path / "c" / "x.txt")
    assert "a pipe or a device" in refusal(tmp_path / "c")
    for number in range(6):
        written(tmp_path / "d" / f"{number}.txt", b"x")
    monkeypatch.setattr(limits, "MAX_FILES", 5)
    assert "6 or more files and folders" in refusal(tmp_path / "d")


def test_a_file_replaced_by_a_link_after_the_opening_is_not_followed(tmp_path):
    written(tmp_path / "d" / "a.txt", b"mine")
    dataset = open_dataset_file(tmp_path / "d").dataset
    (tmp_path / "d" / "a.txt").unlink()
    (tmp_path / "d" / "a.txt").symlink_to(written(tmp_path / "secret.txt", b"mine"))
    with pytest.raises(BadInput, match="not a link"):
        dataset.show(0)


# Pictures


@pytest.mark.parametrize(
    ("width", "height"), [(5_001, 5_000), (25_000_001, 1), (12_000, 12_000), (2**31 - 1, 2**31 - 1)]
)
def test_a_picture_with_too_many_pixels_is_refused_by_its_header(tmp_path, width, height):
    written(tmp_path / "d" / "a.png", png_claiming(width, height))
    assert "needed are at most 25,000,000" in refusal(tmp_path / "d")
    assert peak_of(lambda: refusal(tmp_path / "d")) < 2_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(mark) (w) file closefile\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        b"GIF89a" + bytes(50),
        b"II*\0" + bytes(50),
        b"\x89PNG\r\n\x1a\n",
        png_claiming(0, 0),
        b"",
        b"BM" + bytes(60),
        b"RIFF\x10\0\0\0WEBPVP8 " + bytes(30),
        b"\xff\xd8\xff\xe0" + bytes(100),
    ],
    ids=["EPS", "SVG", "GIF", "TIFF", "PNG cut", "no pixels", "empty", "BMP", "WebP", "JPEG"],
)
def test_what_is_no_picture_of_the_four_formats_is_refused_whatever_its_name(tmp_path, content):
    written(tmp_path / "d" / "a.png", content)
    assert "'a.png' is no readable picture" in refusal(tmp_path / "d")


def test_a_picture_damaged_anywhere_is_refused_or_read(tmp_path):
    pixels = np.random.default_rng(3).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    rng, outcomes = np.random.default_rng(5), set()
    for kind in ("PNG", "JPEG", "BMP", "WEBP"):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, kind)
        for _ in range(40):
            broken = bytearray(file.getvalue())
            for place in rng.integers(0, len(broken), 2):
                broken[place] = rng.integers(256)
            end = len(broken) if rng.random() < 0.5 else rng.integers(1, len(broken))
            written(tmp_path / "d" / "a.png", bytes(broken[:end]))
            outcomes.add(outcome(tmp_path / "d"))
    assert outcomes == {"refused", "read"}


# The file beside a model


def test_a_settings_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SETTINGS_BYTES", 1_000)
    monkeypatch.setattr(limits, "MAX_VOCABULARY_BYTES", 1_000)
    path = written(tmp_path / "m.toml", b"[preprocessing]\nmean = [" + b"1," * 600 + b"]\n")
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        read_preprocessing(path)
    written(tmp_path / "v.txt", b"a\n" * 600)
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        read_preprocessing(written(path, b"[preprocessing]\nvocabulary = 'v.txt'\n"))
    with pytest.raises(BadInput, match="is no TOML"):
        read_preprocessing(written(path, b"a = " + b"[" * 990))
