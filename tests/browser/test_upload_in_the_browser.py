"""Sounds, texts and rows with a model of one's own, from the files to an estimate, in the browser and the terminal."""

import csv
import io
import json
import re
import wave
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from playwright.sync_api import expect

from testimate.core.subject import Modality
from testimate.project.project import Project
from testimate.reports.live import live
from testimate.ui.components.labeling_surface.view import class_keys
from tests.browser.app_steps import answer, go, on_screen, plan_by_name, wait_until_stored
from tests.own_files import described

ROOT = Path(__file__).parents[2]
RATE, SAMPLES, LETTERS, LABELS = 8_000, 2_000, 32, 10


@dataclass(frozen=True)
class Files:
    """A model's file and a dataset's; ``right`` : which inputs the model is right about, (N,); ``toml`` beside the model."""

    modality: Modality
    model: bytes
    data_name: str
    data: bytes
    right: np.ndarray
    toml: str = ""


def network(
    kind: int, shape: list[str | int], nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray], out: int
) -> bytes:
    kept = [numpy_helper.from_array(np.asarray(weight, dtype=np.float32), name) for name, weight in weights.items()]
    given, said = (
        helper.make_tensor_value_info("x", kind, shape),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", out]),
    )
    graph = helper.make_graph(nodes, "net", [given], [said], kept)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def sounds() -> Files:
    """Tones of 300 or 1,200 Hz, told apart by their power at either; every eighth lies in the other's folder."""
    rng, time = np.random.default_rng(1), np.arange(SAMPLES) / RATE
    right = np.arange(40) % 8 != 7
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for place in range(40):
            is_low = place % 2 == 0
            tone = np.sin(2 * np.pi * (300 if is_low else 1_200) * time + rng.uniform(0, 6)) * rng.uniform(0.2, 0.9)
            sound = io.BytesIO()
            with wave.open(sound, "wb") as writer:
                writer.setnchannels(1)
                writer.setsampwidth(2)
                writer.setframerate(RATE)
                writer.writeframes((28_000 * tone + rng.normal(0, 900, SAMPLES)).astype("<i2").tobytes())
            folder = "low" if is_low == right[place] else "high"
            archive.writestr(f"{folder}/{place:02}.wav", sound.getvalue())
    waves = [turn(2 * np.pi * hertz * time) / 20 for hertz in (1_200, 300) for turn in (np.sin, np.cos)]
    nodes = [
        helper.make_node("MatMul", ["x", "waves"], ["heard"]),
        helper.make_node("Mul", ["heard", "heard"], ["power"]),
        helper.make_node("MatMul", ["power", "sides"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    weights = {"waves": np.stack(waves, axis=1), "sides": np.repeat(np.eye(2), 2, axis=0) / 50}
    # in the zip's folders, by name: high first, and in each by place
    order = sorted(range(40), key=lambda place: ((place % 2 == 0) == right[place], place))
    model = network(TensorProto.FLOAT, ["n", SAMPLES], nodes, weights, 2)
    return Files("audio", model, "tones.zip", file.getvalue(), right[order])


def texts() -> Files:
    """Texts that begin with b or g, told apart by that letter; every eighth is labeled otherwise."""
    rng = np.random.default_rng(2)
    right = np.arange(40) % 8 != 7
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("text", "label"))
    for place in range(40):
        is_good = place % 2 == 1
        writer.writerow(
            (
                f"{'good' if is_good else 'bad'} film, number {place}: <b>![x](http://x.example/{place})</b>",
                int(is_good == right[place]),
            )
        )
    first = rng.normal(size=(LETTERS, 4)) / 900
    first[0] = (1, -1, 1, -1)  # b is 98 and g is 103
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Gemm", ["f", "first", "bias"], ["a"]),
        helper.make_node("Relu", ["a"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "last"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    bias = np.array([-1, 1, -1, 1]) * 100.5
    weights = {"first": first, "bias": bias, "last": [[-1, 1], [1, -1], [-0.2, 0.2], [0.2, -0.2]]}
    model = network(TensorProto.INT64, ["n", LETTERS], nodes, weights, 2)
    toml = f'[preprocessing]\ntokens = "bytes"\nlength = {LETTERS}\n'
    return Files("text", model, "films.csv", file.getvalue().encode(), right, toml)


def numbers() -> Files:
    """Rows a, b, c and the answer a + 2 b - c, which the model computes; every eighth answer is off by 9."""
    rows = np.random.default_rng(3).normal(size=(40, 3)).round(2)
    right = np.arange(40) % 8 != 7
    answers = (rows @ [1, 2, -1] + np.where(right, 0, 9)).round(2)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerows([("a", "b", "c", "label"), *((*row, answer) for row, answer in zip(rows, answers, strict=True))])
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"]),
        helper.make_node("Relu", ["a"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "last"], ["y"]),
    ]
    weights = {"first": np.array([[1, -1], [2, -2], [-1, 1]]), "last": np.array([[1], [-1]])}
    return Files(
        "tabular", network(TensorProto.FLOAT, ["n", 3], nodes, weights, 1), "rows.csv", file.getvalue().encode(), right
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def app(run_app, folder):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))


def write(files: Files, place: Path) -> tuple[Path, Path]:
    """The files on disk: the model's, with its TOML beside it, and the data's."""
    place.mkdir()
    model, data = place / "net.onnx", place / files.data_name
    model.write_bytes(files.model)
    data.write_bytes(files.data)
    if files.toml:
        model.with_suffix(".toml").write_text(files.toml)
    return model, data


def bring(page, app, model: Path, data: Path, way: str = "") -> None:
    """Uploads both, looks at the preview, and has the features computed; ``way`` : of preparing, where the page asks."""
    page.goto(app.url)
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("button", name="Upload a model").click()
    page.get_by_text("Only the network itself runs").wait_for()
    for title, path in (("Model", model), ("Data to test it on", data)):
        page.locator(f'section[aria-label="{title}"] input[type=file]').set_input_files(str(path))
        field = page.get_by_role("combobox", name=f"{title}, in this project")
        expect(field).to_have_value(re.compile(re.escape(path.name)), timeout=60_000)
    page.get_by_text("What the model is given").wait_for(timeout=60_000)
    if way:
        page.get_by_text("These files don't record how inputs were prepared").wait_for(timeout=60_000)
        page.get_by_text(way, exact=True).last.click()
    page.get_by_text("input 0, as stored").wait_for()
    page.get_by_role("button", name="Use this model and data").click()


def test_why_the_browser_refuses_a_file_is_read_without_hovering_and_is_the_limit_that_the_field_names(
    app, page, tmp_path
):
    large = tmp_path / "large.npz"
    with large.open("wb") as file:
        file.truncate(501 * 1024**2)  # of which nothing is on the disk
    page.goto(f"{app.url}/?add=own")
    field = page.locator('section[aria-label="Data to test it on"]')
    field.get_by_text("500MB per file").wait_for(timeout=60_000)
    field.locator("input[type=file]").set_input_files(str(large))
    reason = page.locator("[data-testid=stFileChip] [role=alert]")
    expect(reason).to_have_text("Error: File must be 500.0MB or smaller.")
    box = reason.bounding_box()
    assert box["width"] > 200
    assert box["height"] > 10


def test_a_table_too_large_for_the_browser_is_refused_beside_the_way_by_the_projects_folder(app, page, tmp_path):
    large = tmp_path / "large.parquet"
    with large.open("wb") as file:
        file.truncate(2 * 1024**3)  # of which nothing is on the disk
    page.goto(app.url)
    field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
    field.set_input_files(str(large), timeout=60_000)
    expect(page.locator("[data-testid=stFileChip] [role=alert]")).to_have_text(
        "Error: File must be 500.0MB or smaller."
    )
    expect(page.get_by_text("More than 500 MB? Save it as Parquet in the project's folder datasets")).to_be_visible()


def answer_all(page, keys_of: Callable[[int], list[str]], labels: int = LABELS) -> list[int]:
    """Answers every input of the plan by the keyboard; the rows in order."""
    rows = []
    for _ in range(labels):
        rows.append(on_screen(page))
        answer(page, rows[-1], *keys_of(rows[-1]))
    wait_until_stored(page, f"{labels} of {labels}")
    return rows


def from_the_terminal(command, model: Path, data: Path, auxiliary: str, place: Path) -> tuple[str, list[int], float]:
    """What the verbs say about the same files: the accuracy known, the rows of the plan, and the estimate from true answers."""
    table, chosen, votes = place / "t.parquet", place / "plan.json", place / "votes.csv"
    slow = auxiliary if auxiliary in ("dsa", "lsa") else ""
    printed = command.ok("features", model, data, "--auxiliary", slow, "--out", table, "--project", place / "p")
    command.ok(
        *("select", table, "--technique", "rrs", "--auxiliary", auxiliary),
        *("--budget", LABELS, "--seed", 1, "--out", chosen),
    )
    rows = [draw["row"] for draw in json.loads(chosen.read_text())["draws"]]
    truth = Project(place / "p2").add_table("t.parquet", table.read_bytes()).truth
    with votes.open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *((row, truth[row]) for row in rows)])
    return printed, rows, json.loads(command.ok("estimate", chosen, votes, "--json", "-"))["accuracy"]


