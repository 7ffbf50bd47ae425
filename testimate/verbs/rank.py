"""Several models ranked by a table of what they predict."""

from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from testimate.comparison import ranking
from testimate.comparison.predictions import Predictions
from testimate.comparison.predictions_table import read_predictions
from testimate.core.progress import Progress, silent
from testimate.tables.data_frame import Columns, parquet_of


def rank(
    predictions: Predictions | Columns | str | Path,
    technique: str = "laf",
    *,
    budget: int | None = None,
    seed: int | None = None,
    truth: str | ArrayLike | None = None,
    ces_model: ranking.CesModel = "closest to the majority",
    features: Sequence[ArrayLike] | None = None,
    progress: Progress = silent,
) -> ranking.Ranking:
    """The models from best to worst, without labels or by a few; see ``testimate.comparison.ranking.rank``.

    Parameters
    ----------
    predictions : a DataFrame, arrays or a file with one column of predicted classes for each model; or ``Predictions``.
    technique : "laf", "majority" and "dawid-skene" need no labels; "sds", "ces" and "random" rank by ``budget`` labels
        chosen with ``seed``.
    truth : the column with the true classes; for ``Predictions`` the true class places, (N,).

    Raises
    ------
    BadInput : fewer than two models, a missing prediction, an unknown technique or column.

    >>> rank({"first": [0, 1, 1, 0], "second": [0, 1, 1, 1], "third": [1, 1, 1, 0]}, "majority").models
    ('first', 'second', 'third')
    """
    if isinstance(predictions, Predictions):
        said, true = predictions, truth
    else:
        column = truth if isinstance(truth, str) else None
        source = Path(predictions) if isinstance(predictions, str | Path) else parquet_of(predictions)
        table = read_predictions(source, name="table.parquet", truth=column)
        said, true = table.predictions, table.truth if column is not None else truth
    return ranking.rank(
        said,
        technique,
        budget=budget,
        seed=seed,
        truth=true,
        ces_model=ces_model,
        features=features,
        progress=progress,
    )
