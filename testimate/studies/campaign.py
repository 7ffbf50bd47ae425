"""Campaigns over known truth: one of them, and many, in processes of this computer or on the machines of a Ray cluster.

A campaign draws, lets the truth label, and estimates. A worker process is sent the inputs once, and a campaign whenever it is
free: campaigns come in on its standard input, their results go out. It is started only by this file; both ends are the same
program, so pickles are safe here. Plain subprocesses rather than `multiprocessing`: its "spawn" would run the main script again
in every worker (a Streamlit page, or a script without a guard), and its "fork" is unsafe beside the threads of a server.
"""

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from queue import SimpleQueue
from time import perf_counter
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_scores
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.machine import apart, cores
from testimate.core.selector import Request, defaults_of
from testimate.engines.crew import LEAST_PATIENCE, Crew
from testimate.engines.ray_cluster import Proof, Ready, connected
from testimate.estimators import estimator_of
from testimate.planning.build import build, titled
from testimate.planning.draws import verdicts_to_the_end
from testimate.selectors import SELECTORS
from testimate.structure.cores import one_thread

CONTINUED = ("srs", "css", "rrs", "rra", "gbs", "sups", "2-ups", "deepest", "ces")
"""Techniques whose list for a larger budget continues that for a smaller one (rra: at whole rounds, ces: whole batches)."""

CES_START, CES_BATCH = 30, 5


@dataclass(frozen=True)
class Campaign:
    """The result of one campaign.

    Attributes
    ----------
    accuracy : the estimator's value, never clipped, so that its bias can be measured.
    low, high : the ordinary interval, or None.
    failures : draws whose loss counts as a failure; an input drawn twice counts twice, as in DeepSample.
    rows : the rows in labeling order.
    purposive : whether the inputs were chosen rather than drawn.
    seconds : selecting, telling and estimating together.
    """

    accuracy: float
    low: float | None
    high: float | None
    failures: int
    rows: tuple[int, ...]
    purposive: bool
    seconds: float = field(compare=False)


@dataclass(frozen=True)
class LabeledCampaign:
    """A campaign's design and the verdicts of all its draws, in drawing order."""

    design: Design
    verdicts: list[Verdict]


def one_campaign_serves(technique: str, budgets: Sequence[int], options: Mapping[str, Any]) -> bool:
    """Whether a campaign of the largest of the rising ``budgets`` contains the campaign of each smaller one.

    >>> one_campaign_serves("rra", [50, 100], {}), one_campaign_serves("rra", [55, 100], {})
    (True, False)
    """
    if technique not in CONTINUED:
        return False
    smaller = list(budgets)[:-1]
    if technique == "rra":
        known = defaults_of(SELECTORS["rra"].options)
        each = sum(int(options.get(name, known[name])) for name in ("zones", "exploit"))
        return all(budget % each == 0 for budget in smaller)
    if technique == "ces":
        return all(budget >= CES_START and (budget - CES_START) % CES_BATCH == 0 for budget in smaller)
    return True


def campaign(inputs: Inputs, request: Request, *, level: float = 0.95) -> Campaign:
    """The campaign that the request asks for, labeled by the truth of ``inputs``.

    Raises BadInput where the truth is not known or the technique cannot run, and NotEnoughLabels where the budget is too
    small for an estimate.
    """
    losses = known_losses(inputs)
    started = perf_counter()
    labeled = label(inputs, request, losses)
    return _judged(inputs, labeled, losses, level, started)


def campaign_at_each(
    inputs: Inputs, request: Request, budgets: Sequence[int], *, level: float = 0.95
) -> list[Campaign]:
    """The result of one campaign after each of the rising ``budgets``, the last of which replaces the request's.

    Only where ``one_campaign_serves``: the first labels are those of a smaller budget, so this is as good as a campaign
    for each budget and several times as fast; but the errors at different budgets are then correlated. ``seconds`` is
    the whole campaign's. Raises BadInput for other techniques, and as ``campaign`` does.
    """
    if not one_campaign_serves(request.technique, budgets, request.options):
        raise BadInput(
            f"The first labels of {titled(request.technique)} are not those of a smaller budget, at budgets "
            f"{list(budgets)!r:.60}. Expected one of {', '.join(CONTINUED)}, at whole rounds. Run a campaign for each budget."
        )
    losses = known_losses(inputs)
    started = perf_counter()
    labeled = label(inputs, replace(request, budget=budgets[-1]), losses)
    parts = [LabeledCampaign(labeled.design, labeled.verdicts[:budget]) for budget in budgets]
    return [_judged(inputs, part, losses, level, started) for part in parts]


