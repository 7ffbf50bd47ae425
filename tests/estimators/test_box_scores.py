"""Precision and recall with pictures as units, against R's survey, the truth of a whole set, and campaigns."""

import numpy as np
import pytest

from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.task import BoxCounts
from testimate.estimators.parts import box_scores

SURVEY = "survey_boxes"


def pair(case, name):
    return np.column_stack([case[f"{name}_a"], case[f"{name}_b"]]).astype(float)


def counts_of(case):
    right = pair(case, "right")
    return BoxCounts(right, pair(case, "boxes"), right + pair(case, "missed"))


@pytest.mark.parametrize("name", ["srs", "rrs"])
def test_precision_and_recall_agree_with_survey(survey, name):
    case = survey[name]
    sizes = tuple(int(one) for one in np.atleast_1d(case["sizes"]))
    strata = [int(one) for one in case["stratum"]]
    design = SimpleRandom(sizes, 60) if name == "srs" else Stratified(sizes, 60, in_rounds=True)
    verdicts = [Verdict(Draw(row, stratum=stratum), 0.0) for row, stratum in enumerate(strata)]
    found = box_scores(design, verdicts, counts_of(case))
    for score, of in ((found.all, ""), (found.classes[0], "_a"), (found.classes[1], "_b")):
        for part, what in ((score.precision, "precision"), (score.recall, "recall")):
            value, error = case[f"{what}{of}"]
            assert part.value == pytest.approx(value, abs=1e-9)
            assert part.standard_error == pytest.approx(error, abs=1e-9)
            assert part.low < value < part.high


def test_every_picture_judged_the_interval_is_the_share_itself(survey):
    case = survey["srs"]
    verdicts = [Verdict(Draw(row), 0.0) for row in range(60)]
    found = box_scores(SimpleRandom((60,), 60), verdicts, counts_of(case))
    right, boxes = pair(case, "right").sum(), pair(case, "boxes").sum()
    assert (found.all.precision.low, found.all.precision.high) == pytest.approx((right / boxes, right / boxes))


def test_what_nobody_could_tell_counts_for_nothing_and_few_pictures_are_no_number():
    counts = BoxCounts(*(np.ones((30, 1)) for _ in range(3)))
    verdicts = [Verdict(Draw(row), None if row % 2 else 0.0) for row in range(30)]
    found = box_scores(SimpleRandom((900,), 30), verdicts, counts)
    assert (found.all.precision.labeled, found.all.precision.value) == (15, 1.0)
    few = box_scores(SimpleRandom((900,), 30), verdicts[:16], BoxCounts(*(np.ones((16, 1)) for _ in range(3))))
    assert few.all.recall.why == "8 labels, 10 needed"


def test_pictures_that_were_chosen_have_no_number():
    counts = BoxCounts(*(np.ones((20, 1)) for _ in range(3)))
    found = box_scores(Purposive((900,), 20), [Verdict(Draw(row), 0.0) for row in range(20)], counts)
    assert (found.all.precision.value, found.all.precision.why) == (
        None,
        "a purposive design has no honest interval for precision and recall",
    )
