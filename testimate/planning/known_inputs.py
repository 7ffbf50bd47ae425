"""Everything known about a subject's inputs before any label, from its table or a single run of its model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import scores_of_outputs
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.feature_cache import Engine, FeatureCache
from testimate.planning.other_models import with_others
from testimate.planning.slow_scores import ORI, affordable, check_slow, layers_for, slow_scores
from testimate.subjects.spreadsheet_text import READ_AS, read_as
from testimate.subjects.table_features import with_features
from testimate.tasks.classification import Classification, MultiLabel, most_probable
from testimate.tasks.regression import SaidTolerance

if TYPE_CHECKING:
    from testimate.subjects.prediction_table import TableChoices
    from testimate.subjects.table_answers import Undecided

LAYERS = ("LHL", "FL", ORI, "CON")
"""Roles whose values are features to choose from; the first is the default."""

ANSWERS = ("CON", "OUT", "logits")
"""Roles that hold the prediction: probabilities, the number of a regression, what softmax was applied to."""


def known_inputs(
    subject: Subject,
    cache: FeatureCache,
    progress: Progress = silent,
    *,
    roles: Sequence[str] | None = None,
    auxiliary: Sequence[str] | None = None,
    engine: Engine | None = None,
    references: int | None = None,
) -> Inputs:
    """Predictions, confidence, auxiliary variables and features of every input of the subject, and of its training set.

    A prediction table holds them itself; a model is run once over the data, and later its outputs are found in
    ``cache``. The features stay on disk and are read by page as they are used; only probabilities and logits are held
    as float64.

    Parameters
    ----------
    roles : layers to have as features, such as "LHL"; None for all but those that would take gigabytes.
    auxiliary : slow auxiliary variables to add, of dsa, lsa, sae and vae; None for dsa and lsa where they take
        minutes at most.
    engine : who runs the model, and computes the slow auxiliary variables; this process by default.
    references : how many reference inputs dsa and lsa compare with at most, drawn by a fixed seed in each predicted class; 0
        for all, None for as many as take a few minutes.

    Raises
    ------
    BadInput, SubjectChanged, StoreUnavailable, Cancelled : as ``FeatureCache.outputs`` does; an auxiliary variable was
        named that this subject cannot have.
    """
    if subject.inputs is not None:
        return _with_derived_scores(subject.inputs)
    check_slow(auxiliary or (), trained=subject.training is not None)
    training = None
    if subject.training is not None:
        needed = None if roles is None else layers_for(auxiliary or ())
        no_slow = auxiliary if auxiliary is None else ()
        training = known_inputs(
            _training_subject(subject), cache, _of_training(progress), roles=needed, auxiliary=no_slow, engine=engine
        )
    wanted = None if roles is None else (*roles, *layers_for(auxiliary or ()))
    inputs = _of_outputs(subject, _outputs(subject, cache, wanted, progress, engine))
    chosen = affordable(inputs, training) if auxiliary is None else auxiliary
    slow = slow_scores(
        subject,
        cache,
        inputs,
        training,
        chosen,
        strict=auxiliary is not None,
        progress=progress,
        references=references,
        on_blocks=None if engine is None else engine.blocks,
    )
    return replace(inputs, scores={**inputs.scores, **slow}, training=training)


def _of_training(progress: Progress) -> Progress:
    """The same progress, which says that it is the training set's."""
    return lambda done, total, what="": progress(done, total, f"{what} over the training set" if what else what)


def _training_subject(subject: Subject) -> Subject:
    """The training set as a subject of its own, with the same model."""
    assert subject.training is not None
    return replace(
        subject,
        name=f"{subject.name}, training set",
        dataset=subject.training,
        fingerprint=fingerprint.of_bytes(subject.fingerprint.encode(), b"training"),
        truth=subject.training_truth,
        training=None,
        training_truth=None,
    )


def _outputs(
    subject: Subject, cache: FeatureCache, roles: Sequence[str] | None, progress: Progress, engine: Engine | None
) -> Mapping[str, NDArray[np.float32]]:
    """The model's outputs in these roles and in those that give its answer; the cache refuses roles that it does not have."""
    if roles is not None:
        has = cache.roles_of(subject)
        roles = tuple(dict.fromkeys((*(role for role in ANSWERS if role in has), *roles)))
    return cache.outputs(subject, roles=roles, progress=progress, engine=engine)