@dataclass(frozen=True)
class PlannedCampaign:
    """A campaign to run: ``request`` with the largest of the rising ``budgets``, judged at each of them."""

    request: Request
    budgets: tuple[int, ...]


def run_planned(inputs: Inputs, planned: PlannedCampaign, level: float) -> list[Campaign]:
    """The results of the campaign at each of its budgets."""
    if len(planned.budgets) == 1:
        return [campaign(inputs, planned.request, level=level)]
    return campaign_at_each(inputs, planned.request, planned.budgets, level=level)


def _judged(
    inputs: Inputs, labeled: LabeledCampaign, losses: NDArray[np.float64], level: float, started: float
) -> Campaign:
    """The unclipped estimate from the labels, and the failures found."""
    design, verdicts, bound = labeled.design, labeled.verdicts, inputs.task.loss_bound
    estimator = estimator_of(design)
    # the always-valid interval is not needed here, and would take most of the time
    estimate = estimator.estimate(design, verdicts, level=level, loss_bound=bound, always_valid=False)
    accuracy = estimate.accuracy
    if accuracy in (0.0, 1.0):  # may be clipped for display; without a bound it is not
        accuracy = estimator.estimate(design, verdicts, level=level, loss_bound=None).accuracy
    rows = tuple(verdict.draw.row for verdict in verdicts)
    return Campaign(
        accuracy=accuracy,
        low=estimate.low,
        high=estimate.high,
        failures=int(inputs.task.failed(losses[list(rows)]).sum()),
        rows=rows,
        purposive=design.kind == "purposive",
        seconds=perf_counter() - started,
    )


