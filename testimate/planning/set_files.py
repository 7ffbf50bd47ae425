"""Sets of inputs from files: one that grew beyond the labeled one, and one whose mix drifted away from it."""

import csv
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import spaced
from testimate.planning.class_numbers import renumbered
from testimate.planning.drifted_set import By, Compared, Reweighted, compare_sets, reweight
from testimate.planning.grown_set import Grown, added_rows, judge_grown, places_of
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.plan import read_plan
from testimate.planning.reuse import check_not_used, check_task, old_version
from testimate.planning.reused_labels import LabeledPlan
from testimate.planning.votes_file import read_votes
from testimate.subjects.cells import Column
from testimate.subjects.other_predictions import KEYS, Keys, keys_of
from testimate.subjects.prediction_table import read_table, table_content
from testimate.subjects.row_contents import digests_of
from testimate.subjects.spreadsheet_text import Tell
from testimate.tasks.classification import Classification


def grown(
    new: str | Path,
    *,
    old: str | Path,
    plan: str | Path,
    votes: str | Path,
    added_plan: str | Path | None = None,
    added_votes: str | Path | None = None,
    write_added: str | Path | None = None,
    classes: Sequence[str] = (),
    level: float = 0.95,
    used_for_training: bool = False,
    tell: Tell = warnings.warn,
) -> Grown:
    """What old labels, and labels of the inputs that came, say about a model on a set that grew.

    Parameters
    ----------
    new : table of the model's predictions for the grown set, in any order. Its old inputs are recognised by a column ``key``
        (or id, file) that both tables have, else by what is shown of them.
    old, plan, votes : the table that was labeled, its PLAN.json and VOTES.csv.
    added_plan, added_votes : a plan of the inputs that came, made of the table that ``write_added`` wrote, and its votes.
    write_added : a CSV file to write: the rows of ``new`` that are not in ``old``, in their order. Plan labels of it as of any
        table.
    classes : classes that were answers and that the old model never predicted.
    used_for_training : whether the model was trained or chosen on these labels; then there is no honest number.

    Raises
    ------
    BadInput : old inputs are gone, nothing came, nothing tells the inputs apart, or files that do not belong together.
    SubjectChanged : ``old`` is not the table that the plan was made from.
    """
    check_not_used(used_for_training)
    made = read_plan(Path(plan))
    before = old_version(Path(plan), made, Path(old), classes)
    assert before is not None  # a table that was named and is not found is refused
    content = table_content(Path(new), Path(new).name)
    came = read_table(content, name=Path(new).name, undecided="classes")
    assert came.inputs is not None
    check_task(came.inputs)
    places = places_of(*_contents(Path(old), before.keys, came, keys_of(content.cells)))
    rows = added_rows(places, len(came.inputs))
    if write_added is not None:
        columns = {name: Column(name, cells).texts.to_pylist() for name, cells in content.cells.columns.items()}
        _write_rows(Path(write_added), columns, rows.tolist())
    labeled = [LabeledPlan(made, *read_votes(Path(votes), tell))]
    added = []
    if (added_plan is None) != (added_votes is None):
        raise BadInput(
            "Of the added inputs, the plan or its votes are missing; expected both or neither. Name --added-plan with "
            "--added-votes."
        )
    if added_plan is not None and added_votes is not None:
        added = [LabeledPlan(read_plan(Path(added_plan)), *read_votes(Path(added_votes), tell))]
    task = before.inputs.task
    assert isinstance(task, Classification)
    inputs = renumbered(came.inputs, task.classes)
    return judge_grown(replace(inputs, names=None), places, labeled, added, old=before.inputs, level=level)


@dataclass(frozen=True, eq=False)
class Drift:
    """How a new set differs from an old one, test by test, and what the old one's labels say about it; None without labels."""

    tests: list[Compared]
    reweighted: Reweighted | None


def drift(
    new: str | Path,
    *,
    old: str | Path,
    seed: int,
    features: str | Path | None = None,
    old_features: str | Path | None = None,
    plan: str | Path | None = None,
    votes: str | Path | None = None,
    by: By = "confidence",
    level: float = 0.95,
    used_for_training: bool = False,
    tell: Tell = warnings.warn,
) -> Drift:
    """Whether two sets of inputs look alike to one model, and its accuracy on the new one by labels of the old.

    The first is the condition of SSOA's selectors that learn from the training set: there ``old`` is the training set's table.

    Parameters
    ----------
    new, old : tables of what the same model predicts for the inputs of both sets.
    features, old_features : .npy files of their features, (N, width), of the same layer.
    plan, votes : of ``old``; with them its labels are weighted to the new set's shares of predicted classes, or of strata of
        confidence (``by``).
    seed : of the rows compared, where there are many, and of the shuffles.
    used_for_training : whether the model was trained or chosen on these labels; then they may not be weighted.

    Raises BadInput where the tables have nothing in common that could be compared, or one of a pair of files is missing.
    """
    for one, other, called in ((features, old_features, "features"), (plan, votes, "plan with votes")):
        if (one is None) != (other is None):
            raise BadInput(f"One half of the {called} is missing; expected both or neither. Name both files.")
    said = _read(new, features, tell)
    if plan is None or votes is None:
        return Drift(compare_sets(_read(old, old_features, tell), said, seed=seed), None)
    check_not_used(used_for_training)
    made = read_plan(Path(plan))
    before = old_version(Path(plan), made, Path(old), ())
    assert before is not None
    check_task(said)
    tests = compare_sets(_read(old, old_features, tell), said, seed=seed)
    labeled = [LabeledPlan(made, *read_votes(Path(votes), tell))]
    return Drift(tests, reweight(before.inputs, labeled, said, by=by, level=level))


def _read(table: str | Path, features: str | Path | None, tell: Tell) -> Inputs:
    return inputs_of_table(
        Path(table), None if features is None else Path(features), None, undecided="classes", tell=tell
    )


def _contents(old: Path, own: Keys, came: Subject, keys: Keys) -> tuple[Sequence[str], Sequence[str]]:
    """What tells the old inputs and those of the grown set apart: a key that both have, or what is shown of them."""
    shared = next((key for key in KEYS if key in own and key in keys), None)
    if shared is not None:
        return own[shared], keys[shared]
    before = read_table(old, name=old.name, undecided="classes")
    return digests_of(before.dataset), digests_of(came.dataset)


def _write_rows(path: Path, columns: dict[str, list[str]], rows: Sequence[int]) -> None:
    """These rows of a table as CSV, whole or not at all."""
    if path.suffix != ".csv":
        raise BadInput(
            f"The {spaced(len(rows))} new inputs were to be written to {path.name!r:.60}; expected a name that ends in .csv. "
            "Change --write-added."
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[cells[row] for cells in columns.values()] for row in rows])
    write_whole(path, text.getvalue())
