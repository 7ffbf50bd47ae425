"""One row of a study before it is run: technique, auxiliary variable and budget, and the requests they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from testimate.core.checks import check_budget
from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.planning.build import titled
from testimate.planning.needs import possible, score_named
from testimate.selectors import SELECTORS
from testimate.studies.campaign import CONTINUED


@dataclass(frozen=True)
class Cell:
    """What the campaigns of one row have in common.

    ``auxiliary`` is None for a technique that takes none, ``variant`` for one that has none of that name;
    ``options`` are those that the technique has.
    """

    technique: str
    auxiliary: str | None
    variant: str | None
    budget: int
    features: str
    options: tuple[tuple[str, Any], ...] = ()

    def request(self, seed: int, repetition: int) -> Request:
        """The request of one repetition; its seed depends only on technique, auxiliary, budget and repetition.

        So a row does not depend on which others are run, in what order or by how many workers. Variants and options
        share seeds, which makes their difference less noisy; so do the budgets of a technique whose larger lists
        continue the smaller ones, because one campaign then serves them all.
        """
        budget = None if self.technique in CONTINUED else self.budget
        name = of_bytes(*(str(part).encode() for part in (self.technique, self.auxiliary, budget)))
        sequence = np.random.SeedSequence((seed, int(name, 16), repetition))
        return Request(
            technique=self.technique,
            budget=self.budget,
            seed=int(sequence.generate_state(1, np.uint32)[0]),  # 32 bits: all that scikit-learn takes
            auxiliary=self.auxiliary or "confidence",
            features=self.features,
            variant=self.variant,
            options=dict(self.options),
        )

    def __str__(self) -> str:
        words = [titled(self.technique), self.auxiliary and f"with {self.auxiliary}", f"at a budget of {self.budget}"]
        return " ".join(word for word in words if word)


def cells_of(
    inputs: Inputs,
    techniques: Sequence[str],
    auxiliaries: Sequence[str],
    budgets: Sequence[int],
    variant: str | None,
    features: str,
    options: Mapping[str, Any],
) -> list[Cell]:
    """Every requested row, once; BadInput where a technique cannot run, with what is missing."""
    for name, values in (("techniques", techniques), ("auxiliaries", auxiliaries), ("budgets", budgets)):
        if isinstance(values, str) or not len(values):
            raise BadInput(f"The {name} are {values!r:.60}; expected a list of at least one. Name some.")
    known = [(name, option.name) for name in techniques for option in SELECTORS[name].options]
    unknown = set(options) - {option for _, option in known} - {f"{name}.{option}" for name, option in known}
    if unknown:
        raise BadInput(
            f"None of the techniques has an option {sorted(unknown)[0]!r:.60}; expected one that some have, or "
            "technique.option for one of them. Leave it out."
        )
    cells = []
    for name in techniques:
        technique = SELECTORS[name]
        if missing := possible(inputs, technique):
            raise BadInput(f"{name} cannot run on these inputs. {missing} Add what is missing, or leave {name} out.")
        if "features" in technique.needs:
            inputs.feature(features)
        own_options = _own_options(name, technique, options)
        scored = "scores" in technique.needs
        for auxiliary in auxiliaries if scored else [None]:
            if auxiliary is not None:
                score_named(inputs, auxiliary)
            for budget in budgets:
                check_budget(budget, len(inputs))
                own_variant = variant if variant in technique.variants else None
                cells.append(Cell(name, auxiliary, own_variant, int(budget), features, own_options))
    return list(dict.fromkeys(cells))


def _own_options(name: str, technique: type[Selector], options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The options that this technique has; one named "technique.option" takes precedence over one for all."""
    found = []
    for key in sorted(option.name for option in technique.options):
        if (value := options.get(f"{name}.{key}", options.get(key))) is not None:
            found.append((key, value))
    return tuple(found)
