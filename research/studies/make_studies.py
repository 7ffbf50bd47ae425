"""Writes the study pages and their plots from the real data: all of them, or those that are named.

Run by `make study`, or from the checkout: .venv/bin/python -m research.studies.make_studies [PAGE ...]. Numbers are kept
in the folder that TESTIMATE_STUDIES names (.studies beside the Makefile) and not measured again: a run that was stopped
continues. Remove the folder to measure again. TESTIMATE_DATA names the folder of the data.
"""

import sys
from collections.abc import Callable
from functools import cache

from research.studies import (
    attacks,
    boxes,
    campaign_pages,
    comparisons_page,
    deepabstraction,
    deepsample,
    evidence,
    group_coverage,
    known_labels,
    laf_page,
    laf_shift,
    laf_texts,
    learned_lists_page,
    numbers,
    other_models_page,
    pace,
    prioritizers,
    ranks_page,
    road_page,
    settings_by_data,
    severe_others_page,
    share_within_tolerance,
    ssoa,
    verdict_coverage,
)
from research.studies.runs import Results, all_jobs, results_of
from research.studies.study_subjects import STUDIES, data_folder, kept_folder


@cache
def of_the_jobs() -> Results:
    """The campaigns that several pages share."""
    return Results(results_of(all_jobs(), kept_folder()))


PAGES: dict[str, Callable[[], None]] = {
    "numbers": lambda: numbers.write(of_the_jobs(), STUDIES),
    "deepsample": lambda: deepsample.write(of_the_jobs(), STUDIES),
    "ssoa": lambda: ssoa.write(of_the_jobs(), STUDIES),
    "prioritizers": lambda: prioritizers.write(of_the_jobs(), STUDIES),
    "laf": lambda: laf_page.write(of_the_jobs(), STUDIES),
    "pace": lambda: pace.make(data_folder(), kept_folder() / "pace", STUDIES),
    "road": lambda: road_page.write(STUDIES),
    "severe-with-others": lambda: severe_others_page.write(STUDIES),
    "deepabstraction": lambda: deepabstraction.write(STUDIES),
    "laf-shift": lambda: laf_shift.write(STUDIES),
    "laf-texts-and-code": lambda: laf_texts.write(STUDIES),
    "attacks": lambda: attacks.write(STUDIES),
    "settings-by-data": lambda: settings_by_data.write(STUDIES),
    "comparisons": lambda: comparisons_page.write(STUDIES),
    "other-models": lambda: other_models_page.write(STUDIES),
    "fewer-labels": lambda: campaign_pages.write_fewer_labels(STUDIES),
    "reused-labels": lambda: campaign_pages.write_reused_labels(STUDIES),
    "learned-lists": lambda: learned_lists_page.write(STUDIES),
    "groups": lambda: group_coverage.write(STUDIES),
    "known-labels": lambda: known_labels.write(STUDIES),
    "boxes": lambda: boxes.write(STUDIES),
    "verdicts": lambda: verdict_coverage.write(STUDIES),
    "share_within_tolerance": lambda: share_within_tolerance.write(STUDIES),
    "ranks": lambda: ranks_page.write(STUDIES),  # reads the tables of the others
    "evidence": lambda: evidence.write(STUDIES),
}
"""Every page of docs/studies that is written here, and what the product reads, in the order in which they need each other."""


def main(names: list[str]) -> None:
    """Runs what is missing and writes the named pages, or all."""
    unknown = sorted(set(names) - set(PAGES))
    if unknown:
        raise SystemExit(f"Unknown pages: {', '.join(unknown)}. Expected some of {', '.join(PAGES)}. Name these.")
    for name, write in PAGES.items():
        if not names or name in names:
            write()


if __name__ == "__main__":
    main(sys.argv[1:])
