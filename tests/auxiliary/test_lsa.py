import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp
from scipy.stats import gaussian_kde, multivariate_normal, norm

from testimate.auxiliary import surprise as blocks
from testimate.auxiliary.surprise import lsa
from testimate.core.errors import BadInput, Canceled
from tests.each import each


def activations(count, width, classes, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, classes, count)
    centers = np.random.default_rng(classes).normal(size=(classes, width))
    return np.maximum(centers[kinds] + rng.normal(size=(count, width)), 0).astype(np.float32), kinds


def by_scipy(traces, predictions, training, training_predictions):
    """scipy's estimate per predicted class, without the columns whose variance there is below 1e-5."""
    scores = np.empty(len(traces))
    for kind in np.unique(predictions):
        of_class = training[training_predictions == kind].astype(np.float64)
        columns = of_class.var(axis=0) >= 1e-5
        density = gaussian_kde(of_class[:, columns].T)
        scores[predictions == kind] = -density.logpdf(traces[predictions == kind][:, columns].T)
    return scores


@each(("classes", "width"), [(1, 1), (3, 12), (10, 40)])
def test_it_is_minus_the_log_of_scipys_density_of_the_predicted_class(classes, width):
    training, training_predictions = activations(1500, width, classes, 0)
    traces, predictions = activations(300, width, classes, 1)
    training[:, width // 2] *= training_predictions != 0  # no variance in class 0: dropped there, and only there
    if width == 1:
        training += 1e-3 * np.random.default_rng(0).random(training.shape).astype(np.float32)
        training[:, 0] += training_predictions == 0
        training[::3] += 1
    np.testing.assert_allclose(
        lsa(traces, predictions, training, training_predictions),
        by_scipy(traces, predictions, training, training_predictions),
        rtol=1e-9,
        atol=1e-9,
    )


def test_columns_of_variance_below_the_threshold_are_dropped():
    rng = np.random.default_rng(0)
    training = rng.normal(size=(50, 3))
    training = (training - training.mean(axis=0)) / training.std(axis=0) * np.sqrt([1.0, 0.99e-5, 1.01e-5])
    traces = rng.normal(size=(9, 3))
    kept = [0, 2]
    expected = -gaussian_kde(training[:, kept].T).logpdf(traces[:, kept].T)
    np.testing.assert_allclose(lsa(traces, np.zeros(9), training, np.zeros(50)), expected, rtol=1e-9)


def test_a_density_far_too_small_for_a_float_still_has_its_log():
    """With two traces -1 and 1 the estimate is a mixture of two normals; far out one of them is all there is."""
    deviation = np.sqrt(2.0) * 2 ** (-1 / 5)
    far = np.array([[50.0], [1e3], [1e8]])
    expected = -(norm.logpdf(far[:, 0], 1, deviation) - np.log(2))
    found = lsa(far, [0, 0, 0], [[-1.0], [1.0]], [0, 0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.exp(-found[1]) == 0


def test_a_regression_has_one_density_for_all():
    training, traces = activations(400, 5, 2, 0)[0] + 0.0, activations(50, 5, 2, 1)[0]
    expected = -gaussian_kde(training.T.astype(np.float64)).logpdf(traces.T)
    np.testing.assert_allclose(lsa(traces, None, training), expected, rtol=1e-9)


def test_without_a_training_set_an_inputs_own_kernel_is_left_out():
    rng = np.random.default_rng(5)
    traces, predictions = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    found = lsa(traces, predictions)
    for kind in range(3):
        rows = np.flatnonzero(predictions == kind)
        of_class = traces[rows]
        covariance = np.cov(of_class.T) * len(rows) ** (-2 / (4 + 4))
        for place, row in enumerate(rows):
            others = np.delete(of_class, place, axis=0)
            logs = multivariate_normal(np.zeros(4), covariance).logpdf(others - of_class[place])
            assert found[row] == pytest.approx(np.log(len(others)) - logsumexp(logs), rel=1e-9)


def test_directions_without_variance_are_dropped_where_the_covariance_is_singular():
    """Traces on a plane in five dimensions have the density of the plane, whatever leads off it."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    flat, flat_traces = rng.normal(size=(40, 2)), rng.normal(size=(7, 2))
    with pytest.raises(np.linalg.LinAlgError):
        gaussian_kde((flat @ basis[:2]).T)
    expected = -gaussian_kde(flat.T).logpdf(flat_traces.T)
    off_plane = flat_traces @ basis[:2] + 3.0 * basis[2]
    np.testing.assert_allclose(lsa(off_plane, np.zeros(7), flat @ basis[:2], np.zeros(40)), expected, rtol=1e-6)


def test_fewer_traces_than_columns_are_as_good_as_traces_turned_into_their_own_few_directions():
    rng = np.random.default_rng(1)
    training, traces = rng.normal(size=(6, 30)), rng.normal(size=(4, 30))
    directions = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2][:5]
    expected = -gaussian_kde((training @ directions.T).T).logpdf((traces @ directions.T).T)
    np.testing.assert_allclose(lsa(traces, np.zeros(4), training, np.zeros(6)), expected, rtol=1e-6)


def test_inputs_without_a_density_get_the_largest_value_of_the_others():
    training, kinds = [[0.0], [1.0], [3.0], [7.0], [5.0], [5.0]], [0, 0, 0, 1, 2, 2]
    found = lsa([[0.5], [90.0], [7.0], [5.0], [0.0]], [0, 0, 1, 2, 9], training, kinds)
    assert found[1] > found[0] + 100
    assert (found[2:] == found[1]).all()  # one trace, no variance, never predicted in training
    assert lsa([[7.0]], [1], training, kinds).tolist() == [0.0]
    assert lsa([[1.0], [2.0]], [0, 1]).tolist() == [0.0, 0.0]
    assert np.isfinite(lsa([[1.0], [2.0]], [0, 0])).all()


extreme = st.one_of(st.floats(-1.7e308, 1.7e308), st.sampled_from([0.0, 1.0, 5e-324, 1e-3, 1e160]))


@settings(max_examples=60)
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.tuples(
            arrays(np.float64, st.tuples(st.integers(1, 6), st.just(width)), elements=extreme),
            arrays(np.float64, st.tuples(st.integers(1, 6), st.just(width)), elements=extreme),
        )
    ),
    st.lists(st.integers(0, 1), min_size=12, max_size=12),
)
def test_every_value_is_finite_whatever_the_traces(pair, kinds):
    traces, training = pair
    mine, theirs = np.array(kinds[: len(traces)]), np.array(kinds[6 : 6 + len(training)])
    assert np.isfinite(lsa(traces, mine, training, theirs)).all()
    assert np.isfinite(lsa(traces, mine)).all()
    assert np.isfinite(lsa(traces, None)).all()


@pytest.mark.parametrize("left_out", [True, False])
def test_blocks_change_nothing_but_the_last_digits(monkeypatch, left_out):
    arguments = activations(300, 6, 2, 0) if left_out else (*activations(90, 6, 2, 1), *activations(300, 6, 2, 0))
    whole = lsa(*arguments)
    monkeypatch.setattr(blocks, "_ROWS", 7)
    monkeypatch.setattr(blocks, "_KERNELS", 11)
    np.testing.assert_allclose(lsa(*arguments), whole, rtol=1e-12)


def test_progress_is_reported_and_can_stop_the_work():
    reports = []
    lsa(*activations(600, 3, 2, 0), progress=lambda done, total, what: reports.append((done, total, what)))
    assert {what for _, _, what in reports} == {"densities of the classes", "densities at the inputs"}
    assert reports[-1][0] == reports[-1][1]

    def stop(done, total, what):
        raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        lsa(*activations(600, 3, 2, 0), progress=stop)


def test_what_does_not_fit_is_refused():
    with pytest.raises(BadInput, match="wide"):
        lsa([[1.0]], [0], [[1.0, 2.0]], [0])
    with pytest.raises(BadInput, match="row 1"):
        lsa([[1.0], [np.inf]], [0, 0])
