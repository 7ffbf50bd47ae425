"""The spectrogram against its definition, and against tones whose frequency and time are known."""

import io
import wave

import numpy as np
import pytest
from PIL import Image

from testimate.ui.components.spectrogram import MOST_COLUMNS, MOST_ROWS, powers, spectrogram
from tests.each import each


def wav(samples: np.ndarray, rate: int, channels: int = 1, width: int = 2) -> bytes:
    """Samples from -1 to 1, (n,), the same in each channel, as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(rate)
        numbers = np.rint(samples * 32_767).astype("<i2").repeat(channels)
        writer.writeframes(numbers.tobytes() if width == 2 else bytes(width * len(numbers)))
    return file.getvalue()


def test_the_power_of_each_frequency_is_that_of_a_hann_window_around_its_time():
    samples = np.random.default_rng(3).normal(size=2_048)
    ours = powers(samples, 8_000)  # windows of 256 whose middles are 64 apart
    silent = np.pad(samples, 128)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(256) / 256)
    theirs = [np.abs(np.fft.rfft(silent[start : start + 256] * hann)) ** 2 for start in range(0, 2_048, 64)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@each("channels", [1, 2])
@each(("rate", "seconds"), [(8_000, 0.5), (16_000, 2.0), (44_100, 30.0)])
def test_a_tone_stands_at_its_frequency_for_as_long_as_it_sounds(rate, seconds, channels):
    time = np.arange(int(rate * seconds)) / rate
    tone = 0.5 * np.sin(2 * np.pi * 1_000 * time) * (time < seconds / 2)
    drawn = spectrogram(wav(tone, rate, channels))
    rows, columns = drawn.picture.shape[:2]
    assert rows <= MOST_ROWS
    assert columns <= MOST_COLUMNS
    assert (drawn.hertz, drawn.seconds) == (rate / 2, pytest.approx(seconds))
    opacity = drawn.picture[..., 3].astype(int)
    loudest = opacity[:, : columns * 2 // 5].argmax(axis=0)  # 0 is the highest frequency
    hertz = (1 - loudest / (rows - 1)) * rate / 2
    assert np.abs(hertz - 1_000).max() <= 1.5 * rate / 2 / rows
    assert opacity[:, columns * 3 // 5 :].max() == 0
    with Image.open(io.BytesIO(drawn.png())) as picture:
        np.testing.assert_array_equal(np.asarray(picture), drawn.picture)


def test_silence_is_drawn_empty_and_what_is_no_sound_is_not_drawn():
    assert spectrogram(wav(np.zeros(800), 8_000)).picture[..., 3].max() == 0
    assert spectrogram(wav(np.array([0.5]), 8_000)).picture.shape[2] == 4
    none = [b"", b"RIFF and nothing more", wav(np.zeros(0), 8_000), wav(np.zeros(800), 8_000, width=1)]
    assert [spectrogram(one) for one in none] == [None] * 4
