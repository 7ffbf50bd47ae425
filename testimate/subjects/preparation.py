"""How inputs are prepared for a tester's own model, and who or what decided that, if it does not have to be asked.

How texts become a model's tokens, and which number pads them: found, given, or asked for.

The task of a tester's own model and data, and the known answers in the form of that task.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Dataset, Model
from testimate.core.task import Task
from testimate.core.words import percent, spaced
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.preprocessing import Preprocessing, as_fraction, listed
from testimate.datasets.usual_preprocessings import (
    TriedPreprocessing,
    UsualPreprocessing,
    see_preprocessings,
    suggest_preprocessings,
    try_preprocessings,
)
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.tokenizer_files import padding_token_of, tokenizer_of
from testimate.subjects.class_order import ExchangedClasses, find_exchanged_classes
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import SaidTolerance, regression

MOST_TRIED = 1_000
"""Labeled inputs that the usual preprocessings are tried on."""

LEAST_CHANCE = 1e-7
"""The least probability that counts, so that one input with a chance of 0 in float32 does not decide."""


NOT_SCALED = "the numbers are given to the model as they are stored"
AS_TEXTS = "the model takes texts"


def check_front_end(facts: ModelFacts, opened: OpenedDataset) -> None:
    """BadInput where the data are sounds and the model takes spectrograms, which would have to be made as in training."""
    long = [side for side in facts.input_shape if side != 1]
    if opened.dataset.modality == "audio" and len(long) > 1 and any(long):
        shape = " x ".join("any" if side is None else str(side) for side in facts.input_shape)
        raise BadInput(
            f"The model takes {shape} numbers per input, as of a spectrogram, and these are sounds, samples in a row. Put what "
            "makes the spectrogram into the model and export both as one: torch.onnx.export(torch.nn.Sequential(front_end, "
            "model).eval(), (sound,), ...), as the how-to page on speech shows; or bring a table of its predictions."
        )


@dataclass(frozen=True)
class ChosenPreprocessing:
    """The preprocessing of the inputs and how it was chosen.

    ``source`` : who or what decided it, for use in a sentence; None if unknown, so that a person has to be asked.
        ``tried`` : how often the model was right with each usual one, the chosen one first; empty if none was tried.
    """

    preprocessing: Preprocessing
    source: str | None
    tried: tuple[TriedPreprocessing, ...] = ()


# None of the usual ways is guessed: decision 40.
def chosen_preprocessing(
    model: Model, facts: ModelFacts, opened: OpenedDataset, *, given: str | None
) -> ChosenPreprocessing:
    """What to do to the inputs, and why.

    A network with almost no biases is right equally often at any scale, but not equally sure: of those whose accuracy
    is within two standard errors of the best, the one with the highest likelihood of the known classes is chosen.

    If no class is known, the model's own first layers may show its range; otherwise the first of the usual ones is used
    until a person is asked.

    ``given`` : who chose the preprocessing that the dataset was opened with, None if nobody did. If it is given, only
        size, colour and channels follow the model, and nothing is tried.
    """
    usual = suggest_preprocessings(opened.dataset, facts.input_shape)
    if given is not None:
        return ChosenPreprocessing(usual[0].preprocessing, given)
    if len(usual) == 1:
        return ChosenPreprocessing(usual[0].preprocessing, AS_TEXTS if facts.takes_texts else NOT_SCALED)
    if not _has_classes(model, opened):
        own = next((one for one in usual if one.name == facts.own_range), None)
        if own is not None:
            return ChosenPreprocessing(own.preprocessing, f"the model's own first layers scale pictures of {own.name}")
        return ChosenPreprocessing(usual[0].preprocessing, None)
    some = _tried_on(opened)
    try:
        tried = try_preprocessings(model, opened, usual, rows=some)
    except BadInput:  # none fits unchanged, such as sounds of many lengths; using the inputs will report why
        return ChosenPreprocessing(usual[0].preprocessing, None)
    best = tried[0]
    close = [one for one in tried if best.accuracy - one.accuracy <= 2 * _chance(best)]
    if len(close) > 1:
        chosen = max(close, key=lambda one: _log_likelihood(model, opened, one.preprocessing, some))
        tried = (chosen, *(one for one in tried if one is not chosen))
    return ChosenPreprocessing(tried[0].preprocessing, trial_in_words(tried), tried)


def trial_in_words(tried: tuple[TriedPreprocessing, ...]) -> str:
    """Which usual preprocessing was taken, and how well the numbers support that."""
    taken = tried[0]
    said = f"{taken.name} is right on {percent(taken.accuracy)} of {spaced(taken.count)} labeled inputs"
    others = tried[1:]
    if not others:
        return said
    best = max(others, key=lambda one: one.accuracy)
    rival = f"{best.name} on {percent(best.accuracy)}"
    if abs(best.accuracy - taken.accuracy) <= 2 * _chance(taken):
        return f"{said} and {rival}, within chance; taken because the model is more confident in the right classes"
    return f"{said}, the most of {len(tried)} usual ways (next: {rival})"


def check_decided(chosen: ChosenPreprocessing, opened: OpenedDataset, model: Model, facts: ModelFacts) -> None:
    """BadInput, with the candidates, if it is not known how the inputs are prepared."""
    if chosen.source is not None:
        return
    usual = suggest_preprocessings(opened.dataset, facts.input_shape)
    seen = see_preprocessings(model, opened.dataset, usual)
    count = len(seen[0].rows) if seen else 0
    candidates = "; ".join(f"{options(one.preprocessing)} ({one.name}) {one.sentence}" for one in seen)
    found = f"On {count} inputs: {candidates}. " if seen else ""
    raise BadInput(
        "Nothing says how the inputs were prepared when the model was trained, and without labels of classes the ways cannot "
        f"be compared. {found}Expected the one it was trained with: give it with --scale, --mean, --deviation, --size and "
        "--channels, or write it under [preprocessing] into a file NAME.toml beside the model NAME."
    )


def options(preprocessing: Preprocessing) -> str:
    """The numbers of a preprocessing as options of the command line.

    >>> options(Preprocessing(scale=1 / 255, mean=(0.5,)))
    '--scale 1/255 --mean 0.5'
    """
    said = [f"--scale {as_fraction(preprocessing.scale)}"]
    for name in ("mean", "deviation"):
        numbers = getattr(preprocessing, name)
        said += [f"--{name} {listed(numbers)}".replace(", ", ",")] if numbers else []
    return " ".join([*said, *(["--channels bgr"] if preprocessing.colour == "bgr" else [])])


def _chance(one: TriedPreprocessing) -> float:
    """The standard error of a tried preprocessing's accuracy."""
    return float(np.sqrt(one.accuracy * (1 - one.accuracy) / one.count))


