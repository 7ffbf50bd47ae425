"""The spectrogram of a sound: which frequencies it has, and when, as a small picture for light and dark themes."""

import io
import wave
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WINDOW_SECONDS = 0.032
"""Long enough to separate the tones of a voice, short enough for its syllables."""

MOST_COLUMNS, MOST_ROWS = 560, 160
MOST_WINDOWS = 4 * MOST_COLUMNS
"""In a longer sound not every sample is used."""

RANGE = 60.0
"""Decibels below the loudest that are still drawn."""

CONTRAST = 1.6
"""Power of the opacity, so that what is quiet recedes behind what is loud."""

WIDE = (560, 140)
"""Width and height of the picture where it is shown as it is."""

SMALL = (280, 70)
"""The same where many are side by side."""

BLUE = (30, 130, 205)
"""Visible on white and on black; opacity alone shows the loudness."""


@dataclass(frozen=True, eq=False)
class Spectrogram:
    """Loudness by time and frequency.

    Attributes
    ----------
    picture : (rows, columns, 4) uint8, red, green, blue and opacity; highest frequency first, time from left to right.
    hertz : the highest frequency, half the samples per second. seconds : how long the sound is.
    """

    picture: NDArray[np.uint8]
    hertz: float
    seconds: float

    @property
    def title(self) -> str:
        """What the picture shows, for those who do not see it and as a caption."""
        top = f"{self.hertz / 1000:.3g} kHz" if self.hertz >= 1000 else f"{self.hertz:.0f} Hz"
        return f"Spectrogram: 0 to {top}, {self.seconds:.3g} s"

    def wide(self) -> NDArray[np.uint8]:
        """The picture in a shape that fits above a player, however short the sound is, (140, 560, 4)."""
        return np.asarray(Image.fromarray(self.picture).resize(WIDE, Image.Resampling.BILINEAR))

    def png(self) -> bytes:
        """The picture as a PNG file."""
        return _png(Image.fromarray(self.picture))

    def small(self) -> bytes:
        """The picture as a PNG file in a shape that fits on a wall of sounds, (70, 280, 4)."""
        return _png(Image.fromarray(self.picture).resize(SMALL, Image.Resampling.BILINEAR))


def _png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def spectrogram(sound: bytes) -> Spectrogram | None:
    """The spectrogram of a WAV file of 16 bits, its channels averaged; None where it holds no such sound."""
    try:
        with wave.open(io.BytesIO(sound)) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            frames = file.readframes(min(file.getnframes(), len(sound)))
    except (wave.Error, EOFError, RuntimeError):
        return None
    if width != 2 or not rate or len(frames) < 2 * channels:
        return None
    whole = len(frames) // (2 * channels) * channels
    samples = np.frombuffer(frames, "<i2")[:whole].reshape(-1, channels).mean(axis=1)  # (n,)
    power = pooled(powers(samples, rate).T)[::-1]  # (rows, columns), the highest frequency first
    loudest = power.max()
    decibels = 10 * np.log10(np.maximum(power / loudest, 1e-20)) if loudest > 0 else np.full_like(power, -RANGE)
    picture = np.empty((*power.shape, 4), dtype=np.uint8)
    picture[..., :3] = BLUE
    picture[..., 3] = np.rint((1 + decibels / RANGE).clip(0, 1) ** CONTRAST * 255)
    return Spectrogram(picture, rate / 2, len(samples) / rate)


def powers(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """The power of each frequency (columns, 0 to rate / 2) in windows whose middles are evenly spread over the sound (rows).

    A Hann window, as is usual (Oppenheim and Schafer 2010, section 10.3); beyond its ends the sound is silent.
    """
    from scipy.signal import ShortTimeFFT  # loads half of SciPy, which only sounds need
    from scipy.signal.windows import hann

    length = max(16, 2 ** round(np.log2(rate * WINDOW_SECONDS)))
    hop = max(length // 4, -(-len(samples) // MOST_WINDOWS))
    long_enough = np.pad(samples, (0, max(0, length - len(samples))))
    transform = ShortTimeFFT(hann(length, sym=False), hop, rate)
    power: NDArray[np.float64] = transform.spectrogram(long_enough, p0=0, p1=-(-len(samples) // hop)).T
    return power


def pooled(power: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most ``MOST_ROWS`` by ``MOST_COLUMNS``, the loudest of those that fall together, so that no click is lost."""
    for axis, most in enumerate((MOST_ROWS, MOST_COLUMNS)):
        size = power.shape[axis]
        if size > most:
            power = np.maximum.reduceat(power, np.arange(most) * size // most, axis=axis)
    return power
