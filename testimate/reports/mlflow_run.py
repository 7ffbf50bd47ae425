"""A result as a run of MLflow: numbers, the ends of the interval that counts, and files; needs ``testimate[mlflow]``."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from testimate.core.draw import Estimate
from testimate.core.errors import BadInput
from testimate.core.plug_ins import missing_extra
from testimate.estimators.version_difference import Difference
from testimate.planning.estimate import Headline, counting_ends

LONGEST_TAG = 500
"""Characters of a tag that are kept; MLflow takes some thousands."""


@dataclass(frozen=True)
class LoggedResult:
    """What is written of a result.

    Attributes
    ----------
    estimate, headline : its accuracy, and which interval of it counts.
    files : artifacts by file name, such as a report.
    difference, difference_headline : of two versions, where that was estimated.
    """

    estimate: Estimate
    headline: Headline | None
    files: Mapping[str, str]
    difference: Difference | None = None
    difference_headline: Headline | None = None

    @property
    def metrics(self) -> dict[str, float]:
        """The numbers by name; ends only of intervals that count."""
        found = metrics_of(self.estimate, self.headline)
        if self.difference is None:
            return found
        return found | metrics_of_difference(self.difference, self.difference_headline)


def metrics_of(estimate: Estimate, headline: Headline | None) -> dict[str, float]:
    """The accuracy, its standard error, the ends of the interval that counts where there is one, and the counts of labels."""
    found = {"accuracy": estimate.accuracy, "labeled": float(estimate.labeled), "skipped": float(estimate.skipped)}
    if estimate.standard_error is not None:
        found["standard_error"] = estimate.standard_error
    ends = counting_ends(estimate, headline)
    return found if ends is None else {**found, "low": ends[0], "high": ends[1]}


def metrics_of_difference(difference: Difference, headline: Headline | None) -> dict[str, float]:
    """The difference of two versions, new minus old, with the ends of the interval that counts where there is one."""
    ends = (difference.low, difference.high) if headline == "fixed" else (difference.always_low, difference.always_high)
    found = {"difference": difference.value, "difference_standard_error": difference.standard_error}
    if headline is None or ends[0] is None or ends[1] is None:
        return found
    return {**found, "difference_low": ends[0], "difference_high": ends[1]}


def tags_of(estimate: Estimate, headline: Headline | None) -> dict[str, str]:
    """Which interval counts, its level, and the method of the estimate, as MLflow's tags."""
    return {
        "testimate.headline": headline or "none",
        "testimate.level": f"{estimate.level:g}",
        "testimate.method": estimate.method,
        "testimate.design": estimate.design,
    }


def log_run(experiment: str, name: str, result: LoggedResult) -> str:
    """Writes a finished run to the tracking server or folder that MLFLOW_TRACKING_URI names; returns its id.

    MLflow is imported only here, with its usage reports switched off. Raises BadInput, with MLflow's reason, if it is
    not
    installed or the run could not be written.
    """
    if not experiment.strip():
        raise BadInput("The experiment has no name. Expected that of an experiment of MLflow. Name it: --mlflow NAME.")
    mlflow = _mlflow()
    try:
        mlflow.set_experiment(experiment)
        with mlflow.start_run(run_name=name) as run, tempfile.TemporaryDirectory() as folder:
            mlflow.log_metrics(result.metrics)
            mlflow.set_tags(
                {key: value[:LONGEST_TAG] for key, value in tags_of(result.estimate, result.headline).items()}
            )
            for called, text in result.files.items():
                file = Path(folder) / called
                file.write_text(text, encoding="utf-8")
                mlflow.log_artifact(str(file))
            return str(run.info.run_id)
    except (mlflow.exceptions.MlflowException, OSError) as error:
        first = str(error).partition(". ")[0]
        raise BadInput(
            f"MLflow did not take the result ({first:.300}). Expected a server, database or folder that it can write to. Check "
            "MLFLOW_TRACKING_URI; for a folder, newer versions of MLflow want MLFLOW_ALLOW_FILE_STORE=true, too."
        ) from None


def _mlflow() -> ModuleType:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    try:
        # Only when it is asked for: decision 81.
        import mlflow
    except ImportError:
        raise missing_extra("mlflow", "Logging to MLflow") from None
    module: ModuleType = mlflow
    return module
