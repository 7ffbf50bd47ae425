"""What all tests share: where the real data lies, and a small prediction table."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; TESTIMATE_DATA may name another place."""
    folder = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"The real data is not at {folder}; set TESTIMATE_DATA to the folder that holds it.")
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A prediction table of 60 inputs: classes 0..2, every fifth input wrong, confidence falling with the row."""
    path = tmp_path / "table.csv"
    lines = ["label,prediction,confidence,dsa"]
    for row in range(60):
        wrong = row % 5 == 4
        lines.append(f"{row % 3},{(row + wrong) % 3},{0.99 - row / 100:.2f},{row * 0.1:.1f}")
    path.write_text("\n".join(lines) + "\n")
    return path
