"""The campaigns behind the study pages: jobs that run side by side, their numbers kept in files of JSON and found again."""

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from research.methods.exact import FIXED_STRATA, UNIFORM_SHARE, exact_error, two_phase
from research.methods.many import Many, many_gradient, many_simple, many_stratified, many_two_stage, many_unequal
from research.methods.optional_stopping import watch
from research.studies.study_subjects import (
    DEGREES,
    MODELS,
    SHIFTS,
    data_folder,
    inputs_of,
    kept_folder,
    losses_of,
    make,
)
from testimate.core.inputs import Inputs
from testimate.core.machine import cores
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.intervals import korn_graubard
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure.strata import by_clusters, by_rule
from testimate.studies.campaign import Campaign, PlannedCampaign, label, one_campaign_serves, run_planned
from testimate.studies.study import Cell, study
from testimate.studies.study_rows import spread_of_srs

BUDGETS = (50, 100, 200, 400, 800)
LOOKS = (50, 100, 200, 400, 800, 1000)
MANY, WATCHED = 4000, 500

COVERAGE_MANY, COVERAGE = 40_000, 300
"""Campaigns for a coverage: of strata at once, of rra one by one."""


@dataclass(frozen=True)
class Job:
    """One technique on one subject, by its ``kind``.

    "campaigns" one by one at BUDGETS (or ``budgets``), "both intervals" the same with the conservative interval besides,
    "many" at once from the law of their counts, "watched" to 1,000 labels, "chosen" once where nothing is random, "phases"
    from SSOA's pre-samples, "speed" what a study takes.
    """

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


def all_jobs() -> list[Job]:
    """Everything the pages need."""
    watched = [
        Job("watched", subject, technique, "confidence", WATCHED)
        for technique in ("rra", "rrs")
        for subject in ("D", "G", "CN12")
    ]
    return [*watched, *deepsample_jobs(), *ssoa_jobs(), SPEED]


SPEED = Job("speed", "D", "every technique", "confidence", 20)
CLASSIFICATION = {
    "D": ("confidence", "dsa", "lsa"),
    "G": ("confidence", "dsa", "lsa"),
    "CN12": ("confidence", "dsa"),
    **dict.fromkeys(MODELS, ("confidence",)),
}
OURS_AND_THEIRS = ("srs", "ces", "css", "ssrs", "gbs", "sups", "rhc-s", "2-ups", "deepest", "rrs", "rra")
PUBLISHED = ("gbs", "sups", "rhc-s", "2-ups", "deepest")
AT_ONCE = ("srs", "css", "ssrs", "gbs", "sups", "2-ups", "rrs")
ONE_BY_ONE = 300

SLOWER = {("rra", "dsa"): 150, ("rra", "lsa"): 150}
"""Repetitions of what takes a second each, by technique and auxiliary variable."""


def times(subject: str, technique: str, auxiliary: str) -> int:
    """Repetitions of a technique whose campaigns are run one by one."""
    if (technique, subject) == ("ces", "LeNet-1"):  # 588 neurons
        return 60
    if technique == "ces" or auxiliary in ("VAE", "SAE"):
        return 150
    return SLOWER.get((technique, auxiliary), ONE_BY_ONE)


def deepsample_jobs() -> list[Job]:
    """RQ1 to RQ3: every technique, by its definition and as published, on every subject and auxiliary variable."""
    jobs = []
    for subject, auxiliaries in {**CLASSIFICATION, "DO": ("lsa", "VAE", "SAE")}.items():
        for auxiliary in auxiliaries:
            for technique in OURS_AND_THEIRS:
                if (technique == "ces") != (subject in MODELS) and technique == "ces":
                    continue  # a table holds no features
                if technique == "rra" and subject == "DO":
                    continue  # for pass or fail
                both = technique == "rra" and auxiliary == "confidence" and subject not in MODELS
                job = _job(subject, technique, auxiliary, None)
                jobs.append(replace(job, kind="both intervals", repetitions=COVERAGE) if both else job)
            if subject not in ("CN12", *MODELS):
                jobs += [_job(subject, technique, auxiliary, "as published") for technique in PUBLISHED]
    for subject, deviations in PROGRAM_THRESHOLDS.items():
        options = (("deviations", deviations),)
        jobs.append(replace(_job(subject, "deepest", "lsa", "as published"), options=options))
    return jobs


