"""Makes the study pages and their plots from the real data; run by `make study`.

Run from the checkout: .venv/bin/python -m research.studies.make_studies [FOLDER]. The campaigns' numbers are kept in the folder
(TESTIMATE_STUDIES, or .studies beside the checkout's Makefile) and not run again: a run that was stopped goes on where it
was. Remove the folder to measure again. TESTIMATE_DATA names the folder of the data.
"""

import os
import sys

if len(sys.argv) > 1:
    os.environ["TESTIMATE_STUDIES"] = sys.argv[1]

from research.studies import (
    attacks_page,
    box_coverage,
    deepabstraction_page,
    deepsample_page,
    evidence,
    fewer_labels_page,
    group_coverage,
    laf_page,
    laf_shift_page,
    laf_texts_page,
    learned_lists_page,
    numbers_page,
    other_models_page,
    pace_page,
    prioritizers_page,
    ranks_page,
    reused_page,
    road_page,
    settings_by_data,
    severe_others_page,
    share_within_tolerance,
    ssoa_page,
    verdict_coverage,
)
from research.studies.jobs import all_jobs
from research.studies.results import Results
from research.studies.runs import results_of
from research.studies.study_subjects import STUDIES, data_folder, kept_folder


def main() -> None:
    """Runs what is missing and writes the pages into docs/studies, and the evidence that the product reads."""
    results = Results(results_of(all_jobs(), kept_folder()))
    for page in (numbers_page, deepsample_page, ssoa_page, prioritizers_page, laf_page):
        page.write(results, STUDIES)
    pace_page.make(data_folder(), kept_folder() / "pace", STUDIES)
    of_their_own = (road_page, severe_others_page, deepabstraction_page, laf_shift_page, laf_texts_page, attacks_page)
    by_campaigns = (
        other_models_page,
        fewer_labels_page,
        reused_page,
        learned_lists_page,
        group_coverage,
        box_coverage,
        verdict_coverage,
        share_within_tolerance,
    )
    for own in (*of_their_own, settings_by_data, *by_campaigns, ranks_page):  # the last one reads the others' tables
        own.write(STUDIES)
    evidence.write(STUDIES)


if __name__ == "__main__":
    main()
