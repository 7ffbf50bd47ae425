"""Old labels for a new version, from files: its predictions, the plans, their votes and the tables they were made from.

Sets of inputs from files: one that grew beyond the labeled one, and one whose mix drifted away from it.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.reading import Read, Tell
from testimate.core.selector import Request
from testimate.core.spreadsheet_cells import plain_csv
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, percent
from testimate.estimators.margin_test import Outcome
from testimate.planning.changed_sets import (
    By,
    Compared,
    Grown,
    Reweighted,
    added_rows,
    compare_sets,
    judge_grown,
    places_of,
    reweight,
)
from testimate.planning.criteria import check_one_answer
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.known_labels import with_known_labels
from testimate.planning.margin_gate import PRICE, ExpectedAt, Margin, MarginGate, gains_of, gate_plan, margin_gate
from testimate.planning.other_models import agrees_by_chance
from testimate.planning.plan import (
    Plan,
    check_fingerprint,
    choices_of_plan,
    files_of_plan,
    inputs_of_plan,
    make_plan,
    read_plan,
)
from testimate.planning.plan_votes import read_plan_votes
from testimate.planning.reused_labels import LabeledPlan, Reused, judged_classes, renumbered, reuse_labels
from testimate.subjects.other_predictions import Keys, keys_of, other_content, read_other, shared_key
from testimate.subjects.prediction_table import TableContent, read_table, table_content
from testimate.tables.cells import Column
from testimate.tables.data_frame import Columns
from testimate.tables.files import digests_of
from testimate.tables.rules import LATEST
from testimate.tasks.classification import Classification

Source = str | Path | Columns
"""A table: the path of a file, a DataFrame, or arrays."""

Paths = str | Path | Sequence[str | Path]
"""The path of a file, or of several."""

NOT_CHOSEN = (
    "Valid only if the new version was not trained on these labels or chosen with them. If it was, add "
    "--used-for-training."
)


@dataclass(frozen=True)
class Voting:
    """How the files of votes are read: see ``read_plan_votes``."""

    key: str = ""
    read: Read = ()

    @classmethod
    def of(cls, read: Mapping[str, str] | None) -> "Voting":
        """What was said in Python, ``key`` among it."""
        answers = dict(read or {})
        return cls(answers.pop("key", ""), tuple(answers.items()))


VOTES_AS_THEY_ARE = Voting()


@dataclass(frozen=True, eq=False)
class Versions:
    """What is needed to use old labels: the new version, the old one where available, further models, the labeled plans.

    ``against`` is a version to compare with other than the old one, or None.
    """

    new: Inputs
    old: Inputs | None
    against: Inputs | None
    others: tuple[OtherModel, ...]
    plans: tuple[LabeledPlan, ...]


def reuse(
    new: Source,
    *,
    plan: Paths,
    votes: Paths,
    old: str | Path | None = None,
    against: Source | None = None,
    others: Sequence[Source] = (),
    classes: Sequence[str] = (),
    read: Mapping[str, str] | None = None,
    level: float = 0.95,
    used_for_training: bool = False,
) -> Reused:
    """What the labels of earlier plans say about a new version of the model, without a new label.

    Parameters
    ----------
    new : table of the new version's predictions for the same inputs: prediction, confidence or p_<class>; row for row as in the
        plan's table, or in any order where both have a column ``key``.
    plan, votes : PLAN.json and VOTES.csv, or as many of each. Votes need the column label; of verdicts alone "right" can be
        used, "wrong" only where the new version predicts the same.
    old : the table that the first plan was made from; looked for by its name and beside the plan where None. With it
    the estimate is more precise and the difference between the two versions is given.
    against : table of the version that the difference is from; the old one where None.
    others : tables of further models' predictions.
    classes : classes that were answers then and that nothing predicts.
    read : how votes are read, as of ``estimate``.
    used_for_training : whether the new version was trained or chosen on these labels; then there is no honest number.

    Returns
    -------
    Reused; ``estimate`` is the accuracy with its intervals, ``headline`` which of them holds, ``difference`` new minus old.
    ``at_power(0.8).labels_to_tell`` says how many more labels show with that chance which version is better.

    Raises
    ------
    BadInput : the version was trained on these labels; tables or plans that do not belong together; votes that name no class
        and no old table; a task other than classification.
    SubjectChanged : ``old`` is not the table that the plan was made from.
    NotEnoughLabels : the votes give no estimate yet.
    """
    found = read_versions(
        new,
        plan,
        votes,
        old=old,
        against=against,
        others=others,
        classes=classes,
        voting=Voting.of(read),
        used_for_training=used_for_training,
    )
    return reuse_labels(found.new, found.plans, old=found.old, against=found.against, others=found.others, level=level)


def read_versions(
    new: Source,
    plan: Paths,
    votes: Paths,
    *,
    old: str | Path | None = None,
    against: Source | None = None,
    others: Sequence[Source] = (),
    classes: Sequence[str] = (),
    voting: Voting = VOTES_AS_THEY_ARE,
    used_for_training: bool = False,
    tell: Tell = warnings.warn,
) -> Versions:
    """The files of ``reuse``, read and checked against one another, with the errors it names."""
    check_not_used(used_for_training)
    plans, voted = _listed(plan), _listed(votes)
    if not plans or len(plans) != len(voted):
        raise BadInput(
            f"There are {commas(len(plans))} plans and {commas(len(voted))} files of votes. Expected one file of votes for "
            "each plan, in the same order. Name them in pairs."
        )
    made = [read_plan(one) for one in plans]
    for earlier in made:
        check_one_answer(earlier.criteria, "a comparison of versions")
    before = old_version(plans[0], made[0], None if old is None else Path(old), classes)
    files = [_VotesOf(*one) for one in zip(plans, made, voted, strict=True)]
    if before is None:
        inputs = _of_table(new, made[0], classes)
        check_task(inputs)
        _check_names(made[0], inputs)
        if against is not None:
            raise BadInput(
                f"The plan's table {made[0].table} was not found, or has changed since, and versions are matched to it "
                "row by row. Expected that table. Name it with --old."
            )
        reading = made[0].reading
        offered = inputs.task.classes if reading is None else tuple(dict.fromkeys((*reading.classes, *classes)))
        labeled = _labeled(files, inputs, offered or inputs.task.classes, voting, tell)
        models = tuple(_other(one, inputs, None, tell) for one in others)
        return Versions(inputs, None, None, models, labeled)
    versions = [_aligned(one, before, tell) for one in (new, against) if one is not None]
    world = tuple(dict.fromkeys(name for one in (before.inputs, *versions) for name in one.task.classes))
    labeled = _labeled(files, renumbered(before.inputs, world), before.inputs.task.classes, voting, tell)
    numbering = judged_classes(labeled, [one.task.classes for one in versions])
    for one, source in zip(versions, (new, against), strict=False):
        _check_classes(one, numbering, source)
    own, *compared = (renumbered(one, numbering) for one in versions)
    first = renumbered(before.inputs, numbering)
    models = tuple(_other(one, first, before.keys, tell) for one in others)
    return Versions(own, first, compared[0] if compared else None, models, labeled)


@dataclass(frozen=True)
class _VotesOf:
    """A plan, its file, and the file of its votes."""

    path: Path
    plan: Plan
    votes: Path


def _labeled(
    files: Sequence[_VotesOf], inputs: Inputs, classes: Sequence[str], voting: Voting, tell: Tell
) -> tuple[LabeledPlan, ...]:
    """The plans with the votes in their files and the known labels that these reach.

    ``inputs`` : with the classes of all versions. ``classes`` : those that one could choose from.
    """
    return tuple(_labeled_plan(one, inputs, tuple(classes), voting, tell) for one in files)


def _labeled_plan(file: _VotesOf, inputs: Inputs, classes: tuple[str, ...], voting: Voting, tell: Tell) -> LabeledPlan:
    plan, votes_file = file.plan, file.votes
    table = files_of_plan(file.path, plan)[0]
    learned = {*inputs.task.classes} - {*classes}
    votes = read_plan_votes(
        votes_file, plan, table, inputs, key=voting.key, read=voting.read, tell=tell, learned=learned
    )
    if votes.kind != "label" and plan.known_draws:
        raise BadInput(
            f"The plan has {counted(len(plan.known_draws), 'known label')} and {votes_file.name!r:.60} says {votes.kind}. "
            "Expected labels for all. Give votes with the column label."
        )
    votes = with_known_labels(plan, votes, inputs)
    named = {one for cell in votes.cells.values() for one in inputs.task.typed_names(cell)} if learned else set()
    return LabeledPlan(plan, votes.kind, votes.cells, votes.outside | (named & learned), classes=classes)


def _check_classes(version: Inputs, classes: Sequence[str], source: Source | None) -> None:
    """BadInput where the version predicts a class that is none of these."""
    index = ClassIndex(classes)
    unknown = np.flatnonzero(index.indices(version.task.classes, UNKNOWN)[version.predictions] == UNKNOWN)
    if unknown.size:
        name = Path(source).name if isinstance(source, str | Path) else "the new version"
        raise BadInput(
            f"{name!r:.60} predicts a class that the old version does not have on {commas(unknown.size)} inputs, first "
            f"row {unknown[0]}. Expected its classes, because no other could be answered. Use the same names, or add "
            "--class NAME if it was an answer then."
        )


def _listed(paths: Paths) -> list[Path]:
    """One or several paths as a list."""
    return [Path(one) for one in ([paths] if isinstance(paths, str | Path) else paths)]


def check_not_used(used_for_training: bool) -> None:
    """BadInput where the version was trained or chosen on the labels that are to judge it."""
    if used_for_training:
        raise BadInput(
            "The version was trained or chosen on these labels, so it looks better on them than it is and no number is honest. "
            "Expected labels it has not seen. Label the inputs of a new plan: testimate select."
        )


@dataclass(frozen=True, eq=False)
class Old:
    """The old version's predictions, the key columns of its table, and where that is."""

    inputs: Inputs
    keys: Keys
    table: Path


