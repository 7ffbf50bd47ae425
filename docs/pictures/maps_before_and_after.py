"""Draws the map as it was, linear, beside the map of neighbours: letters and MNIST, in the light and the dark theme.

Run from the checkout: TESTIMATE_DATA=folder .venv/bin/python docs/pictures/maps_before_and_after.py. MNIST needs that folder.
"""

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.neighbour_maps import lenet_features  # noqa: E402 - found by the line above
from testimate.charts.cluster_map import Colouring, MapMarks, cluster_map  # noqa: E402
from testimate.charts.theme import shades  # noqa: E402
from testimate.core.words import percent  # noqa: E402
from testimate.project.project import Project  # noqa: E402
from testimate.structure.density_clusters import find_clusters  # noqa: E402
from testimate.structure.maps import (  # noqa: E402
    PlanarMap,
    neighbour_map,
    planar_map,
)

SEED = 0
HEIGHT, WIDTH = 470, 590
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main() -> None:
    """Writes maps-before-and-after/NAME-THEME.webp."""
    out = HERE / "maps-before-and-after"
    out.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, features in subjects(folder).items():
            labels = find_clusters(features, seed=SEED, min_cluster_size=80, min_samples=4).labels
            maps = [
                planar_map(features, seed=SEED, method="fastica", measured=True),
                neighbour_map(features, seed=SEED),
            ]
            for theme in ("light", "dark"):
                picture = side_by_side(chromium, maps, labels, theme == "dark", folder)
                picture.save(out / f"{name}-{theme}.webp", quality=82, method=6)
        chromium.close()


def subjects(folder: str) -> dict[str, NDArray[Any]]:
    """The features by name."""
    found = {"letters": Project(Path(folder, "letters")).inputs("glyphs").feature("LHL")}
    if os.environ.get("TESTIMATE_DATA") and lenet_features(folder):
        found["mnist"] = np.load(Path(folder, "space.npy"))
    return found


def side_by_side(
    chromium: Browser, maps: list[PlanarMap], labels: NDArray[np.intp], dark: bool, folder: str
) -> Image.Image:
    """Both maps under what each is, the earlier one on the left."""
    colours, parts = shades(dark), []
    for planar, words in zip(maps, ("before: FastICA", "now: neighbours"), strict=True):
        named = {str(place + 1): np.flatnonzero(labels == place) for place in range(labels.max() + 1)}
        figure = cluster_map(
            planar.points, Colouring("cluster", labels), dark=dark, height=HEIGHT, marks=MapMarks(named=named)
        )
        figure.update_layout(showlegend=False, width=WIDTH)
        heading = f"<p>{words}, {percent(planar.kept or 0.0)} of neighbours kept</p>"
        parts.append(f"<div>{heading}{figure.to_html(full_html=False, include_plotlyjs=not parts)}</div>")
    look = f"background:{colours.background};color:{colours.text};font:15px sans-serif"
    style = f"body{{margin:8px;display:flex;{look}}}p{{margin:4px 30px}}"
    file = Path(folder, "maps.html")
    file.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{''.join(parts)}", encoding="utf-8")
    page = chromium.new_page(viewport={"width": 2 * WIDTH + 16, "height": HEIGHT + 48})
    page.goto(file.as_uri())
    page.locator(".main-svg").nth(3).wait_for()
    page.wait_for_timeout(2500)
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    return taken


if __name__ == "__main__":
    main()
