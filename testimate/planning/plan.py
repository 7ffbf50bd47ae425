"""A plan: which inputs to label and what their chances mean, as it is written to PLAN.json, read back and checked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from testimate.charts.html import paragraphs, table
from testimate.core.design import Design, design_from_json, design_to_json
from testimate.core.draw import Draw, Verdict, draws_from_json
from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.files import write_whole
from testimate.core.inputs import Inputs
from testimate.core.reading import Read, Reading
from testimate.core.selector import Request
from testimate.core.stored_record import Finite, Rule, Whole64, WrongValue, read_record
from testimate.core.subject import Subject
from testimate.core.task import Task, TaskKind
from testimate.core.words import commas, counted, is_or_are
from testimate.planning.build import build, interval_method, resolve
from testimate.planning.criteria import TAKEN, check_learns_nothing, with_criteria
from testimate.planning.draws import AskedDraws, KnownOutcome
from testimate.planning.known_inputs import inputs_of_table, with_history_file
from testimate.planning.votes import losses_of_known
from testimate.tables.rules import FOUND
from testimate.tasks import TASKS
from testimate.tasks.regression import Regression, SaidTolerance, as_said, regression
from testimate.tasks.verdict import Criterion, check_criteria, grades_of

if TYPE_CHECKING:
    from testimate.subjects.table_choices import TableChoices


ANOTHER = "Make the plan again."


def _check_grades(scale: str) -> None:
    """BadInput if there is no such scale."""
    try:
        grades_of(scale)
    except BadInput as error:
        raise BadInput(f"In the plan: {error} {ANOTHER}") from None


def _checked_design(record: Mapping[str, Any]) -> Design:
    """The design of the plan; BadInput where its numbers do not go together."""
    design = design_from_json(record)
    if design.size >= 1 << 63:
        raise BadInput(f"The plan's strata have {design.size} inputs. Expected fewer than 2^63. {ANOTHER}")
    for name in ("prior_failure", "stratum_chances", "group_chances"):
        shares = getattr(design, name, None)
        if shares and len(shares) != len(design.stratum_sizes):
            raise BadInput(
                f"The plan has {len(shares)} numbers of {name}. Expected {len(design.stratum_sizes)}, one for each "
                f"stratum. {ANOTHER}"
            )
    return design


def _checked_draws(records: Sequence[Mapping[str, Any]], design: Design) -> tuple[Draw, ...]:
    """The draws of the plan; BadInput where one is of no input or of no stratum."""
    draws = draws_from_json(
        {key: value for key, value in one.items() if key != FILE} if FILE in one else one for one in records
    )
    size, strata = design.size, len(design.stratum_sizes)
    for draw in draws:
        if not (draw.row < size and 0 <= draw.stratum < strata):
            raise BadInput(
                f"The plan draws row {draw.row} in stratum {draw.stratum}; there are {size} inputs in {strata} strata. "
                f"{ANOTHER}"
            )
    return draws


FORMAT = 1

FILE = "file"
"""Under which a draw names its file."""


@dataclass(frozen=True, repr=False)
class Plan:
    """A request, the inputs it was made for, its design and the draws known so far, in labeling order.

    ``table``, ``features_file`` and ``training`` are where the inputs were read from; ``fingerprint`` is of their
    content. ``told`` are the (row, loss) pairs an adaptive technique has learned so far. ``task`` is what the table was read
    as; None in plans of earlier versions, which took whole numbers for classes. ``interval_method`` is that of the
    intervals when it was made; "" in plans made before that was kept.
    ``resolved`` is what the request left open, as it was settled then; empty in plans made before that was kept.
    ``others`` are the tables of other models' predictions, ``history`` that of earlier models' results.
    ``names`` are the names of the drawn rows, where they have files. ``columns``, ``top_k`` and ``further``
    classes say how the table was read; columns are None in plans of versions that read it otherwise, and ``class_names`` is
    False in those that read numbers where the table lists names. ``numbers`` is the task of a regression; None of others,
    and in plans made before it was kept. ``grades`` is the scale on which outputs are judged; "" of other tasks.
    ``least_score`` is that of a detector's boxes that are judged, and ``pictures`` where these lie; "" of other tasks.
    ``answered`` is what was said where the table may be read in several ways, ``rules`` by which rules it was read, and
    ``reading`` what was understood; None where there was no table, and in plans made before that was kept.
    ``known`` are labels that were there before, as VOTES.csv has them, by row: nobody is asked for them. Those of inputs
    that are not drawn enter no estimate.
    ``keys`` are the cells of the drawn rows that number or name them in their table, by column and row, where no table goes
    with the plan.
    ``criteria`` are asked of each output, each with grades of its own; empty where one question is.
    ``warning`` is what to watch out for when it is made, by its technique; "" if nothing, and in a plan that was read.
    """

    request: Request
    fingerprint: str
    loss_bound: float | None
    design: Design
    draws: tuple[Draw, ...]
    table: str = ""
    features_file: str = ""
    training: str = ""
    told: tuple[tuple[int, float | None], ...] = ()
    task: TaskKind | None = None
    interval_method: str = ""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    columns: tuple[tuple[str, str], ...] | None = None
    top_k: int = 1
    further: tuple[str, ...] = ()
    numbers: Task | None = None
    others: tuple[str, ...] = ()
    history: str = ""
    class_names: bool = True
    grades: str = ""
    least_score: float = 0.0
    pictures: str = ""
    answered: Read = ()
    rules: int = 1
    reading: Reading | None = None
    known: Mapping[int, str] = field(default_factory=dict)
    keys: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    criteria: tuple[Criterion, ...] = ()
    warning: str = field(default="", compare=False)

    def __repr__(self) -> str:
        count, known = len(self.draws), len(self.known_draws)
        size = sum(self.design.stratum_sizes)
        more = "" if count >= self.request.budget else f", of {commas(self.request.budget)} planned"
        beside = f" {commas(known)} more {is_or_are(known)} known." if known else ""
        return (
            f"Plan: {counted(count - known, 'input')} to label of {commas(size)}{more}, by "
            f"{self.request.technique} with seed {self.request.seed}.{beside}"
        )

    def _repr_html_(self) -> str:
        cells = (
            (draw.row, *([self.names.get(draw.row, "")] if self.names else []), draw.probability, draw.reason)
            for draw in self.draws
        )
        header = ("row", *([FILE] if self.names else []), "probability", "reason")
        return paragraphs([repr(self)]) + table(header, cells, len(self.draws))

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows to label, in labeling order, each once; without those whose label is known."""
        return tuple(dict.fromkeys(draw.row for draw in self.draws if draw.row not in self.known))

    @property
    def known_draws(self) -> tuple[Draw, ...]:
        """The draws whose label is known."""
        return tuple(draw for draw in self.draws if draw.row in self.known)

    def level_together(self, level: float = 0.95) -> float:
        """The level of each interval at which those of all criteria, and of all together, hold at once (Bonferroni)."""
        return 1 - (1 - level) / (len(self.criteria) + 1)

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        """The plan in a PLAN.json; see ``read_plan``."""
        return read_plan(Path(path))

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each draw: row, probability, stratum, reason, and file where inputs have names."""
        import pandas as pd

        columns = ["row", "probability", "stratum", "reason", *([FILE] if self.names else [])]
        return pd.DataFrame([self._draw(draw) for draw in self.draws], columns=columns)

    def write(self, path: str | Path) -> None:
        """Writes PLAN.json; a plan that was there before stays whole until the new one is."""
        write_whole(Path(path), json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values as INTERFACES describes them."""
        request = self.request
        return {
            "format": FORMAT,
            "technique": request.technique,
            "parameters": {
                "budget": request.budget,
                "auxiliary": request.auxiliary,
                "features": request.features,
                "variant": request.variant,
                **request.options,
            },
            "seed": request.seed,
            "fingerprint": self.fingerprint,
            "table": self.table,
            "features_file": self.features_file,
            "training": self.training,
            "task": self.task,
            "loss_bound": self.loss_bound,
            "design": design_to_json(self.design),
            "draws": [self._draw(draw) for draw in self.draws],
            "told": [list(pair) for pair in self.told],
            "interval_method": self.interval_method,
            "resolved": self.resolved,
            "columns": None if self.columns is None else [list(pair) for pair in self.columns],
            "top_k": self.top_k,
            "further": list(self.further),
            "numbers": None if self.numbers is None else self.numbers.numbers_to_json(),
            "others": list(self.others),
            **({"history": self.history} if self.history else {}),
            "class_names": self.class_names,
            "grades": self.grades,
            "least_score": self.least_score,
            "pictures": self.pictures,
            "read": [list(pair) for pair in self.answered],
            "rules": self.rules,
            "reading": None if self.reading is None else self.reading.to_json(),
            **({"known": [[row, label] for row, label in self.known.items()]} if self.known else {}),
            **({"keys": {name: list(cells.items()) for name, cells in self.keys.items()}} if self.keys else {}),
            **({"criteria": [asdict(one) for one in self.criteria]} if self.criteria else {}),
        }

    def _draw(self, draw: Draw) -> dict[str, Any]:
        """The draw as JSON, with the file it is about where its name is known."""
        name = self.names.get(draw.row)
        return asdict(draw) if name is None else {**asdict(draw), FILE: name}


