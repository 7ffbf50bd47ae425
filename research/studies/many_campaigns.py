"""Campaigns by the thousand, a few minutes at a time: the numbers of docs/studies/fewer-labels.md that no formula gives.

``python -m research.studies.many_campaigns run SECONDS CAMPAIGNS NAME ...`` runs further campaigns of the rows whose names
begin with one of NAME, shared evenly, and keeps them in ``.studies/campaigns``; begun again it goes on where it was.
``python -m research.studies.many_campaigns show`` prints what they come to, and ``keep`` writes it to
docs/studies/numbers/campaigns.json, from which the pages are made. Campaign i has seed i + 1 wherever it runs.
"""

import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.methods.exact import rounds_variance
from research.studies import reused_labels, second_looks, stop_safe_width
from research.studies.numbers import CAMPAIGN_NUMBERS, Numbers, campaign_numbers
from research.studies.other_models_page import LABELS, helped, lenet, letters, spread
from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import with_others
from testimate.selectors.base import rounds_open

KEPT = kept_folder() / "campaigns"
AT_A_TIME = 10
Pair = tuple[reused_labels.Version, reused_labels.Version]
SUBJECTS = ("D", "G", "CN12")
FOUR_OPEN = {"rounds_ahead": rounds_open(10)}


@dataclass(frozen=True)
class Row:
    """Numbers of one campaign by its seed, and the words and numbers that many of them come to."""

    name: str
    campaign: Callable[[int], list[float]]
    words: Callable[[NDArray[np.float64]], str]
    numbers: Callable[[NDArray[np.float64]], Numbers] | None = None


def rows(families: Collection[str]) -> Iterator[Row]:
    """Every row of the families (of ``FAMILIES``), whose names begin with that word."""
    for family, made in FAMILIES.items():
        if family in families:
            yield from made()


def _width_rows() -> Iterator[Row]:
    for subject in SUBJECTS:
        for technique in ("rra", "rrs", "srs"):
            made = partial(_widths, inputs_of(subject), technique)
            yield Row(f"width {technique} {subject}", made, _width_words, _width_numbers)


def _looks_rows() -> Iterator[Row]:
    for name, inputs in second_looks.subjects().items():
        for technique in ("rra", "rrs", "srs"):
            of = partial(_looks_words, inputs), partial(_looks_numbers, inputs)
            yield Row(f"looks {technique} {name}", partial(_looks, inputs, technique), *of)


def _error_rows() -> Iterator[Row]:
    for name, inputs, others in helped():
        yield _error_row(f"error {name}", with_others(inputs, others), inputs)


def _alone_rows() -> Iterator[Row]:
    """Without other models: from the score alone, and from all that is known of an input."""
    networks = {name: partial(inputs_of, name) for name in SUBJECTS} | {"letters": letters}
    networks |= {name: partial(lenet, name) for name in ("LeNet-1", "LeNet-5", "mutant1")}
    for name, made in networks.items():
        yield _error_row(f"alone {name}", made(), made())
        yield _error_row(f"alone score {name}", made(), made(), {"learns_from": "the score alone"})


HARD = ("labeled in a hurry", "another team's")
"""Of the letters' models those whose labels judge the others worst: they say least of where another one fails."""


@dataclass(frozen=True)
class Reused:
    """A row of labels that are used again: which pairs of versions take turns, and by what the labels were drawn."""

    row: Row
    subjects: str
    technique: str
    pairs: Sequence[Pair]


def reused_rows(families: Collection[str] = ("reused", "mnist")) -> Iterator[Reused]:
    """Those of the letters ("reused") and of MNIST; the hardest of the letters once more with other seeds."""
    sets: dict[str, Sequence[Pair]] = {}
    if "reused" in families:
        sets["letters"] = list(reused_labels.versions("letters"))
        sets["hardest"] = [pair for pair in sets["letters"] if pair[0].name.endswith(HARD)]
    if "mnist" in families:
        sets["mnist"] = list(reused_labels.versions("mnist"))
    for subjects, pairs in sets.items():
        for technique in ("rrs", "rra", "srs"):
            name = f"mnist {technique}, reused" if subjects == "mnist" else f"reused {technique} {subjects}"
            once = partial(_reused, pairs, technique, 1_000_000 if subjects == "hardest" else 0)
            yield Reused(Row(name, once, partial(_reused_words, pairs)), subjects, technique, pairs)


