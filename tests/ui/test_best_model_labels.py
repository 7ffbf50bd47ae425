"""How far a model is behind, as the table on the Compare and Label pages says it."""

from testimate.comparison.differences import ModelDifference
from testimate.reports.compared_models import Contender
from testimate.ui.best_model_labels import row_of


def test_ends_of_how_far_a_model_is_behind_are_rounded_outwards():
    behind = ModelDifference(estimate=-0.0004, low=-0.01234, high=0.0501, labeled=40, disputed=87)
    row = row_of(Contender("b", "in contention", 30, 40, behind, None))
    assert row["behind"] == "0.0; -1.3 to +5.1 points"  # -1.2 to +5.0 would leave out ends that the interval holds
