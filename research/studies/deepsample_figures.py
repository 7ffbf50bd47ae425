"""The cells and published figures that the sections on DeepSample take their numbers from."""

from research.studies.jobs import CLASSIFICATION, OURS_AND_THEIRS
from research.studies.results import Results
from research.studies.study_subjects import losses_of

COMBINATIONS = [(subject, auxiliary) for subject, names in CLASSIFICATION.items() for auxiliary in names]
REGRESSION = [("DO", "lsa"), ("DO", "VAE"), ("DO", "SAE")]
N = 200
Key = tuple[str, str, str, int]
Figures = dict[Key, dict[str, float]]


def lines_of(subject: str, auxiliary: str, results: Results) -> list[tuple[str, str | None]]:
    """Techniques and variants that were run."""
    both = [(name, variant) for name in OURS_AND_THEIRS for variant in (None, "as published")]
    return [(name, variant) for name, variant in both if results.cell(subject, name, auxiliary, N, variant)]


def published_figure(figures: Figures, subject: str, name: str, auxiliary: str, budget: int) -> dict[str, float] | None:
    """The authors' figure, or None."""
    return figures.get((subject, name, "" if name in ("srs", "ces") else auxiliary, budget))


def srs_failures(subject: str) -> float:
    """Mean failures of simple random sampling at n = 200, exactly."""
    return float(N * (losses_of(subject) > 0).mean())
