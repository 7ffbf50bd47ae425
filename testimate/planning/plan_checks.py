"""The values of a plan, checked: PLAN.json may have been edited since it was written."""

import math
from collections.abc import Mapping
from typing import Any, get_args

from testimate.core.design import Design, Rounds, design_from_json
from testimate.core.draw import Draw, draw_from_json
from testimate.core.errors import BadInput
from testimate.core.task import TaskKind
from testimate.tasks.verdict import SCALES

TEXT, WHOLE, COUNT, NUMBER = "a text", "a whole number", "a whole number of 64 bits", "a finite number"
ANOTHER = "Make the plan again."
LARGE = 10**300
MOST = 1 + 1e-9  # shares that sum to 1 may be a rounding above it
DRAWN = {"row": COUNT, "probability": NUMBER, "stratum": COUNT, "reason": TEXT, "round": COUNT, "guess": NUMBER}


def checked(record: Mapping[str, Any], name: str, *, needed: str, may_lack: bool = False) -> Any:
    """The value of that name, if it is the TEXT, WHOLE, COUNT or NUMBER ``needed``, or null where it ``may_lack``.

    BadInput otherwise.

    >>> checked({"seed": 7}, "seed", needed=WHOLE)
    7
    """
    value = record[name]
    if not (_is(value, needed) or (may_lack and value is None)):
        raise BadInput(f"In the plan {name} is {value!r:.60}; expected {needed}. {ANOTHER}")
    return value


def checked_grades(value: Any) -> str:
    """The scale of a plan on outputs that are judged, "" of others; BadInput where there is no such scale."""
    if value != "" and value not in SCALES:
        raise BadInput(f"In the plan grades is {value!r:.60}; expected one of {', '.join(SCALES)}. {ANOTHER}")
    return str(value)


def checked_task(value: Any) -> TaskKind | None:
    """The task of the plan, None where an earlier version wrote none; BadInput where there is no such task."""
    if value is not None and value not in get_args(TaskKind):
        raise BadInput(f"In the plan task is {value!r:.60}; expected one of {', '.join(get_args(TaskKind))}. {ANOTHER}")
    found: TaskKind | None = value
    return found


def checked_design(record: Any) -> Design:
    """The design of the plan; BadInput where one of its numbers is invalid."""
    design = design_from_json(record)
    sizes = design.stratum_sizes
    if not all(_is(count, COUNT) for count in (*sizes, design.planned, design.size)):
        raise BadInput(
            f"The plan's design has stratum sizes {sizes!r:.60} and {design.planned!r:.40} draws; expected whole numbers. "
            f"{ANOTHER}"
        )
    for name in ("prior_failure", "stratum_chances", "group_chances"):
        shares = getattr(design, name, None)
        if shares is not None and shares != () and not _are_shares(shares, len(sizes)):
            raise BadInput(
                f"The plan's {name} are not {len(sizes)} numbers from 0 to 1, one for each stratum. {ANOTHER}"
            )
    for one in design.rounds if isinstance(design, Rounds) else ():
        for name in ("zones", "exploit"):
            checked(vars(one), name, needed=COUNT)
    return design


def checked_draw(record: Any, design: Design) -> Draw:
    """A draw of the plan; BadInput where it is of no input, of no stratum, or one of its numbers is invalid."""
    for name, needed in DRAWN.items():
        if name in record:
            checked(record, name, needed=needed, may_lack=name == "probability")
    draw = draw_from_json(record)
    if not (draw.row < design.size and 0 <= draw.stratum < len(design.stratum_sizes)):
        raise BadInput(
            f"The plan draws row {draw.row} in stratum {draw.stratum}; there are {design.size} inputs in "
            f"{len(design.stratum_sizes)} strata. {ANOTHER}"
        )
    return draw


def checked_told(record: Any, design: Design) -> tuple[int, float | None]:
    """A row and its loss as the technique learned them; BadInput where they are something else."""
    row, loss = record
    outcome = {"row": row, "loss": loss}
    if not 0 <= checked(outcome, "row", needed=COUNT) < design.size:
        raise BadInput(f"The plan has a vote for row {row}; there are {design.size} inputs. {ANOTHER}")
    checked(outcome, "loss", needed=NUMBER, may_lack=True)
    return row, loss


def _are_shares(values: Any, count: int) -> bool:
    """Whether these are that number of values from 0 to 1."""
    return (
        isinstance(values, tuple)
        and len(values) == count
        and all(_is(value, NUMBER) and 0 <= value <= MOST for value in values)
    )


def _is(value: Any, needed: str) -> bool:
    """Whether the value is what is needed; True and False are not numbers."""
    if needed == TEXT:
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float if needed == NUMBER else int):
        return False
    if needed == COUNT:
        return abs(value) < 1 << 63
    return needed == WHOLE or (-LARGE < value < LARGE and math.isfinite(value))
