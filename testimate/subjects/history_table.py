"""Results of earlier models on a subject's inputs, from a table of their own: no predictions are needed."""

import warnings
from dataclasses import replace
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.inputs import EarlierResults, Inputs
from testimate.core.reading import Tell
from testimate.subjects.other_predictions import KEYS, Keys, names_as_keys, other_content, rows_of_inputs
from testimate.tables.results_of_models import history_of_columns
from testimate.tables.roles import is_index_name


def read_history(
    source: Path | bytes, inputs: Inputs, *, name: str, keys: Keys | None = None, tell: Tell = warnings.warn
) -> EarlierResults:
    """Read a table with a row for each input and a column for each earlier model.

    Parameters
    ----------
    source, name, keys, tell : as for ``read_other``.

    Raises
    ------
    BadInput : another number of rows and no key, no column of results, or one whose cells are none.
    """
    cells = other_content(source, name, tell).cells
    order = rows_of_inputs(cells, keys if keys is not None else names_as_keys(inputs), len(inputs), name)
    columns = [one for one in cells.columns if one.casefold() not in KEYS and not is_index_name(one)]
    found = history_of_columns(cells, columns, inputs.task)
    if found is None:
        raise BadInput(
            f"{name!r:.60} has no results, only {', '.join(map(repr, cells.names))!s:.120}. Expected a column for each earlier "
            "model. Add them."
        )
    return replace(found, name=name, losses=found.losses[order])
