"""Say in words what labels tell about the network's confidence: too sure or not, right told from wrong, and the Brier score."""

from dataclasses import asdict, dataclass
from typing import Any

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import decimal, decimal_ends, level_words
from testimate.estimators.calibration import Calibration, calibration
from testimate.estimators.right_above import RightAbove
from testimate.estimators.weights import PartEstimate
from testimate.planning.parts import PartLabels, why_counts_only
from testimate.planning.right_above import certified_shares, confidence_of
from testimate.reports.compared_models import points, points_range
from testimate.reports.parts import part_labels
from testimate.selectors import LADDER
from testimate.session.session import Session

EXPLAINED = (
    "AUROC: the chance that a right input has a higher confidence than a wrong one. Brier score: the mean "
    "squared distance of the confidence from right (1) or wrong (0), at best 0. Intervals are fixed-size."
)


@dataclass(frozen=True)
class ConfidenceWords:
    """The three numbers as lines of a name and words, and above which confidence how many inputs are right.

    ``at_the_end`` : what is said above a confidence holds at the planned number of labels; a ladder's at each of its looks.
    """

    found: Calibration
    above: tuple[RightAbove, ...]
    level: float
    at_the_end: bool

    def lines(self) -> list[tuple[str, str]]:
        """Return each of the three with its interval, or why there is none."""
        return [
            ("Mean confidence minus accuracy", _words(self.found.excess, in_points=True)),
            ("AUROC of the confidence", _words(self.found.auroc)),
            ("Brier score", _words(self.found.brier)),
        ]

    def sentences(self) -> list[str]:
        """Return above which confidence how many are right, and how often that is too much; empty if nothing is known of it."""
        when = ", read at the planned number of labels" if self.at_the_end else ""
        risk = f"Each of these says too much in at most {level_words(1 - self.level)} of campaigns{when}."
        said = any(one.least is not None for one in self.above)
        return [*map(str, self.above), *([risk] if said else [])]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; numbers are null where ``why`` says what is missing."""
        return {**asdict(self.found), "right_above": [asdict(one) for one in self.above]}


def _words(part: PartEstimate, *, in_points: bool = False) -> str:
    """Return a number with its interval."""
    if part.value is None:
        return f"no number, {part.why}"
    value = f"{points(part.value)} points" if in_points else decimal(part.value)
    if part.low is None or part.high is None:
        return f"{value}, {part.why}"
    if in_points:
        return f"{value} ({points_range(part.low, part.high).removesuffix(' points')})"
    return f"{value} ({' to '.join(decimal_ends(part.low, part.high))})"


def confidence_words(inputs: Inputs, request: Request, labels: PartLabels) -> ConfidenceWords:
    """Return what the labels say about the confidence; raise BadInput if there is none, or outcomes are not right or wrong."""
    found = calibration(labels.design, labels.verdicts, confidence_of(inputs), level=labels.level)
    if why := why_counts_only(labels.technique):
        found = Calibration(*(PartEstimate(found.excess.labeled, why=why),) * 3)
    above = certified_shares(request, labels, inputs)
    return ConfidenceWords(found, above, labels.level, at_the_end=request.technique != LADDER)


def session_confidence(session: Session) -> ConfidenceWords | None:
    """Return what the session's labels say; None if its inputs have no confidence."""
    if session.inputs.confidence is None or not session.inputs.task.one_class:
        return None
    return confidence_words(session.inputs, session.session_record.request, part_labels(session))
