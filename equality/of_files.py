"""Do with a file whatever may be done with one: somebody else's, a malformed one, a model with its data."""

import random
from pathlib import Path
from typing import Any

import numpy as np

from equality.case import Case
from equality.reading import read
from equality.steps import estimates, prepared, votes_for

TASKS = ("classification", "multi-label", "regression", "verdict", "boxes")
MNIST = "mnist/mnist.npz"


def foreign(name: str, case: Case) -> None:
    """Do with a file whatever may be done with a table, read as it is and as each task."""
    source = case.data / "foreign"
    case.put(*(path for path in (source / name, *source.glob(f"{Path(name).stem}_votes*")) if path.exists()))
    for task in (None, *TASKS):
        subject = case.call(f"read as {task or 'it is'}", read, name, task)
        said = ("--task", task) if task else ()
        case.run("select", name, "--budget", 40, "--seed", 1, "--out", "plan.json", *said)
        plan = case.folder / "plan.json"
        if not plan.exists():
            continue
        estimates(case, "plan.json", votes_for(case, "plan.json", None))
        known = labels_of(subject)
        if known:
            estimates(case, "plan.json", votes_for(case, "plan.json", known, "labels.csv"))
        for votes in sorted(case.folder.glob("*_votes*.csv")):
            estimates(case, "plan.json", votes.name)
        case.run("recheck", "plan.json", "votes.csv", "--count", 5, "--seed", 1, "--out", "check.csv")
        for tool in ("label-studio", "cvat", "fiftyone", "csv", "jsonl"):
            case.run(
                "plan", "export", "plan.json", "--to", tool, "--out", "tasks.json" if tool != "csv" else "tasks.csv"
            )
        case.run("reuse", name, "--plan", "plan.json", "--votes", "labels.csv" if known else "votes.csv", "--json", "-")
        plan.unlink()
    others(case, name)


def labels_of(subject: Any) -> list[str] | None:
    """Return the known label of each row, as the table's classes name it."""
    if not isinstance(subject, dict) or not isinstance(subject.get("truth"), np.ndarray) or subject["truth"].ndim != 1:
        return None
    classes = (subject["task"] or {}).get("classes") or ()
    truth = subject["truth"].tolist()
    if not classes:
        return [str(one) for one in truth]
    return [classes[int(one)] if one == one and 0 <= one < len(classes) else "" for one in truth]


def others(case: Case, name: str) -> None:
    """Run what takes a table and is no plan."""
    case.run("prioritize", name, "--technique", "severity-first", "--seed", 1, "--out", "order.csv", "--quiet")
    case.run("rank", name, "--json", "-", "--quiet")
    for truth in ("label", "gold"):
        case.run(
            "rank", name, "--truth", truth, "--technique", "sds", "--budget", 20, "--seed", 1, "--json", "-", "--quiet"
        )
    case.run(
        *("study", name, "--technique", "rrs", "--technique", "srs", "--budget", 30, "--repetitions", 4, "--seed", 1),
        "--json",
        "-",
        "--quiet",
    )
    case.run("drift", name, "--old", name, "--seed", 1, "--json", "-")
    case.run("clusters", name, "--seed", 1, "--out", "clusters.csv", "--quiet")


def network(model: str, dataset: str, case: Case) -> None:
    """Run a model over a dataset, and plan with the table that it gives."""
    case.put(case.data / model)
    if dataset == MNIST:
        with np.load(case.data / dataset) as arrays:
            np.savez(case.folder / "mnist.npz", **{name: arrays[name][:400] for name in arrays})
        case.seen()
    else:
        case.put(case.data / dataset)
    words_ = ("features", Path(model).name, Path(dataset).name, "--out", "table.parquet", "--quiet")
    for further in (
        ("--auxiliary", "dsa,lsa", "--out-features", "f.npy"),
        ("--scale", "1/255"),
        ("--channels", "last"),
    ):
        if case.run(*words_, *further).status == "0":
            case.call("read", read, "table.parquet")
            case.run("select", "table.parquet", "--budget", 40, "--seed", 1, "--out", "plan.json")