def _job(subject: str, technique: str, auxiliary: str, variant: str | None) -> Job:
    if technique in AT_ONCE and subject != "DO":
        count = COVERAGE_MANY if (technique, auxiliary) == ("rrs", "confidence") else MANY
        return Job("many", subject, technique, auxiliary, count, variant)
    return Job("campaigns", subject, technique, auxiliary, times(subject, technique, auxiliary), variant)


PROGRAM_THRESHOLDS = {"DO": -100.0, "D": 0.09, "G": 0.077}
"""DeepEST's with LSA in the authors' scripts, in standard deviations above the mean: DO every input, D and G the variance."""

SSOA = ("ssoa-r-p", "ssoa-c-p")

SSOA_BUDGETS = tuple(range(50, 201, 10))
"""Of the paper."""

FEWER_BUDGETS = (50, 100, 150, 200)
STABILITY = (50, 100, 200, 500, 1000, 1500, 2000, 3000, 4000)

REDUCED = {"LeNet-1": (("components", 8), ("reduction", "fastica")), "LeNet-5": ()}
"""How pace clusters: PACE's authors reduce the 588 numbers of LeNet-1 to 8."""

SHIFTED = tuple(f"{model} with {shift}" for model in MODELS for shift in SHIFTS)
CLUSTERS = (2, 3, 4, 5, 6)


def ssoa_jobs() -> list[Job]:
    """SSOA's questions, where they need more than a formula."""
    chosen = [
        Job("chosen", model, "pace", "confidence", 1, variant, STABILITY, REDUCED[model])
        for model in MODELS
        for variant in (None, "as published")
    ]
    phases = [
        Job("phases", subject, technique, "confidence", 1, variant, SSOA_BUDGETS)
        for subject in (*CLASSIFICATION, *SHIFTED)
        for technique in SSOA
        for variant in (None, "as published")
        if variant is None or subject in CLASSIFICATION
    ]
    clusters = [
        Job("phases", subject, "ssoa-c-p", "confidence", 1, None, FEWER_BUDGETS, (("clusters", count),))
        for subject in CLASSIFICATION
        for count in CLUSTERS
        if count != 3
    ]
    regression = [
        Job("campaigns", "DO", "ssoa-c-p", "lsa", ONE_BY_ONE, variant, FEWER_BUDGETS)
        for variant in (None, "as published")
    ]
    return [*chosen, *phases, *clusters, *regression]


OFFSETS = np.arange(0, 37.5, 2.5)  # degrees
SEED = 2026
KEPT_ERRORS = 300  # of each cell, for the tests of difference and the plots


def results_of(jobs: Iterable[Job], folder: Path) -> dict[Job, dict[str, Any]]:
    """The result of each job; those whose file is in the folder are not run again."""
    make(data_folder(), folder)
    wanted = list(dict.fromkeys(jobs))
    left = [job for job in wanted if not (folder / f"{job.name}.json").exists()]
    left.sort(key=lambda job: job.kind not in ("watched", "both intervals"))  # the longest first
    with ProcessPoolExecutor(cores()) as pool:
        futures = {pool.submit(timed, job): job for job in left}
        for number, future in enumerate(as_completed(futures), 1):
            file = folder / f"{futures[future].name}.json"
            file.with_suffix(".part").write_text(json.dumps(future.result()))
            file.with_suffix(".part").rename(file)
            print(f"{number} of {len(left)}: {file.stem}", flush=True)
    return {job: json.loads((folder / f"{job.name}.json").read_text()) for job in wanted}


def timed(job: Job) -> dict[str, Any]:
    """One job's numbers, as JSON values, with the processor's seconds that they took."""
    inputs_of(job.subject)
    started = process_time()
    kinds: dict[str, Callable[[Job], dict[str, Any]]] = {
        "campaigns": run_campaigns,
        "many": run_many,
        "watched": run_watched,
        "chosen": run_chosen,
        "both intervals": run_both_intervals,
        "phases": run_phases,
        "speed": run_speed,
    }
    return {"found": kinds[job.kind](job), "cpu": process_time() - started}


def cells_of_job(job: Job) -> list[Cell]:
    """The cell of each budget, rising."""
    return [Cell(job.technique, job.auxiliary, job.variant, budget, "LHL", job.options) for budget in job.budgets]


