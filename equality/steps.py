"""Take the steps that many cases have in common: votes on a plan, estimates of every kind, a table with what belongs to it."""

import json
from collections.abc import Iterable

import numpy as np

from equality import tables
from equality.case import Case

STUDIED = {"techniques": ["rrs", "srs"], "budgets": [30], "repetitions": 3, "seed": 1, "workers": 1}
"""A study of seconds."""


def votes_for(case: Case, plan: str, labels: Iterable[str] | None, name: str = "votes.csv") -> str:
    """Write votes on a plan's rows: the labels, or every fifth row failed where none are known; return the file's name."""
    drawn = json.loads((case.folder / plan).read_text(encoding="utf-8"))["draws"]
    rows = sorted({draw["row"] for draw in drawn})
    known = None if labels is None else dict(enumerate(labels))
    columns = (
        {"row": rows, "label": [known[row] for row in rows]}
        if known
        else {
            "row": rows,
            "failed": [int(row % 5 == 0) for row in rows],
        }
    )
    return case.write(name, tables.csv_of(columns))


def estimates(case: Case, plan: str, votes: str) -> None:
    """Estimate in every way that a plan has."""
    case.run("estimate", plan, votes)
    for options in ((), ("--interval", "conservative"), ("--level", "0.8"), ("--classes",), ("--weak-spots",)):
        case.run("estimate", plan, votes, *options, "--json", "-")
    for model in ("learned", "difference", "regression"):
        case.run("estimate", plan, votes, "--assisted", model, "--json", "-")
    case.run("estimate", plan, votes, "--fail-under", "0.7", "--summary", "gate.md", "--junit", "gate.xml")


def prepared(case: Case, kind: str) -> tables.Made:
    """Write the table of a task with features and training inputs beside it."""
    made = tables.made()[kind]
    case.write(made.name, made.text)
    case.write("training.csv", tables.csv_of(tables.classes(tables.TRAINING, seed=13)))
    np.save(case.folder / "features.npy", tables.features())
    np.save(case.folder / "training.npy", tables.features(tables.TRAINING, seed=14))
    case.seen()
    return made