def _letters_rows() -> Iterator[Row]:
    yield from (one.row for one in reused_rows(["reused"]))


def _mnist_rows() -> Iterator[Row]:
    yield from (one.row for one in reused_rows(["mnist"]))


FAMILIES = {
    "width": _width_rows,
    "looks": _looks_rows,
    "error": _error_rows,
    "alone": _alone_rows,
    "reused": _letters_rows,
    "mnist": _mnist_rows,
}
ON_PAGES = ("width", "looks", "error", "alone")
"""Families whose numbers are kept for pages that are made from them."""


def _error_row(name: str, inputs: Inputs, alone: Inputs, options: Mapping[str, Any] = MappingProxyType({})) -> Row:
    request = Request("rra", LABELS, 0, COMBINED if inputs.others else "confidence", options=options)
    return Row(name, partial(_variance, inputs, request), partial(_error_words, alone), partial(_error_numbers, alone))


def _widths(inputs: Inputs, technique: str, seed: int) -> list[float]:
    ordinary, safe, wrong = stop_safe_width.campaign(inputs, technique, seed)
    return [*ordinary, *safe[0], float(wrong[0])]


def _width_numbers(found: NDArray[np.float64]) -> Numbers:
    looks = len(stop_safe_width.LOOKS)
    means = found[:, : 2 * looks].mean(axis=0)
    at = list(zip(stop_safe_width.LOOKS, means[looks:], means[:looks], strict=True))
    ratios = {f"stop-safe over ordinary at {labels}": float(safe / plain) for labels, safe, plain in at}
    widths = {f"ordinary width at {labels}": float(plain) for labels, _, plain in at}
    outside = float(found[:, -1].mean())
    return {**ratios, **widths, "outside": outside, "scatter": scatter_of_share(outside, len(found))}


def scatter_of_share(share: float, count: int) -> float:
    """Standard error of a share of that many campaigns."""
    return float(np.sqrt(max(share * (1 - share), 1 / count) / count))


def _width_words(found: NDArray[np.float64]) -> str:
    numbers = _width_numbers(found)
    ratios = ", ".join(f"{number:.3f}" for name, number in numbers.items() if name.startswith("stop-safe"))
    outside = f"ever outside {100 * numbers['outside']:.2f} ± {200 * numbers['scatter']:.2f}%"
    return f"stop-safe over ordinary at {stop_safe_width.LOOKS}: {ratios}; {outside}"


def _looks(inputs: Inputs, technique: str, seed: int) -> list[float]:
    return second_looks.campaign(inputs, technique, 0.02, seed, FOUR_OPEN if technique == "rra" else {})


def _looks_numbers(inputs: Inputs, found: NDArray[np.float64]) -> Numbers:
    held = second_looks.summary(inputs, found)
    return {
        "plain held": float(held.plain_held),
        "corrected held": float(held.corrected_held),
        "right": float(held.right),
        "plain": float(held.plain),
        "corrected": float(held.corrected),
        "scatter": scatter_of_share(float(held.corrected_held), len(found)),
    }


def _looks_words(inputs: Inputs, found: NDArray[np.float64]) -> str:
    of = _looks_numbers(inputs, found)
    return (
        f"held {100 * of['plain held']:.1f}% plain, {100 * of['corrected held']:.1f} ± {200 * of['scatter']:.1f}% corrected; "
        f"error {of['right']:.2f} with right answers, {of['plain']:.2f} plain, {of['corrected']:.2f} corrected"
    )


