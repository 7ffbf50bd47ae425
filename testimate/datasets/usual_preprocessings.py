"""Preprocessings that are common in training, to choose from, and how often a model is right with each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.subject import Dataset, Model
from testimate.core.words import commas
from testimate.datasets.dataset import OpenedDataset, PreparedDataset
from testimate.datasets.pictures import SERIES_SHAPE, PictureDataset
from testimate.datasets.preprocessing import Background, Preprocessing
from testimate.datasets.sounds import SoundDataset, length_at
from testimate.datasets.texts import TextDataset

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of torchvision's ImageNet models, for pictures from 0 to 1."""

CIFAR_10 = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
"""Mean and deviation of the CIFAR-10 training set, for pictures from 0 to 1."""

MNIST = (0.1307,), (0.3081,)
"""Mean and deviation of the MNIST training set, for pictures from 0 to 1."""

CAFFE = (103.939, 116.779, 123.68)
"""Means of blue, green and red that Caffe's models and Keras's ResNet50 and VGG subtract from pictures from 0 to 255."""


@dataclass(frozen=True)
class UsualPreprocessing:
    """A preprocessing to choose: its name for people and what it does."""

    name: str
    preprocessing: Preprocessing


@dataclass(frozen=True)
class TriedPreprocessing:
    """How often the model was right with a preprocessing, as a share of ``count`` labeled inputs.

    ``known``, ``predicted`` : places of the true and of the predicted classes, (count,).
    """

    name: str
    preprocessing: Preprocessing
    accuracy: float
    count: int
    known: NDArray[np.intp] = field(compare=False, repr=False)
    predicted: NDArray[np.intp] = field(compare=False, repr=False)


SEEN = 48
"""Inputs on which a preprocessing is shown when there are no labels to judge it by."""


@dataclass(frozen=True)
class SeenPreprocessing:
    """What the model says about some inputs, prepared in one way.

    ``rows`` : (n,) the inputs. ``predicted`` : (n,) the likeliest class, or the number of a regression.
        ``confidence`` : (n,) its probability, None for a regression. ``classes`` : how many the model distinguishes, 0 for a
        regression.
    """

    name: str
    preprocessing: Preprocessing
    rows: NDArray[np.intp]
    predicted: NDArray[Any]
    confidence: NDArray[np.float32] | None
    classes: int

    @property
    def sentence(self) -> str:
        """The model's answers in a few words."""
        if self.confidence is None:
            return f"predicts {self.predicted.min():.4g} to {self.predicted.max():.4g}"
        said = len(np.unique(self.predicted))
        return f"predicts {said} of {self.classes} classes, mean confidence {self.confidence.mean():.4f}"


def see_preprocessings(
    model: Model,
    dataset: PreparedDataset,
    usual: Sequence[UsualPreprocessing | TriedPreprocessing],
    *,
    count: int = SEEN,
) -> tuple[SeenPreprocessing, ...]:
    """The model's answers on ``count`` inputs with each preprocessing, in order; those that do not fit are left out."""
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(count, len(dataset))).astype(np.intp))
    layer = model.roles.get("CON") or model.roles["OUT"]
    found = []
    for one in usual:
        try:
            said = np.asarray(model.run(dataset.with_preprocessing(one.preprocessing).batch(rows), [layer])[layer])
        except BadInput:
            continue
        predicted: NDArray[Any]
        if "CON" in model.roles:
            predicted, confidence, classes = predicted_classes(said), said.max(axis=1), said.shape[1]
        else:
            predicted, confidence, classes = said[:, 0], None, 0
        found.append(SeenPreprocessing(one.name, one.preprocessing, rows, predicted, confidence, classes))
    return tuple(found)


def suggest_preprocessings(
    dataset: Dataset, input_shape: Sequence[int | None] | None = None
) -> tuple[UsualPreprocessing, ...]:
    """The usual preprocessings for a dataset, first the one it was opened with; the others differ from it only in numbers.

    ``input_shape`` : of one input of the model, None for a variable side; size, color, channel order and the
    length of texts and sounds follow from it. Texts and rows of numbers have only their own.
    """
    given = getattr(dataset, "preprocessing", Preprocessing())
    if isinstance(dataset, PictureDataset):
        given = fitted(dataset, input_shape) if input_shape is not None else given
        found = list(_of_pictures(dataset, given))
    elif isinstance(dataset, SoundDataset):
        given = fitted_sound(dataset, input_shape) if input_shape is not None else given
        found = list(_of_sounds(dataset, given))
    else:
        if isinstance(dataset, TextDataset) and input_shape is not None and len(input_shape) == 1 and input_shape[0]:
            given = replace(given, length=input_shape[0])
        found = [UsualPreprocessing("as stored", _numbers(given))]
    if given not in [usual.preprocessing for usual in found]:
        found.insert(0, UsualPreprocessing("as chosen", given))
    return tuple(sorted(found, key=lambda usual: usual.preprocessing != given))


