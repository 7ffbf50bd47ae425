"""A request becomes the selector that draws its inputs.

What the request leaves open is settled when a session or plan is made, and stored with it, so that later defaults change
nothing; so is the method of its intervals, so that a later one can say what was computed again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from testimate.comparison import COMPARING
from testimate.core.checks import check_scores
from testimate.core.design import AT_FEW_LABELS, Design, Rounds, Stratified
from testimate.core.draw import Estimate, Verdict, is_exploit
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector, defaults_of, read_options
from testimate.core.task import Task
from testimate.estimators.adaptive_rounds import OF_ROUNDS
from testimate.estimators.betting import BET_HORIZONS
from testimate.estimators.intervals import OF_GRADES
from testimate.planning.needs import CHANCES, TEACHES, arguments_of, teaching
from testimate.planning.other_models import confidence_gap
from testimate.planning.votes import losses_of_known
from testimate.selectors import FOLLOWING, SELECTORS
from testimate.selectors.base import trusted
from testimate.selectors.round_guesses import of_inputs, other_belief_first, taught
from testimate.tasks import TASKS

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
        "trust": 1.0,
    },
    "rrs": {"strata": 10, "even_share": 0.5, "trust": 1.0},
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
    "interval_version": 1,
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
    ``terms`` : of adaptive rounds, what else predicts a failure, each with the numbers of its prior, as labels that were known
        before teach it.
    ``others_teach`` : of severity first, whether it learns from what other models say.
    ``draws_ahead`` : of gradient-based sampling, whether a team's next draws are made before all labels are known.
    ``blocks_from`` : of PACE, the columns from which its exact tree is found in blocks.
    ``others`` : the fingerprints of the other models whose predictions are among the inputs, and of earlier models' results.
    ``interval_version`` : of rrs and rra, how the ordinary interval is computed (``core.design.IntervalVersion``).
    ``bets`` : of the always-valid interval, the numbers of draws for which its bets are best.
    ``aimed_at`` : the number of labels at which it is to be narrow: those planned; None where the technique has no such
        interval. A plan that goes on keeps the number it began with, which was known before its first label.
    ``pairs_aim`` : of several models, whether the intervals of their differences aim at it, too.
    """
    technique = technique_named(request.technique)
    options = defaults_of(technique.options)
    made = {
        **options,
        **_for_task(inputs, technique),
        **_for_judges(inputs, technique),
        **read_options(technique.options, request.options, technique.name),
    }
    return {
        "options": made,
        **_fixed(inputs, technique, request, made),
        "others": [*(one.fingerprint for one in inputs.others), *_of_history(inputs)],
        "bets": BET_HORIZONS.tolist(),
        "aimed_at": request.budget if _aims(technique) else None,
        **({PAIRS_AIM: _aims(technique)} if inputs.compared_predictions is not None else {}),
    }


def _of_history(inputs: Inputs) -> list[str]:
    return [] if inputs.history is None else [inputs.history.fingerprint]