def label(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> LabeledCampaign:
    """Draws what the request asks for and labels it by the true ``losses`` (N,), to the end of the budget."""
    selector = build(inputs, request)
    verdicts = list(chain.from_iterable(verdicts_to_the_end(selector, losses)))
    return LabeledCampaign(selector.design, verdicts)


def known_losses(inputs: Inputs) -> NDArray[np.float64]:
    """The losses of all inputs, (N,); BadInput where the truth is not known for each."""
    if inputs.losses is None:
        raise BadInput(
            "The truth of these inputs is not known; a study and a race label by it. Give a table with a column label or "
            "outcome."
        )
    losses = check_scores(inputs.losses, "losses")
    if losses.size != len(inputs):
        raise BadInput(f"There are {losses.size} losses for {len(inputs)} inputs. Expected one each. Give the truth.")
    return losses


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
START = "import sys; sys.path[:] = sys.argv[1:]; from testimate.studies.campaign import main; main()"


def in_processes(
    inputs: Inputs, level: float, batches: Sequence[Sequence[PlannedCampaign]], workers: int
) -> Iterator[tuple[int, list[list[Campaign]]]]:
    """Runs the batches in ``workers`` processes; yields each batch's position and, task by task, its campaigns, as they finish.

    Closing the iterator early ends the processes. Raises what a campaign raised.
    """
    pool = Pool(inputs, level, min(workers, len(batches)))
    try:
        yield from pool.run(batches)
    finally:
        pool.close()


class Pool:
    """Processes that have the inputs and run batches of campaigns; they end when they are closed, or with this one."""

    def __init__(self, inputs: Inputs, level: float, workers: int) -> None:
        header = pickle.dumps((inputs, level), protocol=pickle.HIGHEST_PROTOCOL)
        self._workers = [_Worker(header) for _ in range(workers)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def run(self, batches: Sequence[Sequence[PlannedCampaign]]) -> Iterator[tuple[int, list[list[Campaign]]]]:
        """Yields each batch's position and campaigns as they finish; ends the processes on an error or an early stop."""
        whole = False
        with ThreadPoolExecutor(max(len(self._workers), 1)) as threads:
            futures = {threads.submit(self._run, batch): position for position, batch in enumerate(batches)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
                whole = True
            finally:
                if not whole:
                    for future in futures:
                        future.cancel()
                    for worker in self._workers:
                        worker.kill()

    def _run(self, batch: Sequence[PlannedCampaign]) -> list[list[Campaign]]:
        worker = self._idle.get()
        try:
            return worker.run(batch)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Ends the worker processes; the pool cannot be used afterwards."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process and the pipes to it."""

    def __init__(self, header: bytes) -> None:
        self._header = header
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            **apart(),  # the worker ends when its input does
        )

    def run(self, batch: Sequence[PlannedCampaign]) -> list[list[Campaign]]:
        """The campaigns of each task of a batch, run in the process."""
        tasks, results = self._process.stdin, self._process.stdout
        if tasks is None or results is None:
            raise TypeError("the worker was started without pipes")
        try:
            tasks.write(self._header)
            self._header = b""
            pickle.dump(list(batch), tasks)
            tasks.flush()
            answer = pickle.load(results)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise TestimateError(
                f"A worker process of the study ended early (status {self._process.poll()}); it may have run out of "
                "memory. Run the study again with fewer workers."
            ) from None
        if isinstance(answer, Exception):
            raise answer
        campaigns: list[list[Campaign]] = answer
        return campaigns

    def kill(self) -> None:
        """Ends the process; whoever waits for its answer reaches the end of the pipe."""
        self._process.kill()

    def close(self) -> None:
        """Closes the pipes of a process that was ended."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet is no longer needed
                    pipe.close()


BUNDLE = 16
"""Batches that a machine gets at a time."""

FIRST = "the first campaign"


def on_machines(
    inputs: Inputs,
    level: float,
    batches: Sequence[Sequence[PlannedCampaign]],
    *,
    tell: Callable[[str], object],
    look: Callable[[str], object],
    least_patience: float = LEAST_PATIENCE,
) -> Generator[tuple[int, list[list[Campaign]]], None, None]:
    """Each batch's position and, task by task, its campaigns, as they finish; see ``Crew``.

    ``look`` : called several times a second; may raise to stop.
    """
    if not batches:
        return
    worker = CampaignWorker(inputs, level, batches[0][0])
    bundles = [batches[start : start + BUNDLE] for start in range(0, len(batches), BUNDLE)]
    with connected() as ray:
        crew = Crew(ray, worker, worker.proof(), tell, least_patience=least_patience)
        for one in crew.run(bundles, look):
            yield from enumerate(one.answer, start=one.place * BUNDLE)


@dataclass
class CampaignWorker:
    """The worker of a machine: the inputs, and a campaign by which it proves that it draws and estimates as here."""

    inputs: Inputs
    level: float
    first: PlannedCampaign
    _pool: list[Pool] = field(default_factory=list)  # started on the machine

    def proof(self) -> Proof:
        """The result of the first campaign, without its time."""
        with one_thread():
            found = run_planned(self.inputs, self.first, self.level)
        said = repr([replace(one, seconds=0.0) for one in found])
        return Proof({FIRST: hashlib.sha256(said.encode()).hexdigest()[:12]})

    def ready(self) -> Ready:
        """Runs the first campaign, and starts a process for each core."""
        proof = self.proof()
        self._pool.append(Pool(self.inputs, self.level, cores()))
        return Ready(proof)

    def run(self, bundle: Sequence[Sequence[PlannedCampaign]]) -> list[list[list[Campaign]]]:
        """The campaigns of some batches, in order."""
        found = dict(self._pool[0].run(bundle))
        return [found[place] for place in range(len(bundle))]


def work(tasks: IO[bytes], results: IO[bytes]) -> None:
    """Runs batches of tasks, one after another, until the other end closes; errors are sent, not raised."""
    inputs, level = pickle.load(tasks)
    while True:
        try:
            batch = pickle.load(tasks)
        except EOFError:
            return
        answer: Any
        try:
            answer = [run_planned(inputs, task, level) for task in batch]
        except Exception as error:  # sent to the other end, which raises it there
            answer = error
        pickle.dump(answer, results)
        results.flush()


def main() -> None:
    """Works on standard input and output; whatever a library prints goes to standard error instead."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with results:
        work(sys.stdin.buffer, results)
