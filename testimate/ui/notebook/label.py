"""The verb that labels a plan inside a notebook."""

from pathlib import Path
from typing import TYPE_CHECKING

from testimate.core.plug_ins import check_extra
from testimate.core.subject import Subject
from testimate.planning.plan import Plan, read_plan
from testimate.ui.notebook.labeling_widget import PlanLabels

if TYPE_CHECKING:
    from testimate.ui.notebook.labeling_widget import LabelingWidget


def label(plan: Plan | str | Path, subject: Subject, *, votes: str | Path | None = None) -> "LabelingWidget":
    """A widget that asks for the labels of a plan's inputs, with the keys and the look of the app's Label page.

    Click on it, then label by keys; the network's answers stay hidden. It needs the extra ``notebook``.

    Parameters
    ----------
    plan : the result of ``select``, or a PLAN.json.
    votes : a VOTES.csv to keep the labels in; if it exists, its labels count and labeling continues. Without one they
        are only in the kernel's memory.

    Returns
    -------
    LabelingWidget; ``votes`` are the labels given until now, for ``estimate``; ``notes`` what was flagged, by row.

    Raises
    ------
    BadInput : the extra is not installed, the subject has no predictions, or the file holds no labels.
    SubjectChanged : the subject is not the one the plan was made for.
    UnknownRow : a label in the file is of an input that the plan did not draw.
    """
    check_extra(["anywidget"], "Labeling in a notebook", "label in the app: testimate app")
    from testimate.ui.notebook.labeling_widget import LabelingWidget

    read = plan if isinstance(plan, Plan) else read_plan(Path(plan))
    return LabelingWidget(PlanLabels(read, subject, None if votes is None else Path(votes)))
