"""What takes long is measured once: a value of JSON in a file, which a run that was stopped finds again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def measured_once(file: Path, measure: Callable[[], Any]) -> Any:
    """What the file holds; if there is none, what ``measure`` returns is written to it first, whole or not at all."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(measure()), encoding="utf-8")
        part.rename(file)
        print(file.stem, flush=True)
    return json.loads(file.read_text(encoding="utf-8"))
