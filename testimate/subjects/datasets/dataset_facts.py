"""What a tester may want to know about a dataset, in words."""

from collections import Counter

from testimate.core.words import spaced
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.datasets.picture_dataset import PictureDataset
from testimate.subjects.datasets.sound_dataset import SoundDataset

PLURALS = {"image": "pictures", "text": "texts", "audio": "sounds", "tabular": "rows of numbers"}


def facts_of(opened: OpenedDataset) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs: how many inputs of what kind, and what is known about their answers."""
    dataset = opened.dataset
    facts = [
        ("inputs", f"{spaced(len(dataset))} {PLURALS[dataset.modality]}{_details(opened)}"),
        ("labels", _labels(opened)),
    ]
    if opened.classes:
        facts.append(("classes", str(len(opened.classes))))
    return tuple(facts)


def _labels(opened: OpenedDataset) -> str:
    if opened.known is None:
        return "none known"
    if opened.truth is None:
        return f"{spaced(len(opened.known.rows))} of {spaced(len(opened.dataset))} known"
    return "all known"


def _details(opened: OpenedDataset) -> str:
    dataset = opened.dataset
    if isinstance(dataset, PictureDataset):
        shape = dataset.source.shape
        if shape is None:
            return " of different sizes"
        colours = "grey" if shape[2] == 1 else "in colour"
        return f" of {shape[0]} x {shape[1]} pixels, {colours}"
    if isinstance(dataset, SoundDataset):
        lengths = [size.samples for size in dataset.sizes]
        rates = Counter(size.rate for size in dataset.sizes)
        said = ", ".join(spaced(rate) for rate in sorted(rates)[:3])
        shortest = "" if min(lengths) == max(lengths) else f"{spaced(min(lengths))} to "
        return f" of {shortest}{spaced(max(lengths))} samples, {said} per second"
    return ""
