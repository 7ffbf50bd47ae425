"""A DataFrame as the content of a Parquet file, so that it is read within the same limits as one from elsewhere."""

import io
from typing import Any, Protocol

from testimate.core.errors import BadInput


class DataFrame(Protocol):
    """What pandas calls a DataFrame; others with the same method do as well."""

    def to_parquet(self, path: Any, /, **options: Any) -> Any:
        """Writes the frame."""
        ...


def parquet_of(frame: DataFrame) -> bytes:
    """The frame as Parquet, without its index; BadInput where a column cannot be written so."""
    file = io.BytesIO()
    try:
        frame.to_parquet(file, index=False)
    except Exception as error:  # writers raise what they like for objects in cells
        raise BadInput(
            f"The DataFrame cannot be written as Parquet ({error!s:.120}); expected columns of numbers, words or bytes. "
            "Convert or drop the others."
        ) from error
    return file.getvalue()
