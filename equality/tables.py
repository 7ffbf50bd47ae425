"""Make the tables that cases are about, by seed: one of each task with the truth, and many that are malformed."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZE, TRAINING = 240, 120
KINDS = ("ant", "bee", "cat", "dog")


@dataclass(frozen=True)
class Made:
    """Hold a table: its file, how commands are told to read it, and the label of each row as a VOTES.csv holds it."""

    name: str
    text: str
    read_as: tuple[str, ...]
    labels: tuple[str, ...]


def csv_of(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *zip(*columns.values(), strict=True)])
    return text.getvalue()


def classes(size: int = SIZE, seed: int = 3) -> dict[str, Sequence[Any]]:
    """Return a table of four classes: about one in five is wrong, scores that know it, and groups."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(4, 0.4), size).round(4)
    predicted = chances.argmax(axis=1)
    wrong = rng.random(size) < 0.05 + 0.6 * (1 - chances.max(axis=1))
    truth = np.where(wrong, (predicted + 1 + rng.integers(3, size=size)) % 4, predicted)
    columns: dict[str, Sequence[Any]] = {
        "label": [KINDS[place] for place in truth],
        "prediction": [KINDS[place] for place in predicted],
        "confidence": chances.max(axis=1).tolist(),
        "dsa": (wrong * 0.5 + rng.random(size)).round(3).tolist(),
        "lsa": (wrong * 3 + rng.normal(10, 2, size)).round(3).tolist(),
        "light": [("day", "night", "dusk")[place] for place in rng.integers(3, size=size)],
        "group": (np.arange(size) // 6).tolist(),
    }
    columns |= {f"p_{kind}": chances[:, place].tolist() for place, kind in enumerate(KINDS)}
    return columns


def features(size: int = SIZE, seed: int = 4) -> "np.ndarray[Any, Any]":
    """Return three heaps of features and a few that are scattered."""
    rng = np.random.default_rng(seed)
    found = rng.normal(size=(size, 4)) + 12 * np.eye(4)[np.arange(size) % 3]
    found[:12] = rng.uniform(-90, 90, size=(12, 4))
    return found.astype(np.float32)


def made() -> dict[str, Made]:
    """Return a table of each task."""
    plain = classes()
    labels = tuple(plain["label"])
    without_chances = {name: plain[name] for name in ("label", "prediction", "confidence", "dsa", "light")}
    return {
        "classes": Made("classes.csv", csv_of(without_chances), (), labels),
        "probabilities": Made("probabilities.csv", csv_of(plain), (), labels),
        "groups": Made("groups.csv", csv_of(plain), ("--column", "group=group"), labels),
        "top-2": Made("top.csv", csv_of(plain), ("--top-k", "2"), labels),
        "sets": _sets(),
        "numbers": _numbers(),
        "verdicts": _verdicts(),
        "preferences": _preferences(),
        "outcomes": _outcomes(),
        "boxes": _boxes(),
    }


def _sets() -> Made:
    rng = np.random.default_rng(5)
    said = rng.random((SIZE, 4)) < 0.4
    said[:, 3] |= ~said.any(axis=1)
    true = said.copy()
    true[rng.random(SIZE) < 0.25, 0] ^= True
    true[:, 3] |= ~true.any(axis=1)
    names = [
        [";".join(kind for kind, there in zip(KINDS, row, strict=True) if there) for row in one] for one in (said, true)
    ]
    confidence = rng.uniform(0.4, 1, SIZE).round(3).tolist()
    text = csv_of({"prediction": names[0], "label": names[1], "confidence": confidence})
    return Made("sets.csv", text, ("--task", "multi-label"), tuple(names[1]))


def _numbers() -> Made:
    rng = np.random.default_rng(6)
    said = rng.normal(20, 5, SIZE).round(2)
    true = (said + np.where(rng.random(SIZE) < 0.25, 3.0, 0.1) * rng.normal(size=SIZE)).round(2)
    spread = (np.abs(said - true) + rng.random(SIZE)).round(3).tolist()
    text = csv_of({"prediction": said.tolist(), "label": true.tolist(), "uncertainty": spread})
    return Made("numbers.csv", text, ("--task", "regression", "--tolerance", "1.0"), tuple(map(str, true.tolist())))


def _verdicts() -> Made:
    rng = np.random.default_rng(7)
    wrong = rng.random(SIZE) < 0.25
    sums = [int(one) for one in rng.integers(10, 90, SIZE)]
    columns = {
        "input": [f"What is {one} plus {row}?" for row, one in enumerate(sums)],
        "output": [
            f"It is {one + row + 10 * off}." for row, (one, off) in enumerate(zip(sums, wrong.tolist(), strict=True))
        ],
        "reference": [f"It is {one + row}." for row, one in enumerate(sums)],
        "confidence": np.clip(rng.normal(np.where(wrong, 0.3, 0.85), 0.15), 0, 1).round(3).tolist(),
    }
    return Made("verdicts.csv", csv_of(columns), (), tuple("wrong" if one else "right" for one in wrong))


def _preferences() -> Made:
    rng = np.random.default_rng(8)
    columns = {
        "input": [f"Question {row}" for row in range(SIZE)],
        "output_a": [f"One answer to {row}." for row in range(SIZE)],
        "output_b": [f"Another answer to {row}." for row in range(SIZE)],
        "confidence": rng.random(SIZE).round(3).tolist(),
    }
    answers = tuple(("left", "right", "no difference")[place] for place in rng.integers(3, size=SIZE))
    return Made("preferences.csv", csv_of(columns), (), answers)


def _outcomes() -> Made:
    plain = classes(seed=9)
    passed = [
        "Pass" if one == other else "Fail" for one, other in zip(plain["label"], plain["prediction"], strict=True)
    ]
    text = csv_of(
        {"outcome": passed, "SUT": plain["prediction"], "Confidence": plain["confidence"], "lsa": plain["lsa"]}
    )
    return Made("outcomes.csv", text, (), tuple(plain["label"]))


def _boxes() -> Made:
    rows = range(SIZE)
    found = {
        "images": [{"id": row, "file_name": f"{row}.png", "width": 10, "height": 10} for row in rows],
        "categories": [{"id": 1, "name": "ship"}, {"id": 2, "name": "buoy"}],
        "annotations": [
            {"image_id": row, "category_id": 1 + place, "bbox": [5 * place, 1, 4, 4], "score": 0.3 + row / 400}
            for row in rows
            for place in range(row % 3)
        ],
    }
    answers = tuple(
        "missed ship 1" if row % 5 == 0 else "wrong 1" if row % 3 and row % 7 == 0 else "all right" for row in rows
    )
    return Made("boxes.json", json.dumps(found), ("--task", "boxes"), answers)


def malformed() -> dict[str, bytes]:
    """Return tables that people have and that do not read as they are, by what is odd about each."""
    head = "prediction,confidence,label\n"
    rows = [f"{KINDS[row % 4]},0.{50 + row % 50},{KINDS[(row + (row % 5 == 0)) % 4]}" for row in range(40)]
    body = "\n".join(rows) + "\n"
    whole = head + body

    def at(row: int, line: str) -> str:
        return head + "\n".join([*rows[:row], line, *rows[row + 1 :]]) + "\n"

    texts = {
        "sound": whole,
        "empty": "",
        "header alone": head,
        "one row": head + rows[0] + "\n",
        "blank lines": whole.replace("\n", "\n\n"),
        "no line break at the end": whole.rstrip(),
        "carriage returns": whole.replace("\n", "\r"),
        "both line breaks": whole.replace("\n", "\r\n"),
        "byte order mark": "\ufeff" + whole,
        "semicolons": whole.replace(",", ";"),
        "tabs": whole.replace(",", "\t"),
        "bars": whole.replace(",", "|"),
        "decimal commas": whole.replace(",", ";").replace("0.", "0,"),
        "separator said": "sep=;\n" + whole.replace(",", ";"),
        "comment first": "# made by a tool\n" + whole,
        "too many cells": at(5, "ant,0.7,bee,cat"),
        "too few cells": at(5, "ant"),
        "quotes": whole.replace("ant", '"ant"'),
        "quote left open": at(5, '"ant,0.7,bee'),
        "comma in a name": whole.replace("ant", '"ant, red"'),
        "line break in a name": whole.replace("ant", '"ant\nred"'),
        "spaces around": whole.replace(",", " , "),
        "spelled twice": at(5, "ANT,0.7,Ant"),
        "accents taken apart": at(5, "cafe\u0301,0.7,caf\u00e9"),
        "no-break space": at(5, "ant\u00a0,0.7,ant"),
        "control character": at(5, "a\x07nt,0.7,ant"),
        "formula": at(5, "=1+1,0.7,ant"),
        "confidence in percent": head + body.replace("0.", ""),
        "confidence with a sign": whole.replace("0.5", "50%"),
        "confidence above 1": at(5, "ant,1.7,bee"),
        "confidence below 0": at(5, "ant,-0.7,bee"),
        "confidence not a number": at(5, "ant,high,bee"),
        "confidence nan": at(5, "ant,nan,bee"),
        "confidence inf": at(5, "ant,inf,bee"),
        "confidence empty": at(5, "ant,,bee"),
        "confidence the same": head + "\n".join(f"{KINDS[row % 4]},0.5,ant" for row in range(40)) + "\n",
        "prediction empty": at(5, ",0.7,bee"),
        "prediction none": at(5, "None,0.7,bee"),
        "prediction n/a": at(5, "N/A,0.7,bee"),
        "prediction null": at(5, "null,0.7,bee"),
        "label empty": at(5, "ant,0.7,"),
        "label unknown": at(5, "ant,0.7,yak"),
        "labels partly": head + "\n".join(f"ant,0.7,{'bee' if row < 9 else ''}" for row in range(40)) + "\n",
        "labels minus 1": head + "\n".join(f"{row % 3},0.7,{row % 3 if row < 9 else -1}" for row in range(40)) + "\n",
        "whole numbers": head + "\n".join(f"{row % 3},0.7,{row % 3}" for row in range(40)) + "\n",
        "many whole numbers": "prediction,label\n"
        + "\n".join(f"{row * 7},{row * 7 + row % 2}" for row in range(90))
        + "\n",
        "numbers with points": "prediction,label\n" + "\n".join(f"{row}.0,{row % 9}.0" for row in range(40)) + "\n",
        "numbers grouped": "prediction,label\n" + "\n".join(f'"1,{row:03}","1,{row:03}"' for row in range(40)) + "\n",
        "numbers with units": "prediction,label\n" + "\n".join(f"{row} m,{row} m" for row in range(40)) + "\n",
        "money": "prediction,label\n" + "\n".join(f'"$1,{row:03}.50",$7' for row in range(40)) + "\n",
        "dates": "prediction,label\n" + "\n".join(f"2020-01-{1 + row % 28:02},2020-01-02" for row in range(40)) + "\n",
        "true and false": "prediction,label\n"
        + "\n".join(f"{row % 2 == 0},{row % 3 == 0}" for row in range(40))
        + "\n",
        "yes and no": "prediction,label\n" + "\n".join(f"{'yes' if row % 2 else 'no'},no" for row in range(40)) + "\n",
        "leading zeros": "prediction,label\n" + "\n".join(f"00{row % 3},0{row % 3}" for row in range(40)) + "\n",
        "sets of bars": "prediction,label\n" + "\n".join("ant|bee,bee|ant" for row in range(40)) + "\n",
        "sets as lists": "prediction,label\n" + "\n".join("\"['ant', 'bee']\",\"['bee']\"" for row in range(40)) + "\n",
        "no prediction": "guess,sure\nant,0.7\nbee,0.6\n",
        "two predictions": "prediction,prediction,label\nant,bee,ant\nbee,bee,ant\n",
        "header without names": ",,\n" + body,
        "header in capitals": whole.replace("prediction", "PREDICTION").replace("label", "Label"),
        "names of others": whole.replace("prediction", "y_pred").replace("label", "y_true"),
        "header missing": body,
        "index first": "".join(
            f"{'' if row == 0 else row - 1},{line}\n" for row, line in enumerate(whole.splitlines())
        ),
        "key first": "".join(
            f"{'id' if row == 0 else 700 - row},{line}\n" for row, line in enumerate(whole.splitlines())
        ),
        "chances off": "p_ant,p_bee,label\n" + "0.7,0.7,ant\n" * 20,
        "chances negative": "p_ant,p_bee,label\n" + "1.2,-0.2,ant\n" * 20,
        "chances as logits": "p_ant,p_bee,label\n" + "3.2,-1.2,ant\n" * 20,
        "chances of one": "p_ant,label\n" + "0.7,ant\n" * 20,
        "chance of a class": "prediction,p_1,label\n"
        + "".join(f"{row % 2},0.{row:02},{row % 2}\n" for row in range(40)),
        "outcome words": "outcome,confidence\n" + "Pass,0.7\nFail,0.6\nmaybe,0.5\n" * 9,
        "null byte": at(5, "a\0nt,0.7,ant"),
        "html": "<html><body><table><tr><td>ant</td></tr></table></body></html>",
        "json": '[{"prediction": "ant", "label": "bee"}]',
        "json lines": '{"prediction": "ant", "label": "bee"}\n' * 20,
        "long line": head + "a" * 200_000 + ",0.7,ant\n",
        "many classes": head + "\n".join(f"kind {row},0.7,kind {row + row % 2}" for row in range(60)) + "\n",
        "rows twice": head + (rows[0] + "\n") * 40,
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        "latin-1": whole.replace("ant", "fourmi\u00e9").encode("latin-1"),
        "utf-16": whole.encode("utf-16"),
        "bytes": bytes(range(256)) * 8,
        "zip": b"PK\x03\x04" + b"\0" * 40,
        "gzip": b"\x1f\x8b" + b"\0" * 40,
        "cut parquet": b"PAR1\0\0",
        "spreadsheet": b"PK\x03\x04" + b"xl/workbook.xml" + b"\0" * 40,
        "pickle": b"\x80\x04\x95\x0f\0\0\0\0\0\0\0\x8c\x02os\x94",
    }
