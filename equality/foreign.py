"""Compare how every file of data/foreign is read with what its README says: python -m equality.foreign [FOLDER].

A check is what the README gives: a role, a number, a question. Files without a check are named, and those whose check fails.
"""

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from equality.record import data_folder
from testimate.cli import main
from testimate.core.errors import ReadingUnclear
from testimate.core.subject import Subject
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import AS_NAMED, TableChoices

Check = Callable[[Path], None]


def opened(path: Path, **read: str) -> Subject:
    """Return the subject of a table, read with these answers."""
    return read_table(path, name=path.name, choices=TableChoices(read=tuple(read.items())) if read else AS_NAMED)


def said(*words: str | Path | int) -> str:
    """Return all that a command of the terminal says."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
        main([str(word) for word in words])
    return out.getvalue()


def asks(*options: str) -> Check:
    """Return the check that a table asks, and offers these options."""

    def check(path: Path) -> None:
        try:
            subject = opened(path)
        except ReadingUnclear as question:
            offered = tuple(way.option for way in question.ways)
        else:
            raise AssertionError(f"nothing was asked: {subject.reading}")
        assert offered == options, offered

    return check


def read(
    *words: str, hidden: tuple[str, ...] = (), right: float | None = None, first: float | None = None, **roles: str
) -> Check:
    """Return the check that columns have these roles, and that the reading has these words.

    ``hidden`` : what no tester sees. ``right`` : the known accuracy. ``first`` : the first prediction.
    """

    def check(path: Path) -> None:
        subject = opened(path)
        reading = subject.reading
        assert reading is not None
        assert subject.inputs is not None
        for role, name in roles.items():
            assert reading.with_role(role) == (name,), reading
        assert all(word in str(reading) for word in words), reading
        assert not {name for name, _ in subject.dataset.show(0).cells} & {*hidden}, subject.dataset.show(0)
        if right is not None:
            assert subject.inputs.losses is not None, "no truth"
            assert abs(1 - subject.inputs.losses.mean() - right) < 5e-4, 1 - subject.inputs.losses.mean()
        if first is not None:
            assert subject.inputs.predictions[0] == first, subject.inputs.predictions[0]

    return check


def census(votes: str, accuracy: float, *words: str) -> Check:
    """Return the check that all rows of a table, labeled by a file of votes, have this accuracy."""

    def check(path: Path) -> None:
        size = len(opened(path).dataset)
        with tempfile.TemporaryDirectory() as folder:
            plan, found = Path(folder) / "p.json", Path(folder) / "e.json"
            said("select", path, "--technique", "srs", "--budget", size, "--seed", 1, "--out", plan)
            told = said("estimate", plan, path.with_name(votes), "--json", found)
            assert abs(json.loads(found.read_text())["accuracy"] - accuracy) <= 5e-4, told
            assert all(word in told for word in words), told

    return check


def shuffled_by_key(path: Path) -> None:
    """AssertionError where votes that name the table's own key count other rows."""
    subject = opened(path)
    assert subject.reading is not None
    assert subject.reading.unused["index"] == "numbers the rows", subject.reading
    lines = [line.split(",") for line in path.read_text().splitlines()]
    at, prediction = lines[0].index("index"), lines[0].index("prediction")
    with tempfile.TemporaryDirectory() as folder:
        plan, votes, found = (Path(folder) / name for name in ("p.json", "v.csv", "e.json"))
        said("select", path, "--technique", "srs", "--budget", len(lines) - 1, "--seed", 1, "--out", plan)
        votes.write_text("index,label\n" + "".join(f"{line[at]},{line[prediction]}\n" for line in lines[1:]))
        told = said("estimate", plan, votes, "--json", found)
        assert json.loads(found.read_text())["accuracy"] == 1.0, told


def ranked(*words: str) -> Check:
    """Return the check that ``rank`` says these words."""

    def check(path: Path) -> None:
        told = said("rank", path)
        assert all(word in told for word in words), told

    return check


