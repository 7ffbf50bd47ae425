"""Trains the network of the road demo and writes the weights it ships.

Run it from the repository's root: python -m research.demos.make_road. It takes less than a minute on one core. Another version
of PyTorch, or another processor, gives other weights, and so another fingerprint of the demo.
"""

from pathlib import Path

import numpy as np
import safetensors.torch
import torch
from torch import nn

from testimate.demos.road import (
    COUNT,
    CUT,
    HEIGHT,
    SEED,
    SHARES,
    TASK,
    TRAINING_COUNT,
    TRAINING_SEED,
    TRAINING_SHARES,
    WEIGHTS,
    RoadPictures,
    network,
    open_network,
)
from testimate.demos.road_drawing import CONDITIONS, FARTHEST, scenes

HERE = Path(__file__).parents[2] / "testimate" / "demos" / "road_files"
NETWORK_SEED, EPOCHS, BATCH = 0, 12, 64


def trained() -> dict[str, torch.Tensor]:
    """The network's weights after training, in half precision."""
    known = scenes(TRAINING_COUNT, TRAINING_SHARES, TRAINING_SEED)
    images = torch.tensor(RoadPictures(known).batch(np.arange(len(known))))
    wanted = torch.tensor(known.angles / FARTHEST).float()[:, None]
    whole = network(HEIGHT - CUT, 2 * HEIGHT, FARTHEST)
    module = whole[:-1]  # as far as the ends of the scale
    steps = torch.optim.Adam(module.parameters(), lr=2e-3)
    slower = torch.optim.lr_scheduler.ExponentialLR(steps, 0.76)
    for _ in range(EPOCHS):
        for rows in torch.split(torch.randperm(len(images)), BATCH):
            loss = nn.functional.mse_loss(module(images[rows]), wanted[rows])
            steps.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            steps.step()
        slower.step()
    weights = {name: weight.detach() for name, weight in whole.state_dict().items()}
    for end in ("weight", "bias"):  # it learns shares of the farthest, and says degrees
        weights[f"dense2.{end}"] = weights[f"dense2.{end}"] * FARTHEST
    return {name: weight.half().contiguous() for name, weight in weights.items()}


def main() -> None:
    """Writes the file and says how well the network steers."""
    torch.manual_seed(NETWORK_SEED)
    torch.set_num_threads(1)
    HERE.mkdir(exist_ok=True)
    (HERE / WEIGHTS).write_bytes(safetensors.torch.save(trained()))
    operational, model = scenes(COUNT, SHARES, SEED), open_network()
    layer = model.roles["OUT"]
    said = model.run(RoadPictures(operational).batch(np.arange(COUNT)), [layer])[layer][:, 0]
    losses = TASK.losses(said, operational.angles)
    failed, errors = TASK.failed(losses), TASK.errors(losses)
    print(f"mean error {errors.mean():.2f} degrees, {failed.mean():.1%} fail, 1 - MSE {1 - losses.mean():.4f}")
    for place, name in enumerate(CONDITIONS):
        here = operational.conditions == place
        slope = np.polyfit(operational.angles[here], said[here], 1)[0]
        print(
            f"{name}: mean error {errors[here].mean():.2f}, most {errors[here].max():.1f}, {failed[here].mean():.1%} fail, "
            f"turns {slope:.2f} of what is right"
        )


if __name__ == "__main__":
    main()
