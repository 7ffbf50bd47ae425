"""A zip's table of contents is refused by its size alone, wherever a zip comes in."""

import io
import tracemalloc
import zipfile

import pytest

from testimate.core.errors import BadInput
from testimate.core.files import check_directory
from testimate.core.words import commas
from testimate.models.kinds import MAX_MEMBERS, kind_of
from testimate.models.onnx_parts import unpacked
from testimate.project.bundle import read_bundle


def zip_of(members, name="{}"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for place in range(members):
            archive.writestr(name.format(place), b"")
    return file.getvalue()


def test_the_size_found_is_the_one_that_zipfile_wrote():
    content = zip_of(50, "x" * 30 + "{}")
    size = len(content) - zipfile.ZipFile(io.BytesIO(content)).start_dir - 22
    needed = -(-size // 128)
    check_directory(io.BytesIO(content), "a.zip", needed)
    with pytest.raises(BadInput, match=f"'a.zip' has a table of contents of {commas(size)} bytes"):
        check_directory(io.BytesIO(content), "a.zip", needed - 1)


def test_what_has_no_such_table_is_damaged():
    for content in (b"", b"PK\x03\x04", zip_of(2)[:-10]):
        with pytest.raises(BadInput, match="damaged or cut off"):
            check_directory(io.BytesIO(content), "a.zip", 10)


def test_a_bundle_of_a_session_with_thousands_of_members_is_refused_before_they_are_read(monkeypatch):
    content = zip_of(3000)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(BadInput, match="Expected one of at most 3 files"):
        read_bundle(content)


def test_a_model_that_claims_more_members_than_any_model_has_is_refused_before_they_are_read(monkeypatch, tmp_path):
    content = bytearray(zip_of(2))
    content[-10:-6] = (MAX_MEMBERS * 128 + 1).to_bytes(4, "little")
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(BadInput, match="table of contents"):
        kind_of(bytes(content), tmp_path / "m.keras")


def test_a_safetensors_file_with_a_header_of_more_than_sixteen_million_bytes_is_refused_unread(tmp_path):
    content = (16_000_001).to_bytes(8, "little") + b"{" + b" " * 16_000_001
    with pytest.raises(BadInput, match=r"header of 16.000.001 bytes"):
        kind_of(content, tmp_path / "m.safetensors")


def test_a_network_in_a_zip_is_unpacked_no_further_than_it_claims():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("network.onnx", bytes(30_000_000))
    content = bytearray(file.getvalue())
    place = content.rfind(b"PK\x01\x02")
    content[place + 24 : place + 28] = (10).to_bytes(4, "little")
    tracemalloc.start()
    with pytest.raises(BadInput, match="damaged or locked"):
        unpacked(bytes(content))
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
