"""What --mlflow does for the verbs that have it: the result becomes a run of MLflow."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from testimate.cli.output import aside
from testimate.core.draw import Estimate

if TYPE_CHECKING:  # named only, as in the other verbs
    from testimate.estimators.reused import Difference
    from testimate.planning.estimate import Headline
    from testimate.reports.gate import Check


def log_to_mlflow(
    experiment: str,
    name: str,
    estimate: Estimate,
    headline: "Headline | None",
    result: Mapping[str, Any],
    checks: "Sequence[Check]" = (),
    difference: "Difference | None" = None,
    difference_headline: "Headline | None" = None,
) -> None:
    """Logs numbers, ``result`` as result.json and the checks of a gate as checks.md, and says so on stderr."""
    from testimate.reports.gate import markdown
    from testimate.reports.mlflow_run import LoggedResult, log_run

    files = {"result.json": json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"}
    if checks:
        files["checks.md"] = markdown(checks)
    run = log_run(experiment, name, LoggedResult(estimate, headline, files, difference, difference_headline))
    aside(f"Logged to MLflow as run {run} of {experiment}.")
