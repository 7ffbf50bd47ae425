"""What a request leaves open, settled when a session or plan is made and stored with it: later defaults change nothing."""

from collections.abc import Mapping
from typing import Any

from testimate.comparison.techniques import COMPARING
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.estimators.betting import BET_HORIZONS
from testimate.planning.needs import CHANCES, teaching
from testimate.planning.other_models import confidence_gap
from testimate.selectors import FOLLOWING, SELECTORS
from testimate.selectors.round_guesses import other_belief_first

_UNEQUAL = {"uniform_share": 0.05, "negative": "min-max"}
_PACE = {"alpha": 0.8, "min_cluster_size": 80, "min_samples": 4, "reduction": "auto", "components": 2, "gamma": 0.026}

# A later default must not change the draws of earlier sessions: decision 33.
OPTIONS_BEFORE: Mapping[str, Mapping[str, Any]] = {
    "rra": {
        "zones": 10,
        "exploit": 0,
        "exploit_order": "failure chance",
        "eps_start": 0.5,
        "eps_end": 0.15,
        "learns_from": "the score alone",
    },
    "rrs": {"strata": 10, "even_share": 0.5},
    "srs": {"replacement": False},
    "rrs-groups": {"strata": 4, "per_group": 0},
    "srs-groups": {"per_group": 0},
    "ssrs": {"clusters": 10},
    "ssoa-r-p": {"h": 10},
    "ssoa-c-p": {"h": 10, "clusters": 3},
    "ssoa-c-t": {"clusters": 3},
    "gbs": {"clusters": 10, "replacement": True},
    "sups": _UNEQUAL,
    "rhc-s": _UNEQUAL,
    "2-ups": {"clusters": 10, **_UNEQUAL},
    "deepest": {"r": 0.8, "chance": 0.3, "deviations": 2.0, **_UNEQUAL},
    "ces": {"sections": 30, "candidates": 30},
    "pace": _PACE,
    "pace-rand-g": _PACE,
    "pace-rand-m": _PACE,
    "pace-mmd": {"gamma": 0.026, "sample": 0},
    "severity-first": {"severity": 0.5, "surprise": "dsa and lsa", "looks": 0.0},
    "neuron-pattern": {"typical": 0.8},
    "deepabstraction": {"clusters": 5, "in_wrong_boxes": "rejected", "margin": 0.0, "tau": 0.0},
    "tell-apart": {"level": 0.95},
}
"""Options of sessions and plans made before their settings were stored. Frozen: never to follow a later default."""

SETTINGS_BEFORE: Mapping[str, Any] = {
    "rounds_ahead": 2,
    "bets": [60.0, 200.0, 700.0],
    "aimed_at": None,
    "terms": {},
    "others_teach": False,
    "draws_ahead": False,
    "blocks_from": 21,
}
"""Their other settings, frozen too; see ``resolve``."""

PRIORS_BEFORE: Mapping[bool, list[float]] = {True: [0.6, 0.9, 0.5, 0.25], False: [-1.5, 0.9, 1.5, 0.5]}
"""Their prior of adaptive rounds, by whether the score is a chance of failure; frozen too."""


PAIRS_AIM = "pairs_aim"
"""The setting that says whether the differences of several models are bet on with bets that aim at the plan's end."""


def technique_named(name: str) -> type[Selector]:
    """The technique of that name: for one model, for several, or of a session that follows another; else UnknownName."""
    table = next((table for table in (COMPARING, FOLLOWING) if name in table), SELECTORS)
    technique: type[Selector] = table[name]
    return technique


