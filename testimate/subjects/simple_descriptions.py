"""What can be said about an input without any model: how bright or sharp a picture is, how long a text, in which language."""

import io
import re
import unicodedata
import wave
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset

DESCRIBED_SAMPLE, BLOCK = 24, 256
"""Pictures on which the model's and the person's view are compared, and inputs that are read at once."""

ALIKE = 0.9
"""From this correlation of the brightness of both views, the model's, which is available at once, replaces the other."""

WORDS = {
    "English": "the and of to in is that it was for with as on not this but are have be you",
    "German": "der die und das ist nicht ein ich zu mit den von auf es sich auch wie für dem eine",
    "French": "le la les et des est une que pas dans pour qui sur au avec ce il ne vous je",
    "Spanish": "el los las que una por con para como más pero sus le ya porque cuando muy sin sobre también",
    "Italian": "il che non una per sono con della mi gli ma più anche come questo nel alla dei ho era",
    "Dutch": "het een van dat niet op zijn voor met aan maar ook er als bij nog naar dan wat heb",
    "Portuguese": "não uma para com os mais como mas foi ao ele das tem seu sua ou quando muito nos já",
}
"""The commonest words of a few languages."""

_KNOWN = {name: frozenset(words.split()) for name, words in WORDS.items()}

Description = Mapping[str, NDArray[np.float64] | Sequence[str]]
"""By name, a number or a word for each of N inputs."""


def simple_descriptions(dataset: Dataset, progress: Progress = silent) -> Description:
    """For pictures "brightness", "contrast", "sharpness" and, if it differs, "pixels"; for texts "words", "digits" and
    "language"; for sounds "seconds" and "loudness"; nothing for other inputs.

    Brightness and contrast are the mean and the spread of the grey values, 0 to 1 as a person sees them; sharpness is the mean
    squared difference of neighbours over twice the variance, about 0 for a smooth picture and 1 for noise. Digits are a
    share of the characters. A language is guessed from its commonest words; failing that, the script is given. Loudness
    is the root mean square, 0 to 1.
    """
    if dataset.modality == "image":
        return _of_pictures(dataset, progress)
    rows = range(len(dataset))
    if dataset.modality == "text":
        texts = [dataset.show(row).text or "" for row in _with_progress(rows, progress)]
        lengths = np.array([max(len(text), 1) for text in texts], dtype=np.float64)
        digits = np.array([sum(letter.isdigit() for letter in text) for text in texts], dtype=np.float64)
        return {
            "words": np.array([len(text.split()) for text in texts], dtype=np.float64),
            "digits": digits / lengths,
            "language": [language_of(text) for text in texts],
        }
    if dataset.modality == "audio":
        found = np.array([_of_sound(dataset.show(row).audio) for row in _with_progress(rows, progress)]).reshape(-1, 2)
        return {"seconds": found[:, 0], "loudness": found[:, 1]}
    return {}


