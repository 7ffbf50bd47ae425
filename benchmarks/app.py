"""The app as a whole: from its start to the first screen, opening subjects, page changes, and what importing costs.

`python -m benchmarks app` needs Chromium; about two minutes.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.labeling_page.served import browser, free_port, wait_until_healthy
from tests.browser.app_steps import go

ROOT = Path(__file__).parents[1]
DEMOS = {"glyphs": "Glyphs", "digits": "Handwritten digits", "road": "Road"}
LARGE = (50_000, 2048)
TIMES = 5

PAGES = {
    "Clusters": "Typical",
    "Strata": "Labels per stratum",
    "Plan": "Expect about",
    "Results": "How this was measured",
    "Versions": "Add a version",
    "Compare": "Upload predictions",
    "Learn": "Repetitions",
    "Project": "Sample inputs",
}
"""Each page with words that stand on it once it is there; Label is known by its input."""

STILL = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"


def main() -> None:
    """Prints the tables."""
    print("## The app\n")
    print(
        "Wall seconds in Chromium on the same machine, a fresh project; a demo runs from the click to the first input.\n"
    )
    print("| what | seconds | target |\n|---|---:|---:|")
    print(f"| `import testimate`, median of {TIMES} | {import_seconds():.3f} | 0.1 |")
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for demo in DEMOS:
            port, process, begun = start(folder)
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            asked = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}")
            page.locator(f".st-key-demo-{demo}").wait_for(timeout=60_000)
            if demo == "glyphs":
                print(f"| start to first screen | {time.perf_counter() - begun:.1f} | 5 |")
                print(f"| the first page of a server that nobody has visited | {time.perf_counter() - asked:.1f} | 3 |")
            print(f"| demo {demo}, at first | {open_demo(page, demo):.1f} | {5 if demo == 'glyphs' else 15} |")
            if demo == "glyphs":
                page_changes(page)
            process.kill()
            process.wait()
            port, process, _ = start(folder)
            page.goto(f"http://127.0.0.1:{port}")
            page.locator(f".st-key-demo-{demo}").wait_for(timeout=60_000)
            print(f"| demo {demo}, again after a restart | {open_demo(page, demo):.1f} | 3 |")
            page.close()
            process.kill()
            process.wait()
    print(
        f"| a subject of {LARGE[0]:,} inputs of width {LARGE[1]:,} from the cache | {cached_subject_seconds():.2f} | 2 |"
    )


def import_seconds() -> float:
    """Of a fresh Python."""
    code = "import time; begun = time.perf_counter(); import testimate; print(time.perf_counter() - begun)"
    run = [sys.executable, "-c", code]
    return float(np.median([float(subprocess.check_output(run, cwd=ROOT)) for _ in range(TIMES)]))


def start(folder: str) -> tuple[int, subprocess.Popen[bytes], float]:
    """The app on a project in the folder: its port, its process, and when it was started."""
    port = free_port()
    command = [str(Path(sys.executable).parent / "testimate"), "app", "--project", folder, "--port", str(port)]
    begun = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ}, **quiet)
    wait_until_healthy(port)
    return port, process, begun


def open_demo(page: Any, demo: str) -> float:
    """Seconds from the click on the card to the first input on the screen."""
    begun = time.perf_counter()
    page.locator(f".st-key-demo-{demo}").get_by_role("button").click()
    page.wait_for_url(re.compile("/label"), timeout=120_000)
    page.wait_for_selector(".surface:not([data-row=''])", timeout=120_000)
    return time.perf_counter() - begun


def page_changes(page: Any) -> None:
    """Prints how long each page takes from the click in the navigation until all of it is drawn, at first and again."""
    for name in PAGES:
        seconds = []
        for _ in range(3):
            seconds.append(change(page, name))
            go(page, "Label")
            page.wait_for_selector(".surface:not([data-row=''])", timeout=120_000)
            page.locator(STILL).wait_for()
        print(f"| to {name}, at first | {seconds[0]:.1f} | |")
        print(f"| to {name}, again | {min(seconds[1:]):.1f} | 1 |")


def change(page: Any, name: str) -> float:
    """Seconds from the click on a page's name until its words are there and nothing runs any more."""
    begun = time.perf_counter()
    go(page, name)
    page.get_by_text(PAGES[name]).first.wait_for(timeout=120_000)
    page.locator(STILL).wait_for(timeout=120_000)
    return time.perf_counter() - begun


class _Wide:
    """A model and its inputs in one: row i says 2,048 numbers and ten probabilities, made when they are asked for."""

    modality = "tabular"
    fingerprint = "made up"
    layers = ("hidden", "softmax")
    roles: Mapping[str, str] = {"LHL": "hidden", "CON": "softmax"}

    def __len__(self) -> int:
        return LARGE[0]

    def batch(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return rows[:, None].astype(np.float32)

    def run(self, batch: NDArray[np.float32], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        rng = np.random.default_rng(int(batch[0, 0]))
        raw = rng.random((len(batch), 10), dtype=np.float32)
        said = {"hidden": rng.random((len(batch), LARGE[1]), dtype=np.float32), "softmax": raw / raw.sum(1)[:, None]}
        return {layer: said[layer] for layer in layers}


def cached_subject_seconds() -> float:
    """From nothing in memory to all that is known of the inputs, their features mapped, where the model was run before."""
    from testimate.core.subject import Subject
    from testimate.feature_cache import FeatureCache
    from testimate.planning.known_inputs import known_inputs
    from testimate.tasks.classification import Classification

    wide: Any = _Wide()
    subject = Subject("wide", "Wide", Classification(tuple("0123456789")), wide, "both", wide.fingerprint, lambda: wide)
    with tempfile.TemporaryDirectory() as folder:
        known_inputs(subject, FeatureCache(Path(folder)))
        begun = time.perf_counter()
        found = known_inputs(subject, FeatureCache(Path(folder)))
        assert found.features["LHL"].shape == LARGE
        return time.perf_counter() - begun