def _variance(inputs: Inputs, request: Request, seed: int) -> list[float]:
    return [rounds_variance(inputs, replace(request, seed=seed))]


def _error_numbers(inputs: Inputs, found: NDArray[np.float64]) -> Numbers:
    error, srs = float(np.sqrt(found.mean())), spread(inputs)
    scatter = float(found.std(ddof=1) / np.sqrt(len(found)) / (2 * error))
    return {"error": error / srs, "scatter": scatter / srs}


def _error_words(inputs: Inputs, found: NDArray[np.float64]) -> str:
    of = _error_numbers(inputs, found)
    return f"{of['error']:.4f} ± {2 * of['scatter']:.4f} of simple random sampling's error"


def _reused(pairs: Sequence[Pair], technique: str, first_seed: int, seed: int) -> list[float]:
    """The pairs take turns, so that each has as many campaigns as another, but for one."""
    old, new = pairs[seed % len(pairs)]
    return reused_labels.campaign(old, new, technique, LABELS, first_seed + seed)


def _reused_words(pairs: Sequence[Pair], found: NDArray[np.float64]) -> str:
    one = reused_labels.pooled(pairs, found)
    shares = (one.held, one.always_held, one.difference_held)
    held = ", ".join(f"{100 * share:.1f} ± {200 * scatter_of_share(share, len(found)):.1f}" for share in shares)
    return (
        f"ratio {one.ratio:.3f}, at worst {one.worst[0]:.2f} ± {2 * one.worst[1]:.2f} ({one.worst_pair}), above 1 in "
        f"{one.above[0]} of {one.above[1]}; held {held}% (ordinary, stop-safe, difference); failure rate over it "
        f"{100 * one.over:.1f}, under {100 * one.under:.1f}%; width {100 * one.width:.2f} points; difference "
        f"{one.difference_ratio:.3f}, at worst {one.worst_difference:.2f}"
    )


def kept(row: Row) -> NDArray[np.float64]:
    """The campaigns so far, (campaigns, numbers); (0, 0) where there are none."""
    file = _file(row)
    return np.load(file, allow_pickle=False) if file.is_file() else np.empty((0, 0))


def _file(row: Row) -> Path:
    return KEPT / f"{row.name.replace(' ', '-').replace(',', '')}.npy"


def run(seconds: float, campaigns: int, names: tuple[str, ...]) -> None:
    """Further campaigns of the rows, those with the fewest first, until there are as many as asked or the time is up."""
    chosen = [row for row in rows({name.split()[0] for name in names}) if row.name.startswith(names)]
    until = monotonic() + seconds
    KEPT.mkdir(parents=True, exist_ok=True)
    while monotonic() < until:
        row = min(chosen, key=lambda one: len(kept(one)))
        before = kept(row)
        if len(before) >= campaigns:
            return
        more = np.array([row.campaign(len(before) + 1 + place) for place in range(AT_A_TIME)])
        np.save(_file(row), np.concatenate([before, more]) if before.size else more)


def show() -> None:
    """Prints a line for each row with campaigns."""
    for row in rows(FAMILIES):
        found = kept(row)
        if found.size:
            print(f"| {row.name} | {len(found)} | {row.words(found)} |")


def keep() -> None:
    """Writes what the rows with campaigns come to; the others stay as they are in the file."""
    found = dict(campaign_numbers()) if CAMPAIGN_NUMBERS.is_file() else {}
    for row in rows(ON_PAGES):
        numbers = kept(row)
        if numbers.size and row.numbers is not None:
            found[row.name] = {"campaigns": len(numbers), **row.numbers(numbers)}
    CAMPAIGN_NUMBERS.parent.mkdir(exist_ok=True)
    CAMPAIGN_NUMBERS.write_text(f"{json.dumps(dict(sorted(found.items())), indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(float(sys.argv[2]), int(sys.argv[3]), tuple(sys.argv[4:]) or tuple(FAMILIES))
    else:
        {"show": show, "keep": keep}[sys.argv[1]]()