SEEN: dict[Modality, str] = {"audio": ".input .spectrogram", "text": ".input pre", "tabular": ".input table"}


@pytest.mark.slow  # half a minute each; tests/pages goes the same ways without a browser
@pytest.mark.parametrize("make", [sounds, texts, numbers])
def test_a_model_of_ones_own_goes_from_its_files_to_an_estimate_as_from_the_terminal(
    app, page, folder, tmp_path, command, make, expected_errors
):
    expected_errors += ["404"]  # a sound or picture asked for just as the page moved on, and Streamlit let go of it
    files = make()
    model, data = write(files, tmp_path / "files")
    if files.modality == "audio":
        bring(page, app, model, data)
        page.get_by_text("Sample inputs").wait_for(timeout=60_000)
        [entry] = [entry for entry in Project(folder).entries() if not entry.demo]
        key = entry.key
    else:
        key = Project(folder).add_uploaded(described(model, data)).key
        page.goto(f"{app.url}/?subject={key}")
        page.get_by_text("Sample inputs").wait_for(timeout=60_000)
    subject = Project(folder).subject(key)
    assert subject.dataset.modality == files.modality
    plan_by_name(page, "Round-robin stratification", LABELS)
    page.locator(SEEN[files.modality]).wait_for()
    if files.modality == "tabular":
        labeled = answer_all(page, lambda row: [*f"{subject.truth[row]:g}", "Enter"])
    else:
        keys = class_keys(subject.task.classes, sounds=files.modality == "audio")
        labeled = answer_all(page, lambda row: [keys[subject.truth[row]]])
    [record] = [record for record in Project(folder).sessions() if record.subject == key]
    session = Project(folder).session(record.id)
    assert [subject.truth[row] for row in labeled] == [session.answers()[row] for row in labeled]
    printed, rows, accuracy = from_the_terminal(command, model, data, record.request.auxiliary, tmp_path)
    assert labeled == rows
    known = 1 - 81 * np.mean(~files.right) if files.modality == "tabular" else np.mean(files.right)  # 9 off, squared
    assert f" {subject.task.measure.value(float(known), 2)} on all 40 inputs" in printed
    assert live(session).estimate.accuracy == pytest.approx(accuracy)
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_text(f"{LABELS} answered").first.wait_for(timeout=60_000)


