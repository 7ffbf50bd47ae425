"""Which split of a dataset is the operational one, and which the training set."""

from collections.abc import Collection, Mapping

from testimate.core.errors import BadInput
from testimate.subjects.datasets.array_roles import SPLITS, TEST, TRAINING, VALIDATION


def operational_split(splits: Collection[str], asked: str | None) -> str:
    """The requested split, else test, else validation, else the only one; BadInput where there is no such split."""
    if asked is not None:
        wanted = SPLITS.get(asked.casefold(), asked)
        if wanted in splits:
            return wanted
        raise BadInput(
            f"There is no split {asked!r:.60}; there are {', '.join(map(repr, splits))!s:.200}. Choose one of these."
        )
    for split in (TEST, VALIDATION, "", *splits):
        if split in splits:
            return split
    raise BadInput("The dataset has no inputs; expected at least one. Export it again.")


def training_split(splits: Mapping[str, object], operational: str) -> str | None:
    """The split a network was trained on, unless it is the operational one."""
    return TRAINING if TRAINING in splits and operational != TRAINING else None
