"""docs/intervals.md: which interval a design gets, and how often each held the truth over the suite of populations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median

import numpy as np

from research.studies.interval_campaigns import WATCHED
from research.studies.interval_suite import HARD, LOSS_POPULATIONS, POPULATIONS
from testimate.core.words import commas
from testimate.estimators.difference import Model
from testimate.estimators.interval_table import ASSISTED_INTERVALS, INTERVALS, IntervalLine
from testimate.selectors import SELECTORS

USUAL, FEW, SMALL, EDGE = "usual", "few failures", "small sets", "edges"
WANTED = {USUAL: 0.93, FEW: 0.88, SMALL: 0.90}
"""What the ordinary interval must reach in the worst cell of a kind, to be called honest."""


CAREFUL = 0.95
NOISE = 3.0
"""Standard errors by which a simulated share may fall short."""


HIDDEN = frozenset(population.name for population in POPULATIONS if population.hidden)
PASS_OR_FAIL = frozenset(population.name for population in POPULATIONS)
Numbers = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class CoverageLine:
    """One line of coverage.json: what was measured, where, after how many labels."""

    what: str
    population: str
    size: int
    labels: int
    numbers: Mapping[str, float]

    @property
    def kind(self) -> str:
        """Which demand it is held against."""
        if self.size < 1000:
            return SMALL
        if not 100 <= self.labels <= 400:
            return EDGE
        return FEW if self.population in HIDDEN or self.numbers.get("failures", np.inf) < 3 else USUAL

    @property
    def place(self) -> str:
        """For people."""
        return f"{self.population}, {commas(self.labels)} of {commas(self.size)}"

    @property
    def close(self) -> bool:
        """Whether noise alone could turn what is said about it: a share lies too little above what is wanted, or below."""
        demands = [(self.numbers["careful_held"], CAREFUL)]
        demands += [] if self.kind == EDGE else [(self.numbers["held"], WANTED[self.kind])]
        return any(share < wanted + NOISE * self._error(wanted) for share, wanted in demands)

    def reaches(self, share: float, wanted: float) -> bool:
        """Whether a share of the campaigns is at least ``wanted``, but for noise; sums over all outcomes have none."""
        return bool(share >= wanted - NOISE * self._error(wanted) - 1e-9)

    def noise_of(self, name: str) -> str:
        """The standard error of a share, in points, and the campaigns behind it, for people; empty where there is none."""
        campaigns = int(self.numbers["campaigns"])
        return f" ± {100 * self._error(self.numbers[name]):.1f} ({commas(campaigns)})" if campaigns > 1 else ""

    def _error(self, share: float) -> float:
        """Standard error of a share of the campaigns; 0 for a sum over all outcomes."""
        campaigns = self.numbers["campaigns"]
        return 0.0 if campaigns == 1 else float(np.sqrt(share * (1 - share) / campaigns))


def all_found(numbers: Numbers) -> list[CoverageLine]:
    """The lines of coverage.json."""
    found = []
    for key, one in numbers.items():
        what, *population, size, labels = key.split(", ")
        found.append(CoverageLine(what, ", ".join(population), int(size), int(labels), one))
    return found


CLAIMING = ("srs", "rrs", "rra", "css", "ssrs", "ssoa-r-t", "ssoa-c-t")
"""Techniques of the designs that have an honest interval, measured in every cell of the suite."""


HARD_NAMES = frozenset(population.name for population in HARD)
OTHERS = ("sups", "2-ups", "rhc-s", "deepest")
ASSISTED: tuple[tuple[str, Model], ...] = (
    ("srs", "difference"),
    ("srs", "regression"),
    ("rrs", "difference"),
    ("rrs", "regression"),
)
TECHNIQUES = {
    "simple random": "srs",
    "stratified": "rrs",
    "adaptive rounds": "rra",
    "per draw": "sups",
    "two stage": "2-ups",
    "groups": "rhc-s",
    "sequential": "deepest",
}
"""The technique by which a kind of design is measured."""


def keeps_its_claim(numbers: Numbers, technique: str) -> bool:
    """Whether the technique's ordinary interval reaches what is wanted in every cell, and always holds its point."""
    cells = [one for one in all_found(numbers) if one.what == technique and one.population in PASS_OR_FAIL]
    return bool(cells) and all(
        one.numbers["outside"] == 0 and (one.kind == EDGE or one.reaches(one.numbers["held"], WANTED[one.kind]))
        for one in cells
    )


