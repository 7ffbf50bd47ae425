"""Votes are read from whatever kind of table holds them, as from their CSV."""

import gzip
import json

import pandas as pd

from testimate.planning.votes import read_votes
from tests.each import each
from tests.tables.workbooks import workbook

VOTES = {3: "cat", 17: "", 20: "owl"}
FRAME = pd.DataFrame({"row": VOTES.keys(), "label": VOTES.values()})
CSV = FRAME.to_csv(index=False).encode()
KINDS = {
    "CSV": CSV,
    "gzip": gzip.compress(CSV),
    "JSON": FRAME.to_json(orient="records").encode(),
    "JSON Lines": "\n".join(json.dumps({"row": row, "label": label or None}) for row, label in VOTES.items()).encode(),
    "Parquet": FRAME.to_parquet(index=False),
    "workbook": workbook([["row", "label"], *map(list, VOTES.items())]),
}


@each("kind", KINDS)
def test_votes_are_read_from_a_table_of_any_kind(kind, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(KINDS[kind])
    assert read_votes(path) == ("label", VOTES)
