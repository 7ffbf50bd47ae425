"""What the reasons that testers gave for failures say about the whole set, in the names that they have now."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.failure_codes import codes_of_cell, renamed, spelled_alike
from testimate.core.words import counted
from testimate.estimators.failure_codes import FailureCodes, failure_codes
from testimate.planning.parts import why_counts_only
from testimate.planning.votes import Votes


def codes_of_votes(
    votes: Votes,
    design: Design,
    verdicts: Sequence[Verdict],
    failed: Sequence[bool],
    *,
    technique: str,
    merge: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> FailureCodes:
    """The share of each code that the votes give.

    Parameters
    ----------
    failed : of each verdict, whether it is a failure.
    merge : old name -> new name, one after the other; names that become one are merged.

    Raises
    ------
    BadInput : no codes, a code of an input that did not fail, a name that cannot be one, or one that no vote has.
    """
    if not votes.codes:
        raise BadInput(
            "The votes name no reason for a failure. Expected a column codes, such as blur;dark, with a code in it. Add it, or "
            "leave the codes out."
        )
    failures = {one.draw.row for one, is_failure in zip(verdicts, failed, strict=True) if is_failure}
    right = sorted(votes.codes.keys() - failures)
    if right:
        raise BadInput(
            f"Row {right[0]} has the failure code {votes.codes[right[0]]!r:.60}, and its vote is not a failure "
            f"({counted(len(right), 'such row')}). Expected codes of failures alone. Correct the vote, or empty the cell."
        )
    given = spelled_alike({row: codes_of_cell(cell) for row, cell in votes.codes.items()})
    return codes_of_failures(design, verdicts, failed, renamed(given, merge or {}), technique=technique, level=level)


def codes_of_failures(
    design: Design,
    verdicts: Sequence[Verdict],
    failed: Sequence[bool],
    codes: Mapping[int, Sequence[str]],
    *,
    technique: str,
    level: float,
) -> FailureCodes:
    """The share of each code of these failures; see ``codes_of_votes``. ``codes`` : row -> names, spelled alike."""
    outcomes = [
        one if one.loss is None else replace(one, loss=float(is_failure))
        for one, is_failure in zip(verdicts, failed, strict=True)
    ]
    return failure_codes(design, outcomes, codes, level=level, why=why_counts_only(technique))
