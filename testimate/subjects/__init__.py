"""Subjects: prediction tables, models and the demos, each a `Subject` of its own key, data and fingerprint."""

from pathlib import Path

from testimate.core.progress import silent
from testimate.core.subject import Subject


def open_subject(source: str | Path, *, folder: Path | None = None) -> Subject:
    """A demo by its name, or a prediction table by its path.

    ``folder`` : where a demo keeps its weights; the project folder of the app by default. Raises BadInput for a table that
    cannot be used.
    """
    from testimate.subjects.demos import find_demo
    from testimate.subjects.prediction_table import read_table

    demo = find_demo(str(source))
    if demo is not None:
        return demo.open(folder or Path("testimate-project"), silent)
    path = Path(source)
    return read_table(path, name=path.name)
