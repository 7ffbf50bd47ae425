"""The protocols of techniques and estimators, and what a technique declares about itself.

The technique's protocol: what a class that picks inputs has to promise (ask and tell) and to say about itself.

Its options: declared once, and read, checked and refused by that declaration wherever they are typed or stored.

What a technique has to say about itself before it can be offered: checked of those that other packages bring.

The estimator's protocol: what a class that turns verdicts into an accuracy has to promise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import is_number, is_whole
from testimate.core.design import Design
from testimate.core.draw import Draw, Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.core.stored_record import From0, From1, ShortText
from testimate.core.task import TaskKind

Need = Literal[
    "size",
    "scores",
    "scores_are_chances",
    "confidence",
    "features",
    "predictions",
    "training_scores",
    "training_losses",
    "doubt",
    "gini",
    "entropy",
    "margin",
    "dsa",
    "lsa",
    "disagreement",
    "votes",
    "history",
    "classes",
    "training_features",
    "training_classes",
    "labels",
    "compared",
    "groups",
]
"""Constructor arguments a selector may name in ``needs``; `planning.needs.NEEDS` fills them.

A technique may also have ``uses``, a tuple of those it can do without: they are None where they are not available. One whose
constructor takes ``aimed_at``, the number of labels at which its always-valid interval is to be narrow, says ``aims = True``.

size : N, whole number.
scores : (N,) float64, the chosen auxiliary variable, larger = more likely to fail; for confidence it is 1 - confidence.
scores_are_chances : whether ``scores`` lie in [0, 1] and mean a chance of failure (1 - confidence does).
confidence : (N,) float64 in [0, 1], probability of the predicted class.
features : (N, width) float32.
predictions : (N,) intp, predicted class.
training_scores, training_losses : (M,) float64, the chosen auxiliary variable and the loss of each training input.
doubt, gini, entropy, margin, dsa, lsa : (N,) float64, that auxiliary variable whatever was chosen; doubt is 1 - confidence.
disagreement, votes : (N,) float64, what other models say, where the chosen auxiliary variable is their combined chance.
history : (N,) float64, the chance of failure by earlier models' results, where that is the chosen auxiliary variable.
classes : (N,) intp, predicted class, the first one where there are several.
training_features, training_classes : (M, width) and (M,), of the training inputs, in the same numbering of the classes.
labels : (N, M) the classes that each of several models predicts; compared : the same with the models' names.
groups : an ``InputGroups``, which inputs belong together.
"""

Unbiased = Literal["every prefix", "once every stratum has a label", "planned size", "no"]


@dataclass(frozen=True)
class Claims:
    """What a technique claims, as data: shown to the tester and held against simulation by the contract tests.

    ``unbiased`` : at which prefixes of its draws the estimate is unbiased.
    ``honest_interval`` : whether the ordinary interval covers as often as it says, at budgets from 100 on.
    ``always_valid`` : whether there is an interval that holds whenever one stops.
    ``tasks`` : kinds of task it is for; empty where it is for every kind but those it is ``not_for``.
    ``note`` : one sentence for the tester on what to beware of; may be empty.
    """

    unbiased: Unbiased
    # The worst of fifteen populations decides it: decision 23.
    honest_interval: bool
    always_valid: bool = False
    tasks: tuple[TaskKind, ...] = ()
    note: str = ""
    not_for: tuple[TaskKind, ...] = ()

    def serves(self, kind: TaskKind) -> bool:
        """Return whether the technique is for tasks of this kind."""
        return kind not in self.not_for and (not self.tasks or kind in self.tasks)


@dataclass(frozen=True)
class Option:
    """A named setting of a technique: a keyword of its constructor, offered by the Plan page and by ``--set``.

    ``choices`` lists the allowed values; else ``low`` and ``high`` bound a number (both inclusive, None = open). What is
    chosen is of the default's type.
    """

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None

    def read(self, value: Any) -> Any:
        """Return the value in the default's type, where it is text that states one; as it is where it cannot be read so."""
        wanted = type(self.default)
        try:
            if isinstance(value, str) and wanted is bool:
                return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
            if isinstance(value, str) and wanted in (int, float):
                return wanted(value)
            if wanted is float and is_whole(value):
                return float(value)
        except (KeyError, ValueError, OverflowError):
            pass
        return value

    def check(self, value: Any) -> None:
        """BadInput unless it is a listed choice, or text or a number of the default's kind within the bounds."""
        if self.choices:
            if not any(type(value) is type(choice) and value == choice for choice in self.choices):
                allowed = ", ".join(repr(choice) for choice in self.choices)
                raise BadInput(f"{self.name} is {value!r:.60}. Expected one of {allowed}. Change it.")
        elif isinstance(self.default, str):
            if not isinstance(value, str):
                raise BadInput(f"{self.name} is {value!r:.60}. Expected text. Change it.")
        else:
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        is_sound, number = (is_whole, "a whole number") if isinstance(self.default, int) else (is_number, "a number")
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if not is_sound(value, low, high):
            bounds = f"at least {low:g}" if self.high is None else f"from {low:g} to {high:g}"
            raise BadInput(f"{self.name} is {value!r:.60}. Expected {number} {bounds}. Change it.")


def defaults_of(options: Sequence[Option]) -> dict[str, Any]:
    """The default of each option by its name."""
    return {option.name: option.default for option in options}


