"""The task of predicting a number: its scale, its tolerance and the answers it takes."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.tasks.regression import Regression, as_said, regression
from tests.each import each


def test_a_loss_is_the_square_of_the_error_in_units_of_the_scale_and_tells_the_error_again():
    steering = Regression(tolerance=6.0, unit="degrees", scale=25.0)
    losses = steering.losses([10.0, -5.0, 3.0], [10.0, 5.0, -22.0])
    assert losses.tolist() == pytest.approx([0, 0.16, 1])
    assert steering.errors(losses).tolist() == pytest.approx([0, 10, 25])
    assert steering.failed(losses).tolist() == [False, True, True]


def test_the_scale_changes_neither_what_fails_nor_how_the_task_is_written_in_fingerprints():
    rng = np.random.default_rng(1)
    predictions, answers = rng.normal(size=(2, 500))
    plain, scaled = Regression(tolerance=0.7), Regression(tolerance=0.7, scale=40.0)
    failures = [task.failed(task.losses(predictions, answers)) for task in (plain, scaled)]
    np.testing.assert_array_equal(*failures)
    assert repr(plain) == "Regression(tolerance=0.7, unit='', loss_bound=None)"


def test_an_answer_out_of_range_is_refused_with_the_range():
    steering = Regression(tolerance=6.0, answers=(-25.0, 25.0))
    assert steering.check_answer(-25) == -25.0
    with pytest.raises(BadInput, match=r"Expected a number from -25 to 25, got 25\.5\."):
        steering.check_answer(25.5)
    assert Regression(tolerance=6.0).check_answer(1e6) == 1e6


@each("scale", [0.0, -1.0, float("nan")])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(BadInput, match="The scale is"):
        Regression(tolerance=1.0, scale=scale)


def test_a_relative_tolerance_is_a_share_of_the_true_number_whatever_its_size_and_sign():
    prices = regression("10%", "EUR")
    predictions, answers = [110.0, 90.0, 1.1e6, -0.5, 89.9, 0.0, 1.0], [100.0, 100.0, 1e6, -0.505, 100.0, 0.0, 0.0]
    losses = prices.losses(predictions, answers)
    assert prices.failed(losses).tolist() == [False, False, False, False, True, False, True]
    assert prices.outcomes(losses).tolist() == [0, 0, 0, 0, 1, 0, 1]
    assert prices.errors(losses)[:2].tolist() == pytest.approx([0.1, 0.1])
    assert np.isfinite(losses).all()  # a prediction of 1 where 0 is right is far off, and no more
    assert prices.in_unit().errors(prices.in_unit().losses(predictions, answers)).tolist() == pytest.approx(
        np.abs(np.subtract(predictions, answers))
    )
    assert (prices.measure.title, prices.fault_words) == ("Within 10%", "off by more than 10%")
    assert prices.prediction_text(123456.7) == "123\u202f457 EUR"
    assert repr(prices) != repr(Regression(0.1, "EUR"))  # of which fingerprints are made


@each("said", ["-1", "-5%", "0%", "100%", "ten", "", "%", "450,000", "7" * 400, "nan", float("inf")])
def test_a_tolerance_that_is_none_is_refused_in_a_sentence(said):
    with pytest.raises(BadInput, match="The tolerance is"):
        regression(said)


def test_a_tolerance_is_written_so_that_it_is_read_again():
    for said in ("12.5%", 0.5, 6.0, "0.1%", "33.3%"):
        assert as_said(regression(said)) == said
        assert regression(as_said(regression(said))) == regression(said)
    assert regression("0,5").tolerance == 0.5
    assert regression(0).measure.title == "1 - MSE"  # nothing is within it, so it is no headline
