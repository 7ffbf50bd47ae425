"""The page on comparisons of techniques over campaigns, budgets and subjects, and on how alike samples are to the whole set."""

from collections.abc import Sequence
from pathlib import Path

from research.studies.laf_page import REPETITIONS as RANKINGS
from research.studies.page_text import table, write_page
from research.studies.study_subjects import MODELS, SHIFTS, data_folder, inputs_of, kept_folder, make
from testimate.comparison.predictions_table import read_predictions
from testimate.comparison.ranking import RankAgreement, Ranking, closer_orders, rank, ranked_again, ranking_spread
from testimate.studies.against import Against, StudiedSubject, against, over_subjects
from testimate.studies.study import study
from testimate.studies.study_rows import StudyRow

TECHNIQUES = ("ssoa-r-p", "ssoa-c-p", "css", "deepest", "rrs", "srs")
WITH_FEATURES = ("pace", "ces", "srs")
BUDGETS = (50, 100, 180, 400)
SEED = 1
CAMPAIGNS, FEATURE_CAMPAIGNS = 100, 30
TABLES = ("D", "G", "CN12")
LABELS = 180
"""Of the rankings."""


def write(here: Path) -> None:
    """Runs it and writes comparisons.md."""
    make(data_folder(), kept_folder())
    names = {
        **dict.fromkeys((*TABLES, *MODELS), "original"),
        **{f"{model} with {shift}": "shifted" for model in MODELS for shift in SHIFTS},
    }
    subjects = {name: StudiedSubject(kind, _rows(name, TECHNIQUES, CAMPAIGNS)) for name, kind in names.items()}
    featured = {name: _rows(name, WITH_FEATURES, FEATURE_CAMPAIGNS) for name in MODELS}
    write_page(
        here / "comparisons.md",
        [HEAD, _over_subjects(subjects), _over_budgets(subjects), _alike(subjects, featured), _rankings()],
    )


def _rows(name: str, techniques: Sequence[str], repetitions: int) -> list[StudyRow]:
    features = "LHL" if techniques is WITH_FEATURES else None
    return study(
        inputs_of(name),
        techniques=techniques,
        budgets=BUDGETS,
        repetitions=repetitions,
        seed=SEED,
        features=features,
    )


HEAD = f"""# Comparisons of techniques

Made by `make study`; no number measured here is typed by hand. The papers compare techniques by tests over subjects
(PACE, tables 4 to
7), over budgets (SSOA, section 6.1), by how alike the labels of a sample and of the whole set are (SSOA, section 1),
by what a sample
covers (PACE, section 6.1) and by p-values of correlations (LaF, section 5.1). These are the same statistics on the
subjects that are
available, from {CAMPAIGNS} campaigns each. The gain is 1 - error over that of srs; over subjects the geometric mean,
with Student's
interval. A12 is the chance that an error is smaller than one of srs, ties half.
"""


def _over_subjects(subjects: dict[str, StudiedSubject]) -> str:
    found = [one for one in over_subjects(list(subjects.values()), "srs") if one.budget in (50, 180)]
    lines = [[one.technique, one.subjects, str(one.budget), str(one.pairs), *_cells(one)] for one in found]
    better = {
        name: [(one.smaller.gain_low or 0) > 0 for one in found if one.technique == name] for name in TECHNIQUES[:-1]
    }
    said = ", ".join(f"{name} in {sum(lines)} of {len(lines)}" for name, lines in better.items())
    head = ("technique", "subjects", "n", "how many", "gain", "95% interval", "p", "A12")
    return f"""## Over subjects

{len(subjects)} subjects: {", ".join(subjects)}; the shifted ones are half changed. Wilcoxon's test is paired by
subject and one-sided.
The whole interval of the gain lies above 0 for {said} lines.

{table(head, lines)}"""


def _over_budgets(subjects: dict[str, StudiedSubject]) -> str:
    lines = [
        [one.technique, name, *_cells(one)]
        for name in (*TABLES, *MODELS)
        for one in against(subjects[name].rows, "srs")
        if one.budget is None
    ]
    return f"""## Over budgets

The gains at {", ".join(map(str, BUDGETS))} labels together. With {len(BUDGETS)} budgets the smallest p is {
        0.5 ** len(BUDGETS):.4f}: the test can
find that a technique is better at every budget, and hardly more.

{table(("technique", "subject", "gain", "95% interval", "p", "A12"), lines)}"""


def _cells(one: Against) -> list[str]:
    smaller = one.smaller
    gain = "–" if smaller.gain is None else f"{100 * smaller.gain:.1f}%"
    ends = "–"
    if smaller.gain_low is not None and smaller.gain_high is not None:
        ends = f"{100 * smaller.gain_low:.1f} to {100 * smaller.gain_high:.1f}"
    return [gain, ends, f"{smaller.p_value:.2g}", f"{smaller.a12:.3f}"]


def _alike(subjects: dict[str, StudiedSubject], featured: dict[str, list[StudyRow]]) -> str:
    lines = [
        [row.technique, name, _share(row.labels_p), _share(row.neurons_covered), f"{100 * row.rmse:.2f}"]
        for name, rows in featured.items()
        for row in (*subjects[name].rows, *rows)
        if row.budget == 180 and (row.technique != "srs" or row in rows)
    ]
    return f"""## How alike a sample is

At 180 labels: the median p-value of the test of Kolmogorov and Smirnov between the labels of a sample and of all
inputs (1: as alike as
can be), the share of the sections of the neurons that the whole set reaches and a sample, too, and the error in
points. Random samples
are alike by design. A technique that seeks faults changes which labels come in, and its estimate weights them back.

{table(("technique", "subject", "labels alike, p", "neurons covered", "error"), lines)}"""


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _rankings() -> str:
    given = read_predictions(data_folder() / "laf" / "mnist_test_predicted_labels.csv.gz", truth="label")

    def ranked(technique: str, seed: int) -> Ranking:
        return rank(given.predictions, technique, budget=LABELS, seed=seed, truth=given.truth)

    def again(technique: str) -> list[RankAgreement]:
        return ranked_again(
            ranked(technique, SEED), lambda seed: ranked(technique, seed), SEED, RANKINGS, compared=True
        )

    random = again("random")
    lines = []
    for technique in ("laf", "majority", "sds", "ces", "random"):
        own = again(technique)
        if len(own) > 1:
            spread = ranking_spread(own)
            said = [f"{spread.spearman:.3f} ± {spread.spearman_sd:.3f}", f"{spread.spearman_p:.2g}"]
        else:
            said = [f"{own[0].spearman:.3f}", f"{own[0].spearman_p:.2g}"]
        beside = closer_orders(own, random)
        lines.append(
            [
                technique,
                *said,
                *([f"{beside.p_value:.2g}", f"{beside.a12:.3f}"] if technique != "random" else ["–", "–"]),
            ]
        )
    head = ("ranking", "Spearman", "its p", "p beside random", "A12 beside random")
    return f"""## Rankings of ten networks

MNIST, {RANKINGS} repetitions with {LABELS} labels for sds, ces and random; laf and majority take none and always rank
the same. The error of
an order is 1 - Spearman's correlation with the true one.

{table(head, lines)}"""
