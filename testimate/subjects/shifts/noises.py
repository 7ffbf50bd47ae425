"""Noise: Gaussian, Poisson, and dead pixels.

Hendrycks and Dietterich: Benchmarking Neural Network Robustness to Common Corruptions and Perturbations, ICLR 2019. The
strengths are those of their pictures of 32 x 32 pixels (CIFAR-10-C), to which the paper's comparison refers.
"""

import numpy as np
from numpy.typing import NDArray

Pictures = NDArray[np.float64]

DEVIATION = (0.04, 0.06, 0.08, 0.09, 0.10)
PHOTONS = (500, 250, 100, 75, 50)
DEAD = (0.01, 0.02, 0.03, 0.05, 0.07)


def gaussian_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """A normally distributed number added to every value."""
    return pictures + rng.normal(0, DEVIATION[severity - 1], pictures.shape)


def shot_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Every value replaced by a Poisson count of photons; the fewer photons, the coarser."""
    photons = PHOTONS[severity - 1]
    return rng.poisson(np.clip(pictures, 0, 1) * photons) / photons


def impulse_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Values at random set to black or white."""
    dead = rng.random(pictures.shape) < DEAD[severity - 1]
    return np.where(dead, rng.integers(2, size=pictures.shape).astype(np.float64), pictures)
