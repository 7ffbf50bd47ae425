"""What people bring, nine kinds of it, each from its upload to a report with the number that is computed outside."""

import csv
import io
import re
import wave
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from playwright.sync_api import expect
from sklearn.ensemble import RandomForestClassifier
from torch import nn

from tests.browser.app_steps import (
    PATIENCE,
    answer_in_turn,
    choose,
    click,
    downloaded_report,
    go,
    keys_on_screen,
    still,
)
from tests.media import png

ROOT = Path(__file__).parents[2]
SIZE = 12


@dataclass(frozen=True)
class Brought:
    """Files as a person has them.

    ``model`` : name and content, None beside a table of predictions. ``data`` : name and content. ``truth`` : what each input
    really is, by row. ``said`` : what the model says about each, as computed here. ``seen`` : of an input on Label.
    ``on_the_form`` : what a person does before they use the files.
    """

    model: tuple[str, bytes] | None
    data: tuple[str, bytes]
    truth: Sequence[str]
    said: Sequence[str]
    seen: str
    on_the_form: Callable[[object], None] = still

    @property
    def accuracy(self) -> float:
        return float(np.mean([one == other for one, other in zip(self.truth, self.said, strict=True)]))


def mostly(said: Sequence[str], wrong: int, seed: int = 1) -> list[str]:
    """The truth where the model is wrong about so many of the inputs."""
    names, truth = sorted(set(said)), list(said)
    for row in np.random.default_rng(seed).choice(len(said), wrong, replace=False):
        truth[row] = names[(names.index(said[row]) + 1) % len(names)]
    return truth


def zip_of(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def csv_of(header: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows([header, *rows])
    return file.getvalue().encode()


def in_folders(contents: Sequence[bytes], truth: Sequence[str], ending: str) -> tuple[bytes, list[int]]:
    """A zip with a folder for each class, and the place of each of its rows, which stand in the order of their names."""
    names = [f"{name}/{place:02}{ending}" for place, name in enumerate(truth)]
    order = sorted(range(len(names)), key=names.__getitem__)
    return zip_of(dict(zip(names, contents, strict=True))), order


def onnx_of(kind: int, width: int, nodes: list[object], weights: dict[str, np.ndarray], out: int) -> bytes:
    kept = [numpy_helper.from_array(np.asarray(weight, dtype=np.float32), name) for name, weight in weights.items()]
    given = helper.make_tensor_value_info("x", kind, ["n", width])
    said = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", out])
    graph = helper.make_graph(nodes, "net", [given], [said], kept)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def keras_said(folder: Path) -> tuple[np.ndarray, list[str]]:
    """The pictures (16, 8, 8) of the Keras files, and what Keras itself says about them."""
    with np.load(folder / "bright.npz") as kept:
        return np.rint(kept["batch"][..., 0] * 255).astype(np.uint8), [
            str(one) for one in kept["output"].argmax(axis=1)
        ]


def keras_with_folders(folder: Path) -> Brought:
    pictures, places = keras_said(folder)
    said = [("cloudy", "sunny")[int(one)] for one in places]
    truth = mostly(said, wrong=2)
    data, order = in_folders([png(one) for one in pictures], truth, ".png")
    model = ("bright.keras", (folder / "bright.keras").read_bytes())
    return Brought(
        model, ("skies.zip", data), [truth[one] for one in order], [said[one] for one in order], ".input img"
    )


def keras_with_npz(folder: Path) -> Brought:
    pictures, said = keras_said(folder)
    truth, file = mostly(said, wrong=3), io.BytesIO()
    np.savez(file, x_test=pictures, y_test=np.array(truth, dtype=np.int64))
    model = ("bright.h5", (folder / "bright.h5").read_bytes())
    return Brought(model, ("skies.npz", file.getvalue()), truth, said, ".input img")


def colors(names: Sequence[str]) -> tuple[bytes, list[bytes], list[str]]:
    """A PyTorch network as ONNX whose outputs are these colors, pictures, and what PyTorch says about them."""
    rng, channels = np.random.default_rng(3), ("red", "green", "blue")
    pictures = rng.integers(0, 90, (SIZE, 8, 8, 3)).astype(np.uint8)
    for place in range(SIZE):
        pictures[place, :, :, place % 3] += 60
    net = nn.Sequential(nn.Conv2d(3, 3, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 3)).eval()
    with torch.no_grad():
        net[0].weight.copy_(torch.eye(3)[:, :, None, None].expand(3, 3, 3, 3) / 9)
        net[0].bias.zero_()
        net[4].weight.copy_(30 * torch.eye(3)[[channels.index(name) for name in names]])
        net[4].bias.zero_()
        example = torch.tensor(pictures).permute(0, 3, 1, 2) / 255
        said = net(example).argmax(dim=1).tolist()
    file = io.BytesIO()
    torch.onnx.export(net, (example,), file, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "n"}})
    return file.getvalue(), [png(one) for one in pictures], [names[one] for one in said]


