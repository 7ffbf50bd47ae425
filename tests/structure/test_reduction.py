import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import NMF, PCA, FactorAnalysis, FastICA
from sklearn.preprocessing import MinMaxScaler

from testimate.core.errors import BadInput
from testimate.structure.maps import planar_map
from testimate.structure.reduction import independent_components, min_max_scaled, principal_components, reduced_features
from tests.each import each

RNG = np.random.default_rng(0)
MIXED = np.column_stack([RNG.laplace(size=800), RNG.uniform(size=800), 0.01 * RNG.normal(size=(800, 4))]) @ RNG.normal(
    size=(6, 6)
)


def correlations(one, other):
    return np.abs(np.corrcoef(one.T, other.T)[: one.shape[1], one.shape[1] :])


def test_columns_are_scaled_as_by_scikit_learn():
    np.testing.assert_allclose(min_max_scaled(MIXED), MinMaxScaler().fit_transform(MIXED), atol=1e-14)
    assert min_max_scaled(MIXED.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("rows", [800, 4], ids=["tall", "wide"])
def test_principal_components_are_scikit_learns_up_to_sign(rows):
    ours = principal_components(MIXED[:rows], 3)
    np.testing.assert_allclose(np.abs(ours), np.abs(PCA(3).fit_transform(MIXED[:rows])), atol=1e-9)
    assert (ours.max(axis=0) >= -ours.min(axis=0)).all()


def test_independent_components_are_scikit_learns_up_to_sign_and_order():
    ours, warning = independent_components(MIXED, 2, seed=3)
    theirs = FastICA(2, whiten_solver="eigh", random_state=0, max_iter=1000).fit_transform(MIXED)
    found = correlations(ours, theirs)
    assert warning == ""
    np.testing.assert_allclose(np.sort(found, axis=1)[:, ::-1], [[1, 0], [1, 0]], atol=1e-3)
    np.testing.assert_allclose(ours.std(axis=0), 1, rtol=1e-6)


def test_independent_components_find_the_sources_that_were_mixed():
    sources = np.column_stack([RNG.laplace(size=4000), RNG.uniform(size=4000)])
    ours, _ = independent_components(sources @ np.array([[2.0, 1.0], [1.0, 1.0]]), 2, seed=0)
    assert (correlations(ours, sources).max(axis=0) > 0.99).all()


def test_a_constant_first_column_costs_no_component():
    constant = np.column_stack([np.full(800, 3.0), MIXED])
    np.testing.assert_allclose(
        independent_components(constant, 2, seed=0)[0], independent_components(MIXED, 2, seed=0)[0], atol=1e-6
    )


def test_components_that_do_not_converge_are_reported():
    # Gaussian sources have no independent directions to find: most of these starts wander for ever
    warnings = [independent_components(np.random.default_rng(s).normal(size=(60, 5)), 5, seed=s)[1] for s in range(10)]
    sentence = (
        "FastICA did not converge within 1000 rounds; another seed may give another picture. If that matters, choose "
        "PCA, which always converges."
    )
    assert sentence in warnings
    assert "" in warnings


@each("count", [2, 4, 8, 16])
@each("method", ["fastica", "pca", "nmf", "fa"])
def test_every_method_reduces_to_every_dimension_twice_the_same(method, count):
    features = min_max_scaled(np.maximum(np.random.default_rng(0).laplace(size=(300, 20)), 0))
    (columns, warning), (again, _) = (reduced_features(features, count, method=method, seed=2) for _ in range(2))
    assert columns.shape == (300, count)
    assert np.isfinite(columns).all()
    assert warning == ""
    np.testing.assert_array_equal(columns, again)


def test_factors_are_scikit_learns():
    features = min_max_scaled(MIXED)
    nmf, _ = reduced_features(features, 2, method="nmf", seed=5)
    expected = NMF(2, init="nndsvda", max_iter=1000, random_state=5).fit_transform(features)
    np.testing.assert_allclose(nmf, expected, atol=1e-9)
    factors, _ = reduced_features(features, 2, method="fa", seed=5)
    expected = FactorAnalysis(2, random_state=5).fit_transform(features)
    np.testing.assert_allclose(factors, expected, atol=1e-6)  # sums in another order, and many rounds


@each("method", ["fastica", "pca", "nmf", "fa"])
def test_constant_columns_change_no_reduction_and_only_constant_ones_leave_nothing(method):
    features = min_max_scaled(MIXED)
    constant = np.column_stack([np.zeros(800), features, np.zeros((800, 3))])
    plain, padded = (reduced_features(array, 2, method=method, seed=0)[0] for array in (features, constant))
    np.testing.assert_allclose(plain, padded, atol=1e-6)
    assert reduced_features(np.ones((5, 3)), 2, method=method, seed=0)[0].shape == (5, 0)


def test_an_unknown_reduction_is_refused():
    with pytest.raises(BadInput, match="fastica, pca, nmf, fa"):
        reduced_features(MIXED, 2, method="tsne", seed=0)


@pytest.mark.parametrize("method", ["fastica", "pca"])
def test_a_map_is_the_same_twice_and_has_two_columns(method):
    maps = [planar_map(MIXED, seed=1, method=method) for _ in range(2)]
    assert maps[0].points.shape == (800, 2)
    assert maps[0].warning == ""
    np.testing.assert_array_equal(maps[0].points, maps[1].points)


@pytest.mark.parametrize("method", ["fastica", "pca"])
def test_features_that_do_not_fill_a_plane_are_drawn_and_reported(method):
    line = planar_map(np.outer(np.arange(10.0), [1.0, 2.0, 3.0]), seed=0, method=method)
    assert "on one line" in line.warning
    assert (np.diff(line.points[:, 0]) > 0).all() or (np.diff(line.points[:, 0]) < 0).all()
    np.testing.assert_array_equal(line.points[:, 1], 0)
    point = planar_map(np.ones((4, 3)), seed=0, method=method)
    assert "on one point" in point.warning
    np.testing.assert_array_equal(point.points, 0)


def test_an_unknown_map_is_refused():
    with pytest.raises(BadInput, match="fastica or pca"):
        planar_map(MIXED, seed=0, method="umap")


@settings(max_examples=40)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 5)),
        elements=st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda value: round(value, 3)),
    )
)
def test_every_map_is_finite(features):
    assert np.isfinite(planar_map(features, seed=0, method="fastica").points).all()
    assert np.isfinite(planar_map(features, seed=0, method="pca").points).all()
