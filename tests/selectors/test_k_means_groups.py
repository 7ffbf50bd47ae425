"""Groups by k-means are scikit-learn's, run by run, so that a person hears how far they are."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from testimate.selectors.pace import k_means_groups
from tests.each import each

POINTS = np.random.default_rng(0).normal(size=(900, 4))
CLUMPS = np.concatenate([POINTS[:100, :2] + 20 * place for place in range(3)])


@each("space, count", [(POINTS, 10), (CLUMPS, 3), (np.round(POINTS), 7)])
def test_the_best_of_ten_runs_is_the_one_that_scikit_learn_takes(space, count):
    state = int(np.random.default_rng(4).integers(2**32))
    labels = KMeans(count, n_init=10, max_iter=300, random_state=state).fit_predict(space)
    np.testing.assert_array_equal(k_means_groups(space, seed=4, count=count), np.unique(labels, return_inverse=True)[1])


def test_each_run_is_reported_before_it_begins_and_none_begins_after_a_stop():
    reports: list[int] = []

    def stop_at_two(done: int, total: int, what: str = "") -> None:
        assert (total, what) == (10, "grouping by k-means")
        reports.append(done)
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        k_means_groups(POINTS, seed=1, progress=stop_at_two)
    assert reports == [0, 1, 2]
