"""The page on settings that the data choose: PACE's alpha and SSOA's h, which both papers leave for later."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.methods.exact import of_simple_random, two_phase
from research.studies.attacks import ATTACKS, attacked
from research.studies.attacks import make as make_attacked
from research.studies.pace_runs import ALPHAS, BUDGETS
from research.studies.page_text import table, write_page
from research.studies.prioritizers import subject_inputs
from research.studies.study_subjects import data_folder, inputs_of, kept_folder
from testimate.core.inputs import Inputs
from testimate.selectors.pace import PaceGroups, farthest_first, pace_groups, shares
from testimate.structure.rbf_kernel import KERNEL_GAMMA
from testimate.structure.strata import by_clusters, by_rule

TABLES = ("D", "G", "CN12")
OF_ALPHA = ("LeNet-5", "mutant1", "BIM", "Carlini-Wagner")
"""Networks over MNIST that have a minority space, and LeNet-5's attacked sets."""

OF_H = ("LeNet-5", *TABLES)
USUAL_ALPHA, USUAL_H = 0.8, 10
HS = (2, 5, 10, 15)
GUESSED = 3
"""Sets of losses that are drawn from the confidences to choose h by."""

DEVIATIONS = 0.5
H_BUDGETS = (50, 100, 200)
STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes settings-by-data.md."""
    make_attacked(data_folder(), kept_folder() / "attacks")
    kept = kept_folder() / "settings_by_data.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {"alpha": {}, "h": {}}
    for kind, names, measure in (("alpha", OF_ALPHA, _alphas), ("h", OF_H, _hs)):
        for name in names:
            if name not in found[kind]:
                found[kind][name] = measure(_inputs(name))
                kept.write_text(json.dumps(found))
                print(kind, name, flush=True)
    write_page(here / "settings-by-data.md", [_alpha_page(found["alpha"]), _h_page(found["h"])])


def _inputs(name: str) -> Inputs:
    if name in ATTACKS:
        return attacked(kept_folder() / "attacks", name)
    return inputs_of(name) if name in TABLES else subject_inputs(name, kept_folder())


def _alphas(inputs: Inputs) -> dict[str, Any]:
    """PACE's error in points at BUDGETS for each alpha and each rule, and what the rules chose."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    settings: dict[str, Any] = {"min_cluster_size": 80, "min_samples": 4, "components": 2}
    groups = pace_groups(inputs.feature("LHL"), seed=1, reduction="auto", **settings)
    minority = len(groups.minority) / len(inputs)
    rules = {f"{alpha:g}": _fixed(alpha) for alpha in ALPHAS} | {
        "the clusters' share": _fixed(1 - minority),
        "shares times spreads": _fixed(_by_spread(groups, inputs.confidence)),
        "the confidence's mean": _nearest_confidence(groups, inputs.confidence),
    }
    errors, chosen = {}, {}
    for name, rule in rules.items():
        alphas = [rule(budget) for budget in BUDGETS]
        rows = [_rows(groups, budget, alpha) for budget, alpha in zip(BUDGETS, alphas, strict=True)]
        truth = inputs.losses.mean()
        errors[name] = [100 * abs(float(inputs.losses[own].mean() - truth)) for own in rows]
        chosen[name] = float(np.mean(alphas))
    return {
        "errors": errors,
        "chosen": chosen,
        "minority": minority,
        "groups": groups.name,
        "count": len(groups.members),
    }


def _fixed(alpha: float) -> Callable[[int], float]:
    return lambda _: alpha


def _by_spread(groups: PaceGroups, confidence: NDArray[np.float64]) -> float:
    """The clusters' part of the draws where both parts get draws by size times the spread that the confidences promise."""
    spread = np.sqrt(confidence * (1 - confidence))
    minority = float(spread[groups.minority].sum())
    clusters = float(sum(spread[rows].sum() for rows in groups.members))
    return clusters / (clusters + minority)


def _nearest_confidence(groups: PaceGroups, confidence: NDArray[np.float64]) -> Callable[[int], float]:
    """Of the paper's five alphas the one whose list has the mean confidence nearest to that of all inputs."""

    def rule(budget: int) -> float:
        off = {alpha: abs(confidence[_rows(groups, budget, alpha)].mean() - confidence.mean()) for alpha in ALPHAS}
        return min(off, key=lambda alpha: off[alpha])

    return rule