PlanText = Annotated[str, Meta(description="a text")]


@dataclass(frozen=True)
class StoredParameters:
    """The parameters that every technique has."""

    budget: int
    auxiliary: PlanText
    features: PlanText
    variant: PlanText | None


NAMED = frozenset(one.name for one in fields(StoredParameters))


@dataclass(frozen=True)
class StoredNumbers:
    """What ``Task.numbers_to_json`` writes of a regression."""

    tolerance: SaidTolerance
    unit: str
    scale: Finite

    @property
    def task(self) -> Regression:
        """The task."""
        return replace(regression(self.tolerance, self.unit), scale=self.scale)


@dataclass(frozen=True)
class StoredPlan:
    """A plan as ``Plan.to_json`` writes it; those of earlier versions say less. PLAN.json may have been edited since."""

    technique: PlanText
    parameters: Mapping[str, Any]
    seed: int
    fingerprint: PlanText
    table: PlanText
    features_file: PlanText
    training: PlanText
    loss_bound: Finite | None
    design: Mapping[str, Any]
    draws: list[Any]
    told: tuple[tuple[Whole64, Finite | None], ...]
    task: Annotated[str | None, Rule(lambda kind: kind is None or kind in TASKS, f"one of {', '.join(TASKS)}")] = None
    interval_method: PlanText = ""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[tuple[PlanText, PlanText], ...] | None = None
    top_k: Whole64 = 1
    further: tuple[PlanText, ...] = ()
    numbers: StoredNumbers | None = None
    others: tuple[PlanText, ...] = ()
    history: PlanText = ""
    class_names: bool = False
    grades: PlanText = ""
    least_score: Finite = 0.0
    pictures: PlanText = ""
    read: Read = ()
    rules: Whole64 = 1
    reading: Any = None  # ``Reading.from_json`` looks at it
    known: tuple[tuple[Whole64, PlanText], ...] = ()
    keys: Mapping[PlanText, tuple[tuple[Whole64, PlanText], ...]] = field(default_factory=dict)
    criteria: tuple[Criterion, ...] = ()


