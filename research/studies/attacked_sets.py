"""LeNet-5's MNIST test images, half of them attacked through PyTorch: FGSM, BIM, and Carlini and Wagner's attack."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.pace_subjects import ATTACKED, EPSILON, KEPT, SEED, STEPS, TEST
from testimate.core.inputs import Inputs
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
