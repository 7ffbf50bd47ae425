"""The components' sources, which are TypeScript, for programs that run them: esbuild turns them into what a browser takes."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOADED = ["--no-warnings", "--import", (ROOT / "tests" / "javascript" / "typescript.js").as_uri()]
"""What Node is told before the name of a program that imports them."""


def compiled(source: Path) -> str:
    """One module that does what this one does with all it imports."""
    command = [str(ROOT / "node_modules" / ".bin" / "esbuild"), str(source), "--bundle", "--format=esm"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
