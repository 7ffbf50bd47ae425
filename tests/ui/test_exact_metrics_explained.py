"""What a zero among the exact numbers of a session says, in words."""

from testimate.reports.live import ExactMetrics
from testimate.ui.label.live_panel import exactly


def test_an_exact_zero_says_that_none_of_the_labeled_inputs_is_a_fault_by_the_known_answers():
    assert exactly(None, 5) == ""
    assert "0%" not in exactly(ExactMetrics(faults=40, wfdr=0.3, sfdr=0.1), 12)
    none = exactly(ExactMetrics(faults=40, wfdr=0.0, sfdr=0.0), 12)
    assert none.endswith("0%: none of the first 12 labeled inputs is a fault.")
    # WFDR and SFDR look at as many labels as there are faults, and no further
    assert "none of the first 3 labeled inputs" in exactly(ExactMetrics(faults=3, wfdr=0.0, sfdr=0.0), 12)
    assert exactly(ExactMetrics(faults=40, wfdr=0.2, sfdr=0.0), 12).endswith("belongs to the most severe.")
