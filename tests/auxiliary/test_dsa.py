import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from testimate.auxiliary import nearest
from testimate.auxiliary.nearest import NearestTraces
from testimate.auxiliary.surprise import dsa
from testimate.core.errors import BadInput, Canceled
from tests.each import each


def by_the_definition(traces, predictions, training, training_predictions, second_from="neighbor"):
    """Kim et al. 2019, eqs. 3 to 5, input by input over all pairs in float64; the input itself left out of its own set."""
    left_out = training is None
    if left_out:
        training, training_predictions = traces, predictions
    training = np.asarray(training, dtype=np.float64)
    scores = np.empty(len(traces))
    for row, (trace, kind) in enumerate(zip(np.asarray(traces, dtype=np.float64), predictions, strict=True)):
        same = [other for other in np.flatnonzero(training_predictions == kind) if not (left_out and other == row)]
        distances = np.sqrt(((training[same] - trace) ** 2).sum(axis=1))
        neighbor = training[same][np.argmin(distances)]
        start = neighbor if second_from == "neighbor" else trace
        others = training[training_predictions != kind]
        with np.errstate(divide="ignore", invalid="ignore"):
            scores[row] = distances.min() / np.sqrt(((others - start) ** 2).sum(axis=1)).min()
    return scores


def activations(count, width, classes, seed, dtype=np.float32):
    """Traces after a ReLU that mostly lie near those of their class, and predictions that disagree now and then."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, classes, count)
    centers = np.random.default_rng(classes).normal(size=(classes, width))
    traces = np.maximum(centers[kinds] + rng.normal(size=(count, width)), 0).astype(dtype)
    return traces, np.where(rng.random(count) < 0.1, rng.integers(0, classes, count), kinds)


@each("second_from", ["neighbor", "input"])
@each("dtype", [np.float32, np.float64])
@each(("classes", "width"), [(2, 1), (10, 84), (300, 7)])
def test_every_value_is_that_of_the_double_loop_over_all_pairs(classes, width, dtype, second_from):
    training, training_predictions = activations(3000, width, classes, 0, dtype)
    traces, predictions = activations(350, width, classes, 1, dtype)
    found = dsa(traces, predictions, training, training_predictions, second_from=second_from)
    expected = by_the_definition(traces, predictions, training, training_predictions, second_from)
    comparable = np.isfinite(expected)  # a second distance of 0, in one dimension
    assert comparable.mean() > 0.4
    np.testing.assert_allclose(found[comparable], expected[comparable], rtol=1e-12)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("second_from", ["neighbor", "input"])
def test_without_a_training_set_each_input_is_left_out_of_the_operational_set(second_from):
    traces, predictions = activations(800, 12, 5, 2)
    traces[100:160], predictions[100:160] = traces[:60], predictions[:60]  # twins: distance 0, not left out
    found = dsa(traces, predictions, second_from=second_from)
    assert (found[:60] == 0).all()
    np.testing.assert_allclose(
        found, by_the_definition(traces, predictions, None, None, second_from), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("offset", [1e3, 1e7])
def test_traces_far_from_0_that_hardly_differ_are_told_apart(offset):
    """The products alone, |t|^2 - 2 t q in float32, would see equal traces."""
    rng = np.random.default_rng(3)
    training, traces = offset + rng.normal(size=(2000, 20)), offset + rng.normal(size=(200, 20))
    training[0] += 1e6  # and one so far out that float32 has few digits left for the others
    training_predictions, predictions = rng.integers(0, 3, 2000), rng.integers(0, 3, 200)
    np.testing.assert_allclose(
        dsa(traces, predictions, training, training_predictions),
        by_the_definition(traces, predictions, training, training_predictions),
        rtol=1e-12,
    )


def test_the_nearest_of_nearly_equal_traces_is_found():
    """600 traces whose squared distances differ in the ninth digit: float32 cannot rank them."""
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(600, 30))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    training = directions * (1 + 1e-9 * rng.permutation(600))[:, None]
    search = NearestTraces(training, np.zeros(600, dtype=np.intp), 1.0)
    found = search.of_class(np.zeros((1, 30)), 0)
    assert search.rows[found.places[0]] == np.argmin(np.linalg.norm(training, axis=1))


@pytest.mark.parametrize("pairs", [1, 1 << 18])
def test_of_equally_near_traces_the_lowest_row_counts(monkeypatch, pairs):
    monkeypatch.setattr(nearest, "_PAIRS", pairs)
    corners = np.array(list(product([-1.0, 1.0], repeat=6)))  # 64, all equally far from 0
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(corners)
        search = NearestTraces(np.concatenate([shuffled, corners]), np.zeros(128, dtype=np.intp), 1.0)
        assert len(search.rows) == 64  # each trace is kept once
        found = search.of_class(np.zeros((1, 6)), 0)
        assert search.rows[found.places[0]] == 0
    # In DSA the neighbor decides the second distance: from (0, -1), row 0, to the other class at (5, -1) it is 5.
    score = dsa([[0.0, 0.0]], [0], [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [5.0, -1.0]], [0, 0, 0, 1])
    assert score.tolist() == [0.2]


def test_a_trace_of_another_class_is_found_in_whatever_chunk_it_lies(monkeypatch):
    monkeypatch.setattr(nearest, "_CHUNK", 32)
    monkeypatch.setattr(nearest, "_PAIRS", 100)
    traces, predictions = activations(300, 5, 7, 5)
    training, training_predictions = activations(501, 5, 7, 6)
    expected = by_the_definition(traces, predictions, training, training_predictions)
    comparable = np.isfinite(expected)
    assert comparable.mean() > 0.9
    found = dsa(traces, predictions, training, training_predictions)
    np.testing.assert_allclose(found[comparable], expected[comparable], rtol=1e-12)


def test_both_second_distances_are_the_ones_described():
    # Neighbor of 1 in class 0 is 0; from there class 1 is 5 away, from the input 4.
    arguments = ([[1.0]], [0], [[0.0], [5.0]], [0, 1])
    assert dsa(*arguments).tolist() == [1 / 5]
    assert dsa(*arguments, second_from="input").tolist() == [1 / 4]


def test_what_the_definition_leaves_open_is_finite_and_as_documented():
    training, kinds = [[0.0], [0.0], [4.0], [4.0], [6.0]], [0, 1, 0, 0, 1]
    # On a trace of both classes; near one; an ordinary input; a class that was never predicted in training.
    found = dsa([[0.0], [1.0], [5.0], [5.0]], [0, 0, 0, 9], training, kinds)
    assert found.tolist() == [1.0, 1.0, 0.5, 1.0]
    assert dsa([[1.0], [2.0]], [9, 9], training, kinds).tolist() == [1.0, 1.0]
    # One class with one trace.
    assert dsa([[1.0], [5.0]], [0, 1], [[0.0], [2.0], [6.0]], [0, 1, 1]).tolist() == [0.5, 1 / 6]
    # One class only: the spread of 0 and 4 about their mean is 2.
    assert dsa([[1.0], [7.0]], [3, 3], [[0.0], [4.0]], [3, 3]).tolist() == [0.5, 1.5]
    # All traces equal, with and without a training set; a lone input.
    assert dsa(np.ones((3, 2)), [0, 0, 0]).tolist() == [1.0, 1.0, 1.0]
    assert dsa(np.ones((3, 2)), [0, 1, 2]).tolist() == [1.0, 1.0, 1.0]
    assert dsa([[5.0]], [0]).tolist() == [1.0]
    assert dsa([[2.0], [3.0]], [0, 0], [[2.0], [2.0]], [0, 0]).tolist() == [1.0, 1.0]


extreme = st.one_of(st.floats(-1.7e308, 1.7e308), st.sampled_from([0.0, 1.0, 5e-324, 1e-160, 1e160]))


@settings(max_examples=80)
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.tuples(
            arrays(np.float64, st.tuples(st.integers(1, 6), st.just(width)), elements=extreme),
            arrays(np.float64, st.tuples(st.integers(1, 6), st.just(width)), elements=extreme),
        )
    ),
    st.lists(st.integers(-1, 2), min_size=12, max_size=12),
    st.sampled_from(["neighbor", "input"]),
)
def test_every_value_is_finite_and_at_least_0_whatever_the_traces(pair, kinds, second_from):
    traces, training = pair
    mine, theirs = np.array(kinds[: len(traces)]), np.array(kinds[6 : 6 + len(training)])
    for found in (
        dsa(traces, mine, training, theirs, second_from=second_from),
        dsa(traces, mine, second_from=second_from),
    ):
        assert np.isfinite(found).all()
        assert (found >= 0).all()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([2.0**-40, 2.0**60]))
def test_a_change_of_unit_or_of_the_rows_order_changes_nothing(seed, unit):
    rng = np.random.default_rng(seed)
    traces, training = rng.integers(0, 3, (30, 4)).astype(np.float64), rng.integers(0, 3, (40, 4)).astype(np.float64)
    predictions, training_predictions = rng.integers(0, 3, 30), rng.integers(0, 3, 40)
    order = rng.permutation(30)
    found = dsa(traces, predictions, training, training_predictions)
    np.testing.assert_array_equal(found, dsa(traces * unit, predictions, training * unit, training_predictions))
    np.testing.assert_array_equal(found[order], dsa(traces[order], predictions[order], training, training_predictions))


def test_many_equal_traces_are_compared_once():
    """Dead units make thousands of equal traces; the comparison in float64 must not grow with their number."""
    training = np.zeros((4000, 6), dtype=np.float32)
    training[3990:] = np.random.default_rng(0).random((10, 6)) + 1
    search = NearestTraces(training, np.arange(4000) % 2, 1.0)
    assert len(search.rows) == 12
    assert search.copies.sum() == 4000
    np.testing.assert_array_equal(training[search.rows[search.place_of_row]], training)


def test_memory_is_one_float32_copy_of_the_training_traces_and_a_little():
    training, training_predictions = activations(40_000, 84, 10, 7)
    traces, predictions = activations(600, 84, 10, 8)
    tracemalloc.start()
    dsa(traces, predictions, training, training_predictions)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    all_pairs = 4 * len(training) * len(traces)  # 96 MB in float32
    assert peak < 2 * training.nbytes + 16e6 < all_pairs


def test_agrees_with_cdist_on_images(real_data):
    images = np.load(real_data / "mnist" / "mnist.npz")
    training, kinds = images["x_train"][:1000].reshape(1000, -1) / 255, images["y_train"][:1000].astype(int)
    traces, predictions = images["x_test"][:100].reshape(100, -1) / 255, images["y_test"][:100].astype(int)
    first, second = cdist(traces, training), cdist(training, training)
    first[predictions[:, None] != kinds] = np.inf
    second[kinds[:, None] == kinds] = np.inf
    expected = first.min(axis=1) / second.min(axis=1)[first.argmin(axis=1)]
    np.testing.assert_allclose(dsa(traces, predictions, training, kinds), expected, rtol=1e-9)


def test_progress_is_reported_and_can_stop_the_work():
    reports = []
    dsa(*activations(600, 3, 2, 0), progress=lambda done, total, what: reports.append((done, total, what)))
    assert reports[0][0] == 0
    assert {what for _, _, what in reports} == {"distances to the same class", "distances to other classes"}
    assert all(done <= total for done, total, _ in reports)
    assert reports[-1][0] == reports[-1][1]

    def stop(done, total, what):
        raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        dsa(*activations(600, 3, 2, 0), progress=stop)


@each(
    ("arguments", "message"),
    [
        (([[1.0]], [0.5]), "whole numbers"),
        (([[1.0]], ["cat"]), "whole numbers"),
        (([[1.0]], [0, 1]), r"\(1,\)"),
        (([[np.nan]], [0]), "row 0"),
        (([[1.0]], [0], [[1.0, 2.0]], [0]), "1 wide"),
        (([[1.0]], [0], [[1.0]]), "Only the inputs"),
        (([[1.0]], [0], None, [0]), "without training traces"),
        (([[1.0]], [0], [[1.0]], [0, 1]), r"\(1,\)"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(BadInput, match=message):
        dsa(*arguments)


def test_an_unknown_start_of_the_second_distance_is_refused():
    with pytest.raises(BadInput, match="neighbor or input"):
        dsa([[1.0]], [0], second_from="somewhere")