def fitted(dataset: PictureDataset, input_shape: Sequence[int | None]) -> Preprocessing:
    """The dataset's preprocessing with the size, color and channel order that the model's input shape asks for."""
    given = dataset.preprocessing
    shape = tuple(input_shape)
    if len(shape) == 1:
        return replace(given, channels="flat")
    if len(shape) == 2:
        swapped = dataset.source.measured and _fits(dataset, shape[::-1]) and not _fits(dataset, shape)
        size = dataset.preprocessing.resize if swapped else _size(dataset, shape[0], shape[1])
        return replace(given, channels="swapped" if swapped else "none", color="gray", resize=size)
    if len(shape) != 3:
        return given
    first = shape[0] in (1, 3, 4) and shape[2] not in (1, 3, 4)
    channels, height, width = shape if first else (shape[2], shape[0], shape[1])
    color = given.color
    stored = None if dataset.source.shape is None else dataset.source.shape[2]
    if channels == 1:
        color = "as stored" if stored == 1 else "gray"
    elif channels == 3 and color != "bgr":
        color = "as stored" if stored == 3 else "rgb"
    return replace(given, channels="first" if first else "last", color=color, resize=_size(dataset, height, width))


def fitted_sound(dataset: SoundDataset, input_shape: Sequence[int | None]) -> Preprocessing:
    """The dataset's preprocessing with the length, and the place of the channel, that the model's input shape asks for."""
    given, shape = dataset.preprocessing, tuple(input_shape)
    if len(shape) == 2 and 1 in shape:
        first = shape[0] == 1
        given, shape = replace(given, channels="first" if first else "last"), shape[1:] if first else shape[:1]
    if len(shape) == 1 and shape[0] is not None and {size.samples for size in dataset.sizes} != {shape[0]}:
        given = replace(given, length=shape[0])
    return given


def predicted_classes(said: NDArray[Any]) -> NDArray[np.intp]:
    """The predicted class (n,) of probabilities (n, C), or of the number of the class alone, (n, 1)."""
    found: NDArray[np.intp] = (np.rint(said[:, 0]) if said.shape[1] == 1 else said.argmax(axis=1)).astype(np.intp)
    return found


