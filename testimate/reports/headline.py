"""Which interval of a session counts now; the screens, the report and the terminal ask here."""

from testimate.core.draw import Estimate
from testimate.planning.estimate import KNOWN, Headline, headline_of, is_complete
from testimate.session.session import Session, plan_of


def headline(session: Session, estimate: Estimate | None) -> Headline | None:
    """ "fixed" once the plan is complete as it was made, "always" before and after an extension; None where neither holds.

    An input that was put off or that a team has not settled counts as asked, as it does in a file of votes: the
    interval holds whatever it turns out to be. An interval without a width, of a whole set that is labeled, counts at any time.
    """
    if estimate is None:
        return None
    if estimate.low is not None and estimate.low == estimate.high:
        return "fixed"
    known = set(session.session_record.resolved.get(KNOWN, ()))
    to_do = (draw.row for draw in reversed(session.draws) if session.state_of(draw.row) == "to do")
    if any(row not in known for row in to_do):  # the last ones drawn, as a rule, so that this is quick while one labels
        return headline_of(False, estimate.low, estimate.always_low)
    asked = {draw.row for draw in session.draws if session.state_of(draw.row) != "to do"}
    return headline_of(is_complete(plan_of(session), asked), estimate.low, estimate.always_low)
