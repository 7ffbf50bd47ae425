"""Use every technique on every task, and every verb on a table of each task."""

import numpy as np

from equality import tables
from equality.case import Case
from equality.reading import read
from equality.steps import STUDIED, estimates, prepared, votes_for

WITH_TRAINING = ("classes", "probabilities", "groups", "top-2")
"""Tables for which the training inputs are made."""


def technique(name: str, variant: str, kind: str, case: Case) -> None:
    """Plan, label to the end, estimate, study and order by one technique on one task."""
    made = prepared(case, kind)
    what = ["--technique", name, *(["--variant", variant] if variant else []), *made.read_as]
    features = ("--features", "features.npy", *(("--training", "training.csv") if kind in WITH_TRAINING else ()))
    for further in ((), features):
        case.run("select", made.name, "--budget", 48, "--seed", 5, "--out", "plan.json", *what, *further)
        if (case.folder / "plan.json").exists():
            break
    if (case.folder / "plan.json").exists():
        for _ in range(60):
            votes_for(case, "plan.json", made.labels)
            before = (case.folder / "plan.json").read_bytes()
            said = case.run("continue", "plan.json", "votes.csv", "--out", "plan.json")
            if said.status != "0" or (case.folder / "plan.json").read_bytes() == before:
                break
        case.run("estimate", "plan.json", "votes.csv", "--json", "-")
        case.run("estimate", "plan.json", "votes.csv", "--interval", "conservative", "--assisted", "difference")
    case.run(
        *("prioritize", made.name, "--seed", 5, "--out", "order.csv", *what, *features, "--quiet"),
        *(("--training-features", "training.npy") if kind in WITH_TRAINING else ()),
    )
    if (case.folder / "order.csv").exists():
        case.run("metrics", "order.csv", "--size", tables.SIZE, "--json", "-")
    case.run(
        *("study", made.name, "--budget", 24, "--repetitions", 3, "--seed", 5, *what, *features, "--quiet"),
        "--json",
        "-",
        "--csv",
        "study.csv",
        "--markdown",
        "study.md",
    )


def task(kind: str, case: Case) -> None:
    """Read a table of a task, and use every other verb on it, in the terminal and in Python."""
    testimate = case.testimate
    made = prepared(case, kind)
    what = made.read_as
    case.call("read", read, made.name, what[1] if what[:1] == ("--task",) else None)
    case.run("select", made.name, "--budget", 60, "--seed", 2, "--out", "plan.json", *what)
    case.run("select", made.name, "--budget", 60, "--seed", 2, "--each", "light", "--out", "each.json", *what)
    case.run("select", made.name, "--half-width", 0.1, "--seed", 2, "--each", "light", "--out", "each.json", *what)
    if not (case.folder / "plan.json").exists():
        return
    votes_for(case, "plan.json", made.labels)
    estimates(case, "plan.json", "votes.csv")
    for column in ("light", "prediction", "light,prediction", "absent"):
        case.run("estimate", "plan.json", "votes.csv", "--slice", column, "--simultaneous", "--json", "-")
    case.run("recheck", "plan.json", "votes.csv", "--count", 10, "--seed", 1, "--out", "check.csv")
    votes_for(case, "plan.json", None, "failed.csv")
    case.run("estimate", "plan.json", "failed.csv", "--json", "-")
    for tool in ("label-studio", "cvat", "fiftyone", "csv", "jsonl"):
        case.run(
            "plan",
            "export",
            "plan.json",
            "--to",
            tool,
            "--out",
            f"{tool}.{tool if tool in ('csv', 'jsonl') else 'json'}",
        )
    for gate in (
        (),
        ("--no-worse-than", made.name),
        ("--top-up", 20, "--for", "accuracy", "--seed", 3, "--out", "more.json"),
    ):
        case.run("reuse", made.name, "--plan", "plan.json", "--votes", "votes.csv", "--old", made.name, *gate)
    case.run("grown", made.name, "--old", made.name, "--plan", "plan.json", "--votes", "votes.csv", "--json", "-")
    case.run(
        "drift",
        made.name,
        "--old",
        made.name,
        "--seed",
        1,
        "--plan",
        "plan.json",
        "--votes",
        "votes.csv",
        "--json",
        "-",
    )
    case.run(
        *("clusters", made.name, "--features", "features.npy", "--min-cluster-size", 10, "--seed", 1, "--quiet"),
        *("--out", "clusters.csv", "--report", "clusters.html", "--json", "-"),
    )
    plain = testimate.open_subject(made.name, task=what[1] if what[:1] == ("--task",) else None)
    subject = testimate.open_subject(made.name, task=plain.task.kind, features="features.npy")
    case.call("python select", testimate.select, subject, budget=30, seed=1)
    case.call("python estimate", testimate.estimate, "plan.json", "votes.csv", subject=plain)
    case.call("python prioritize", testimate.prioritize, subject, "confidence", seed=1)
    case.call("python clusters", testimate.clusters, subject, seed=1, min_cluster_size=10, map="pca")
    case.call("python study", testimate.study, subject, **STUDIED)


def models(case: Case) -> None:
    """Rank several models by each technique, with the truth and without."""
    plain = tables.classes()
    rng = np.random.default_rng(2)
    columns = {"label": plain["label"]}
    for place, name in enumerate(("one", "two", "three", "four")):
        other = rng.choice(tables.KINDS, tables.SIZE)
        columns[name] = [
            a if keep else b
            for a, b, keep in zip(plain["label"], other.tolist(), rng.random(tables.SIZE) > 0.1 * place, strict=True)
        ]
    case.write("models.csv", tables.csv_of(columns))
    for technique_ in ("laf", "majority", "dawid-skene"):
        for truth in ((), ("--truth", "label")):
            case.run("rank", "models.csv", "--technique", technique_, *truth, "--quiet")
            case.run("rank", "models.csv", "--technique", technique_, *truth, "--json", "-", "--quiet")
    for technique_ in ("sds", "ces", "random"):
        case.run(
            *("rank", "models.csv", "--technique", technique_, "--truth", "label", "--budget", 30, "--seed", 1),
            "--json",
            "-",
        )
