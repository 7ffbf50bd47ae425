"""The demo "digits": scikit-learn's handwritten digits and a small network trained on 300 of them at the first start."""

from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged
from testimate.core.files import replace_file
from testimate.core.plug_ins import check_extra
from testimate.core.progress import Progress, silent
from testimate.core.subject import Modality, Model, Shown, Subject
from testimate.core.words import commas
from testimate.demos.png import gray_png
from testimate.tasks.classification import Classification

SPLIT_SEED = 7
"""Seed of the split into training and operational inputs."""

TRAINING_COUNT = 300
"""Inputs to train on; the other 1,497 are the operational set."""

TASK = Classification(classes=tuple("0123456789"))

NEEDS, OTHER_DEMOS = "To train its network the demo of handwritten digits", "take the demo of printed letters"

RECIPE = "digits-1"
"""Name of the network and its training; another one gets another name, and its weights are trained again."""


def open_digits(folder: Path, progress: Progress = silent) -> Subject:
    """The demo as a subject with known truth; trains its network where ``folder`` keeps no sound weights.

    The weights are in ``folder/demos/digits/``, named by their content, so that a damaged file is noticed and trained
    again without PyTorch being imported for a sound one. Training takes about a second on one thread.

    Raises
    ------
    StoreUnavailable : the weights could not be written.
    """
    place = folder / "demos" / "digits"
    images, digits = bundled_digits()
    training, operational = split_rows(len(images))
    found = find_weights(place, RECIPE)
    if found is None:
        check_extra(["torch"], NEEDS, OTHER_DEMOS)
        from testimate.demos.digits_network import train  # PyTorch, only where there is something to train

        found = keep_weights(place, RECIPE, train(images[training], digits[training], progress))
    dataset = GrayPictures(images[operational])
    return Subject(
        key="digits",
        name="Digits, small CNN",
        task=TASK,
        dataset=dataset,
        fingerprint=fingerprint.of_bytes(found.encode(), dataset.fingerprint.encode(), repr(TASK).encode()),
        model_fingerprint=found,
        open_model=partial(_open_network, place, found, images[training[:1]]),
        truth=digits[operational],
        facts=(
            ("inputs", f"{commas(len(operational))} pictures of 8 x 8 pixels that the network has not seen"),
            ("trained on", f"{len(training)} pictures of the same kind"),
            ("network", "two convolutions and two dense layers, PyTorch"),
            ("source", "scikit-learn's bundled digits (UCI, Alpaydin and Kaynak 1998)"),
        ),
    )


@lru_cache(maxsize=1)
def bundled_digits() -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """All 1,797 pictures (N, 8, 8) from 0 to 1, and what they show (N,); read once, so not to be written to."""
    # the file that scikit-learn's load_digits reads; scikit-learn itself takes a second to import
    package = find_spec("sklearn")
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).parent / "datasets" / "data" / "digits.csv.gz"
    rows = np.loadtxt(file, delimiter=",", dtype=np.uint8)  # (N, 65)
    pixels, digits = rows[:, :-1].reshape(-1, 8, 8), rows[:, -1]  # 0..16
    pictures, shown = np.divide(pixels, np.float32(16), dtype=np.float32), digits.astype(np.intp)
    pictures.flags.writeable = shown.flags.writeable = False
    return pictures, shown


def split_rows(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows to train on and the operational ones, in the order in which they are shown."""
    shuffled = np.random.default_rng(SPLIT_SEED).permutation(size)
    return shuffled[:TRAINING_COUNT], shuffled[TRAINING_COUNT:]


def _open_network(place: Path, found: str, example: NDArray[np.float32]) -> Model:
    check_extra(["torch"], NEEDS, OTHER_DEMOS)
    from testimate.demos.digits_network import load

    return load(read_weights(place, RECIPE, found), example[:, None], found)


class GrayPictures:
    """``images`` (N, height, width) float32, 0 = paper to 1 = ink."""

    modality: Modality = "image"

    def __init__(self, images: NDArray[np.float32]) -> None:
        self._images = images
        self.fingerprint = fingerprint.of_array(images)

    def __len__(self) -> int:
        return len(self._images)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows with one channel, (len(rows), 1, height, width) float32."""
        return self._images[rows][:, None]

    def show(self, row: int) -> Shown:
        """The picture as PNG, dark ink on white paper, pixel for pixel; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}. Expected one from 0 to {len(self) - 1}. Choose another.")
        gray = np.rint(255 * (1 - self._images[row])).astype(np.uint8)
        return Shown(modality="image", image=gray_png(gray))


def find_weights(place: Path, recipe: str) -> str | None:
    """The fingerprint of the first sound weights of that recipe in the folder, or None where there are none."""
    for path in sorted(place.glob(f"{recipe}-*.pt")):
        claimed = path.stem.removeprefix(f"{recipe}-")
        try:
            if fingerprint.of_bytes(path.read_bytes()) == claimed:
                return claimed
        except OSError:  # unreadable is as good as damaged: trained again
            continue
    return None


def keep_weights(place: Path, recipe: str, content: bytes) -> str:
    """Writes the weights whole or not at all and returns their fingerprint; StoreUnavailable where that fails."""
    digest = fingerprint.of_bytes(content)
    try:
        place.mkdir(parents=True, exist_ok=True)
        replace_file(_path(place, recipe, digest), content)
    except OSError as error:
        raise StoreUnavailable(
            f"The demo's weights could not be kept in {place} ({error.strerror}). Expected a folder that can be written "
            "and has room. Free space or choose another project folder."
        ) from error
    return digest


def read_weights(place: Path, recipe: str, digest: str) -> bytes:
    """The weights of that fingerprint; SubjectChanged where the file is gone or no longer what it was."""
    path = _path(place, recipe, digest)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SubjectChanged(
            f"The demo's weights {path.name} are gone ({error.strerror}). Expected the file that was there when the "
            "demo was opened. Open the demo again to train them again."
        ) from error
    if fingerprint.of_bytes(content) != digest:
        raise SubjectChanged(
            f"The demo's weights {path.name} were changed on disk. Expected the file that was there when the demo was "
            "opened. Open the demo again to train them again."
        )
    return content


def _path(place: Path, recipe: str, digest: str) -> Path:
    return place / f"{recipe}-{digest}.pt"
