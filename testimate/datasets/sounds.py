"""Sounds as a dataset: WAV, FLAC, MP3 and OGG files by libsndfile, one channel of numbers from -1 to 1 for the model."""

import io
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.pictures import scaled
from testimate.datasets.preprocessing import MAX_RATE, Preprocessing, prepared_fingerprint
from testimate.datasets.rows import Contents, checked_row, checked_rows
from testimate.datasets.texts import filled

MARKS = (b"RIFF", b"fLaC", b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"OggS")
"""First bytes of a sound: WAV, FLAC, MP3 with and without a tag, OGG."""


def is_sound(content: bytes) -> bool:
    """Whether the first bytes are those of a sound."""
    return content.startswith(MARKS)


@dataclass(frozen=True, slots=True)
class SoundSize:
    """Samples per second and samples in each channel."""

    rate: int
    samples: int


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples (count, channels) float32 from -1 to 1, and the number per second."""

    rate: int
    samples: NDArray[np.float32]


def sound_size(content: bytes, name: str) -> SoundSize:
    """The size of a sound's file; BadInput where it cannot be read."""
    sound = read_sound(content, name)
    return SoundSize(sound.rate, len(sound.samples))


def read_sound(content: bytes, name: str) -> Sound:
    """The samples of a WAV (whole numbers or floats), FLAC, MP3 or OGG file; BadInput where it is damaged, too long or empty.

    A packed sound may be far longer than its file, so its length is checked before it is unpacked, and no more is read.
    """
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            rate = file.samplerate
            _check_size(name, rate, file.frames * file.channels)
            samples = file.read(file.frames, dtype="float32", always_2d=True)
    except soundfile.SoundFileError as error:
        raise BadInput(
            f"{name!r:.100} cannot be read as a sound ({getattr(error, 'error_string', error)!s:.80}). Expected WAV, FLAC, "
            "MP3 or OGG. Convert it, or take it out."
        ) from error
    if not len(samples):
        raise BadInput(f"{name!r:.100} has no samples. Expected at least one. Record it again or take it out.")
    return Sound(rate, np.nan_to_num(samples))


def _check_size(name: str, rate: int, values: int) -> None:
    """BadInput for a rate that no sound has, or more values than one input may have."""
    if not 1 <= rate <= MAX_RATE:
        raise BadInput(
            f"{name!r:.100} has {commas(rate)} samples per second. Expected 1 to {commas(MAX_RATE)}. Convert it or take it "
            "out."
        )
    if values > limits.MAX_VALUES:
        raise limits.too_large(f"samples in {name!r:.60}", values, limits.MAX_VALUES, "Cut it or leave it out.")


def at_rate(sound: Sound, rate: int) -> Sound:
    """The sound with another number of samples per second, by a polyphase filter.

    The length is that of the sound times ``rate`` / its own rate, rounded up.

    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000, dtype=np.float32)[:, None]
    >>> at_rate(Sound(16_000, tone), 8_000).samples.shape
    (8000, 1)
    """
    if rate == sound.rate:
        return sound
    from scipy.signal import resample_poly

    shared = gcd(rate, sound.rate)
    made = resample_poly(sound.samples, rate // shared, sound.rate // shared, axis=0)
    return Sound(rate, made.astype(np.float32))


def length_at(size: SoundSize, rate: int) -> int:
    """How many samples ``at_rate`` gives of a sound of this size.

    >>> length_at(SoundSize(44_100, 44_101), 16_000)
    16001
    """
    return -(-size.samples * rate // size.rate)


def sound_bytes(sound: Sound) -> bytes:
    """The sound as a WAV file of 16 bits, with nothing else in it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(sound.samples.shape[1])
        writer.setsampwidth(2)
        writer.setframerate(sound.rate)
        writer.writeframes(np.rint(sound.samples * 32_768).clip(-32_768, 32_767).astype("<i2").tobytes())
    return file.getvalue()


class SoundDataset:
    """Sounds prepared for a model; several channels are averaged into one."""

    modality: Modality = "audio"

    def __init__(self, contents: Contents, sizes: Sequence[SoundSize], preprocessing: Preprocessing) -> None:
        self._contents, self.sizes, self.preprocessing = contents, sizes, preprocessing
        self.content_fingerprint = contents.fingerprint
        self.fingerprint = prepared_fingerprint(contents.fingerprint, preprocessing)

    def __len__(self) -> int:
        return len(self._contents)

    @property
    def rates(self) -> tuple[int, ...]:
        """The numbers of samples per second that occur, in order."""
        return tuple(sorted({size.rate for size in self.sizes}))

    def with_preprocessing(self, preprocessing: Preprocessing) -> "SoundDataset":
        """The same sounds with another preprocessing."""
        return SoundDataset(self._contents, self.sizes, preprocessing)

    def digests(self) -> Iterator[bytes]:
        """A digest of each sound's file."""
        return self._contents.digests()

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The samples, (len(rows), length) float32, with an axis of one channel before or after the length if one is set.

        Raises BadInput where rates differ and none is set, or where lengths differ and no length is set.
        """
        rows = checked_rows(rows, len(self))
        rate = self.preprocessing.rate
        if rate is None and len(self.rates) > 1:
            raise BadInput(
                f"The sounds have {', '.join(map(commas, self.rates))!s:.100} samples per second. Expected one "
                "rate. Say the model's under rate, or convert them to it."
            )
        read = (self._sound(int(row)) for row in rows)
        sounds = [(sound if rate is None else at_rate(sound, rate)).samples.mean(axis=1) for sound in read]
        table = filled(sounds, self.preprocessing, "sounds").astype(np.float32)
        if not self.preprocessing.is_identity:
            table = scaled(table[..., None], self.preprocessing)[..., 0]
        axis = {"first": 1, "last": 2}.get(self.preprocessing.channels)
        return table if axis is None else np.expand_dims(table, axis)

    def show(self, row: int) -> Shown:
        """The sound as a WAV file, written again."""
        return Shown(modality="audio", audio=sound_bytes(self._sound(checked_row(row, len(self)))))

    def _sound(self, row: int) -> Sound:
        return read_sound(self._contents.read(row), self._contents.name(row))
