"""Budgets, scores and features: what is taken, and the sentence that refuses the rest."""

import numpy as np
import pytest

from testimate.core.checks import check_budget, check_features, check_level, check_scores
from testimate.core.errors import BadInput
from tests.each import each
from tests.sentences import three_parts


@each("budget", [1, 7, 10, np.int64(3)])
def test_a_budget_from_one_to_all_inputs_comes_back_as_a_plain_whole_number(budget):
    found = check_budget(budget, 10)
    assert (found, type(found)) == (int(budget), int)


@each(("budget", "size"), [(0, 10), (11, 10), (-3, 10), (2.0, 10), ("6", 10), (True, 10), (1, 0)])
def test_any_other_budget_is_refused_in_a_sentence(budget, size):
    with pytest.raises(BadInput) as refused:
        check_budget(budget, size)
    assert three_parts(str(refused.value))


@each("level", [0.0, 1.0, 95, float("nan")])
def test_a_level_is_a_share(level):
    with pytest.raises(BadInput, match="above 0 and below 1") as refused:
        check_level(level)
    assert three_parts(str(refused.value))


def test_finite_scores_keep_every_digit_and_the_first_that_is_not_is_named():
    given = np.array([1e-320, -1e308, 0.1])
    np.testing.assert_array_equal(check_scores(given), given)
    assert check_scores([1, 2]).dtype == np.float64
    with pytest.raises(BadInput, match=r"^lsa\[1\] is nan, as are 1 more\."):
        check_scores([0, np.nan, np.inf], "lsa")
    with pytest.raises(BadInput, match=r"^lsa\[2\] is inf\."):
        check_scores([0, 1, np.inf], "lsa")
    with pytest.raises(BadInput, match=r"shape \(1, 2\)"):
        check_scores([[1, 2]])


def test_features_keep_single_precision_and_whole_numbers_become_double():
    assert check_features(np.ones((2, 3), dtype=np.float32)).dtype == np.float32
    assert check_features(np.ones((2, 3), dtype=int)).dtype == np.float64
    with pytest.raises(BadInput, match="2 rows of the features contain nan or infinity, the first is row 1"):
        check_features([[0, 1], [np.nan, np.inf], [0, -np.inf]])
    with pytest.raises(BadInput, match=r"^1 row of the features contains nan or infinity, row 1\."):
        check_features([[0, 1], [np.nan, 2]])
    assert check_features(np.array([[1, 2.5]], dtype=object)).tolist() == [[1, 2.5]]
    for no_numbers in ([["a", "b"]], [[1j, 2]], np.array([[None, {}]], dtype=object)):
        with pytest.raises(BadInput, match="Expected real numbers"):
            check_features(no_numbers)
    for wrong in (np.ones(3), np.ones((0, 3)), np.ones((3, 0))):
        with pytest.raises(BadInput, match="shape"):
            check_features(wrong)