def resolve(inputs: Inputs, request: Request) -> dict[str, Any]:
    """Every setting of a new session or plan, as plain JSON values to be stored with it.

    ``options`` : each option of the technique, chosen or by default.
    ``rounds_ahead`` : rounds drawn beyond those that are settled, so that 30 inputs are open; of techniques that learn.
    ``prior`` : of adaptive rounds that learn from the score alone, the line's intercept and slope before any label, then their
        standard deviations.
    ``terms`` : of adaptive rounds, what else predicts a failure, each with the numbers of its prior.
    ``others_teach`` : of severity first, whether it learns from what other models say.
    ``draws_ahead`` : of gradient-based sampling, whether a team's next draws are made before all labels are known.
    ``blocks_from`` : of PACE, the columns from which its exact tree is found in blocks.
    ``others`` : the fingerprints of the other models whose predictions are among the inputs.
    ``bets`` : of the always-valid interval, the numbers of draws for which its bets are best.
    ``aimed_at`` : the number of labels at which it is to be narrow: those planned; None where the technique has no such
        interval. A plan that goes on keeps the number it began with, which was known before its first label.
    ``pairs_aim`` : of several models, whether the intervals of their differences aim at it, too.
    """
    technique = technique_named(request.technique)
    options = {option.name: option.default for option in technique.options}
    made = {**options, **_for_task(inputs, technique), **parsed_options(technique, request.options)}
    return {
        "options": made,
        **_fixed(inputs, technique, request, made),
        "others": [one.fingerprint for one in inputs.others],
        "bets": BET_HORIZONS.tolist(),
        "aimed_at": request.budget if _aims(technique) else None,
        **({PAIRS_AIM: _aims(technique)} if inputs.compared_predictions is not None else {}),
    }


def stored_settings(inputs: Inputs, request: Request, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a session or plan as they were stored; what was not stored yet is as it was at that time."""
    technique, chosen = technique_named(request.technique), stored.get("options", {})
    if not isinstance(chosen, Mapping):
        raise BadInput(f"The stored options are {chosen!r:.60}; expected values by name. Restore them, or start again.")
    then: dict[str, Any] = {**SETTINGS_BEFORE, "prior": PRIORS_BEFORE[request.auxiliary in CHANCES]}
    options = {
        **{option.name: option.default for option in technique.options},  # techniques of other packages have only these
        **OPTIONS_BEFORE.get(request.technique, {}),
        **_for_task(inputs, technique),
        **parsed_options(technique, request.options),
        **parsed_options(technique, chosen),
    }
    return {**{name: then[name] for name in ("aimed_at", *_names(technique))}, **stored, "options": options}


def constructor_settings(technique: type[Selector], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that the technique's constructor takes, by keyword."""
    aim = {"aimed_at": settings["aimed_at"]} if _aims(technique) else {}
    return {**settings["options"], **{name: settings[name] for name in _names(technique)}, **aim}


def _fixed(inputs: Inputs, technique: type[Selector], request: Request, options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the technique takes besides its options, by their present defaults: its ``resolved`` gives them."""
    given = getattr(technique, "resolved", None)
    if given is None:
        return {}
    settings = dict(given(request.auxiliary in CHANCES, teaching(inputs, technique, request), options))
    gap = confidence_gap(inputs)
    if "terms" in settings and gap is not None and gap < 0:  # less confident models often know less (decision 60)
        settings["terms"] = other_belief_first(settings["terms"])
    return settings


def _names(technique: type[Selector]) -> tuple[str, ...]:
    """Their names."""
    given = getattr(technique, "resolved", None)
    return () if given is None else tuple(given(True, ()))


def _aims(technique: type[Selector]) -> bool:
    """Whether the technique's always-valid interval can be aimed at a number of labels."""
    return bool(getattr(technique, "aims", False))


def _for_task(inputs: Inputs, technique: type[Selector]) -> dict[str, Any]:
    """Defaults that differ by task: min-max would change a regression's distribution (DeepSample, section 3.3)."""
    shifts = inputs.task.kind == "regression" and any(option.name == "negative" for option in technique.options)
    return {"negative": "shift"} if shifts else {}


def parsed_options(technique: type[Selector], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with text read in the types of their defaults; BadInput names the options there are.

    Whether a value is within its bounds is for the technique's constructor to say.
    """
    known = {option.name: option for option in technique.options}
    for name in options:
        if name not in known:
            there_are = ", ".join(known) or "none"
            raise BadInput(
                f"{technique.name} has no option {name!r:.60}; it has {there_are}. Leave it out or rename it."
            )
    return {name: _parsed(known[name], value) for name, value in options.items()}


def _parsed(option: Option, value: Any) -> Any:
    """The value in the type of the option's default; as it is where it cannot be read so."""
    wanted = type(option.default)
    try:
        if isinstance(value, str) and wanted is bool:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        if isinstance(value, str) and wanted in (int, float):
            return wanted(value)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
    except (KeyError, ValueError, OverflowError):
        pass
    return value
