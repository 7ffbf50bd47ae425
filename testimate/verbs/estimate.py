"""The accuracy of the whole set from the votes on a plan's inputs."""

import warnings
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.estimators.difference import Interval
from testimate.planning.assisted import Model
from testimate.planning.estimate import PlanEstimate, estimate_plan
from testimate.planning.plan import Plan, check_fingerprint, inputs_of_plan, read_plan
from testimate.planning.votes import Votes, VotesSource
from testimate.verbs.known import known_inputs_of


def estimate(
    plan: Plan | str | Path,
    votes: VotesSource,
    *,
    subject: Subject | Inputs | None = None,
    level: float = 0.95,
    interval: Interval = "ordinary",
    assisted: Model | None = None,
    auxiliary: str | None = None,
    tolerance: str | float | None = None,
    recheck: str | Path | None = None,
) -> PlanEstimate:
    """The accuracy of the whole set, with the interval that counts now.

    Parameters
    ----------
    plan : the result of ``select``, or a PLAN.json.
    votes : a ``Votes``, or anything that ``Votes.of`` takes: a VOTES.csv, a DataFrame with ``row`` and one of
        ``label``, ``failed`` and ``loss``, or row -> true label. None is "cannot tell".
    subject : what the plan was made for; needed to compare labels with predictions, unless the plan names its table's file.
    level : confidence level of the interval, above 0 and below 1.
    interval : "ordinary", or "conservative": too wide rather than too narrow.
    assisted : "learned", "difference" or "regression": helped by a model of the losses. auxiliary : the score that it uses.
    tolerance : of a regression, the error beyond which an input counts as a failure, 0.5 or "10%", instead of the
        plan's.
    recheck : a CHECK.csv with second looks at some of the answers, which correct testers' errors.

    Returns
    -------
    PlanEstimate; ``accuracy``, ``low`` and ``high`` are shares 0..1, ``estimate`` holds both intervals, ``plot()`` the chart.

    Raises
    ------
    BadInput : an invalid vote, or labels without the subject they belong to.
    UnknownRow : a vote on a row that was not drawn.
    SubjectChanged : the subject is not the one the plan was made for.
    NotEnoughLabels : there is no honest number yet.

    >>> from testimate import open_subject, select
    >>> subject = open_subject({"prediction": ["a", "b"] * 50}, classes=["c"])
    >>> plan = select(subject, budget=40, seed=1)
    >>> estimate(plan, dict.fromkeys(plan.rows, "a"), subject=subject).estimate.labeled
    40
    """
    path = Path("plan.json") if isinstance(plan, Plan) else Path(plan)
    made = plan if isinstance(plan, Plan) else read_plan(path)
    inputs = inputs_of_plan(path, made) if subject is None else known_inputs_of(subject)
    said = Votes.of(votes)
    if inputs is not None:
        check_fingerprint(made, inputs)
    elif said.kind == "label":
        raise BadInput(
            "The votes are labels, and the predictions they are compared with are not available; expected the subject that "
            "the plan was made for. Pass it: estimate(plan, votes, subject=subject)"
        )
    return estimate_plan(
        made,
        said.kind,
        said.cells,
        inputs,
        level=level,
        interval=interval,
        assisted=assisted,
        auxiliary=auxiliary,
        tolerance=None if tolerance is None else str(tolerance),
        recheck=None if recheck is None else Path(recheck),
        tell=warnings.warn,
    )
