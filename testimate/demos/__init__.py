"""The subjects that come with the program: handwritten digits, printed letters, steering by the road."""

from pathlib import Path

from testimate.core.progress import silent
from testimate.core.subject import Subject
from testimate.core.task import TaskKind


def open_subject(source: str | Path, *, folder: Path | None = None, task: TaskKind | None = None) -> Subject:
    """A demo by its name, or a prediction table by its path.

    ``folder`` : where a demo keeps its weights; the project folder of the app by default. ``task`` : what a table's
    predictions are, where its columns do not say. Raises TaskUnclear where they do not and nothing is said, BadInput for a
    table that cannot be used.
    """
    from testimate.demos.catalog import find_demo
    from testimate.subjects.prediction_table import read_table

    demo = find_demo(str(source))
    if demo is not None:
        return demo.open(folder or Path("testimate-project"), silent)
    path = Path(source)
    return read_table(path, name=path.name, task=task)