def run_campaigns(job: Job) -> dict[str, Any]:
    """Campaigns one by one: the selectors themselves, labeled by the truth."""
    inputs, cells = inputs_of(job.subject), cells_of_job(job)
    together = one_campaign_serves(job.technique, job.budgets, dict(job.options))
    found: dict[int, list[Campaign]] = {budget: [] for budget in job.budgets}
    for repetition in range(job.repetitions):
        for line in [cells] if together else [[cell] for cell in cells]:
            budgets = tuple(cell.budget for cell in line)
            for budget, one in zip(
                budgets,
                run_planned(inputs, PlannedCampaign(line[-1].request(SEED, repetition), budgets), 0.95),
                strict=True,
            ):
                found[budget].append(one)
    truth = 1 - losses_of(job.subject).mean()
    return {
        str(cell.budget): {
            **numbers_of(
                np.array([one.accuracy for one in found[cell.budget]]) - truth,
                np.array([one.failures for one in found[cell.budget]]),
            ),
            "exact": exact_error(inputs, cell.request(SEED, 0)),
            "held": share_held(found[cell.budget], truth),
            "beyond": counts_beyond(inputs, found[cell.budget]),
        }
        for cell in cells
    }


def numbers_of(errors: NDArray[np.float64], failures: NDArray[Any]) -> dict[str, Any]:
    """What is kept of one budget's errors and failures, each (R,)."""
    count = len(errors)
    return {
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "rmedse": float(np.sqrt(np.median(errors**2))),
        "bias": float(errors.mean()),
        "bias_se": float(errors.std(ddof=1) / np.sqrt(count)) if count > 1 else None,
        "failures": float(failures.mean()),
        "repetitions": count,
        "errors": errors[:KEPT_ERRORS].tolist(),
        "exact": None,
        "held": None,
        "beyond": None,
    }


def share_held(campaigns: list[Campaign], truth: float) -> float | None:
    """Share of the intervals that hold the truth."""
    held = [
        one.low - 1e-12 <= truth <= one.high + 1e-12
        for one in campaigns
        if one.low is not None and one.high is not None
    ]
    return float(np.mean(held)) if held else None


def counts_beyond(inputs: Inputs, campaigns: list[Campaign]) -> list[float] | None:
    """Mean inputs drawn whose error is at least each of OFFSETS; None for what is no regression."""
    if inputs.task.kind != "regression" or inputs.losses is None:
        return None
    degrees = np.sqrt(inputs.losses) * DEGREES
    counts = [[int((degrees[list(one.rows)] >= y - 1e-9).sum()) for y in OFFSETS] for one in campaigns]
    return [float(mean) for mean in np.mean(counts, axis=0)]


def run_many(job: Job) -> dict[str, Any]:
    """Campaigns at once: their errors and failures have a law that needs no selector."""
    inputs, losses = inputs_of(job.subject), losses_of(job.subject)
    cells = cells_of_job(job)
    found: dict[str, Any] = {}
    if job.technique in FIXED_STRATA:
        for cell in cells:
            many = many_stratified(inputs, cell.request(SEED, 0), campaigns=job.repetitions)
            found[str(cell.budget)] = {
                **numbers_of(many.accuracy - many.truth, many.failures),
                "held": many.coverage(),
                "held_korn_graubard": many.coverage("korn_graubard"),
            }
    else:
        for budget, one in laws(job).items():
            found[str(budget)] = numbers_of(losses.mean() - one.rate, one.failures)
    for cell in cells:
        found[str(cell.budget)]["exact"] = exact_error(inputs, cell.request(SEED, 0))
    return found


def laws(job: Job) -> dict[int, Many]:
    """The campaigns of srs, sups, 2-ups and gbs."""
    losses, score = losses_of(job.subject), inputs_of(job.subject).score(job.auxiliary)
    common = {"campaigns": job.repetitions, "seed": SEED}
    published = job.variant == "as published"
    if job.technique == "srs":
        return many_simple(losses, job.budgets, **common)
    if job.technique == "gbs":
        return many_gradient(losses, by_clusters(score, 10), job.budgets, as_published=published, **common)
    chances = draw_chances(score, uniform_share=0.0 if published else UNIFORM_SHARE, negative="min-max")
    if job.technique == "sups":
        return many_unequal(losses, chances, job.budgets, **common)
    strata = by_clusters(score, 10)
    stratum_chances = np.bincount(strata, chances).astype(np.float64)
    return many_two_stage(losses, strata, stratum_chances, job.budgets, as_published=published, **common)


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