def pytorch_with_folders(_: Path) -> Brought:
    model, pictures, said = colors(("blue", "green", "red"))  # as torchvision numbers these folders
    truth = mostly(said, wrong=4)
    data, order = in_folders(pictures, truth, ".png")
    truth, said = [truth[one] for one in order], [said[one] for one in order]
    return Brought(("net.onnx", model), ("colors.zip", data), truth, said, ".input img")


def pytorch_without_folders(_: Path) -> Brought:
    names = ("red", "green", "blue")
    model, pictures, said = colors(names)
    data = zip_of({f"{place:02}.png": one for place, one in enumerate(pictures)})

    def on_the_form(page) -> None:
        page.get_by_text("These files don't record how inputs were prepared").wait_for(timeout=1000 * PATIENCE)
        page.get_by_text("0 to 1", exact=True).last.click()
        click(page, page.get_by_text("Another order, or a list of names"))
        field = page.get_by_role("textbox", name="List of classes, the first for output 0")
        field.fill("\n".join(names))
        field.press("Control+Enter")
        click(page, page.get_by_role("button", name="Take this list"))
        page.get_by_text("Taken from: as pasted").wait_for(timeout=1000 * PATIENCE)

    return Brought(("net.onnx", model), ("colors.zip", data), mostly(said, wrong=5), said, ".input img", on_the_form)


