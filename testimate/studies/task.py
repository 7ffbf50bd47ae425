"""A task of a study: one campaign, seen at one budget or at several that it serves."""

from dataclasses import dataclass

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.studies.campaign import Campaign, campaign, campaign_at_each


@dataclass(frozen=True)
class Task:
    """A campaign to run: ``request`` with the largest of the rising ``budgets``, judged at each of them."""

    request: Request
    budgets: tuple[int, ...]


def run_task(inputs: Inputs, task: Task, level: float) -> list[Campaign]:
    """What the campaign came to at each of its budgets."""
    if len(task.budgets) == 1:
        return [campaign(inputs, task.request, level=level)]
    return campaign_at_each(inputs, task.request, task.budgets, level=level)