def run_chosen(job: Job) -> dict[str, Any]:
    """The error of a technique that chooses the same with every seed, at each budget."""
    inputs = inputs_of(job.subject)
    truth = 1 - losses_of(job.subject).mean()
    found = {}
    for cell in cells_of_job(job):
        one = run_planned(inputs, PlannedCampaign(cell.request(SEED, 0), (cell.budget,)), 0.95)[0]
        found[str(cell.budget)] = numbers_of(np.array([one.accuracy - truth]), np.array([one.failures]))
    return found


def run_both_intervals(job: Job) -> dict[str, Any]:
    """Campaigns one by one to the largest budget, with the share that each interval holds the truth."""
    inputs, losses, cells = inputs_of(job.subject), losses_of(job.subject), cells_of_job(job)
    truth = 1 - losses.mean()
    numbers: dict[tuple[int, str], list[tuple[float, bool]]] = {}
    failures: dict[int, list[int]] = {budget: [] for budget in job.budgets}
    for repetition in range(job.repetitions):
        labeled = label(inputs, cells[-1].request(SEED, repetition), losses)
        for budget in job.budgets:
            verdicts = labeled.verdicts[:budget]
            failures[budget].append(sum(verdict.loss == 1 for verdict in verdicts))
            for interval in ("ordinary", "conservative"):
                estimator = estimator_of(labeled.design, interval)
                one = estimator.estimate(labeled.design, verdicts, always_valid=False)
                assert one.low is not None
                assert one.high is not None
                held = one.low - 1e-12 <= truth <= one.high + 1e-12
                numbers.setdefault((budget, interval), []).append((one.accuracy - truth, held))
    return {
        str(budget): {
            **numbers_of(np.array(numbers[budget, "ordinary"])[:, 0], np.array(failures[budget])),
            "held": float(np.mean([held for _, held in numbers[budget, "ordinary"]])),
            "held_korn_graubard": float(np.mean([held for _, held in numbers[budget, "conservative"]])),
        }
        for budget in job.budgets
    }


def run_phases(job: Job) -> dict[str, Any]:
    """SSOA's P variants from every pre-sample that can be."""
    losses, settings = losses_of(job.subject), dict(job.options)
    strata = ssoa_strata(job.subject, job.technique, settings.get("clusters", 3))
    published = job.variant == "as published"
    found = {}
    for budget in job.budgets:
        one = two_phase(losses, strata, budget, seed=SEED, as_published=published)
        found[str(budget)] = {"bias": one.bias, "rmse": one.rmse, "failures": one.failures, "exact": one.exact}
    return found


def ssoa_strata(subject: str, technique: str, clusters: int = 3) -> NDArray[np.intp]:
    """SSOA's strata, (N,), by rule (a technique named ssoa-r-...) or by clusters of the confidence."""
    scores = inputs_of(subject).score("confidence")
    return by_rule(scores, seed=1) if technique.startswith("ssoa-r") else by_clusters(scores, clusters)


def run_speed(job: Job) -> dict[str, Any]:
    """Seconds of the processor that each technique takes in a study at BUDGETS, per repetition."""
    inputs, found = inputs_of(job.subject), {}
    for technique in (*OURS_AND_THEIRS, *SSOA):
        if possible(inputs, SELECTORS[technique]):
            continue
        study(inputs, techniques=[technique], budgets=[50], repetitions=1, seed=1, workers=1)  # what is done once
        started = process_time()
        study(inputs, techniques=[technique], budgets=BUDGETS, repetitions=job.repetitions, seed=SEED, workers=1)
        found[technique] = (process_time() - started) / job.repetitions
    return found


if __name__ == "__main__":  # the numbers alone, for whoever writes a page
    results_of(all_jobs(), kept_folder())


@dataclass(frozen=True)
class JobResult:
    """The result of one technique at one budget on one subject; ``errors`` of the first campaigns."""

    rmse: float
    exact: bool
    rmedse: float
    bias: float
    bias_se: float | None
    failures: float
    repetitions: int
    held: float | None
    held_korn_graubard: float | None
    beyond: list[float] | None
    errors: list[float]


