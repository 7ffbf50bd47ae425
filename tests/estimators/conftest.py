"""What the estimators' tests share: verdicts from plain lists, and R's survey package as the witness."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from testimate.core.draw import Draw, Verdict

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module", params=["kept", pytest.param("live", marks=pytest.mark.slow)])
def survey(request: pytest.FixtureRequest) -> Any:
    """The cases of the R script that a test module names as SURVEY, with R's answers: as kept, and as R says now."""
    script = GOLDEN / f"{request.module.SURVEY}.R"
    if request.param == "kept":
        return json.loads(script.with_suffix(".json").read_text())
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed, so R's survey cannot be asked; install r-base-core and r-cran-survey.")
    has = subprocess.run(["Rscript", "--vanilla", "-e", "stopifnot(requireNamespace('survey'))"], capture_output=True)
    if has.returncode:
        pytest.skip("R's survey package is not installed, so it cannot be asked; install r-cran-survey.")
    answer = subprocess.run(["Rscript", "--vanilla", str(script)], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


@pytest.fixture
def verdicts_of() -> Callable[..., list[Verdict]]:
    """Verdicts from losses in drawing order; rows are 0, 1, ... unless given."""

    def make(
        losses: Sequence[float | None],
        strata: Sequence[int] | None = None,
        probabilities: Sequence[float] | None = None,
        rows: Sequence[int] | None = None,
    ) -> list[Verdict]:
        return [
            Verdict(
                Draw(
                    row=place if rows is None else int(rows[place]),
                    stratum=0 if strata is None else int(strata[place]),
                    probability=None if probabilities is None else float(probabilities[place]),
                ),
                None if loss is None else float(loss),
            )
            for place, loss in enumerate(losses)
        ]

    return make
