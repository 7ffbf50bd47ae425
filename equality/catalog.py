"""Name every case: a file of somebody else, a technique on a task, a demo, a malformed table, a project made before."""

import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import testimate
from equality import tables
from equality.case import Case
from equality.of_files import MNIST, foreign, malformed, network, words
from equality.of_projects import bundles, demo, project, sessions, terminal
from equality.of_tasks import models, task, technique
from equality.record import data_folder

OF_TECHNIQUES = ("probabilities", "top-2", "sets", "numbers", "verdicts", "boxes")
OF_GROUPS = ("groups", "probabilities")
"""The tables on which techniques are tried, and those that draw whole groups."""

MADE_BEFORE = ("first_house", "kept/2026-11-26")
DEMOS = ("digits", "glyphs", "glyphs-40", "road", "answers", "harbour")

VERBS = (
    *("app", "demo", "techniques", "features", "select", "continue", "estimate", "reuse", "grown", "drift", "recheck"),
    *("prioritize", "metrics", "clusters", "rank", "shift", "study", "convert", "convert cifar", "cache", "cache list"),
    *("cache verify", "cache prune", "testers", "testers add", "testers progress", "sessions", "sessions list"),
    *("sessions export", "sessions import", "sessions replay", "plan", "plan export", "plan import", "project"),
    *("project backup", "project restore", "project check", "project move"),
)


def public(case: Case) -> None:
    """Record the public names with their signatures, and what every command says of itself."""
    for name in sorted(case.testimate.__all__):
        one = getattr(case.testimate, name)
        if callable(one):
            case.call(f"signature of {name}", signature, one)
        if inspect.isclass(one):
            case.note(f"members of {name}", "\n".join(part for part in dir(one) if not part.startswith("_")))
    for form in ((), ("--json", "-")):
        case.run("techniques", *form)
    for verb in VERBS:
        case.run(*verb.split(), "--help", label=f"help of {verb}")


def signature(one: Any) -> str:
    """Return how it is called: the parameters and their defaults, without the types and the places in memory."""
    found = inspect.signature(one)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    called = found.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return re.sub(r" at 0x[0-9a-f]+", "", str(called))


def catalog() -> dict[str, Callable[[Case], None]]:
    """Return every case by its name, the longest first."""
    data = data_folder() / "foreign"
    models_ = sorted(data.glob("*.onnx"))
    datasets = sorted(path for path in data.glob("*") if path.suffix in (".npz", ".zip", ".parquet"))
    files = sorted(path.name for path in data.glob("*") if path.suffix not in (".py", ".md"))
    kinds = tables.made()
    cases: dict[str, Callable[[Case], None]] = {}
    cases |= {f"demo/{name}": partial(demo, name) for name in DEMOS}
    cases |= {f"project/{name.replace('/', '-')}": partial(project, name) for name in MADE_BEFORE}
    cases |= {f"bundles/{name.replace('/', '-')}": partial(bundles, name) for name in MADE_BEFORE}
    cases |= {f"sessions/{kind}": partial(sessions, kind) for kind in kinds}
    cases |= {
        f"network/{model.stem} on {dataset.name}": partial(network, f"foreign/{model.name}", f"foreign/{dataset.name}")
        for model in models_
        for dataset in datasets
    }
    cases |= {
        f"network/{name}": partial(network, f"pace/{name}.h5", MNIST) for name in ("LeNet-1", "LeNet-5") if models_
    }
    cases |= {f"foreign/{name}": partial(foreign, name) for name in files}
    cases |= {f"task/{kind}": partial(task, kind) for kind in kinds}
    cases |= {
        f"technique/{name} on {kind}": partial(technique, name, "", kind)
        for name in testimate.SELECTORS
        for kind in (OF_GROUPS if name.endswith("-groups") else OF_TECHNIQUES)
    }
    cases |= {
        f"technique/{name} {variant} on {kind}": partial(technique, name, variant, kind)
        for name in testimate.SELECTORS
        for variant in testimate.SELECTORS[name].variants
        for kind in ("probabilities", "numbers")
    }
    cases |= {
        f"malformed/{name.replace('/', ' ')}": partial(malformed, name, one) for name, one in tables.malformed().items()
    }
    cases |= {f"words/{part:02}": partial(words, part) for part in range(20)}
    return cases | {"models": models, "terminal": terminal, "public": public}


CASES = catalog()
