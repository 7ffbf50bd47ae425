"""Parquet tables with pictures or sounds in a column, as the Hugging Face hub has them: a file, or a folder of splits."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput, SubjectChanged
from testimate.datasets.open import open_dataset_file
from tests.media import png, wav

COLORS = np.random.default_rng(8).integers(0, 256, (5, 4, 3, 3), dtype=np.uint8)
CLASSES = {
    "huggingface": json.dumps({"info": {"features": {"kind": {"_type": "ClassLabel", "names": ["ant", "bee"]}}}})
}


def structs(contents: list[bytes | None]) -> pa.Array:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    return pa.array([{"bytes": content, "path": f"{row}.png"} for row, content in enumerate(contents)], kind)


def write(path: Path, columns: dict[str, Any], metadata: dict[str, str] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), path, row_group_size=2)
    return path


@pytest.mark.parametrize("column", [structs, pa.array])
def test_pictures_and_labels_are_read_from_structs_and_from_bytes(tmp_path, column):
    pictures = column([png(one) for one in COLORS])
    path = write(tmp_path / "p.parquet", {"image": pictures, "label": ["x", "y", "x", "x", "y"], "size": [1] * 5})
    opened = open_dataset_file(path)
    assert (opened.dataset.batch(np.array([4, 0, 2])) == COLORS[[4, 0, 2]]).all()
    assert opened.truth is not None
    assert [opened.classes[place] for place in opened.truth] == ["x", "y", "x", "x", "y"]
    assert opened.reading is not None
    assert opened.reading.in_words() == (
        "5 rows: pictures by `image` · truth `label` (hidden from testers) · left out: `size` neither the inputs nor the "
        "labels"
    )


def test_the_only_column_that_lists_its_classes_is_the_truth(tmp_path):
    pictures = structs([png(one) for one in COLORS])
    opened = open_dataset_file(write(tmp_path / "p.parquet", {"image": pictures, "kind": [0, 1, -1, 0, 0]}, CLASSES))
    assert opened.classes == ("ant", "bee")
    assert opened.known is not None
    assert opened.known.rows.tolist() == [0, 1, 3, 4]
    assert opened.listed == ("ant", "bee")


def test_sounds_in_a_column_are_sounds(tmp_path):
    opened = open_dataset_file(write(tmp_path / "s.parquet", {"audio": structs([wav([1, 2, 3]), wav([4, 5, 6])])}))
    assert (opened.dataset.batch(np.array([0, 1])) * 32_768).tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_folder_is_read_by_split_and_its_files_in_order(tmp_path):
    parts = {"train-00000-of-00001": [0], "test-00001-of-00002": [3, 4], "test-00000-of-00002": [1, 2]}
    for name, rows in parts.items():
        columns = {"image": structs([png(COLORS[row]) for row in rows]), "label": [row % 2 for row in rows]}
        write(tmp_path / "d" / "data" / f"{name}.parquet", columns)
    (tmp_path / "d" / "README.md").write_text("# dogs")
    opened = open_dataset_file(tmp_path / "d")
    assert (opened.dataset.batch(np.arange(4)) == COLORS[1:]).all()
    assert opened.training is not None
    assert (opened.training.dataset.batch(np.array([0])) == COLORS[:1]).all()
    assert len(open_dataset_file(tmp_path / "d", split="train").dataset) == 1


def test_a_path_without_bytes_and_a_damaged_picture_are_refused(tmp_path):
    with pytest.raises(BadInput, match="contains no file, or only a path elsewhere"):
        open_dataset_file(write(tmp_path / "p.parquet", {"image": structs([png(COLORS[0]), None])}))
    with pytest.raises(BadInput, match="'row 1' is not a readable picture"):
        open_dataset_file(write(tmp_path / "q.parquet", {"image": structs([png(COLORS[0]), b"none"])}))


def test_a_table_that_is_changed_after_the_opening_is_noticed(tmp_path):
    path = write(tmp_path / "p.parquet", {"image": structs([png(one) for one in COLORS])})
    opened = open_dataset_file(path)
    write(path, {"image": structs([png(255 - one) for one in COLORS])})
    with pytest.raises(SubjectChanged):
        opened.dataset.batch(np.array([0]))
