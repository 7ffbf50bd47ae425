"""Surprise adequacy of a subject's inputs by name, with a sentence on what it was measured against."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.dsa import dsa
from testimate.auxiliary.lsa import lsa
from testimate.auxiliary.references import drawn_references
from testimate.auxiliary.row_blocks import on_all_cores
from testimate.auxiliary.surprise_words import sampled_words
from testimate.auxiliary.traces import Traces, checked_traces
from testimate.core.errors import BadInput
from testimate.core.progress import OnBlocks, Progress, silent

SURPRISES: dict[str, Callable[..., NDArray[np.float64]]] = {"dsa": dsa, "lsa": lsa}
"""The surprise adequacies by name."""


@dataclass(frozen=True, eq=False)
class SurpriseScore:
    """One auxiliary variable and what a tester should know about it.

    Attributes
    ----------
    values : (N,) finite, larger = more likely to fail.
    note : sentences on what is unusual about it, such as a missing training set; empty where nothing is.
    """

    values: NDArray[np.float64]
    note: str


def surprise_scores(
    features: ArrayLike,
    predictions: ArrayLike | None,
    training_features: ArrayLike | None = None,
    training_predictions: ArrayLike | None = None,
    which: Sequence[str] = ("dsa", "lsa"),
    *,
    most_references: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
    on_blocks: OnBlocks = on_all_cores,
) -> dict[str, SurpriseScore]:
    """DSA and LSA of every input from the features of one layer.

    Parameters
    ----------
    features : (N, d) of the inputs, such as the last hidden layer's.
    predictions : (N,) predicted classes; None for a regression, which has LSA alone.
    training_features, training_predictions : (M, d) and (M,) of the training set; without them each input is compared
        with the other inputs, and the note says so.
    which : names in ``SURPRISES``.
    most_references : traces that each input is compared with at most, drawn by ``seed``; None for all. The note says so.
    on_blocks : what runs the blocks of inputs.

    Raises
    ------
    BadInput : an unknown name, dsa without predictions, and what ``dsa`` and ``lsa`` refuse.

    Examples
    --------
    >>> scores = surprise_scores([[0.0], [0.5], [3.0], [4.0]], [0, 0, 1, 1], which=["dsa"])
    >>> scores["dsa"].values.round(2), scores["dsa"].note
    (array([0.2 , 0.17, 0.29, 0.4 ]),
     'There is no training set: each input was compared with the other inputs.')
    """
    unknown = [name for name in which if name not in SURPRISES]
    if unknown:
        raise BadInput(
            f"There is no surprise {unknown[0]!r:.60}; expected one of {', '.join(SURPRISES)}. Choose from these."
        )
    if predictions is None and "dsa" in which:
        raise BadInput("DSA compares classes and a regression has none; expected predicted classes. Use lsa.")
    known = checked_traces(features, predictions, training_features, training_predictions)
    references = None
    if most_references is not None:
        if seed is None or most_references < 1:
            raise BadInput(
                f"{most_references} references by the seed {seed} were asked for; expected at least 1 and a seed. Give both."
            )
        references = drawn_references(known.training_classes, most_references, seed=seed)
    note = _note(known, references)
    return {
        name: SurpriseScore(
            SURPRISES[name](
                features,
                predictions,
                training_features,
                training_predictions,
                references=references,
                progress=progress,
                on_blocks=on_blocks,
            ),
            note,
        )
        for name in which
    }


def _note(whole: Traces, references: NDArray[np.intp] | None) -> str:
    """What is unusual about the training traces: none, a sample of them, a class without any, one class alone."""
    sentences = []
    known = whole.against(references)
    if references is not None:
        sentences.append(sampled_words(len(references), len(whole.training)))
    if known.own is not None:
        sentences.append("There is no training set: each input was compared with the other inputs.")
    classes, counts = np.unique(known.training_classes, return_counts=True)
    comparable = classes[counts > (known.own is not None)]
    alone = int((~np.isin(known.classes, comparable)).sum())
    if alone:
        sentences.append(
            f"{alone} of {len(known.classes)} inputs have a predicted class that nothing they are compared with has; "
            "they get the largest score."
        )
    return " ".join(sentences)