def _of_outputs(subject: Subject, outputs: Mapping[str, NDArray[np.float32]]) -> Inputs:
    """The inputs by the outputs of the model's last layers, without the slow scores."""
    task = subject.task
    probabilities = confidence = None
    predictions: NDArray[Any]
    scores: Mapping[str, NDArray[np.float64]] = {}
    if isinstance(task, Classification):
        probabilities = np.asarray(_answer(subject, outputs, "CON"), dtype=np.float64)  # (N, C)
        logits = np.asarray(outputs["logits"], dtype=np.float64) if "logits" in outputs else None  # (N, C)
        predictions = most_probable(probabilities, task.top_k)
        scores = scores_of_outputs(probabilities, logits)
        confidence = probabilities.max(axis=1)
        if task.top_k > 1:  # an input is right when its class is among the first k
            confidence = np.take_along_axis(probabilities, predictions, axis=1).sum(axis=1).clip(0, 1)
            scores = {**scores, "confidence": 1 - confidence}
    elif isinstance(task, MultiLabel):
        chances = np.asarray(_answer(subject, outputs, "CON"), dtype=np.float64)  # (N, C), each of a label of its own
        predictions = (chances >= 0.5).astype(np.uint8)
        confidence = np.maximum(chances, 1 - chances).prod(axis=1)  # all labels right, if they were independent
        scores = {"confidence": 1 - confidence}
    else:
        predictions = np.asarray(_answer(subject, outputs, "OUT" if "OUT" in outputs else "logits"), dtype=np.float64)[
            :, 0
        ]
    return Inputs(
        fingerprint=subject.fingerprint,
        task=task,
        predictions=predictions,
        confidence=confidence,
        probabilities=probabilities,
        scores=scores,
        features={role: outputs[role] for role in LAYERS if role in outputs},
        truth=subject.truth,
        losses=None if subject.truth is None else task.losses(predictions, subject.truth),
    )


def _answer(subject: Subject, outputs: Mapping[str, NDArray[np.float32]], role: str) -> NDArray[np.float32]:
    if role not in outputs:
        raise BadInput(
            f"The model of {subject.name!r:.60} gives no {role} and the task is {subject.task.kind}; expected a model "
            "for that task. Open it for its own task."
        )
    return outputs[role]


def _with_derived_scores(inputs: Inputs) -> Inputs:
    """A table's inputs with the auxiliary variables that follow from its probability columns; its own columns win."""
    if inputs.probabilities is None:
        return inputs
    derived: Mapping[str, np.ndarray] = scores_of_outputs(inputs.probabilities)
    return replace(inputs, scores={**derived, **inputs.scores})


def unheard(sentence: str) -> None:
    """Ignores what a file was taken for; those who show the subject find it among its facts."""


def inputs_of_table(
    table: Path,
    features: Path | None = None,
    training: Path | None = None,
    *,
    training_features: Path | None = None,
    tolerance: SaidTolerance | None = None,
    task: TaskKind | None = None,
    undecided: "Undecided" = "ask",
    choices: "TableChoices | None" = None,
    others: Sequence[Path] = (),
    tell: Callable[[str], object] = unheard,
) -> Inputs:
    """The inputs of a prediction table, with a features file and a table of training inputs where these are given.

    ``others`` : tables of what other models predict for the same inputs, in the same order or with a key column. ``tell`` :
    called with what a file was taken for where it does not say so.

    ``features`` is an .npy file of finite numbers, (N, width), row for row; ``training`` a prediction table with known
    truth, ``training_features`` the features of its inputs. They become part of the fingerprint. ``task``, ``undecided`` and
    ``choices`` are those of ``read_table``; the training table has the task of the other, and its columns are named as there.
    Raises BadInput where one cannot be used.
    """
    from testimate.subjects.prediction_table import (  # PyArrow, which a subject with a model does without
        AS_NAMED,
        read_table,
        table_content,
    )

    if training_features is not None and training is None:
        raise BadInput(
            f"There are training features, {training_features}, and no training table; expected both. Add --training."
        )
    choices = choices or AS_NAMED
    subject = read_table(table, name=table.name, tolerance=tolerance, task=task, undecided=undecided, choices=choices)
    for name, taken in subject.facts:
        if name == READ_AS:
            tell(read_as(table.name, [taken]))
    inputs = known_inputs(subject, FeatureCache(table.parent))
    if training is not None:
        tolerance = tolerance if inputs.task.kind == "regression" else None
        alike = replace(choices, inputs=None)
        trained = inputs_of_table(
            training, training_features, tolerance=tolerance, task=inputs.task.kind, choices=alike, tell=tell
        )
        if trained.losses is None:
            raise BadInput(
                f"{training} does not say what is right or wrong; a training table needs a label or outcome column. Add it."
            )
        both = fingerprint.of_bytes(inputs.fingerprint.encode(), b"training", trained.fingerprint.encode())
        inputs = replace(inputs, fingerprint=both, training=trained)
    if features is not None:
        inputs = with_features(inputs, features, str(features), str(table))
    if not others:
        return inputs
    from testimate.subjects.other_predictions import keys_of, read_other

    keys = keys_of(table_content(table, table.name, choices.inputs).cells)
    return with_others(inputs, [read_other(other, inputs, name=other.name, keys=keys, tell=tell) for other in others])
