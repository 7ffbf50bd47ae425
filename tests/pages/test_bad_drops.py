"""Bad tables at the import page and at the terminal: three sentences or one question each, and nothing half stored."""

import json
import re

from tests.core.test_refusals import sentences
from tests.each import each
from tests.pages.test_import_page import button, dropped
from tests.pages.upload_steps import said
from tests.tables.bad_files import TABLES, nested
from tests.tables.workbooks import workbook

TWO = b"pred,predicted,sure\n" + b"".join(
    b"%s,%s,0.9\n" % ((b"cat", b"dog", b"owl")[row % 3], (b"dog", b"cat", b"owl")[row % 4 % 3]) for row in range(60)
)
ROWS = [["photo", "prediction", "confidence"], *([f"{row}.png", ("cat", "dog")[row % 2], 0.9] for row in range(60))]
UNSAVED = [*ROWS, ["60.png", "cat", ("=A1+1", None)]]
BAD = {
    "two.csv": (lambda: TWO, "may each be the prediction"),
    "formulas.xlsx": (lambda: workbook(UNSAVED), "has 1 formula without a saved value"),
    "nested.json": (lambda: b"[" + nested(101) + b"]", "more than 100 levels deep"),
    **{
        name: (TABLES[name], sentence)
        for name, sentence in {
            "wide.csv": "100,000 columns",
            "loop.db": "circularly defined",
            "half.csv.gz": "damaged or cut off",
        }.items()
    },
}
"""Files of the kinds that the issue on reading lists, and a part of what is said about each."""

READ = {
    "merged.xlsx": (
        lambda: workbook([*ROWS, ["60.png", "cat", ("=0.4+0.4", 0.8)]], merged=["A2:A3"]),
        "cells that are merged",
    ),
    "chats.jsonl": (lambda: chats(2_000), "messages.input"),
}
"""Files that look as bad and are read, and a part of what is said about each."""


def chats(turns: int) -> bytes:
    turn = [{"role": ("user", "assistant")[place % 2], "content": f"turn {place}"} for place in range(turns)]
    return "".join(json.dumps({"messages": turn[row:]}) + "\n" for row in range(0, 20, 2)).encode()


def held(project) -> set[str]:
    return {str(one) for one in project.folder.rglob("*") if one.is_file()}


@each("name", [*BAD])
def test_a_bad_table_at_the_import_page_has_three_sentences_and_nothing_is_stored(name, opened, project):
    make, sentence = BAD[name]
    test = opened("subject")
    before = held(project)
    dropped(test, (name, make()))
    assert re.sub(r"\\|\u2060", "", said(test)).count(sentence) == 1
    errors = [one.value for one in test.error]
    asked = [one for one in test.button if one.label == "Read it this way"]
    assert [len(sentences(one.replace("\\", ""))) for one in errors] == ([] if asked else [3])
    assert not any(one.label in ("Start labeling", "Open without labeling") and not one.disabled for one in test.button)
    assert held(project) == before


@each("name", [*BAD])
def test_a_bad_table_at_the_terminal_has_three_sentences_and_no_plan_is_written(name, tmp_path, command):
    make, sentence = BAD[name]
    table, plan = tmp_path / name, tmp_path / "p.json"
    table.write_bytes(make())
    asked = command("select", table, "--technique", "srs", "--budget", 9, "--seed", 1, "--out", plan)
    assert asked.status == 2
    assert asked.err.replace("\n", " ").count(sentence) == 1
    assert not plan.exists()


@each("name", [*READ])
def test_a_table_that_only_looks_bad_is_read_and_says_how(name, opened, project):
    make, sentence = READ[name]
    test = dropped(opened("subject"), (name, make()))
    assert not test.error
    assert sentence in said(test)
    button(test, "Open without labeling").click().run()
    assert [entry.name for entry in project.entries() if not entry.demo][-1:]