def sound(_: Path) -> Brought:
    """Low and high tones, told apart by their power at either."""
    rate, time_of = 8_000, np.arange(1_000) / 8_000
    rng, contents, said = np.random.default_rng(4), [], []
    for place in range(SIZE):
        tone = np.sin(2 * np.pi * (300, 1_200)[place % 2] * time_of + rng.uniform(0, 6))
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setparams((1, 2, rate, 0, "NONE", ""))
            writer.writeframes((20_000 * tone + rng.normal(0, 900, 1_000)).astype("<i2").tobytes())
        contents.append(file.getvalue())
        said.append(("low", "high")[place % 2])
    truth = mostly(said, wrong=6)
    data, order = in_folders(contents, truth, ".wav")
    waves = [turn(2 * np.pi * hertz * time_of) / 20 for hertz in (1_200, 300) for turn in (np.sin, np.cos)]
    nodes = [
        helper.make_node("MatMul", ["x", "waves"], ["heard"]),
        helper.make_node("Mul", ["heard", "heard"], ["power"]),
        helper.make_node("MatMul", ["power", "sides"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    weights = {"waves": np.stack(waves, axis=1), "sides": np.repeat(np.eye(2), 2, axis=0) / 50}
    model = onnx_of(TensorProto.FLOAT, 1_000, nodes, weights, 2)
    truth, said = [truth[one] for one in order], [said[one] for one in order]
    return Brought(("net.onnx", model), ("tones.zip", data), truth, said, ".input .spectrogram")


def text(_: Path) -> Brought:
    """Films that are bad or good by their first letter; how a text becomes numbers is said on the form."""
    said = [("bad", "good")[place % 2] for place in range(SIZE)]
    truth = mostly(said, wrong=3, seed=5)
    rows = [(f"{word} film, number {place}: <b>x</b>", truth[place]) for place, word in enumerate(said)]
    weights = np.zeros((24, 2))
    weights[0] = (-1, 1)  # b is 98 and g is 103
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Gemm", ["f", "weights", "bias"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    model = onnx_of(TensorProto.INT64, 24, nodes, {"weights": weights, "bias": np.array([100.5, -100.5])}, 2)

    def on_the_form(page) -> None:
        choose(page, "Tokens", "bytes")
        length = page.get_by_label("Length", exact=True)
        length.fill("24")
        length.press("Enter")

    return Brought(
        ("net.onnx", model), ("films.csv", csv_of(("text", "label"), rows)), truth, said, ".input pre", on_the_form
    )


def tabular_network(_: Path) -> Brought:
    """Customers that leave or stay by the sign of a sum."""
    rows = np.random.default_rng(6).normal(size=(SIZE, 3)).round(3)
    weights = np.array([[1, -1], [2, -2], [-1, 1]])
    said = [("leaves", "stays")[one] for one in (rows @ weights).argmax(axis=1)]
    truth = mostly(said, wrong=5, seed=6)
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    model = onnx_of(TensorProto.FLOAT, 3, nodes, {"weights": weights}, 2)
    data = csv_of(("age", "calls", "months", "label"), [(*row, name) for row, name in zip(rows, truth, strict=True)])
    return Brought(("net.onnx", model), ("customers.csv", data), truth, said, ".input table")


def forest_as_table(_: Path) -> Brought:
    """What a forest of scikit-learn says about rows, as a table without the answers."""
    rng = np.random.default_rng(7)
    y = np.resize(["elm", "fir", "oak"], 60)
    x = rng.normal(size=(60, 3)) + 2 * (y[:, None] == np.array(["elm", "fir", "oak"]))
    forest = RandomForestClassifier(5, random_state=0).fit(x[:40], y[:40])
    new = x[-SIZE:]
    chances = forest.predict_proba(new)
    rows = [
        (*row.round(3), name, chance)
        for row, name, chance in zip(new, forest.predict(new), chances.max(axis=1), strict=True)
    ]
    data = csv_of(("height_m", "leaf_cm", "bark_mm", "prediction", "confidence"), rows)
    assert 0 < forest.score(new, y[-SIZE:]) < 1
    return Brought(None, ("trees.csv", data), list(y[-SIZE:]), list(forest.predict(new)), ".input table")


def text_as_table(_: Path) -> Brought:
    said = [("spam", "mail", "list")[place % 3] for place in range(SIZE)]
    rows = [(f"Letter {place}: <i>hello</i> \N{WAVING HAND SIGN}", one, 0.9) for place, one in enumerate(said)]
    data = csv_of(("text", "prediction", "confidence"), rows)
    return Brought(None, ("letters.csv", data), mostly(said, wrong=7, seed=8), said, ".input pre")


KINDS = (
    pytorch_without_folders,
    keras_with_folders,
    keras_with_npz,
    pytorch_with_folders,
    tabular_network,
    sound,
    forest_as_table,
    text,
    text_as_table,
)
"""Left to `make study`: tests/subjects compares what these say with their frameworks, tests/pages/test_subject_files.py goes
through the form, test_class_order_in_the_browser.py uploads a network for rows, test_tables_in_the_browser.py tables."""


@pytest.fixture(scope="module")
def app(run_app, tmp_path_factory):
    """One server, to whose project each kind is added."""
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path_factory.mktemp("project")))


def as_upload(name: str, content: bytes) -> dict[str, object]:
    """A file as a browser takes it from a person's computer."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def choose_files(page, url: str, brought: Brought) -> None:
    """Uploads a model and its data, and waits for what the form says about them."""
    assert brought.model is not None
    model, data = as_upload(*brought.model), as_upload(*brought.data)
    page.goto(f"{url}/?add=own")
    for title, file in (("Model", model), ("Data to test it on", data)):
        page.locator(f'section[aria-label="{title}"] input[type=file]').set_input_files(file, timeout=1000 * PATIENCE)
        field = page.get_by_role("combobox", name=f"{title}, in this project")
        expect(field).to_have_value(re.compile(re.escape(file["name"])), timeout=1000 * PATIENCE)
    page.get_by_text("What the model is given").wait_for(timeout=1000 * PATIENCE)


def bring(page, url: str, brought: Brought) -> None:
    """Uploads the files and uses them."""
    if brought.model is None:
        page.goto(url)
        field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
        field.set_input_files(as_upload(*brought.data), timeout=1000 * PATIENCE)
        click(page, page.get_by_role("button", name="Open without labeling"))
        return
    choose_files(page, url, brought)
    brought.on_the_form(page)
    click(page, page.get_by_role("button", name="Use this model and data"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's older exporter, which people still use
@pytest.mark.slow
@pytest.mark.parametrize("make", KINDS)
def test_what_a_person_brings_goes_from_its_upload_to_a_report_with_the_number_computed_outside(
    app, page, keras_files, make, expected_errors
):
    expected_errors += [
        "404",
        "Image source error",
    ]  # a sound or picture asked for just as the page moved on, and Streamlit let go of it
    brought = make(keras_files)
    bring(page, app.url, brought)
    page.get_by_text("Sample inputs").wait_for(timeout=1000 * PATIENCE)
    go(page, "Plan")  # which proposes to label all of so few
    click(page, page.get_by_role("button", name="Start labeling"))
    page.locator(brought.seen).wait_for(timeout=1000 * PATIENCE)
    keys = keys_on_screen(page)
    rows = answer_in_turn(page, lambda row: [keys[brought.truth[row]]], SIZE)
    assert sorted(rows) == [*range(SIZE)]
    go(page, "Results")
    report = downloaded_report(page)
    assert f"Exactly {100 * brought.accuracy:.1f}% of the {SIZE} inputs are classified right" in report
