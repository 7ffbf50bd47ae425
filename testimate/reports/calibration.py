"""Say in words what labels tell about the network's confidence: too sure or not, right told from wrong, and the Brier score."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.words import decimal, decimal_ends
from testimate.estimators.calibration import Calibration, calibration
from testimate.estimators.weights import PartEstimate
from testimate.planning.parts import why_counts_only
from testimate.reports.compared_models import points, points_range
from testimate.session.session import Session

EXPLAINED = (
    "AUROC: the chance that of a right and a wrong input the right one has the higher confidence. Brier score: the mean "
    "squared distance of the confidence from right (1) or wrong (0), at best 0. Intervals are fixed-size."
)


@dataclass(frozen=True)
class ConfidenceWords:
    """The three numbers as lines of a name and words."""

    found: Calibration

    def lines(self) -> list[tuple[str, str]]:
        """Return each with its interval, or why there is none."""
        return [
            ("Mean confidence minus accuracy", _words(self.found.excess, in_points=True)),
            ("AUROC of the confidence", _words(self.found.auroc)),
            ("Brier score", _words(self.found.brier)),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; numbers are null where ``why`` says what is missing."""
        return asdict(self.found)


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


def confidence_words(
    inputs: Inputs, design: Design, verdicts: Sequence[Verdict], technique: str, level: float = 0.95
) -> ConfidenceWords:
    """Return what the labels say about the confidence; raise BadInput if there is none, or outcomes are not right or wrong."""
    if inputs.confidence is None or not inputs.task.one_class:
        raise BadInput(
            "These inputs have no confidence that one answer is right. Expected a column confidence, or p_<class>. Add one."
        )
    found = calibration(design, verdicts, inputs.confidence, level=level)
    if why := why_counts_only(technique):
        found = Calibration(*(PartEstimate(found.excess.labeled, why=why),) * 3)
    return ConfidenceWords(found)


def session_confidence(session: Session) -> ConfidenceWords | None:
    """Return what the session's labels say; None if its inputs have no confidence."""
    record = session.session_record
    if session.inputs.confidence is None or not session.inputs.task.one_class:
        return None
    return confidence_words(
        session.inputs, session.selector.design, session.verdicts(), record.request.technique, record.level
    )
