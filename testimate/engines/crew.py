"""The crew that works on the machines of a Ray cluster, any of which may be lost, late, full, silent or different.

Its actors stay on their machines between two runs over one connection, because to start them takes seconds. ``OnCluster`` gives
blocks of work to such a crew.
"""

import hashlib
import os
import pickle
import statistics
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.machine import cores
from testimate.core.progress import Progress
from testimate.engines.host import Host, installed
from testimate.engines.ray_cluster import Connection, Head, Proof, Ready
from testimate.structure.cores import on_cores, one_thread


class Staff:
    """The idle actors of the connection that is open, by their machine.

    They hold their machine's cores, so they are kept only when no other crew of this process is at work.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job = ""
        self._idle: dict[str, list[Any]] = {}
        self._crews = 0

    def begin(self, ray: Any) -> None:
        """A crew begins; actors of a former connection are forgotten, for they ended with it."""
        job = _job(ray)
        with self._lock:
            self._crews += 1
            if job != self._job:
                self._job, self._idle = job, {}

    def take(self, node: str) -> Any:
        """An actor on that machine; None where there is none."""
        with self._lock:
            idle = self._idle.get(node)
            return idle.pop() if idle else None

    def end(self, ray: Any, idle: dict[str, list[Any]]) -> None:
        """A crew ends; its idle actors forget their work and stay, or are ended where another crew may need their cores."""
        with self._lock:
            self._crews -= 1
            stay = bool(self._job) and not self._crews
            for node, actors in idle.items():
                for actor in actors:
                    if stay:
                        actor.rest.remote()
                        self._idle.setdefault(node, []).append(actor)
                    else:
                        ray.kill(actor)


def _job(ray: Any) -> str:
    """The name of the connection; "" where it has none."""
    with suppress(AttributeError):
        return str(ray.get_runtime_context().get_job_id())
    return ""


STAFF = Staff()
"""That of this process, which has at most one connection."""


POLL_SECONDS = 0.5
"""Seconds between two looks at who is ready, which is also how long a run takes to stop."""

HIRE_SECONDS = 3.0
"""Seconds between two looks at which machines there are."""

ALONE_SECONDS = 60.0
"""How long a run waits for a machine when none is left; another may join, or a lost one come back."""

# When a machine is left out, and what it has to prove first: decision 172.
MOST_LOSSES = 3
"""How often a machine may be lost before it has finished another piece."""

PATIENCE, LEAST_PATIENCE = 20.0, 120.0
"""A machine is given up when a piece takes this many times as long as usual, and at least this many seconds."""


class Worker(Protocol):
    """What is sent to every machine: opens what it needs there, and does one piece after another."""

    def ready(self) -> Ready:
        """Opens it on the machine. BadInput, SubjectChanged or an OSError where the machine lacks something."""
        ...

    def run(self, piece: Any) -> Any:
        """The answer for a piece. StoreUnavailable where the machine cannot write it, so that another may."""
        ...


Steps = Generator[Any, Any, Any]
"""A piece for a machine that lacks something: yields what is sent to it, takes its answer, and returns the piece's own."""


class InSteps(Protocol):
    """How a machine works that cannot see all it needs."""

    def of(self, piece: Any, lacks: str) -> Steps:
        """The steps of a piece; bounded in memory, since they are on this computer."""
        ...

    def words(self, lacks: str) -> str:
        """What is sent and why, as the end of a sentence."""
        ...


class SaidOnce:
    """Says each sentence once, however many runs it is true of."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._said: set[str] = set()

    def __call__(self, sentence: str) -> None:
        """Says it, the first time."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._tell(sentence)


@dataclass(frozen=True)
class Done:
    """A piece that is done: its place among the pieces, the worker's answer, and the machine that gave it."""

    place: int
    answer: Any
    machine: str


@dataclass
class _Actor:
    """One actor on a machine.

    ``begun``, ``since`` : when the piece it is at was begun, and the step of it. ``lacks`` : see ``Ready``. ``steps`` : of
    the piece, where it is given one by one.
    """

    handle: Any
    node: str
    begun: float = 0.0
    since: float = 0.0
    place: int | None = None
    lacks: str = ""
    steps: Steps | None = None


@dataclass
class _Machine:
    """What is known of a machine of the cluster. ``said`` : what is installed there."""

    name: str
    losses: int = 0
    left_out: bool = False
    said: Mapping[str, str] = field(default_factory=dict)


