"""What was tried for severe faults: a class of its own slope is found, and an oracle keeps the chances it was given."""

import numpy as np

from research.studies.prioritizers import ASlopeForEachClass, Told
from testimate.selectors.logistic_regression import chances_of
from testimate.selectors.prioritizers import log_odds
from testimate.selectors.severity_first import SeverityChance, known_of


def two_classes(slopes, size=4000):
    """Confidences, classes and outcomes whose log-odds are a line in the doubt with another slope in each class."""
    rng = np.random.default_rng(11)
    classes = np.arange(size) % 2
    doubt = rng.uniform(-6, 0, size)
    confidence = 1 - 1 / (1 + np.exp(-doubt))
    failed = rng.random(size) < chances_of(np.array(slopes)[classes] * (doubt + 3) - 1.0)
    return confidence, classes, failed.astype(float)


def test_a_slope_for_each_class_is_nearer_to_classes_that_differ_than_one_slope():
    confidence, classes, failed = two_classes((0.2, 1.4))
    known = known_of(confidence, None, None, classes, None, None)
    true = chances_of(np.array((0.2, 1.4))[classes] * (log_odds(1 - confidence) + 3) - 1.0)
    errors = []
    for learner in (SeverityChance(known), ASlopeForEachClass(known)):
        learner.learn(np.arange(2000), failed[:2000])
        errors.append(float(np.abs(learner.chances - true).mean()))
    assert errors[1] < 0.5 * errors[0]


def test_an_oracle_keeps_its_chances():
    confidence, classes, failed = two_classes((1.0, 1.0), size=50)
    given = np.linspace(0.1, 0.9, 50)
    oracle = type("Given", (Told,), {"given": given})(known_of(confidence, None, None, classes, None, None))
    oracle.learn(np.arange(50), failed)
    assert (oracle.chances == given).all()