def _rows(groups: PaceGroups, budget: int, alpha: float) -> NDArray[np.intp]:
    """PACE's list: prototypes of the clusters, diverse inputs of the minority space."""
    counts = shares(groups.sizes, len(groups.minority), budget, alpha)
    lists = [groups.prototypes(group, int(count), KERNEL_GAMMA) for group, count in enumerate(counts[:-1])]
    return np.concatenate([*lists, groups.diverse(int(counts[-1]), farthest_first)])


def _hs(inputs: Inputs) -> dict[str, Any]:
    """SSOA's gain over srs in percent for each h and each rule, mean over the budgets, exact; and the h chosen."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    losses, scores = inputs.losses, inputs.score("confidence")
    base = [float(np.sqrt(of_simple_random(losses, budget))) for budget in H_BUDGETS]
    guessed = _guessed_losses(inputs)
    found: dict[str, Any] = {}
    for kind, strata in (("rule", by_rule(scores, seed=1)), ("clusters", by_clusters(scores, 3))):
        count = int(strata.max()) + 1
        own = {h: [_error(losses, strata, budget, h) for budget in H_BUDGETS] for h in HS}
        choices = {
            **{f"{h}": [h] * len(H_BUDGETS) for h in HS},
            "a tenth of n in each": [_nearest(budget / 10) for budget in H_BUDGETS],
            "a quarter of n in all": [_nearest(budget / 4 / count) for budget in H_BUDGETS],
            "root of n": [_nearest(np.sqrt(budget)) for budget in H_BUDGETS],
            "by the confidences": [_by_confidence(guessed, strata, budget) for budget in H_BUDGETS],
        }
        found[kind] = {
            name: {
                "gain": float(100 * np.mean([1 - own[h][place] / base[place] for place, h in enumerate(hs)])),
                "h": float(np.mean(hs)),
            }
            for name, hs in choices.items()
        }
        best = [min(own[h][place] for h in HS) for place in range(len(H_BUDGETS))]
        found[kind]["best h of each budget"] = {
            "gain": float(100 * np.mean(1 - np.array(best) / np.array(base))),
            "h": float(np.mean([min(HS, key=lambda h: own[h][place]) for place in range(len(H_BUDGETS))])),
        }
    return found


def _guessed_losses(inputs: Inputs) -> list[NDArray[np.float64]]:
    """Sets of losses as they could be: each input fails with 1 - its confidence, all of them a little more or less often."""
    assert inputs.confidence is not None
    generator = np.random.default_rng(1)
    odds = np.log(np.clip(1 - inputs.confidence, 1e-6, 1 - 1e-6) / np.clip(inputs.confidence, 1e-6, 1 - 1e-6))
    sets = []
    for _ in range(GUESSED):
        chances = 1 / (1 + np.exp(-(odds + DEVIATIONS * generator.standard_normal())))
        sets.append((generator.random(len(odds)) < chances).astype(np.float64))
    return sets


def _by_confidence(guessed: list[NDArray[np.float64]], strata: NDArray[np.intp], budget: int) -> int:
    """The h of the least mean error on the guessed losses; nothing of the truth is used."""
    return min(HS, key=lambda h: float(np.mean([_error(losses, strata, budget, h) for losses in guessed])))


def _error(losses: NDArray[np.float64], strata: NDArray[np.intp], budget: int, h: int) -> float:
    return two_phase(losses, strata, budget, seed=1, h=h).rmse


def _nearest(h: float) -> int:
    return min(HS, key=lambda one: abs(one - h))


def _alpha_page(found: dict[str, Any]) -> str:
    rules = list(next(iter(found.values()))["errors"])
    means = {rule: {name: float(np.mean(own["errors"][rule])) for name, own in found.items()} for rule in rules}
    rows = [
        [rule, *(f"{value:.2f} ({found[name]['chosen'][rule]:.2f})" for name, value in line.items()), _mean(line)]
        for rule, line in means.items()
    ]
    overall = {rule: float(np.mean(list(line.values()))) for rule, line in means.items()}
    least = {name: min((means[f"{alpha:g}"][name], alpha) for alpha in ALPHAS) for name in found}
    known = float(np.mean([value for value, _ in least.values()]))
    best = ", ".join(f"{alpha:g} on {name}" for name, (_, alpha) in least.items())
    minority = ", ".join(f"{100 * own['minority']:.0f}% on {name}" for name, own in found.items())
    own_rules = rules[len(ALPHAS) :]
    winner = min(own_rules, key=lambda rule: overall[rule])
    usual = overall[f"{USUAL_ALPHA:g}"]
    ahead = sum(means[winner][name] < means[f"{USUAL_ALPHA:g}"][name] for name in found)
    return f"""# Settings that the data choose: PACE's alpha, SSOA's h

