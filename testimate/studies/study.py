"""Campaigns over known truth, many times: techniques side by side, error against budget."""

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput, NotEnoughLabels, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.core.progress import Progress, silent
from testimate.planning.needs import default_auxiliary, possible
from testimate.selectors import SELECTORS
from testimate.structure.cores import one_thread
from testimate.studies.campaign import Campaign, PlannedCampaign, known_losses, one_campaign_serves, run_planned
from testimate.studies.cell import Cell, cells_of
from testimate.studies.kept_rows import KeptRows
from testimate.studies.study_row import StudyRow, study_row
from testimate.studies.workers import in_processes

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


def study(
    inputs: Inputs,
    *,
    techniques: Sequence[str],
    budgets: Sequence[int],
    repetitions: int,
    seed: int,
    auxiliaries: Sequence[str] = ("confidence",),
    variant: str | None = None,
    features: str = "LHL",
    level: float = 0.95,
    progress: Progress = silent,
    workers: int | None = None,
    options: Mapping[str, Any] | None = None,
    resume_file: Path | None = None,
    engine: str = "local",
    tell: Callable[[str], object] = warnings.warn,
) -> list[StudyRow]:
    """Runs every technique with every auxiliary variable at every budget many times, and compares with the truth.

    Parameters
    ----------
    inputs : the operational set; its ``losses`` must be known.
    techniques : names in SELECTORS. One that takes no auxiliary variable is run once, whatever ``auxiliaries`` says.
    budgets : draws per campaign, each 1..N.
    repetitions : campaigns per row, at least 1. A purposive technique that picks the same rows with two seeds (PACE) is
        run once, and its row says 1.
    seed : determines every row; rows do not depend on each other or on ``workers``.
    auxiliaries : names among ``inputs.scores``; "name:lower" for one where lower means more likely to fail.
    variant : a named variant, for the techniques that know it.
    features : layers for the techniques that need features, joined with "+".
    level : of the intervals, 0..1.
    progress : called with the campaigns done and all there are; may raise Cancelled.
    workers : processes to run in; 1 is only this one, None one for each core if that is worthwhile.
    options : settings such as ``{"clusters": 4}``, for all techniques that have such an option, or ``{"gbs.clusters":
        4}`` for one of them.
    resume_file : JSON lines to which campaigns and rows are written as soon as they are done. Those that are in it already,
        from the same inputs, seed, repetitions, level and settings, are read instead of run; others in it stay.
    engine : "local", or "ray" for the machines of the cluster that RAY_ADDRESS names; ``tell`` is called with those
        left out.

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
    _check_whole("number of repetitions", repetitions, 1)
    _check_whole("number of workers", 1 if workers is None else workers, 1)
    _check_whole("seed", seed, 0)
    cells = cells_of(inputs, techniques, auxiliaries, budgets, variant, features, options or {})
    kept = KeptRows(resume_file, inputs, repetitions=repetitions, seed=seed, level=level)
    rows = {cell: row for cell in cells if (row := kept.row(cell)) is not None}
    left = [cell for cell in cells if cell not in rows]

    def finished(cell: Cell, campaigns: Sequence[Campaign]) -> None:
        rows[cell] = row = study_row(
            technique=cell.technique,
            auxiliary=cell.auxiliary,
            variant=cell.variant,
            budget=cell.budget,
            losses=losses,
            campaigns=campaigns,
        )
        kept.add(cell, row)

    _check_engine(engine)
    elsewhere = None
    if engine == "ray":

        def elsewhere(batches: Sequence[Batch], look: Callable[[str], object]) -> Generator[Answered, None, None]:
            from testimate.studies.on_machines import on_machines

            return on_machines(_as_needed(inputs, batches), level, batches, tell=tell, look=look)

    _run(inputs, left, repetitions, seed, level, progress, workers, kept, finished, elsewhere)
    return [rows[cell] for cell in cells]


def _check_engine(engine: str) -> None:
    if engine not in ("local", "ray"):
        raise BadInput(f"There is no engine {engine!r:.60}; expected one of local, ray. Choose one of these.")


@dataclass(frozen=True)
class _Line:
    """Cells that share their campaigns, and a batch of repetitions of them that is to be run."""

    cells: tuple[Cell, ...]
    repetitions: tuple[int, ...]
    batch: Batch


def _run(
    inputs: Inputs,
    cells: Sequence[Cell],
    repetitions: int,
    seed: int,
    level: float,
    progress: Progress,
    workers: int | None,
    kept: KeptRows,
    finished: Callable[[Cell, Sequence[Campaign]], None],
    elsewhere: Callable[[Sequence[Batch], Callable[[str], object]], Generator[Answered, None, None]] | None,
) -> None:
    """Runs the campaigns of every cell and yields them, in order of repetition, as soon as the cell is complete.

    Campaigns in ``kept`` are not run again. ``elsewhere`` : runs the batches if not on this computer.
    """
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
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadInput(f"The {name} is {value!r:.60}; expected a whole number of at least {least}. Change it.")


@dataclass(frozen=True)
class StudyChoice:
    """Techniques with auxiliary variables at budgets, how often each is repeated, and the seed; see ``study``."""

    techniques: tuple[str, ...]
    budgets: tuple[int, ...]
    repetitions: int
    seed: int
    auxiliaries: tuple[str, ...] = ("confidence",)

    def run(
        self,
        inputs: Inputs,
        *,
        resume_file: Path | None = None,
        progress: Progress = silent,
        workers: int | None = None,
    ) -> list[StudyRow]:
        """Every row, those of the file read instead of run; raises as ``study`` does."""
        return study(
            inputs,
            techniques=self.techniques,
            budgets=self.budgets,
            repetitions=self.repetitions,
            seed=self.seed,
            auxiliaries=self.auxiliaries,
            features=_features(inputs),
            level=LEVEL,
            progress=progress,
            workers=workers,
            resume_file=resume_file,
        )

    def done(self, inputs: Inputs, resume_file: Path) -> list[StudyRow | None]:
        """The rows in the study's order; None for one the file does not hold yet. Raises as ``study`` does."""
        kept = KeptRows(resume_file, inputs, repetitions=self.repetitions, seed=self.seed, level=LEVEL)
        cells = cells_of(inputs, self.techniques, self.auxiliaries, self.budgets, None, _features(inputs), {})
        return [kept.row(cell) for cell in cells]


def sensible_choice(inputs: Inputs) -> StudyChoice:
    """A first choice for these inputs: the sensible techniques that can run, at budgets well below their number."""
    budgets = tuple(budget for budget in SENSIBLE_BUDGETS if budget <= len(inputs) // 3)
    return StudyChoice(
        techniques=tuple(name for name in SENSIBLE if not possible(inputs, SELECTORS[name])) or ("srs",),
        budgets=budgets or (max(2, len(inputs) // 3),),
        repetitions=200,
        seed=1,
        auxiliaries=(default_auxiliary(inputs) or "confidence",),
    )


def _features(inputs: Inputs) -> str:
    """The layer for the techniques that need one: the last hidden one, else the first available."""
    return next((role for role in ("LHL", *inputs.features) if role in inputs.features), "LHL")
