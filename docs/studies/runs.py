"""The campaigns behind the study pages: jobs that run side by side, each one's numbers kept in a file of JSON."""

import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.plans.known_inputs import inputs_of_table
from testimate.studies import campaign, exact_error, watch
from testimate.studies.campaign import CONTINUED, Campaign, campaign_at_each
from testimate.studies.cell import Cell
from testimate.studies.workers import cores

FILES = {
    "D": "deepsample/modelD_final.csv.gz",
    "G": "deepsample/modelG_final.csv.gz",
    "CN12": "deepest/CN12_CIFAR10.csv.gz",
    "DO": "deepsample/Dave_orig.csv.gz",
}
DEGREES = 25  # of the steering wheel, per unit of subject DO
TOLERANCE = 12.5 / DEGREES  # DeepSample, section 5.3.2
OFFSETS = np.arange(0, 37.5, 2.5)  # degrees
BUDGETS = (50, 100, 200, 400, 800)
LOOKS = (50, 100, 200, 400, 800, 1000)
SEED = 2026


@dataclass(frozen=True)
class Job:
    """One technique on one subject: ``kind`` "campaigns" at BUDGETS (or ``budgets``), or "watched" to 1,000 labels."""

    kind: str
    subject: str
    technique: str
    auxiliary: str
    repetitions: int
    variant: str | None = None
    budgets: tuple[int, ...] = BUDGETS
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Fit for a file."""
        words = [self.kind, self.subject, self.technique, self.auxiliary, self.variant or "own", str(self.repetitions)]
        words += [str(max(self.budgets)), *(f"{key}={value}" for key, value in self.options)]
        return "_".join(words).replace(" ", "-")


def data_folder() -> Path:
    """The folder of real data; TESTIMATE_DATA names it."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("TESTIMATE_DATA", default))
    if not folder.is_dir():
        raise SystemExit(f"The real data is not at {folder}; set TESTIMATE_DATA to the folder that holds it.")
    return folder


@cache
def inputs_of(subject: str) -> Inputs:
    """The subject's inputs with their truth."""
    return inputs_of_table(data_folder() / FILES[subject], tolerance=TOLERANCE if subject == "DO" else None)


def results_of(jobs: Iterable[Job], folder: Path) -> dict[Job, dict[str, Any]]:
    """What each job came to; those whose file is in the folder are not run again."""
    wanted = list(dict.fromkeys(jobs))
    left = [job for job in wanted if not (folder / f"{job.name}.json").exists()]
    with ProcessPoolExecutor(cores()) as pool:
        futures = {pool.submit(run, job): job for job in left}
        for number, future in enumerate(as_completed(futures), 1):
            file = folder / f"{futures[future].name}.json"
            file.with_suffix(".part").write_text(json.dumps(future.result()))
            file.with_suffix(".part").rename(file)
            print(f"{number} of {len(left)}: {file.stem}", flush=True)
    return {job: json.loads((folder / f"{job.name}.json").read_text()) for job in wanted}


def run(job: Job) -> dict[str, Any]:
    """One job's numbers, as JSON values."""
    kinds: dict[str, Callable[[Job], dict[str, Any]]] = {"campaigns": run_campaigns, "watched": run_watched}
    return kinds[job.kind](job)


def run_campaigns(job: Job) -> dict[str, Any]:
    """For each budget: errors, failures and interval hits of each repetition, mean failures by offset, exact error."""
    inputs = inputs_of(job.subject)
    cells = {
        budget: Cell(job.technique, job.auxiliary, job.variant, budget, "LHL", job.options) for budget in job.budgets
    }
    found: dict[int, list[Campaign]] = {budget: [] for budget in job.budgets}
    for repetition in range(job.repetitions):
        if job.technique in CONTINUED:
            request = cells[max(job.budgets)].request(SEED, repetition)
            for budget, one in zip(job.budgets, campaign_at_each(inputs, request, job.budgets), strict=True):
                found[budget].append(one)
        else:
            for budget in job.budgets:
                found[budget].append(campaign(inputs, cells[budget].request(SEED, repetition)))
    return {
        str(budget): {
            **numbers_of(inputs, found[budget]),
            "exact": exact_error(inputs, cells[budget].request(SEED, 0)),
        }
        for budget in job.budgets
    }


