"""Command lines that nobody should type: verbs and options as they are, values drawn from all that goes wrong."""

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from testimate.cli import _Commands, main
from testimate.project.project import Project

NOT_TRIED = ("app", "demo", "study")
"""Verbs that start a server, train a network or measure for minutes once their line is right."""

VALUES = (
    *(
        "",
        " ",
        "-",
        "--",
        "=",
        "0",
        "1",
        "2",
        "7",
        "-1",
        "0.5",
        "1.7",
        "-0",
        "1e400",
        "nan",
        "inf",
        "-inf",
        "1_000",
        "1,5",
        "0x10",
    ),
    *(
        "9" * 30,
        "x" * 3000,
        "true",
        "None",
        "[]",
        "{}",
        "null",
        "a,b",
        "a=b",
        "=1+1",
        "'; drop table events; --",
    ),
    *(
        "/dev/null",
        "~",
        "*",
        "\x1b[31mred",
        "\udce9",
        "\u202egnp.exe",
        "é",
        "名前",
        "🙂",
        "\n",
        "\t",
    ),
    *("confidence", "dsa", "label", "prediction", "rrs", "rra", "srs", "pace", "gini", "csv", "json", "all", "none"),
)
"""What may stand where something else belongs."""

SMALL = {"--budget": ("4", "8"), "--seed": ("1",), "--repetitions": ("1",), "--campaigns": ("1",)}
"""Options whose right value keeps a command short; they get one now and then."""


def _with_paths(line: str, folder: Path) -> list[str]:
    return [str(folder / word[1:-1]) if word.startswith("{") else word for word in line.split()]


