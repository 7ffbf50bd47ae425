"""The road demo's network: three convolutions and two dense layers, from a picture to an angle."""

from collections import OrderedDict

from torch import nn

HIDDEN = 32


def network(height: int, width: int, farthest: float) -> nn.Sequential:
    """For grey pictures of ``height`` x ``width`` pixels, whose brightness and contrast it evens out first.

    It says degrees from ``-farthest`` to ``farthest``; in training, where the ends would stop all learning, leave the last
    part out.
    """
    flat = 24 * halved(height, 3) * halved(width, 3)
    parts = (
        *(("evened", nn.InstanceNorm2d(1)), ("conv1", nn.Conv2d(1, 8, 5, stride=2, padding=2)), ("act1", nn.ReLU())),
        *(("conv2", nn.Conv2d(8, 16, 3, stride=2, padding=1)), ("act2", nn.ReLU())),
        *(("conv3", nn.Conv2d(16, 24, 3, stride=2, padding=1)), ("act3", nn.ReLU()), ("flat", nn.Flatten())),
        *(("dense1", nn.Linear(flat, HIDDEN)), ("act4", nn.ReLU()), ("dense2", nn.Linear(HIDDEN, 1))),
        ("ends", nn.Hardtanh(-farthest, farthest)),
    )
    return nn.Sequential(OrderedDict(parts))


def halved(length: int, times: int) -> int:
    """A side after so many convolutions that take every second place.

    >>> halved(26, 3)
    4
    """
    for _ in range(times):
        length = (length + 1) // 2
    return length
