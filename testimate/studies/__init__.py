"""Campaigns over known truth: techniques side by side, and their tables."""

from testimate.studies.campaign import Campaign, campaign
from testimate.studies.study import study
from testimate.studies.study_row import StudyRow, spread_of_srs
from testimate.studies.tables import to_csv, to_markdown

__all__ = ["Campaign", "StudyRow", "campaign", "spread_of_srs", "study", "to_csv", "to_markdown"]