class Crew:
    """The machines of a cluster that work on one list of pieces.

    Parameters
    ----------
    ray : connected. worker : sent to each machine once. here : what the worker proves on this computer.
    tell : hears who is left out, and why; and which machine is given what it cannot see.
    in_steps : makes the steps of a piece for a machine by what it lacks, and says that in words, after "the machine …".
    least_patience : see ``LEAST_PATIENCE``.

    Attributes
    ----------
    where : by the name of a machine that works, what its worker says about where it runs.
    """

    def __init__(
        self,
        ray: Any,
        worker: Worker,
        here: Proof,
        tell: Callable[[str], object],
        *,
        in_steps: "InSteps | None" = None,
        least_patience: float = LEAST_PATIENCE,
    ) -> None:
        self._ray, self._tell, self._least_patience, self._in_steps = ray, tell, least_patience, in_steps
        self._here = Proof({**installed(), **here.says})
        self._head = Head(ray)
        ray.cloudpickle.register_pickle_by_value(sys.modules[Host.__module__])
        self._make = ray.remote(Host)
        try:
            self._sent = ray.put(worker)
        except TypeError as error:
            raise not_sent(error) from error
        self._machines: dict[str, _Machine] = {}
        self._asked: dict[Any, _Actor] = {}  # promise of what is installed
        self._starting: dict[Any, _Actor] = {}  # promise of being ready
        self._idle: list[_Actor] = []
        self._busy: dict[Any, _Actor] = {}  # promise of an answer
        self._seconds: list[float] = []  # that pieces took
        self._looked = -HIRE_SECONDS
        self._engaged = time.monotonic()  # when somebody was last at work
        self._why: dict[str, str] = {}  # name of a machine that is left out -> why
        self.where: dict[str, str] = {}

    def run(self, pieces: Sequence[Any], look: Callable[[str], object]) -> Iterator[Done]:
        """Every piece once it is done, in any order; raises what a worker says about a piece.

        ``look`` : is called some times a second with what the crew does, and may raise to stop it.
        """
        waiting = list(reversed(range(len(pieces))))
        STAFF.begin(self._ray)
        try:
            while waiting or self._busy:
                self._head.check()
                self._hire()
                while waiting and self._idle:
                    self._give(self._idle.pop(), waiting.pop(), pieces)
                look("" if self.where else "waiting for a machine of the cluster")
                yield from self._heard(waiting)
                self._give_up_the_silent(waiting)
        finally:
            idle: dict[str, list[Any]] = {}
            if not self._head.is_gone:
                for actor in [*self._asked.values(), *self._starting.values(), *self._busy.values()]:
                    self._ray.kill(actor.handle)
                for actor in self._idle:
                    idle.setdefault(actor.node, []).append(actor.handle)
            STAFF.end(self._ray, idle)

    def _give(self, actor: _Actor, place: int, pieces: Sequence[Any]) -> None:
        actor.place, actor.begun = place, time.monotonic()
        if actor.lacks:
            assert self._in_steps is not None
            actor.steps = self._in_steps.of(pieces[place], actor.lacks)
            self._send(actor, next(actor.steps))
        else:
            self._send(actor, pieces[place])

    def _send(self, actor: _Actor, sent: Any) -> None:
        actor.since = time.monotonic()
        self._busy[actor.handle.run.remote(sent)] = actor

    def _heard(self, waiting: list[int]) -> Iterator[Done]:
        """The pieces that were finished within some moments; one whose machine was lost goes back to those that wait."""
        promises = [*self._busy, *self._starting, *self._asked]
        if not promises:
            time.sleep(POLL_SECONDS)  # no machine is there; one may join
            return
        ready, _ = self._ray.wait(promises, num_returns=1, timeout=POLL_SECONDS)
        for promise in ready:
            step = next(one for one in (self._busy, self._starting, self._asked) if promise in one)
            actor = step.pop(promise)
            try:
                answer = self._ray.get(promise)
            except self._ray.exceptions.RayTaskError as error:
                self._refused(actor, _cause_of(error), waiting)
            except self._ray.exceptions.RayError as error:  # the actor, its machine, or the way to it
                self._lost(actor, str(error), waiting)
            else:
                if step is self._asked:
                    self._compare(actor, answer)
                elif step is self._starting:
                    self._begin(actor, answer)
                elif actor.steps is None:
                    yield self._finished(actor, answer)
                else:
                    try:
                        self._send(actor, actor.steps.send(answer))
                    except StopIteration as piece:
                        actor.steps = None
                        yield self._finished(actor, piece.value)

    def _compare(self, actor: _Actor, says: Mapping[str, str]) -> None:
        """Sends the worker to a machine that has what is here."""
        here = Proof({name: self._here.says[name] for name in says if name in self._here.says})
        if not self._is_left_out(actor, here, Proof(says)):
            self._machines[actor.node].said = says
            self._starting[actor.handle.ready.remote([self._sent])] = actor
            actor.since = time.monotonic()

    def _begin(self, actor: _Actor, ready: Ready) -> None:
        """Takes on a machine whose worker proves the same as here."""
        machine = self._machines[actor.node]
        if not self._is_left_out(actor, self._here, Proof({**machine.said, **ready.proof.says})):
            self.where[machine.name] = ready.where
            if ready.lacks and self._in_steps is not None and actor.lacks != ready.lacks:
                self._tell(f"The machine {machine.name} of the cluster {self._in_steps.words(ready.lacks)}")
            actor.lacks = ready.lacks
            self._idle.append(actor)

    def _finished(self, actor: _Actor, answer: Any) -> Done:
        assert actor.place is not None
        self._seconds.append(time.monotonic() - actor.begun)
        self._machines[actor.node].losses = 0
        place, actor.place = actor.place, None
        self._idle.append(actor)
        return Done(place, answer, self._machines[actor.node].name)

    def _refused(self, actor: _Actor, error: Exception, waiting: list[int]) -> None:
        """A machine that lacks something or cannot write is left out; what is said about a piece itself ends the run."""
        begins = actor.place is None
        if not (
            begins and isinstance(error, TestimateError | OSError | ImportError | AttributeError)
        ) and not isinstance(error, StoreUnavailable):
            raise error from None
        self._back(actor, waiting)
        self._leave_out(actor, str(error))

    def _is_left_out(self, actor: _Actor, here: Proof, there: Proof) -> bool:
        """Whether a machine differs from this one; if so, it is named and released."""
        found = here.differences(there)
        if found:
            self._leave_out(actor, f"It would not write the same values ({found}). Install there what is here.")
        return bool(found)

    def _leave_out(self, actor: _Actor, why: str) -> None:
        """Releases a machine and reports its name and the reason."""
        machine = self._machines[actor.node]
        self._ray.kill(actor.handle)
        self.where.pop(machine.name, None)
        self._idle = [one for one in self._idle if one.node != actor.node]
        if not machine.left_out:
            machine.left_out = True
            self._why[machine.name] = why
            self._tell(f"The machine {machine.name} of the cluster is left out: {why}")

    def _lost(self, actor: _Actor, why: str, waiting: list[int]) -> None:
        """Counts a lost machine; it is hired again while it is available, up to a limit."""
        self._back(actor, waiting)
        machine = self._machines[actor.node]
        machine.losses += 1
        self._looked = min(self._looked, time.monotonic() - HIRE_SECONDS + POLL_SECONDS)
        if machine.losses >= MOST_LOSSES:
            first = next((line for line in why.splitlines() if line.strip()), "")
            self._leave_out(
                actor,
                f"It was lost {machine.losses} times in a row ({first:.200}). It may have too little memory for the model.",
            )

    def _back(self, actor: _Actor, waiting: list[int]) -> None:
        if actor.steps is not None:
            actor.steps.close()
            actor.steps = None
        if actor.place is not None:
            waiting.append(actor.place)
            actor.place = None

    def _give_up_the_silent(self, waiting: list[int]) -> None:
        """Leaves out a machine whose piece takes far longer than pieces usually do."""
        if not self._seconds:
            return
        most = max(PATIENCE * statistics.median(self._seconds), self._least_patience)
        for promise, actor in list(self._busy.items()):
            if time.monotonic() - actor.since > most:
                del self._busy[promise]
                self._back(actor, waiting)
                self._leave_out(
                    actor, f"It has not answered for {most:.0f} seconds. Check whether it is still running."
                )

    def _hire(self) -> None:
        """Starts actors on every machine that is alive and has none; from time to time, so that one may join late."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if time.monotonic() - self._looked < HIRE_SECONDS:
            return
        self._looked = time.monotonic()
        engaged = [*self._asked.values(), *self._starting.values(), *self._idle, *self._busy.values()]
        for node in self._ray.nodes():
            processors, accelerators = (int(node["Resources"].get(kind, 0)) for kind in ("CPU", "GPU"))
            if not node["Alive"] or not (processors or accelerators):  # a head that only leads has neither
                continue
            machine = self._machines.setdefault(node["NodeID"], _Machine(self._name_of(node)))
            count = (accelerators or 1) - sum(actor.node == node["NodeID"] for actor in engaged)
            for _ in range(0 if machine.left_out else count):
                handle = STAFF.take(node["NodeID"]) or self._make.options(
                    num_cpus=max(1, processors // (accelerators or 1)),
                    num_gpus=1 if accelerators else 0,
                    scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                    max_restarts=0,
                ).remote(os.environ.get("OMP_NUM_THREADS") or str(cores()))
                self._asked[handle.installed.remote()] = _Actor(handle, node["NodeID"])
        if self._asked or self._starting or self._idle or self._busy:
            self._engaged = time.monotonic()
        elif self._why and not self._seconds:
            raise BadInput(
                f"No machine of the cluster can be used ({self._left_out_words()}). Repair one of them, or leave "
                "--engine out."
            )
        elif time.monotonic() - self._engaged > ALONE_SECONDS:
            why = f" (left out: {self._left_out_words()})" if self._why else ""
            raise StoreUnavailable(
                f"The cluster has had no machine to work for {ALONE_SECONDS:g} seconds{why}. Expected one. Start one; the same "
                "command goes on from what is finished."
            )

    def _left_out_words(self) -> str:
        return f"{' '.join(f'{name}: {why}' for name, why in self._why.items()):.500}"

    def _name_of(self, node: Mapping[str, Any]) -> str:
        """What a machine is called: the name it was given, where it was given one, else its host's; no two are called alike."""
        address, given = node.get("NodeManagerAddress"), node.get("NodeName")
        name = (given if given != address else None) or node.get("NodeManagerHostname") or address or node["NodeID"]
        alike = any(machine.name == name for node_id, machine in self._machines.items() if node_id != node["NodeID"])
        return f"{name} ({node['NodeID'][:6]})" if alike else str(name)


