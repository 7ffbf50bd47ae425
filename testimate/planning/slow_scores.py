"""Auxiliary variables that take minutes, computed once for a subject with a model: surprise and reconstruction error."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.extras import check_extra
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.feature_cache import FeatureCache

LHL, ORI = "LHL", "ORI"
SURPRISE = ("dsa", "lsa")
RECONSTRUCTION = ("sae", "vae")
SLOW = (*SURPRISE, *RECONSTRUCTION)

MOST_PRODUCTS = 1e13
"""Numbers multiplied for scores nobody asked for by name: a few minutes on two cores."""

SEED = 0
"""Of the autoencoders, so that the same subject always has the same scores."""

VERSION = b"slow scores 1"
"""Raised with the definition of a score, so that the scores are computed again."""


def note_on_training(subject: Subject) -> str:
    """What a tester should know about this subject's surprise scores; empty where there is nothing unusual."""
    if subject.training is not None:
        return ""
    return "There is no training set: for dsa and lsa each input is compared with the other inputs."


def layers_for(which: Sequence[str]) -> tuple[str, ...]:
    """The roles that these scores are computed from."""
    needed = ((SURPRISE, LHL), (RECONSTRUCTION, ORI))
    return tuple(role for names, role in needed if set(names) & set(which))


def affordable(inputs: Inputs, training: Inputs | None) -> tuple[str, ...]:
    """The surprise scores that take minutes at most: dsa and lsa, or lsa where there are no classes, or none."""
    if LHL not in inputs.features or (training is not None and LHL not in training.features):
        return ()
    known = inputs.features[LHL]
    if float(len(known)) * len(training or inputs) * known.shape[1] > MOST_PRODUCTS:
        return ()
    return SURPRISE if isinstance(inputs.task, Classification) else ("lsa",)


def slow_scores(
    subject: Subject,
    cache: FeatureCache,
    inputs: Inputs,
    training: Inputs | None,
    which: Sequence[str],
    *,
    strict: bool,
    progress: Progress,
) -> dict[str, NDArray[np.float64]]:
    """These scores by name, each (N,), from the cache or computed now and kept there under a fingerprint of their own.

    Without a training set each input is compared with the other inputs; sae and vae have none to learn from then.
    ``strict`` : whether a score that this subject cannot have is refused with BadInput, or left out.
    """
    sets = [subject.dataset.fingerprint, "" if subject.training is None else subject.training.fingerprint]
    key = fingerprint.of_bytes(VERSION, (subject.model_fingerprint or "").encode(), *(part.encode() for part in sets))
    found: dict[str, NDArray[np.float64]] = {}
    for name in which:
        try:
            compute = _computation(name, inputs, training, progress)
            found |= cache.scores(
                key, compute, names=[name], name=f"{subject.name}, scores", size=len(inputs), progress=progress
            )
        except BadInput:
            if strict:
                raise
    return found


def _computation(
    name: str, inputs: Inputs, training: Inputs | None, progress: Progress
) -> Callable[[], Mapping[str, NDArray[np.float64]]]:
    """What computes the score; BadInput where there is no such score or this subject cannot have it."""
    if name in SURPRISE:
        return lambda: {name: _surprise(name, inputs, training, progress)}
    if name not in RECONSTRUCTION:
        raise BadInput(
            f"There is no slow auxiliary variable {name!r:.60}; expected one of {', '.join(SLOW)}. Choose from these."
        )
    if training is None:
        raise BadInput(
            f"{name} learns from the training set and there is none; expected the inputs the model was trained on. Add them "
            "with --training, or choose dsa or lsa."
        )
    return lambda: {name: _reconstruction(name, inputs, training, progress)}


def _surprise(name: str, inputs: Inputs, training: Inputs | None, progress: Progress) -> NDArray[np.float64]:
    from testimate.auxiliary.surprise import surprise_scores

    scores = surprise_scores(
        inputs.feature(LHL),
        _classes(inputs),
        training_features=None if training is None else training.feature(LHL),
        training_predictions=None if training is None else _classes(training),
        which=[name],
        progress=progress,
    )
    return scores[name].values


def _reconstruction(name: str, inputs: Inputs, training: Inputs, progress: Progress) -> NDArray[np.float64]:
    check_extra(["torch"], "The auxiliary variable autoencoder", "take another, such as dsa")
    from testimate.auxiliary import autoencoder

    score = {"sae": autoencoder.sae, "vae": autoencoder.vae}[name]
    return score(inputs.feature(ORI), training.feature(ORI), seed=SEED, progress=progress)


def _classes(inputs: Inputs) -> NDArray[np.intp] | None:
    """The predicted class of each input, (N,); None where a task has no single one."""
    if not isinstance(inputs.task, Classification):
        return None
    return inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
