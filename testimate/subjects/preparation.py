"""How a tester's own model gets its inputs, its tokens and its task, and who or what decided that."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.inputs import PartialTruth
from testimate.core.subject import Dataset, Model
from testimate.core.task import Task
from testimate.core.words import commas, counted, percent
from testimate.datasets import limits
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.folders import ZipFiles, small_text
from testimate.datasets.labels_beside import NOT_USED
from testimate.datasets.pictures import PictureDataset
from testimate.datasets.preprocessing import Preprocessing, as_fraction, listed
from testimate.datasets.sounds import SoundDataset, length_at
from testimate.datasets.usual_preprocessings import (
    TriedPreprocessing,
    UsualPreprocessing,
    see_preprocessings,
    suggest_preprocessings,
    try_preprocessings,
)
from testimate.models.description import ModelDescription
from testimate.models.facts import WITHOUT_CHANCES, ModelFacts
from testimate.models.texts import padding_token_of, tokenizer_of
from testimate.subjects.class_order import ExchangedClasses, find_exchanged_classes
from testimate.subjects.ways_compared import (
    ALPHA,
    CONFIRMED,
    FEW_LABELS,
    Likelihood,
    is_confirmed,
    is_likelier,
    is_likelier_as_said,
    is_refuted,
    likeliest_of_alike,
    likelihood_of,
    possible_ways,
)
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import SaidTolerance, regression

MOST_TRIED = 1_000
"""Labeled inputs that the usual preprocessings are tried on."""


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
        ``doubt`` : why a person is asked, in a sentence; "" where nobody is.
    """

    preprocessing: Preprocessing
    source: str | None
    tried: tuple[TriedPreprocessing, ...] = ()
    doubt: str = ""


UNKNOWN = "These files don't record how inputs were prepared for training, and there are no labels of classes to check against."


# None of the usual ways is guessed: decision 40.
def chosen_preprocessing(
    model: Model, facts: ModelFacts, opened: OpenedDataset, *, given: str | None, exported: str = ""
) -> ChosenPreprocessing:
    """What to do to the inputs, and why.

    Ways that the model cannot take do not count. The others are compared on the same labeled inputs, in pairs: a way
    remains if the exact test of McNemar (1947) does not set it apart from the one that is right most often. Of those that
    remain, the one with the highest likelihood of the known classes, each at its best temperature, is taken if it is far
    enough ahead (Vuong, 1989) and there are labels enough. Otherwise a person is asked, unless all predict the same classes;
    of these ways one is taken in which the model is not nearly always sure. A person is asked, too, where the best way, or
    the only one, agrees with the labels no more often than chance.

    If no class is known, the model's own first layers may show its range, or the tool that exported it; otherwise the first of
    the usual ones is used until a person is asked.

    ``exported`` : as ``range_of_tool`` gives it. ``given`` : who chose the preprocessing that the dataset was opened with, None
        if nobody did. If it is given, only size, color and channels follow the model, and nothing is tried.
    """
    usual = suggest_preprocessings(opened.dataset, facts.input_shape)
    if given is not None:
        return ChosenPreprocessing(usual[0].preprocessing, given)
    if len(usual) == 1:
        return ChosenPreprocessing(usual[0].preprocessing, AS_TEXTS if facts.takes_texts else NOT_SCALED)
    if facts.output == "numbers" and (nearest := _nearest_to_numbers(model, opened, usual)) is not None:
        return nearest
    if not _has_classes(model, facts, opened):
        if usual[0].name == "as stored":  # pictures that somebody has scaled already
            return ChosenPreprocessing(usual[0].preprocessing, NOT_SCALED)
        own = next((one for one in usual if one.name == facts.own_range), None)
        if own is not None:
            return ChosenPreprocessing(own.preprocessing, f"the model's own first layers scale pictures of {own.name}")
        own = next((one for one in usual if one.name == exported), None)
        if own is not None:
            return ChosenPreprocessing(own.preprocessing, f"Teachable Machine gives its models pictures of {own.name}")
        doubt = " ".join([UNKNOWN, *apart_in_words(opened, usual)])
        return ChosenPreprocessing(usual[0].preprocessing, None, doubt=doubt)
    some = _tried_on(opened)
    tried = try_preprocessings(model, opened, usual, rows=some)
    if not tried:  # none fits, such as sounds of many lengths; using the inputs will report why
        return ChosenPreprocessing(usual[0].preprocessing, None, doubt=UNKNOWN)
    if len(tried) == 1 and not is_refuted(tried[0]):
        return ChosenPreprocessing(
            tried[0].preprocessing, f"{tried[0].name} is the only usual way the model takes", tried
        )
    remaining = possible_ways(tried)
    likely = {one.name: likelihood_of(model, opened, one.preprocessing, some) for one in remaining}
    chosen = max(remaining, key=lambda one: likely[one.name].rank)
    tried = _first(chosen, tried)
    unclear = _not_confirmed(model, opened, tried)
    apart = None if unclear != "" else _farthest(model, opened, tried, remaining, likely)
    if apart is not None and (chosen.count < FEW_LABELS or apart.count > MOST_APART * apart.size):
        unclear = f"{_best_in_words(remaining)}, {apart.words}."
    if unclear:
        return ChosenPreprocessing(
            chosen.preprocessing, None, tried, " ".join([unclear, *apart_in_words(opened, usual)])
        )
    if apart is not None:
        said = f"{_best_in_words((chosen, apart.way))}, {apart.words}, so {chosen.name} is taken"
        return ChosenPreprocessing(chosen.preprocessing, said, tried)
    alike = [one for one in remaining if np.array_equal(one.predicted, chosen.predicted)]
    chosen = likeliest_of_alike(likely, alike, [one.name for one in usual])
    return ChosenPreprocessing(
        chosen.preprocessing, trial_in_words(_first(chosen, tried), likely), _first(chosen, tried)
    )