def read_options(options: Sequence[Option], values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Typed or stored values by name, each as its option reads it; BadInput names the options that ``what`` has.

    Whether a value is within its bounds is for ``check_options`` to say.
    """
    known = {option.name: option for option in options}
    for name in values:
        if name not in known:
            there_are = ", ".join(known) or "none"
            raise BadInput(f"{what} has no option {name!r:.60}; it has {there_are}. Leave it out or rename it.")
    return {name: known[name].read(value) for name, value in values.items()}


def check_options(options: Sequence[Option], **values: Any) -> dict[str, Any]:
    """Return the value of each option, as given or by default; BadInput unless each allows its value, and for other names."""
    defaults = defaults_of(options)
    for name in values:
        if name not in defaults:
            raise BadInput(
                f"There is no option {name!r:.60}. Expected one of {', '.join(defaults) or 'none'}. Leave it out."
            )
    chosen = {**defaults, **values}
    for option in options:
        option.check(chosen[option.name])
    return chosen


@runtime_checkable
class Selector(Protocol):
    """Chooses which inputs to label next. Built as ``X(**needs, budget=..., seed=..., variant=..., **options)``.

    Same arguments and the same verdicts told give the same draws, on every machine and whatever the sizes of the asks:
    resuming a session replays its history. ``budget`` is from 1 to N; every class refuses others with BadInput.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]]
    claims: ClassVar[Claims]
    adapts: ClassVar[bool]
    source: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]
    variants: ClassVar[tuple[str, ...]]

    @property
    def design(self) -> Design:
        """What the chances of the draws mean."""
        ...

    @property
    def remaining(self) -> int:
        """Draws of the budget not asked yet; 0 when exhausted."""
        ...

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``: fewer when exhausted, or while the next ones wait for verdicts."""
        ...

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Settled draws, each told once, in any order; ignored by techniques that do not adapt."""
        ...


@runtime_checkable
class PredictsFailures(Protocol):
    """A technique that learns every input's chance of failure while labels come in, and will say it."""

    def predicted(self) -> NDArray[np.float64]:
        """The chance of failure of each input by the labels learned so far, (N,), in (0, 1)."""
        ...


@runtime_checkable
class DrawsMore(Protocol):
    """A technique that learns from round to round and draws a further round on request, when many people label at once."""

    def draw_more(self) -> None:
        """One more round, from all labels told so far; nothing where the budget is drawn."""
        ...


DEFAULT_AUXILIARY = "confidence"
"""The auxiliary variable of a request that names none."""


@dataclass(frozen=True)
class Request:
    """What a tester chose: a technique by name with its settings. Together with the inputs it determines every draw.

    ``auxiliary`` : name of the score used where the technique needs one.
    ``features`` : layers joined with "+", such as "LHL" or "LHL+ORI", where the technique needs features.
    ``variant`` : None for the definition of the paper, or a named one such as "as published".
    """

    technique: ShortText
    budget: From1
    seed: From0
    auxiliary: ShortText = DEFAULT_AUXILIARY
    features: ShortText = "LHL"
    variant: ShortText | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


TEXTS = ("name", "title", "source")


def check_statements(name: str, technique: Any) -> None:
    """BadInput with the first thing that the class does not say, or says wrongly; see ``Selector``."""
    if not isinstance(technique, type):
        raise BadInput(f"{name!r:.60} is {technique!r:.60}. Expected a class. Name the class in the entry point.")
    for attribute in TEXTS:
        value = getattr(technique, attribute, None)
        if not isinstance(value, str) or not value:
            raise BadInput(f"{technique.__name__}.{attribute} is {value!r:.60}. Expected text. Write some.")
    if technique.name != name:  # type: ignore[attr-defined]  # looked at above
        raise BadInput(
            f"{technique.__name__}.name is {technique.name!r:.60} and its entry point {name!r:.60}. Expected the same. "  # type: ignore[attr-defined]  # as above
            "Change one."
        )
    for attribute in ("ask", "tell", "design", "remaining"):
        if not hasattr(technique, attribute):
            raise BadInput(f"{technique.__name__} has no {attribute}. Expected all of Selector's. Write it.")
    said: dict[str, Any] = {
        attribute: getattr(technique, attribute, None)
        for attribute in ("needs", "claims", "adapts", "options", "variants")
    }
    known = get_args(Need)
    if not isinstance(said["needs"], tuple) or not set(said["needs"]) <= set(known):
        raise BadInput(
            f"{technique.__name__}.needs is {said['needs']!r:.80}. Expected a tuple of some of {', '.join(known)}. Correct it."
        )
    if not isinstance(said["claims"], Claims) or not isinstance(said["adapts"], bool):
        raise BadInput(
            f"{technique.__name__}.claims is {said['claims']!r:.60} and adapts {said['adapts']!r:.20}. Expected Claims, and "
            "True or False. Correct them."
        )
    options, variants = said["options"], said["variants"]
    if not isinstance(options, tuple) or not all(isinstance(one, Option) and one.help for one in options):
        raise BadInput(
            f"{technique.__name__}.options is {options!r:.80}. Expected a tuple of Option with help. Correct it."
        )
    if not isinstance(variants, tuple) or not all(isinstance(one, str) for one in variants):
        raise BadInput(f"{technique.__name__}.variants is {variants!r:.80}. Expected a tuple of names. Correct it.")


class Estimator(Protocol):
    """Verdicts of one design to an estimate; found in ``ESTIMATORS`` by the type of the design."""

    def estimate(
        self,
        design: Design,
        verdicts: Sequence[Verdict],
        *,
        level: float = 0.95,
        loss_bound: float | None = 1.0,
        always_valid: bool = True,
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in labeling order.

        ``loss_bound`` is the task's: 1.0 for classification and multi-label; None means unbounded, so no always-valid
        interval. ``always_valid=False`` leaves that interval out, which takes most of the time: for simulations that do not
        look at it. Raises NotEnoughLabels where there is no honest number yet and WrongDesign for another kind of design.
        """
        ...
