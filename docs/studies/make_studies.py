"""Makes the study pages and their plots from the real data; run by `make study`.

Run from the checkout: .venv/bin/python docs/studies/make_studies.py [FOLDER]. The campaigns' numbers are kept in the folder
(TESTIMATE_STUDIES, or .studies beside the checkout's Makefile) and not run again: a run that was stopped goes on where it
was. Remove the folder to measure anew. TESTIMATE_DATA names the folder of the data.
"""

import os
import sys
from pathlib import Path

if len(sys.argv) > 1:
    os.environ["TESTIMATE_STUDIES"] = sys.argv[1]

import deepsample_page
import laf_page
import numbers_page
import pace_page
import prioritizers_page
import ssoa_page
from jobs import all_jobs
from results import Results
from runs import results_of
from study_subjects import data_folder, kept_folder

HERE = Path(__file__).parent


def main() -> None:
    """Runs what is missing and writes the pages beside this file."""
    results = Results(results_of(all_jobs(), kept_folder()))
    for page in (numbers_page, deepsample_page, ssoa_page, prioritizers_page, laf_page):
        page.write(results, HERE)
    pace_page.make(data_folder(), kept_folder() / "pace", HERE)


if __name__ == "__main__":
    main()
