"""An uploaded Parquet table is read from the project's file column by column, not held in memory."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import SubjectChanged
from testimate.project.project import Project
from testimate.tables.parquet import ParquetColumns

ROWS = 4_000


@pytest.fixture
def uploaded():
    content = io.BytesIO()
    confidence = np.linspace(0.5, 0.9, ROWS)
    table = pa.table({"prediction": ["cat", "dog"] * (ROWS // 2), "confidence": confidence, "blur": confidence[::-1]})
    pyarrow.parquet.write_table(table, content)
    return content.getvalue()


def parts(subject):
    columns = subject.dataset._columns
    assert isinstance(columns, ParquetColumns)
    return [part.path for part in columns._parts]


def test_after_an_upload_and_after_a_restart_the_columns_come_from_the_projects_file(tmp_path, uploaded):
    project = Project(tmp_path)
    key = project.add_table("t.parquet", uploaded).key
    file = tmp_path / "subjects" / key / "table"
    for opened in (project, Project(tmp_path)):
        assert parts(opened.subject(key)) == [file]
        np.testing.assert_array_equal(opened.inputs(key).score("blur"), np.linspace(0.5, 0.9, ROWS)[::-1])
    assert file.read_bytes() == uploaded


def test_the_same_upload_again_leaves_the_file_that_others_read_as_it_is(tmp_path, uploaded):
    project = Project(tmp_path)
    key = project.add_table("t.parquet", uploaded).key
    read_before = Project(tmp_path).inputs(key)
    assert project.add_table("t.parquet", uploaded).key == key
    assert len(read_before.score("blur")) == ROWS


def test_a_file_that_was_replaced_meanwhile_is_refused_and_the_same_content_put_back_opens(tmp_path, uploaded):
    project = Project(tmp_path)
    key = project.add_table("t.parquet", uploaded).key
    file, inputs = tmp_path / "subjects" / key / "table", project.inputs(key)
    file.write_bytes(uploaded[:100])
    with pytest.raises(SubjectChanged, match="has changed since it was opened"):
        inputs.score("blur")
    file.write_bytes(uploaded)
    assert len(Project(tmp_path).inputs(key).score("blur")) == ROWS


def test_read_as_another_task_the_table_is_kept_whole_under_its_new_key(tmp_path):
    content = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"prediction": [1, 2, 3, 4] * 10, "label": [1, 2, 3, 3] * 10}), content)
    project = Project(tmp_path)
    first = project.add_table("n.parquet", content.getvalue(), task="classification")
    second = project.change_task(first.key, "regression")
    assert second.key != first.key
    assert not (tmp_path / "subjects" / first.key).exists()
    assert project.subject(second.key).task.kind == "regression"
    assert (tmp_path / "subjects" / second.key / "table").read_bytes() == content.getvalue()