def find_wrong_order(
    model: Model, opened: OpenedDataset, tried: tuple[TriedPreprocessing, ...]
) -> ExchangedClasses | None:
    """The order of the classes in which the model would be right far more often, if the labels show one.

    With classes in the wrong order, even the right preprocessing looks bad, so each that was tried is checked, against
    the share that is right now.

    ``opened`` : prepared as chosen, its answers as places among the outputs. ``tried`` : as ``chosen_preprocessing`` gave it.
    """
    if not _has_classes(model, opened):
        return None
    if not tried:
        as_chosen = UsualPreprocessing("", opened.dataset.preprocessing)
        try:
            tried = try_preprocessings(model, opened, [as_chosen], rows=_tried_on(opened))
        except BadInput:  # inputs that do not fit; using them will report why
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
    """Whether the model predicts classes, and some labels are known."""
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


TEXTS_LOOKED_AT = 64
"""Rows whose first and last tokens are checked."""

LEAST = 0.1
"""If at least this share of rows begins or ends with the same token twice, it seems to be padding."""


def with_tokenizer(model: ModelDescription, dataset: Dataset, said: Preprocessing | None) -> ModelDescription:
    """The model with the tokenizer beside it, for texts without a chosen way to split them.

    ``said`` : the preprocessing that a person chose, None if nobody did. BadInput where a file beside it cannot be
        read.
    """
    if dataset.modality != "text" or (said is not None and said.tokens != "none") or not tokenizer_of(model.path):
        return model
    said = said or Preprocessing()
    return replace(model, tokenizer=True, length=said.length, pad=said.pad or None)


def padding_token(model: Path, dataset: Dataset, said: Preprocessing | None) -> int:
    """Number of the padding token, for a model that masks it: as chosen, as in config.json, else 0.

    BadInput where it is not given and the rows of tokens (n, length) seem to be padded with another one.
    """
    if said is not None:
        return said.pad
    if (known := padding_token_of(model)) is not None:
        return known
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(TEXTS_LOOKED_AT, len(dataset))).astype(np.intp))
    tokens = dataset.batch(rows)
    if tokens.dtype.kind not in "iu" or tokens.ndim != 2 or tokens.shape[1] < 2:
        return 0
    twice = [ends[ends[:, 0] == ends[:, 1], 0] for ends in (tokens[:, -2:], tokens[:, :2])]
    found, counts = np.unique(max(twice, key=len), return_counts=True)
    if len(found) and found[counts.argmax()] != 0 and 2 * counts.max() > counts.sum() >= LEAST * len(rows):
        token = int(found[counts.argmax()])
        raise BadInput(
            f"The model masks the tokens that pad a text, and these rows seem to be padded with {token}, not with 0. "
            f"Write pad = {token}, or pad = 0 where that is right, under [preprocessing] into "
            f"{model.with_suffix('.toml').name} beside the model, or keep its config.json with pad_token_id beside it."
        )
    return 0


