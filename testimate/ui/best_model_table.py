"""Which model is best by the labels so far, as a sentence and a table; on the Compare models page and beside the labels."""

import streamlit as st

from testimate.reports.best_model import Contender, Contest, contest
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown


def contest_panel(session: Session) -> Contest:
    """The standing of the models; a winner only when the intervals say so."""
    found = contest(session)
    words = escape_markdown(found.words)
    if found.winner:
        st.success(words, icon=":material/trophy:")
    else:
        st.info(words, icon=":material/balance:")
    st.dataframe([row_of(one) for one in found.contenders], hide_index=True)
    if any(one.behind is not None for one in found.contenders):
        rivals = len(found.contenders) - 1
        shared = f" Their level is shared among the {rivals} rivals of a model." if rivals > 1 else ""
        st.caption(
            "Behind: accuracy of the model on top minus this one's, over all inputs. The intervals hold whenever you stop."
            f"{shared} The best one is ruled out with a chance of at most {100 * (1 - found.level):.3g} %."
        )
    return found


def row_of(one: Contender) -> dict[str, object]:
    """A model as a row of the table."""
    standing = one.state if one.beaten_by is None else f"ruled out by {one.beaten_by}"
    row: dict[str, object] = {"model": one.model, "standing": standing, "right": f"{one.right:,} of {one.labeled:,}"}
    behind = one.behind
    if behind is None:
        return row | {"behind (points)": "", "differ on": ""}
    by = "" if behind.estimate is None else f"{100 * behind.estimate:+.1f}; "
    return row | {
        "behind (points)": f"{by}{100 * behind.low:+.1f} to {100 * behind.high:+.1f}",
        "differ on": f"{behind.labeled:,} of {behind.disputed:,}",
    }