class Results:
    """The results of jobs, by subject, technique, auxiliary variable, variant and budget."""

    def __init__(self, found: Mapping[Job, Mapping[str, Any]]) -> None:
        self._cells: dict[tuple[Any, ...], JobResult] = {}
        self.watched: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.phases: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        self.speed: Mapping[str, float] = {}
        self.cpu = sum(float(one["cpu"]) for one in found.values())
        for job, one in found.items():
            numbers = one["found"]
            if job.kind == "watched":
                self.watched[job.subject, job.technique] = numbers
            elif job.kind == "speed":
                self.speed = numbers
            elif job.kind == "phases":
                for budget, said in numbers.items():
                    self.phases[job.subject, job.technique, job.variant, int(budget), job.options] = said
            else:
                for budget, said in numbers.items():
                    key = (job.subject, job.technique, job.auxiliary, job.variant, int(budget), job.options)
                    self._cells[key] = _cell(said)
        for (subject, technique), watched in self.watched.items():
            self._add_watched(subject, technique, watched)

    def _add_watched(self, subject: str, technique: str, watched: Mapping[str, Any]) -> None:
        """The watched campaigns, of other seeds, count too where there is no formula."""
        for place, budget in enumerate(LOOKS):
            key = (subject, technique, "confidence", None, budget, ())
            cell = self._cells.get(key)
            if cell is None or cell.exact or cell.held is None or cell.repetitions > len(cell.errors):
                continue
            more = np.array(watched["accuracy"])[:, place] - watched["truth"]
            errors = np.concatenate([cell.errors, more])
            own = cell.repetitions / len(errors)
            cautious = cell.held_korn_graubard
            if cautious is not None:
                cautious = own * cautious + (1 - own) * held_by_korn_graubard(watched, place)
            self._cells[key] = replace(
                cell,
                rmse=float(np.sqrt(np.mean(errors**2))),
                rmedse=float(np.sqrt(np.median(errors**2))),
                bias=float(errors.mean()),
                bias_se=float(errors.std(ddof=1) / np.sqrt(len(errors))),
                repetitions=len(errors),
                held=own * cell.held + (1 - own) * held_of(watched, place),
                held_korn_graubard=cautious,
            )

    def cell(
        self,
        subject: str,
        technique: str,
        auxiliary: str,
        budget: int,
        variant: str | None = None,
        options: tuple[tuple[str, Any], ...] = (),
    ) -> JobResult | None:
        """The cell, or None where it was not run."""
        return self._cells.get((subject, technique, auxiliary, variant, budget, options))

    def need(self, subject: str, technique: str, auxiliary: str, budget: int, variant: str | None = None) -> JobResult:
        """The cell, which was run."""
        return self._cells[subject, technique, auxiliary, variant, budget, ()]


def held_of(watched: Mapping[str, Any], place: int) -> float:
    """Share of watched campaigns whose ordinary interval held the truth at a look."""
    low, high = np.array(watched["ordinary"])[:, place].T
    return float(np.mean((low <= watched["truth"] + 1e-12) & (high >= watched["truth"] - 1e-12)))


def held_by_korn_graubard(watched: Mapping[str, Any], place: int) -> float:
    """The same for the Korn-Graubard interval, whose effective n follows from the width of Wilson's."""
    low, high = np.array(watched["ordinary"])[:, place].T
    rate, half = 1 - np.array(watched["accuracy"])[:, place], (high - low) / 2
    # Wilson's half-width solved for x = z^2 / n: (h^2 - 1/4) x^2 + (2 h^2 - p (1 - p)) x + h^2 = 0
    a, b, c = half**2 - 0.25, 2 * half**2 - rate * (1 - rate), half**2
    x = (-b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    ends = [korn_graubard(float(p), float(ndtri(0.975) ** 2 / one)) for p, one in zip(rate, x, strict=True)]
    truth = 1 - watched["truth"]
    return float(np.mean([one.low - 1e-12 <= truth <= one.high + 1e-12 for one in ends]))


def _cell(one: Mapping[str, Any]) -> JobResult:
    exact = one["exact"]
    return JobResult(
        rmse=float(exact if exact is not None else one["rmse"]),
        exact=exact is not None,
        rmedse=one["rmedse"],
        bias=one["bias"],
        bias_se=one["bias_se"],
        failures=one["failures"],
        repetitions=one["repetitions"],
        held=one["held"],
        held_korn_graubard=one.get("held_korn_graubard"),
        beyond=one["beyond"],
        errors=one["errors"],
    )


def srs_error(subject: str, budget: int) -> float:
    """The exact error of simple random sampling without replacement."""
    return spread_of_srs(losses_of(subject), budget)
