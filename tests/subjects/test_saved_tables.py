"""Hugging Face datasets with predictions in them, written here by pyarrow as the datasets library lays them out."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from PIL import Image

from testimate import open_subject
from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from tests.media import gray

NAMES = ["owl", "ant", "bee"]
FEATURES = {"label": {"_type": "ClassLabel", "names": NAMES}, "image": {"_type": "Image"}}


def shade_of(shown) -> int:
    return int(np.asarray(Image.open(io.BytesIO(shown.image)))[0, 0])


def columns(labels, said, first=0) -> dict:
    return {
        "image": [{"bytes": gray(20 * (first + row)), "path": f"{first + row}.png"} for row in range(len(said))],
        "label": labels,
        "prediction": said,
    }


def parquet(path: Path, table: dict, features: dict | None = None) -> Path:
    """A Parquet file with the features in its metadata, where the datasets library keeps them."""
    made = pa.table(table)
    if features is not None:
        made = made.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(made, path)
    return path


def saved(folder: Path, table: dict, features: dict) -> Path:
    folder.mkdir()
    made = pa.table(table)
    with pa.OSFile(str(folder / "d.arrow"), "wb") as file, pa.ipc.new_stream(file, made.schema) as out:
        out.write_table(made)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "d.arrow"}]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    return folder


@pytest.mark.parametrize("form", ["saved to disk", "Parquet"])
def test_numbered_classes_take_the_names_the_dataset_lists_and_a_class_never_seen_can_be_answered(tmp_path, form):
    table = columns([1, 2, 1, 2], [1, 1, 1, 2])
    path = (
        saved(tmp_path / "d", table, FEATURES)
        if form != "Parquet"
        else parquet(tmp_path / "d.parquet", table, FEATURES)
    )
    subject = read_table(path, name="d")
    assert subject.task.classes == ("owl", "ant", "bee")
    assert [subject.task.classes[place] for place in subject.inputs.predictions] == ["ant", "ant", "ant", "bee"]
    assert subject.inputs.losses.tolist() == [0, 1, 0, 0]
    assert shade_of(subject.dataset.show(3)) == 60
    as_before = read_table(path, name="d", choices=TableChoices(class_names=False))
    assert as_before.task.classes == ("0", "1", "2")
    assert as_before.fingerprint != subject.fingerprint


def test_a_label_of_minus_one_is_not_a_label_and_a_number_without_a_name_is_refused(tmp_path):
    unknown = read_table(parquet(tmp_path / "a.parquet", columns([-1, -1], [0, 2]), FEATURES), name="a")
    assert unknown.truth is None
    assert unknown.task.prediction_text(unknown.inputs.predictions[1]) == "bee"
    half = read_table(parquet(tmp_path / "b.parquet", columns([0, -1], [0, 2]), FEATURES), name="b")
    assert (half.truth, half.reading.roles["label"].meaning) == (None, "known in 1 of 2 rows")
    with pytest.raises(
        BadInput, match=r"'prediction', row 1 .* is class 3, and the table lists 3 classes. Expected 0 to 2"
    ):
        read_table(parquet(tmp_path / "c.parquet", columns([0, 1], [0, 3]), FEATURES), name="c")


def test_files_of_a_folder_follow_one_another_and_the_test_split_is_the_one_that_is_meant(tmp_path):
    folder = tmp_path / "birds"
    parquet(folder / "data" / "train-00000-of-00001.parquet", columns([0], [0]), FEATURES)
    parquet(folder / "data" / "test-00000-of-00002.parquet", columns([1, 2, 0], ["ant", "bee", "owl"]), FEATURES)
    parquet(folder / "data" / "test-00001-of-00002.parquet", columns([1, 2], ["bee", "bee"], first=3), FEATURES)
    (folder / "README.md").write_text("birds")
    subject = open_subject(folder)
    assert [shade_of(subject.dataset.show(row)) for row in (4, 0, 3, 2)] == [80, 0, 60, 40]
    assert list(subject.inputs.names) == [f"{row}.png" for row in range(5)]
    assert subject.inputs.losses.tolist() == [0, 0, 0, 1, 0]


def test_folders_that_are_not_one_table_are_each_refused_in_a_sentence(tmp_path):
    parquet(tmp_path / "a" / "test-0.parquet", {"prediction": ["x", "y"]})
    parquet(tmp_path / "a" / "test-1.parquet", {"prediction": ["x", "y"], "more": [1, 2]})
    with pytest.raises(BadInput, match=r"'test-1.parquet' has different columns or classes from 'test-0.parquet'"):
        read_table(tmp_path / "a", name="a")
    parquet(tmp_path / "b" / "en" / "test.parquet", {"prediction": ["x", "y"]})
    parquet(tmp_path / "b" / "de" / "test.parquet", {"prediction": ["x", "y"]})
    with pytest.raises(BadInput, match=r"several folders, 'de', 'en'. Expected one"):
        read_table(tmp_path / "b", name="b")
    parquet(tmp_path / "c" / "0.parquet", {"prediction": [1.5, 2.5]})
    parquet(tmp_path / "c" / "1.parquet", {"prediction": ["x", "y"]})
    with pytest.raises(BadInput, match=r"contains words in 'prediction', and '0.parquet' double. Expected one kind"):
        read_table(tmp_path / "c", name="c")
    (tmp_path / "d").mkdir()
    with pytest.raises(BadInput, match=r"is a folder. Expected a table"):
        read_table(tmp_path / "d", name="d")


def test_a_frame_opens_with_its_roles_its_pictures_its_features_and_its_tolerance(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for row in range(4):
        (folder / f"{row}.png").write_bytes(gray(30 * row))
    np.save(tmp_path / "f.npy", np.eye(4))
    frame = pd.DataFrame(
        {"where": [f"{row}.png" for row in (3, 1, 0, 2)], "a": [5, 6, 7, 8], "b": [5, 6, 9, 8], "c": [1, 2, 3, 4]}
    )
    subject = open_subject(
        frame,
        columns={"file": "where", "prediction": "a", "label": "b", "ignore": ["c"]},
        inputs=folder,
        features=tmp_path / "f.npy",
        tolerance=1.5,
    )
    assert [shade_of(subject.dataset.show(row)) for row in range(4)] == [90, 30, 0, 60]
    assert subject.inputs.features["FILE"].tolist() == np.eye(4).tolist()
    assert subject.task.failed(subject.inputs.losses).tolist() == [False, False, True, False]
    assert subject.inputs.scores == {}
    frame.to_csv(tmp_path / "t.csv", index=False)
    same = open_subject(tmp_path / "t.csv", columns={"prediction": "a", "label": "b"}, tolerance=1.5)
    assert same.inputs.losses.tolist() == subject.inputs.losses.tolist()
    with pytest.raises(BadInput, match="digits is a demo"):
        open_subject("digits", columns={"prediction": "a"})
