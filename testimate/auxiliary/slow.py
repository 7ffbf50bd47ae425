"""Auxiliary variables that take minutes, made from the outputs of one layer: what each needs, and how it is computed.

What computes them is imported only then, since screens and verbs that ask what there is load neither SciPy nor PyTorch.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.plug_ins import check_extra
from testimate.core.progress import OnBlocks, Progress

SEED = 0
"""Seed of the autoencoders and of the sample of references, so that the same subject always has the same scores."""

TRIED = 256
"""Inputs from which a machine of a cluster learns an autoencoder to prove itself."""


@dataclass(frozen=True, eq=False)
class LayerOutputs:
    """One layer's outputs over the inputs and, where there is one, over the training set.

    Attributes
    ----------
    features, training_features : (N, d) and (M, d). classes, training_classes : the predicted classes, (N,) and (M,); None
        where a task has no single one.
    most_references : how many references each input is compared with at most; None for all.
    """

    features: NDArray[np.floating]
    classes: NDArray[np.intp] | None = None
    training_features: NDArray[np.floating] | None = None
    training_classes: NDArray[np.intp] | None = None
    most_references: int | None = None


class SlowVariable(ABC):
    """An auxiliary variable from a layer; a new one inherits this and has its line in ``auxiliary.SLOW``.

    Attributes
    ----------
    name : as at the terminal and in tables; its term in the glossary has the same name.
    layer : the role whose outputs it is computed from.
    learns : whether it learns from a training set, so that there is none of it without one; others compare with one.
    of_classes : whether it compares predicted classes.
    compared : whether each input is compared with references, of which a sample does where all would take too long. Every
        subject gets these unasked where that takes minutes at most.
    lacking : what a table without it lacks. made_by, libraries : what makes it, and the modules of an extra that this needs.
    """

    name: ClassVar[str]
    layer: ClassVar[str]
    learns: ClassVar[bool] = False
    of_classes: ClassVar[bool] = False
    compared: ClassVar[bool] = False
    lacking: ClassVar[str]
    made_by: ClassVar[str] = ""
    libraries: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def values(
        self, outputs: LayerOutputs, *, progress: Progress, on_blocks: OnBlocks | None = None
    ) -> NDArray[np.float64]:
        """The variable, (N,), larger = more likely to fail; BadInput where it cannot be computed from these outputs.

        ``on_blocks`` : who computes it; this process by default.
        """

    @classmethod
    def possible(cls, outputs: LayerOutputs) -> bool:
        """Whether these outputs have what it learns from and compares."""
        learns = outputs.training_features is not None or not cls.learns
        return learns and (outputs.classes is not None or not cls.of_classes)

    @classmethod
    def check(cls) -> None:
        """BadInput where the library that computes it is not installed."""
        check_extra(cls.libraries, f"The auxiliary variable {cls.name}, {cls.made_by},", "take another, such as dsa")


class _Surprise(SlowVariable):
    layer = "LHL"
    compared = True
    lacking = "surprise scores"

    def values(
        self, outputs: LayerOutputs, *, progress: Progress, on_blocks: OnBlocks | None = None
    ) -> NDArray[np.float64]:
        from testimate.auxiliary.nearest import on_all_cores
        from testimate.auxiliary.surprise import surprise_scores

        scores = surprise_scores(
            outputs.features,
            outputs.classes,
            outputs.training_features,
            outputs.training_classes,
            which=[self.name],
            most_references=outputs.most_references,
            seed=SEED,
            progress=progress,
            on_blocks=on_blocks or on_all_cores,
        )
        return scores[self.name].values


class Dsa(_Surprise):
    """Distance-based surprise adequacy."""

    name = "dsa"
    of_classes = True


class Lsa(_Surprise):
    """Likelihood-based surprise adequacy."""

    name = "lsa"


class _Reconstruction(SlowVariable):
    layer = "ORI"
    learns = True
    lacking = "reconstruction errors"
    made_by = "an autoencoder"
    libraries = ("torch",)

    def values(
        self, outputs: LayerOutputs, *, progress: Progress, on_blocks: OnBlocks | None = None
    ) -> NDArray[np.float64]:
        self.check()  # this may be another machine than the one that was asked
        from testimate.auxiliary import autoencoder

        score = {"sae": autoencoder.sae, "vae": autoencoder.vae}[self.name]
        known, learned = outputs.features, outputs.training_features
        if learned is None:
            raise BadInput(f"{self.name} learns from the training set and there is none. Give one, or choose another.")
        if on_blocks is None:
            return score(known, learned, seed=SEED, progress=progress)
        few = learned[:TRIED]

        def whole(all_of_it: bool) -> NDArray[np.float64]:  # a few inputs first, by which a machine proves itself
            return score(known if all_of_it else few, learned if all_of_it else few, seed=SEED)

        found = dict(on_blocks(whole, [False, True], progress, "training the autoencoder"))
        trained: NDArray[np.float64] = found[1]
        return trained


class Sae(_Reconstruction):
    """Reconstruction error of an autoencoder."""

    name = "sae"


class Vae(_Reconstruction):
    """Reconstruction error of a variational autoencoder."""

    name = "vae"
