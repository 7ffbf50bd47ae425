"""Campaigns over known truth: techniques side by side, their tables, exact variances, tests and stopping rules."""

from testimate.studies.campaign import Campaign, campaign
from testimate.studies.convergence import Convergence, convergence, convergence_by_technique
from testimate.studies.exact_error import exact_error
from testimate.studies.optional_stopping import Stopping, Watched, stopping, watch
from testimate.studies.study import study
from testimate.studies.study_row import StudyRow, spread_of_srs
from testimate.studies.tables import to_csv, to_markdown
from testimate.studies.tests_of_difference import dunn_holm, friedman, wilcoxon_a12

__all__ = [
    "Campaign",
    "Convergence",
    "Stopping",
    "StudyRow",
    "Watched",
    "campaign",
    "convergence",
    "convergence_by_technique",
    "dunn_holm",
    "exact_error",
    "friedman",
    "spread_of_srs",
    "stopping",
    "study",
    "to_csv",
    "to_markdown",
    "watch",
    "wilcoxon_a12",
]