def language_of(text: str) -> str:
    """The language whose commonest words are at least a tenth of the words; else the script of most letters.

    >>> language_of("the cat sat on the mat and it was happy"), language_of("не знаю"), language_of("12")
    ('English', 'Cyrillic', 'no letters')
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(word in known for word in words) for name, known in _KNOWN.items()}
    best = max(counts, key=counts.__getitem__)
    if words and counts[best] >= max(2, len(words) / 10):
        return best
    scripts = Counter(unicodedata.name(letter, "?").split()[0].capitalize() for letter in text if letter.isalpha())
    return scripts.most_common(1)[0][0] if scripts else "no letters"


def _with_progress(rows: Sequence[int], progress: Progress) -> Iterator[int]:
    """The rows, with progress reported on the way."""
    for row in rows:
        if row % BLOCK == 0:
            progress(row, len(rows), "looking at the inputs")
        yield row


def _of_sound(audio: bytes | None) -> tuple[float, float]:
    """Seconds and loudness of a WAV; nan where it cannot be read."""
    if audio is None:
        return float("nan"), float("nan")
    try:
        with wave.open(io.BytesIO(audio)) as opened:
            frames, rate, width = opened.getnframes(), opened.getframerate(), opened.getsampwidth()
            content = opened.readframes(frames)
    except (wave.Error, EOFError):
        return float("nan"), float("nan")
    if width != 2 or not frames:
        return frames / rate, float("nan")
    samples = np.frombuffer(content, dtype="<i2").astype(np.float64) / 32768
    return frames / rate, float(np.sqrt((samples**2).mean()))


# Pictures


def _of_pictures(dataset: Dataset, progress: Progress) -> Description:
    size = len(dataset)
    glances = getattr(dataset, "glances", None)  # for a dataset that can show small pictures
    if glances is not None:
        return _by_batches(size, lambda rows: glances(rows).astype(np.float64).mean(axis=3) / 255, progress)
    sample = np.unique(np.linspace(0, size - 1, DESCRIBED_SAMPLE).astype(np.intp))
    shown = [_shown(dataset, int(row)) for row in sample]
    if any(one is None for one in shown):
        return {}
    seen = np.array([one.mean() for one in shown if one is not None])
    same_size = len({one.shape for one in shown if one is not None}) == 1
    given = _as_grey(dataset.batch(sample)) if same_size else None
    if given is not None and len(sample) > 2 and seen.std() > 0 and given.mean(axis=(1, 2)).std() > 0:
        means = given.mean(axis=(1, 2))
        if abs(np.corrcoef(means, seen)[0, 1]) >= ALIKE:
            slope, start = np.polyfit(means, seen, 1)
            return _by_batches(size, lambda rows: start + slope * _grey_batch(dataset, rows), progress)
    return _one_by_one(dataset, progress)


def _by_batches(size: int, grey: Callable[[NDArray[np.intp]], NDArray[np.float64]], progress: Progress) -> Description:
    """Descriptions from grey pictures of several rows at once, (n, H, W), 0 to 1 as a person sees them."""
    found = np.empty((size, 3))
    for first in range(0, size, BLOCK):
        progress(first, size, "looking at the pictures")
        rows = np.arange(first, min(first + BLOCK, size))
        found[rows] = _described(grey(rows))
    return {"brightness": found[:, 0], "contrast": found[:, 1], "sharpness": found[:, 2]}


def _grey_batch(dataset: Dataset, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    grey = _as_grey(dataset.batch(rows))
    assert grey is not None, "looked at before"
    return grey


def _one_by_one(dataset: Dataset, progress: Progress) -> Description:
    """Descriptions from the pictures as a person sees them."""
    size = len(dataset)
    found, pixels = np.full((size, 3), np.nan), np.full(size, np.nan)
    for row in _with_progress(range(size), progress):
        one = _shown(dataset, row)
        if one is not None:
            found[row], pixels[row] = _described(one[None])[0], one.size
    made = {"brightness": found[:, 0], "contrast": found[:, 1], "sharpness": found[:, 2]}
    return {**made, "pixels": pixels} if len(np.unique(pixels)) > 1 else made


def _described(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    """Brightness, contrast and sharpness of n pictures (n, H, W), as (n, 3)."""
    variance = grey.var(axis=(1, 2))
    steps = [(np.diff(grey, axis=axis) ** 2).mean(axis=(1, 2)) for axis in (1, 2) if grey.shape[axis] > 1]
    rough = np.mean(steps, axis=0) if steps else np.zeros(len(grey))
    sharp = np.divide(rough, 2 * variance, out=np.zeros(len(grey)), where=variance > 0)
    return np.stack([grey.mean(axis=(1, 2)), np.sqrt(variance), sharp], axis=1)


def _shown(dataset: Dataset, row: int) -> NDArray[np.float64] | None:
    """The picture as a person sees it, in grey from 0 to 1, (H, W); None if there is none."""
    png = dataset.show(row).image
    if png is None:
        return None
    with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
        return np.asarray(opened.convert("L"), dtype=np.float64) / 255


def _as_grey(batch: NDArray[Any]) -> NDArray[np.float64] | None:
    """The model's inputs as grey pictures, (n, H, W); None if they cannot be read as pictures."""
    if batch.dtype.kind not in "fiub":
        return None
    if batch.ndim == 3:
        return batch.astype(np.float64)
    if batch.ndim != 4:
        return None
    channels = 1 if batch.shape[1] in (1, 3, 4) else 3 if batch.shape[3] in (1, 3, 4) else None
    return None if channels is None else batch.astype(np.float64).mean(axis=channels)