def try_preprocessings(
    model: Model, opened: OpenedDataset, usual: Sequence[UsualPreprocessing], *, rows: NDArray[np.intp] | None = None
) -> tuple[TriedPreprocessing, ...]:
    """The model's accuracy over labeled inputs with each preprocessing, the best first; ties keep their order.

    A preprocessing that the model cannot take is left out.

    ``rows`` : positions among the known answers to try, all by default. The most probable class of the layer in the
        role CON, or the predicted one in OUT, is compared with the known class. Raises NotEnoughLabels where no class is known.
    """
    known = opened.known
    if known is None or known.answers.ndim != 1 or not known.classes:
        raise NotEnoughLabels(
            "No input has a known class to try preprocessings on. Expected some labels. Label a few inputs, or choose the "
            "preprocessing the model was trained with."
        )
    positions = np.arange(len(known.rows)) if rows is None else rows
    layer = model.roles.get("CON") or model.roles["OUT"]
    tried = []
    for one in usual:
        dataset = opened.dataset.with_preprocessing(one.preprocessing)
        try:
            predicted = [
                predicted_classes(np.asarray(model.run(dataset.batch(known.rows[some]), [layer])[layer]))
                for some in np.array_split(positions, -(-len(positions) // 256))
            ]
        except BadInput:
            continue
        truth, said = known.answers[positions].astype(np.intp), np.concatenate(predicted).astype(np.intp)
        accuracy = float((said == truth).mean())
        tried.append(TriedPreprocessing(one.name, one.preprocessing, accuracy, len(positions), truth, said))
    return tuple(sorted(tried, key=lambda one: -one.accuracy))


def _of_pictures(dataset: PictureDataset, given: Preprocessing) -> Iterator[UsualPreprocessing]:
    """Each range of numbers; of pictures that are transparent somewhere also with white and with black behind them."""
    yield from _of_colors(dataset, given)
    for background in BACKGROUNDS if dataset.source.transparent and given.background == "none" else ():
        for one in _of_colors(dataset, replace(given, background=background)):
            yield UsualPreprocessing(f"{one.name}, on {background}", one.preprocessing)


BACKGROUNDS: tuple[Background, ...] = ("white", "black")
"""What usually stands behind the transparent parts of a picture."""


def _of_colors(dataset: PictureDataset, given: Preprocessing) -> Iterator[UsualPreprocessing]:
    low, high = dataset.source.low, dataset.source.high
    gray = given.color == "gray" or (given.color == "as stored" and (dataset.source.shape or (0, 0, 3))[2] == 1)
    if (low, high) == (0.0, 255.0):
        unit = 1 / 255
    elif (low, high) == (0.0, 1.0):
        unit = 1.0
    else:
        yield UsualPreprocessing("as stored", _numbers(given))
        if (low, high) == (-1.0, 1.0):
            yield UsualPreprocessing("0 to 1", _numbers(given, 0.5, (-0.5,)))
            yield UsualPreprocessing("0 to 255", _numbers(given, 127.5, (-127.5,)))
        return
    yield UsualPreprocessing("0 to 255", _numbers(given, 255 * unit))
    yield UsualPreprocessing("0 to 1", _numbers(given, unit))
    yield UsualPreprocessing("-1 to 1", _numbers(given, 2 * unit, (1.0,)))
    if gray:
        yield UsualPreprocessing("MNIST's mean and deviation", _numbers(given, unit, *MNIST))
        return
    yield UsualPreprocessing("ImageNet's mean and deviation", _numbers(given, unit, *IMAGENET))
    yield UsualPreprocessing("CIFAR-10's mean and deviation", _numbers(given, unit, *CIFAR_10))
    caffe = replace(_numbers(given, 255 * unit, CAFFE), color="bgr")
    yield UsualPreprocessing("Caffe: blue first, 0 to 255 less the means", caffe)


USUAL_RATES = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
"""Samples per second of telephones, of speech models and of music."""


def _of_sounds(dataset: SoundDataset, given: Preprocessing) -> Iterator[UsualPreprocessing]:
    """Each range of numbers, of the sounds as they are and at the rates at which they are as long as the model takes."""
    for rate in (given.rate, *(() if given.rate else fitting_rates(dataset, given.length))):
        at = replace(given, rate=rate)
        said = "" if rate == given.rate else f", at {commas(rate or 0)} samples per second"
        yield UsualPreprocessing(f"-1 to 1{said}", _numbers(at))
        yield UsualPreprocessing(f"-{commas(32_768)} to {commas(32_767)}{said}", _numbers(at, 32_768.0))


def fitting_rates(dataset: SoundDataset, length: int | None) -> tuple[int, ...]:
    """The usual rates, other than their own, at which most sounds have exactly ``length`` samples."""
    if length is None:
        return ()
    sizes = Counter(dataset.sizes)
    fits = {rate: sum(n for size, n in sizes.items() if length_at(size, rate) == length) for rate in USUAL_RATES}
    own = dataset.rates if len(dataset.rates) == 1 else ()
    return tuple(rate for rate, count in fits.items() if 2 * count > len(dataset) and rate not in own)


def _numbers(
    given: Preprocessing, scale: float = 1.0, mean: tuple[float, ...] = (), deviation: tuple[float, ...] = ()
) -> Preprocessing:
    return replace(given, scale=scale, mean=mean, deviation=deviation)


def _size(dataset: PictureDataset, height: int | None, width: int | None) -> tuple[int, int] | None:
    """The size to resize to; None if the pictures already have it, are lines of numbers, or the model takes any."""
    stored = dataset.source.shape
    lines = dataset.source.measured and stored is not None and max(stored[:2]) >= SERIES_SHAPE * min(stored[:2])
    if height is None or width is None or lines:
        return dataset.preprocessing.resize
    return None if _fits(dataset, (height, width)) else (height, width)


def _fits(dataset: PictureDataset, shape: Sequence[int | None]) -> bool:
    """Whether all pictures have this height and width; None stands for any."""
    stored = dataset.source.shape
    return stored is not None and all(side in (None, own) for side, own in zip(shape, stored[:2], strict=True))
