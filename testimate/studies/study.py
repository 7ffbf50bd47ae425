"""A study: techniques side by side over many campaigns on known truth, in processes or on a cluster, and resumed."""

import json
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core import fingerprint
from testimate.core.checks import check_budget, is_whole
from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError
from testimate.core.files import replace_file
from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.core.progress import Progress, silent
from testimate.core.selector import DEFAULT_AUXILIARY, Request, Selector
from testimate.core.stored_record import read_record
from testimate.planning.build import titled
from testimate.planning.needs import default_auxiliary, learns_from_nothing, possible, score_named
from testimate.selectors import SELECTORS
from testimate.structure.cores import one_thread
from testimate.studies.campaign import (
    CONTINUED,
    Campaign,
    PlannedCampaign,
    in_processes,
    known_losses,
    on_machines,
    one_campaign_serves,
    run_planned,
)
from testimate.studies.study_rows import Represented, StudyRow, study_row


@dataclass(frozen=True)
class Cell:
    """What the campaigns of one row have in common.

    ``auxiliary`` is None for a technique that takes none, ``variant`` for one that has none of that name;
    ``options`` are those that the technique has.
    """

    technique: str
    auxiliary: str | None
    variant: str | None
    budget: int
    features: str
    options: tuple[tuple[str, Any], ...] = ()

    def request(self, seed: int, repetition: int) -> Request:
        """The request of one repetition; its seed depends only on technique, auxiliary, budget and repetition.

        So a row does not depend on which others are run, in what order or by how many workers. Variants and options
        share seeds, which makes their difference less noisy; so do the budgets of a technique whose larger lists
        continue the smaller ones, because one campaign then serves them all.
        """
        budget = None if self.technique in CONTINUED else self.budget
        name = of_bytes(*(str(part).encode() for part in (self.technique, self.auxiliary, budget)))
        sequence = np.random.SeedSequence((seed, int(name, 16), repetition))
        return Request(
            technique=self.technique,
            budget=self.budget,
            seed=int(sequence.generate_state(1, np.uint32)[0]),  # 32 bits: all that scikit-learn takes
            auxiliary=self.auxiliary or DEFAULT_AUXILIARY,
            features=self.features,
            variant=self.variant,
            options=dict(self.options),
        )

    def __str__(self) -> str:
        words = [titled(self.technique), self.auxiliary and f"with {self.auxiliary}", f"at a budget of {self.budget}"]
        return " ".join(word for word in words if word)


def cells_of(
    inputs: Inputs,
    techniques: Sequence[str],
    auxiliaries: Sequence[str],
    budgets: Sequence[int],
    variant: str | None,
    features: str,
    options: Mapping[str, Any],
) -> list[Cell]:
    """Every requested row, once; BadInput where a technique cannot run, with what is missing."""
    for name, values in (("techniques", techniques), ("auxiliaries", auxiliaries), ("budgets", budgets)):
        if isinstance(values, str) or not len(values):
            raise BadInput(f"The {name} are {values!r:.60}. Expected a list of at least one. Name some.")
    known = [(name, option.name) for name in techniques for option in SELECTORS[name].options]
    unknown = set(options) - {option for _, option in known} - {f"{name}.{option}" for name, option in known}
    if unknown:
        raise BadInput(
            f"None of the techniques has an option {sorted(unknown)[0]!r:.60}. Expected one that some have, or "
            "technique.option for one of them. Leave it out."
        )
    cells = []
    for name in techniques:
        technique = SELECTORS[name]
        if missing := possible(inputs, technique):
            raise BadInput(f"{name} cannot run on these inputs. {missing} Add what is missing, or leave {name} out.")
        if "features" in technique.needs:
            inputs.feature(features)
        own_options = _own_options(name, technique, options)
        scored = "scores" in technique.needs
        for auxiliary in auxiliaries if scored else [None]:
            if auxiliary is not None:
                score_named(inputs, auxiliary)
            for budget in budgets:
                check_budget(budget, len(inputs))
                own_variant = variant if variant in technique.variants else None
                cells.append(Cell(name, auxiliary, own_variant, int(budget), features, own_options))
    return list(dict.fromkeys(cells))


