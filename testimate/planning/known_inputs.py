"""Everything known about a subject's inputs before any label, from its table or a single run of its model, and as files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import SLOW, scores_of_outputs
from testimate.auxiliary.nearest import drawn_references, sampled_words
from testimate.auxiliary.slow import SEED, LayerOutputs, SlowVariable
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.files import whole_file
from testimate.core.inputs import Inputs
from testimate.core.progress import OnBlocks, Progress, silent
from testimate.core.reading import READ_AS, read_as
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.words import commas, percent
from testimate.feature_cache import Engine, FeatureCache
from testimate.models.facts import CERTAIN, MOST_CERTAIN
from testimate.planning.history import with_history, with_history_scores
from testimate.planning.judges import with_judges_score
from testimate.planning.other_models import with_others
from testimate.subjects.table_features import with_features
from testimate.tasks.classification import most_probable
from testimate.tasks.regression import SaidTolerance

if TYPE_CHECKING:
    from testimate.subjects.table_choices import TableChoices
    from testimate.tables.answers import Undecided


COMPARED = tuple(name for name, variable in SLOW.items() if variable.compared)
"""Slow auxiliary variables that compare each input with references, and that every subject gets if it takes minutes."""

MOST_PRODUCTS = 1e13
"""Numbers multiplied for a score, a few minutes on two cores; beyond, dsa and lsa compare with a sample of the references."""

LEAST_REFERENCES = 1_000
"""References below which a sample says too little: nobody gets such scores without asking for them."""

VERSION = b"slow scores 1"
"""Raised when the definition of a score changes, so that the scores are computed again."""


def note_on_references(subject: Subject, inputs: Inputs, most: int | None = None) -> str:
    """What a tester should know about what this subject's scores were compared with; empty where there is nothing unusual.

    ``most`` : see ``known_inputs``.
    """
    said, names = [], " and ".join(COMPARED)
    if subject.training is None:
        said.append(f"There is no training set: for {names} each input is compared with the other inputs.")
    references = inputs.training or inputs
    for layer in layers_for(COMPARED):
        if not _has_layer(layer, inputs, inputs.training):
            continue
        used = most_references(inputs, inputs.training, most, layer)
        if used is not None and set(COMPARED) & set(inputs.scores):
            classes = _classes(references)
            of_classes = np.zeros(len(references), dtype=np.intp) if classes is None else classes
            drawn = drawn_references(of_classes, used, seed=SEED)
            said.append(sampled_words(used if drawn is None else len(drawn), len(references)))
        elif used is not None and used < LEAST_REFERENCES:
            said.append(
                f"{names} were not computed: for {commas(len(inputs))} inputs only {commas(used)} references "
                "could be compared in a few minutes. Ask for them by name, with --references."
            )
    return " ".join(said)


def most_references(inputs: Inputs, training: Inputs | None, most: int | None, layer: str) -> int | None:
    """How many references each input is compared with at most by that layer; None for all there are.

    ``most`` : 0 for all, another number for that many, None for as many as a few minutes allow.
    """
    size = len(training or inputs)
    if most is None:
        most = int(MOST_PRODUCTS / (float(len(inputs)) * inputs.features[layer].shape[1]))
    return None if most == 0 or most >= size else most


def check_slow(which: Sequence[str], *, trained: bool) -> None:
    """Before a model runs for hours: BadInput where a score is unknown, lacks its library, or has nothing to learn from.

    ``trained`` : whether the inputs that the model was trained on are there.
    """
    for name in which:
        variable = SLOW[name]
        if variable.learns and not trained:
            raise BadInput(
                f"{name} learns from the training set and there is none. Expected the inputs the model was trained on. "
                f"Add them with --training, or choose {' or '.join(COMPARED)}."
            )
        variable.check()


def layers_for(which: Sequence[str]) -> tuple[str, ...]:
    """The roles that these scores are computed from."""
    return tuple(dict.fromkeys(variable.layer for name, variable in SLOW.items() if name in which))


def affordable(inputs: Inputs, training: Inputs | None) -> tuple[str, ...]:
    """The scores by references that take minutes at most: dsa and lsa, or lsa where there are no classes, or none.

    Where all references would take longer, a sample of them does; none where that would be too small.
    """

    def within_minutes(layer: str) -> bool:
        if not _has_layer(layer, inputs, training):
            return False
        used = most_references(inputs, training, None, layer)
        return used is None or used >= LEAST_REFERENCES

    possible = [name for name in COMPARED if inputs.task.one_class or not SLOW[name].of_classes]
    return tuple(name for name in possible if within_minutes(SLOW[name].layer))


def _has_layer(layer: str, inputs: Inputs, training: Inputs | None) -> bool:
    return layer in inputs.features and (training is None or layer in training.features)


def slow_scores(
    subject: Subject,
    cache: FeatureCache,
    inputs: Inputs,
    training: Inputs | None,
    which: Sequence[str],
    *,
    strict: bool,
    progress: Progress,
    references: int | None = None,
    on_blocks: OnBlocks | None = None,
) -> dict[str, NDArray[np.float64]]:
    """These scores by name, each (N,), from the cache or computed now and kept there under a fingerprint of their own.

    Without a training set each input is compared with the other inputs; sae and vae have none to learn from then.
    ``strict`` : whether a score that this subject cannot have is refused with BadInput, or left out. ``references`` : as
    ``most`` of ``most_references``. ``on_blocks`` : who computes them; this process by default.
    """
    sets = [subject.dataset.fingerprint, "" if subject.training is None else subject.training.fingerprint]
    found: dict[str, NDArray[np.float64]] = {}
    for name in which:
        try:
            variable = SLOW[name]()
            used = most_references(inputs, training, references, variable.layer) if variable.compared else None
            sampled = [] if used is None else [f"{used} references"]
            key = fingerprint.of_bytes(
                VERSION, (subject.model_fingerprint or "").encode(), *(part.encode() for part in sets + sampled)
            )
            found |= cache.scores(
                key,
                partial(_computed, variable, inputs, training, used, progress, on_blocks),
                names=[name],
                name=f"{subject.name}, scores",
                size=len(inputs),
                progress=progress,
            )
        except BadInput:
            if strict:
                raise
    return found


def _computed(
    variable: SlowVariable,
    inputs: Inputs,
    training: Inputs | None,
    references: int | None,
    progress: Progress,
    on_blocks: OnBlocks | None,
) -> dict[str, NDArray[np.float64]]:
    """The score by its name, one that ``check_slow`` has passed."""
    outputs = LayerOutputs(
        inputs.feature(variable.layer),
        _classes(inputs),
        None if training is None else training.feature(variable.layer),
        None if training is None else _classes(training),
        references,
    )
    return {variable.name: variable.values(outputs, progress=progress, on_blocks=on_blocks)}


def _classes(inputs: Inputs) -> NDArray[np.intp] | None:
    """The predicted class of each input, (N,); None where a task has no single one."""
    if not inputs.task.one_class:
        return None
    return inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]


LAYERS = ("LHL", "FL", "ORI", "CON")
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
    auxiliary : slow auxiliary variables to add, of ``SLOW``; None for those of ``COMPARED`` that take minutes at most.
    engine : who runs the model, and computes the slow auxiliary variables; this process by default.
    references : how many reference inputs those of ``COMPARED`` compare with at most, drawn by a fixed seed in each predicted
        class; 0 for all, None for as many as take a few minutes.

    Raises
    ------
    BadInput, SubjectChanged, StoreUnavailable, Canceled : as ``FeatureCache.outputs`` does; an auxiliary variable was
        named that this subject cannot have.
    """
    if subject.inputs is not None:
        return with_judges_score(with_history_scores(_with_derived_scores(subject.inputs)))
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
    scores = {**inputs.scores, **slow}
    return replace(inputs, scores=scores, training=training, reading=subject.reading, known=subject.known)


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
    if task.one_class and "CON" not in outputs and "OUT" in outputs:
        predictions = _numbered_classes(outputs["OUT"], len(task.classes))
    elif task.one_class:
        probabilities = np.asarray(_answer(subject, outputs, "CON"), dtype=np.float64)  # (N, C)
        logits = np.asarray(outputs["logits"], dtype=np.float64) if "logits" in outputs else None  # (N, C)
        predictions = most_probable(probabilities, task.top_k)
        scores = scores_of_outputs(probabilities, logits)
        confidence = probabilities.max(axis=1)
        if task.top_k > 1:  # an input is right when its class is among the first k
            confidence = np.take_along_axis(probabilities, predictions, axis=1).sum(axis=1).clip(0, 1)
            scores = {**scores, "confidence": 1 - confidence}
    elif task.several:
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