def _nearest_to_numbers(
    model: Model, opened: OpenedDataset, usual: Sequence[UsualPreprocessing]
) -> ChosenPreprocessing | None:
    """The way in which predicted numbers are nearest to the known ones, where each other way is farther on more inputs.

    None where too few numbers are known, no way is nearest by the sign test, or the predictions do not rise with the known
    numbers.
    """
    from scipy.stats import binomtest, spearmanr

    known = opened.known
    if known is None or known.answers.ndim != 1 or not _are_numbers(known.classes) or len(known.rows) < FEW_LABELS:
        return None
    some = _tried_on(opened)
    named = np.array([float(word) for word in known.classes])
    truth, rows = (
        named[known.answers[some]] if known.classes else known.answers[some].astype(np.float64),
        known.rows[some],
    )
    predicted: dict[UsualPreprocessing, NDArray[np.float64]] = {}
    for one in usual:
        dataset, layer = opened.dataset.with_preprocessing(one.preprocessing), model.roles["OUT"]
        blocks = np.array_split(rows, -(-len(rows) // 256))
        with suppress(BadInput):
            said = np.concatenate([np.asarray(model.run(dataset.batch(block), [layer])[layer]) for block in blocks])
            predicted[one] = said[:, 0].astype(np.float64)
    errors = {one: np.abs(said - truth) for one, said in predicted.items() if np.ptp(said)}
    if len(errors) < 2:
        return None
    first, *others = sorted(errors, key=lambda one: float(np.median(errors[one])))
    rising = spearmanr(predicted[first], truth)
    nearer = [int((errors[first] < errors[one]).sum()) for one in others]
    apart = [int((errors[first] != errors[one]).sum()) for one in others]
    sure = all(
        count and binomtest(near, count, alternative="greater").pvalue <= ALPHA / len(others)
        for near, count in zip(nearer, apart, strict=True)
    )
    if not sure or rising.statistic <= 0 or rising.pvalue >= CONFIRMED:
        return None
    median, next_one = float(np.median(errors[first])), float(np.median(errors[others[0]]))
    return ChosenPreprocessing(
        first.preprocessing,
        f"{first.name} is nearest to {commas(len(truth))} known numbers, half of them within {median:.3g} (next: "
        f"{others[0].name}, {next_one:.3g})",
    )


def _first(chosen: TriedPreprocessing, tried: tuple[TriedPreprocessing, ...]) -> tuple[TriedPreprocessing, ...]:
    return (chosen, *(one for one in tried if one is not chosen))


def range_of_tool(model: Path) -> str:
    """Return the usual preprocessing of the tool that made a model's file, as its layout shows; "" where it shows none.

    Teachable Machine exports a Keras model of pictures as a zip of two files, or in a folder with lines such as "0 cat" in
    labels.txt; the code it shows for them scales to -1 to 1.
    """
    if model.name == KERAS_MODEL and (labels := model.with_name(LABELS_OF_TOOL)).is_file():
        lines = [line for line in small_text(labels, limits.MAX_SETTINGS_BYTES).splitlines() if line.strip()]
        numbered = [line.split(maxsplit=1)[0] == str(place) for place, line in enumerate(lines)]
        return "-1 to 1" if lines and all(numbered) else ""
    if model.suffix.lower() != ".zip" or not model.is_file():
        return ""
    return "-1 to 1" if {*ZipFiles(model).names} == {KERAS_MODEL, LABELS_OF_TOOL} else ""


KERAS_MODEL, LABELS_OF_TOOL = "keras_model.h5", "labels.txt"
"""What Teachable Machine calls its files."""


def apart_in_words(opened: OpenedDataset, usual: Sequence[UsualPreprocessing]) -> tuple[str, ...]:
    """Sentences on what sets the inputs apart from what models are usually given: their length, transparency or turn.

    And on a table that names them, whose labels are not clear.
    """
    said = opened.reading.doubtful if opened.reading is not None else ()
    if opened.words and opened.known is None:
        columns = " or ".join(f"--label {quote(name)}" for name in [*opened.words][:SHOWN_NAMES])
        said = (*said, f"If a column beside the inputs holds their labels, say which: {columns}.")
    unused = (f"Not used: {one}." for name, one in opened.facts if name == NOT_USED)
    return (*said, *unused, *_transparent_in_words(opened, usual))


SHOWN_NAMES = 6
"""Columns that a sentence names."""


def _transparent_in_words(opened: OpenedDataset, usual: Sequence[UsualPreprocessing]) -> tuple[str, ...]:
    """A sentence on pictures that are transparent in places, else as ``cut_in_words``."""
    count = opened.dataset.source.transparent if isinstance(opened.dataset, PictureDataset) else 0
    if not count:
        return cut_in_words(opened, usual)
    return (
        f"{commas(count)} of {counted(len(opened.dataset), 'picture')} are transparent in places. What stands behind these "
        "decides what the model sees.",
    )


def cut_in_words(opened: OpenedDataset, usual: Sequence[UsualPreprocessing]) -> tuple[str, ...]:
    """A sentence on sounds that are longer or shorter than the model takes but fit at another rate; none if they fit."""
    rates = [one.preprocessing.rate for one in usual if one.preprocessing.rate is not None]
    dataset, length = opened.dataset, usual[0].preprocessing.length
    if not rates or not isinstance(dataset, SoundDataset) or length is None:
        return ()
    longest = max(size.samples for size in dataset.sizes)
    return (
        f"The model takes {commas(length)} samples, and the sounds have up to {commas(longest)}, "
        f"{' or '.join(map(commas, dataset.rates[:2]))} per second; at {commas(rates[0])} per second they fit.",
    )


def cut_to_length(dataset: Dataset) -> tuple[str, ...]:
    """A sentence on sounds that are cut or filled up to the length that a model takes; none where all have it."""
    length = getattr(dataset, "preprocessing", Preprocessing()).length
    if not isinstance(dataset, SoundDataset) or length is None:
        return ()
    rate = dataset.preprocessing.rate
    sizes = [size.samples if rate is None else length_at(size, rate) for size in dataset.sizes]
    cut, filled = sum(size > length for size in sizes), sum(size < length for size in sizes)
    if not cut + filled:
        return ()
    return (
        f"The model takes {commas(length)} samples: {counted(cut, 'sound')} are longer and cut at the end, and "
        f"{commas(filled)} shorter and filled with silence.",
    )


def _not_confirmed(model: Model, opened: OpenedDataset, tried: tuple[TriedPreprocessing, ...]) -> str | None:
    """Why the labels do not confirm the way that would be chosen, the first one, in a sentence; "" where they do.

    None where the order of the classes is wrong, which will be asked, and not the way.
    """
    chosen = tried[0]
    if is_confirmed(chosen):
        return ""
    order = find_wrong_order(model, opened, tried)
    if order is not None and not order.prepared:
        return None
    otherwise = "" if order is None else f" {order.sentence}."
    return (
        f"The model agrees with the labels no more often than chance if inputs are prepared as {chosen.name}: on "
        f"{percent(chosen.accuracy)} of {_on(chosen)}.{otherwise}"
    )


def _on(one: TriedPreprocessing) -> str:
    return f"{commas(one.count)} labeled input{'s' if one.count > 1 else ''}"


@dataclass(frozen=True)
class _Rival:
    """Of the ways that labels do not tell from the chosen one, that which predicts other classes on most of ``size`` inputs."""

    way: TriedPreprocessing
    count: int
    size: int

    @property
    def words(self) -> str:
        """What sets it apart, for use in a sentence."""
        return (
            f"too close to tell them apart; they predict different classes on {commas(self.count)} of "
            f"{commas(self.size)} inputs"
        )


def _best_in_words(ways: Sequence[TriedPreprocessing]) -> str:
    """How often the best of some ways are right, those first that are most often."""
    first, *others = sorted(ways, key=lambda one: -one.accuracy)[:NAMED_WAYS]
    said = [f"{first.name} is right on {percent(first.accuracy)}"]
    said += [f"{one.name} on {percent(one.accuracy)}" for one in others]
    more = len(ways) - len(said)
    said += [f"{commas(more)} more on {percent(min(one.accuracy for one in ways))} or more"] if more else []
    return f"{' and '.join(said)} of {_on(first)}"


NAMED_WAYS = 4
"""Ways that a sentence names."""


MOST_APART = 0.01
"""Share of inputs on which two ways may predict different classes, and one is taken although labels do not tell them apart."""


def _farthest(
    model: Model,
    opened: OpenedDataset,
    tried: tuple[TriedPreprocessing, ...],
    remaining: tuple[TriedPreprocessing, ...],
    likely: dict[str, Likelihood],
) -> _Rival | None:
    """Which of ``remaining``, those that may be as good as the best one, predicts most otherwise than ``tried[0]``, if any."""
    chosen, rivals = tried[0], [one for one in remaining if one is not tried[0]]
    if chosen.count >= FEW_LABELS:
        rivals = [one for one in rivals if not is_likelier(likely, chosen, one)]
    if not rivals:
        return None
    seen = see_preprocessings(model, opened.dataset, [chosen, *rivals], count=MOST_TRIED)
    apart = {one.name: int((one.predicted != seen[0].predicted).sum()) for one in seen[1:]}
    name = max(apart, key=lambda name: apart[name], default="")
    if not apart.get(name):
        return None
    return _Rival(next(one for one in rivals if one.name == name), apart[name], len(seen[0].rows))


def trial_in_words(tried: tuple[TriedPreprocessing, ...], likely: Mapping[str, Likelihood]) -> str:
    """Which usual preprocessing was taken, and how well the numbers support that."""
    taken = tried[0]
    said = f"{taken.name} is right on {percent(taken.accuracy)} of {commas(taken.count)} labeled inputs"
    others = tried[1:]
    if not others:
        return said
    best = max(others, key=lambda one: one.accuracy)
    rival = f"{best.name} on {percent(best.accuracy)}"
    if best in possible_ways(tried):
        others = tuple(one for one in possible_ways(tried) if one is not taken)
        if all(is_likelier(likely, taken, one) or is_likelier_as_said(likely, taken, one) for one in others):
            return f"{said} and {rival}, within chance; taken because the right classes are likelier"
        if any(likely[one.name].certain for one in others) and not likely[taken.name].certain:
            return f"{said} and {rival}, within chance; taken because the model is not nearly always sure"
        return f"{said} and {rival}, within chance; taken as the usual one of those that predict the same"
    said = f"{said}, the most of {len(tried)} usual ways (next: {rival})"
    return f"{said}; so few labels may mislead" if taken.count < FEW_LABELS else said


def check_decided(chosen: ChosenPreprocessing, opened: OpenedDataset, model: Model, facts: ModelFacts) -> None:
    """BadInput, with the candidates, if it is not known how the inputs are prepared."""
    if chosen.source is not None:
        return
    right = {one.preprocessing: one.accuracy for one in chosen.tried}
    usual = suggest_preprocessings(opened.dataset, facts.input_shape)
    ways: list[UsualPreprocessing | TriedPreprocessing] = [*usual]
    if chosen.tried:
        may_be = possible_ways(tuple(sorted(chosen.tried, key=lambda one: -one.accuracy)))
        ways += [one for one in may_be if one.preprocessing not in {one.preprocessing for one in usual}]
    seen = see_preprocessings(model, opened.dataset, sorted(ways, key=lambda one: -right.get(one.preprocessing, 0.0)))
    count = len(seen[0].rows) if seen else 0
    candidates = "; ".join(
        f"{options(one.preprocessing)} ({one.name}"
        f"{f', right on {percent(right[one.preprocessing])}' if one.preprocessing in right else ''}) {one.sentence}"
        for one in seen
    )
    found = f"On {count} inputs: {candidates}. " if seen else ""
    raise BadInput(
        f"{chosen.doubt or UNKNOWN} {found}Expected the one it was trained with: give it with --scale, --mean, --deviation, "
        "--size, --channels, --background and --rate, or write it under [preprocessing] into a file NAME.toml beside the model "
        "NAME."
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
    said += ["--channels bgr"] if preprocessing.color == "bgr" else []
    said += [f"--background {preprocessing.background}"] if preprocessing.background != "none" else []
    said += [f"--rate {preprocessing.rate}"] if preprocessing.rate is not None else []
    return " ".join(said)


def find_wrong_order(
    model: Model, opened: OpenedDataset, tried: tuple[TriedPreprocessing, ...]
) -> ExchangedClasses | None:
    """The order of the classes in which the model would be right far more often, if the labels show one.

    With classes in the wrong order, even the right preprocessing looks bad, so each that was tried is checked, against
    the share that is right now.

    ``opened`` : prepared as chosen, its answers as places among the outputs. ``tried`` : as ``chosen_preprocessing`` gave it.
    """
    if "CON" not in model.roles or not _knows_classes(opened):
        return None
    if not tried:
        as_chosen = UsualPreprocessing("", opened.dataset.preprocessing)
        tried = try_preprocessings(model, opened, [as_chosen], rows=_tried_on(opened))
        if not tried:  # inputs that do not fit; using them will report why
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


def _has_classes(model: Model, facts: ModelFacts, opened: OpenedDataset) -> bool:
    """Whether the model predicts classes, and some labels are known."""
    return _knows_classes(opened) and ("CON" in model.roles or facts.output == "predicted class")


def _knows_classes(opened: OpenedDataset) -> bool:
    return opened.known is not None and opened.known.answers.ndim == 1 and bool(opened.known.classes)


def _tried_on(opened: OpenedDataset) -> np.ndarray:
    """Positions among the known answers, evenly spread."""
    assert opened.known is not None
    return np.unique(np.linspace(0, len(opened.known.rows) - 1, MOST_TRIED).astype(np.intp))


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


def check_meaning(model: ModelDescription, facts: ModelFacts, opened: OpenedDataset) -> None:
    """BadInput where the model gives one number per input, the labels are two classes, and nobody said what it means.

    The labels may also be in the only array or column of two classes beside inputs that are not rows of a table, and the
    model's file may list two classes.
    """
    if model.output is not None or facts.output != "numbers" or facts.widths["OUT"] != 1:
        return
    if len(opened.classes) == 2:
        raise _one_score(opened.classes, numbers=opened.numbers)
    if opened.known is None and len(facts.class_names) == 2:
        raise _one_score(facts.class_names, labeled=False)
    of_two = {name: words for name, words in opened.words.items() if len(words) == 2}
    if opened.known is None and len(of_two) == 1 and (opened.reading is None or not opened.reading.roles):
        [(label, words)] = of_two.items()
        raise _one_score(tuple(sorted(words)), label)


def doubt_about_number(model: Model, facts: ModelFacts, opened: OpenedDataset, output: str | None) -> tuple[str, ...]:
    """A sentence where one number per input may be a logit or probability of two classes, which nobody said.

    Its values have both signs, or are all from 0 to 1, and no numbers are known that it is to meet.
    """
    if output is not None or opened.known is not None or facts.output != "numbers" or facts.widths["OUT"] != 1:
        return ()
    said = _some_outputs(model, opened.dataset)
    if said is None or not said.size:
        return ()
    low, high = float(said.min()), float(said.max())
    kind = "one probability" if low >= 0 and high <= 1 else "one logit" if low < 0 < high else ""
    if not kind:
        return ()
    return (
        f"The model gives one number per input, from {low:.3g} to {high:.3g}, and is read as a regression. If it is {kind} of "
        f"two classes: --output-means {quote(kind)}.",
    )


def agrees(model: Model, facts: ModelFacts, placed: OpenedDataset) -> bool:
    """Whether a model agrees with the labels more often than by chance, prepared in some usual way or its classes exchanged.

    ``placed`` : the inputs with their answers as places among the outputs.
    """
    usual = suggest_preprocessings(placed.dataset, facts.input_shape)
    tried = try_preprocessings(model, placed, usual, rows=_tried_on(placed))
    return any(map(is_confirmed, tried)) or find_wrong_order(model, placed, tried) is not None


def check_depth(opened: OpenedDataset) -> None:
    """BadInput where pictures have 16 bits and use so few of them that all would be nearly black."""
    largest = opened.dataset.source.largest if isinstance(opened.dataset, PictureDataset) else None
    if largest is None or largest > DARKEST:
        return
    bits = max(int(largest).bit_length(), 8)
    raise BadInput(
        f"The pictures have 16 bits and their numbers run to {commas(largest)}, as of {bits} bits, so they would be nearly "
        f"black. Expected numbers up to 65,535. Run mogrify -evaluate Multiply {2 ** (16 - bits)} *.png on a copy of them, or "
        "say how they are prepared, such as --scale 1/255, where the model was trained on them as they are."
    )


DARKEST = 16_384
"""The largest number of pictures of 16 bits that seem to have fewer: a quarter of all there are."""


def check_chances(model: Model, opened: OpenedDataset, output: str | None) -> None:
    """BadInput where a person said that outputs are probabilities, and they are not from 0 to 1."""
    layer = model.roles.get("CON")
    if output is None or not output.endswith(("probability", "probabilities")) or layer is None:
        return
    rows = np.unique(np.linspace(0, len(opened.dataset) - 1, min(LOOKED_AT, len(opened.dataset))).astype(np.intp))
    try:
        said = np.asarray(model.run(opened.dataset.batch(rows), [layer])[layer])
    except BadInput:  # inputs that do not fit; using them will report why
        return
    low, high = float(said[:, -1].min()), float(said[:, -1].max())
    if low < -OUTSIDE or high > 1 + OUTSIDE:
        raise BadInput(
            f"The model's outputs run from {low:.3g} to {high:.3g} on {commas(len(rows))} inputs. Expected 0 to 1, as of "
            f"{output}. Say another meaning, such as --output-means 'one logit', which is above 0 for the second class."
        )


OUTSIDE = 1e-3
"""How far a probability may be outside of 0 to 1 by rounding."""


LOOKED_AT = 256
"""Inputs from which the spread of the predictions is estimated."""


def task_of(facts: ModelFacts, classes: tuple[str, ...], tolerance: SaidTolerance | None, top_k: int = 1) -> Task:
    """The task that follows from the model's output; BadInput where that is several numbers, or ``top_k`` is impossible.

    ``classes`` : in the order of the outputs. ``tolerance`` : of a regression. ``top_k`` : of a classification.
    """
    if top_k > 1 and (facts.output in WITHOUT_CHANCES or facts.output.startswith("several")):
        raise BadInput(
            f"Top {top_k} was asked for, and the model says {facts.output}. Expected one class per input, each with its "
            "probability. Leave it at 1, or say what the model's output means."
        )
    if facts.output == "numbers":
        if facts.widths["OUT"] != 1:
            raise BadInput(
                f"The model gives {facts.widths['OUT']} numbers per input. Expected one, or the classes' "
                "probabilities. Export "
                "one output, or say what the outputs mean."
            )
        return regression(0.0 if tolerance is None else tolerance)
    return MultiLabel(classes) if facts.output.startswith("several") else Classification(classes, top_k)


def spread_of(model: Model, dataset: Dataset) -> float | None:
    """The standard deviation of a regression's predictions over some inputs.

    None if the inputs are not prepared for a model yet, such as texts without a way to split them into tokens.
    """
    said = _some_outputs(model, dataset)
    return None if said is None else float(np.std(said))


def _some_outputs(model: Model, dataset: Dataset) -> NDArray[np.float32] | None:
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(LOOKED_AT, len(dataset))).astype(np.intp))
    layer = model.roles["OUT"]
    try:
        return model.run(dataset.batch(rows), [layer])[layer]
    except BadInput:
        return None


def truth_of(opened: OpenedDataset, task: Task) -> NDArray[Any] | None:
    """The known answers in the task's form, (N,) or (N, C); None where some are unknown. BadInput where they do not fit."""
    return None if opened.truth is None else _in_form_of(task, opened.truth, opened)


def known_labels_of(opened: OpenedDataset, task: Task) -> Mapping[int, str]:
    """The labels of the inputs whose answers came with them where others' did not; empty where they do not fit the task."""
    known = opened.known
    if known is None or opened.truth is not None:
        return {}
    try:
        return PartialTruth(known.rows, _in_form_of(task, known.answers, opened), task)
    except BadInput:  # labels of another kind say nothing about this model, which needs none
        return {}


def _in_form_of(task: Task, answers: NDArray[Any], opened: OpenedDataset) -> NDArray[Any]:
    """Known answers of the dataset in the task's form; BadInput where they do not fit."""
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
        f"The model distinguishes {count} classes and the dataset names {len(named)} ({', '.join(named)!s:.80}). "
        "Expected the "
        "same number in the same order. Label the data with class numbers, or choose the dataset of this model."
    )


