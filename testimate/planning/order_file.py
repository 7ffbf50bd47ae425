"""ORDER.csv: inputs in order of priority, each with whether it failed and how probable its predicted class was."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput


@dataclass(frozen=True, eq=False)
class Order:
    """``failed`` (n,) bool and ``probability`` (n,) in [0, 1], in order of priority."""

    failed: NDArray[np.bool_]
    probability: NDArray[np.float64]


def read_order(path: Path) -> Order:
    """The order in an ORDER.csv; BadInput where a column is missing, a cell has another kind of value or a row occurs twice."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True)
            header = [name.strip().lower() for name in reader.fieldnames or ()]
            reader.fieldnames = header
            lines = list(reader)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}; expected an order with the columns failed and probability.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is not a readable CSV file ({error}). Export it again as UTF-8 CSV.") from None
    if header.count("failed") != 1 or header.count("probability") != 1:
        raise BadInput(
            f"{path} has the columns {', '.join(header) or 'none'}; expected failed (1 / 0) and probability (0..1), once "
            "each. Rename or add columns."
        )
    if not lines:
        raise BadInput(f"{path} has no inputs, only a header; expected a line for each input. Export it again.")
    failed = np.empty(len(lines), dtype=bool)
    probability = np.empty(len(lines))
    seen: set[str] = set()
    for position, line in enumerate(lines):
        cell = (line["failed"] or "").strip().lower()
        if cell not in ("0", "1", "0.0", "1.0", "true", "false"):
            raise BadInput(f"Line {position + 2} of {path}: failed is {cell!r:.40}; expected 1 or 0. Correct it.")
        failed[position] = cell in ("1", "1.0", "true")
        probability[position] = _probability(line["probability"] or "", position + 2, path)
        row = (line.get("row") or "").strip()
        if row and row in seen:
            raise BadInput(f"Row {row} occurs twice in {path}; an order names each input once. Remove one of them.")
        seen.add(row)
    return Order(failed, probability)


def _probability(cell: str, number: int, path: Path) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        raise BadInput(
            f"Line {number} of {path}: probability is {cell!r:.40}; it must lie between 0 and 1. Correct it."
        )
    return value
