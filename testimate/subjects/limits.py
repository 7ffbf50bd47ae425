"""How large a prediction table may be; every limit is checked before, or while, the memory is taken."""

from testimate.core.errors import BadInput
from testimate.core.rounding import spaced

MAX_FILE_BYTES = 1_500_000_000
"""Bytes of the file itself."""

MAX_UNPACKED_BYTES = 1_500_000_000
"""Bytes of the text after unpacking, counted as they stream: 2 MB of gzip can unfold to 5.9 GB."""

MAX_ROWS = 5_000_000
"""Rows of the table, that is inputs."""

MAX_COLUMNS = 25_000
"""Columns of the table: room for the probabilities of the 21,841 classes of ImageNet-21k."""

MAX_CELLS = 100_000_000
"""Rows times columns: 800 MB as numbers."""

MAX_CELL_LENGTH = 131_072
"""Characters of one cell: as long as a text of a dataset may be."""

MAX_LINE_BYTES = 8_000_000
"""Bytes of one line of a CSV."""

MAX_CLASSES = 25_000
"""Different classes; more of them are most often row numbers or free text."""


def too_large(what: str, count: int, most: int) -> BadInput:
    """The error for a table with more of something than a limit allows."""
    return BadInput(
        f"The table has {spaced(count)} {what}; expected at most {spaced(most)}. Leave out columns, or split it."
    )


def check_shape(rows: int, columns: int) -> None:
    """BadInput where rows, columns or their product are beyond the limits."""
    if columns > MAX_COLUMNS:
        raise too_large("columns", columns, MAX_COLUMNS)
    if rows > MAX_ROWS:
        raise too_large("rows", rows, MAX_ROWS)
    if rows * columns > MAX_CELLS:
        raise too_large("cells (rows x columns)", rows * columns, MAX_CELLS)
