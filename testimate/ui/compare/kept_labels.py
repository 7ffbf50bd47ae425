"""What existing labels say about the compared models."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.subject import Subject
from testimate.core.words import counted, percent, percent_range
from testimate.project.version_labels import JudgedModel, KeptContest, kept_contest, state_of_kept
from testimate.reports.version_words import ends_of, points_range
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.page_head import UNKNOWN


def labels_there(subject: Subject) -> None:
    """The section; nothing where no plan of these inputs has labels."""
    state = state_of_kept(project(), subject.key)
    kept: tuple[object, KeptContest | None] | None = st.session_state.get("kept contest")
    if kept is None or kept[0] != state:
        try:
            with st.spinner("Judging the models by the existing labels …", show_time=True):
                kept = st.session_state["kept contest"] = state, kept_contest(project(), subject.key)
        except TestimateError as error:
            st.info(escape_markdown(str(error)), icon=":material/info:")
            return
    found = kept[1]
    if found is None:
        return
    st.subheader("What the existing labels say", anchor=False)
    words = escape_markdown(verdict(found))
    if all(behind(one) for one in found.models[1:]):
        st.success(words, icon=":material/trophy:")
    else:
        st.info(words, icon=":material/balance:")
    st.dataframe([row_of(one) for one in found.models], hide_index=True, placeholder=UNKNOWN)
    rivals = len(found.models) - 1
    shared = f", at a level shared among the {rivals} rivals of a model" if rivals > 1 else ""
    st.caption(
        f"{counted(found.labels, 'label')} of these inputs, given for any model on them; nothing was labeled for this. Behind: "
        f"accuracy of the model on top minus this one's{shared}. They judge only models not trained on or chosen by them."
    )


def behind(one: JudgedModel) -> bool:
    """Whether the model is worse than the one on top, by the interval that counts."""
    ends = _ends(one)
    return ends is not None and ends[0] > 0


def verdict(found: KeptContest) -> str:
    """Who is best, in a sentence."""
    top = found.models[0].model
    open_ = [one.model for one in found.models[1:] if not behind(one)]
    if not open_:
        return f"{top} is the best of the {len(found.models)}."
    names = ", ".join(open_)
    return f"Not decided: {top} has the highest estimate, and {names} may be as good."


def row_of(one: JudgedModel) -> dict[str, str]:
    """A model as a row of the table."""
    estimate, ends = one.accuracy.estimate, ends_of(one.accuracy.estimate, one.accuracy.headline)
    row = {"Model": one.model, "Accuracy": percent(estimate.accuracy)}
    row["Interval"] = "none that counts" if ends is None else percent_range(*ends)
    gap, apart = one.first_minus_this, _ends(one)
    row["Behind"] = ""
    if gap is not None and gap.difference is not None:
        ends_said = "no interval that counts" if apart is None else points_range(*apart)
        row["Behind"] = f"{100 * gap.difference.value:+.1f}; {ends_said}"
    return row


def _ends(one: JudgedModel) -> tuple[float, float] | None:
    gap = one.first_minus_this
    return None if gap is None else ends_of(gap.difference, gap.difference_headline)
