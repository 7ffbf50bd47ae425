"""The page on attacked inputs: PACE and SSOA where half the pictures were moved by FGSM, BIM or Carlini and Wagner's attack."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.methods import exact
from research.methods.exact import exact_error, two_phase
from research.studies.pace import CARLINI_WAGNER
from research.studies.pace import PUBLISHED_ATTACKS as PUBLISHED
from research.studies.pace_runs import ATTACKED, BUDGETS, EPSILON, KEPT, SEED, STEPS, TEST
from research.studies.page_text import measured_once, table, write_page
from research.studies.runs import SSOA_BUDGETS
from research.studies.ssoa import gain
from research.studies.study_subjects import data_folder, kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.structure.strata import by_clusters, by_rule, neyman
from testimate.tasks.classification import Classification

ATTACKS = ("FGSM", "BIM", "Carlini-Wagner")
BLOCK = 1000


def make(data: Path, folder: Path) -> None:
    """Attacks what is not in the folder yet: predictions and features of each set, and of the training images."""
    folder.mkdir(parents=True, exist_ok=True)
    module = network(data / "pace" / f"{ATTACKED}.h5")
    with np.load(data / "mnist" / "mnist.npz") as mnist:
        test, training = (mnist["x_test"], mnist["y_test"]), (mnist["x_train"], mnist["y_train"])
    if not (folder / "training.npz").exists():
        _write(folder / "training.npz", module, _scaled(training[0]), training[1])
    rows = np.random.default_rng(SEED).permutation(TEST)  # the kept ones are those of pace_subjects
    kept, changed = np.sort(rows[:KEPT]), np.sort(rows[KEPT:])
    for attack in ATTACKS:
        if not (folder / f"{attack}.npz").exists():
            moved = _moved(module, attack, _scaled(test[0][changed]), test[1][changed].astype(np.intp))
            pictures = np.concatenate([_scaled(test[0][kept]), np.rint(255 * moved) / np.float32(255)])
            truth = np.concatenate([test[1][kept], test[1][changed]])
            order = np.random.default_rng(SEED).permutation(TEST)
            change = np.sqrt(((moved - _scaled(test[0][changed])) ** 2).sum(axis=(1, 2, 3)))
            _write(folder / f"{attack}.npz", module, pictures[order], truth[order], change=float(np.median(change)))


def network(file: Path) -> Any:
    """The Keras file's weights in a PyTorch module that takes (n, 1, 28, 28) from 0 to 1 and gives logits (n, 10)."""
    import h5py
    import torch
    from torch import nn

    with h5py.File(file) as stored:
        found: dict[str, NDArray[np.float32]] = {}
        stored["model_weights"].visititems(
            lambda name, item: (
                found.update({name.split("/", 1)[1]: item[()]}) if isinstance(item, h5py.Dataset) else None
            )
        )
    weights = {name.split(":")[0]: value for name, value in found.items()}
    kernels = [name.removesuffix("/kernel") for name in weights if name.endswith("/kernel")]
    convolutions = sorted(name for name in kernels if weights[f"{name}/kernel"].ndim == 4)
    dense = [name for name in kernels if weights[f"{name}/kernel"].ndim == 2]
    dense.sort(key=lambda name: -weights[f"{name}/kernel"].shape[1])  # 128, 84, 10 outputs
    module, side = nn.Sequential(), 28
    for name in convolutions:
        kernel = torch.tensor(weights[f"{name}/kernel"].transpose(3, 2, 0, 1).copy())
        layer = nn.Conv2d(kernel.shape[1], kernel.shape[0], kernel.shape[2], padding=kernel.shape[2] // 2)
        layer.load_state_dict({"weight": kernel, "bias": torch.tensor(weights[f"{name}/bias"])})
        module.extend([layer, nn.ReLU(), nn.MaxPool2d(2)])
        side //= 2
    module.append(nn.Flatten())
    for place, name in enumerate(dense):
        matrix = weights[f"{name}/kernel"]
        if place == 0:  # Keras flattens with the channels last
            matrix = matrix.reshape(side, side, -1, matrix.shape[1]).transpose(2, 0, 1, 3).reshape(matrix.shape)
        full = nn.Linear(*matrix.shape)
        full.load_state_dict({"weight": torch.tensor(matrix.T.copy()), "bias": torch.tensor(weights[f"{name}/bias"])})
        module.extend([full, nn.ReLU()] if place < len(dense) - 1 else [full])
    return module.eval()


def _scaled(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    return (pictures[:, None] / 255).astype(np.float32)


def _moved(module: Any, attack: str, pictures: NDArray[np.float32], truth: NDArray[np.intp]) -> NDArray[np.float32]:
    from testimate.subjects.shifts.attacks import bim, carlini_wagner, fgsm

    if attack == "FGSM":
        return fgsm(module, pictures, truth, epsilon=EPSILON)
    if attack == "BIM":
        return bim(module, pictures, truth, epsilon=EPSILON, step=EPSILON / STEPS, steps=STEPS)
    return carlini_wagner(module, pictures, truth, margin=0.5)


def _write(file: Path, module: Any, pictures: NDArray[np.float32], truth: NDArray[Any], *, change: float = 0.0) -> None:
    import torch

    hidden, logits = [], []
    with torch.no_grad():
        for start in range(0, len(pictures), BLOCK):
            last = module[:-1](torch.tensor(pictures[start : start + BLOCK]))
            hidden.append(last.numpy())
            logits.append(module[-1](last).numpy())
    part = file.with_suffix(".part.npz")
    np.savez(part, hidden=np.concatenate(hidden), logits=np.concatenate(logits), truth=truth, change=change)
    part.rename(file)
    print(file.stem, f"accuracy {(np.concatenate(logits).argmax(axis=1) == truth).mean():.4f}", flush=True)


@cache
def attacked(folder: Path, name: str) -> Inputs:
    """The set with its truth: predictions, confidence and last hidden layer; "training" for the training images."""
    with np.load(folder / f"{name}.npz") as file:
        hidden, logits, truth = file["hidden"], file["logits"].astype(np.float64), file["truth"]
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    predictions = chances.argmax(axis=1)
    confidence = chances.max(axis=1)
    return Inputs(
        fingerprint=f"{ATTACKED} under {name}",
        task=Classification(classes=tuple(map(str, range(10)))),
        predictions=predictions,
        confidence=confidence,
        probabilities=chances,
        scores={"confidence": 1 - confidence},
        features={"LHL": hidden},
        truth=truth,
        losses=(predictions != truth).astype(np.float64),
        training=None if name == "training" else attacked(folder, "training"),
    )


def change_of(folder: Path, name: str) -> float:
    """Median Euclidean distance that the attack moved a picture, of values from 0 to 1."""
    with np.load(folder / f"{name}.npz") as file:
        return float(file["change"])


CES_REPETITIONS = 20
TABLE_11 = {"FGSM": PUBLISHED["FGSM"], "Carlini-Wagner": CARLINI_WAGNER, "BIM": PUBLISHED["BIM"]}
OF_OTHERS = ("ssoa-r-t", "ssoa-c-t", "css", "rrs")
STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes attacks.md."""
    folder = kept_folder() / "attacks"
    make(data_folder(), folder)
    found = {name: _kept(folder, name) for name in ATTACKS}
    write_page(here / "attacks.md", [_page(folder, found)])


def _kept(folder: Path, name: str) -> dict[str, Any]:
    def measure() -> dict[str, Any]:
        inputs = attacked(folder, name)
        return {"pace": _pace(inputs), "gains": _gains(inputs)}

    kept: dict[str, Any] = measured_once(folder / f"{name}.json", measure)
    return kept


def _losses(inputs: Inputs) -> NDArray[np.float64]:
    assert inputs.losses is not None
    return inputs.losses


def _pace(inputs: Inputs) -> dict[str, list[float]]:
    """Error in points at BUDGETS: of the one list that PACE chooses, exact of srs and css, of some repetitions of ces."""
    losses = _losses(inputs)
    truth = losses.mean()
    errors: dict[str, list[float]] = {"pace": [], "pace, as published": [], "srs": [], "css": []}
    for name, variant in (("pace", None), ("pace, as published", "as published")):
        options = {"reduction": "none"} if variant else {}
        for budget in BUDGETS:  # the last clustering is kept, so one variant after the other
            selector = build(inputs, Request("pace", budget, 1, variant=variant, options=options))
            rows = [draw.row for draw in selector.ask(len(inputs))]
            errors[name].append(100 * abs(float(losses[rows].mean() - truth)))
    for budget in BUDGETS:
        errors["srs"].append(100 * _exact(inputs, "srs", budget))
        errors["css"].append(100 * _exact(inputs, "css", budget))
    lists = []
    for repetition in range(CES_REPETITIONS):
        drawn = build(inputs, Request("ces", BUDGETS[-1], 1 + repetition)).ask(BUDGETS[-1])
        lists.append(losses[[draw.row for draw in drawn]])
    off = [[own[:budget].mean() - truth for budget in BUDGETS] for own in lists]
    errors["ces"] = [float(one) for one in 100 * np.sqrt(np.mean(np.square(off), axis=0))]
    return errors


def _exact(inputs: Inputs, name: str, budget: int) -> float:
    error = exact_error(inputs, Request(name, budget, 1))
    assert error is not None
    return error


def _gains(inputs: Inputs) -> dict[str, float]:
    """Gain over srs in percent, mean over SSOA's budgets; exact."""
    losses, scores = _losses(inputs), inputs.score("confidence")
    base = [_exact(inputs, "srs", budget) for budget in SSOA_BUDGETS]
    strata = {"ssoa-r-p": by_rule(scores, seed=1), "ssoa-c-p": by_clusters(scores, 3)}
    found = {
        name: gain([two_phase(losses, own, budget, seed=1).rmse for budget in SSOA_BUDGETS], base)
        for name, own in strata.items()
    }
    for name in OF_OTHERS:
        found[name] = gain([_exact(inputs, name, budget) for budget in SSOA_BUDGETS], base)
    own = strata["ssoa-c-p"]
    spreads = np.array([losses[own == stratum].std() for stratum in range(own.max() + 1)])
    best = [neyman(np.bincount(own), spreads, budget) for budget in SSOA_BUDGETS]
    found["oracle, clusters"] = gain(
        [float(np.sqrt(exact.of_stratified(losses, own, allocation))) for allocation in best], base
    )
    return found


def _page(folder: Path, found: dict[str, dict[str, Any]]) -> str:
    sets, errors, gains = [], [], []
    for name, own in found.items():
        losses = _losses(attacked(folder, name))
        sets.append([name, f"{100 * (1 - losses.mean()):.2f}", f"{change_of(folder, name):.2f}"])
        for technique, line in own["pace"].items():
            theirs = TABLE_11[name].get(technique.removesuffix(", as published"))
            shown = "–" if theirs is None else f"{np.mean(theirs):.2f}"
            ends = (f"{line[0]:.2f}", f"{line[5]:.2f}", f"{line[-1]:.2f}", f"{np.mean(line):.2f}")
            errors.append([f"{name}: {technique}", *ends, shown])
        gains.append([name, *(f"{value:.1f}" for value in own["gains"].values())])
    below = {
        name: f"{np.mean(own['pace']['pace']) / np.mean(own['pace']['srs']):.2f} under {name}"
        for name, own in found.items()
    }
    published = {
        name: f"{np.mean(TABLE_11[name]['pace']) / np.mean(TABLE_11[name]['srs']):.2f} under {name}" for name in found
    }
    better = [name for name, own in found.items() if own["gains"]["ssoa-c-p"] > own["gains"]["ssoa-r-p"]]
    most = max(found, key=lambda name: found[name]["gains"]["ssoa-c-p"])
    return f"""# Attacked inputs: PACE's table 11 and SSOA's RQ5

Made by `make study`; no number measured here is typed by hand. Of the 10,000 MNIST test images 5,000 are as they are and
5,000 others moved against LeNet-5 by an attack of this project in PyTorch, which `testimate shift` has too: FGSM (one step
of 0.3), BIM (ten steps of 0.03), and Carlini and Wagner's attack in the Euclidean distance (four values of c, 60 steps
each, another class to lead by 0.5). The pictures are rounded to bytes, so that they are what a file holds.

{table(["attack", "accuracy, %", "median distance"], sets)}
The distance is the root of the summed squares, of values from 0 to 1. FGSM and BIM move an input as far as they
may, Carlini and Wagner as little as they can.

## PACE beside others (table 11)

Error in points, mean over n = {BUDGETS[0]} to {BUDGETS[-1]} in the last but one column; srs and css exact, PACE one list,
ces {CES_REPETITIONS} repetitions. The published means are of ResNet-20 over CIFAR-10 (FGSM, Carlini-Wagner) and of row
18, LeNet-5 over
another such set (BIM); only the last is of this network.

{table(["", "n = 50", "n = 100", "n = 180", "mean", "published"], errors)}
PACE's error over that of srs, means over the budgets: {", ".join(below.values())}; published {", ".join(published.values())}.
One list is chosen and its error is one number, which nobody knows without the truth. The same FGSM and BIM, computed by another
library, are on [PACE's page](pace.md#adversarial-inputs): accuracies and the errors of srs, css and ces agree, PACE's
do not, because
pictures that differ by a rounding in another order are other clusters.

## SSOA (RQ5)

Gain over srs on the same inputs, percent, mean over n = {SSOA_BUDGETS[0]} to {SSOA_BUDGETS[-1]}, exact; the T variants take the
unattacked training images:

{table(["attack", *next(iter(found.values()))["gains"]], gains)}
Strata by clusters are better than by rule under {" and ".join(better) or "none"}; the paper takes clusters to be the proper
choice here. ssoa-c-p gains most under {most}: how much there is to gain depends on whether the confidence still shows which
inputs fail, and an attack that stops where another class just leads leaves a low confidence behind.
"""
