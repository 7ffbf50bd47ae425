"""The PACE authors' LeNet-5 from the terminal: features, dsa, lsa, two plans, labels; and the same network in three formats."""

import csv
import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch
from torch import nn

from testimate.subjects.prediction_table import read_table

LABELS = 20


def in_pytorch(file: Path) -> nn.Module:
    """LeNet-5 with the weights of the Keras file; colors come first, as PyTorch has them."""
    network = nn.Sequential(
        *(nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(588, 128), nn.ReLU(), nn.Linear(128, 84), nn.ReLU(), nn.Linear(84, 10), nn.Softmax(dim=1)),
    ).eval()
    places = {"block1_conv1": 0, "block2_conv1": 3, "fc1": 7, "fc2": 9, "before_softmax": 11}
    with h5py.File(file) as kept, torch.no_grad():
        for name, place in places.items():
            kernel, bias = (np.array(kept["model_weights"][name][name][part]) for part in ("kernel:0", "bias:0"))
            if name == "fc1":  # Keras flattens (height, width, color), PyTorch (color, height, width)
                kernel = kernel.reshape(7, 7, 12, 128).transpose(2, 0, 1, 3).reshape(588, 128)
            network[place].weight.copy_(
                torch.tensor((kernel.transpose(3, 2, 0, 1) if kernel.ndim == 4 else kernel.T).copy())
            )
            network[place].bias.copy_(torch.tensor(bias))
    return network


def write_other_formats(network: nn.Module, folder: Path) -> dict[str, Path]:
    """The network as an ONNX file and as a program of torch.export."""
    paths = {"onnx": folder / "LeNet-5.onnx", "pt2": folder / "LeNet-5.pt2"}
    example, name = (torch.zeros(2, 1, 28, 28),), "pictures"
    torch.onnx.export(
        network, example, str(paths["onnx"]), dynamo=False, input_names=[name], dynamic_axes={name: {0: "n"}}
    )
    shapes = ({0: torch.export.Dim("n", min=1)},)
    torch.export.save(torch.export.export(network, example, dynamic_shapes=shapes), paths["pt2"])
    return paths


def label(plan: Path, truth: np.ndarray, votes: Path) -> list[int]:
    """Answers every input of a plan as the truth has it; the rows."""
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    with votes.open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *((row, truth[row]) for row in rows)])
    return rows


@pytest.mark.slow  # PACE's files are opened in tests/models in every run
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's older exporter, which testers still use
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_lenet_5_goes_from_its_file_to_an_estimate_and_says_the_same_as_onnx_and_as_pt2(real_data, tmp_path, command):
    keras, mnist = real_data / "pace" / "LeNet-5.h5", tmp_path / "mnist.npz"
    with np.load(real_data / "mnist" / "mnist.npz") as whole:  # a tenth of the training set, to be done sooner
        few = {name: array[:6000] if "train" in name else array for name, array in whole.items()}
    np.savez(mnist, **few)
    table, features, project = tmp_path / "t.parquet", tmp_path / "f.npy", tmp_path / "project"
    said = command.ok(
        *("features", keras, mnist, "--auxiliary", "dsa,lsa", "--out", table),
        *("--out-features", features, "--project", project),
    )
    assert "Accuracy 98.68% on all 10,000 inputs" in said  # PACE, table 1
    assert np.load(features, mmap_mode="r").shape == (10_000, 84)
    inputs = read_table(table, name="t").inputs
    assert {"dsa", "lsa", "confidence"} <= set(inputs.scores)

    for technique in (("pace", "--features", features), ("rrs", "--auxiliary", "dsa")):
        plan, votes = tmp_path / f"{technique[0]}.json", tmp_path / f"{technique[0]}.csv"
        command.ok("select", table, "--technique", *technique, "--budget", LABELS, "--seed", 1, "--out", plan)
        rows = label(plan, inputs.truth, votes)
        assert len(set(rows)) == LABELS
        assert f"from {LABELS} labels" in command.ok("estimate", plan, votes)

    for kind, path in write_other_formats(in_pytorch(keras), tmp_path).items():
        other = tmp_path / f"{kind}.parquet"
        trust = ("--trust", path) if kind == "pt2" else ()
        said = command.ok("features", path, mnist, *trust, "--out", other, "--project", project)
        assert "Accuracy 98.68% on all 10,000 inputs" in said
        found = read_table(other, name=kind).inputs
        np.testing.assert_array_equal(found.predictions, inputs.predictions)
        np.testing.assert_allclose(found.probabilities, inputs.probabilities, atol=1e-4)