Made by `make study`; no number measured here is typed by hand. Both papers leave choosing these settings by the subject to
future work. No rule here uses a label.

## PACE's alpha

Error in points, mean over n = {BUDGETS[0]} to {BUDGETS[-1]}, one list each; in brackets the alpha, mean over the
budgets. Features are
those of the last hidden layer. LeNet-1 has no minority space, so alpha has no effect there. The last two sets are
LeNet-5's with half
the images [attacked](attacks.md).

- **the clusters' share**: alpha is the share of the inputs in clusters, so each part has draws by its size. Minority
  space: {minority}.
- **shares times spreads**: by size times the spread of failures that the confidences promise, as Neyman's allocation.
- **the confidence's mean**: for each budget the one of the paper's five alphas whose list has the mean confidence
  nearest to that of all inputs.

{table(["alpha", *found, "mean"], rows)}
The least error is with {best}: {known:.2f} on average, if it were known. Of the rules "{winner}" is best,
{overall[winner]:.2f} where 0.8 has
{usual:.2f}, better than 0.8 on {ahead} of {len(found)} sets. {_alpha_verdict(overall, winner, usual, ahead, len(found))}
"""


def _alpha_verdict(overall: dict[str, float], winner: str, usual: float, ahead: int, count: int) -> str:
    if overall[winner] < usual and 2 * ahead > count:
        return f"So {winner} is worth a setting of its own."
    return "So no rule is worth being the default, and 0.8 stays."


def _mean(line: dict[str, float]) -> str:
    return f"**{np.mean(list(line.values())):.2f}**"


def _h_page(found: dict[str, Any]) -> str:
    parts = []
    for kind in ("rule", "clusters"):
        names = list(next(iter(found.values()))[kind])
        gains = {name: {subject: own[kind][name]["gain"] for subject, own in found.items()} for name in names}
        rows = [
            [
                name,
                *(f"{gain:.1f} ({found[subject][kind][name]['h']:.0f})" for subject, gain in line.items()),
                f"**{np.mean(list(line.values())):.1f}**",
            ]
            for name, line in gains.items()
        ]
        mean = {name: float(np.mean(list(line.values()))) for name, line in gains.items()}
        rules = [name for name in names if not name.isdigit() and not name.startswith("best")]
        winner = max(rules, key=lambda name: mean[name])
        parts.append(f"""### Strata by {kind}

{table(["h", *found, "mean"], rows)}
Of the rules "{winner}" gains most, {mean[winner]:.1f}% where h = {USUAL_H} gains {mean[str(USUAL_H)]:.1f}% and the
best h of each budget, if one
knew, {mean["best h of each budget"]:.1f}%.
""")
    return f"""## SSOA's h

Gain over srs in percent, mean over n = {", ".join(map(str, H_BUDGETS))}, of ssoa-r-p and ssoa-c-p with smoothed spreads;
in brackets the h, mean over the budgets. Every possible pre-sample is counted, so all is exact. A pre-sample never
takes more than two thirds of the labels. The rules choose one of {", ".join(map(str, HS))}: the
nearest to a tenth of n in each stratum, to a quarter of n over all, or to the root of n; "by the confidences" takes the h
of the least error on {GUESSED} sets of losses drawn from the confidences.

{chr(10).join(parts)}
`rra` needs no h: it learns the spreads with every label, and stays unbiased.
"""
