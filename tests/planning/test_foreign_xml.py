"""XML for a label import declares nothing, in whatever encoding it comes."""

import pytest

from testimate.core.errors import BadInput
from testimate.planning.label_exchange import FORMATS
from testimate.tasks.classification import Classification
from tests.each import each

TASK = Classification(("cat", "Köter"))
IMAGES = '<annotations><!-- a note <!x --><image id="0" name="a.png"><tag label="Köter"/></image></annotations>'
ENTITY = '<!DOCTYPE a [<!ENTITY b "c">]>'
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "cp1252"]


@pytest.fixture
def read(monkeypatch):
    """Reads what CVAT exported for a plan of one picture."""
    monkeypatch.setattr("testimate.planning.label_exchange.keys_by_file", lambda plan: {"a.png": "key-0"})
    return lambda content: FORMATS["cvat"].read(None, content, TASK, print)


def encoded(body: str, encoding: str, *, marked: bool = True) -> bytes:
    named = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, encoding)
    mark = "\ufeff" if marked and encoding in ("utf-16-le", "utf-16-be") else ""
    return f'{mark}<?xml version="1.0" encoding="{named}"?>\n{body}'.encode(encoding)


@each("encoding", ENCODINGS)
def test_an_export_is_read_in_every_encoding(read, encoding):
    [label] = read(encoded(IMAGES, encoding))
    assert (label.key, label.answer) == ("key-0", "Köter")


@each("encoding", [*ENCODINGS, "utf-32", "cp037", "utf-7"])
@each("marked", [True, False])
@each("declared", [ENTITY, "<!DOCTYPE a>", '<!DOCTYPE a SYSTEM "file:///etc/passwd">'])
def test_declared_entities_are_refused_in_every_encoding(read, encoding, marked, declared):
    for content in (encoded(declared + IMAGES, encoding, marked=marked), (declared + IMAGES).encode(encoding)):
        with pytest.raises(BadInput, match=r"declares entities|is not XML"):
            read(content)


def test_bytes_that_are_no_xml_are_refused_in_a_sentence(read):
    for content in (b"", b"\xff\xfe", b"\0" * 40, b'<?xml version="1.0" encoding="no-such"?><a/>', b"<a>" * 5_000):
        with pytest.raises(BadInput, match="is not XML"):
            read(content)
