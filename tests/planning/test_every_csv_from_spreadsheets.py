"""Every CSV that a person may have saved with a spreadsheet is read, and what it was taken for is said."""

import numpy as np
import pytest

from testimate.comparison.predictions_table import read_predictions
from testimate.core.inputs import Inputs
from testimate.datasets.open import open_dataset_file
from testimate.planning.priority import read_order
from testimate.reports.votes_import import votes_of_file
from testimate.subjects.other_predictions import read_other
from testimate.tasks.classification import Classification
from tests.each import each

PLAIN = (",", ".", "utf-8")
SAVED = [(";", ",", "cp1252"), ("\t", ",", "utf-16"), (";", ".", "utf-8-sig")]
TASK = Classification(("Köln", "Ulm"))


def saved(path, lines, form):
    """The lines of cells as a spreadsheet saves them: a number is a float, else it is text."""
    separator, point, encoding = form
    cells = (
        (str(cell).replace(".", point) if isinstance(cell, float) else str(cell) for cell in line) for line in lines
    )
    path.write_text("\r\n".join(map(separator.join, cells)) + "\r\n", encoding=encoding)
    return path


def order(path, tell):
    read = read_order(path, tell)
    return read.failed.tolist(), read.probability.tolist()


def votes(path, tell):
    return [(vote.row, vote.answer, vote.seconds) for vote in votes_of_file(path, TASK, tell)]


def other(path, tell):
    inputs = Inputs("f", TASK, np.array([0, 1, 1]), np.array([0.9, 0.8, 0.7]))
    read = read_other(path, inputs, name=path.name, tell=tell)
    return read.predictions.tolist(), read.confidence.tolist()


def several(path, tell):
    read = read_predictions(path, truth="truth", tell=tell)
    return read.predictions.classes, read.predictions.models, read.truth.tolist()


@each(
    "read, lines",
    [
        (order, [("row", "failed", "probability"), (4, 1, 0.75), (2, 0, 0.5)]),
        (votes, [("row", "answer", "seconds"), (4, "Köln", 1.5), (2, "Ulm", 2.25)]),
        (other, [("prediction", "confidence"), ("Köln", 0.75), ("Ulm", 0.5), ("Köln", 0.25)]),
        (several, [("one", "two", "truth"), ("Köln", "Ulm", "Köln"), ("Ulm", "Ulm", "Köln")]),
    ],
)
@pytest.mark.parametrize("form", SAVED)
def test_it_holds_what_the_plain_file_holds_and_what_it_was_taken_for_is_said_once(read, lines, form, tmp_path):
    said = []
    plain = read(saved(tmp_path / "plain.csv", lines, PLAIN), said.append)
    assert said == []
    assert read(saved(tmp_path / "saved.csv", lines, form), said.append) == plain
    assert len(said) == 1
    assert said[0].startswith("saved.csv is read as ")


@pytest.mark.parametrize("form", [SAVED[0], SAVED[2]])
def test_of_a_dataset_it_is_a_fact(form, tmp_path):
    lines = [("length", "width", "label"), (1.5, 0.25, "Köln"), (2.5, 0.5, "Ulm"), (0.5, 1.75, "Ulm")]
    plain = open_dataset_file(saved(tmp_path / "plain.csv", lines, PLAIN))
    found = open_dataset_file(saved(tmp_path / "saved.csv", lines, form))
    assert np.array_equal(found.dataset.batch([0, 1, 2]), plain.dataset.batch([0, 1, 2]))
    assert "separated by" in dict(found.facts)["read as"]
    assert "read as" not in dict(plain.facts)


@pytest.mark.parametrize("form", SAVED)
def test_of_labels_beside_texts_it_is_part_of_where_they_come_from(form, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"text {name}", encoding="utf-8")
    saved(tmp_path / "labels.csv", [("file", "label"), ("a.txt", "Köln"), ("b.txt", "Ulm")], form)
    found = open_dataset_file(tmp_path)
    assert [found.classes[answer] for answer in found.truth] == ["Köln", "Ulm"]
    assert ", read as " in dict(found.facts)["labels from"]
