"""Hugging Face datasets saved to disk, written here by pyarrow as the datasets library lays them out."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import silent
from testimate.datasets import limits
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.saved import open_saved_dataset
from testimate.tables.rules import LONE
from tests.media import png, wav

COLORS = np.random.default_rng(8).integers(0, 256, (5, 4, 3, 3), dtype=np.uint8)


def stream(table: pa.Table, *, rows: int = 2, **options: Any) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


def save(folder: Path, table: pa.Table, features: dict[str, Any], *, parts: int = 1, **options: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data-{part:05}-of-{parts:05}.arrow" for part in range(parts)]
    size = -(-table.num_rows // parts)
    for part, name in enumerate(names):
        (folder / name).write_bytes(stream(table.slice(part * size, size), **options))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    return folder


def encoded(contents: list[bytes | None]) -> pa.Array:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    return pa.array([{"bytes": content, "path": "x.png"} for content in contents], kind)


PICTURES = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": ["ant", "bee"]}}


def everything(dataset) -> np.ndarray:
    return dataset.batch(np.arange(len(dataset)))


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_pictures_and_class_names_are_read_from_one_file_or_several(tmp_path, parts):
    table = pa.table({"image": encoded([png(one) for one in COLORS]), "label": [0, 1, 1, 0, 1]})
    opened = open_dataset_file(save(tmp_path / "d", table, PICTURES, parts=parts))
    assert (everything(opened.dataset) == COLORS).all()
    assert (opened.dataset.batch(np.array([4, 0])) == COLORS[[4, 0]]).all()
    assert opened.classes == ("ant", "bee")
    assert opened.truth is not None
    assert opened.truth.tolist() == [0, 1, 1, 0, 1]


def test_the_only_file_of_a_saved_dataset_is_what_its_folder_is_and_one_stored_before_a_table(tmp_path):
    table = pa.table({"image": encoded([png(one) for one in COLORS]), "size": [3.5] * 5, "label": [0, 1, 1, 0, 1]})
    file = save(tmp_path / "d", table, PICTURES) / "data-00000-of-00001.arrow"
    opened = open_dataset_file(file)
    assert (everything(opened.dataset) == COLORS).all()
    assert opened.truth.tolist() == [0, 1, 1, 0, 1]
    assert open_dataset_file(file, rules=LONE).dataset.modality == "tabular"


def test_splits_of_a_dictionary_are_the_operational_and_the_training_set(tmp_path):
    table = pa.table({"text": [f"text {n}" for n in range(5)], "label": [0, 1, 1, 0, -1]})
    features = {"label": PICTURES["label"], "text": {"_type": "Value", "dtype": "string"}}
    save(tmp_path / "d" / "train", table, features)
    save(tmp_path / "d" / "test", table.slice(3), features)
    (tmp_path / "d" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    opened = open_dataset_file(tmp_path / "d")
    assert [opened.dataset.show(row).text for row in range(2)] == ["text 3", "text 4"]
    assert opened.truth is None, "-1 is an unknown answer"
    assert opened.known is not None
    assert opened.known.rows.tolist() == [0]
    assert opened.training is not None
    assert len(opened.training.dataset) == 5


def test_sounds_with_their_bytes_are_sounds(tmp_path):
    table = pa.table({"audio": encoded([wav([1, 2, 3]), wav([4, 5, 6])])})
    opened = open_dataset_file(save(tmp_path / "d", table, {"audio": {"_type": "Audio", "sampling_rate": 16_000}}))
    assert (everything(opened.dataset) * 32_768).tolist() == [[1, 2, 3], [4, 5, 6]]


def test_columns_of_numbers_are_features_and_lists_are_left_out(tmp_path):
    table = pa.table({"a": [1.5, 2.5, 0.5], "b": [1, 2, 3], "c": [[1], [2], [3]], "label": ["x", "y", "x"]})
    opened = open_dataset_file(save(tmp_path / "d", table, {}))
    assert everything(opened.dataset).tolist() == [[1.5, 1], [2.5, 2], [0.5, 3]]
    assert opened.classes == ("x", "y")
    assert "label" not in dict(opened.dataset.show(0).cells)


def test_a_changed_byte_changes_the_fingerprint(tmp_path):
    prints = set()
    for place in range(5):
        texts = ["a", "b", "c", "d", "e"]
        texts[place] = "X"
        prints.add(open_dataset_file(save(tmp_path / str(place), pa.table({"text": texts}), {})).dataset.fingerprint)
    assert len(prints) == 5


@pytest.mark.parametrize("column", [pa.array(["a", "b"]), pa.array([1.5, 2.5])])
def test_a_file_that_is_changed_after_the_opening_is_noticed(tmp_path, column):
    folder = save(tmp_path / "d", pa.table({"text": column}), {})
    dataset = open_dataset_file(folder).dataset
    dataset.show(0)
    save(folder, pa.table({"text": column[::-1]}), {})
    with pytest.raises(SubjectChanged):
        dataset.show(0)


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as refused:
        open_dataset_file(path)
    return str(refused.value)


def test_files_outside_the_folder_are_not_followed(tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(png(COLORS[0]))
    features = {"image": {"_type": "Image"}}
    by_path = pa.array([{"bytes": None, "path": str(secret)}], encoded([]).type)
    assert "names a file elsewhere" in refusal(save(tmp_path / "a", pa.table({"image": by_path}), features))
    good = pa.table({"text": ["a"]})
    for number, name in enumerate(("../b/data-00000-of-00001.arrow", "/etc/passwd", "..", "")):
        folder = save(tmp_path / "b", good, {})
        climbing = save(tmp_path / f"climb{number}", good, {})
        (climbing / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
        assert "outside its own folder" in refusal(climbing)
    (folder / "data-00000-of-00001.arrow").unlink()
    (folder / "data-00000-of-00001.arrow").symlink_to(tmp_path / "climb0" / "data-00000-of-00001.arrow")
    assert "is a link" in refusal(folder)
    with pytest.raises(BadInput, match="is a link or not there"):
        open_saved_dataset(folder, split=None, preprocessing=Preprocessing(), label=None, progress=silent)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "dataset_dict.json").write_text('{"splits": ["../climb0"]}')
    assert "outside its own folder" in refusal(tmp_path / "c")


def test_compressed_streams_and_dictionaries_are_refused_before_they_unpack(tmp_path):
    table = pa.table({"text": ["a" * 1_000] * 50})
    for compression in ("lz4", "zstd"):
        assert "is compressed" in refusal(save(tmp_path / compression, table, {}, compression=compression))
    words = pa.table({"text": pa.array(["a", "b"]).dictionary_encode()})
    assert "contains dictionaries" in refusal(save(tmp_path / "d", words, {}))


def test_a_stream_damaged_anywhere_is_refused_or_read_but_never_crashes(tmp_path):
    table = pa.table({"text": [f"text {n}" for n in range(20)], "label": list(range(20))})
    folder = save(tmp_path / "d", table, {})
    path = folder / "data-00000-of-00001.arrow"
    whole = path.read_bytes()
    rng = np.random.default_rng(4)
    outcomes = set()
    for _ in range(150):
        broken = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            broken[place] = rng.integers(256)
        path.write_bytes(broken[: rng.integers(len(whole) // 2, len(whole) + 1)])
        try:
            dataset = open_dataset_file(folder).dataset
            outcomes.add("read")
            [dataset.show(row) for row in range(len(dataset))]
        except BadInput:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_a_stream_whose_first_message_is_of_no_kind_is_refused_although_pyarrow_would_end_the_process(tmp_path):
    folder = save(tmp_path / "d", pa.table({"text": ["a"]}), {})
    path = folder / "data-00000-of-00001.arrow"
    whole = bytearray(path.read_bytes())
    assert whole[29] == 1, "the kind of the message: a schema"
    whole[29] = 0
    for place in range(42, 104):  # pyarrow follows these unverified, and crashes on many
        path.write_bytes(whole[:place] + b"\xf2" + whole[place + 1 :])
        assert "does not begin with a schema" in refusal(folder)


def test_more_rows_than_the_limit_are_refused_although_they_take_no_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 1_000)
    table = pa.table({"n": pa.nulls(1_001), "text": pa.array([""] * 1_001)})
    assert "1,001 or more inputs" in refusal(save(tmp_path / "d", table, {}))


def test_folders_that_are_not_as_saved_are_refused_with_a_sentence(tmp_path):
    good = pa.table({"text": ["a"]})
    empty = save(tmp_path / "empty", good.slice(1), {})
    assert "no inputs" in refusal(empty)
    shuffled = save(tmp_path / "shuffled", good, {})
    (shuffled / "state.json").write_text('{"_data_files": [{"filename": "x"}], "_indices_data_files": [1]}')
    assert "an order beside them" in refusal(shuffled)
    broken = save(tmp_path / "broken", good, {})
    (broken / "state.json").write_text("{")
    assert "is not valid JSON" in refusal(broken)
    lists = save(tmp_path / "lists", pa.table({"c": [[1]]}), {})
    assert "No column contains" in refusal(lists)
    two = save(tmp_path / "two", good, {}, parts=1)
    (two / "more.arrow").write_bytes(stream(pa.table({"other": [1]})))
    (two / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}, {"filename": "more.arrow"}]})
    )
    assert "different columns from the first file" in refusal(two)
