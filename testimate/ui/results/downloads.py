"""Files to take away from the Results page; the plan and the votes give the same estimate from the terminal."""

import json
from functools import partial

import streamlit as st

from testimate.project.bundle import write_bundle
from testimate.reports.exports import faults_csv, plan_json, votes_csv, votes_parquet
from testimate.reports.label_studio import label_studio_json
from testimate.reports.report import report_html
from testimate.session.session import Session


def files(session: Session) -> None:
    """Files to take away; the plan and the votes give the same estimate from the terminal."""
    st.subheader("Take away", anchor=False)
    name = f"testimate-{session.session_record.id}"
    none = not session.verdicts()
    # a download runs nothing again: that would give the files new names, under which a second click found none
    download = partial(st.download_button, on_click="ignore")
    with st.container(horizontal=True):
        download(
            "Report (HTML)",
            lambda: report_html(session).encode(),
            f"{name}.html",
            "text/html",
            type="primary",
            help="One file that stands alone, with the pictures of the faults and the files to check it again.",
        )
        download(
            "Faults for retraining (CSV)",
            lambda: faults_csv(session).encode(),
            f"{name}-faults.csv",
            "text/csv",
            disabled=none,
        )
        download("Votes (CSV)", lambda: votes_csv(session).encode(), f"{name}-votes.csv", "text/csv", disabled=none)
        download("Votes (Parquet)", lambda: votes_parquet(session), f"{name}-votes.parquet", disabled=none)
        download(
            "Plan (JSON)",
            lambda: json.dumps(plan_json(session), indent=1).encode(),
            f"{name}-plan.json",
            "application/json",
        )
        download(
            "Label Studio (JSON)",
            lambda: label_studio_json(session).encode(),
            f"{name}-label-studio.json",
            "application/json",
            disabled=none,
        )
        download(
            "Whole session",
            lambda: write_bundle(session),
            f"{name}.testimate",
            "application/zip",
            help="Reopens elsewhere: testimate sessions import FILE.",
        )
    st.caption("The estimate again, from a terminal: `testimate estimate PLAN.json VOTES.csv`")
