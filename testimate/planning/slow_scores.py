"""Auxiliary variables that take minutes, computed once for a subject with a model: surprise and reconstruction error."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary.references import drawn_references, sampled_words
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.plug_ins import check_extra
from testimate.core.progress import OnBlocks, Progress
from testimate.core.subject import Subject
from testimate.core.words import spaced
from testimate.feature_cache import FeatureCache
from testimate.tasks.classification import Classification

LHL, ORI = "LHL", "ORI"
SURPRISE = ("dsa", "lsa")
RECONSTRUCTION = ("sae", "vae")
SLOW = (*SURPRISE, *RECONSTRUCTION)

MOST_PRODUCTS = 1e13
"""Numbers multiplied for a score, a few minutes on two cores; beyond, dsa and lsa compare with a sample of the references."""

LEAST_REFERENCES = 1_000
"""References below which a sample says too little: nobody gets such scores without asking for them."""

TRIED = 256
"""Inputs from which a machine of a cluster learns an autoencoder to prove itself."""

SEED = 0
"""Seed of the autoencoders and of the sample of references, so that the same subject always has the same scores."""

VERSION = b"slow scores 1"
"""Raised when the definition of a score changes, so that the scores are computed again."""


def note_on_references(subject: Subject, inputs: Inputs, most: int | None = None) -> str:
    """What a tester should know about what this subject's dsa and lsa were compared with; empty where there is nothing unusual.

    ``most`` : see ``known_inputs``.
    """
    said = []
    if subject.training is None:
        said.append("There is no training set: for dsa and lsa each input is compared with the other inputs.")
    if LHL in inputs.features and (inputs.training is None or LHL in inputs.training.features):
        size, used = len(inputs.training or inputs), most_references(inputs, inputs.training, most)
        if used is not None and set(SURPRISE) & set(inputs.scores):
            of_all = inputs.training or inputs
            classes = _classes(of_all)
            drawn = drawn_references(np.zeros(size, dtype=np.intp) if classes is None else classes, used, seed=SEED)
            said.append(sampled_words(used if drawn is None else len(drawn), size))
        elif used is not None and used < LEAST_REFERENCES:
            said.append(
                f"dsa and lsa were not computed: for {spaced(len(inputs))} inputs only {spaced(used)} references "
                "could be compared in a few minutes. Ask for them by name, with --references."
            )
    return " ".join(said)


def most_references(inputs: Inputs, training: Inputs | None, most: int | None) -> int | None:
    """How many references each input is compared with at most; None for all there are.

    ``most`` : 0 for all, another number for that many, None for as many as a few minutes allow.
    """
    size = len(training or inputs)
    if most is None:
        most = int(MOST_PRODUCTS / (float(len(inputs)) * inputs.features[LHL].shape[1]))
    return None if most == 0 or most >= size else most


def check_slow(which: Sequence[str], *, trained: bool) -> None:
    """Before a model runs for hours: BadInput where a score is unknown, lacks its library, or has nothing to learn from.

    ``trained`` : whether the inputs that the model was trained on are there.
    """
    for name in which:
        if name not in SLOW:
            raise BadInput(
                f"There is no slow auxiliary variable {name!r:.60}; expected one of {', '.join(SLOW)}. Choose from these."
            )
        if name in RECONSTRUCTION:
            if not trained:
                raise BadInput(
                    f"{name} learns from the training set and there is none; expected the inputs the model was trained on. "
                    "Add them with --training, or choose dsa or lsa."
                )
            _check_torch(name)


def _check_torch(name: str) -> None:
    check_extra(["torch"], f"The auxiliary variable {name}, an autoencoder,", "take another, such as dsa")


def layers_for(which: Sequence[str]) -> tuple[str, ...]:
    """The roles that these scores are computed from."""
    needed = ((SURPRISE, LHL), (RECONSTRUCTION, ORI))
    return tuple(role for names, role in needed if set(names) & set(which))


def affordable(inputs: Inputs, training: Inputs | None) -> tuple[str, ...]:
    """The surprise scores that take minutes at most: dsa and lsa, or lsa where there are no classes, or none.

    Where all references would take longer, a sample of them does; none where that would be too small.
    """
    if LHL not in inputs.features or (training is not None and LHL not in training.features):
        return ()
    used = most_references(inputs, training, None)
    if used is not None and used < LEAST_REFERENCES:
        return ()
    return SURPRISE if isinstance(inputs.task, Classification) else ("lsa",)


def slow_scores(
    subject: Subject,
    cache: FeatureCache,
    inputs: Inputs,
    training: Inputs | None,
    which: Sequence[str],
    *,
    strict: bool,
    progress: Progress,
    references: int | None = None,
    on_blocks: OnBlocks | None = None,
) -> dict[str, NDArray[np.float64]]:
    """These scores by name, each (N,), from the cache or computed now and kept there under a fingerprint of their own.

    Without a training set each input is compared with the other inputs; sae and vae have none to learn from then.
    ``strict`` : whether a score that this subject cannot have is refused with BadInput, or left out. ``references`` : as
    ``most`` of ``most_references``. ``on_blocks`` : who computes them; this process by default.
    """
    sets = [subject.dataset.fingerprint, "" if subject.training is None else subject.training.fingerprint]
    found: dict[str, NDArray[np.float64]] = {}
    for name in which:
        try:
            used = most_references(inputs, training, references) if name in SURPRISE else None
            sampled = [] if used is None else [f"{used} references"]
            key = fingerprint.of_bytes(
                VERSION, (subject.model_fingerprint or "").encode(), *(part.encode() for part in sets + sampled)
            )
            compute = _computation(name, inputs, training, used, progress, on_blocks)
            found |= cache.scores(
                key, compute, names=[name], name=f"{subject.name}, scores", size=len(inputs), progress=progress
            )
        except BadInput:
            if strict:
                raise
    return found


def _computation(
    name: str,
    inputs: Inputs,
    training: Inputs | None,
    references: int | None,
    progress: Progress,
    on_blocks: OnBlocks | None,
) -> Callable[[], Mapping[str, NDArray[np.float64]]]:
    """What computes the score, one that ``check_slow`` has passed."""
    if name in SURPRISE:
        return lambda: {name: _surprise(name, inputs, training, references, progress, on_blocks)}
    assert training is not None
    return lambda: {name: _reconstruction(name, inputs, training, progress, on_blocks)}


def _surprise(
    name: str,
    inputs: Inputs,
    training: Inputs | None,
    references: int | None,
    progress: Progress,
    on_blocks: OnBlocks | None,
) -> NDArray[np.float64]:
    from testimate.auxiliary.nearest import on_all_cores
    from testimate.auxiliary.surprise import surprise_scores

    scores = surprise_scores(
        inputs.feature(LHL),
        _classes(inputs),
        training_features=None if training is None else training.feature(LHL),
        training_predictions=None if training is None else _classes(training),
        which=[name],
        most_references=references,
        seed=SEED,
        progress=progress,
        on_blocks=on_blocks or on_all_cores,
    )
    return scores[name].values


def _reconstruction(
    name: str, inputs: Inputs, training: Inputs, progress: Progress, on_blocks: OnBlocks | None
) -> NDArray[np.float64]:
    _check_torch(name)  # this may be another machine than the one that was asked
    from testimate.auxiliary import autoencoder

    score = {"sae": autoencoder.sae, "vae": autoencoder.vae}[name]
    known, learned = inputs.feature(ORI), training.feature(ORI)
    if on_blocks is None:
        return score(known, learned, seed=SEED, progress=progress)
    few = learned[:TRIED]

    def whole(all_of_it: bool) -> NDArray[np.float64]:  # a few inputs first, by which a machine proves itself
        return score(known if all_of_it else few, learned if all_of_it else few, seed=SEED)

    found = dict(on_blocks(whole, [False, True], progress, "training the autoencoder"))
    trained: NDArray[np.float64] = found[1]
    return trained


def _classes(inputs: Inputs) -> NDArray[np.intp] | None:
    """The predicted class of each input, (N,); None where a task has no single one."""
    if not isinstance(inputs.task, Classification):
        return None
    return inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
