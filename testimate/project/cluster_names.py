"""Names that clusters give themselves, by what is predicted of their inputs; a note's first line takes their place."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.planning.parts import Trait

MOSTLY = 0.8
"""Share of a cluster's inputs from which on one predicted class names it."""

DIFFERS = 0.3
"""How much more common a trait has to be than in the other clusters of the same name."""

FEWEST_TEXTS = 3
"""Texts of a cluster in which a word occurs at least, to name it."""


def automatic_names(
    labels: NDArray[np.intp], inputs: Inputs, traits: Sequence[Trait] = (), texts: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return a name for each of K clusters, no two alike: "Mostly H", "M or N", "Mostly H · dark", "Mostly H 2".

    The commonest predicted class if it is 80% or more, else the two commonest. A name that repeats gets the trait that differs
    most from the other clusters of that name, else a number by size. Texts are named by their two most distinctive words.
    The names describe predictions, so they give away no true answer. "" where nothing is known to name by.

    Parameters
    ----------
    labels : (N,) the cluster of each input, 0..K-1, or -1. traits : columns, tags and properties of N inputs.
    texts : (N,) what the inputs say, where they are texts.
    """
    count = int(labels.max(initial=-1)) + 1
    members = [np.flatnonzero(labels == number) for number in range(count)]
    plain = _by_words(members, texts) if texts else [_by_classes(rows, inputs) for rows in members]
    named = [_with_trait(number, plain, members, traits) for number in range(count)]
    return _numbered(named, members)


def _by_classes(rows: NDArray[np.intp], inputs: Inputs) -> str:
    """The commonest predicted class, or the two commonest."""
    if not inputs.single_class or not len(rows):
        return ""
    classes, counts = np.unique(inputs.predictions[rows], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:2]
    first, *second = (inputs.task.classes[place] for place in classes[order].tolist())
    if counts[order[0]] >= MOSTLY * len(rows) or not second:
        return f"Mostly {first}"
    return f"{first} or {second[0]}"


def _by_words(members: Sequence[NDArray[np.intp]], texts: Sequence[str]) -> list[str]:
    """The two words that most more of a cluster's texts have than of all others."""
    words = [frozenset(re.findall(r"[^\W\d_]{3,}", text.lower())) for text in texts]
    everywhere = Counter(word for held in words for word in held)
    names = []
    for rows in members:
        inside = Counter(word for row in rows.tolist() for word in words[row])
        others = max(len(texts) - len(rows), 1)
        gain = {
            word: found / len(rows) - (everywhere[word] - found) / others
            for word, found in inside.items()
            if found >= min(FEWEST_TEXTS, len(rows))
        }
        names.append(", ".join(sorted(gain, key=lambda word: (-gain[word], word))[:2]))
    return names


def _with_trait(number: int, names: Sequence[str], members: Sequence[NDArray[np.intp]], traits: Sequence[Trait]) -> str:
    """The name, with the trait that differs most where other clusters have the same name."""
    name = names[number]
    same = [rows for other, rows in enumerate(members) if other != number and names[other] == name]
    if not name or not same or not traits:
        return name
    others = np.concatenate(same)
    differences = [float(one.has[members[number]].mean() - one.has[others].mean()) for one in traits]
    best = int(np.argmax(differences))
    return f"{name} · {traits[best].words.removeprefix('with ')}" if differences[best] >= DIFFERS else name


def _numbered(names: Sequence[str], members: Sequence[NDArray[np.intp]]) -> tuple[str, ...]:
    """The names, of which the second largest of one name is called "... 2", and so on."""
    found = list(names)
    for name in {one for one in names if one and names.count(one) > 1}:
        places = [place for place, one in enumerate(names) if one == name]
        places.sort(key=lambda place: (-len(members[place]), place))
        for rank, place in enumerate(places[1:], start=2):
            found[place] = f"{name} {rank}"
    return tuple(found)