_MADE = {"design", "draws", "numbers", "reading", "known", "keys"}
_SHARED = {one.name for one in fields(StoredPlan)} & {one.name for one in fields(Plan)} - _MADE
"""What a plan has as it is stored."""


def make_plan(
    inputs: Inputs,
    request: Request,
    *,
    table: str = "",
    features_file: str = "",
    training: str = "",
    columns: tuple[tuple[str, str], ...] = (),
    further: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    least_score: float = 0.0,
    pictures: str = "",
) -> Plan:
    """The plan for a request: every draw that can be known before a label is."""
    reading, criteria = inputs.reading, inputs.task.criteria
    check_learns_nothing(request.technique, criteria)
    resolved = resolve(inputs, request)
    selector = build(inputs, request, resolved)
    # PACE as published chooses more, which follow when the plan goes on
    known = known_outcomes(inputs)
    draws = tuple(AskedDraws(selector, known).draws if known else selector.ask(request.budget))
    return Plan(
        request=request,
        fingerprint=inputs.fingerprint,
        loss_bound=inputs.task.loss_bound,
        design=selector.design,
        draws=draws,
        table=table,
        features_file=features_file,
        training=training,
        task=inputs.task.kind,
        interval_method=interval_method(inputs.task),
        resolved=resolved,
        names=_names(inputs, draws),
        columns=columns,
        further=further,
        others=others,
        top_k=inputs.task.top_k,
        numbers=inputs.task if inputs.task.numeric else None,
        grades=inputs.task.table_grades,
        least_score=least_score,
        pictures=pictures if inputs.task.boxed else "",
        answered=() if reading is None else reading.read,
        rules=1 if reading is None else reading.rules,
        reading=reading,
        known=dict(inputs.known),
        criteria=criteria,
        warning=getattr(selector, "warning", ""),
    )


def known_outcomes(inputs: Inputs) -> dict[int, KnownOutcome]:
    """What the known labels say about the inputs, by row."""
    losses = losses_of_known(inputs.known, inputs)
    return {row: KnownOutcome(loss) for row, loss in losses.items()}


def _names(inputs: Inputs, draws: Sequence[Draw]) -> dict[int, str]:
    """What the drawn rows are called, where they have names."""
    return {} if inputs.names is None else {draw.row: inputs.name_of(draw.row) for draw in draws}