def stored_settings(inputs: Inputs, request: Request, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a session or plan as they were stored; what was not stored yet is as it was at that time."""
    technique, chosen = technique_named(request.technique), stored.get("options", {})
    if not isinstance(chosen, Mapping):
        raise BadInput(f"The stored options are {chosen!r:.60}. Expected values by name. Restore them, or start again.")
    then: dict[str, Any] = {**SETTINGS_BEFORE, "prior": PRIORS_BEFORE[request.auxiliary in CHANCES]}
    options = {
        **defaults_of(technique.options),  # techniques of other packages have only these
        **OPTIONS_BEFORE.get(request.technique, {}),
        **_for_task(inputs, technique),
        **read_options(technique.options, request.options, technique.name),
        **read_options(technique.options, chosen, technique.name),
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
    if "terms" in settings and inputs.known:
        settings["terms"] = _taught_by_known(inputs, technique, request, settings["terms"], float(options["trust"]))
    return settings


def _taught_by_known(
    inputs: Inputs, technique: type[Selector], request: Request, terms: Mapping[str, Any], trust: float
) -> dict[str, list[float]]:
    """The terms as labels known before teach them; kept with the plan, whose draws need the labels no more."""
    arguments = arguments_of(inputs, technique, request)
    chances, scores = arguments["scores_are_chances"], check_scores(arguments["scores"])
    there = [name for name in TEACHES if arguments.get(name) is not None]
    given = {str(name): of_inputs(name, arguments[name], len(inputs)) for name in there}
    losses = losses_of_known(inputs.known, inputs)
    rows, outcomes = np.array([*losses], dtype=np.intp), np.minimum([*losses.values()], 1.0)
    believed = trusted(scores, trust) if chances else scores
    return taught(terms, believed, given, rows, outcomes, scores_are_chances=chances)


def _names(technique: type[Selector]) -> tuple[str, ...]:
    """Their names."""
    given = getattr(technique, "resolved", None)
    return () if given is None else tuple(given(True, ()))


def _aims(technique: type[Selector]) -> bool:
    """Whether the technique's always-valid interval can be aimed at a number of labels."""
    return bool(getattr(technique, "aims", False))


def _for_task(inputs: Inputs, technique: type[Selector]) -> dict[str, Any]:
    """Defaults that differ by task: min-max would change a regression's distribution (DeepSample, section 3.3)."""
    shifts = inputs.task.numeric and any(option.name == "negative" for option in technique.options)
    return {"negative": "shift"} if shifts else {}


def _for_judges(inputs: Inputs, technique: type[Selector]) -> dict[str, Any]:
    """What a new session believes of a judge's score; those that were stored before keep the draws they had without it."""
    return {"trust": inputs.task.score_trust} if any(option.name == "trust" for option in technique.options) else {}


def build(inputs: Inputs, request: Request, resolved: Mapping[str, Any] | None = None) -> Selector:
    """The selector that the request asks for, over these inputs.

    The same inputs, request and settings give the same draws. A ``variant`` that the technique does not know leaves it at its
    only definition. Raises BadInput for an unknown technique, option, auxiliary variable or layer, for a task the technique is
    not for, and for a budget outside 1..N.

    Parameters
    ----------
    resolved : the settings stored with a session or plan (see ``resolve``); empty where it was made before they were stored.
        None for a new one, which takes the present defaults.
    """
    technique = technique_named(request.technique)
    if not technique.claims.serves(inputs.task.kind):
        served = ", ".join(kind for kind in TASKS if technique.claims.serves(kind))
        raise BadInput(
            f"{technique.name} is for {served} and this is a {inputs.task.kind} task. "
            "Choose another technique, such as srs."
        )
    settings = resolve(inputs, request) if resolved is None else stored_settings(inputs, request, resolved)
    make: Callable[..., Selector] = technique
    return make(
        **arguments_of(inputs, technique, request),
        budget=request.budget,
        seed=request.seed,
        variant=request.variant if request.variant in technique.variants else None,
        **constructor_settings(technique, settings),
    )


def titled(code: str) -> str:
    """The technique's name with its code; the code alone where this installation does not have the technique.

    >>> titled("rra"), titled("tell-apart"), titled("of-my-own")
    ('Adaptive rounds (rra)', 'Tell models apart (tell-apart)', 'of-my-own')
    """
    known = next((table for table in (SELECTORS, FOLLOWING) if code in table), COMPARING)
    return f"{known[code].title} ({code})" if code in known else code


def in_a_sentence(code: str) -> str:
    """As ``titled``, with a small first letter, unless the first word is a name such as DeepEST.

    >>> in_a_sentence("rra"), in_a_sentence("deepest")
    ('adaptive rounds (rra)', 'DeepEST (deepest)')
    """
    title = titled(code)
    first = title.partition(" ")[0]
    return title[:1].lower() + title[1:] if first[1:].islower() else title


FEW = 30
"""Labels under which the interval of rrs can miss more often than it says: docs/intervals.md."""


ENOUGH = 50
"""Labels from which on it is said that faults hide: fewer show too little of where they are."""


def faults_hide_words(inputs: Inputs, design: Design, verdicts: Sequence[Verdict]) -> str:
    """A sentence where adaptive rounds find faults where the network is sure and not where it has doubts; else empty.

    There their ordinary interval of right or wrong holds least often (docs/intervals.md). Of the inputs drawn at random no more
    of the doubtful half failed than of the other one: at 200 labels so in 29 of 30 campaigns where the surest tenth fails
    alone, and in 1 of 30 at most on networks whose confidence says where the faults are.
    """
    chance, task = inputs.scores.get("confidence"), inputs.task
    if chance is None or not task.measure.is_share or task.graded or task.numeric:
        return ""
    if not isinstance(design, Rounds) or design.interval_version < AT_FEW_LABELS:
        return ""
    known = {one.draw.row: one.loss for one in verdicts if one.loss is not None and not is_exploit(one.draw)}
    if len(known) < ENOUGH:
        return ""
    doubt, failed = chance[[*known]], np.array([*known.values()]) > 0
    doubtful = doubt > np.median(doubt)
    if not failed.any() or not doubtful.any() or failed[doubtful].sum() > failed[~doubtful].sum():
        return ""
    return "So far faults lie where the network is sure. There the fixed-size interval can miss in 10 of 100 cases, not in 5."


def _kept_version(estimate: Estimate, what: str, design: Design | None, technique: str) -> str:
    """A sentence where the interval of right or wrong is that of an earlier version, which is kept; else empty."""
    made = SELECTORS.get(technique)
    versioned = made is not None and "interval_version" in _names(made)
    earlier = isinstance(design, Stratified | Rounds) and design.interval_version < AT_FEW_LABELS
    if not (versioned and estimate.method.endswith("score interval")):
        return ""
    if not earlier:
        few = isinstance(design, Stratified) and estimate.labeled < FEW
        return f"Under {FEW} labels this interval can miss in 9 of 100 cases, not in 5. Label more." if few else ""
    return (
        f"This {what} was made with an earlier interval and keeps it. The one of a new {what} misses less often at few "
        "labels, and where the network is sure and wrong."
    )


INTERVAL_METHOD = "score with jackknife, skipped bounded, skewness corrected"
"""Kept with every plan and session when it is made; raised whenever the same labels would get another ordinary interval.

Those made before it was kept have none, "". No interval is ever stored: each is computed from the votes when it is shown.
"""

OF_GRADES_BEFORE = (INTERVAL_METHOD, f"{INTERVAL_METHOD}, grades as shares")
"""The methods of grades until now: Student's interval, and that of a share but in adaptive rounds (decision 221)."""

OF_A_SHARE = "share within tolerance, "
"""Before the method of a regression whose first number is that share; those made before it was have the method alone."""


def interval_method(task: Task | None) -> str:
    """What is kept with a plan or session of the task when it is made."""
    if task is not None and task.graded:
        return f"{INTERVAL_METHOD}, grades as shares in rounds too"
    return (
        f"{OF_A_SHARE}{INTERVAL_METHOD}"
        if task is not None and task.numeric and task.measure.is_share
        else INTERVAL_METHOD
    )


def computed_anew(
    kept: str,
    task: Task | None,
    estimate: Estimate | None,
    what: str,
    design: Design | None = None,
    technique: str = "",
) -> str:
    """A sentence where the interval shown is not the one shown before, or not that of a new plan, and why; else empty.

    ``kept`` : the method kept with the plan or session. ``what`` : "plan" or "session". ``design``, ``technique`` : its own.
    """
    now = interval_method(task)
    if estimate is None or estimate.low is None:
        return ""
    if kept == now:
        return _kept_version(estimate, what, design, technique)
    if kept in OF_GRADES_BEFORE and task is not None and task.graded:
        shares_before = kept != OF_GRADES_BEFORE[0] and not estimate.method.startswith(OF_ROUNDS)
        if OF_GRADES not in estimate.method or shares_before:
            return ""
        return (
            f"This {what} was made when grades had Student's interval. They now have the interval of a share, computed "
            "again from the same labels: the earlier one was wider than needed where nearly all outputs are right, and "
            "could miss faults that nothing had hinted at."
        )
    if now.startswith(OF_A_SHARE) and not kept.startswith(OF_A_SHARE):
        return (
            f"This {what} was made when the accuracy of numbers was 1 - mean squared error. It is now read by the "
            "share of inputs within the tolerance, and the precision requested then is applied to that share. The "
            "labels are as they were."
        )
    return (
        f"This {what} was made when intervals were computed by an earlier method, so its interval has been "
        "computed again: the earlier one could be too narrow where the network is sure of itself, where few "
        "inputs fail, where inputs were skipped, or where a few losses are very large. The labels and the "
        "accuracy are as they were."
    )
