"""How often weak spots are named where there are none, and where there is one: campaigns of the search that the app runs.

`python -m research.studies.weak_spots` runs what is not kept yet and prints a line for each cell: of campaigns in which every
input of a real subject fails with the same chance, how many name any spot; and of campaigns on the road demo, whose network has
never seen the night, how many name a spot that is mostly night, another one that is truly weak, and one that is not.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.demos.road import open_road
from testimate.demos.road_drawing import CONDITIONS
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.parts import Trait, traits_of_column, traits_of_inputs
from testimate.planning.weak_spots import WeakSpots, weak_spots
from testimate.subjects.occlusion import simple_descriptions

NOTHING = (("D", "srs", 200), ("D", "rrs", 200), ("D", "rra", 200), ("CN12", "srs", 400), ("CN12", "rrs", 400))
RATES = (0.05, 0.3)
"""Of failures, spread at random."""

NIGHT = (("srs", 200), ("srs", 100), ("srs", 400))
BLOCK = 50


def main() -> None:
    """Runs the blocks that are lacking, then prints the lines."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--campaigns", type=int, default=1000)
    asked.add_argument("--only", choices=["nothing", "night"])
    said = asked.parse_args()
    for subject, technique, budget in NOTHING if said.only != "night" else ():
        for rate in RATES:
            count = min(said.campaigns, 200) if technique == "rra" else said.campaigns
            named = sum(kept(f"{subject}-{technique}-{budget}-{rate}", first) for first in range(0, count, BLOCK))
            print(
                f"{subject} {technique} {budget}, faults at random {rate:.0%}: {named:.0f} of {count} name any",
                flush=True,
            )
    for technique, budget in NIGHT if said.only != "nothing" else ():
        count = min(said.campaigns, 400)
        kinds = [
            sum(kept(f"road-{technique}-{budget}-{kind}", first) for first in range(0, count, BLOCK))
            for kind in ("night", "weak", "wrong")
        ]
        print(
            f"road {technique} {budget}: {kinds[0]:.0f} of {count} name a spot that is mostly night, {kinds[1]:.0f} "
            f"another one that fails more often than the whole set, {kinds[2]:.0f} one that does not",
            flush=True,
        )


def kept(name: str, first: int) -> float:
    """What a block of campaigns found, from its file; run where that is not there yet."""
    path = kept_folder() / "weak_spots" / f"{name}-{first}.json"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        subject, technique, budget, what = name.split("-")
        seeds = range(first, first + BLOCK)
        if subject == "road":
            found = on_the_road(technique, int(budget), seeds)
            for kind, count in zip(("night", "weak", "wrong"), found, strict=True):
                path.with_name(f"road-{technique}-{budget}-{kind}-{first}.json").write_text(json.dumps(count))
        else:
            path.write_text(json.dumps(at_random(subject, technique, int(budget), float(what), seeds)))
    return float(json.loads(path.read_text()))


def at_random(subject: str, technique: str, budget: int, rate: float, seeds: Sequence[int]) -> int:
    """Campaigns that name a spot, though each input of the subject fails with the same chance; drawn again for each."""
    inputs = inputs_of(subject)
    traits = traits_of_inputs(inputs)
    for name, score in inputs.scores.items():
        if name != "confidence":
            traits += traits_of_column(name, score)
    named = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 18])
        losses = (rng.random(len(inputs)) < rate).astype(np.float64)
        columns = [traits_of_column(f"column {place}", rng.random(len(inputs))) for place in range(5)]
        groups = [
            traits_of_column(f"group {place}", list(map(str, rng.integers(0, 8, len(inputs))))) for place in range(3)
        ]
        every = [*traits, *(one for part in (*columns, *groups) for one in part)]
        named += bool(found_in(every, inputs, losses, Request(technique, budget, seed)).spots)
    return named


def on_the_road(technique: str, budget: int, seeds: Sequence[int]) -> tuple[int, int, int]:
    """Campaigns on the road demo that name a spot of which more than half is night, another weak one, one that is not."""
    inputs, traits, night = the_road()
    assert inputs.losses is not None
    outcomes = inputs.task.outcomes(inputs.losses)
    nights = weak = wrong = 0
    for seed in seeds:
        spots = found_in(traits, inputs, outcomes, Request(technique, budget, seed)).spots
        dark = [bool(night[one.rows].mean() > 0.5) for one in spots]
        failing = [bool(outcomes[one.rows].mean() > outcomes.mean()) for one in spots]
        nights += any(dark)
        weak += any(fails and not mostly for fails, mostly in zip(failing, dark, strict=True))
        wrong += not all(failing)
    return nights, weak, wrong


@cache
def the_road() -> tuple[Inputs, list[Trait], NDArray[np.bool_]]:
    """What is known of the demo's inputs, their traits, and which of them are by night (N,)."""
    from testimate.feature_cache import FeatureCache
    from testimate.planning.known_inputs import known_inputs

    folder = kept_folder() / "weak_spots"
    folder.mkdir(exist_ok=True)
    subject = open_road(folder)
    inputs = known_inputs(subject, FeatureCache(folder / "cache"))
    traits = traits_of_inputs(inputs)
    for column, values in simple_descriptions(subject.dataset).items():
        traits += traits_of_column(column, values)
    night = np.asarray(subject.dataset.scenes.conditions) == CONDITIONS.index("night")  # type: ignore[attr-defined] # the road has them
    return inputs, traits, night


def found_in(traits: Sequence[Trait], inputs: Inputs, losses: NDArray[np.float64], request: Request) -> WeakSpots:
    """What one campaign names."""
    selector = build(inputs, request)
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    return weak_spots(traits, selector.design, verdicts, technique=request.technique)


if __name__ == "__main__":
    main()
