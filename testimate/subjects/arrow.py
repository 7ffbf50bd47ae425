"""The only import of pyarrow, which has no types yet and makes its functions at run time: to the type checker it is Any."""

from importlib import import_module
from typing import Any, TypeAlias

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")
arrow_csv: Any = import_module("pyarrow.csv")
parquet: Any = import_module("pyarrow.parquet")

Array: TypeAlias = Any
"""A pyarrow ChunkedArray: the N cells of one column."""