def not_sent(error: Exception) -> BadInput:
    """Why a worker cannot be sent, as an error."""
    return BadInput(
        f"This test set cannot be sent to other machines ({error!s:.200}). Expected a model and data that are read from files. "
        "Leave --engine out."
    )


def _cause_of(error: Any) -> Exception:
    """What a machine of the cluster raised, as if it had been raised here."""
    cause: Exception = error.cause
    return cause if isinstance(cause, Exception) else RuntimeError(str(error))


BUNDLES = 64
"""Parts into which the blocks are put: each costs a message, and what a lost machine was at is repeated."""

FIRST = "the first block"


class OnCluster:
    """An ``OnBlocks`` on the cluster that RAY_ADDRESS names; what the work looks at is sent to each machine once.

    ``tell`` : hears which machines are left out, and why. ``connection`` : one that is shared with other runs.
    """

    def __init__(
        self,
        tell: Callable[[str], object] = warnings.warn,
        *,
        connection: Connection | None = None,
        least_patience: float = LEAST_PATIENCE,
    ) -> None:
        self._tell, self._least_patience = SaidOnce(tell), least_patience
        self.connection = connection or Connection()

    def __call__(
        self, work: Callable[[Any], Any], blocks: Sequence[Any], progress: Progress, what: str
    ) -> Iterator[tuple[int, Any]]:
        """The place of each block and the answer for it.

        Raises what ``work`` raises, and BadInput where no machine can be used.
        """
        if not blocks:
            return
        worker = BlockWorker(work, blocks[0])
        size = -(-len(blocks) // BUNDLES)
        bundles = [list(blocks[start : start + size]) for start in range(0, len(blocks), size)]
        done = 0

        def look(waits: str) -> None:
            progress(done, len(blocks), waits or what)

        with self.connection.opened() as ray:
            crew = Crew(ray, worker, worker.ready().proof, self._tell, least_patience=self._least_patience)
            for one in crew.run(bundles, look):
                yield from enumerate(one.answer, start=one.place * size)
                done += len(one.answer)
        progress(len(blocks), len(blocks), what)


@dataclass(frozen=True)
class BlockWorker:
    """What is sent to a machine: the work, and a block by which it proves that it does it as here."""

    work: Callable[[Any], Any]
    first: Any

    def ready(self) -> Ready:
        """Does the first block."""
        with one_thread():
            answer = self.work(self.first)
        return Ready(Proof({FIRST: hashlib.sha256(pickle.dumps(answer)).hexdigest()[:12]}))

    def run(self, bundle: Sequence[Any]) -> list[Any]:
        """The answers for some blocks, on all cores of the machine."""
        return on_cores(bundle, self.work)