def old_version(path: Path, plan: Plan, old: Path | None, classes: Sequence[str]) -> Old | None:
    """The predictions that the plan was made from; None where they are not found or have changed and nobody named them."""
    named = plan if old is None else replace(plan, table=str(old))
    inputs, table = inputs_of_plan(path, named), files_of_plan(path, named)[0]
    if inputs is None or table is None:
        if old is not None:
            raise BadInput(f"There is no file {old}, or a file the plan names beside its table is missing. Restore it.")
        return None
    if old is not None:
        check_fingerprint(plan, inputs)
    elif inputs.fingerprint != plan.fingerprint:
        return None
    check_task(inputs)
    further = [one for one in classes if one not in inputs.task.classes]
    keys = keys_of(table_content(table, table.name).by(choices_of_plan(plan).rules).cells)
    return Old(replace(inputs, task=Classification((*inputs.task.classes, *further))), keys, table)


def check_task(inputs: Inputs) -> None:
    """BadInput where the inputs have no class each, by which old labels could be used again."""
    if not inputs.single_class:
        what = "top-k" if inputs.task.one_class else inputs.task.kind
        then = PRICE if inputs.task.grades else "Label again."
        raise BadInput(f"This is a {what} task; old labels can be used again for classes, one per input. {then}")


def _of_table(new: Source, plan: Plan, classes: Sequence[str]) -> Inputs:
    """The new version by its own table alone."""
    from testimate.subjects.open import open_subject

    subject = open_subject(new, task=plan.task, classes=tuple(dict.fromkeys((*plan.further, *classes))))
    assert subject.inputs is not None
    return subject.inputs


