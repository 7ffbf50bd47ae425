"""How inputs are prepared for a tester's own model: as somebody chose, else the usual way that suits the model best."""

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.subject import Model
from testimate.subjects.datasets.opened import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.usual_preprocessings import (
    TriedPreprocessing,
    UsualPreprocessing,
    suggest_preprocessings,
    try_preprocessings,
)
from testimate.subjects.exchanged_classes import ExchangedClasses, find_exchanged_classes
from testimate.subjects.models.facts import ModelFacts

MOST_TRIED = 1_000
"""Labeled inputs that the usual preprocessings are tried on."""

LEAST_CHANCE = 1e-7
"""Below it a probability counts as this, so that one input that float32 gives no chance does not decide."""


def chosen_preprocessing(
    model: Model, facts: ModelFacts, opened: OpenedDataset, *, given: bool
) -> tuple[Preprocessing, tuple[TriedPreprocessing, ...]]:
    """What to do to the inputs, and how often the model was right with each usual thing, the chosen one first.

    A network without biases worth the name is as often right whatever the scale, but not as sure: of those whose accuracy
    is within two standard errors of the best, the one with the highest likelihood of the known classes is chosen.

    ``given`` : whether the dataset was opened with a preprocessing that somebody chose; then only size, colour and channels
    follow the model, and nothing is tried.
    """
    usual = suggest_preprocessings(opened.dataset, facts.input_shape)
    if given or len(usual) == 1 or not _has_classes(model, opened):
        return usual[0].preprocessing, ()
    some = _tried_on(opened)
    try:
        tried = try_preprocessings(model, opened, usual, rows=some)
    except BadInput:  # none fits as it is, such as sounds of many lengths; whoever uses the inputs hears why
        return usual[0].preprocessing, ()
    best = tried[0].accuracy
    close = [one for one in tried if best - one.accuracy <= 2 * np.sqrt(best * (1 - best) / one.count)]
    if len(close) > 1:
        chosen = max(close, key=lambda one: _log_likelihood(model, opened, one.preprocessing, some))
        tried = (chosen, *(one for one in tried if one is not chosen))
    return tried[0].preprocessing, tried


def find_wrong_order(
    model: Model, opened: OpenedDataset, tried: tuple[TriedPreprocessing, ...]
) -> ExchangedClasses | None:
    """The order of the classes with which the model would be right far more often, where the labels show it.

    With classes in the wrong order the preprocessing that suits a model looks bad, too, so the question is asked of each that
    was tried, against what is right now.

    ``opened`` : prepared as chosen, its answers as places among the outputs. ``tried`` : as ``chosen_preprocessing`` gave it.
    """
    if not _has_classes(model, opened):
        return None
    if not tried:
        as_chosen = UsualPreprocessing("", opened.dataset.preprocessing)
        try:
            tried = try_preprocessings(model, opened, [as_chosen], rows=_tried_on(opened))
        except BadInput:  # inputs that do not fit; whoever uses them hears why
            return None
    found = [
        find_exchanged_classes(
            one.known,
            one.predicted,
            opened.classes,
            now=tried[0].predicted,
            tests=len(tried),
            prepared="" if one is tried[0] else one.name,
        )
        for one in tried
    ]
    return max((one for one in found if one is not None), key=lambda one: one.right_then, default=None)


def _has_classes(model: Model, opened: OpenedDataset) -> bool:
    """Whether the model tells classes apart of which some labels are known."""
    known = opened.known
    return known is not None and known.answers.ndim == 1 and bool(known.classes) and "CON" in model.roles


def _tried_on(opened: OpenedDataset) -> np.ndarray:
    """Positions among the known answers, evenly spread."""
    assert opened.known is not None
    return np.unique(np.linspace(0, len(opened.known.rows) - 1, MOST_TRIED).astype(np.intp))


def _log_likelihood(model: Model, opened: OpenedDataset, preprocessing: Preprocessing, positions: np.ndarray) -> float:
    """The mean logarithm of the probability that the model gives the known classes."""
    assert opened.known is not None
    layer, total = model.roles["CON"], 0.0
    dataset = opened.dataset.with_preprocessing(preprocessing)
    for some in np.array_split(positions, -(-len(positions) // 256)):
        said = np.asarray(model.run(dataset.batch(opened.known.rows[some]), [layer])[layer], dtype=np.float64)
        classes = opened.known.answers[some]
        given = np.where(classes < said.shape[1], said[np.arange(len(some)), np.minimum(classes, said.shape[1] - 1)], 0)
        total += float(np.log(np.maximum(given, LEAST_CHANCE)).sum())
    return total / len(positions)
