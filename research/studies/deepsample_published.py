"""The figures that DeepSample's authors publish beside their program, to set beside ours."""

import csv

from research.studies.study_subjects import data_folder

NAMES = {"RHC": "rhc-s", "RHC-S": "rhc-s", "DeepEST": "deepest"}
AUXILIARIES = {"LSA": "lsa"}


def published() -> dict[tuple[str, str, str, int], dict[str, float]]:
    """The authors' own figures by subject, technique, auxiliary variable ("" where none) and budget."""
    figures = {}
    with (data_folder() / "deepsample" / "published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            technique = NAMES.get(row["technique"], row["technique"].lower())
            auxiliary = AUXILIARIES.get(row["aux"], row["aux"])
            key = (row["model"], technique, auxiliary, int(row["budget"]))
            figures[key] = {name: float(row[name]) for name in ("rmse", "rmedse", "bias", "mean_failures")}
    return figures
