"""A dataset of which some inputs came with their labels, beside a model: they are used as those of a table are."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from testimate.core.selector import Request
from testimate.datasets.preprocessing import Preprocessing
from testimate.project.kept_labels import labels_that_exist
from testimate.project.project import Project
from testimate.reports.people import known_label_words
from tests.own_files import described
from tests.session.conftest import say
from tests.session.labeling import label_all

__all__ = ["say"]

pytestmark = pytest.mark.usefixtures("models_in_this_process")

SIZE = 60
TRUTH = np.arange(SIZE) % 3
KNOWN = np.arange(SIZE) % 2 == 0


@pytest.fixture
def model(network, tmp_path):
    rng = np.random.default_rng(2)
    first, last = (rng.normal(size=size).astype(np.float32) for size in ((12, 6), (6, 3)))
    return network(tmp_path / "model.onnx", first, last, "Softmax")


@pytest.fixture
def folder(tmp_path):
    """Pictures of 2 x 2 pixels with a table of labels, of which every second is empty."""
    made = tmp_path / "pictures"
    made.mkdir()
    pixels = np.random.default_rng(3).integers(0, 255, (SIZE, 2, 2, 3)).astype(np.uint8)
    for row, picture in enumerate(pixels):
        Image.fromarray(picture).save(made / f"{row:02}.png")
    labels = ["" if not known else str(place) for known, place in zip(KNOWN, TRUTH, strict=True)]
    pd.DataFrame({"file": [f"{row:02}.png" for row in range(SIZE)], "label": labels}).to_csv(
        made / "labels.csv", index=False
    )
    return made


def test_a_folder_with_some_labels_beside_a_model_saves_their_keys_in_a_session(model, folder, tmp_path, say):
    project = Project(tmp_path / "project")
    subject = project.add_uploaded(described(model, folder, preprocessing=Preprocessing(scale=1 / 255)))
    inputs = Project(project.folder).inputs(subject.key)
    assert inputs.truth is None
    assert dict(inputs.known) == {int(row): str(TRUTH[row]) for row in np.flatnonzero(KNOWN)}
    known = labels_that_exist(project, subject.key, inputs)
    session = project.start_session(subject.key, Request("srs", 40, 1), known_labels=list(known.items()))
    asked = sum(not KNOWN[draw.row] for draw in session.draws)
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    assert len(session.history()) == asked < 40
    assert f"{40 - asked} of 40 were known and not asked." in known_label_words(session)
    rows = [draw.row for draw in session.draws]
    assert session.estimate().accuracy == pytest.approx(np.mean(inputs.predictions[rows] == TRUTH[rows]))


def test_a_folder_that_was_kept_without_labels_stays_so_where_today_a_table_beside_it_holds_them(
    model, folder, tmp_path
):
    described_so = described(model, folder, preprocessing=Preprocessing(scale=1 / 255))
    files = pd.read_csv(folder / "labels.csv")["file"]
    (folder / "labels.csv").unlink()
    before = Project(tmp_path / "project").add_uploaded(described_so)  # as where no rule finds them
    pd.DataFrame({"fname": files, "species": TRUTH}).to_csv(folder / "metadata.csv", index=False)
    found = Project(tmp_path / "another").add_uploaded(described_so)
    again = Project(tmp_path / "project").subject(before.key)
    assert found.fingerprint != before.fingerprint
    np.testing.assert_array_equal(found.truth, TRUTH)
    assert (again.fingerprint, again.known, again.truth) == (before.fingerprint, {}, None)


def test_the_terminal_writes_the_labels_beside_the_predictions_and_asks_for_the_rest(model, folder, tmp_path, command):
    table, plan = tmp_path / "t.parquet", tmp_path / "p.json"
    command.ok("features", model, folder, "--scale", "1/255", "--out", table, "--project", tmp_path / "project")
    said = command.ok("select", table, "--technique", "srs", "--budget", 40, "--seed", 1, "--out", plan)
    drawn = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    known = sum(KNOWN[row] for row in drawn)
    assert f"{known} of 40 are known and not asked." in said
    asked = [row for row in drawn if not KNOWN[row]]
    pd.DataFrame({"row": asked, "label": TRUTH[asked]}).to_csv(tmp_path / "v.csv", index=False)
    assert f"{known} of 40 were known and not asked." in command.ok("estimate", plan, tmp_path / "v.csv")


def test_labels_that_do_not_fit_the_model_leave_the_folder_as_it_is_without_labels(model, folder, tmp_path):
    labels = pd.read_csv(folder / "labels.csv")
    labels.assign(label=np.where(KNOWN, TRUTH + 0.5, np.nan)).to_csv(folder / "labels.csv", index=False)
    project = Project(tmp_path / "project")
    subject = project.add_uploaded(described(model, folder, preprocessing=Preprocessing(scale=1 / 255)))
    assert not project.inputs(subject.key).known
