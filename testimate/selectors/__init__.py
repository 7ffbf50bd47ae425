"""Techniques that choose which inputs to label next, by name; a new one is one file and one line here."""

from collections.abc import Mapping

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
        "srs": "simple_random_sampling:SimpleRandomSampling",
        "ssrs": "stratified_simple_random_sampling:StratifiedSimpleRandomSampling",
        "ssoa-r-p": "optimum_allocation:OptimumAllocationByRule",
        "ssoa-c-p": "optimum_allocation:OptimumAllocationByClusters",
        "ssoa-r-t": "optimum_allocation_from_training:OptimumAllocationByRuleFromTraining",
        "ssoa-c-t": "optimum_allocation_from_training:OptimumAllocationByClustersFromTraining",
        "css": "confidence_stratified_sampling:ConfidenceStratifiedSampling",
        "gbs": "gradient_based_sampling:GradientBasedSampling",
        "sups": "unequal_probability_sampling:UnequalProbabilitySampling",
        "rhc-s": "rao_hartley_cochran_sampling:RaoHartleyCochranSampling",
        "2-ups": "two_stage_sampling:TwoStageSampling",
        "deepest": "deepest:DeepEST",
        "rrs-groups": "whole_groups:GroupsInRounds",
        "srs-groups": "whole_groups:SimpleRandomGroups",
        "ces": "cross_entropy_sampling:CrossEntropySampling",
        "pace": "pace:Pace",
        "pace-rand-g": "pace_rand_g:PaceRandomInGroups",
        "pace-rand-m": "pace_rand_m:PaceRandomInMinority",
        "pace-mmd": "pace_mmd:PaceWithoutClusters",
        "pace-art": "pace_art:PaceAdaptiveRandom",
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

FOLLOWING: LazyMapping[str, type[Selector]] = LazyMapping(
    "testimate.selectors",
    {
        "second-look": "second_look:SecondLookSampling",
        "top-up": "top_up:TopUp",
        "shared": "shared_sample:SharedSample",
        "each-part": "each_part:EachPart",
        "of-selection": "of_selection:OfSelection",
    },
    "technique",
)
"""Techniques of sessions that follow from another session or a selection, which begins them; none is offered to choose."""
