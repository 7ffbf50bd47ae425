"""How large a dataset may be; every limit is checked before, or while, the memory or the disk is taken."""

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.tables import limits

MAX_UNFOLDED_BYTES = 8_000_000_000
"""Bytes a packed file may unpack to in total: 1.9 MB of .npz can unpack to 2 GB. They go to disk, not to memory."""

MAX_PIXELS = 25_000_000
"""Pixels of one picture: 17 KB of PNG can unpack to 702 MB."""

MAX_FILES = 1_000_000
"""Files and folders in a folder or an archive."""

MAX_ITEM_BYTES = 120_000_000
"""Bytes of one picture, text or sound, unpacked: room for an uncompressed picture of MAX_PIXELS."""

MAX_ROWS = 5_000_000
"""Inputs."""

MAX_COLUMNS = limits.MAX_COLUMNS
"""Columns of a table."""

MAX_VALUES = 3 * MAX_PIXELS
"""Numbers in one input."""

MAX_TEXT_LENGTH, MAX_LINE_BYTES = limits.MAX_CELL_LENGTH, limits.MAX_LINE_BYTES
"""Characters of one text, and bytes of one line of a CSV or JSON Lines file: as of a prediction table."""

MAX_TEXT_BYTES = 1_500_000_000
"""Bytes of all texts of one file, which are held in memory."""

MAX_BATCH_BYTES = 2_000_000_000
"""Bytes of the texts of one batch, as a model takes them: NumPy gives each the room of the longest."""

MAX_CLASSES = limits.MAX_CLASSES
"""Distinct classes; more are most often row numbers or free text."""

MAX_SETTINGS_BYTES = 1_000_000
"""Bytes of a small file beside the data: a TOML, a list of class names, a JSON that describes the others."""

MAX_VOCABULARY_BYTES = 20_000_000
"""Bytes of a vocabulary."""

MAX_SIDE = 10_000
"""Pixels of a side to resize to."""

SHOWN_SIDE = 1_024
"""Pixels of the longer side of a picture as shown; larger ones are scaled down, only for the screen."""

SHOWN_CELLS = 2_000
"""Cells of a row as it is shown."""

SERIES_FROM = 25
"""An input of this many unnamed numbers or more is shown as a line; fewer are listed."""


def too_large(what: str, count: int, most: int, do: str = "Split it or leave some out.") -> BadInput:
    """The error for a dataset that exceeds a limit."""
    return BadInput(f"The dataset has {commas(count)} {what}. Expected at most {commas(most)}. {do}")


def check_rows(count: int) -> None:
    """BadInput where there are no inputs, or more than ``MAX_ROWS``."""
    if count < 1:
        raise BadInput("The dataset has no inputs. Expected at least one. Export it again.")
    if count > MAX_ROWS:
        raise too_large("inputs", count, MAX_ROWS)
