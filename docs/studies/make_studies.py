"""Makes the study pages and their plots from the real data; run by `make study`.

Run from the checkout: .venv/bin/python docs/studies/make_studies.py [FOLDER]. With a folder, the campaigns' numbers are kept in
it and not run again. TESTIMATE_DATA names the folder of the data.
"""

import sys
import tempfile
from pathlib import Path

import deepsample_page
import ssoa_page
from parts import Results
from runs import all_jobs, results_of

HERE = Path(__file__).parent


def main() -> None:
    """Runs what is missing and writes both pages beside this file."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = Results(results_of(all_jobs(), folder))
        deepsample_page.write(results, HERE)
        ssoa_page.write(results, HERE)


if __name__ == "__main__":
    main()
