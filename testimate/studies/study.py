"""Campaigns over known truth, many times: techniques side by side, error against budget."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.selectors import SELECTORS
from testimate.structure.one_thread import one_thread
from testimate.studies.campaign import Campaign, campaign, known_losses
from testimate.studies.cell import Cell, cells_of
from testimate.studies.kept_rows import KeptRows
from testimate.studies.study_row import StudyRow, study_row
from testimate.studies.workers import cores, in_processes

WORTHWHILE = 4.0
"""Seconds of work left from which worker processes pay for their start."""

BATCH_SECONDS = 0.3
"""About how long a batch of campaigns takes: short enough to report and to cancel, long enough to be worth sending."""


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
) -> list[StudyRow]:
    """Runs every technique with every auxiliary variable at every budget, over and over, and compares with the truth.

    Parameters
    ----------
    inputs : the operational set; its ``losses`` must be known.
    techniques : names in SELECTORS. One that takes no auxiliary variable is run once, whatever ``auxiliaries`` says.
    budgets : draws per campaign, each 1..N.
    repetitions : campaigns per row, at least 1. A purposive technique that picks the same rows with two seeds (PACE) is
        run once, and its row says 1.
    seed : determines every row; rows do not depend on each other or on ``workers``.
    auxiliaries : names among ``inputs.scores``, "name:lower" to turn one round.
    variant : a named variant, for the techniques that know it.
    features : layers for the techniques that need features, joined with "+".
    level : of the intervals, 0..1.
    progress : told of campaigns done out of all; may raise Cancelled.
    workers : processes to run in; 1 is this one alone, None as many as there are cores where that is worthwhile.
    options : settings such as ``{"clusters": 4}``, for the techniques that have one of the name.
    resume_file : JSON lines to which each row is written as soon as it is done. Rows that are in it already, from the
        same inputs, seed, repetitions, level and settings, are read instead of run; others in it stay.

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

    _run(inputs, left, repetitions, seed, level, progress, workers, finished)
    return [rows[cell] for cell in cells]


def _run(
    inputs: Inputs,
    cells: Sequence[Cell],
    repetitions: int,
    seed: int,
    level: float,
    progress: Progress,
    workers: int | None,
    finished: Callable[[Cell, Sequence[Campaign]], None],
) -> None:
    """Runs the campaigns of every cell and hands them over, in order of repetition, as soon as the cell has all."""
    total, done = len(cells) * repetitions, 0
    progress(done, total, "campaigns")
    campaigns: list[list[Campaign]] = []
    left: list[tuple[int, list[Request]]] = []  # place of the cell, requests of one batch
    seconds = 0.0  # of work left
    for place, cell in enumerate(cells):  # the first ones here: what cannot work shows at once, and how long it takes
        first = _first_campaigns(inputs, cell, repetitions, seed, level)
        campaigns.append(first)
        fixed = len(first) == 1 and first[0].purposive
        more = [] if fixed else [cell.request(seed, number) for number in range(len(first), repetitions)]
        left.extend((place, batch) for batch in _batches(more, first[-1].seconds))
        seconds += len(more) * first[-1].seconds
        done += repetitions - len(more)
        progress(done, total, str(cell))
    if workers is None:
        workers = cores() if seconds > WORTHWHILE else 1
    waiting = Counter(place for place, _ in left)  # batches of each cell that are not done
    parts: dict[int, dict[int, list[Campaign]]] = {place: {} for place in range(len(cells))}
    for place, first in enumerate(campaigns):
        if not waiting[place]:
            finished(cells[place], first)
    with closing(_in_any_order(inputs, level, [batch for _, batch in left], workers)) as batches:
        for number, part in batches:
            place = left[number][0]
            parts[place][number] = part
            done += len(part)
            waiting[place] -= 1
            if not waiting[place]:
                whole = [one for key in sorted(parts[place]) for one in parts[place][key]]
                finished(cells[place], campaigns[place] + whole)
            progress(done, total, str(cells[place]))


def _batches(requests: Sequence[Request], seconds: float) -> list[list[Request]]:
    """The requests in batches that take about BATCH_SECONDS each, where one takes ``seconds``."""
    each = max(1, min(50, int(BATCH_SECONDS / max(seconds, 1e-6))))
    return [list(requests[start : start + each]) for start in range(0, len(requests), each)]


def _first_campaigns(inputs: Inputs, cell: Cell, repetitions: int, seed: int, level: float) -> list[Campaign]:
    """The first repetition; where its inputs were chosen, not drawn, also the second, unless it is the same again."""
    try:
        with one_thread():
            first = campaign(inputs, cell.request(seed, 0), level=level)
            if not first.purposive or repetitions == 1:
                return [first]
            second = campaign(inputs, cell.request(seed, 1), level=level)
    except TestimateError as error:
        raise type(error)(f"{cell}: {error}") from error
    return [first] if second.rows == first.rows else [first, second]


def _in_any_order(
    inputs: Inputs, level: float, batches: Sequence[Sequence[Request]], workers: int
) -> Generator[tuple[int, list[Campaign]], None, None]:
    """Each batch's position and campaigns, run here or in worker processes; here as there with one numeric thread."""
    if workers > 1 and batches:
        yield from in_processes(_as_needed(inputs, batches), level, batches, workers)
        return
    for number, batch in enumerate(batches):
        with one_thread():
            part = [campaign(inputs, request, level=level) for request in batch]
        yield number, part


def _as_needed(inputs: Inputs, batches: Sequence[Sequence[Request]]) -> Inputs:
    """The inputs without what the campaigns never look at, to be sent to other processes."""
    roles = {
        role
        for batch in batches
        if "features" in SELECTORS[batch[0].technique].needs
        for role in batch[0].features.split("+")
    }
    features = {role: np.asarray(inputs.features[role]) for role in roles}
    return replace(inputs, truth=None, probabilities=None, scores=dict(inputs.scores), features=features)


def _check_whole(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadInput(f"The {name} is {value!r:.60}; needed is a whole number of at least {least}. Change it.")
