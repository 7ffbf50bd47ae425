"""What a sample of the references changes on real networks: the order of DSA and LSA, and the error of plans by them.

`python -m benchmarks network_references` needs the LeNets and MNIST in TESTIMATE_DATA; about three minutes.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from research.methods.exact import exact_error, rounds_error
from testimate.auxiliary.nearest import drawn_references
from testimate.auxiliary.surprise import dsa, lsa
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.feature_cache import FeatureCache
from testimate.models.description import ModelDescription
from testimate.planning.known_inputs import known_inputs
from testimate.studies.study import study
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))

NETWORKS = ("LeNet-1", "LeNet-5", "mutant1")
SCORES: dict[str, Callable[..., NDArray[np.float64]]] = {"dsa": dsa, "lsa": lsa}
SAMPLES, SEEDS = (20_000, 5_000, 1_000), (0, 1, 2)
LABELS, ROUNDS, CAMPAIGNS = 200, 40, 2_000
EXACT = ("rrs", "rhc-s", "sups")
TECHNIQUES = (*EXACT, "rra", "deepest")


def main() -> None:
    """Prints the table."""
    print("## A sample of references on real networks\n")
    if not (DATA / "pace").is_dir():
        print(f"The networks are not in {DATA.name}; set TESTIMATE_DATA.")
        return
    print(
        "10,000 test images of MNIST against samples of its 60,000 training images, features of LHL. Spearman's rank "
        f"correlation with the score of all references; and the root mean squared error with {LABELS} labels over that with "
        f"the score of all, whose own is given in points of accuracy: of {', '.join(EXACT)} by their exact variance, of rra by "
        f"the variances of the rounds of {ROUNDS} campaigns, of deepest by {CAMPAIGNS:,} campaigns. The least and the most of "
        f"{len(SEEDS)} samples; ratios of rra and deepest are known to about 2 and 4%.\n"
    )
    names = TECHNIQUES
    print(f"| network | score | references | rank correlation | {' | '.join(names)} |")
    print(f"|---|---|---:|---:|{'---:|' * len(names)}")
    for network in NETWORKS:
        inputs = of_network(network)
        assert inputs.training is not None
        learned = inputs.training.predictions
        for name in SCORES:
            whole = scored(inputs, name, None)
            known = errors(whole, name)
            absolute = " | ".join(f"{100 * known[one]:.2f} points" for one in names)
            print(f"| {network} | {name} | 60,000 | 1 | {absolute} |", flush=True)
            for most in SAMPLES:
                found, alike = [], []
                for seed in SEEDS:
                    sampled = scored(inputs, name, drawn_references(learned, most, seed=seed))
                    alike.append(float(spearmanr(whole.score(name), sampled.score(name)).statistic))
                    found.append({one: error / known[one] for one, error in errors(sampled, name).items()})
                ratios = " | ".join(span([one[technique] for one in found], 3) for technique in names)
                print(f"| {network} | {name} | {most:,} | {span(alike, 3)} | {ratios} |", flush=True)


def of_network(network: str) -> Inputs:
    """The test images by a network, its training images beside them."""
    description = SubjectDescription(ModelDescription(DATA / "pace" / f"{network}.h5"), DATA / "mnist" / "mnist.npz")
    with tempfile.TemporaryDirectory() as folder:
        subject = open_uploaded_subject(description).subject
        inputs = known_inputs(subject, FeatureCache(Path(folder)), roles=("LHL",), auxiliary=("lsa",))
        assert inputs.training is not None
        trained = replace(inputs.training, features={"LHL": np.array(inputs.training.feature("LHL"))})
        return replace(inputs, features={"LHL": np.array(inputs.feature("LHL"))}, training=trained)


def scored(inputs: Inputs, name: str, rows: NDArray[np.intp] | None) -> Inputs:
    """The inputs with that score alone, of these references."""
    trained = inputs.training
    assert trained is not None
    compared = inputs.feature("LHL"), inputs.predictions, trained.feature("LHL"), trained.predictions
    return replace(inputs, scores={name: SCORES[name](*compared, references=rows)})


def errors(inputs: Inputs, name: str) -> dict[str, float]:
    """The root mean squared error of each technique by that score."""
    found = {}
    for technique in EXACT:
        error = exact_error(inputs, Request(technique, LABELS, 1, name))
        assert error is not None
        found[technique] = error
    found["rra"] = rounds_error(inputs, Request("rra", LABELS, 1, name), campaigns=ROUNDS)[0]
    (row,) = study(
        inputs,
        techniques=["deepest"],
        budgets=[LABELS],
        repetitions=CAMPAIGNS,
        seed=1,
        auxiliaries=[name],
        workers=1,
    )
    return {**found, "deepest": row.rmse}


def span(values: list[float], digits: int) -> str:
    """The least and the most of some values."""
    least, most = (f"{end:.{digits}f}" for end in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


if __name__ == "__main__":
    main()
