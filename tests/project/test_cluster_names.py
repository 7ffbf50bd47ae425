"""Clusters name themselves by what is predicted of their inputs, never by what these are."""

import numpy as np

from testimate.core.inputs import Inputs
from testimate.planning.parts import Trait
from testimate.project.cluster_names import automatic_names
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression

LETTERS = ("H", "M", "N")


def named(clusters: list[str], traits=(), truth=None) -> tuple[str, ...]:
    """The names of clusters, of which each is written as the predictions of its inputs."""
    predictions = np.array([LETTERS.index(letter) for letter in "".join(clusters)])
    labels = np.repeat(np.arange(len(clusters)), [len(one) for one in clusters])
    return automatic_names(labels, Inputs("made", Classification(LETTERS), predictions, truth=truth), traits)


def test_a_cluster_is_named_by_its_commonest_predicted_class_from_80_percent_on():
    assert named(["HHHHM", "HHHMM", "HHHMNN", "N"]) == ("Mostly H", "H or M", "H or N", "Mostly N")


def test_the_truth_changes_no_name():
    clusters = ["HHHHM", "MMN"]
    assert named(clusters, truth=np.array([2] * 8)) == named(clusters) == ("Mostly H", "M or N")


def test_a_name_that_repeats_gets_what_differs_most_and_else_a_number_by_size():
    clusters = ["HHHH", "HHHHHH", "MMM"]
    dark = Trait("brightness", "dark", "before", "", np.array([1, 1, 1, 0] + [0] * 9, dtype=bool))
    night = Trait("light", "with light night", "after", "", np.array([1, 0, 0, 0] + [1] * 9, dtype=bool))
    assert named(clusters, [dark, night]) == ("Mostly H · dark", "Mostly H · light night", "Mostly M")
    alike = Trait("brightness", "dark", "before", "", np.ones(13, dtype=bool))
    assert named(clusters, [alike]) == ("Mostly H 2", "Mostly H", "Mostly M")


def test_texts_are_named_by_their_two_most_distinctive_words():
    texts = ["refund my invoice", "the refund, the invoice", "invoice and refund!"] * 2 + ["reset the password"] * 4
    labels = np.array([0] * 6 + [1] * 4)
    inputs = Inputs("made", Classification(LETTERS), np.zeros(10, dtype=np.int64))
    assert automatic_names(labels, inputs, texts=texts) == ("invoice, refund", "password, reset")


def test_numbers_without_columns_have_no_name_of_their_own():
    assert automatic_names(np.array([0, 1, -1]), Inputs("made", Regression(tolerance=0.1), np.zeros(3))) == ("", "")