def falling_short(numbers: Numbers, technique: str) -> list[CoverageLine]:
    """The cells whose conservative interval holds the truth less often than it says."""
    return [
        one
        for one in all_found(numbers)
        if one.what == technique
        and one.population in PASS_OR_FAIL
        and not one.reaches(one.numbers["careful_held"], CAREFUL)
    ]


def page(numbers: Numbers) -> str:
    """The page."""
    found = all_found(numbers)
    return "\n".join(
        [
            "# Which interval a design gets",
            "",
            "Made by `research/studies/measure_coverage.py` from `testimate/estimators/interval_table.py`; a test compares.",
            "",
            *_designs(found),
            "",
            *_techniques(found, numbers),
            "",
            *_populations(found),
            "",
            *_rounds(found),
            "",
            *_at_few_labels(found),
            "",
            *_suite(found),
            "",
            *_assisted(found),
            "",
        ]
    )


def _designs(found: list[CoverageLine]) -> list[str]:
    techniques = ", ".join(f"{kind}: {technique}" for kind, technique in TECHNIQUES.items())
    return [
        "Each interval is followed by two shares of campaigns in which it held the truth, at a nominal 95%: in the "
        "worst and in the median cell of the suite below, at 100 to 400 labels of 1,000 inputs or more. The "
        "always-valid interval counts only where it held at every one of 200 labels; it is followed by the share of "
        f"all campaigns and that of the worst population. Techniques: {techniques}; the app offers rra for pass or "
        "fail only. The last two designs have no interval.",
        "",
        "| design | losses | ordinary | conservative | always valid | note |",
        "|---|---|---|---|---|---|",
        *(_line(line, found) for line in INTERVALS),
        "",
        'The conservative interval is `estimator_of(design, "conservative")`. It is for pass or fail; where a task has a '
        "largest loss, the always-valid interval is the careful choice for other losses. The logit and t intervals of "
        "unequal chances cover less than they say where failures hide among inputs of low chance, and so does Korn "
        "and Graubard's there: none of them is called honest, and none is shown. No interval of means can allow for "
        "large losses that the sample did not reach. Without a largest loss the skewness-corrected t interval says "
        "that it is approximate: of lognormal losses with sigma 2 it holds 92.5% at 30 labels, and of losses without "
        "a variance (Pareto 1.5) 93 to 94.6% (decision 29).",
        "",
        "The always-valid interval holds at every number of labels at once. Where a technique has one, its bets aim at the "
        "number of labels that the plan was made with, so that it is narrowest there; beyond it they aim at twice as many, and "
        "so on. An extended plan keeps the number it began with, and sessions made before have bets that aim at none "
        "(decision 66). The shares in the table of designs were measured with those.",
    ]


def _techniques(found: list[CoverageLine], numbers: Numbers) -> list[str]:
    return [
        "## Which techniques claim an honest interval",
        "",
        f"The worst cell decides whether a technique may claim it. It has to reach {WANTED[USUAL]:.0%} at 100 to 400 "
        f"labels of 1,000 inputs or more; {WANTED[FEW]:.0%} there where failures are only among the inputs the "
        "network is most confident about, or fewer than three are expected in the sample, so that the coverage moves "
        f"in steps of one failure; and {WANTED[SMALL]:.0%} on sets of 30, 100 and 500 inputs. The point must be inside its "
        "interval in every campaign. The column of edges has 20 and 50 labels and four fifths of the set. Each entry: the "
        "worst share, and in brackets the median. The worst cell is given with its standard error and number of "
        "campaigns; no number means a sum over every outcome; a simulated share may fall short by three standard "
        "errors. Lists drawn in advance that came out less than three of them above what is wanted were measured "
        f"again with more campaigns: they have {_campaigns(found, 'rrs')}. rra has {_campaigns(found, 'rra')}. "
        "rrs and rra have version 2 of this interval; sessions and plans made before it keep version 1 and say so. Version 3, "
        "of sessions, plans and top-ups made from now on, changes the difference of two versions alone: it misses in 6.1% of "
        "1,000 campaigns at most, in 840 cells each of rrs and rra at 60 to 400 labels ([gates]"
        "(studies/questions.md#ready-to-release-gates-on-an-interval)). The one before, which earlier plans keep and "
        "say so, missed in up to 13% where few labels lay among the inputs that differ and the next version breaks "
        "most of these. Grades, boxes, slices and labels of another version have intervals "
        "of their own, which do not depend on version 2; of the gates, therefore, only `estimate --fail-under` goes by it, "
        "while "
        "`reuse --fail-under` and `--no-worse-than` go by those of labels of another version, and `--until-decided` by bets. "
        "Version 2 of rra is narrower where the confidence misleads or says nothing, "
        "by up to a third, and wider where it predicts well: at 200 labels of 10,000 by 2 to 11% on the calibrated "
        "networks. Where failures hide among the surest inputs it holds less often than version 1 did: "
        f"{_got_worse(found)}.",
        "",
        "| technique | interval | usual | few failures | small sets | edges | the worst cell | honest |",
        "|---|---|---|---|---|---|---|---|",
        *(
            line
            for technique in CLAIMING
            for line in _technique(technique, [one for one in found if one.what == technique], numbers)
        ),
    ]


