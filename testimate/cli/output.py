"""What a verb gives back: JSON for machines, and a progress bar for people."""

import json
import sys
from pathlib import Path
from typing import Any

from testimate.core.progress import Progress, silent


def write_json(result: Any, to: str) -> None:
    """Writes JSON to a file, whole or not at all, or to stdout for "-"."""
    from testimate.plans.plan import write_whole

    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if to == "-":
        sys.stdout.write(text)
    else:
        write_whole(Path(to), text)


class ShownProgress:
    """A progress bar on stderr while the block runs; none with ``quiet`` or without a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        if not self.shown:
            return silent
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task("working", total=None)

        def progress(done: int, total: int, what: str = "") -> None:
            self.bar.update(task, completed=done, total=total, description=what or "working")

        return progress

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self.bar.stop()