def _aligned(new: Source, before: Old, tell: Tell) -> Inputs:
    """The new version's predictions in the old one's order, further classes numbered on; BadInput where that cannot be."""
    content, name = _content(new, tell)
    old, keys = before.inputs, before.keys
    matched = shared_key(keys_of(content.cells), keys) is not None
    if not matched:
        content = _ordered_by_content(content, name, before, tell)
    said = read_other(content, old, name=name, keys=keys)
    agrees = float((said.predictions == old.predictions).mean())
    if not matched and agrees_by_chance(old, said.predictions):
        raise BadInput(
            f"{name!r:.60} agrees with the old version on {percent(agrees)} of the inputs, about what chance gives. Expected "
            "the same inputs in the same order. Add a column 'key' to both tables to match them."
        )
    scores = {} if said.confidence is None else {"confidence": 1 - said.confidence}
    task = Classification((*old.task.classes, *said.further))
    predictions = said.numbered_on(len(old.task.classes))
    return Inputs(old.fingerprint, task, predictions, said.confidence, scores=scores, names=old.names)


def _ordered_by_content(content: TableContent, name: str, before: Old, tell: Tell) -> TableContent:
    """The rows in the order of the old table where both show the same inputs in another one; as they are elsewhere."""
    if content.cells.size != len(before.inputs):
        return content
    try:
        mine = read_table(content, name=name, undecided="classes").dataset
        own = read_table(before.table, name=before.table.name, undecided="classes").dataset
        places = places_of(digests_of(own), digests_of(mine))
    except BadInput:  # nothing is shown of them
        return content
    if (places < 0).any() or (places == np.arange(places.size)).all():
        return content
    tell(f"{name} has the old table's inputs in another order, by their content; its rows were put in the old one.")
    columns = {column: cells.take(places) for column, cells in content.cells.columns.items()}
    return replace(content, cells=replace(content.cells, columns=columns, embedded={}))


