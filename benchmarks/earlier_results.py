"""What RESULTS.md holds of a measurement that not every machine, or not every run, can make again."""

import re

from benchmarks.measured import ROOT


def earlier(heading: str) -> str:
    """The part under that heading, as the last run that measured it left it; a sentence where there is none."""
    page = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    found = re.search(rf"^{heading}\n.*?(?=^## |^<!-- |^\d{{4}}-\d\d-\d\d, |\Z)", page, re.MULTILINE | re.DOTALL)
    return found.group().rstrip() if found else f"{heading}\n\nNot measured yet."
