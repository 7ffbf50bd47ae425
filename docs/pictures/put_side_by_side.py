"""Puts each screen of an earlier commit beside the picture of it in docs/pictures, for docs/before-and-after.md.

python docs/pictures/put_side_by_side.py    after take_pictures.py; writes docs/pictures/before-and-after/*.webp
"""

import io
import subprocess
from pathlib import Path

from PIL import Image

BEFORE = "7c69e3e"
"""The first house."""

SCREENS = (
    "welcome", "subject", "clusters", "strata", "plan", "label", "results", "compare", "label-dark", "clusters-dark",
)  # fmt: skip
HERE = Path(__file__).parent
SIZE, GAP = (800, 500), 16


def main() -> None:
    """Writes one picture for each screen, before on the left."""
    out = HERE / "before-and-after"
    out.mkdir(exist_ok=True)
    for name in SCREENS:
        earlier = subprocess.run(
            ["git", "show", f"{BEFORE}:docs/pictures/{name}.png"], capture_output=True, check=True, cwd=HERE.parents[1]
        ).stdout
        pair = Image.new("RGB", (2 * SIZE[0] + GAP, SIZE[1]), "#888888")
        for place, source in enumerate((io.BytesIO(earlier), HERE / f"{name}.png")):
            pair.paste(
                Image.open(source).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS), (place * (SIZE[0] + GAP), 0)
            )
        pair.save(out / f"{name}.webp", quality=80, method=6)


if __name__ == "__main__":
    main()
