"""Numbers, sets, texts in two scripts, sounds and series, each from its upload to the report by real keys in a browser."""

import base64
import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from testimate.project.project import Project
from testimate.ui.components.labeling_surface.class_keys import class_keys
from tests.browser.app_steps import PATIENCE, answer, go, on_screen, plan_by_name, wait_until_stored
from tests.browser.test_upload_in_the_browser import Files as UploadedFiles
from tests.browser.test_upload_in_the_browser import bring, network, sounds, write
from tests.own_files import described

ROOT = Path(__file__).parents[2]
LABELS = 8


@dataclass(frozen=True)
class Kind:
    """Files to upload, what a tester sees of an input, and the model's loss on each as this file knows it, (N,)."""

    files: UploadedFiles
    seen: str
    losses: np.ndarray
    keys: Callable[[int, tuple[str, ...]], list[str]]
    way: str = ""
    """Of preparing the inputs, chosen where labels are not classes and so cannot tell."""


def packed(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def linear(kind: int, shape: list[str | int], weights: np.ndarray, bias: np.ndarray, last: str = "") -> bytes:
    """A model that flattens its input, takes two linear steps, and ends with Sigmoid, Softmax or nothing."""
    out = weights.shape[1]
    nodes = [
        helper.make_node("Cast", ["x"], ["number"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["number"], ["flat"], axis=1),
        helper.make_node("Gemm", ["flat", "weights", "bias"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "same"], ["logits"]),
        helper.make_node(last or "Identity", ["logits"], ["y"]),
    ]
    return network(kind, shape, nodes, {"weights": weights, "bias": bias, "same": np.eye(out)}, out)


def road() -> Kind:
    """Pictures of a bright column; the angle is its place less 8, and every fourth answer is off by 3."""
    places = np.arange(40) % 16
    pictures = np.zeros((40, 16, 16), np.uint8)
    pictures[np.arange(40), :, places] = 255
    truth = places - 8 + np.where(np.arange(40) % 4 == 3, 3.0, 0.0) + 0.5
    weights = np.tile((np.arange(16) - 8 + 0.5) / 16 / 255, 16)[:, None]
    model = linear(TensorProto.FLOAT, ["n", 16, 16], weights, np.zeros(1))
    files = UploadedFiles("image", model, "road.npz", packed(X=pictures, y=truth), truth == places - 7.5)
    return Kind(
        files, ".input img", (truth - (places - 7.5)) ** 2, lambda row, _: [*f"{truth[row]:g}", "Enter"], "0 to 255"
    )


def shapes() -> Kind:
    """Three bright corners or not, each a class; every fifth is marked without its first corner, some with none."""
    rng = np.random.default_rng(4)
    corners = rng.integers(0, 2, (40, 3))
    corners[::9] = 0
    pictures = np.zeros((40, 12, 12), np.uint8)
    for place, corner in enumerate([(0, 0), (0, 8), (8, 0)]):
        pictures[:, corner[0] : corner[0] + 4, corner[1] : corner[1] + 4] = 250 * corners[:, place, None, None]
    truth = corners.copy()
    truth[::5, 0] = 1 - truth[::5, 0]
    weights = np.zeros((12, 12, 3))
    for place, corner in enumerate([(0, 0), (0, 8), (8, 0)]):
        weights[corner[0] + 1, corner[1] + 1, place] = 16 / 250
    model = linear(TensorProto.FLOAT, ["n", 12, 12], weights.reshape(-1, 3), np.full(3, -8.0), "Sigmoid")
    names = np.array(["circle", "square", "star"])
    data = packed(X=pictures, y=truth, class_names=names)
    wrong = (truth != corners).any(axis=1).astype(float)

    def keys(row: int, classes: tuple[str, ...]) -> list[str]:
        assert classes == tuple(names)
        return [*(str(place + 1) for place in np.flatnonzero(truth[row])), "Enter"]

    return Kind(UploadedFiles("image", model, "shapes.npz", data, wrong == 0), ".input img", wrong, keys, "0 to 255")


def texts() -> Kind:
    """Texts in Latin and in Arabic letters, told apart by their first byte; every seventh is labeled otherwise."""
    arabic = np.arange(40) % 2
    truth = np.where(np.arange(40) % 7 == 6, 1 - arabic, arabic)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("text", "label"))
    for row in range(40):
        words = f"هذا نص رقم {row}\nسطر ثان" if arabic[row] else f"a text, number {row}\nits second line"
        writer.writerow((words, ("l", "s")[truth[row]]))
    weights = np.zeros((24, 2))
    weights[0] = (-0.2, 0.2)  # a is 97, and the first byte of an Arabic letter is 216 or more
    model = linear(TensorProto.INT64, ["n", 24], weights, np.array([32.0, -32.0]), "Softmax")
    toml = '[preprocessing]\ntokens = "bytes"\nlength = 24\n'
    files = UploadedFiles("text", model, "texts.csv", file.getvalue().encode(), truth == arabic, toml)

    def keys(row: int, classes: tuple[str, ...]) -> list[str]:
        assert classes == ("l", "s")  # letters: each is its own key, and skip has moved away
        return [classes[truth[row]]]

    return Kind(files, ".input pre[dir=auto]", (truth != arabic).astype(float), keys)


def tones() -> Kind:
    """The tones of the upload test, in their folders: the first by name are high."""
    made = sounds()
    high = sum((place % 2 == 0) != right for place, right in enumerate(np.arange(40) % 8 != 7))

    def keys(row: int, classes: tuple[str, ...]) -> list[str]:
        return [class_keys(classes, sounds=True)[classes.index("high" if row < high else "low")]]

    return Kind(made, ".input .play", 1.0 - made.right, keys)


def series() -> Kind:
    """Lines of 200 numbers that rise or fall; every sixth is labeled otherwise."""
    rng = np.random.default_rng(6)
    rises = np.arange(40) % 2
    lines = (np.linspace(-1, 1, 200) * (2 * rises - 1)[:, None] + rng.normal(0, 0.1, (40, 200))).astype(np.float32)
    truth = np.where(np.arange(40) % 6 == 5, 1 - rises, rises)
    slope = np.linspace(-1, 1, 200)[:, None] / 10
    model = linear(TensorProto.FLOAT, ["n", 200], np.hstack([-slope, slope]), np.zeros(2), "Softmax")
    data = packed(X=lines, y=truth, class_names=np.array(["falls", "rises"]))

    def keys(row, classes):
        return [str(classes.index(("falls", "rises")[truth[row]]) + 1)]

    return Kind(
        UploadedFiles("tabular", model, "lines.npz", data, truth == rises),
        ".input .lines",
        (truth != rises) * 1.0,
        keys,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def app(run_app, folder):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(folder))


def labels_in(report: str) -> list[dict[str, str]]:
    """The labels that a report holds."""
    [data] = re.findall(r'labels\.csv" href="data:text/csv;base64,([^"]+)"', report)
    return list(csv.DictReader(io.StringIO(base64.b64decode(data).decode())))


@pytest.mark.slow  # a quarter of a minute each
@pytest.mark.parametrize("make", [road, shapes, texts, tones, series])
def test_a_kind_of_answer_goes_from_its_upload_to_a_report_whose_numbers_are_those_computed_here(
    app, page, folder, tmp_path, make, expected_errors
):
    expected_errors += ["404", "Image source error"]  # a picture asked for just as the page moved on
    kind = make()
    known = {entry.key for entry in Project(folder).entries()}
    model, data = write(kind.files, tmp_path / "files")
    if kind.files.toml:  # which says how to cut the texts, and lies beside the model
        page.goto(f"{app.url}/?subject={Project(folder).add_uploaded(described(model, data)).key}")
    else:
        bring(page, app, model, data, kind.way)
    page.get_by_text("Sample inputs").wait_for(timeout=1000 * PATIENCE)
    [key] = {entry.key for entry in Project(folder).entries()} - known
    classes = Project(folder).subject(key).task.classes
    plan_by_name(page, "Simple random sampling", LABELS)
    page.locator(kind.seen).wait_for()
    page.screenshot(path=str(tmp_path / "label.png"))
    rows = []
    for place in range(LABELS):
        rows.append(on_screen(page))
        answer(page, rows[-1], *([" "] if place == 3 else kind.keys(rows[-1], classes)))
    wait_until_stored(page, f"{LABELS} of {LABELS}")
    page.locator(".calm").get_by_text(f"All planned inputs are done ({LABELS - 1} answered, 1 can't tell).").wait_for()
    go(page, "Results")
    words = f"{LABELS} drawn: {LABELS - 1} answered, 1 can't tell, 0 skipped, 0 to do"
    page.get_by_text(words).wait_for(timeout=1000 * PATIENCE)
    with page.expect_download(timeout=1000 * PATIENCE) as download:
        page.get_by_role("button", name=re.compile(r"Report \(HTML\)")).click()
    report = Path(download.value.path()).read_text()
    assert words in report
    labels = labels_in(report)
    assert [int(label["row"]) for label in labels] == rows
    assert [label["state"] for label in labels] == ["answered"] * 3 + ["cannot tell"] + ["answered"] * 4
    answered = [row for place, row in enumerate(rows) if place != 3]
    assert [float(label["loss"]) for label in labels if label["loss"]] == pytest.approx(kind.losses[answered], abs=1e-4)
    [record] = [record for record in Project(folder).sessions() if record.subject == key]
    estimate = Project(folder).session(record.id).estimate()
    task, wrong = Project(folder).subject(key).task, kind.losses[answered]
    if task.numeric:  # of numbers the share within the tolerance counts
        wrong = np.sqrt(wrong) > task.tolerance
    assert estimate.accuracy == pytest.approx(1 - np.mean(wrong), abs=1e-4)