def continue_plan(inputs: Inputs, plan: Plan, verdicts: Sequence[Verdict]) -> Plan:
    """The plan with the draws that follow once these verdicts, in draw order, are passed to its technique.

    Verdicts passed on before may be among them again. Raises BadInput where one of those has changed, or is of a row that
    was not drawn. The inputs must be those the plan was made for: ``check_fingerprint``.
    """
    selector = build(inputs, plan.request, plan.resolved)
    asked = AskedDraws(selector, known_outcomes(replace(inputs, known=plan.known)))
    by_row = {verdict.draw.row: verdict.loss for verdict in verdicts if verdict.draw.row not in plan.known}
    outcomes = dict(plan.told)
    for row, loss in outcomes.items():
        if row in by_row and by_row[row] != loss:
            raise BadInput(
                f"The vote for row {row} was {loss} when the plan went on and is {by_row[row]} now; later draws depend on it. "
                "Restore the earlier vote, or make a new plan."
            )
    for row, loss in by_row.items():
        outcomes.setdefault(row, loss)
    for row in asked.rows():
        if row in outcomes:
            asked.tell(row, outcomes[row])
    if strangers := [row for row in outcomes if row not in asked.positions]:
        raise BadInput(f"There is a vote for row {strangers[0]}, which the plan did not draw. Remove it.")
    draws, told = tuple(asked.draws), tuple(sorted(outcomes.items()))
    return replace(plan, design=selector.design, draws=draws, told=told, names={**plan.names, **_names(inputs, draws)})


def with_further_criteria(plan: Plan, criteria: Sequence[Criterion], answered: int) -> Plan:
    """The plan with criteria that were added once ``answered`` draws had answers; those count as skipped for them.

    The draws stay: they follow the judges of the first criteria. BadInput for a plan of one question.
    """
    if not plan.criteria:
        raise BadInput(
            "The plan has one question. Expected a plan with criteria, to which others can be added. Make a plan with "
            "--criterion."
        )
    further = [replace(one, after=answered) for one in criteria]
    return replace(plan, criteria=check_criteria([*plan.criteria, *further], TAKEN))


def check_fingerprint(plan: Plan, inputs: Inputs) -> None:
    """Raises SubjectChanged where the inputs are not those the plan was made for."""
    if inputs.fingerprint != plan.fingerprint:
        raise SubjectChanged(
            "The table changed after the plan was made, so its rows may not be the ones picked (fingerprint "
            f"{inputs.fingerprint[:8]}). Expected {plan.fingerprint[:8]}. Restore the table, or make a new plan."
        )


def read_plan(path: Path) -> Plan:
    """The plan in a PLAN.json; BadInput where it is not one, is damaged or cut short, or comes from a later version."""
    return plan_of_json(_read_json(path), str(path))


def plan_of_json(record: Any, name: str) -> Plan:
    """The plan that ``Plan.to_json`` wrote, called ``name`` in errors; BadInput where the record is not one."""
    try:
        if record["format"] != FORMAT:
            raise BadInput(
                f"{name} has format {record['format']!r:.20}; this version reads format {FORMAT}. Make the plan again."
            )
        stored = read_record(StoredPlan, record, others=True)
        chosen = read_record(StoredParameters, stored.parameters, others=True)
        design = _checked_design(stored.design)
        draws = _checked_draws(stored.draws, design)
    except WrongValue as error:
        raise BadInput(
            f"In the plan {error.field} is {error.found!r:.60}. Expected {error.expected}. {ANOTHER}"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"{name} is not a plan: {error!r:.100} is missing or wrong. Make it again: testimate select"
        ) from None
    if stored.grades:
        _check_grades(stored.grades)
    check_criteria(stored.criteria)
    stranger = next((row for row, _ in (*stored.told, *stored.known) if not 0 <= row < design.size), None)
    if stranger is not None:
        raise BadInput(f"The plan has a label of row {stranger}; there are {design.size} inputs. {ANOTHER}")
    options = {one: value for one, value in stored.parameters.items() if one not in NAMED}
    return Plan(
        request=Request(stored.technique, seed=stored.seed, options=options, **vars(chosen)),
        design=design,
        draws=draws,
        names={draw["row"]: draw[FILE] for draw in stored.draws if FILE in draw},
        numbers=None if stored.numbers is None else stored.numbers.task,
        answered=stored.read,
        reading=None if stored.reading is None else Reading.from_json(stored.reading),
        known=dict(stored.known),
        keys={name: dict(cells) for name, cells in stored.keys.items()},
        **{one: getattr(stored, one) for one in _SHARED},
    )


