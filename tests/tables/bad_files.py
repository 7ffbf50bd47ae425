"""A bad file of each kind that people drop as a table, as data or as a model: what it is called and how it is made."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

PNG, JPEG = b"\x89PNG\r\n\x1a\n" + bytes(60), b"\xff\xd8\xff\xe0" + bytes(60)
TIFF, DICOM = b"II*\0" + bytes(60), bytes(128) + b"DICM" + bytes(40)
CSV = b"prediction,confidence\n" + b"cat,0.9\ndog,0.8\n" * 40


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return file.getvalue()


def parquet() -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"prediction": ["cat", "dog"] * 50}), file)
    return file.getvalue()


def arrow() -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(pa.table({"prediction": ["cat", "dog"] * 50}), file)
    return file.getvalue()


def database(*statements: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.db"
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return path.read_bytes()


def npy(values: object, *, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(values, dtype=object if pickled else None), allow_pickle=pickled)
    return file.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


TWO_TABLES = (
    "CREATE TABLE a (prediction)",
    "INSERT INTO a VALUES ('cat')",
    "CREATE TABLE b (prediction)",
    "INSERT INTO b VALUES ('cat')",
)
FILE = Callable[[], bytes]

TABLES: Mapping[str, FILE] = {
    "empty.csv": lambda: b"",
    "blank.csv": lambda: b"\n\n",
    "header.csv": lambda: b"prediction,label\n",
    "ragged.csv": lambda: b"prediction,label\n1,2\n1\n",
    "open_quote.csv": lambda: b'prediction,note\n1,a\n0,"b\n',
    "nothing_predicted.csv": lambda: b"age,height\n" + b"1,2\n" * 30,
    "votes.csv": lambda: b"row,label\n" + b"1,cat\n" * 3,
    "one_class.csv": lambda: b"prediction\n" + b"cat\n" * 30,
    "binary.csv": lambda: b"a,b\n1,\0\n",
    "latin.csv": lambda: b"prediction,city\n1,K\x81ln\n",
    "picture.csv": lambda: PNG,
    "photo.jpg": lambda: JPEG,
    "scan.tiff": lambda: TIFF,
    "scan.dcm": lambda: DICOM,
    "moving.gif": lambda: b"GIF89a" + bytes(60),
    "sound.wav": lambda: b"RIFF\x24\0\0\0WAVEfmt " + bytes(40),
    "song.flac": lambda: b"fLaC" + bytes(60),
    "song.mp3": lambda: b"ID3\x04" + bytes(60),
    "song.ogg": lambda: b"OggS" + bytes(60),
    "paper.pdf": lambda: b"%PDF-1.7\n" + bytes(60),
    "letter.docx": lambda: zipped(docProps__app_dot_xml=b"x", word__document_dot_xml=b"<x/>"),
    "sheet.ods": lambda: zipped(mimetype=b"application/vnd.oasis.opendocument.spreadsheet", content_dot_xml=b"<x/>"),
    "frame.h5": lambda: b"\x89HDF\r\n\x1a\n" + bytes(60),
    "array.npy": lambda: npy([1.0, 2.0]),
    "arrays.npz": lambda: npz(x=np.zeros(3)),
    "frame.pkl": lambda: pickle.dumps([1, 2]),
    "page.csv": lambda: b"<!DOCTYPE html><html></html>",
    "table.xml": lambda: b"<?xml version='1.0'?><rows><row/></rows>",
    "table.orc": lambda: b"ORC" + bytes(60),
    "table.avro": lambda: b"Obj\x01" + bytes(60),
    "table.sav": lambda: b"$FL2@(#) SPSS DATA FILE" + bytes(60),
    "table.dta": lambda: b"<stata_dta><header>" + bytes(60),
    "table.mat": lambda: b"MATLAB 5.0 MAT-file, Platform" + bytes(60),
    "table.rds": lambda: gzip.compress(b"X\n\0\0\0\x03\0\x04" + bytes(60)),
    "table.RData": lambda: gzip.compress(b"RDX3\nX\n" + bytes(60)),
    "table.csv.bz2": lambda: bz2.compress(CSV),
    "table.csv.xz": lambda: lzma.compress(CSV),
    "table.csv.zst": lambda: b"\x28\xb5\x2f\xfd" + bytes(40),
    "table.7z": lambda: b"7z\xbc\xaf\x27\x1c" + bytes(40),
    "table.rar": lambda: b"Rar!\x1a\x07" + bytes(40),
    "half.csv.gz": lambda: gzip.compress(CSV * 50)[:-40],
    "half.zip": lambda: zipped(t_dot_csv=CSV)[:-30],
    "nothing.zip": lambda: zipped(),
    "two.zip": lambda: zipped(a_dot_csv=CSV, b_dot_csv=CSV),
    "picture.csv.gz": lambda: gzip.compress(PNG),
    "half.parquet": lambda: parquet()[:-30],
    "half.arrow": lambda: arrow()[:-60],
    "half.xlsx": lambda: zipped(xl__workbook_dot_xml=b"<workbook", **{"[Content_Types]_dot_xml": b"<x"}),
    "old.xls": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "half.db": lambda: database(*TWO_TABLES[:2])[:5000],
    "no_rows.db": lambda: database(TWO_TABLES[0]),
    "two_tables.db": lambda: database(*TWO_TABLES),
    "loop.db": lambda: database("CREATE VIEW v AS SELECT * FROM v"),
    "half.json": lambda: b'[{"prediction": "cat"}, {"predic',
    "weights.gguf": lambda: b"GGUF" + bytes(60),
    "numbers.json": lambda: b"[1, 2, 3]",
    "no_rows.json": lambda: b"[]",
    "deep.json": lambda: b"[" + nested(150) + b"]",
    "deep.jsonl": lambda: (nested(150) + b"\n") * 3,
    "half.jsonl": lambda: b'{"prediction": "cat"}\n{"prediction": "do\n',
    "list.jsonl": lambda: b'{"prediction": "cat"}\n[1, 2]\n',
    "wide.csv": lambda: ",".join(map(str, range(100_000))).encode() + b"\n" + b"1," * 99_999 + b"1\n",
}
"""Files that are no table that can be used."""

DATA: Mapping[str, FILE] = {
    "empty.zip": lambda: zipped(),
    "half.zip": lambda: zipped(a_dot_png=PNG)[:-30],
    "letters.zip": lambda: zipped(a_dot_docx=b"x", b_dot_exe=b"y"),
    "scans.zip": lambda: zipped(a_dot_dcm=DICOM, b_dot_dcm=DICOM),
    "broken.zip": lambda: zipped(a_dot_png=PNG, b_dot_png=PNG),
    "broken_sounds.zip": lambda: zipped(a_dot_wav=b"RIFF\x24\0\0\0WAVEfmt " + bytes(40)),
    "objects.npy": lambda: npy([{}, []], pickled=True),
    "nothing.npz": lambda: npz(),
    "half.npy": lambda: npy(np.zeros((9, 9)))[:-9],
    "numbers.npy": lambda: npy(3.0),
    "frame.pkl": lambda: pickle.dumps([1]),
    "frame.h5": lambda: b"\x89HDF\r\n\x1a\n" + bytes(60),
    "movie.mp4": lambda: b"\0\0\0\x18ftypmp42" + bytes(40),
    "one.png": lambda: PNG,
    "paper.pdf": lambda: b"%PDF-1.7\n" + bytes(60),
    "empty.csv": lambda: b"",
    "unknown.bin": lambda: b"\x01\x02\x03" * 40,
    "half.parquet": lambda: parquet()[:-30],
    "deep.json": lambda: b"[" + nested(150) + b"]",
    "data.tfrecord": lambda: struct.pack("<Q", 40) + b"abcd\n" + bytes(60),
    "model.onnx": lambda: b"\x08\x07" + bytes(60),
}
"""Files that are no inputs."""

MODELS: Mapping[str, FILE] = {
    "empty.onnx": lambda: b"",
    "half.onnx": lambda: b"\x08\x07\x12\x07pytorch:" + bytes(60),
    "picture.onnx": lambda: PNG,
    "table.csv": lambda: CSV,
    "forest.pkl": lambda: pickle.dumps([1]),
    "forest.joblib": lambda: b"\x78\x9c" + bytes(40),
    "phone.tflite": lambda: b"\x1c\0\0\0TFL3" + bytes(40),
    "empty.zip": lambda: zipped(),
    "half.zip": lambda: zipped(a_dot_onnx=b"\x08\x07")[:-30],
    "data.zip": lambda: zipped(a_dot_png=PNG),
    "half.h5": lambda: b"\x89HDF\r\n\x1a\n" + bytes(60),
    "half.keras": lambda: zipped(config_dot_json=b"{", metadata_dot_json=b"{}"),
    "weights.safetensors": lambda: (
        struct.pack("<Q", 60) + json.dumps({"w": {"dtype": "F32"}}).encode().ljust(60) + bytes(40)
    ),
    "checkpoint.pt": lambda: zipped(archive__data_dot_pkl=pickle.dumps({"epoch": 3}, 2)),
    "script.pt": lambda: zipped(m__code__x_dot_py=b"x", m__constants_dot_pkl=b"x"),
    "export.pt2": lambda: zipped(serialized_exported_program_dot_json=b"{}"),
    "saved.zip": lambda: zipped(m__saved_model_dot_pb=b"x"),
    "chat.gguf": lambda: b"GGUF\x03" + bytes(40),
    "trees.txt": lambda: b"tree\nversion=v3\nnum_class=1\n",
    "trees.cbm": lambda: b"CBM1" + bytes(40),
    "trees.json": lambda: b'{"learner": {"attributes": {}}}',
    "forest.pmml": lambda: b"<?xml version='1.0'?><PMML></PMML>",
    "arrays.npz": lambda: npz(x=np.zeros(3)),
    "engine.plan": lambda: b"ftrt" + bytes(40),
    "apple.mlmodel": lambda: b"\x08\x04\x12\x10" + bytes(40),
}
"""Files that are no model that can be opened."""
