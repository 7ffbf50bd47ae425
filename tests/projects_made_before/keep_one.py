"""Keeps a project of the present version for all that come; a part of making a release (RELEASING.md).

`python -m tests.projects_made_before.keep_one tests/projects_made_before/kept/VERSION` makes the folder. In it are a session of
one person and one of two on every kind of answer, names, a tester, kept labels and a message, a backup, bundles, and what the
version says about each session; ``test_reopening_kept.py`` finds it there.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.demos.answers import answered_questions, answers_csv, two_answerers_csv
from testimate.project.backup import write_backup
from testimate.project.bundle import write_bundle
from testimate.project.deleted import name_session
from testimate.project.kept_labels import keep_labels_of
from testimate.project.project import Project
from testimate.session.session import Session

TIME = "2026-11-26T04:00:00+00:00"
ROWS = 60


def tables() -> dict[str, tuple[str, bytes, dict[str, Any], Callable[[Session, int], Any]]]:
    """By kind of answer: a table's name, its content, how it is added, and the answer to a row."""
    rows = range(ROWS)
    classes = "label,prediction,confidence\n" + "".join(
        f"{row % 3},{(row + (row % 5 == 0)) % 3},0.{50 + row % 50}\n" for row in rows
    )
    sets = "prediction,label,confidence\n" + "".join(
        f"{'cat;dog' if row % 2 else 'owl'},{'dog' if row % 3 else 'owl'},0.{50 + row % 50}\n" for row in rows
    )
    numbers = "prediction,uncertainty\n" + "".join(f"{row * 1.5},{1 + row % 7}.5\n" for row in rows)
    boxes = {
        "images": [{"id": row, "file_name": f"{row}.png", "width": 10, "height": 10} for row in rows],
        "categories": [{"id": 1, "name": "ship"}, {"id": 2, "name": "buoy"}],
        "annotations": [
            {"image_id": row, "category_id": 1 + place, "bbox": [5 * place, 1, 4, 4], "score": 0.3 + row / 100}
            for row in rows
            for place in range(row % 3)
        ],
    }
    return {
        "classes": ("classes.csv", classes.encode(), {}, lambda _, row: row % 3),
        "sets": ("sets.csv", sets.encode(), {"task": "multi-label"}, lambda _, row: [row % 3]),
        "numbers": (
            "numbers.csv",
            numbers.encode(),
            {"task": "regression", "tolerance": 2.0},
            lambda _, row: row * 1.5 + row % 4,
        ),
        "verdicts": ("answers.csv", answers_csv(answered_questions(ROWS, seed=5)), {}, lambda _, row: row % 3),
        "preferences": (
            "two.csv",
            two_answerers_csv(ROWS, seed=5, better=0.3),
            {},
            lambda session, row: row % len(session.inputs.task.classes),
        ),
        "boxes": (
            "found.json",
            json.dumps(boxes).encode(),
            {},
            lambda _, row: [-1] if row % 3 == 0 else [0] if row % 5 == 0 else [],
        ),
    }


def said_of(session: Session) -> dict[str, Any]:
    """What a version says about a session, as JSON holds it."""
    record = session.session_record
    said = {
        "subject": record.subject,
        "fingerprint": record.fingerprint,
        "rows": [draw.row for draw in session.draws],
        "answers": {str(row): answer for row, answer in session.answers().items()},
        "events": len(session.history()),
        "losses": [verdict.loss for verdict in session.verdicts()],
        "accuracy": session.estimate().accuracy,
        "disputed": list(session.disputed()),
    }
    found: dict[str, Any] = json.loads(json.dumps(said))
    return found


def keep(folder: Path) -> None:
    """Makes the project, a backup of it, a bundle of each session, and ``said.json``."""
    folder.mkdir(parents=True)
    project = Project(folder / "project")
    project.testers.add("Lea", "long enough", "lead")
    said = {}
    for kind, (name, table, options, answer) in tables().items():
        key = project.add_table(name, table, **options).key
        for technique, votes in (("srs" if kind in ("numbers", "preferences") else "rra", None), ("srs", 2)):
            session = project.start_session(key, Request(technique, 24, 7), votes_per_input=votes)
            for tester in ("Ann", "Ben")[: votes or 1]:
                while upcoming := session.upcoming(1, tester):
                    _label(session, upcoming[0].row, tester, answer)
            said[session.session_record.id] = said_of(session)
            (folder / f"{session.session_record.id}.testimate").write_bytes(write_bundle(session))
            name_session(project, session.session_record.id, f"{kind} by {technique}", "Lea")
        keep_labels_of(project, key)
    project.team.tell_all("We stop at noon.", "Lea")
    write_backup(project, folder / "backup.zip")
    project.store.close()
    lines = ",\n".join(f"{json.dumps(id)}: {json.dumps(one)}" for id, one in said.items())
    (folder / "said.json").write_text(f"{{\n{lines}\n}}\n")


def _label(session: Session, row: int, tester: str, answer: Callable[[Session, int], Any]) -> None:
    """Ben can tell fewer than Ann, and sees some as if they were the next input."""
    place = len(session.history())
    event = Event(f"{session.session_record.id}-{place}", "answer", row, tester, TIME, answer(session, row), 2.0)
    if tester == "Ben" and row % 8 == 3:
        event = replace(event, kind="cannot tell", answer=None)
    elif tester == "Ben" and row % 8 == 5:
        event = replace(event, answer=answer(session, row + 1))
    [_] = session.record([event]).acknowledged


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