def _read_json(path: Path) -> Any:
    """What the file holds; BadInput where there is none or it is not JSON that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(
            f"No plan at {path}. Expected a file from testimate select. Check the path, or make a plan."
        ) from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        why = str(error)
    except RecursionError:
        why = "its values are nested too deeply"
    except ValueError:  # of what is JSON, Python refuses only whole numbers of thousands of digits
        why = "it contains a number too long to be read"
    raise BadInput(f"{path} is not a readable plan ({why}). Make it again with: testimate select")


def files_of_plan(plan_file: Path, plan: Plan) -> tuple[Path | None, Path | None, Path | None]:
    """Table, features and training table of a plan, looked for as named and beside it; None for what is not found."""
    found: list[Path | None] = []
    for name in (plan.table, plan.features_file, plan.training):
        found.append(_looked_for(plan_file, name))
    return found[0], found[1], found[2]


def _looked_for(plan_file: Path, name: str) -> Path | None:
    """A file of the plan, as named or beside it; None where it is not found."""
    places = (place for place in (Path(name), plan_file.parent / Path(name).name) if name and place.exists())
    return next(places, None)


def inputs_of_plan(plan_file: Path, plan: Plan) -> Inputs | None:
    """The inputs a plan was made from, of the task they had; None where one of its files is not found."""
    table, features, training = files_of_plan(plan_file, plan)
    lost = (plan.features_file and features is None) or (plan.training and training is None)
    others = [other for name in plan.others if (other := _looked_for(plan_file, name)) is not None]
    history = _looked_for(plan_file, plan.history)
    lost = (
        lost or (plan.history and history is None) or (plan.pictures and _looked_for(plan_file, plan.pictures) is None)
    )
    if table is None or lost or len(others) < len(plan.others):
        return None

    def read(choices: "TableChoices") -> Inputs:
        inputs = inputs_of_table(
            table,
            features,
            training,
            tolerance=_tolerance(plan),
            task=plan.task,
            undecided="classes",
            choices=choices,
            others=others,
        )
        return with_criteria(with_history_file(inputs, history, table, choices), plan.criteria)

    from testimate.subjects.stored_roles import as_stored_or_now

    return as_stored_or_now(
        read, choices_of_plan(plan, plan_file), lambda inputs: inputs.fingerprint == plan.fingerprint
    )


def subject_of_plan(plan_file: Path, plan: Plan, files: Path | None = None) -> Subject:
    """The table a plan was made from, with what is to be seen of each row.

    ``files`` : a folder or zip with the files that its rows name. Raises BadInput where the table is not found or they are not
    its files, and SubjectChanged where it is another one.
    """
    from testimate.subjects.prediction_table import read_table
    from testimate.subjects.stored_roles import as_stored_or_now, have_same_roles

    table = files_of_plan(plan_file, plan)[0]
    if table is None:
        raise BadInput(f"The plan's table {plan.table} was not found, and the inputs are in it. Restore the table.")
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is None:
        raise BadInput(f"A file that the plan names beside its table {plan.table} was not found. Restore it.")
    check_fingerprint(plan, inputs)

    def read(choices: "TableChoices") -> Subject:
        return read_table(
            table,
            name=table.name,
            tolerance=_tolerance(plan),
            task=plan.task,
            undecided="classes",
            choices=choices if files is None else replace(choices, inputs=files),
        )

    choices = choices_of_plan(plan, plan_file)
    subject = as_stored_or_now(read, choices, lambda subject: have_same_roles(subject.reading, plan.reading))
    return replace(subject, inputs=inputs)


def _tolerance(plan: Plan) -> SaidTolerance | None:
    return None if plan.numbers is None else as_said(plan.numbers)


def choices_of_plan(plan: Plan, plan_file: Path | None = None) -> "TableChoices":
    """How the plan's table is read; with ``plan_file``, beside which its pictures may lie, also what is seen of it."""
    from testimate.subjects.table_choices import TableChoices  # PyArrow, which the files' names do without

    return TableChoices(
        columns=plan.columns or (),
        probabilities_by_name=plan.columns is not None,
        class_names=plan.class_names,
        top_k=plan.top_k,
        further=plan.further,
        grades=plan.grades,
        inputs=None if plan_file is None else _looked_for(plan_file, plan.pictures),
        least_score=plan.least_score,
        read=plan.answered,
        rules=plan.rules,
        judges=tuple(one.judge for one in plan.criteria if one.judge),
        stored=plan.reading if plan.rules >= FOUND else None,
        stored_as=plan.fingerprint,
    )
