"""Designs of the published techniques, written as JSON and read back."""

import json

from testimate.core.design import (
    Groups,
    Sequential,
    StratifiedAsPublished,
    TwoStage,
    design_from_json,
    design_to_json,
)
from tests.each import each


@each(
    "design",
    [
        TwoStage((3, 2), 3, (0.7, 0.3), averaged_over_strata=True),
        Groups((2, 2), 2, (0.1, 0.9)),
        Sequential((5,), 3),
        StratifiedAsPublished((3, 2), 3, program="ssoa"),
    ],
)
def test_a_design_read_back_is_the_one_that_was_written(design):
    written = json.loads(json.dumps(design_to_json(design)))
    assert written["kind"] == design.kind
    assert sum(written["stratum_sizes"]) == design.size
    assert design_from_json(written) == design