GOT_WORSE = (
    ("surest tenth fails", 1000, 200, 0.953),
    ("surest tenth fails", 10_000, 400, 0.967),
    ("surest hundredth fails", 1000, 800, 0.882),
)
"""Cells in which rra held more often in version 1 of its interval: population, inputs, labels, and that share."""


def _got_worse(found: list[CoverageLine]) -> str:
    """The shares of these cells now and before, in words."""
    said = []
    for population, size, labels, before in GOT_WORSE:
        cells = [one for one in found if (one.what, one.population, one.size) == ("rra", population, size)]
        said += [
            f"{one.place} {_share(one.numbers['held'])} instead of {_share(before)}"
            for one in cells
            if one.labels == labels
        ]
    return "; ".join(said)


def _technique(technique: str, found: list[CoverageLine], numbers: Numbers) -> list[str]:
    found = [one for one in found if one.population in PASS_OR_FAIL]
    lines = []
    for name, interval in (("held", "ordinary"), ("careful_held", "conservative")):
        if not found:
            continue
        by_kind = {kind: [one.numbers[name] for one in found if one.kind == kind] for kind in (USUAL, FEW, SMALL, EDGE)}
        worst = min(
            (one for one in found if one.kind != EDGE),
            key=lambda one: one.numbers[name] - (WANTED[one.kind] if name == "held" else 0),
        )
        honest = (
            SELECTORS[technique].claims.honest_interval if name == "held" else not falling_short(numbers, technique)
        )
        shares = [f"{_share(min(shares))} ({_share(median(shares))})" if shares else "" for shares in by_kind.values()]
        cells = [
            technique,
            interval,
            *shares,
            f"{worst.place}: {_share(worst.numbers[name])}{worst.noise_of(name)}",
            "yes" if honest else "no",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _populations(found: list[CoverageLine]) -> list[str]:
    techniques = ("srs", "rrs", "rra")
    return [
        "## Population by population",
        "",
        "The worst share of the ordinary interval at 100 to 400 labels of 1,000 inputs or more, and its mean width in points "
        "of accuracy at 200 labels of 10,000.",
        "",
        "| population | what it is | " + " | ".join(f"{technique}, % | width" for technique in techniques) + " |",
        "|---|---|" + "---|---|" * len(techniques),
        *(
            f"| {population.name} | {population.words} | "
            + " | ".join(_one_population(found, technique, population.name) for technique in techniques)
            + " |"
            for population in POPULATIONS
        ),
    ]


def _one_population(found: list[CoverageLine], technique: str, population: str) -> str:
    cells = [one for one in found if one.what == technique and one.population == population]
    shares = [one.numbers["held"] for one in cells if one.kind in (USUAL, FEW)]
    widths = [one.numbers["width"] for one in cells if (one.size, one.labels) == (10_000, 200)]
    return f"{_share(min(shares))} | {100 * widths[0]:.1f}" if shares and widths else " | "


def _suite(found: list[CoverageLine]) -> list[str]:
    return [
        "## The suite",
        "",
        "The populations of the second table, of 30, 100, 500, 1,000, 10,000 and 100,000 inputs, made by "
        "`research/studies/interval_suite.py` from one seed; log-odds of failing spread by 2 unless stated "
        "otherwise. Labels: 20, 50, 100, 200, 400 and four fifths of the set (15 and 24 of 30 inputs); rra is measured "
        "on up to 10,000 inputs, at most 800 labels, and with two rounds open; "
        "with four, as sessions have, it held as often: 0.1 points more on 14 of the networks of few labels, of 500 inputs, on "
        "average over 400 campaigns at 50, 100 and 200 labels, and 0.1 less in 82 cells of the first seven networks above, on "
        "average over 300 campaigns (least often in 94.0%: calibrated, 0.5, 400 of 10,000). "
        "Lists other than those of rrs are measured on up to 1,000 inputs, and at 100 "
        "to 400 labels of 10,000. Simple random sampling is summed over every count of failures, so it is exact, but "
        "for 80 quantiles beyond 1,000 labels and none beyond 10,000. Lists drawn in advance and assisted estimates "
        f"have {_campaigns(found, 'rrs')} campaigns in each cell, adaptive rounds {_campaigns(found, 'rra')}, the "
        f"designs without an honest interval {_campaigns(found, 'sups')} on 10,000 inputs, a session watched for its "
        f"always-valid interval {_campaigns(found, 'rra watched')} on 1,000 and on 10,000. "
        "`docs/studies/coverage.json` has those of every cell, and `--times` runs more. The suite for other losses "
        "has errors from 0 to 1 on 10,000 inputs: "
        + "; ".join(f"{losses.name}: {losses.words}" for losses in LOSS_POPULATIONS)
        + ".",
    ]


def _at_few_labels(found: list[CoverageLine]) -> list[str]:
    """Networks that are hard to judge by few labels: how often the ordinary interval holds, and how wide it is."""
    sizes = sorted({one.size for one in found if one.population in HARD_NAMES})
    labels = sorted({one.labels for one in found if one.population in HARD_NAMES})
    heads = [f"{technique} {count}" for technique in ("rrs", "rra") for count in labels]
    lines, worst = [], {}
    for population in HARD:
        cells = {(one.what, one.size, one.labels): one for one in found if one.population == population.name}
        if not cells:
            continue
        entries = [
            " / ".join(_share(cells[technique, size, count].numbers["held"]) for size in sizes)
            for technique in ("rrs", "rra")
            for count in labels
        ]
        widths = [cells[technique, sizes[-1], 50].numbers["width"] for technique in ("srs", "rrs", "rra")]
        beside = [f"{one / widths[0]:.2f}" for one in widths[1:]]
        lines.append(f"| {population.name} | {population.words} | {' | '.join([*entries, *beside])} |")
    for technique in ("rrs", "rra"):
        few = [one for one in found if one.what == technique and one.labels in (20, 50) and one.size >= 500]
        for count in (20, 50):
            of_count = [one for one in few if one.labels == count and one.population in {*HARD_NAMES, *PASS_OR_FAIL}]
            if of_count:
                worst[technique, count] = min(of_count, key=lambda one: one.numbers["held"])
    said = "; ".join(
        f"{technique} at {count} labels {_share(one.numbers['held'])}{one.noise_of('held')} ({one.place})"
        for (technique, count), one in worst.items()
    )
    return [
        "## At few labels",
        "",
        f"Networks that are hard to judge by few labels, of {' and '.join(commas(size) for size in sizes)} inputs: the share "
        "of campaigns in which the ordinary interval held, in sets of the one size / of the other. The last two columns are "
        f"the width at 50 labels over that of srs, of {commas(sizes[-1]) if sizes else 'all'} inputs. The even share of "
        "0.85 of rra was chosen by eight of 26 such networks, of other seeds, and judged by the other eighteen; rrs takes "
        "Student's quantile, which leaves nothing to choose. The worst "
        f"cells of these networks and of those above, from 500 inputs on: {said}. Under 30 labels the interval of rrs misses "
        "more often than it says where nearly all inputs have confidence 1, and the screens say so. Of the networks further "
        "above, adaptive rounds miss most where failures hide among the surest inputs, from 200 labels on, and the screens say "
        f"so there. {_widest_of_rounds(found)}",
        "",
        _careful_at_few_labels(found),
        "",
        f"| population | what it is | {' | '.join(heads)} | rrs width | rra width |",
        "|---|---|" + "---|" * (len(heads) + 2),
        *lines,
    ]


def _widest_of_rounds(found: list[CoverageLine]) -> str:
    """Where the ordinary interval of rra is wider than that of srs."""
    of = {(one.what, one.population, one.size, one.labels): one for one in found}
    beside = {
        key[1:]: one.numbers["width"] / of["srs", *key[1:]].numbers["width"]
        for key, one in of.items()
        if key[0] == "rra" and key[2] >= 500 and key[3] <= 400 and ("srs", *key[1:]) in of
    }
    useless = [ratio for (name, _, labels), ratio in beside.items() if name.startswith("useless") and labels == 50]
    if not useless:
        return ""
    far = {key: ratio for key, ratio in beside.items() if ratio > WIDE}
    place = max(beside, key=lambda key: beside[key])
    there = {name: of[name, *place].numbers for name in ("srs", "rrs", "rra")}
    return (
        f"Where confidence says nothing the interval of rra is {min(useless):.2f} to {max(useless):.2f} times as wide as that "
        "of srs at 50 labels. It holds more often than it says there, but other weights of its two variances and other even "
        "shares narrow it by 5% at most and hold less often elsewhere (300 campaigns in each cell of 10,000 inputs). Under 100 "
        "labels the advice takes rrs where the interval is the goal. In "
        f"{len(far)} of {len(beside)} cells, of 20 to 400 labels and from 500 inputs on, it is more than {WIDE} times as wide, "
        f"all of them networks of which {' or '.join(sorted({f'the {key[0]}' for key in far}))}, at most "
        f"{beside[place]:.2f} times (rrs {there['rrs']['width'] / there['srs']['width']:.2f}) at {commas(place[2])} of "
        f"{commas(place[1])}: there rra finds {there['rra']['failures']:.1f} failures and srs {there['srs']['failures']:.1f}, "
        "because it draws the surest inputs least. Their few draws stand for many, so the estimate itself is that uncertain."
    )


WIDE = 1.35


def _careful_at_few_labels(found: list[CoverageLine]) -> str:
    """The other two intervals on the same networks: the conservative one, and the one that is valid at every label."""
    careful, watched = [], []
    for technique in ("rrs", "rra"):
        of_one = [one for one in found if one.what == technique and one.population in HARD_NAMES]
        if of_one:
            worst = min(of_one, key=lambda one: one.numbers["careful_held"])
            noise = worst.noise_of("careful_held")
            careful.append(f"{technique} {_share(worst.numbers['careful_held'])}{noise} ({worst.place})")
    for technique in ("srs", "rrs", "rra"):
        of_one = [one for one in found if one.what == f"{technique} watched" and one.population in HARD_NAMES]
        if of_one:
            count = sum(one.numbers["campaigns"] for one in of_one)
            held = sum(one.numbers["campaigns"] * one.numbers["held"] for one in of_one) / count
            worst = min(of_one, key=lambda one: one.numbers["held"])
            least = f"{_share(worst.numbers['held'])}% of {worst.numbers['campaigns']:.0f}"
            watched.append(
                f"{technique} {_share(held)}% of {commas(round(count))} campaigns (at least {least} in a cell)"
            )
    return (
        "In the same cells the conservative interval held, where it held least often, in these shares of the campaigns: "
        f"{'; '.join(careful)}. The always-valid interval held at every one of {WATCHED} labels: {', '.join(watched)}."
    )


def _campaigns(found: list[CoverageLine], what: str, *sizes: int) -> str:
    """How many campaigns the cells of networks that are right or wrong have, of these sizes or of all."""
    cells = [one for one in found if one.what == what and one.population in PASS_OR_FAIL]
    counts = {int(one.numbers["campaigns"]) for one in cells if not sizes or one.size in sizes}
    few, many = (commas(min(counts)), commas(max(counts))) if counts else ("no", "no")
    return few if few == many else f"{few} to {many}"


def _rounds(found: list[CoverageLine]) -> list[str]:
    """Adaptive rounds cell by cell, whose campaigns are fewer than those of the others."""
    places = [(labels, size) for size in (1000, 10_000) for labels in (100, 200, 400)]
    heads = " | ".join(f"{labels} of {commas(size)}" for labels, size in places)
    lines = []
    for population in POPULATIONS:
        cells = {(one.labels, one.size): one for one in found if (one.what, one.population) == ("rra", population.name)}
        entries = [
            f"{_share(cells[at].numbers['held'])}{cells[at].noise_of('held')}" if at in cells else "" for at in places
        ]
        lines.append(f"| {population.name} | {' | '.join(entries)} |")
    return [
        "## Adaptive rounds, cell by cell",
        "",
        "Each entry: in how many of 100 campaigns the ordinary interval held the truth, its standard error, and in brackets "
        "the campaigns. Here it learns from the confidence alone. In a session it learns from the predicted class too, and "
        "from what else is known, which moves the draws and not the way they are judged. " + _by_class(found),
        "",
        f"| population | {heads} |",
        "|---|" + "---|" * len(places),
        *lines,
    ]


def _by_class(found: list[CoverageLine]) -> str:
    """How rra does that learns from ten predicted classes."""
    cells = [one for one in found if one.what == "rra by class" and one.kind in (USUAL, FEW)]
    if not cells:
        return ""
    said = []
    for name, interval in (("held", "ordinary"), ("careful_held", "conservative")):
        worst = min(cells, key=lambda one: one.numbers[name])
        said.append(
            f"the {interval} interval held in {_share(worst.numbers[name])}{worst.noise_of(name)}% of the campaigns in the "
            f"worst cell ({worst.place}) and in {_share(median(one.numbers[name] for one in cells))}% in the median one"
        )
    return f"With ten classes on the same sets and labels as in this table, {'; '.join(said)}."


def _assisted(found: list[CoverageLine]) -> list[str]:
    return [
        "## Helped by a model",
        "",
        "On request, the estimate of simple random and stratified draws is helped by a guess of every input's loss: "
        "`testimate estimate --assisted difference` takes chances of failing as they are, `--assisted regression` "
        "fits a line through a score to the labels (GREG); the Results page offers the same. From Python it is "
        "`estimate_difference`. How often `--assisted learned` holds is on [a separate page](studies/learned-lists.md).",
        "",
        "| design | losses | model | ordinary | conservative | always valid | note |",
        "|---|---|---|---|---|---|---|",
        *(_line(line, found) for line in ASSISTED_INTERVALS),
        "",
        "Pass or fail, by the kinds of cells above; sets of 100, 1,000 and 10,000 inputs, the smallest with 50 and 80 labels:",
        "",
        "| technique | model | interval | usual | few failures | small sets | the worst cell |",
        "|---|---|---|---|---|---|---|",
        *(
            line
            for technique, model in ASSISTED
            for line in _helped(technique, model, [one for one in found if one.what == f"{technique} {model}"])
        ),
    ]


def _helped(technique: str, model: str, found: list[CoverageLine]) -> list[str]:
    found, lines = [one for one in found if one.population in PASS_OR_FAIL], []
    for name, interval in (("held", "ordinary"), ("careful_held", "conservative")):
        if not found:
            continue
        by_kind = {kind: [one.numbers[name] for one in found if one.kind == kind] for kind in (USUAL, FEW, SMALL)}
        worst = min(found, key=lambda one: one.numbers[name] - (WANTED[one.kind] if name == "held" else 0))
        shares = [f"{_share(min(shares))} ({_share(median(shares))})" if shares else "" for shares in by_kind.values()]
        place = f"{worst.place}: {_share(worst.numbers[name])}{worst.noise_of(name)}"
        lines.append(f"| {technique} | {model} | {interval} | {' | '.join(shares)} | {place} |")
    return lines


def _line(line: IntervalLine, found: list[CoverageLine]) -> str:
    cells = [
        line.design.kind,
        line.losses,
        *([line.model] if line.model else []),
        _with_shares(line.ordinary, of_line(line, found), "held"),
        _with_shares(line.conservative, of_line(line, found), "careful_held"),
        _always(line, found) if line.always_valid else "no",
        line.note,
    ]
    return f"| {' | '.join(cells)} |"


def of_line(line: IntervalLine, found: Iterable[CoverageLine], *, watched: bool = False) -> list[CoverageLine]:
    """The cells in which a line of the table was measured."""
    technique = TECHNIQUES.get(line.design.kind, "")
    what = technique + (f" {line.model}" if line.model else "") + (" watched" if watched else "")
    wanted: Callable[[str], bool] = PASS_OR_FAIL.__contains__
    if line.losses != "pass or fail":
        wanted = {losses.name for losses in LOSS_POPULATIONS}.__contains__
    return [one for one in found if one.what == what and wanted(one.population)]


def _with_shares(name: str, found: list[CoverageLine], column: str) -> str:
    if not name:
        return "none"
    shares = [one.numbers[column] for one in found if one.kind in (USUAL, FEW)]
    return f"{name} ({_share(min(shares))}, {_share(median(shares))}%)" if shares else name


def _always(line: IntervalLine, found: list[CoverageLine]) -> str:
    by_population: dict[str, list[float]] = {}
    for one in of_line(line, found, watched=True):
        by_population.setdefault(one.population, []).append(one.numbers["held"])
    if not by_population or line.model:
        return "yes"
    means = [float(np.mean(shares)) for shares in by_population.values()]
    return f"yes ({_share(float(np.mean(means)))}, {_share(min(means))}%)"


def _share(share: float) -> str:
    """In percent, rounded down, so that 100 means every campaign."""
    return f"{np.floor(1000 * share + 1e-6) / 10:.1f}"
