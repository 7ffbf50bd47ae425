"""Tables in Python's memory as the content of a Parquet file, so that the limits of files apply."""

import io
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.words import first_line

PROBABILITIES = "probabilities"
"""The column of a mapping that holds the (N, C) probabilities of all classes."""


@runtime_checkable
class DataFrame(Protocol):
    """What pandas calls a DataFrame; a Dataset of the datasets library has the same method."""

    def to_parquet(self, path: Any, /, **options: Any) -> Any:
        """Writes the frame."""
        ...


@runtime_checkable
class ArrowTable(Protocol):
    """A table of Polars, PyArrow or DuckDB: anything that can export itself as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class PandasSeries(Protocol):
    """What pandas calls a Series: values, each with what its row is called."""

    @property
    def index(self) -> Any:
        """What the rows are called."""
        ...

    def items(self) -> Iterable[tuple[Any, Any]]:
        """What each row is called, with its value."""
        ...


Columns: TypeAlias = DataFrame | ArrowTable | Mapping[str, ArrayLike]
"""A table in memory: from pandas, Polars, PyArrow or datasets, or arrays by column name."""


def parquet_of(frame: Columns) -> bytes:
    """The table as Parquet, row for row.

    Raises
    ------
    BadInput : the rows of a DataFrame have other numbers than 0, 1, 2, ..., two columns have one name, a column mixes words
        with numbers or holds something else; arrays of different lengths.
    """
    if isinstance(frame, Mapping):
        return _written(_of_arrays(frame))
    if not isinstance(frame, DataFrame):
        if not isinstance(frame, ArrowTable):
            raise BadInput(
                f"Expected a table, got {type(frame).__name__!r:.60}. Pass a DataFrame, arrays by the name of their "
                "column, or the path of a file."
            )
        from testimate.tables.cells import pa

        try:
            return _written(pa.table(frame))
        except (pa.ArrowException, TypeError, ValueError) as error:  # a Series is such a stream, too
            raise BadInput(
                f"Expected a table, got a {type(frame).__name__!s:.60} that is not one "
                f"({first_line(error):.120}). Pass a column by its name: "
                f"{{'prediction': the column}}."
            ) from error
    if hasattr(frame, "iloc"):
        _check_frame(frame)
    file = io.BytesIO()
    try:
        frame.to_parquet(file, **({"index": False} if hasattr(frame, "iloc") else {}))
    except Exception as error:  # writers may raise anything for objects in cells
        raise BadInput(
            f"The DataFrame cannot be written as Parquet ({error!s:.120}). Expected columns of numbers, words or bytes. "
            "Convert or drop the others."
        ) from error
    return file.getvalue()


def columns_of(frame: Columns) -> dict[str, list[Any]]:
    """The columns as lists of plain values, by lower-case name; BadInput as for ``parquet_of``."""
    from testimate.tables.cells import pa, parquet

    read = parquet.read_table(pa.BufferReader(parquet_of(frame)))
    return {name.strip().lower(): read.column(name).to_pylist() for name in read.column_names}


def _check_frame(frame: Any) -> None:
    """BadInput where the rows or columns of a pandas DataFrame are ambiguous."""
    import pandas as pd

    index, names = frame.index, list(frame.columns)
    whole = pd.api.types.is_integer_dtype(index.dtype) and not isinstance(index, pd.MultiIndex)
    others = np.flatnonzero(index.to_numpy() != np.arange(len(index))) if whole else np.arange(len(index))
    if others.size:
        called = index[others[:1]].tolist()[0]
        raise BadInput(
            f"The row at position {others[0]} of the DataFrame has the index {called!r:.60}. Expected 0, 1, 2, ... "
            "from the first row on, because a plan names rows by their position. Call reset_index(), which keeps the "
            "index as a column, or reset_index(drop=True)."
        )
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise BadInput(
                f"A column of the DataFrame is called {name!r:.60}. Expected words. Rename it: frame.columns = "
                "[str(name) for name in frame.columns]"
            )
        if name in names[:place]:
            raise BadInput(
                f"The DataFrame has two columns {name!r:.60}. Expected each name once. Rename or drop one of them."
            )
    for name in names:
        _check_column(frame[name], name)


def _check_column(column: Any, name: str) -> None:
    """BadInput where the cells of a column are of several kinds."""
    import pandas as pd

    if column.dtype != object:
        return
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("mixed", "mixed-integer"):
        first: dict[type, Any] = {}
        for cell in column:
            if cell is not None and cell == cell:  # neither missing nor nan
                first.setdefault(type(cell), cell)
        if len(first) > 1:
            found = " and ".join(f"{cell!r:.40} ({of.__name__})" for of, cell in list(first.items())[:2])
            raise BadInput(
                f"The column {name!r:.60} mixes kinds of values: {found}. Expected only numbers or only words. "
                "Convert it: "
                f"frame[{name!r:.60}].astype(str)"
            )


def _of_arrays(columns: Mapping[str, ArrayLike]) -> Any:
    """The arrays as a table of PyArrow."""
    from testimate.tables.cells import pa

    splits = [str(name) for name, one in columns.items() if isinstance(one, DataFrame)]
    if splits:
        raise BadInput(
            f"These are several tables, {', '.join(splits)!s:.80}. Expected one. Pass one of them, such as "
            f"data[{splits[0]!r:.40}]."
        )
    arrays: dict[str, NDArray[Any]] = {}
    for name, given in columns.items():
        array = np.asarray(given)
        if name == PROBABILITIES and array.ndim == 2:
            arrays |= {f"p_{place}": array[:, place] for place in range(array.shape[1])}
        elif array.ndim == 1:
            arrays[name] = array
        else:
            raise BadInput(
                f"The array {name!r:.60} has the shape {array.shape}. Expected (N,), one value for each input, or (N, C) under "
                f"the name {PROBABILITIES!r}. Reshape it, or pass it as features=."
            )
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise BadInput(
            f"The arrays have {' and '.join(str(one) for one in sorted(lengths)) or 'no'} values. Expected as many in each. "
            "Pass one value for each input."
        )
    try:
        return pa.table({name: pa.array(array) for name, array in arrays.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise BadInput(
            f"The arrays cannot be a table ({first_line(error):.120}). Expected numbers or words. Convert them."
        ) from error


def _written(table: Any) -> bytes:
    from testimate.tables.cells import parquet

    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()
