"""What is run for the study pages: the jobs, their techniques, budgets and repetitions."""

from dataclasses import dataclass, replace
from typing import Any

from research.studies.lenets import MODELS, SHIFTS

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