def network(data: str, *words: str, options: tuple[str | int, ...] = ()) -> Check:
    """Return the check that ``features`` of a model and this data says these words."""

    def check(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            told = said("features", path, path.with_name(data), "--out", "f.parquet", *options)
        assert all(word in told for word in words), told

    return check


def together(*checks: Check) -> Check:
    """Return the check that all of these hold."""

    def check(path: Path) -> None:
        for one in checks:
            one(path)

    return check


def sets_in_any_order(path: Path) -> None:
    """AssertionError where sets of the same names in another order are other classes, or an empty set is none."""
    inputs = opened(path).inputs
    assert inputs is not None
    predictions = np.asarray(inputs.predictions)
    assert predictions.shape[1] == 4, predictions.shape
    assert (predictions.sum(axis=1) == 0).any()


FROM_1 = ("--read labels=from-1", "--read labels=as-they-are")
NUMBERS = ("--read numbers=thousands", "--read numbers=decimals")
TOGETHER = ("--read rows=together", "--read rows=each")
SAID_BEFORE_USE = ("200 of 200 pictures are transparent in places", "--background white", "--background black")

CHECKS: Mapping[str, Check] = {
    "sets_pipe.csv": together(sets_in_any_order, census("sets_pipe_votes.csv", 0.888)),
    "sets_json.csv": together(sets_in_any_order, read(label="label")),
    "models_with_key.csv": ranked("3 models `net_a`, `net_b`, `net_c`", "--truth gold", "`picture`", "`width`"),
    "models_spelling.csv": ranked("spell 10 classes in several ways", "--read spelling=same"),
    "gold_column.csv": read(hidden=("gold",), label="gold", prediction="prediction", confidence="confidence"),
    "other_model_column.csv": read(
        "--column label=baseline", hidden=("baseline",), prediction="prediction", confidence="confidence"
    ),
    "y_pred_and_chance_of_1.csv": together(
        read("chance of '1', read as the chance of the predicted class", confidence="y_prob"),
        census("y_truth.csv", 0.7992),
    ),
    "sigmoid_only.csv": asks("--read prediction=chance", "--task regression"),
    "percent.csv": read(
        "percent, read as the chance of the predicted class", prediction="prediction", confidence="confidence"
    ),
    "log_probability.csv": read(
        "logarithm of a chance, read as the chance", prediction="prediction", confidence="confidence"
    ),
    "shuffled_index.csv": shuffled_by_key,
    "class_none.csv": read("10 classes", prediction="prediction", confidence="confidence"),
    "partly_labeled.csv": read("known in 400 of 1,200 rows", label="label"),
    "unlabeled_minus_1.csv": read("known in 600 of 1,200 rows", label="label"),
    "labels_from_1.csv": asks(*FROM_1),
    "grouped_numbers.csv": asks(*NUMBERS),
    "money.csv": read("'$543,414.57' is 543414.57", first=543414.57),
    "gaps.csv": read("`age` no number in 172 of", prediction="prediction", confidence="confidence"),
    "sep_line.csv": read("columns separated by semicolons", prediction="prediction", confidence="confidence"),
    "comma_in_header.csv": read(prediction="prediction", confidence="confidence, share", label="label"),
    "names_of_other_tools.csv": read(file="path", prediction="pred_class", confidence="score"),
    "key_first.csv": read("`sample_no` numbers the rows", prediction="prediction", confidence="probability"),
    "quality_score.csv": read("`faithfulness` no number in 10", input="question", output="answer"),
    "epochs.csv": asks(*TOGETHER),
    "a_or_b.csv": read(input="instruction", output_a="output_1", output_b="output_2", label="preference"),
    "open_world.csv": census("open_world_votes.csv", 0.759, "owl", "fox"),
    "version_1.csv": read(prediction="prediction"),
    "version_2.csv": read(prediction="prediction"),
    "corners.json": read(boxes="boxes", image="image"),
    "evaluation_samples.jsonl": read(output="filtered_resps", reference="target", hidden=("exact_match",)),
    "chats.jsonl": read(input="messages.input", output="messages.output"),
    "chats_and_gaps.parquet": read(input="messages.input", output="messages.output"),
    "class_inside.onnx": network("digits_16.npz", "Accuracy 8", "classification"),
    "one_logit.onnx": together(
        network("digits_two.npz", "--output-means 'one logit'", "--output-means 'one probability'"),
        network("digits_two.npz", "Accuracy 7", options=("--output-means", "one logit")),
    ),
    "whole_pictures.onnx": together(
        network("digits_255.npz", "the only usual way the model takes", "Accuracy 82.00%"),
        network("pictures.parquet", "Accuracy 78.33%", "truth `label`"),
        network("alpha.zip", *SAID_BEFORE_USE),
    ),
    "tones_8khz.onnx": together(
        network("tones_16khz.zip", "The model takes 8,000 samples", "--rate 8000"),
        network(
            "tones_16khz.zip", "Accuracy 100.00%", options=("--rate", 8000, "--scale", 1, "--class-names", "low,high")
        ),
    ),
}
"""The check of each file; what is a model's data or a table's votes is read with these."""

BESIDE = ("README.md", "make.py", "sets_pipe_votes.csv", "y_truth.csv", "open_world_votes.csv", "versions_truth.csv")
DATA = ("digits_16.npz", "digits_255.npz", "digits_two.npz", "pictures.parquet", "alpha.zip", "tones_16khz.zip")


def compared(folder: Path, checks: Mapping[str, Check] = CHECKS) -> dict[str, str]:
    """Return what is wrong with the reading of each file in a folder; "" of those that are read as they should be."""
    found: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if path.name in (*BESIDE, *DATA):
            continue
        if path.name not in checks:
            found[path.name] = "has no check"
            continue
        try:
            checks[path.name](path)
        except Exception as error:
            found[path.name] = f"{type(error).__name__}: {error!s:.600}"
        else:
            found[path.name] = ""
    return found


if __name__ == "__main__":
    results = compared(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder() / "foreign")
    for name, wrong in results.items():
        print(f"{name}: {wrong or 'as its README says'}")
    print(f"{sum(not wrong for wrong in results.values())} of {len(results)} as the README says")
    sys.exit(any(results.values()))