def write_files(folder: Path) -> list[str]:
    """Files that commands read, sound and not, in ``folder``; their paths."""
    rows = [f"{row % 3},{(row + (row % 5 == 4)) % 3},{0.99 - row / 100:.2f},{row * 0.1:.1f}" for row in range(60)]
    contents: dict[str, bytes] = {
        "table.csv": "\n".join(["label,prediction,confidence,dsa", *rows]).encode(),
        "ragged.csv": b"label,prediction\n1,2,3\n4\n\xe9,5\n",
        "order.csv": "\n".join(["failed,probability", *(f"{row % 2},{0.5 + row / 200}" for row in range(60))]).encode(),
        "models.csv": "\n".join(
            ["a,b,c", *(f"{row % 3},{row % 2},{(row + (row % 5 == 4)) % 3}" for row in range(60))]
        ).encode(),
        "empty.csv": b"",
        "binary.csv": bytes(range(256)) * 4,
        "lines.jsonl": b'{"label": "\\ud800", "prediction": 1}\n{"label"\n',
        "deep.json": b"[" * 5000,
        "plan.json": b'{"technique": "rrs", "draws": [{"row": -1}]}',
        "cut.parquet": b"PAR1\x00\x00",
        "cut.zip": b"PK\x03\x04" + b"\x00" * 40,
        "cut.onnx": b"\x08\x07\x12",
        "cut.h5": b"\x89HDF\r\n\x1a\n",
        "pickle.pt": b"\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system\x94\x93\x94.",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    np.save(folder / "features.npy", np.random.default_rng(0).normal(size=(60, 3)))
    np.save(folder / "objects.npy", np.array([None, {}], dtype=object), allow_pickle=True)
    (folder / "folder").mkdir()
    Project(folder / "made").testers.add("Ann", "long enough", "lead")
    with suppress(SystemExit):
        main(_with_paths(SOUND[0].replace("out.json", "drawn.json"), folder))
    drawn = sorted({draw["row"] for draw in json.loads((folder / "drawn.json").read_text())["draws"]})
    (folder / "votes.csv").write_text("row,label\n" + "".join(f"{row},{row % 3}\n" for row in drawn))
    (folder / "failed.csv").write_text("row,failed\n" + "".join(f"{row},{int(row % 5 == 4)}\n" for row in drawn))
    return [
        *(str(folder / name) for name in contents),
        *(str(folder / name) for name in ("features.npy", "objects.npy", "folder", "drawn.json", "votes.csv")),
    ]


SOUND = (
    "select {table.csv} --technique rrs --auxiliary confidence --budget 20 --seed 1 --out {out.json}",
    "select {table.csv} --technique pace --features {features.npy} --budget 20 --seed 1 --out {out.json}",
    "select {table.csv} --technique ssrs --auxiliary dsa --budget 20 --seed 1 --out {out.json}",
    "continue {drawn.json} {votes.csv} --out {out.json}",
    "estimate {drawn.json} {votes.csv} --json -",
    "estimate {drawn.json} {votes.csv} --slice prediction --classes --table {table.csv}",
    "estimate {drawn.json} {failed.csv} --fail-under 0.5 --summary {out.md}",
    "reuse {table.csv} --plan {drawn.json} --votes {votes.csv} --old {table.csv}",
    "prioritize {table.csv} --technique severity-first --seed 1 --out {out.csv}",
    "metrics {order.csv} --size 60 --budget 5",
    "rank {models.csv} --json -",
    "clusters {table.csv} --features {features.npy} --seed 1 --min-cluster-size 5 --out {out.csv}",
    "drift {table.csv} --old {table.csv} --seed 1",
    "recheck {drawn.json} {votes.csv} --count 5 --seed 1 --out {out.json}",
    "plan export {drawn.json} --to csv --out {out.csv}",
    "testers list --project {made}",
    "sessions list --project {made} --json -",
    "cache list --project {made}",
)
"""Lines that are right, or nearly, of which one or two words are then exchanged; {name} is a path."""


def commands() -> dict[tuple[str, ...], list[Any]]:
    """Every command with the options and arguments it takes, commands below a verb included."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for verb, command in _Commands().items():
        if verb in NOT_TRIED:
            continue
        below = getattr(command, "commands", None)
        for name, one in (
            {(): command}.items() if below is None else {(name,): one for name, one in below.items()}.items()
        ):
            found[(verb, *name)] = list(one.params)
    return found


def lines(seed: int, files: list[str], folder: Path) -> Iterator[list[str]]:
    """Command lines without end; the same ones for the same seed. What they write goes below ``folder``."""
    draw = random.Random(seed)
    known = commands()
    values = (
        *VALUES,
        "../not/there",
        str(folder / "not" / "there"),
    )  # nothing outside the folder, where others would find it
    names = sorted(known)

    def value(parameter: Any) -> str:
        flags = [flag for flag in parameter.opts if flag.startswith("--")]
        if flags and flags[0] in SMALL and draw.random() < 0.7:
            return draw.choice(SMALL[flags[0]])
        choices = getattr(getattr(parameter, "type", None), "choices", None)
        if choices and draw.random() < 0.5:
            return str(draw.choice(list(choices)))
        return draw.choice(files) if draw.random() < 0.6 else draw.choice(values)

    def nearly_right() -> list[str]:
        line = _with_paths(draw.choice(SOUND), folder)
        for _ in range(draw.choice((0, 1, 1, 1, 2))):
            place = draw.randrange(1, len(line))
            line[place] = draw.choice(files) if draw.random() < 0.5 else draw.choice(values)
        return line

    while True:
        if draw.random() < 0.3:
            yield nearly_right()
            continue
        verb = draw.choice(names)
        line = list(verb)
        for parameter in known[verb]:
            flags = [flag for flag in parameter.opts if flag.startswith("-")]
            if not flags:
                line += [value(parameter) for _ in range(draw.choice((0, 1, 1, 1, 1, 2)))]
            elif "--project" in flags:
                line += ["--project", str(folder / "project")]
            elif "--out" in flags and draw.random() < 0.6:
                line += ["--out", str(folder / draw.choice(("out.json", "out.csv", "out.html", "out.npy", "out.zip")))]
            elif draw.random() < (0.7 if parameter.required else 0.15):
                line.append(draw.choice(flags))
                if not getattr(parameter, "is_flag", False) or draw.random() < 0.05:
                    line.append(value(parameter))
        if draw.random() < 0.1:
            draw.shuffle(line)
        if draw.random() < 0.1:
            line.insert(draw.randrange(len(line) + 1), draw.choice(values))
        if line[0] not in NOT_TRIED:
            yield line
