"""Open demos and projects made before, and label new sessions."""

import json
import shutil
from collections.abc import Iterable
from typing import Any

from equality.case import Case
from equality.reading import read
from equality.steps import STUDIED, estimates, prepared

LABELED_BY = ("rra", "rrs", "srs", "ssrs", "sups", "css", "gbs", "deepest", "severity-first")
"""The techniques of new sessions."""


def demo(name: str, case: Case) -> None:
    """Make a demo ready, read it as Python does, and use it."""
    testimate = case.testimate
    folder = case.folder / "project"
    case.run("demo", name, "--project", "project", "--quiet")
    case.call("read", read, name, folder=folder)
    inputs = case.call("inputs", testimate.Project(folder).inputs, name)
    if inputs is None:
        return
    case.call("select", testimate.select, inputs, budget=60, seed=1)
    for order in ("confidence", "deepgini", "severity-first"):
        case.call(f"prioritize by {order}", testimate.prioritize, inputs, order, seed=1)
    case.call("study", testimate.study, inputs, **STUDIED)
    case.run("cache", "list", "--project", "project")
    case.run("cache", "verify", "--project", "project")


def project(source: str, case: Case) -> None:
    """Open a project made before: its sessions, replayed and exported, its backup and its tables."""
    folder = case.tree / "tests/projects_made_before" / source
    case.put(folder / "project")
    case.run("project", "check", "--project", "project")
    listed = case.run("sessions", "list", "--project", "project", "--json", "-")
    case.run("sessions", "list", "--project", "project")
    case.run("testers", "list", "--project", "project")
    for session in sorted(one["id"] for one in json.loads(listed.out)):
        case.run("sessions", "replay", session, "--project", "project", label=f"replay {session}")
        case.run("sessions", "replay", session, "--project", "project", "--json", "-", label=f"replay {session}")
        case.run("testers", "progress", session, "--project", "project", "--json", "-", label=f"progress {session}")
        for ending in ("csv", "parquet", "html", "json", "testimate"):
            out = f"{session}.{ending}"
            case.run("sessions", "export", session, "--out", out, "--project", "project", label=f"export {out}")
        case.run(
            *("sessions", "export", session, "--votes", "--out", "votes.csv", "--project", "project"),
            label=f"votes {session}",
        )
    case.run("project", "backup", "backup.zip", "--project", "project")
    case.run("project", "check", "backup.zip")
    case.run("project", "restore", "backup.zip", "--project", "restored project")
    case.run("sessions", "list", "--project", "restored project")


def bundles(source: str, case: Case) -> None:
    """Take the bundles of a project made before into a copy without sessions."""
    folder = case.tree / "tests/projects_made_before" / source
    case.put(folder / "project")
    for bundle in sorted(folder.glob("*.testimate")):
        case.put(bundle)
        case.run("sessions", "import", bundle.name, "--project", "project", label=f"import {bundle.name}")
        case.run("sessions", "import", bundle.name, "--project", "empty project", label=f"import {bundle.name}")
    for backup in folder.glob("backup.zip"):
        case.put(backup)
        case.run("project", "restore", "backup.zip", "--project", "restored project")
        case.run("sessions", "list", "--project", "restored project", "--json", "-")


def terminal(case: Case) -> None:
    """Go on with the plans that were made in a terminal before."""
    case.put(*(case.tree / "tests/projects_made_before/first_house/terminal").iterdir())
    for plan in ("rra", "rrs"):
        estimates(case, f"{plan}.json", f"{plan}-votes.csv")
    case.run("continue", "rra.json", "rra-votes.csv", "--out", "on.json")


def sessions(kind: str, case: Case) -> None:
    """Label a new session on a table of a task by each technique that takes it, and export it in every form."""
    testimate = case.testimate
    made = prepared(case, kind)
    opened = testimate.Project(case.folder / "project")
    said = dict(zip(made.read_as[::2], made.read_as[1::2], strict=True))
    options: dict[str, Any] = {
        "task": said.get("--task"),
        "tolerance": float(said["--tolerance"]) if "--tolerance" in said else None,
    }
    key = opened.add_table(made.name, made.text.encode(), **options).key
    event = event_of(case)
    for name in LABELED_BY:
        session = case_session(case, opened, key, name)
        if session is None:
            continue
        answers = stored_answers(session, made.labels)
        while upcoming := session.upcoming(1):
            row = upcoming[0].row
            place = len(session.history())
            session.record(
                [event(f"{name}-{place}", "answer", row, "tester", "2001-01-01T10:00:00+00:00", answers[row], 2.0)]
            )
        case.call(f"{name} draws", list, session.draws)
        case.call(f"{name} estimate", session.estimate)
        for ending in ("csv", "html", "json", "testimate"):
            out = f"{name}.{ending}"
            case.run(
                "sessions",
                "export",
                session.session_record.id,
                "--out",
                out,
                "--project",
                "project",
                label=f"export {out}",
            )
        case.run(
            "sessions",
            "replay",
            session.session_record.id,
            "--project",
            "project",
            "--json",
            "-",
            label=f"replay {name}",
        )
    case.run("sessions", "list", "--project", "project", "--json", "-")


def event_of(case: Case) -> Any:
    """Return the class of a session's events, which a project made before has: its place in the package may change."""
    before = case.folder / "before project"
    shutil.copytree(case.tree / "tests/projects_made_before/kept/2026-11-26/project", before)
    opened = case.testimate.Project(before)
    return type(next(iter(opened.session(opened.sessions()[0].id).history())))


def case_session(case: Case, opened: Any, key: str, name: str) -> Any:
    """Start a session, whose refusal is recorded; None then."""
    try:
        session = opened.start_session(key, case.testimate.Request(name, 30, 7))
    except case.testimate.TestimateError as error:
        case.note(f"{name} refused", str(error))
        return None
    case.recording.hide(session.session_record.id, f"<session by {name}>")
    return session


def stored_answers(session: Any, labels: Iterable[str]) -> list[Any]:
    """Return labels as events hold them: places of classes, numbers, lists of places, or numbers of boxes."""
    task_ = session.inputs.task
    names = {name: place for place, name in enumerate(getattr(task_, "classes", ()) or ())}
    kind = task_.kind
    found: list[Any] = []
    for row, label in enumerate(labels):
        if kind == "regression":
            found.append(float(label))
        elif kind == "multi-label":
            found.append([names[one] for one in label.split(";") if one])
        elif kind == "boxes":
            found.append([])
        else:
            found.append(names.get(label, row % max(len(names), 1)))
    return found
