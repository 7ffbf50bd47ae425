"""Checks a tester's settings, the variant, seed and options, against what the technique's class allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.errors import BadInput, UnknownRow
from testimate.core.selector import Option, Selector


@dataclass(frozen=True, eq=False)
class Settings:
    """The checked settings of a technique that follows a score.

    Attributes
    ----------
    scores : (N,) chi, finite.
    budget : n, 1..N.
    published : whether the variant "as published" was asked for.
    rng : the one source of chance.
    """

    scores: NDArray[np.float64]
    budget: int
    published: bool
    rng: np.random.Generator


def check_settings(
    technique: type[Selector], scores: ArrayLike, *, budget: int, seed: int, variant: str | None, **options: Any
) -> Settings:
    """The settings of a technique that follows a score; BadInput where its class does not allow one of them."""
    chi = check_scores(scores)  # (N,)
    budget = check_budget(budget, chi.size)
    published = check_variant(variant, technique.variants) == "as published"
    check_options(technique.options, **options)
    return Settings(chi, budget, published, np.random.default_rng(check_seed(seed)))


def not_drawn(row: int) -> UnknownRow:
    """The error of a technique that was given the verdict of a row it did not draw."""
    return UnknownRow(
        f"A verdict came for row {row}, which was not drawn; expected verdicts of inputs that were asked for. Leave it out."
    )


def check_variant(variant: str | None, variants: Sequence[str]) -> str | None:
    """The variant, None or one of those the technique has; BadInput otherwise."""
    if variant is not None and variant not in variants:
        known = ", ".join(repr(name) for name in variants) or "none"
        raise BadInput(
            f"The variant {variant!r:.60} is not known here; expected the default or one of {known}. "
            "Choose one of these or leave it out."
        )
    return variant


def check_seed(seed: int) -> int:
    """The seed, a whole number of at least 0; BadInput otherwise."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BadInput(f"The seed is {seed!r:.60}; expected a whole number of at least 0. Change it.")
    return int(seed)


def check_options(options: Sequence[Option], **values: Any) -> None:
    """BadInput unless each option allows its value: a listed choice, or a number of the default's kind within bounds."""
    for option in options:
        _check_option(option, values[option.name])


def _check_option(option: Option, value: Any) -> None:
    if option.choices:
        if not any(type(value) is type(choice) and value == choice for choice in option.choices):
            allowed = ", ".join(repr(choice) for choice in option.choices)
            raise BadInput(f"{option.name} is {value!r:.60}; it must be one of {allowed}. Change it.")
        return
    whole = isinstance(option.default, int)
    kinds = int | np.integer if whole else int | float | np.integer | np.floating
    number = "a whole number" if whole else "a number"
    low = -np.inf if option.low is None else option.low
    high = np.inf if option.high is None else option.high
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        bounds = f"at least {low:g}" if option.high is None else f"from {low:g} to {high:g}"
        raise BadInput(f"{option.name} is {value!r:.60}; expected {number} {bounds}. Change it.")