LOOKED_AT = 256
"""Inputs from which the spread of the predictions is estimated."""


def task_of(facts: ModelFacts, classes: tuple[str, ...], tolerance: SaidTolerance | None, top_k: int = 1) -> Task:
    """The task that follows from the model's output; BadInput where that is several numbers, or ``top_k`` is impossible.

    ``classes`` : in the order of the outputs. ``tolerance`` : of a regression. ``top_k`` : of a classification.
    """
    if top_k > 1 and (facts.output == "numbers" or facts.output.startswith("several")):
        raise BadInput(
            f"Top {top_k} was asked for, and the model says {facts.output}; expected one class per input, each with its "
            "probability. Leave it at 1, or say what the model's output means."
        )
    if facts.output == "numbers":
        if facts.widths["OUT"] != 1:
            raise BadInput(
                f"The model gives {facts.widths['OUT']} numbers per input; expected one, or the classes' "
                "probabilities. Export "
                "one output, or say what the outputs mean."
            )
        return regression(0.0 if tolerance is None else tolerance)
    return MultiLabel(classes) if facts.output.startswith("several") else Classification(classes, top_k)


def spread_of(model: Model, dataset: Dataset) -> float | None:
    """The standard deviation of a regression's predictions over some inputs.

    None if the inputs are not prepared for a model yet, such as texts without a way to split them into tokens.
    """
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(LOOKED_AT, len(dataset))).astype(np.intp))
    layer = model.roles["OUT"]
    try:
        return float(np.std(model.run(dataset.batch(rows), [layer])[layer]))
    except BadInput:
        return None


def truth_of(opened: OpenedDataset, task: Task) -> NDArray[Any] | None:
    """The known answers in the task's form, (N,) or (N, C); None where some are unknown. BadInput where they do not fit."""
    answers = opened.truth
    if answers is None:
        return None
    if task.numeric:
        if answers.ndim == 1 and opened.classes and _are_numbers(opened.classes):
            numbers: NDArray[Any] = np.array([float(word) for word in opened.classes])[answers]
            return numbers
        if answers.ndim == 1 and not opened.classes:
            return answers.astype(np.float64)
        raise _unfit("a number", "classes") if len(opened.classes) != 2 else _one_score(opened.classes)
    if not opened.classes:
        raise _unfit("classes", "numbers")
    if task.several:
        marked = answers if answers.ndim == 2 else np.eye(len(opened.classes), dtype=np.uint8)[answers]
        missing = len(task.classes) - marked.shape[1]
        return np.pad(marked, ((0, 0), (0, missing)))
    if answers.ndim == 2:
        raise _unfit("one class per input", "several")
    return answers


def classes_before_orders(named: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The classes of a subject that was added before the order of classes was stored.

    The dataset's names in its own order if their number fits, else numbers; BadInput otherwise.
    """
    if len(named) == count:
        return named
    if named == tuple(str(place) for place in range(min(len(named), count))):  # none, or the first numbers
        return tuple(str(place) for place in range(count))
    raise BadInput(
        f"The model distinguishes {count} classes and the dataset names {len(named)} ({', '.join(named)!s:.80}); "
        "expected the "
        "same number in the same order. Label the data with class numbers, or choose the dataset of this model."
    )


def _are_numbers(words: tuple[str, ...]) -> bool:
    return all(word.lstrip("-").isdecimal() for word in words)


def _one_score(classes: tuple[str, ...]) -> BadInput:
    return BadInput(
        f"The model predicts a number and the labels of the data are classes, {classes[0]!r:.60} and {classes[1]!r:.60}. Where "
        "the number is a score for two classes, say that the output means one probability or one logit (on the Subject page, "
        "under what the model means), or export the model with its sigmoid. Otherwise choose data whose labels are numbers."
    )


def _unfit(model: str, data: str) -> BadInput:
    return BadInput(
        f"The model says {model} and the labels of the data are {data}, so they do not belong together. Choose the data that "
        "belong to the model, or say what its output means."
    )