def _are_numbers(words: tuple[str, ...]) -> bool:
    return all(word.lstrip("-").isdecimal() for word in words)


def _one_score(
    classes: tuple[str, ...], label: str = "", *, labeled: bool = True, numbers: Sequence[str] = ()
) -> ReadingUnclear:
    """The question what one number means; ``label`` : what may hold the labels, where nothing names it so.

    ``labeled`` : whether the classes are those of labels; else the model's own. ``numbers`` : columns that it may be to meet.
    """
    second = f"{classes[1]!r:.60}"
    where = f", and {label!r:.60} holds" if label else ", and the labels are" if labeled else ", and its file lists"
    return ReadingUnclear(
        "What is the model's number?",
        f"The model gives one number per input{where} two classes, {classes[0]!r:.60} and {second}.",
        [
            _way_to_mean("one logit", f"a logit: {second} above 0", label),
            _way_to_mean("one probability", f"a probability: {second} above 0.5", label),
            *([_way_to_mean("numbers", "a number to be met")] if label or _are_numbers(classes) else []),
            *(
                _way_to_mean("numbers", f"a number to be met, that of {one!r:.60}", one)
                for one in numbers[:SHOWN_NAMES]
            ),
        ],
    )


def _way_to_mean(output: str, words: str, label: str = "") -> Way:
    option, keyword = f"--output-means {quote(output)}", f"output={output!r}"
    if label:
        option, keyword = f"{option} --label {quote(label)}", f"{keyword}, label={label!r}"
    return Way(words, option, keyword, (("output", output), *((("label", label),) if label else ())))


def _unfit(model: str, data: str) -> BadInput:
    return BadInput(
        f"The model says {model} and the labels of the data are {data}. Expected the data that belong to the model. "
        "Choose them, "
        "or say what its output means."
    )
