"""The walks of docs/architecture.md, counted: the files of the product in which a function is called on the way.

``python -m tests.walks table`` prints them, each with the lines of its functions that are called. What runs only because a file
is imported does not count; what runs in a model's own process does, since the model is opened in this one.
"""

import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from inspect import CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType

import numpy as np
import pytest

from tests.docs.pages import DOCS, blocks
from tests.models_in_this_process import models_in_this_process
from tests.own_files import write_own_files

ROOT = Path(__file__).parents[1]
ROOMS = tuple(f"{ROOT / room}/" for room in ("testimate", "pages"))
Walk = Callable[[], object]


def files_run(walk: Walk) -> dict[str, int]:
    """The lines of the functions that a walk calls, by file of the product, in the order in which they are met."""
    called: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code not in called and not _while_importing(frame):
            called[frame.f_code] = None

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with redirect_stdout(StringIO()):
            walk()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    lines: dict[str, int] = {}
    for code in called:
        if code.co_filename.startswith(ROOMS) and code.co_flags & CO_OPTIMIZED:  # no modules, no classes
            file = code.co_filename.removeprefix(f"{ROOT}/")
            lines[file] = lines.get(file, 0) + len({line for _, _, line in code.co_lines() if line})
    return lines


def _while_importing(frame: FrameType) -> bool:
    above: FrameType | None = frame
    while above is not None and above.f_code.co_name != "<module>":
        above = above.f_back
    return above is not None and above.f_code.co_filename.startswith(ROOMS)


def a_table(size: int = 200) -> bytes:
    """Predictions of three classes with their confidences and labels, as CSV."""
    chance = np.random.default_rng(7)
    rows = [f"{row % 3},{(row + (row % 5 == 4)) % 3},{score:.3f}" for row, score in enumerate(chance.random(size))]
    return "\n".join(["label,prediction,confidence", *rows]).encode()


def table_to_report(folder: Path) -> Walk:
    """A CSV that is added to a project, ten labels by simple random sampling, and the report as HTML."""
    from testimate.core.selector import Request
    from testimate.core.session_record import Event
    from testimate.project.project import Project
    from testimate.reports.report import report_html

    def walk() -> None:
        project = Project(folder)
        subject = project.add_table("table.csv", a_table())
        session = project.start_session(subject.key, Request("srs", budget=10, seed=1))
        for draw in session.upcoming(10):
            answer = draw.row % 3
            session.record(
                [Event(f"event-{draw.row:04}", "answer", draw.row, "Ann", "2026-11-20T10:00:00+00:00", answer)]
            )
        report_html(session)

    return walk


def model_to_features(folder: Path) -> Walk:
    """A network in ONNX and its data at the terminal, to every input's outputs and the features of a layer."""
    files = write_own_files(folder)
    given = ("--layers", "lhl", "--out", folder / "table.parquet", "--out-features", folder / "features.npy")
    return lambda: command("features", files.model, files.dataset, *given, "--project", folder / "project")


def key_press(folder: Path) -> Walk:
    """A message of the browser in a session of thirty labels, to the numbers and the next inputs."""
    from testimate.core.selector import Request
    from testimate.project.project import Project
    from testimate.reports.live import live
    from testimate.tasks.classification import Classification
    from testimate.ui.components.labeling_surface.browser_events import read_message
    from testimate.ui.components.labeling_surface.view import SurfaceView

    project = Project(folder)
    session = project.start_session(project.add_table("table.csv", a_table()).key, Request("srs", budget=30, seed=1))
    [draw] = session.upcoming(1)
    at = datetime.now(UTC).isoformat()
    event = {
        "id": "11111111-2222",
        "kind": "answer",
        "row": draw.row,
        "position": 0,
        "at": at,
        "answer": 1,
        "seconds": 1.5,
    }
    view = SurfaceView("s1", "Ann", Classification(("0", "1", "2")))

    def walk() -> None:
        message = read_message({"session": "s1", "tester": "Ann", "events": [event], "held": []}, view)
        assert message is not None
        assert session.record(message.events).acknowledged
        live(session)
        session.upcoming(30)

    return walk


def technique_of_a_package(folder: Path) -> Walk:
    """A technique that an installed package brings, from its name at the terminal to a plan."""
    package = folder / "package"
    for block in blocks(DOCS / "how-to" / "plug-in.md"):
        if block.title:
            file = package / block.title.removeprefix("more-kinds/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    points = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]["testimate.selectors"]
    information = package / "more_kinds-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: more-kinds\nVersion: 1.0\n")
    lines = [f"{name} = {place}" for name, place in points.items()]
    (information / "entry_points.txt").write_text("\n".join(["[testimate.selectors]", *lines]))
    sys.path.insert(0, str(package))
    (folder / "table.csv").write_bytes(a_table())
    chosen = ("--technique", "surest-first", "--budget", 5, "--seed", 1)
    return lambda: command("select", folder / "table.csv", *chosen, "--out", folder / "plan.json")


WALKS: dict[str, Callable[[Path], Walk]] = {
    "table": table_to_report,
    "model": model_to_features,
    "key": key_press,
    "plug-in": technique_of_a_package,
}


def command(*arguments: object) -> None:
    """Runs a command of the terminal here."""
    from testimate.cli import main

    try:
        main([str(each) for each in arguments])
    except SystemExit as end:
        if end.code:
            raise


def main(name: str) -> None:
    """Print the files of a walk with their lines."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        models_in_this_process(patch)
        for file, lines in files_run(WALKS[name](Path(folder))).items():
            print(lines, file)


if __name__ == "__main__":
    main(sys.argv[1])
