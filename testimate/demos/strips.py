"""A few inputs of each demo side by side, for the first screen, which opens no demo; ``strip_drawing`` drew them."""

from pathlib import Path

FOLDER = Path(__file__).parent / "strips"


def strip(demo: str) -> str:
    """The path of the demo's strip."""
    return str(FOLDER / f"{demo}.png")