def _own_options(name: str, technique: type[Selector], options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The options that this technique has; one named "technique.option" takes precedence over one for all."""
    found = []
    for key in sorted(option.name for option in technique.options):
        if (value := options.get(f"{name}.{key}", options.get(key))) is not None:
            found.append((key, value))
    return tuple(found)


DRAWING = 2
"""Changed whenever the same seed gives other draws, so that old rows are not taken for new ones."""


class KeptRows:
    """Rows by what they were run with: a line is ``{"key": ..., "row": ...}``, the key a digest of everything that counts.

    Until a row is whole, its campaigns are kept in lines of their own, ``{"key": ..., "campaigns": {repetition: ...}}``.

    Parameters
    ----------
    file : where they are kept; None keeps nothing. An incomplete last line, after a kill or on a full disk, is dropped.
    inputs, repetitions, seed, level : of the study; part of the key.

    Raises
    ------
    BadInput : a line of the file is not a row of a study.
    """

    def __init__(self, file: Path | None, inputs: Inputs, *, repetitions: int, seed: int, level: float) -> None:
        self._file = file
        self._study = json.dumps([DRAWING, inputs.fingerprint, repr(inputs.task), repetitions, seed, level])
        self._inputs = inputs
        self._rows: dict[str, StudyRow] = {}
        self._campaigns: dict[str, dict[int, Campaign]] = {}
        if file is not None and file.exists():
            self._read(file)
        self._whole = False  # only a writer truncates: a reader may come while a row is being written

    def row(self, cell: Cell) -> StudyRow | None:
        """The row of this cell, or None where it is not there."""
        return self._rows.get(self._key(cell)) if self._file is not None else None

    def campaigns(self, cell: Cell) -> dict[int, Campaign]:
        """The stored campaigns of this cell, by repetition."""
        return dict(self._campaigns.get(self._key(cell), {})) if self._file is not None else {}

    def add(self, cell: Cell, row: StudyRow) -> None:
        """Writes a row at once, in place of its campaigns."""
        key = self._key(cell)
        self._write({"key": key, "row": row.to_json() | {"errors": row.errors}})
        if self._file is not None and self._campaigns.pop(key, None) is not None:
            lines = self._file.read_text(encoding="utf-8").splitlines(keepends=True)
            others = [line for line in lines if not ('"campaigns"' in line and json.loads(line)["key"] == key)]
            replace_file(self._file, "".join(others).encode())

    def add_campaigns(self, cell: Cell, campaigns: Mapping[int, Campaign]) -> None:
        """Writes some campaigns of a row that is not whole yet, by repetition, at once."""
        key = self._key(cell)
        self._campaigns.setdefault(key, {}).update(campaigns)
        self._write({"key": key, "campaigns": {str(place): asdict(one) for place, one in campaigns.items()}})

    def _write(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        if not self._whole and self._file.exists():
            _drop_what_was_cut_off(self._file)
        self._whole = True
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, allow_nan=False) + "\n")

    def _read(self, file: Path) -> None:
        whole = file.read_text(encoding="utf-8", errors="replace").rpartition("\n")[0]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                key = str(record["key"])
                if "campaigns" in record:
                    read = {int(place): _campaign(one) for place, one in record["campaigns"].items()}
                    self._campaigns.setdefault(key, {}).update(read)
                else:
                    self._rows[key] = read_record(StudyRow, record["row"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BadInput(
                    f"Line {number} of {file.name} is not a row of a study. Expected a file that a study wrote. "
                    "Name another file, or remove this one."
                ) from None

    def _key(self, cell: Cell) -> str:
        """Digest of the study, the cell, the losses and the auxiliary variable."""
        name = (cell.auxiliary or "").partition(":")[0]
        arrays = [self._inputs.losses, self._inputs.scores.get(name)]
        contents = [fingerprint.of_array(np.asarray(array)) for array in arrays if array is not None]
        parts = [self._study, json.dumps(asdict(cell), default=str), *contents]
        return fingerprint.of_bytes(*(part.encode() for part in parts))


def _campaign(stored: Mapping[str, Any]) -> Campaign:
    return read_record(Campaign, {**stored, "rows": list(map(int, stored["rows"]))})


def _drop_what_was_cut_off(file: Path) -> None:
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with file.open("r+b") as open_file:
            open_file.truncate(whole)


WORTHWHILE = 4.0
"""Seconds of remaining work from which it pays to start worker processes."""

BATCH_SECONDS = 0.3
"""About how long a batch of campaigns takes: short enough to report and to cancel, long enough to be worth sending."""

SENSIBLE = ("rra", "rrs", "srs", "sups")
"""Simple random sampling, the yardstick; the defaults; and the technique that exposes most failures."""

SENSIBLE_BUDGETS = (50, 100, 200)
LEVEL = 0.95

Batch = Sequence[PlannedCampaign]

Answered = tuple[int, list[list[Campaign]]]
"""The position of a batch, and the campaigns of each of its tasks."""


@dataclass(frozen=True)
class StudyChoice:
    """What a study compares, and how often.

    Attributes
    ----------
    techniques : names in SELECTORS. One that takes no auxiliary variable is run once, whatever ``auxiliaries`` says.
    budgets : draws per campaign, each 1..N.
    repetitions : campaigns per row, at least 1. A purposive technique that picks the same rows with two seeds (PACE) is
        run once, and its row says 1.
    seed : determines every row; rows do not depend on each other or on the number of processes.
    auxiliaries : names among ``inputs.scores``; "name:lower" for one where lower means more likely to fail.
    variant : a named variant, for the techniques that know it.
    features : layers for the techniques that need features, joined with "+"; by default the last hidden one, else the
        first available.
    level : of the intervals, 0..1.
    options : settings such as ``{"clusters": 4}``, for all techniques that have such an option, or ``{"gbs.clusters":
        4}`` for one of them.
    """

    techniques: Sequence[str]
    budgets: Sequence[int]
    repetitions: int
    seed: int
    auxiliaries: Sequence[str] = ("confidence",)
    variant: str | None = None
    features: str | None = None
    level: float = LEVEL
    options: Mapping[str, Any] = field(default_factory=dict)

    def run(
        self,
        inputs: Inputs,
        *,
        progress: Progress = silent,
        workers: int | None = None,
        resume_file: Path | None = None,
        engine: str = "local",
        tell: Callable[[str], object] = warnings.warn,
    ) -> list[StudyRow]:
        """Runs every technique with every auxiliary variable at every budget many times, and compares with the truth.

        Parameters
        ----------
        inputs : the operational set; its ``losses`` must be known.
        progress : called with the campaigns done and all there are; may raise Canceled.
        workers : processes to run in; 1 is only this one, None one for each core if that is worthwhile.
        resume_file : JSON lines to which campaigns and rows are written as soon as they are done. Those that are in it
            already, from the same inputs, seed, repetitions, level and settings, are read instead of run; others in it stay.
        engine : "local", or "ray" for the machines of the cluster that RAY_ADDRESS names.
        tell : called with a sentence on each machine that is left out, and on techniques that learn from a training set
            that shows hardly a mistake.

        Returns
        -------
        list of StudyRow
            In the order of techniques, then auxiliaries, then budgets.

        Raises
        ------
        BadInput
            Where the truth is not known, or a technique cannot run on these inputs (it says what is missing), or
            ``resume_file`` is no such file.
        NotEnoughLabels
            Where a budget is too small for a technique's estimate.
        """
        losses = known_losses(inputs)
        _check_whole("number of repetitions", self.repetitions, 1)
        _check_whole("number of workers", 1 if workers is None else workers, 1)
        _check_whole("seed", self.seed, 0)
        cells, kept = self._cells(inputs), self._kept(inputs, resume_file)
        rows = {cell: row for cell in cells if (row := kept.row(cell)) is not None}
        left = [cell for cell in cells if cell not in rows]
        layers = {cell.features for cell in cells if "features" in SELECTORS[cell.technique].needs}
        seen = inputs.feature(layers.pop()) if layers else None
        represented = Represented(inputs.truth, None if seen is None else np.asarray(seen))

        def finished(cell: Cell, campaigns: Sequence[Campaign]) -> None:
            rows[cell] = row = study_row(
                technique=cell.technique,
                auxiliary=cell.auxiliary,
                variant=cell.variant,
                budget=cell.budget,
                losses=losses,
                campaigns=campaigns,
                represented=represented,
            )
            kept.add(cell, row)

        _check_engine(engine)
        learners = dict.fromkeys(cell.technique for cell in cells)
        for sentence in dict.fromkeys(learns_from_nothing(inputs, SELECTORS[name]) for name in learners):
            if sentence:
                tell(sentence)
        elsewhere = None
        if engine == "ray":

            def elsewhere(batches: Sequence[Batch], look: Callable[[str], object]) -> Generator[Answered, None, None]:

                return on_machines(_as_needed(inputs, batches), self.level, batches, tell=tell, look=look)

        _run(inputs, left, self, progress, workers, kept, finished, elsewhere)
        return [rows[cell] for cell in cells]

    def done(self, inputs: Inputs, resume_file: Path) -> list[StudyRow | None]:
        """The rows in the study's order; None for one the file does not hold yet. Raises as ``run`` does."""
        kept = self._kept(inputs, resume_file)
        return [kept.row(cell) for cell in self._cells(inputs)]

    def _cells(self, inputs: Inputs) -> list[Cell]:
        layers = self.features or _features(inputs)
        return cells_of(inputs, self.techniques, self.auxiliaries, self.budgets, self.variant, layers, self.options)

    def _kept(self, inputs: Inputs, file: Path | None) -> KeptRows:
        return KeptRows(file, inputs, repetitions=self.repetitions, seed=self.seed, level=self.level)


def study(
    inputs: Inputs,
    *,
    progress: Progress = silent,
    workers: int | None = None,
    resume_file: Path | None = None,
    engine: str = "local",
    tell: Callable[[str], object] = warnings.warn,
    **choice: Any,
) -> list[StudyRow]:
    """The rows of ``StudyChoice(**choice)``."""
    return StudyChoice(**choice).run(
        inputs, progress=progress, workers=workers, resume_file=resume_file, engine=engine, tell=tell
    )


def _check_engine(engine: str) -> None:
    if engine not in ("local", "ray"):
        raise BadInput(f"There is no engine {engine!r:.60}. Expected one of local, ray. Choose one of these.")


@dataclass(frozen=True)
class _Line:
    """Cells that share their campaigns, and a batch of repetitions of them that is to be run."""

    cells: tuple[Cell, ...]
    repetitions: tuple[int, ...]
    batch: Batch


def _run(
    inputs: Inputs,
    cells: Sequence[Cell],
    choice: StudyChoice,
    progress: Progress,
    workers: int | None,
    kept: KeptRows,
    finished: Callable[[Cell, Sequence[Campaign]], None],
    elsewhere: Callable[[Sequence[Batch], Callable[[str], object]], Generator[Answered, None, None]] | None,
) -> None:
    """Runs the campaigns of every cell and yields them, in order of repetition, as soon as the cell is complete.

    Campaigns in ``kept`` are not run again. ``elsewhere`` : runs the batches if not on this computer.
    """
    repetitions, seed, level = choice.repetitions, choice.seed, choice.level
    total, done = len(cells) * repetitions, 0
    progress(done, total, "campaigns")
    found: dict[Cell, dict[int, Campaign]] = {}
    wanted: dict[Cell, int] = {}
    left: list[_Line] = []
    seconds = 0.0  # of work left
    for line in _lines(cells):  # the first ones run here, to see errors at once and how long they take
        first = _first_campaigns(inputs, line, repetitions, seed, level)
        so_far = first[line[-1]]
        fixed = len(so_far) == 1 and so_far[0].purposive
        for cell in line:
            found[cell] = {**kept.campaigns(cell), **dict(enumerate(first[cell]))}
            wanted[cell] = 1 if fixed else repetitions
        lacking = [number for number in range(wanted[line[-1]]) if any(number not in found[cell] for cell in line)]
        each = max(1, min(50, int(BATCH_SECONDS / max(so_far[-1].seconds, 1e-6))))
        for start in range(0, len(lacking), each):
            numbers = tuple(lacking[start : start + each])
            left.append(_Line(tuple(line), numbers, [_task(line, seed, number) for number in numbers]))
        seconds += len(lacking) * so_far[-1].seconds
        done += (repetitions - len(lacking)) * len(line)
        progress(done, total, str(line[-1]))
    if workers is None:
        workers = cores() if seconds > WORTHWHILE else 1

    def check(cell: Cell) -> None:
        if len(found[cell]) == wanted[cell]:
            finished(cell, [found[cell][number] for number in sorted(found[cell])])

    for cell in cells:
        check(cell)
    at_work = str(cells[-1]) if cells else ""

    def look(waits: str) -> None:
        progress(done, total, waits or at_work)

    every = [work.batch for work in left]
    answered = _in_any_order(inputs, level, every, workers) if elsewhere is None else elsewhere(every, look)
    with closing(answered) as batches:
        for place, answers in batches:
            work = left[place]
            for cell, part in zip(work.cells, zip(*answers, strict=True), strict=True):
                new = dict(zip(work.repetitions, part, strict=True))
                found[cell] |= new
                if len(found[cell]) < wanted[cell]:
                    kept.add_campaigns(cell, new)
                check(cell)
            done += len(answers) * len(work.cells)
            at_work = str(work.cells[-1])
            progress(done, total, at_work)


def _lines(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells by rising budget; those that one campaign serves are together."""
    alike: dict[Cell, list[Cell]] = {}
    for cell in cells:
        alike.setdefault(replace(cell, budget=0), []).append(cell)
    lines = []
    for group in alike.values():
        line = sorted(group, key=lambda cell: cell.budget)
        together = one_campaign_serves(line[0].technique, [cell.budget for cell in line], dict(line[0].options))
        lines.extend([line] if together else [[cell] for cell in line])
    return lines


def _task(line: Sequence[Cell], seed: int, repetition: int) -> PlannedCampaign:
    """One repetition of the cells, which one campaign serves."""
    return PlannedCampaign(line[-1].request(seed, repetition), tuple(cell.budget for cell in line))


def _first_campaigns(
    inputs: Inputs, line: Sequence[Cell], repetitions: int, seed: int, level: float
) -> dict[Cell, list[Campaign]]:
    """The first repetition; where its inputs were chosen, not drawn, also the second, unless it is the same again."""
    with one_thread():
        found = _tried(inputs, line, seed, level, 0)
        if found[-1].purposive and repetitions > 1:
            again = _tried(inputs, line, seed, level, 1)
            if again[-1].rows != found[-1].rows:
                return {cell: [one, other] for cell, one, other in zip(line, found, again, strict=True)}
    return {cell: [one] for cell, one in zip(line, found, strict=True)}


def _tried(inputs: Inputs, line: Sequence[Cell], seed: int, level: float, repetition: int) -> list[Campaign]:
    """One repetition of the cells; an error names the cell it is about."""
    try:
        return run_planned(inputs, _task(line, seed, repetition), level)
    except TestimateError as error:
        for cell in line[:-1]:  # the smallest budget that fails is the one to name
            _tried(inputs, [cell], seed, level, repetition)
        if isinstance(error, NotEnoughLabels):
            raise NotEnoughLabels(
                f"{line[-1]} gives no estimate: so few labels do not reach every part of its plan. Leave out this budget or "
                "this technique."
            ) from error
        raise type(error)(f"{line[-1]}: {error}") from error


def _in_any_order(
    inputs: Inputs, level: float, batches: Sequence[Batch], workers: int
) -> Generator[Answered, None, None]:
    """Each batch's position and campaigns, run here or in worker processes; here as there with one numeric thread."""
    if workers > 1 and batches:
        yield from in_processes(_as_needed(inputs, batches), level, batches, workers)
        return
    for number, batch in enumerate(batches):
        with one_thread():
            part = [run_planned(inputs, task, level) for task in batch]
        yield number, part


def _as_needed(inputs: Inputs, batches: Sequence[Batch]) -> Inputs:
    """The inputs without what the campaigns never look at, to be sent to other processes."""
    roles = {
        role
        for batch in batches
        if "features" in SELECTORS[batch[0].request.technique].needs
        for role in batch[0].request.features.split("+")
    }
    features = {role: np.asarray(inputs.features[role]) for role in roles}
    return replace(inputs, truth=None, probabilities=None, scores=dict(inputs.scores), features=features)


def _check_whole(name: str, value: int, least: int) -> None:
    if not is_whole(value, least):
        raise BadInput(f"The {name} is {value!r:.60}. Expected a whole number of at least {least}. Change it.")


def sensible_choice(inputs: Inputs) -> StudyChoice:
    """A first choice for these inputs: the sensible techniques that can run, at budgets well below their number."""
    budgets = tuple(budget for budget in SENSIBLE_BUDGETS if budget <= len(inputs) // 3)
    return StudyChoice(
        techniques=tuple(name for name in SENSIBLE if not possible(inputs, SELECTORS[name])) or ("srs",),
        budgets=budgets or (max(2, len(inputs) // 3),),
        repetitions=200,
        seed=1,
        auxiliaries=(default_auxiliary(inputs) or DEFAULT_AUXILIARY,),
    )


def _features(inputs: Inputs) -> str:
    """The layer for the techniques that need one: the last hidden one, else the first available."""
    return next((role for role in ("LHL", *inputs.features) if role in inputs.features), "LHL")