@pytest.mark.slow  # two minutes: the whole of MNIST, its training set, dsa and lsa
def test_lenet_5_goes_from_upload_to_labels_by_pace_and_by_rrs_over_a_page_change_and_a_cancel(
    run_app, page, real_data, tmp_path, expected_errors
):
    expected_errors += ["404"]
    project = tmp_path / "project"
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project))
    bring(page, app, real_data / "pace" / "LeNet-5.h5", real_data / "mnist" / "mnist.npz")
    page.get_by_text("Running the model over the training set").wait_for(timeout=60_000)
    go(page, "Strata")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Continue").click(timeout=60_000)
    page.get_by_role("button", name="Stop").wait_for(timeout=60_000)
    go(page, "Project")
    page.get_by_text("Sample inputs").wait_for(timeout=300_000)
    [entry] = [entry for entry in Project(project).entries() if not entry.demo]
    inputs = Project(project).inputs(entry.key)
    assert 1 - inputs.losses.mean() == pytest.approx(0.9868, abs=1e-9)  # PACE, table 1
    assert {"dsa", "lsa"} <= set(inputs.scores)
    for title, technique in (("PACE", "pace"), ("Round-robin stratification", "rrs")):
        plan_by_name(page, title, 20)
        rows = answer_all(page, lambda row: [str(inputs.truth[row])], labels=20)
        assert len(set(rows)) == 20
        record = Project(project).sessions()[0]
        assert record.request.technique.startswith(technique)
        assert {row: inputs.truth[row] for row in rows} == Project(project).session(record.id).answers()
