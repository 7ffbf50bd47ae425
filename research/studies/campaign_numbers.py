"""What many campaigns came to, in a file beside the pages that are made from it; ``many_campaigns`` writes it."""

import json
from collections.abc import Mapping
from pathlib import Path

Numbers = Mapping[str, float]

CAMPAIGN_NUMBERS = Path(__file__).resolve().parents[2] / "docs" / "studies" / "numbers" / "campaigns.json"


def campaign_numbers() -> Mapping[str, Numbers]:
    """By the name of the row, how many campaigns there were and the numbers they come to."""
    found: Mapping[str, Numbers] = json.loads(CAMPAIGN_NUMBERS.read_text(encoding="utf-8"))
    return found
