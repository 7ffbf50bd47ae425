"""How often the intervals of the share within tolerance hold the truth: steering angles (DO) and the road demo.

Run as ``python -m research.studies.share_within_tolerance``; decision 46 quotes it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from research.studies.study_subjects import inputs_of
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.demos.road import open_road
from testimate.feature_cache import FeatureCache
from testimate.planning.build import build
from testimate.planning.error_estimate import share_within
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import default_auxiliary

CAMPAIGNS, BUDGETS, TECHNIQUES, LEVEL = 2_000, (30, 100, 200), ("srs", "rrs"), 0.95


def main() -> None:
    """Prints a line for each subject, technique and number of labels."""
    print("| subject | technique | labels | within | covered, % | stop-safe, % | mean width, points |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with TemporaryDirectory() as folder:
        road = known_inputs(open_road(Path(folder)), FeatureCache(Path(folder) / "features"))
        for name, inputs in (("DO", inputs_of("DO")), ("road", road)):
            for technique in TECHNIQUES:
                for budget in BUDGETS:
                    print(_line(name, inputs, technique, budget), flush=True)


def _line(name: str, inputs: Inputs, technique: str, budget: int) -> str:
    losses = inputs.losses
    assert losses is not None
    truth = 1 - float(inputs.task.failed(losses).mean())
    held, always, widths = 0, 0, []
    for seed in range(CAMPAIGNS):
        selector = build(inputs, Request(technique, budget, seed, auxiliary=default_auxiliary(inputs) or ""))
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(budget)]
        found = share_within(inputs.task, selector.design, verdicts, technique=technique, level=LEVEL)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        always += found.always_low is not None and found.always_low <= truth <= (found.always_high or 1.0)
        widths.append(found.high - found.low)
    return (
        f"| {name} | {technique} | {budget} | {100 * truth:.1f} % | {100 * held / CAMPAIGNS:.1f} | "
        f"{100 * always / CAMPAIGNS:.1f} | {100 * np.mean(widths):.1f} |"
    )


if __name__ == "__main__":
    main()
