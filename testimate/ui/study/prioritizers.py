"""Prioritizers side by side on known truth: their metrics, and how fast they find faults and severe faults."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.comparison import fault_curve, order_scores
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.core.words import percent, spaced
from testimate.planning.build import titled
from testimate.studies.claims import OrderScore, cannot_be_judged, judged_order, possible_orders
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.job_progress import running, show_running, show_unfinished, start_over

USUAL = ("severity-first", "deepgini", "confidence", "dsa", "lsa", "srs")
SEED = 1
METRICS = ("WFDR", "SFDR", "FDRO", "APFD")


def orders(subject: Subject, inputs: Inputs) -> None:
    """The view: orders of priority, each judged as soon as it is made."""
    if why := cannot_be_judged(inputs):
        st.info(escape_markdown(why), icon=":material/sort:")
        return
    able = possible_orders(inputs)
    names = st.multiselect(
        "Orders",
        able,
        [name for name in USUAL if name in able],
        format_func=lambda name: "srs (random)" if name == "srs" else name,
        help="Which input a tester should label first. Each order is judged by the known truth, with as many labels as "
        f"there are faults. srs is a random order, for comparison.\n\n{titles(able)}",
    )
    job = judge_missing(subject, inputs, names)
    found = [one for name in names if (one := judged().get((inputs.fingerprint, name))) is not None]

    def judged_by_now() -> int:
        return sum((inputs.fingerprint, name) in judged() for name in names)

    if running(job):
        show_running(job, first_step="beginning", finished_parts=(len(found), judged_by_now))
    else:
        show_unfinished(job, stopped="You stopped it. What is finished is kept.")
    if found:
        compared(found, inputs)


@cache
def judged() -> dict[tuple[str, str], OrderScore]:
    """The orders that were judged, by the inputs' fingerprint and the technique."""
    return {}


def judge_missing(subject: Subject, inputs: Inputs, names: Sequence[str]) -> str:
    """Judges in the background those that are not judged yet; the name of the job."""
    job, jobs, kept = f"orders of {subject.key}", project().jobs, judged()
    missing = [name for name in names if (inputs.fingerprint, name) not in kept]
    status = jobs.status(job)
    if missing and (status is None or status.state == "done"):

        def work(progress: Progress) -> None:
            for name in missing:
                progress(0, 1, name)
                kept[inputs.fingerprint, name] = judged_order(
                    inputs,
                    name,
                    seed=SEED,
                    progress=lambda done, total, _="", name=name: progress(done, total, f"{name}: ordering"),
                )

        start_over(job, work)
    elif missing and status is not None and status.state != "running" and st.button("Go on", type="primary"):
        jobs.forget(job)
        st.rerun()
    return job


def compared(found: Sequence[OrderScore], inputs: Inputs) -> None:
    """The metrics, the curves and the table."""
    metrics = [one.metrics for one in found]
    faults, severe = metrics[0].faults, int(found[0].severe[-1])
    st.markdown(
        f"{spaced(faults)} of {spaced(len(inputs))} inputs are faults ({percent(faults / len(inputs))}); "
        f"{spaced(severe)} of them are severe: "
        "wrong with a confidence of at least 80 %.",
        help=explained("severity"),
    )
    names = ["srs (random)" if one.technique == "srs" else one.technique for one in found]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Metrics", anchor=False, help="\n\n".join(explained(name) for name in METRICS))
        scores = {name: [getattr(one, name.lower()) for one in metrics] for name in METRICS}
        st.plotly_chart(order_scores(names, scores, dark=dark()), theme=None, alt="Metrics of each order")
        table(found)
    with right:
        st.subheader("Faults found", anchor=False, help=explained("fault"))
        curves(
            dict(zip(names, (one.found for one in found), strict=True)),
            inputs,
            faults,
            "faults found (inputs)",
            3 * faults,
            legend=True,
        )
        st.subheader("Severe faults found", anchor=False, help=explained("SFDR"))
        curves(
            dict(zip(names, (one.severe for one in found), strict=True)),
            inputs,
            severe,
            "severe faults (inputs)",
            3 * faults,
            legend=False,
        )


def titles(names: Sequence[str]) -> str:
    """What each technique does, as a list."""
    return "\n".join(f"- {titled(name)}" for name in names)


def curves(
    found: Mapping[str, NDArray[np.intp]], inputs: Inputs, faults: int, title: str, labels: int, *, legend: bool
) -> None:
    """How fast they are found, over the first ``labels``; without a ``legend`` if the chart above has the same lines."""
    if not faults:
        st.caption("There is no such fault.")
        return
    shown = {name: curve[:labels] for name, curve in found.items()}
    figure = fault_curve(shown, dark=dark(), size=len(inputs), faults=faults)
    figure.update_yaxes(title_text=title)
    figure.update_layout(height=340 if legend else 260, showlegend=legend)
    st.plotly_chart(figure, theme=None, key=title, alt=f"{title} against labels, by order")
    if not legend:
        st.caption("The lines are those of the chart above.")


def table(found: Sequence[OrderScore]) -> None:
    """The table of all metrics."""
    rows = [
        {
            "order": titled(one.technique),
            **{
                metric: None if (value := getattr(one.metrics, metric.lower())) is None else 100 * value
                for metric in (*METRICS, "RAUC", "ATRC")
            },
            "severe found": None
            if one.metrics.fdro_by_severity is None or one.metrics.fdro_by_severity.high is None
            else 100 * one.metrics.fdro_by_severity.high,
        }
        for one in found
    ]
    number = st.column_config.NumberColumn
    columns = {name: number(format="%.1f %%", help=explained(name)) for name in (*METRICS, "RAUC", "ATRC")}
    columns["severe found"] = number(
        format="%.1f %%", help="Share of the severe faults among the first m inputs; m is the number of faults."
    )
    st.dataframe(rows, hide_index=True, column_config=columns)
