"""Cross-entropy sampling, held against the same choice made the long way round."""

import numpy as np
import pytest

from testimate.selectors.cross_entropy_sampling import CrossEntropySampling


def histograms(values, edges, sections):
    """Counts of each neuron's values in its sections, (width, sections)."""
    return np.array([np.histogram(values[:, j], bins=edges[j])[0] for j in range(values.shape[1])])


def divergence(sample, whole):
    """Mean over neurons of KL(sample || whole), from counts."""
    p, q = sample / sample.sum(axis=1, keepdims=True), whole / whole.sum(axis=1, keepdims=True)
    terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1) / np.where(q > 0, q, 1)), 0)
    return terms.sum(axis=1).mean()


def long_way(values, budget, seed, sections, candidates):
    """The rows chosen, every candidate's histograms counted again."""
    rng = np.random.default_rng(seed)
    edges = [np.linspace(column.min(), column.max(), sections + 1) for column in values.T]
    whole = histograms(values, edges, sections)
    chosen = rng.permutation(len(values))[:30].tolist()
    while len(chosen) < budget:
        rest = [row for row in range(len(values)) if row not in chosen]
        size = min(5, budget - len(chosen))
        batches = [[rest[place] for place in rng.choice(len(rest), size, replace=False)] for _ in range(candidates)]
        costs = [divergence(histograms(values[chosen + batch], edges, sections), whole) for batch in batches]
        chosen += batches[int(np.argmin(costs))]
    return chosen


@pytest.mark.parametrize(("sections", "candidates", "budget"), [(30, 30, 62), (7, 12, 130)])
def test_it_chooses_what_counting_everything_again_chooses(sections, candidates, budget):
    rng = np.random.default_rng(4)
    values = np.round(rng.gamma(1.0, size=(200, 6)), 3)
    values[:, 2] = np.maximum(values[:, 2] - 1, 0)  # a rectified neuron, mostly 0
    selector = CrossEntropySampling(values, budget=budget, seed=9, sections=sections, candidates=candidates)
    assert [draw.row for draw in selector.ask(budget)] == long_way(values, budget, 9, sections, candidates)


def test_the_sample_is_nearer_to_the_whole_than_a_random_one():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(2000, 8)).astype(np.float32)
    edges = [np.linspace(column.min(), column.max(), 31) for column in values.T]
    whole = histograms(values, edges, 30)

    def mean_divergence(rows_of):
        return np.mean([divergence(histograms(values[rows_of(seed)], edges, 30), whole) for seed in range(10)])

    random = mean_divergence(lambda seed: np.random.default_rng(seed).permutation(2000)[:100])
    chosen = mean_divergence(
        lambda seed: [draw.row for draw in CrossEntropySampling(values, budget=100, seed=seed).ask(100)]
    )
    assert chosen < 0.85 * random


def test_neurons_that_never_change_and_very_large_ones_are_no_obstacle():
    rng = np.random.default_rng(0)
    values = np.c_[np.zeros(60), 1.7e308 * rng.uniform(-1, 1, 60), rng.normal(size=60)]
    rows = [draw.row for draw in CrossEntropySampling(values, budget=60, seed=1).ask(60)]
    assert sorted(rows) == list(range(60))
