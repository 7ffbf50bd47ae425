"""Zips and folders made to write elsewhere, to reach other files or to fill the memory: each gets a sentence."""

import os
import stat
import struct
import unicodedata
import zipfile

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.datasets import limits
from testimate.datasets.folders import ZipFiles, match_files, small_text
from testimate.datasets.open import open_dataset_file
from tests.datasets.malice import outcome, peak_of, refusal, written
from tests.media import png


@pytest.mark.parametrize("name", ["../a.png", "/etc/a.png", "x/../../a.png", "C:\\a.png", "a\\..\\b.png", "a\nb.png"])
def test_names_in_a_zip_that_climb_out_are_refused_and_nothing_is_written(tmp_path, name):
    path = tmp_path / "in" / "d.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, png(np.zeros((2, 2), np.uint8)))
    assert "lies outside it or cannot be printed" in refusal(path)
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
    assert "contains the link" in refusal(tmp_path / "link.zip")
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a.png", picture)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.png", picture)
    assert "twice" in refusal(tmp_path / "twice.zip")
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.png", picture)
    assert "compressed in an unusual way" in refusal(tmp_path / "lzma.zip")
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        archive.writestr("a.png", picture)
    content = bytearray((tmp_path / "plain.zip").read_bytes())
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(written(tmp_path / "secret.zip", bytes(content)))


def test_a_zip_that_unpacks_too_far_is_refused_by_its_table_of_contents_and_while_it_is_read(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.bmp", bytes(1_000_000))
    assert (tmp_path / "d.zip").stat().st_size < 10_000
    monkeypatch.setattr(limits, "MAX_ITEM_BYTES", 900_000)
    assert "bytes in '0.bmp'. Expected at most 900,000" in refusal(tmp_path / "d.zip")
    monkeypatch.setattr(limits, "MAX_UNFOLDED_BYTES", 4_000_000)
    assert "5,000,000 bytes when unpacked" in refusal(tmp_path / "d.zip")
    content = bytearray((tmp_path / "d.zip").read_bytes())
    for place in [place for place in range(len(content)) if content.startswith(b"PK\x01\x02", place)]:
        content[place + 24 : place + 28] = struct.pack("<I", 10)  # claims 10 bytes each
    path = written(tmp_path / "e.zip", bytes(content))
    assert "damaged or cut off" in refusal(path)
    assert peak_of(lambda: refusal(path)) < 3_000_000


def test_a_file_in_a_zip_is_unpacked_no_further_than_it_claims(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.bmp", bytes(30_000_000))
    content = bytearray((tmp_path / "d.zip").read_bytes())
    place = content.rfind(b"PK\x01\x02")
    content[place + 24 : place + 28] = struct.pack("<I", 10)
    files = ZipFiles(written(tmp_path / "e.zip", bytes(content)))

    def read() -> None:
        with pytest.raises(BadInput, match="damaged or cut off"):
            files.read("0.bmp")

    assert peak_of(read) < 3_000_000


def test_a_zip_with_a_table_of_contents_that_would_fill_the_memory_is_refused_unread(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for number in range(3_000):
            archive.writestr(f"{number}.txt", b"")
    monkeypatch.setattr(limits, "MAX_FILES", 1_000)
    with pytest.raises(BadInput, match="has a table of contents of"):
        ZipFiles(tmp_path / "d.zip")
    large = bytearray((tmp_path / "d.zip").read_bytes())
    place = large.rfind(b"PK\x05\x06")
    form_64 = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 3_000, 3_000, 200_000, 0)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, place, 1)
    large[place + 12 : place + 16] = b"\xff" * 4
    with pytest.raises(BadInput, match="a table of contents of 200,000 bytes"):
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


def test_names_that_differ_in_their_unicode_form_alone_and_texts_of_another_encoding_are_refused(tmp_path):
    names = [unicodedata.normalize(form, "caf\u00e9.png") for form in ("NFC", "NFD")]
    with pytest.raises(BadInput, match=r"in different Unicode forms\. Expected each name once\. Rename one"):
        match_files(["caf\u00e9"], names)
    (tmp_path / "classes.txt").write_bytes("caf\u00e9\n".encode("latin-1"))
    with pytest.raises(BadInput, match=r"'classes.txt' is no UTF-8 text .*Save it as UTF-8"):
        small_text(tmp_path / "classes.txt", 100)
