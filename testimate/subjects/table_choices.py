"""The choices for a prediction table besides its task."""

from dataclasses import dataclass
from pathlib import Path

from testimate.core.reading import Read, Reading
from testimate.tables.roles import Chosen
from testimate.tables.rules import LATEST


@dataclass(frozen=True)
class TableChoices:
    """The choices for a table besides its task.

    Attributes
    ----------
    columns : (role, column) pairs for columns whose names do not show their role; see ``table_roles``.
    inputs : a folder or zip of the pictures, sounds or texts that the rows name.
    top_k : of a classification with probabilities, among how many of the most probable classes the true one counts as right.
    further : classes that were never predicted and may still be answers.
    probabilities_by_name : whether columns such as ``p_cat`` are probabilities of the classes they name; False for
        tables stored before they were read so.
    class_names : whether numbered classes get the names that the table lists for them, as in the datasets library's
        ClassLabel; False for tables stored before they did.
    grades : the scale of judged outputs; see ``verdict.SCALES``. "" for the usual one. least_score : the lowest score
        of a detector's boxes that are judged, 0..1; 0 for all.
    read : what was said where the table may be read in several ways; see ``core.reading.READS``.
    rules : by which rules the columns are read, the latest by default; tables stored before have the ones they were read by.
    stored : how the table was read when it was stored, which ``stored_roles`` follows; None where nobody kept that.
    stored_as : the fingerprint that the table had then, "" where nobody kept it.
    cells_by : by which rules cells are opened, those of ``rules`` if it is None.
    judges : columns with a judge's grades of outputs, beside those whose name says so.
    """

    columns: Chosen = ()
    inputs: Path | None = None
    top_k: int = 1
    further: tuple[str, ...] = ()
    probabilities_by_name: bool = True
    class_names: bool = True
    grades: str = ""
    least_score: float = 0.0
    read: Read = ()
    rules: int = LATEST
    judges: tuple[str, ...] = ()
    stored: Reading | None = None
    stored_as: str = ""
    cells_by: int | None = None


AS_NAMED = TableChoices()
"""No choices: the names of the columns decide."""