def _other(source: Source, inputs: Inputs, keys: Keys | None, tell: Tell) -> OtherModel:
    content, name = _content(source, tell)
    return read_other(content, inputs, name=name, keys=keys)


def _content(source: Source, tell: Tell) -> tuple[TableContent, str]:
    """The table's columns, and what it is called."""
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise BadInput(f"There is no file {path}. Expected a table of predictions. Check its name.")
        return other_content(path, path.name, tell).by(LATEST), path.name
    return table_content(source, "new").by(LATEST), "the new version"


def _check_names(plan: Plan, new: Inputs) -> None:
    """BadInput where the plan names its rows' files and the new table has others there."""
    if new.names is None:
        return
    for row, name in plan.names.items():
        if row < len(new) and new.name_of(row) != name:
            raise BadInput(
                f"Row {row} of the new table is {new.name_of(row)!r:.60} and the plan drew {name!r:.60} there. Expected its "
                "inputs in its order. Give the plan's table with --old, by which they can be put in order."
            )


@dataclass(frozen=True, eq=False, repr=False)
class VersionGate:
    """A gate that asks until it is decided, with the versions that it is about; it prints as a sentence.

    Attributes
    ----------
    now : where it stands. new, old, gains : as of ``margin_gate``. like : the first plan of these inputs.
    """

    now: MarginGate
    new: Inputs
    old: Inputs
    gains: Mapping[int, float]
    like: Plan

    @property
    def passed(self) -> bool:
        """Whether it is decided that the new version may go out."""
        return self.now.passed

    @property
    def outcome(self) -> Outcome:
        """Return "pass", "fail" or "undecided"."""
        return self.now.outcome

    def plan(self, seed: int) -> Plan:
        """Return what to label: all inputs on which the versions differ, in random order; see ``gate_plan``."""
        return gate_plan(self.now, self.new, self.old, self.gains, self.like, seed)

    def expect(self) -> tuple[ExpectedAt, ...]:
        """Return how many labels a decision takes, for four differences of the versions."""
        return self.now.expect()

    def __repr__(self) -> str:
        return repr(self.now)


