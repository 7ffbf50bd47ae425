"""What the published programs make of stratified labels, reckoned by hand."""

import pytest

from testimate.core.design import StratifiedAsPublished
from testimate.core.errors import BadInput
from testimate.estimators.stratified import PublishedStratified


def test_deepsamples_program_counts_a_label_too_many(verdicts_of):
    design = StratifiedAsPublished((50, 30, 20), 7, program="gbs", replacement=True)
    labels = verdicts_of([0, 1, 0, 0, 1, 0, 0], [0, 1, 2, 0, 1, 1, 0], rows=[1, 60, 90, 2, 61, 60, 3])
    found = PublishedStratified().estimate(design, labels)
    # 0 of 3 in the stratum of the last label: 0; 2 of 3: 2 / 4; 0 of 1: 1 / 3
    assert found.accuracy == pytest.approx(1 - (0.3 * 2 / 4 + 0.2 / 3))
    assert (found.low, found.high, found.standard_error) == (None, None, None)
    assert "biased" in found.why


def test_of_other_losses_it_divides_the_sum_by_one_too_many(verdicts_of):
    design = StratifiedAsPublished((50, 30), 3, program="gbs")
    found = PublishedStratified().estimate(
        design, verdicts_of([0.5, 0, 3.0], [0, 0, 1], rows=[0, 1, 60]), loss_bound=None
    )
    assert 1 - found.accuracy == pytest.approx(50 / 80 * 0.5 / 3 + 30 / 80 * 3 / 2)


def test_in_ssoas_program_a_stratum_without_labels_is_right(verdicts_of):
    design = StratifiedAsPublished((50, 30, 20), 4, program="ssoa")
    found = PublishedStratified().estimate(design, verdicts_of([0, 1, 1, 1], [0, 0, 2, 2], rows=[0, 1, 90, 91]))
    assert found.accuracy == pytest.approx(1 - (0.5 * 1 / 2 + 0.2 * 1))
    assert found.low is None


def test_other_programs_are_refused(verdicts_of):
    with pytest.raises(BadInput, match="weka"):
        PublishedStratified().estimate(StratifiedAsPublished((2, 2), 2, program="weka"), verdicts_of([0], [0]))
