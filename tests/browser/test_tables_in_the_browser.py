"""Tables with pictures, sounds and texts, from the upload to a report whose number agrees with one computed outside."""

import csv
import io
import re
import wave
import zipfile
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testimate.project.project import Project
from testimate.ui.components.labeling_surface.class_keys import class_keys
from tests.browser.app_steps import PATIENCE, answer, click, go, metric, on_screen, plan_by_name, wait_until_stored

ROOT = Path(__file__).parents[2]
LABELS, SIZE = 5, 60


@dataclass(frozen=True)
class Brought:
    """A table, the zip it names (None where the table holds the texts), what is really there, and what a tester sees."""

    table: bytes
    files: bytes | None
    truth: tuple[str, ...]
    said: tuple[str, ...]
    seen: str


def csv_of(rows: list[tuple[object, ...]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def zip_of(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def predicted(truth: list[str], names: list[str], seed: int) -> list[str]:
    """Names of which some are not the true one."""
    rng = np.random.default_rng(seed)
    return [str(rng.choice(names)) if rng.random() < 0.8 else one for one in truth]


def pictures() -> Brought:
    """Dark and bright pictures, whose file names say nothing."""
    rng, files, truth = np.random.default_rng(1), {}, []
    for place in range(SIZE):
        truth.append(["dark", "bright"][place % 2])
        pixels = rng.integers(0, 100, (16, 16)) + (150 if place % 2 else 0)
        file = io.BytesIO()
        Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG")
        files[f"pictures/{place:03}.png"] = file.getvalue()
    said = predicted(truth, ["dark", "bright"], 2)
    rows = [(f"{place:03}.png", one, 0.9) for place, one in enumerate(said)]
    return Brought(
        csv_of([("image", "prediction", "confidence"), *rows]), zip_of(files), tuple(truth), tuple(said), ".input img"
    )


def sounds() -> Brought:
    """Low and high tones."""
    files, truth = {}, []
    for place in range(SIZE):
        truth.append(["low", "high"][place % 2])
        sound = io.BytesIO()
        with wave.open(sound, "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(8_000)
            tone = np.sin(2 * np.pi * (1_200 if place % 2 else 300) * np.arange(2_000) / 8_000)
            writer.writeframes((9_000 * tone).astype("<i2").tobytes())
        files[f"{place:03}.wav"] = sound.getvalue()
    said = predicted(truth, ["low", "high"], 3)
    rows = [(f"{place:03}.wav", one, 0.8) for place, one in enumerate(said)]
    return Brought(
        csv_of([("audio", "prediction", "confidence"), *rows]),
        zip_of(files),
        tuple(truth),
        tuple(said),
        ".input .spectrogram",
    )


def texts() -> Brought:
    """Texts of two hundred kinds in two scripts, every kind predicted."""
    names = [f"kind {place:03}" for place in range(200)]
    truth = [names[place % 200] for place in range(400)]
    swapped = [names[place ^ 1] if place % 4 < 2 else names[place] for place in range(200)]  # every other one is wrong
    said = [*swapped, *predicted(truth[200:], names, 4)]
    rows = [
        (f"مثال {place}: of the {one}, <b>bold</b> 🙂", guess, 0.7)
        for place, (one, guess) in enumerate(zip(truth, said, strict=True))
    ]
    return Brought(csv_of([("text", "prediction", "confidence"), *rows]), None, tuple(truth), tuple(said), ".input pre")


def upload(page, url: str, brought: Brought, folder: Path) -> None:
    """The table and the zip it names, in one drop."""
    files = {"table.csv": brought.table, "inputs.zip": brought.files}
    for name, content in files.items():
        if content is not None:
            (folder / name).write_bytes(content)
    page.goto(url)
    field = page.locator('section[aria-label="Table, with files or zips"] input[type=file]')
    field.set_input_files([str(folder / name) for name, content in files.items() if content is not None])
    if brought.files is not None:
        page.get_by_text("names match").wait_for(timeout=1000 * PATIENCE)
    click(page, page.get_by_role("button", name="Open without labeling"))
    page.wait_for_url(re.compile("subject=table-"), timeout=1000 * PATIENCE)


def keys_of(name: str, classes: list[str], *, sounds: bool) -> list[str]:
    """The keys of a class, or its name and Enter where classes have none."""
    key = class_keys(classes, sounds=sounds)[classes.index(name)]
    return [key] if key else [*name.removeprefix("kind "), "Enter"]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tables") / "project"


@pytest.fixture(scope="module")
def served(run_app, project):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project))


@pytest.mark.parametrize(
    "make",
    # tests/pages/test_table_with_inputs.py goes the same way without a browser
    [pytest.param(make, marks=pytest.mark.slow) for make in (texts, pictures, sounds)],
)
def test_a_table_goes_with_its_inputs_from_the_upload_to_a_report_with_the_number_computed_outside(
    served, project, page, tmp_path, make, expected_errors
):
    expected_errors += ["404"]  # a sound or picture asked for just as the page moved on, and Streamlit let go of it
    brought = make()
    upload(page, served.url, brought, tmp_path)
    classes = sorted(set(brought.said))
    plan_by_name(page, "Simple random sampling", LABELS)
    page.locator(brought.seen).wait_for()
    assert ".png" not in page.locator(".surface").inner_text()  # a file's name may tell the answer
    rows = []
    for _ in range(LABELS):
        rows.append(on_screen(page))
        answer(page, rows[-1], *keys_of(brought.truth[rows[-1]], classes, sounds=make is sounds))
    wait_until_stored(page, f"{LABELS} of {LABELS}")
    right = np.mean([brought.said[row] == brought.truth[row] for row in rows])  # of a simple random sample the estimate
    assert metric(page, "Accuracy").startswith(f"{100 * right:.1f}")
    session = Project(project).session(Project(project).sessions()[0].id)
    named = {row: brought.truth[row] for row in rows}
    assert {row: session.inputs.task.classes[place] for row, place in session.answers().items()} == named
    go(page, "Results")
    with page.expect_download(timeout=1000 * PATIENCE) as download:
        click(page, page.get_by_role("button", name=re.compile(r"Report \(HTML\)")))
    report = Path(download.value.path()).read_text()
    wrong = [row for row in rows if brought.said[row] != brought.truth[row]]
    assert 0 < len(wrong) < LABELS
    words = " ".join(re.sub("<[^>]*>", " ", report).split())
    assert f"From {LABELS} labels: {len(wrong)} wrong" in words
    low, high = map(float, re.search(r"interval ([0-9.]+) to ([0-9.]+)\s*%", words).groups())
    assert low <= 100 * right <= high
    votes = re.search(r'-labels\.csv" href="data:[^,]*;base64,([^"]+)"', report)
    losses = [float(line["loss"]) for line in csv.DictReader(io.StringIO(b64decode(votes[1]).decode()))]
    assert 1 - np.mean(losses) == pytest.approx(right)
    if brought.files is not None:
        assert f"input {wrong[0]}, {wrong[0]:03}." in report
