"""Every file that cannot be used is refused in one sentence: what was met, what is expected, and one thing to do."""

import pytest

from testimate.core.errors import BadInput, TestimateError
from testimate.datasets.open import open_dataset_file
from testimate.models.description import ModelDescription
from testimate.models.open import open_model_file
from testimate.subjects.prediction_table import read_table
from testimate.tables.kinds import FOREIGN
from tests.each import each
from tests.tables.bad_files import DATA, MODELS, TABLES

READERS = {
    "table": (TABLES, lambda path: read_table(path, name=path.name)),
    "data": (DATA, open_dataset_file),
    "model": (MODELS, lambda path: open_model_file(ModelDescription(path))),
}
"""The bad files of each kind, and what opens them."""

KINDS = {
    "scan.tiff": "a TIFF picture",
    "scan.dcm": "a DICOM picture",
    "song.mp3": "a sound",
    "letter.docx": "a document of Word",
    "table.xml": "an XML document",
    "table.orc": "read_orc",
    "table.avro": "an Avro file",
    "data.tfrecord": "TensorFlow's TFRecord",
    "table.sav": "read_spss",
    "table.dta": "read_stata",
    "table.rds": "an R object",
    "table.RData": "an R object",
    "numbers.json": "JSON in which no rows were found",
    "loop.db": "view",
    "deep.json": "levels deep",
    "wide.csv": "100,000 columns",
    "picture.onnx": "a PNG picture, not a model",
    "chat.gguf": "the weights of a language model, not a model",
    "trees.cbm": "a model of CatBoost",
    "unknown.bin": "binary data",
}
"""What the sentence calls some of them."""


OF_SKLEARN = ("pickle", "bzip2", "xz")
"""What scikit-learn's models are saved in: as a model such a file has a sentence of its own."""


@each("kind", FOREIGN)
def test_a_file_that_is_never_read_has_one_name_as_table_data_and_model(kind, tmp_path):
    path = tmp_path / "dropped"
    path.write_bytes(bytes(kind.at) + kind.starts[0] + bytes(200))
    for what, (_, opened) in READERS.items():
        of_sklearn = what == "model" and any(word in kind.called for word in OF_SKLEARN)
        with pytest.raises(BadInput, match="can run any program" if of_sklearn else kind.called):
            opened(path)


@each("what", [*READERS])
def test_every_bad_file_is_refused_with_what_was_met_what_is_expected_and_what_to_do(what, tmp_path):
    files, opened = READERS[what]
    lacking = {}
    for name, make in files.items():
        path = tmp_path / name
        path.write_bytes(make())
        with pytest.raises(TestimateError) as refused:
            opened(path)
        said = str(refused.value)
        named = KINDS.get(name, "") in said
        if not named or said.lower().count("expected") < 1 or said.count(". ") < 1 or "\n" in said:
            lacking[name] = said
        assert said[:1] in "'ABCDEFGHIJKLMNOPQRSTUVWXYZ", said
        assert said.endswith((".", "VOTES.csv")), said
    assert not lacking