def malformed(name: str, content: bytes, case: Case) -> None:
    """Read a malformed table by every verb that takes one."""
    for file in (
        "odd.csv",
        *(["odd.parquet", "odd.json", "odd.csv.gz"] if name in ("sound", "bytes", "gzip", "cut parquet") else []),
    ):
        case.write(file, content)
        case.call(f"read {file}", read, file)
        case.run("select", file, "--budget", 10, "--seed", 1, "--out", "plan.json")
        if (case.folder / "plan.json").exists():
            votes_for(case, "plan.json", None)
            case.run("estimate", "plan.json", "votes.csv", "--json", "-")
        case.run("rank", file, "--quiet")
        case.run("prioritize", file, "--technique", "confidence", "--seed", 1, "--out", "order.csv", "--quiet")
    made = prepared(case, "classes")
    case.run("select", made.name, "--budget", 20, "--seed", 1, "--out", "sound.json")
    case.run("estimate", "sound.json", "odd.csv", label="estimate by it as votes")
    case.run("estimate", "odd.csv", "odd.csv", label="estimate by it as a plan")
    case.run("select", made.name, "--other", "odd.csv", "--budget", 20, "--seed", 1, "--out", "other.json")
    case.run("reuse", "odd.csv", "--plan", "sound.json", "--votes", "votes.csv")


SOUND = (
    "select classes.csv --technique rrs --auxiliary confidence --budget 20 --seed 1 --out out.json",
    "select classes.csv --technique pace --features features.npy --budget 20 --seed 1 --out out.json",
    "select classes.csv --technique ssrs --auxiliary dsa --set clusters=4 --budget 20 --seed 1 --out out.json",
    "select classes.csv --task classification --column prediction=prediction --class yak --budget 20 --seed 1 --out out.json",
    "continue plan.json votes.csv --out out.json",
    "estimate plan.json votes.csv --level 0.9 --json -",
    "estimate plan.json votes.csv --slice prediction --classes --table classes.csv",
    "estimate plan.json votes.csv --fail-under 0.5 --by low --summary out.md",
    "reuse classes.csv --plan plan.json --votes votes.csv --old classes.csv",
    "prioritize classes.csv --technique severity-first --seed 1 --out out.csv",
    "metrics out.csv --size 60 --budget 5 --gamma 0.5",
    "rank classes.csv --technique laf --json -",
    "clusters classes.csv --features features.npy --seed 1 --min-cluster-size 15 --map pca --out out.csv --quiet",
    "drift classes.csv --old classes.csv --seed 1",
    "recheck plan.json votes.csv --count 5 --seed 1 --out out.csv",
    "plan export plan.json --to csv --out out.csv",
    "testers list --project project",
    "sessions list --project project --json -",
    "project check --project project",
)
"""Lines that are right, of which one or two words are then exchanged."""


def words(part: int, case: Case) -> None:
    """Run command lines that nobody should type, with words exchanged by a seed."""
    made = prepared(case, "classes")
    case.run("select", made.name, "--technique", "rrs", "--budget", 20, "--seed", 1, "--out", "plan.json")
    votes_for(case, "plan.json", made.labels)
    case.write("empty.csv", "")
    case.write("ragged.csv", b"label,prediction\n1,2,3\n4\n\xe9,5\n")
    draw = random.Random(part)
    files = (made.name, "plan.json", "votes.csv", "empty.csv", "ragged.csv", "features.npy", "missing.csv", ".")
    values = (
        "",
        " ",
        "-",
        "0",
        "-1",
        "0.5",
        "1.7",
        "nan",
        "inf",
        "1_000",
        "9" * 30,
        "x" * 300,
        "true",
        "a=b",
        "a,b",
        "\u00e9",
        "rra",
    )
    for _ in range(25):
        line = draw.choice(SOUND).split()
        for _ in range(draw.choice((1, 1, 2))):
            line[draw.randrange(1, len(line))] = draw.choice(files if draw.random() < 0.4 else values)
        case.run(*line)