def gate(
    new: Source,
    *,
    by_at_most: float,
    plan: Paths = (),
    votes: Paths = (),
    old: str | Path | None = None,
    against: Source | None = None,
    risk: float = 0.05,
    classes: Sequence[str] = (),
    read: Mapping[str, str] | None = None,
    used_for_training: bool = False,
) -> VersionGate:
    """May the new version go out? Label inputs on which the versions differ, in random order, until this is decided.

    In a test: ``assert gate("v2.csv", by_at_most=2, plan=plans, votes=votes).passed``.

    Parameters
    ----------
    new : table of the new version's predictions; see ``reuse``.
    by_at_most : percentage points by which its accuracy may be lower, 0 to 100.
    plan, votes : earlier plans with their votes, which count first, and the gate's own. None at all if nothing is labeled yet.
    old : the first plan's table, needed if there is no plan. against : the version to compare with; ``old`` if None.
    risk : chance with which either answer may be wrong, whenever you look.
    classes, read, used_for_training : as of ``reuse``.

    Raises
    ------
    BadInput : as ``reuse``; no version to compare with; a gate begun with another margin; votes that name no class.
    """
    margin, voting = Margin(by_at_most, risk), Voting.of(read)
    return open_gate(
        new,
        plan,
        votes,
        margin,
        old=old,
        against=against,
        classes=classes,
        voting=voting,
        used_for_training=used_for_training,
    )


def open_gate(
    new: Source,
    plan: Paths,
    votes: Paths,
    margin: Margin,
    *,
    old: str | Path | None = None,
    against: Source | None = None,
    classes: Sequence[str] = (),
    voting: Voting = VOTES_AS_THEY_ARE,
    used_for_training: bool = False,
    tell: Tell = warnings.warn,
) -> VersionGate:
    """The files of ``gate``, read and checked against one another, with the errors it names."""
    plans = _listed(plan)
    if plans:
        found = read_versions(
            new,
            plan,
            votes,
            old=old,
            against=against,
            classes=classes,
            voting=voting,
            used_for_training=used_for_training,
            tell=tell,
        )
        before, labeled, like, said = found.against or found.old, found.plans, found.plans[0].plan, found.new
    else:
        check_not_used(used_for_training)
        first = _first_version(old, classes)
        before = first.inputs if against is None else _aligned(against, first, tell)
        labeled, said = (), _aligned(new, first, tell)
        for one, source in ((said, new), (before, against)):
            _check_classes(one, first.inputs.task.classes, source)
        like = make_plan(first.inputs, Request("srs", 1, 1), table=str(first.table))
    if before is None:
        raise BadInput(
            "The plan's table was not found, or has changed since. Expected the old version's predictions. Name it with --old."
        )
    gains = gains_of(labeled, said, before)
    now = margin_gate(said, before, gains, [one.plan for one in labeled], margin)
    return VersionGate(now, said, before, gains, like)


