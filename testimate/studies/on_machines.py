"""Campaigns on the machines of a Ray cluster: the inputs are sent to each machine once, and its cores share its batches."""

import hashlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.engines.crew import LEAST_PATIENCE, Crew
from testimate.engines.ray_cluster import Proof, Ready, connected
from testimate.structure.cores import one_thread
from testimate.studies.campaign import Campaign, PlannedCampaign, run_planned
from testimate.studies.workers import Pool

BUNDLE = 16
"""Batches that a machine gets at a time."""

FIRST = "the first campaign"

Batch = Sequence[PlannedCampaign]


def on_machines(
    inputs: Inputs,
    level: float,
    batches: Sequence[Batch],
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

    def run(self, bundle: Sequence[Batch]) -> list[list[list[Campaign]]]:
        """The campaigns of some batches, in order."""
        found = dict(self._pool[0].run(bundle))
        return [found[place] for place in range(len(bundle))]
