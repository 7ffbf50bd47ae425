"""How large a prediction table may be; every limit is checked before, or while, the memory is taken."""

from testimate.core.errors import BadInput
from testimate.core.machine import free_bytes
from testimate.core.words import commas

MAX_FILE_BYTES = 1_500_000_000
"""Bytes of the file itself."""

MAX_UNPACKED_BYTES = 1_500_000_000
"""Bytes of the text after unpacking, counted as they stream: 2 MB of gzip can unpack to 5.9 GB."""

MAX_COLUMNS = 25_000
"""Columns of the table: room for the probabilities of the 21,841 classes of ImageNet-21k."""

MAX_TEXT_ROWS = 5_000_000
"""Rows of a CSV, whose cells are all held as text; Parquet may have as many as there is memory for."""

MAX_TEXT_CELLS = 100_000_000
"""Rows of a CSV times its columns."""

BYTES_A_ROW, BYTES_A_CELL = 80, 16
"""Memory that choosing among inputs takes at most for each: its prediction, confidence, weight and place in an order; and for
each cell of a column that is held, once as the file has it and once as a number."""

HELD_COLUMNS = 4
"""Fewest columns that must fit in memory; the others are read on demand and released."""

MAX_CELL_LENGTH = 8_000_000
"""Characters of one cell, or of one text: more than any model takes as its context, and in UTF-8 no more than a line may
have. A screen shows its beginning (``testimate.ui.components.untrusted_text``)."""

MAX_LINE_BYTES = 32_000_000
"""Bytes of one line of a CSV or JSON Lines file; its cells take up to 20 times as much in Python."""

MAX_JSON_BYTES = 300_000_000
"""Bytes of one JSON document, which is held whole; JSON Lines may have as many as any file."""

BYTES_OF_JSON = 12
"""Memory for each byte of a JSON document, as plain values."""

MAX_WORD_BYTES = 131_072
"""Bytes of all distinct texts of a piece of a column, where they repeat as the names of classes do."""

MAX_CLASSES = 25_000
"""Distinct classes; more are most often row numbers or free text."""


def too_large(what: str, count: int, most: int) -> BadInput:
    """The error for a table that exceeds a limit."""
    return BadInput(
        f"The table has {commas(count)} {what}. Expected at most {commas(most)}. Leave out columns, or split it."
    )


def check_shape(rows: int, columns: int, *, held: int = HELD_COLUMNS) -> None:
    """BadInput where there are too many columns, or the rows will not fit into the free memory.

    ``held`` : how many of the columns are held in memory at a time.
    """
    if columns > MAX_COLUMNS:
        raise too_large("columns", columns, MAX_COLUMNS)
    check_free(rows, columns, rows * (BYTES_A_ROW + BYTES_A_CELL * min(columns, held)))


def check_free(rows: int, columns: int, needed: int) -> None:
    """BadInput if the bytes that a table of that shape needs are not free."""
    free = free_bytes()
    if needed > free:
        raise BadInput(
            f"The table has {commas(rows)} rows and {commas(columns)} columns, which will take about {in_gigabytes(needed)} of "
            f"memory, and {in_gigabytes(free)} are free. Expected a table that fits. Close other programs, split the table, or "
            "use a machine with more memory."
        )


def check_text_shape(rows: int, columns: int) -> None:
    """BadInput where a CSV has too many rows, columns or cells."""
    if columns > MAX_COLUMNS:
        raise too_large("columns", columns, MAX_COLUMNS)
    for what, count, most in (
        ("rows", rows, MAX_TEXT_ROWS),
        ("cells (rows x columns)", rows * columns, MAX_TEXT_CELLS),
    ):
        if count > most:
            raise BadInput(
                f"The table has {commas(count)} {what}. Expected at most {commas(most)} in a CSV. Save it as Parquet, "
                "which is read column by column."
            )


def in_gigabytes(count: int) -> str:
    """A number of bytes in words.

    >>> in_gigabytes(1_440_000_000)
    '1.4 GB'
    """
    return f"{count / 1e9:.1f} GB"
