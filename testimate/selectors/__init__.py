"""Techniques that choose which inputs to label next, by name; a new one is one file and one line here."""

import re
from collections.abc import Mapping
from dataclasses import replace

from testimate.core.draw import Estimate
from testimate.core.plug_ins import LazyMapping
from testimate.core.selector import Selector


def _plugged() -> Mapping[str, type[Selector]]:
    from testimate.core.plug_ins import plug_ins
    from testimate.core.selector import check_statements

    return plug_ins("testimate.selectors", check_statements, taken={*SELECTORS.own, *FOLLOWING.own})


SELECTORS: LazyMapping[str, type[Selector]] = LazyMapping(
    "testimate.selectors",
    {
        "rra": "adaptive_rounds:AdaptiveRounds",
        "rrs": "round_robin:RoundRobinStratification",
        "srs": "random_sampling:SimpleRandomSampling",
        "ssrs": "random_sampling:StratifiedSimpleRandomSampling",
        "ssoa-r-p": "optimum_allocation:OptimumAllocationByRule",
        "ssoa-c-p": "optimum_allocation:OptimumAllocationByClusters",
        "ssoa-r-t": "optimum_allocation:OptimumAllocationByRuleFromTraining",
        "ssoa-c-t": "optimum_allocation:OptimumAllocationByClustersFromTraining",
        "css": "random_sampling:ConfidenceStratifiedSampling",
        "gbs": "gradient_based_sampling:GradientBasedSampling",
        "sups": "unequal_probability:UnequalProbabilitySampling",
        "rhc-s": "unequal_probability:RaoHartleyCochranSampling",
        "2-ups": "unequal_probability:TwoStageSampling",
        "deepest": "deepest:DeepEST",
        "rrs-groups": "whole_groups:GroupsInRounds",
        "srs-groups": "whole_groups:SimpleRandomGroups",
        "ces": "cross_entropy_sampling:CrossEntropySampling",
        "pace": "pace:Pace",
        "pace-rand-g": "pace:PaceRandomInGroups",
        "pace-rand-m": "pace:PaceRandomInMinority",
        "pace-mmd": "pace:PaceWithoutClusters",
        "pace-art": "pace:PaceAdaptiveRandom",
        "severity-first": "severity_first:SeverityFirst",
        "deepgini": "prioritizers:DeepGini",
        "entropy": "prioritizers:EntropyOrder",
        "margin": "prioritizers:MarginOrder",
        "confidence": "prioritizers:ConfidenceOrder",
        "dsa": "prioritizers:DsaOrder",
        "lsa": "prioritizers:LsaOrder",
        "neuron-pattern": "neuron_pattern:NeuronPattern",
        "deepabstraction": "deepabstraction:DeepAbstraction",
    },
    "technique",
    _plugged,
)
"""Every technique by name, in the order they are offered; naming or listing them imports none of these. Those that installed
packages add under the entry point ``testimate.selectors`` come last."""

LADDER = "confidence-ladder"
"""The technique that draws the labels of a ladder of confidences."""

FOLLOWING: LazyMapping[str, type[Selector]] = LazyMapping(
    "testimate.selectors",
    {
        "second-look": "following:SecondLookSampling",
        "top-up": "following:TopUp",
        "shared": "following:SharedSample",
        "each-part": "following:EachPart",
        "of-selection": "following:OfSelection",
        LADDER: "confidence_ladder:ConfidenceLadder",
    },
    "technique",
)
"""Techniques that follow from another session, a selection or a question, which begins them; none is offered to choose."""


def with_honest_interval(estimate: Estimate, technique: str) -> Estimate:
    """The estimate, without its interval at a fixed size where the technique claims none, and why.

    The interval that is right whenever one stops stays: the estimator gives it only where it holds. The conservative one goes
    too: of draws with unequal chances it holds 80% where the failures lie among inputs of low chance (docs/intervals.md).
    """
    if technique == LADDER:  # drawn at random, but among the surest
        return replace(estimate, why=FOLLOWING[technique].claims.note)
    if estimate.low is None or technique not in SELECTORS:
        return estimate
    claims = SELECTORS[technique].claims
    if claims.honest_interval:
        return estimate
    why = f"{technique} has no honest interval at a fixed size. {claims.note} {estimate.why}"
    method = re.sub(", [^,]* interval$", "", estimate.method)  # what is not shown is not named
    return replace(estimate, low=None, high=None, settled_low=None, settled_high=None, method=method, why=why.strip())