def _numbered_classes(said: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """The predicted classes (N,) of a model that gives their numbers (N, 1); BadInput where one is no class."""
    predictions: NDArray[np.intp] = np.rint(said[:, 0]).astype(np.intp)
    if predictions.min() < 0 or predictions.max() >= count:
        found = predictions.max() if predictions.max() >= count else predictions.min()
        raise BadInput(
            f"The model predicts class number {found} and {commas(count)} classes are known. Expected numbers from 0 to "
            f"{commas(count - 1)}. Give the names of all classes with --class-names."
        )
    return predictions


def _answer(subject: Subject, outputs: Mapping[str, NDArray[np.float32]], role: str) -> NDArray[np.float32]:
    if role not in outputs:
        raise BadInput(
            f"The model of {subject.name!r:.60} gives no {role} and the task is {subject.task.kind}. Expected a model "
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

    ``others`` : tables of what other models predict for the same inputs, in the same order or with a key column.
    ``tell`` : called with what a file was taken for where it does not say so.

    ``features`` is an .npy file of finite numbers, (N, width), row for row; ``training`` a prediction table with known
    truth, ``training_features`` the features of its inputs. They become part of the fingerprint. ``task``, ``undecided`` and
    ``choices`` are those of ``read_table``; the training table has the task of the other, and its columns are named as there.
    Raises BadInput where one cannot be used.
    """
    from testimate.subjects.prediction_table import read_table, table_content
    from testimate.subjects.table_choices import AS_NAMED

    if training_features is not None and training is None:
        raise BadInput(
            f"There are training features, {training_features}, and no training table. Expected both. Add --training."
        )
    choices = choices or AS_NAMED
    subject = read_table(table, name=table.name, tolerance=tolerance, task=task, undecided=undecided, choices=choices)
    for name, taken in subject.facts:
        if name == READ_AS:
            tell(read_as(table.name, [taken]))
    inputs = known_inputs(subject, FeatureCache(table.parent))
    if training is not None:
        tolerance = tolerance if inputs.task.numeric else None
        alike = replace(choices, inputs=None, stored=None)
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

    keys = keys_of(table_content(table, table.name, choices.inputs).by(choices.rules).cells)
    rules = choices.rules
    known = [read_other(other, inputs, name=other.name, keys=keys, rules=rules, tell=tell) for other in others]
    return with_others(inputs, known)


def with_history_file(
    inputs: Inputs,
    history: Path | None,
    table: Path,
    choices: "TableChoices",
    tell: Callable[[str], object] = unheard,
) -> Inputs:
    """Return the inputs of a table with a file of what earlier models got wrong; themselves without one.

    Its rows are in the order of the table, or both have a key column. Raises BadInput where it cannot be used.
    """
    if history is None:
        return inputs
    from testimate.subjects.other_predictions import keys_of, read_history
    from testimate.subjects.prediction_table import table_content

    keys = keys_of(table_content(table, table.name, choices.inputs).by(choices.rules).cells)
    earlier = read_history(history, inputs, name=history.name, keys=keys, rules=choices.rules, tell=tell)
    return with_history(inputs, earlier)


def unusual_predictions(inputs: Inputs) -> tuple[str, ...]:
    """A sentence for each sign of a wrong scale, channel order or class list; none for a network that is read correctly.

    More than 95% of the confidences above 0.9999, or fewer than half of the classes ever predicted (of at most as many
    classes as there are inputs), or numbers that rise with the known ones on another scale.
    """
    said = []
    if inputs.confidence is not None and len(inputs):
        certain = float((inputs.confidence > CERTAIN).mean())
        if certain > MOST_CERTAIN:
            said.append(
                f"{percent(certain)} of the confidences exceed {CERTAIN}: networks are rarely that sure. The numbers may "
                "not be on the scale that the model was trained with; look at the preprocessing."
            )
    if inputs.task.numeric and inputs.truth is not None and len(inputs) >= FEWEST_PAIRS:
        said += _on_another_scale(np.asarray(inputs.predictions, np.float64), np.asarray(inputs.truth, np.float64))
    if inputs.task.one_class:
        first = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
        count, possible = len(np.unique(first)), len(inputs.task.classes)
        if 2 * count < min(possible, len(inputs)):
            said.append(
                f"Only {commas(count)} of {commas(possible)} classes are ever predicted. Either the data hold no others, or "
                "the inputs are not prepared as the model was trained; look at the preprocessing."
            )
    return tuple(said)


FEWEST_PAIRS, RISING, TIMES = 20, 0.5, 2.0
"""Known numbers from which on scales are compared, the correlation from which on two rise together, and how many times as far
apart predicted numbers are from known ones as these are from their mean, where they are on another scale."""


def _on_another_scale(predicted: NDArray[np.float64], known: NDArray[np.float64]) -> list[str]:
    """The sentence on predicted numbers (N,) that rise with the known ones (N,) and are far from them all; none elsewhere."""
    if not (np.isfinite(predicted).all() and np.ptp(predicted) and np.ptp(known)):
        return []
    together = float(np.corrcoef(predicted, known)[0, 1])
    if together < RISING or np.sqrt(np.mean((predicted - known) ** 2)) <= TIMES * known.std():
        return []
    return [
        f"The predictions run from {predicted.min():.4g} to {predicted.max():.4g} and the known numbers from "
        f"{known.min():.4g} to {known.max():.4g}, and they rise together (correlation {together:.2f}): the model seems to "
        "predict on another scale, such as that of a target that was scaled for training. Bring the known numbers on that "
        "scale, or a model that gives them as they are."
    ]


BLOCK = 1_024
"""Rows of features written at a time."""


def check_table_name(path: Path) -> None:
    """BadInput where the table to write is no Parquet file."""
    if path.suffix != ".parquet":
        raise BadInput(f"The table to write is {path.name!r:.100}. Expected a name that ends in .parquet. Change it.")


def write_table(inputs: Inputs, path: Path) -> None:
    """Writes prediction, confidence, probabilities, label and the slow auxiliary variables, one row per input.

    The file is there whole or not at all. Raises BadInput where it cannot be written, and for several labels per input
    whose truth is unknown.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_table_name(path)
    table = pa.table(_columns(inputs))
    with whole_file(path) as file:
        pq.write_table(table, file)


def _columns(inputs: Inputs) -> dict[str, Any]:
    """The columns of the table by name."""
    columns: dict[str, Any] = {}
    if inputs.task.several:
        if inputs.losses is None:
            raise BadInput(
                "A table has no room for several labels per input. Expected known answers, so that it can say right or wrong. "
                "Label in the app instead."
            )
        columns["outcome"] = np.where(inputs.losses > 0, "Fail", "Pass")
    else:
        if inputs.truth is not None:
            columns["label"] = inputs.truth
        elif inputs.known:
            known = {row: inputs.task.typed_answer(label, row) for row, label in inputs.known.items()}
            columns["label"] = [known.get(row) for row in range(len(inputs))]
        columns["prediction"] = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
    if inputs.predictions.ndim == 2 and inputs.probabilities is not None:
        columns["confidence"] = inputs.probabilities.max(axis=1)  # that of the first of the classes that count
    elif "confidence" in inputs.scores:
        # finer than the largest probability, which is float32's
        columns["confidence"] = 1 - inputs.scores["confidence"]
    if inputs.task.one_class and inputs.probabilities is not None:
        columns |= {f"p_{place}": inputs.probabilities[:, place] for place in range(inputs.probabilities.shape[1])}
    return columns | {name: inputs.scores[name] for name in SLOW if name in inputs.scores}


def write_features(inputs: Inputs, roles: Sequence[str], path: Path) -> None:
    """Writes these roles side by side as an (N, width) float32 .npy, block by block; whole or not at all."""
    parts = [inputs.feature(role) for role in roles]
    if not parts:
        raise BadInput(
            "No layer was named for the features. Expected at least one, such as lhl. Name it with --layers."
        )
    shape = (len(inputs), sum(part.shape[1] for part in parts))

    with whole_file(path) as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, shape[0], BLOCK):
            block = np.concatenate([part[start : start + BLOCK] for part in parts], axis=1)
            file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
