"""Opens a subject: a prediction table, from a file or in memory, or a demo by its name."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.errors import BadInput
from testimate.core.progress import silent
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.tables.data_frame import Columns


def open_subject(
    source: str | Path | Columns,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    inputs: str | Path | None = None,
    features: str | Path | ArrayLike | None = None,
    task: TaskKind | None = None,
    tolerance: float | None = None,
    top_k: int = 1,
    classes: Sequence[str] = (),
    grades: str = "",
    least_score: float = 0.0,
    read: Mapping[str, str] | None = None,
    name: str | None = None,
    folder: Path | None = None,
) -> Subject:
    """A prediction table, from a file or in memory, or a demo by its name, ready for ``select``, ``study`` and a Session.

    Parameters
    ----------
    source : the path of a table (CSV, CSV.gz, Parquet), or of a folder or zip with a Hugging Face dataset, or of a detector's
        boxes, COCO's JSON or a folder of YOLO's texts; a table, one
        row per input: a pandas DataFrame, a Dataset of the datasets library, a table of Polars or PyArrow, or a mapping of
        arrays by the name of their column, ``probabilities`` being (N, C); or the name of a demo: "digits", "glyphs" or "road".
    columns : role -> column where the columns have other names: prediction, confidence, label, outcome, p_<class>; image,
        audio or file, which name the file of each row or hold its bytes; text; input, output, reference, output_a and output_b
        of what is judged. Several columns for show, ignore and code, which holds source code and may have a role besides.
    inputs : a folder or zip of the pictures, sounds or texts that the rows name; none of them is read before it is shown.
    features : (N, width) numbers, row for row, as an array or an .npy file, by which a table has clusters.
    task : "classification", "multi-label", "regression", "verdict" or "boxes", where the columns do not say.
    tolerance : of a regression, the error beyond which an input has failed, in the unit of the predictions.
    top_k : an input is right where its true class is among the k most probable; needs the probabilities.
    classes : classes that were never predicted and may still be the answer.
    grades : of outputs that are judged, "right-partly-wrong", the usual, or "1-5".
    least_score : of a detector's boxes, the score from which on they are judged; all by default.
    read : the answer to what a table leaves open, such as {"confidence": "percent"}; an error says which fit.
    name : for people; the file's own by default.
    folder : where a demo keeps its weights; the project folder of the app by default.

    Returns
    -------
    Subject; of a table ``inputs`` holds all that it says about its N rows, and ``dataset.show(row)`` is what a tester sees.

    Raises
    ------
    ReadingUnclear : the table may be read in several ways; the sentence has the calls.
    BadInput : a file or column cannot be used; the sentence says which, what was expected and what to do.

    >>> import pandas as pd
    >>> films = pd.DataFrame({"review": ["A joy.", "Dull."], "said": ["liked", "disliked"], "sure": [0.9, 0.6]})
    >>> subject = open_subject(films, columns={"text": "review", "prediction": "said", "confidence": "sure"}, name="films")
    >>> subject.task.classes, subject.inputs.confidence, subject.dataset.show(1).text
    (('disliked', 'liked'), array([0.9, 0.6]), 'Dull.')
    """
    from testimate.demos.catalog import find_demo
    from testimate.subjects.prediction_table import read_table
    from testimate.subjects.table_choices import TableChoices
    from testimate.subjects.table_features import subject_with_features

    folder_or_zip = None if inputs is None else Path(inputs)
    choices = TableChoices(
        _pairs(columns or {}),
        folder_or_zip,
        top_k,
        tuple(classes),
        grades=grades,
        least_score=least_score,
        read=tuple((read or {}).items()),
    )
    if isinstance(source, str | Path):
        demo = find_demo(str(source))
        if demo is not None:
            _check_is_table(
                demo.name, choices != TableChoices() or features is not None or task or tolerance is not None
            )
            return demo.open(folder or Path("testimate-project"), silent)
        source = Path(source)
        name = name or source.name
    subject = read_table(source, name=name or "table", tolerance=tolerance, task=task, choices=choices)
    if features is None:
        return subject
    return subject_with_features(subject, Path(features) if isinstance(features, str | Path) else np.asarray(features))


def _pairs(columns: Mapping[str, str | Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """(role, column) pairs."""
    return tuple(
        (role, column) for role, said in columns.items() for column in ([said] if isinstance(said, str) else said)
    )


def _check_is_table(name: str, described: object) -> None:
    """BadInput where a demo is described like a table."""
    if described:
        raise BadInput(
            f"{name} is a demo, whose columns, inputs and task are known. Expected its name alone. Leave the others out."
        )
