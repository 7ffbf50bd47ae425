"""From a subject or table, a technique and its options to a selector; PLAN.json and VOTES.csv read and written."""

from testimate.plans.build import build
from testimate.plans.known_inputs import known_inputs

__all__ = ["build", "known_inputs"]
