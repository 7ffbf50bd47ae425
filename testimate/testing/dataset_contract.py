"""The contract of a dataset reader, as a check that raises AssertionError with a sentence."""

import tempfile
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.open import DatasetReader
from testimate.datasets.preprocessing import Preprocessing

HEAD = 512
OUR_DATASETS = {
    "an array": b"\x93NUMPY\x01\x00",
    "a zip": b"PK\x03\x04",
    "Parquet": b"PAR1",
    "a CSV": b"prediction,confidence\ncat,0.9\n",
    "a pickle": b"\x80\x04\x95",
    "nothing": b"",
}
"""Beginnings of files that Testimate reads or refuses without any plug-in."""


def check_dataset_reader(reader: DatasetReader, path: Path) -> None:
    """Checks a reader against the contract of every dataset, with one file of its kind.

    It knows its own file by the first bytes and takes none of Testimate's own kinds; read twice the inputs and their
    fingerprints are the same; rows give the same in any combination and order as alone; each input can be shown; rows
    that do not exist are refused; another preprocessing changes the fingerprint but not that of the content; a
    truncated file is refused with BadInput.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence.
    """
    content = path.read_bytes()
    _dataset_holds(reader.knows(content[:HEAD]), f"The reader does not know {path.name}")
    for what, start in OUR_DATASETS.items():
        _dataset_holds(not reader.knows(start), f"The reader takes {what} for its own kind")
    first, again = reader.open(path, Preprocessing()), reader.open(path, Preprocessing())
    _dataset_holds(len(first.dataset) > 0, "The dataset is empty")
    _dataset_holds(first.fingerprint == again.fingerprint, "Read again, the same file has another fingerprint")
    _check_rows(first)
    darker = first.dataset.with_preprocessing(Preprocessing(scale=0.5))
    _dataset_holds(
        darker.fingerprint != first.dataset.fingerprint, "Another preprocessing does not change the fingerprint"
    )
    _dataset_holds(
        darker.content_fingerprint == first.dataset.content_fingerprint,
        "Another preprocessing changes the fingerprint of the content",
    )
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder, path.name)
        changed.write_bytes(content[: len(content) // 2 + 1])
        try:
            cut = reader.open(changed, Preprocessing())
        except BadInput:
            return
        _dataset_holds(cut.fingerprint != first.fingerprint, "Nothing shows that a truncated file is truncated")


def _check_rows(opened: OpenedDataset) -> None:
    dataset = opened.dataset
    size = len(dataset)
    rows = np.array([size - 1, 0, size // 2], dtype=np.intp)
    together = np.asarray(dataset.batch(rows))
    _dataset_holds(len(together) == 3, f"A batch of 3 rows has {len(together)}")
    for place, row in enumerate(rows):
        alone = np.asarray(dataset.batch(rows[place : place + 1]))[0]
        _dataset_holds(np.array_equal(together[place], alone), f"Row {row} is different in a batch than alone")
        shown = dataset.show(int(row))
        fields = (shown.image, shown.text, shown.audio, shown.cells or None, shown.series)
        _dataset_holds(sum(one is not None for one in fields) == 1, f"Row {row} is shown in other than exactly one way")
    for row in (-1, size):
        try:
            dataset.show(row)
        except BadInput:
            continue
        raise AssertionError(f"Row {row} of {size} is shown; expected BadInput.")
    if opened.known is not None:
        known = opened.known
        _dataset_holds(
            len(known.rows) == len(known.answers), "The number of answers differs from that of the rows with one"
        )


def _dataset_holds(kept: bool, broken: str) -> None:
    if not kept:
        raise AssertionError(f"{broken}.")