def _first_version(table: str | Path | None, classes: Sequence[str]) -> Old:
    """The old version of which no plan was made yet."""
    if table is None:
        raise BadInput(
            "There is no plan and no old version. Expected one of them. Name the old version's table with --old."
        )
    path = Path(table)
    if not path.exists():
        raise BadInput(f"There is no file {path}. Expected a table of predictions. Check its name.")
    content = table_content(path, path.name).by(LATEST)
    subject = read_table(content, name=path.name, undecided="classes")
    assert subject.inputs is not None
    check_task(subject.inputs)
    further = [one for one in classes if one not in subject.inputs.task.classes]
    task = Classification((*subject.inputs.task.classes, *further))
    return Old(replace(subject.inputs, task=task), keys_of(content.cells), path)


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
    voting: Voting = VOTES_AS_THEY_ARE,
    level: float = 0.95,
    used_for_training: bool = False,
    tell: Tell = warnings.warn,
) -> Grown:
    """What old labels, and labels of the inputs that came, say about a model on a set that grew.

    Parameters
    ----------
    new : table of the model's predictions for the grown set, in any order. Its old inputs are recognized by a column ``key``
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
    content = table_content(Path(new), Path(new).name).by(LATEST)
    came = read_table(content, name=Path(new).name, undecided="classes")
    assert came.inputs is not None
    check_task(came.inputs)
    places = places_of(*_contents(Path(old), before.keys, came, keys_of(content.cells)))
    rows = added_rows(places, len(came.inputs))
    if write_added is not None:
        columns = {name: Column(name, cells).texts.to_pylist() for name, cells in content.cells.columns.items()}
        _write_rows(Path(write_added), columns, rows.tolist())
    if (added_plan is None) != (added_votes is None):
        raise BadInput(
            "Of the added inputs, the plan or its votes are missing. Expected both or neither. Name --added-plan with "
            "--added-votes."
        )
    classes = before.inputs.task.classes
    world = replace(came.inputs, task=Classification(tuple(dict.fromkeys((*classes, *came.inputs.task.classes)))))
    labeled = _labeled([_VotesOf(Path(plan), made, Path(votes))], world, classes, voting, tell)
    added: tuple[LabeledPlan, ...] = ()
    if added_plan is not None and added_votes is not None:
        of_added = _VotesOf(Path(added_plan), read_plan(Path(added_plan)), Path(added_votes))
        added = _labeled([of_added], world, world.task.classes, voting, tell)
    numbering = judged_classes(labeled, [came.inputs.task.classes])
    inputs, first = (renumbered(one, numbering) for one in (came.inputs, before.inputs))
    return judge_grown(replace(inputs, names=None), places, labeled, added, old=first, level=level)


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
    voting: Voting = VOTES_AS_THEY_ARE,
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
            raise BadInput(f"One half of the {called} is missing. Expected both or neither. Name both files.")
    said = _read(new, features, tell)
    if plan is None or votes is None:
        return Drift(compare_sets(_read(old, old_features, tell), said, seed=seed), None)
    check_not_used(used_for_training)
    made = read_plan(Path(plan))
    before = old_version(Path(plan), made, Path(old), ())
    assert before is not None
    check_task(said)
    tests = compare_sets(_read(old, old_features, tell), said, seed=seed)
    labeled = _labeled(
        [_VotesOf(Path(plan), made, Path(votes))], before.inputs, before.inputs.task.classes, voting, tell
    )
    return Drift(tests, reweight(before.inputs, labeled, said, by=by, level=level))


def _read(table: str | Path, features: str | Path | None, tell: Tell) -> Inputs:
    return inputs_of_table(
        Path(table), None if features is None else Path(features), None, undecided="classes", tell=tell
    )


def _contents(old: Path, own: Keys, came: Subject, keys: Keys) -> tuple[Sequence[str], Sequence[str]]:
    """What tells the old inputs and those of the grown set apart: a key that both have, or what is shown of them."""
    shared = shared_key(own, keys)
    if shared is not None:
        return own[shared], keys[shared]
    before = read_table(old, name=old.name, undecided="classes")
    return digests_of(before.dataset), digests_of(came.dataset)


def _write_rows(path: Path, columns: dict[str, list[str]], rows: Sequence[int]) -> None:
    """These rows of a table as CSV, whole or not at all."""
    if path.suffix != ".csv":
        raise BadInput(
            f"The {commas(len(rows))} new inputs were to be written to {path.name!r:.60}. Expected a name that ends in .csv. "
            "Change --write-added."
        )
    write_whole(path, plain_csv([columns, *([cells[row] for cells in columns.values()] for row in rows)]))