def numbers_of(inputs: Inputs, campaigns: list[Campaign]) -> dict[str, Any]:
    """What is kept of one budget's campaigns."""
    assert inputs.losses is not None
    truth = 1 - float(inputs.losses.mean())
    held = [
        one.low - 1e-12 <= truth <= one.high + 1e-12
        for one in campaigns
        if one.low is not None and one.high is not None
    ]
    beyond = None
    if inputs.task.kind == "regression":
        offsets = np.sqrt(inputs.losses) * DEGREES
        counts = [[int((offsets[list(one.rows)] >= y - 1e-9).sum()) for y in OFFSETS] for one in campaigns]
        beyond = np.mean(counts, axis=0).tolist()
    return {
        "errors": [one.accuracy - truth for one in campaigns],
        "failures": [one.failures for one in campaigns],
        "held": float(np.mean(held)) if held else None,
        "beyond": beyond,
    }


def run_watched(job: Job) -> dict[str, Any]:
    """Estimates and both intervals at LOOKS."""
    request = Request(job.technique, max(LOOKS), SEED, auxiliary=job.auxiliary)
    found = watch(inputs_of(job.subject), request, campaigns=job.repetitions, looks=LOOKS)
    assert found.always_valid is not None
    return {
        "truth": found.truth,
        "accuracy": found.accuracy.tolist(),
        "ordinary": found.ordinary.tolist(),
        "always": found.always_valid.tolist(),
    }


def all_jobs() -> list[Job]:
    """Everything both pages need."""
    watched = [
        Job("watched", subject, technique, "confidence", 500)
        for technique in ("rra", "rrs")
        for subject in ("D", "CN12", "G")
    ]
    return [*sorted(deepsample_jobs(), key=lambda job: job.auxiliary != "confidence"), *ssoa_jobs(), *watched]


CLASSIFICATION = {"D": ("confidence", "dsa", "lsa"), "G": ("confidence", "dsa", "lsa"), "CN12": ("confidence", "dsa")}
OURS_AND_THEIRS = ("srs", "css", "ssrs", "gbs", "sups", "rhc-s", "2-ups", "deepest", "rrs", "rra")
PUBLISHED = ("gbs", "sups", "rhc-s", "2-ups", "deepest")
REPETITIONS = {"confidence": 60, "dsa": 40, "lsa": 40, "VAE": 40, "SAE": 40}


def deepsample_jobs() -> list[Job]:
    """RQ1 to RQ3: every technique, by its definition and as published, on every subject and auxiliary variable."""
    jobs = []
    for subject, auxiliaries in {**CLASSIFICATION, "DO": ("lsa", "VAE", "SAE")}.items():
        for auxiliary in auxiliaries:
            times = REPETITIONS[auxiliary]
            for technique in OURS_AND_THEIRS:
                if not (subject == "DO" and technique == "rra"):
                    jobs.append(Job("campaigns", subject, technique, auxiliary, times))
            if subject != "CN12":
                jobs += [
                    Job("campaigns", subject, technique, auxiliary, times, "as published") for technique in PUBLISHED
                ]
    for subject, deviations in PROGRAM_THRESHOLDS.items():
        options = (("deviations", deviations),)
        jobs.append(Job("campaigns", subject, "deepest", "lsa", REPETITIONS["lsa"], "as published", options=options))
    return jobs


PROGRAM_THRESHOLDS = {"DO": -100.0, "D": 0.09}
"""DeepEST's with LSA in the authors' scripts, in standard deviations above the mean: every input on DO; on D the variance."""


SSOA = ("ssoa-r-p", "ssoa-c-p")
SSOA_BUDGETS = (50, 100, 150, 200)
SSOA_REPETITIONS, CLUSTER_REPETITIONS = 100, 60


def ssoa_jobs() -> list[Job]:
    """SSOA's RQ1, RQ2, RQ6 and its regression."""
    jobs = []
    for subject in CLASSIFICATION:
        for technique in SSOA:
            for variant in (None, "as published"):
                jobs.append(Job("campaigns", subject, technique, "confidence", SSOA_REPETITIONS, variant, SSOA_BUDGETS))
        for clusters in (2, 4, 5, 6):
            options = (("clusters", clusters),)
            jobs.append(
                Job("campaigns", subject, "ssoa-c-p", "confidence", CLUSTER_REPETITIONS, None, SSOA_BUDGETS, options)
            )
    jobs.append(Job("campaigns", "DO", "ssoa-c-p", "lsa", SSOA_REPETITIONS, None, SSOA_BUDGETS))
    return jobs


if __name__ == "__main__":  # the numbers alone, for whoever writes a page
    import sys

    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    results_of(all_jobs(), target)
