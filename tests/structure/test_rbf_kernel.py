"""The kernel's column means against scikit-learn's whole matrix, at sizes around a tile's and at extreme scales."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from testimate.structure import rbf_kernel as kernels
from testimate.structure.rbf_kernel import (
    KERNEL_GAMMA,
    KernelPoints,
    l2_normalized,
    mean_kernel,
    sampled_mean_kernel,
)
from tests.each import each


@each("size", [1, 2, 255, 256, 257, 1023, 1025, 1300, 2049])
def test_the_means_are_the_whole_matrix_s_whatever_the_size(size):
    features = np.random.default_rng(size).normal(size=(size, 3))
    expected = rbf_kernel(features, gamma=0.7).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(features, gamma=0.7), expected, rtol=1e-11)


@each("gamma", [1e-9, 1e-3, 1.0, 15.0, 40.0, 1e4])
@each("scale", [1e-6, 1.0, 30.0])
def test_no_scale_or_gamma_overflows(scale, gamma):
    features = scale * np.random.default_rng(0).normal(size=(400, 4))
    expected = rbf_kernel(features, gamma=gamma).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(features, gamma=gamma), expected, rtol=1e-9)


def test_a_far_outlier_leaves_the_others_as_they_are():
    features = np.random.default_rng(0).normal(size=(300, 4))
    features[7] = 1e4
    expected = rbf_kernel(features, gamma=0.1).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(features, gamma=0.1), expected, rtol=1e-6)


@each("shift", [0.0, 0.3, 1.0])
def test_small_exponents_by_the_series_keep_ten_digits(shift):
    features = l2_normalized(np.random.default_rng(4).normal(shift, 1.0, size=(3000, 20)))
    space = KernelPoints.of(features, KERNEL_GAMMA)
    assert isinstance(kernels._tiles_of(space), kernels._FromSeries)
    expected = rbf_kernel(features, gamma=KERNEL_GAMMA).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(features, gamma=KERNEL_GAMMA), expected, rtol=0, atol=5e-12)


@each("gamma", [0.2, 1.0])
def test_larger_exponents_are_not_left_to_the_series(gamma):
    features = l2_normalized(np.random.default_rng(4).normal(size=(3000, 20)))
    assert isinstance(kernels._tiles_of(KernelPoints.of(features, gamma)), kernels._FromProducts)


def test_the_sum_over_some_columns_is_scikit_learns():
    features, rows = np.random.default_rng(1).normal(size=(700, 5)), np.array([3, 699, 256, 255])
    expected = rbf_kernel(features, features[rows], gamma=0.2).sum(axis=1)
    np.testing.assert_allclose(KernelPoints.of(features, 0.2).likeness(rows), expected, rtol=1e-12)


def test_a_column_is_scikit_learns():
    features = np.random.default_rng(1).normal(size=(50, 5)).astype(np.float32)
    expected = rbf_kernel(features.astype(float), gamma=0.2)
    np.testing.assert_allclose(KernelPoints.of(features, 0.2).column(11), expected[11], rtol=1e-12)


def test_a_mean_over_drawn_rows_is_without_bias_and_as_near_as_it_claims():
    features = np.random.default_rng(3).normal(size=(900, 3))
    whole = mean_kernel(features, gamma=0.3)
    drawn = np.array([sampled_mean_kernel(features, 100, gamma=0.3, seed=seed) for seed in range(60)])
    assert drawn.std(axis=0).max() < 1 / (2 * np.sqrt(100))
    assert np.abs(drawn.mean(axis=0) - whole).max() < 5 * drawn.std(axis=0).max() / np.sqrt(60)
    np.testing.assert_array_equal(sampled_mean_kernel(features, 900, gamma=0.3, seed=1), whole)


def test_progress_is_reported_in_rows_of_equal_work():
    reports: list[int] = []
    mean_kernel(
        np.random.default_rng(0).normal(size=(1024, 3)), gamma=0.1, progress=lambda done, *_: reports.append(done)
    )
    # of four strips the first holds 4 tiles of 10 along the diagonal, the last one
    assert reports == [0, 448, 768, 960, 1024]
