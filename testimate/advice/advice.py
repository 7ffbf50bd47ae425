"""The advice on a plan: which technique serves what a tester wants, with the reason and the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from testimate.advice.evidence import TABLE_10, Row, evidence, place
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, defaults_of
from testimate.core.task import Task
from testimate.core.words import commas, percent
from testimate.planning.needs import CHANCES, COMBINED, CRITERIA, HISTORY, default_auxiliary, possible, usual_auxiliary
from testimate.selectors import SELECTORS
from testimate.subjects.table_features import FILE_FEATURES

HIGH = 0.95
"""Mean confidence from which few failures are expected. Networks are often more confident than accurate: one
measured here with a mean confidence of 91% was right on 66%, so the paper's border between two groups would be too low."""

SMALL = 300
"""Budgets below it belong with the paper's 50 to 200 labels, the others with its 400 and 800."""

USUAL_BUDGET = 200

FEW_LABELS, FEW_INPUTS = 100, 300
"""Below so many labels, or inputs, rrs errs about as little as rra and its interval is narrower on most networks: of those in
docs/studies/coverage.json on 19 of 28 at 20 and at 50 labels, of 10,000 inputs; from 100 on there is no winner."""

WEIGHTED = 0.8
"""Share of DeepEST's draws that goes to inputs above its threshold."""


@dataclass(frozen=True)
class Case:
    """What is to be labeled, and how.

    Attributes
    ----------
    task : what is answered.
    auxiliary : the auxiliary variable to use; None where there is none.
    expected : accuracy expected before any label, 0..1, if the confidence is about right; None where there is none.
    budget : labels, or None where that is still open.
    live : the inputs are labeled in a session; else their whole list must be known first.
    size : N, all inputs.
    rare_tail : inputs above DeepEST's threshold of the auxiliary variable are enough for its share of the budget.
    """

    task: Task
    auxiliary: str | None
    expected: float | None
    budget: int | None
    live: bool
    size: int
    rare_tail: bool

    @property
    def few_failures(self) -> bool:
        """Whether the network is expected to be right nearly always."""
        return self.expected is not None and self.expected >= HIGH

    @property
    def few(self) -> bool:
        """Whether labels or inputs are so few that a list is as exact as adaptive rounds, and its interval narrower."""
        return self.size < FEW_INPUTS or (self.budget is not None and self.budget < FEW_LABELS)

    @property
    def figures(self) -> str:
        """The nearest kind of case that we measured, a key of ``evidence().subjects``; empty where none is near."""
        if self.task.numeric:
            return f"regression, {self.auxiliary}" if self.auxiliary in ("lsa", "vae", "sae") else ""
        if self.auxiliary == "confidence":
            return "confidence, high accuracy" if self.few_failures else "confidence"
        return self.auxiliary if self.auxiliary in ("dsa", "lsa") else ""

    @property
    def breakdowns(self) -> tuple[str, ...]:
        """The columns of DeepSample's table 10 that fit: task, budget, accuracy and auxiliary variable, those known."""
        regression = self.task.numeric
        found = ["regression" if regression else "classification"]
        found.append("50 to 200 labels" if (self.budget or USUAL_BUDGET) < SMALL else "400 and 800 labels")
        if regression or self.expected is not None:
            found.append("high accuracy" if regression or self.few_failures else "low accuracy")
        if self.auxiliary == "lsa":
            found.append("lsa, regression" if regression else "lsa, classification")
        elif self.auxiliary in (("vae", "sae") if regression else ("confidence", "dsa")):
            found.append(str(self.auxiliary))
        return tuple(found)


def case_of(inputs: Inputs, *, budget: int | None = None, live: bool = True) -> Case:
    """The case of these inputs."""
    auxiliary = advised_auxiliary(inputs)
    return Case(
        task=inputs.task,
        auxiliary=auxiliary,
        expected=None if inputs.confidence is None else float(inputs.confidence.mean()),
        budget=budget,
        live=live,
        size=len(inputs),
        rare_tail=auxiliary is not None and _tail(inputs, auxiliary) >= WEIGHTED * (budget or USUAL_BUDGET),
    )


def advised_auxiliary(inputs: Inputs) -> str | None:
    """The auxiliary variable to use: of earlier results, else confidence, else dsa for classes (DeepSample, table 11).

    Without these it is lsa, else the first.
    """
    if not {"confidence", HISTORY} & {*inputs.scores} and not inputs.task.numeric and "dsa" in inputs.scores:
        return "dsa"
    return default_auxiliary(inputs)


def _tail(inputs: Inputs, auxiliary: str) -> int:
    """How many inputs are above DeepEST's default threshold."""
    defaults = defaults_of(SELECTORS["deepest"].options)
    scores = inputs.score(auxiliary)
    threshold = defaults["chance"] if auxiliary in CHANCES else scores.mean() + defaults["deviations"] * scores.std()
    return int(np.count_nonzero(scores > threshold))


ROWS: dict[str, tuple[Row, ...]] = {
    "tight interval": ("RMSE", "RMedSE"),
    "balance": ("T RMSE", "T RMedSE"),
    "many failures": ("failures",),
    "severe faults": (),
}
"""The rows of DeepSample's table 10 that concern an objective; it has none on severity."""

COMPARED = ("rra", "rrs", "ssrs", "gbs", "sups", "rhc-s", "deepest", "css", "srs")
CHOSEN_ONLY = ("severity-first", "dsa", "deepgini", "confidence")
IN_THE_PAPER = frozenset(name for rows in TABLE_10.values() for three in rows.values() for name in three)


@dataclass(frozen=True)
class Candidate:
    """A technique that could serve.

    Attributes
    ----------
    technique : its name.
    published : its places in the paper's table 10, by the objective's rows, in the order of the case's breakdowns.
    measured : our figures by name ("error", "failures" or "SFDR"), subject by subject; empty where there are none.
    why_not : why it is not advised; empty where it is.
    """

    technique: str
    published: str
    measured: dict[str, str]
    why_not: str


def candidates(inputs: Inputs, case: Case, objective: str, chosen: str) -> tuple[Candidate, ...]:
    """The advised technique first, then the others in the order they are offered."""
    names = (*CHOSEN_ONLY, "rra", "sups", "srs") if objective == "severe faults" else COMPARED
    others = [name for name in names if name != chosen]
    return tuple(
        Candidate(
            name,
            published_words(case, objective, name),
            figures_in_words(case, objective, name, _picks_of(objective, name) if name == chosen else ""),
            "" if name == chosen else why_not(inputs, case, objective, name, chosen),
        )
        for name in (chosen, *others)
    )


def published_words(case: Case, objective: str, technique: str) -> str:
    """Its place in each column of table 10 that applies, by row; a dash where it is not among the best three."""
    rows = ROWS[objective]
    if not rows or technique not in IN_THE_PAPER | {"ces"}:
        return "not in it"
    said = []
    for row in rows:
        places = [place(technique, breakdown, row) for breakdown in case.breakdowns]
        said.append(" ".join("–" if one is None else str(one) for one in places))
    return " / ".join(said)


def figures_in_words(case: Case, objective: str, technique: str, picks: str) -> dict[str, str]:
    """The technique's error and failures relative to simple random sampling, by subject; for severity, its SFDR.

    ``picks`` : random draws and exploit picks in a round of rra, as "12+8"; empty where there are none.
    """
    if objective == "severe faults" and case.figures in evidence().severe:
        rates = evidence().severe[case.figures].get(technique, ())
        return {"SFDR": ", ".join(f"{one:.0f}%" for one in rates)} if rates else {}
    if technique == "srs":
        return {"error": "1", "failures": "1"}
    found = _figures(case, technique, picks)
    if not found:
        return {}
    return {
        "error": ", ".join(f"{error:.2f}" for error, _ in found),
        "failures": ", ".join(f"{failures:.2f}" for _, failures in found),
    }


def _picks_of(objective: str, technique: str) -> str:
    """Random draws and picks in a round of rra where it is advised for this objective, as "12+8"; empty without picks."""
    options = OPTIONS.get(objective, {}) if technique == "rra" else {}
    return f"{options['zones']}+{options['exploit']}" if options else ""


def _figures(case: Case, technique: str, picks: str) -> list[tuple[float, float]]:
    """Error and failures relative to simple random sampling, one pair per subject."""
    if not picks:
        return [(one.error, one.failures) for one in evidence().measured(case.figures, technique).values()]
    if case.figures != "confidence":
        return []
    picks_found, random = evidence().picks[picks], evidence().faults_of_200["srs"]
    return [(error, faults / of) for (error, faults), of in zip(picks_found.values(), random, strict=True)]


def why_not(inputs: Inputs, case: Case, objective: str, technique: str, chosen: str) -> str:
    """Why this technique is not advised here, in a sentence: because of its needs, its claims, or what was measured."""
    selector = SELECTORS[technique]
    lacking = possible(inputs, selector)
    if lacking:
        return lacking
    if selector.adapts and not case.live:
        return "It learns from the labels, so there is no list in advance."
    if objective == "severe faults":
        return _not_for_severity(technique, chosen)
    if objective != "many failures":
        if selector.claims.unbiased == "no":
            return "Its estimate is biased."
        if not selector.claims.honest_interval:
            return "Its interval is not honest."
    return _by_figures(case, objective, technique, chosen)


def _not_for_severity(technique: str, chosen: str) -> str:
    if technique == "srs":
        return "It does not look for faults."
    if technique in ("rra", "sups"):
        return "It looks for faults of any severity." if chosen != technique else ""
    return (
        "It puts inputs the network is unsure of first." if technique != "dsa" else "Its order ignores the confidence."
    )


def _by_figures(case: Case, objective: str, technique: str, chosen: str) -> str:
    """The argument against it from the figures for this kind of case; where they give none, from its definition."""
    if technique == "srs":
        return "It ignores what is known about the inputs."
    own, best = _means(_figures(case, technique, "")), _means(_figures(case, chosen, _picks_of(objective, chosen)))
    if own is not None and best is not None:
        (error, failures), (least, most) = own, best
        if objective == "many failures" and failures < most:
            return f"{100 * (1 - failures / most):.0f}% fewer faults on average."
        if objective == "balance" and failures < most:
            return "Fewer faults on the way."
        if objective != "many failures" and error > 1.005 * least:
            return f"A {100 * (error / least - 1):.0f}% larger error on average."
    return _by_definition(objective, technique)


def _by_definition(objective: str, technique: str) -> str:
    if objective == "many failures":
        return (
            "It does not look for faults." if technique in ("rra", "rrs", "ssrs", "gbs") else "Not shown to find more."
        )
    if objective == "balance":
        return "No picks that look for faults."
    if not SELECTORS[technique].claims.always_valid:
        return (
            "Its labels follow the score alone: a misleading score makes it worse than chance (1.07 on G, confidence)."
        )
    return "Its order is fixed in advance, which a session does not need."


def _means(figures: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Mean error and mean failures; None where there are no figures."""
    if not figures:
        return None
    error, failures = np.mean(figures, axis=0).tolist()
    return error, failures


Objective = Literal["tight interval", "balance", "many failures", "severe faults"]

OBJECTIVES: dict[Objective, str] = {
    "tight interval": "Measure accuracy as precisely as possible",
    "balance": "Measure accuracy and find more faults",
    "many failures": "Find as many faults as possible (wider interval)",
    "severe faults": "Find confident mistakes first (no interval)",
}

BALANCE: dict[str, Any] = {"zones": 12, "exploit": 8, "eps_start": 0.3, "eps_end": 0.05}
"""Options of rra for "balance": 12 random draws and 8 exploit picks in each round."""

FAULTS: dict[str, Any] = BALANCE | {"zones": 4, "exploit": 16}
"""The same for "many failures": 4 random draws and 16 picks."""

OPTIONS: Mapping[str, dict[str, Any]] = {"balance": BALANCE, "many failures": FAULTS}
"""Of rra, by objective."""

STRATA = 10
"""Strata of rrs and ssrs, each of which needs a label before there is a number."""


FEWEST, MOST = 50, 800
"""Labels between which techniques were measured, in the paper and here."""


@dataclass(frozen=True)
class Advice:
    """What is advised for an objective.

    Attributes
    ----------
    technique, options : the technique with its options.
    auxiliary : the auxiliary variable to give it; empty where there is none.
    why : the reason, in a few sentences.
    objective : what it is advised for.
    case : what the advice was made for.
    candidates : the techniques compared, the advised one first.
    lacking : what is not known about a case like this, one sentence each.
    """

    technique: str
    auxiliary: str
    why: str
    objective: Objective
    options: Mapping[str, Any] = field(default_factory=dict)
    case: Case | None = None
    candidates: tuple[Candidate, ...] = ()
    lacking: tuple[str, ...] = ()


def advise(inputs: Inputs, objective: Objective, *, budget: int | None = None, live: bool = True) -> Advice:
    """The technique for an objective on these inputs (DeepSample, Tables 10 and 11, and the project's own studies).

    ``budget``: labels, where that is settled. ``live``: the inputs are labeled in a session, where each round may depend on
    the labels before it; else the whole list must be known first, to be exported or shared out.
    """
    case = case_of(inputs, budget=budget, live=live)
    technique, why = _chosen(inputs, case, objective)
    return Advice(
        technique,
        case.auxiliary or "",
        why,
        objective,
        OPTIONS.get(objective, {}) if technique == "rra" else {},
        case,
        candidates(inputs, case, objective, technique),
        _lacking(inputs, case, objective, technique),
    )


def _chosen(inputs: Inputs, case: Case, objective: Objective) -> tuple[str, str]:
    """The technique, and why."""
    if case.auxiliary is None:
        return "srs", (
            "Nothing here predicts which inputs fail, so each gets the same chance (simple random sampling). "
            "Add a confidence column. You will usually need fewer labels."
        )
    adaptive = case.live and not possible(inputs, SELECTORS["rra"])
    if objective == "severe faults" and not possible(inputs, SELECTORS["severity-first"]):
        return "severity-first", _SEVERITY_FIRST if case.live else f"{_SEVERITY_FIRST} {_AS_A_LIST}"
    if objective in ("many failures", "severe faults"):
        return _most_failures(case, objective, adaptive)
    adaptive = adaptive and not (objective == "tight interval" and case.few)
    if not adaptive and case.budget is not None and case.budget < STRATA:
        return "srs", (
            f"With {case.budget} labels some of the {STRATA} strata of rrs get none, and until each has one "
            "there is no estimate. Simple random sampling has one from the first label."
        )
    return _tight_interval(case, adaptive) if objective == "tight interval" else _balance(case, adaptive)


_SEVERITY_FIRST = (
    "It looks for faults the network is sure of and learns from each answer where to look next: on five of six "
    "networks 1.7 to 2.5 times the severe fault detection rate of the best other order. Up to half of the first 200 labels go "
    "to inputs it is at least 80% sure of, so that a calibrated network shows its severe faults too. No input is drawn at "
    "random, so these labels give no honest accuracy; choose the balance for both."
)
_AS_A_LIST = "For a list that is known in advance choose its static definition."


_MANY_PICKS = (
    "In each round 4 inputs are drawn at random and 16 more are picked because they are thought to fail. Of 200 labels on "
    "three real networks 1.2 to 1.4 times as many were faults as with sups. The picks are marked and the estimate stays "
    "exactly unbiased, at 1.8 to 2.2 times the error of simple random sampling, so expect a wide interval."
)


def _most_failures(case: Case, objective: Objective, adaptive: bool) -> tuple[str, str]:
    """Adaptive rounds with many picks where these were measured; else DeepEST where its threshold cuts off what fails; else
    chances in proportion to the auxiliary variable."""
    if adaptive and objective == "many failures" and case.figures == "confidence":
        return "rra", _MANY_PICKS
    unknown = ""
    if objective == "severe faults":
        unknown = (
            "Severity is the network's probability of its wrong answer, and there is none here. Looking for "
            "many faults finds large errors too. "
            if case.task.numeric
            else "Severity is the network's probability of its wrong answer, and there is none here; "
            "so this looks for as many faults as possible. "
        )
    if case.rare_tail and (case.few_failures or (case.auxiliary in ("dsa", "lsa") and case.figures)):
        return "deepest", (
            f"{unknown}Most draws go to the inputs whose {case.auxiliary} stands out, the rest anywhere. In a case "
            "like this it exposed the most faults here. The accuracy stays unbiased but is less exact than with "
            "simple random sampling."
        )
    return "sups", (
        f"{unknown}Each input's chance grows {_toward_failure(case.auxiliary)}. DeepSample has it among the best three for "
        "exposing faults in 10 of 12 comparisons. The accuracy then rests on few inputs of small chance, so expect a wide "
        "interval."
    )


def _toward_failure(auxiliary: str | None) -> str:
    """Which inputs are drawn more often, as a phrase: the less confident ones, since the score is 1 - confidence."""
    return "as the confidence falls" if auxiliary == "confidence" else f"with {auxiliary}"


def _word(case: Case) -> str:
    """The auxiliary variable, as a word in a sentence."""
    words = {COMBINED: "what other models predict", HISTORY: "what earlier models got wrong"}
    return words.get(str(case.auxiliary), str(case.auxiliary))


def _tight_interval(case: Case, adaptive: bool) -> tuple[str, str]:
    if adaptive:
        why = (
            f"Each round looks mostly where {_word(case)} and your labels leave the most doubt. The estimate corrects "
            "for that exactly, so it is unbiased, and its stop-safe interval is valid whenever you stop."
        )
        return "rra", f"{why} {_against_rrs(case)}".strip()
    few = ""
    if case.live and case.few and not case.task.numeric:
        few = (
            f" With fewer than {FEW_LABELS} labels or {FEW_INPUTS} inputs it errs about as little as adaptive rounds (rra), "
            f"and its interval is usually narrower. {_against_rrs(case)}"
        ).rstrip()
    why = (
        f"Ten strata by {_word(case)}, one input from each per round, in an order fixed before the first label: unbiased "
        "once every stratum has a label"
    )
    if case.task.numeric:
        return (
            "rrs",
            f"{why}, and never much worse than simple random sampling, even where {_word(case)} says nothing.",
        )
    return "rrs", f"{why}, and its stop-safe interval is valid whenever you stop.{few}"


def _against_rrs(case: Case) -> str:
    """What rra gains over rrs at the budget, where that was measured."""
    if case.figures != "confidence":
        return ""
    found = evidence()
    labels = found.nearest_budget(case.budget or 200)
    errors = {name: sum(found.error_by_labels[labels][name]) / 3 for name in ("rra", "rrs")}
    mine, rival = found.stop_safe[labels]["rra"], found.stop_safe[labels]["rrs"]
    widths = [100 * (1 - own / other) for own, other in zip(mine, rival, strict=True)]
    said = (
        f"On three real networks with {labels} labels, its error was {errors['rra']:.2f} times that of simple random "
        f"sampling (rrs: {errors['rrs']:.2f} times)"
    )
    watched = "On the way to 1,000 labels, its stop-safe interval is"
    if min(widths) > 0.5:
        return f"{said}. {watched} {min(widths):.0f} to {max(widths):.0f}% narrower than that of rrs."
    if max(widths) < -0.5:
        return f"{said}. {watched} {-max(widths):.0f} to {-min(widths):.0f}% wider than that of rrs with so few."
    return f"{said}. {watched} about as wide as that of rrs."


def _balance(case: Case, adaptive: bool) -> tuple[str, str]:
    if adaptive:
        why = (
            "In each round 12 inputs are drawn at random and 8 more are picked because they are thought to fail; the picks are "
            "marked, and the estimate stays exactly unbiased."
        )
        if case.figures != "confidence":
            return "rra", why
        return "rra", (
            f"{why} Of 200 labels on three real networks 1.3 to 1.5 times as many were faults as with rrs, and 1.7 to 2.5 "
            "times as many as with simple random sampling, at 0.89 to 1.24 of its error."
        )
    if case.auxiliary == "confidence" or (case.task.numeric and case.auxiliary == "lsa"):
        return "ssrs", (
            f"Ten clusters by {case.auxiliary}, more labels where it varies most. DeepSample has it among the best three in "
            "22 of 24 comparisons for exact estimates, and it finds more faults than simple random sampling does."
        )
    measured = " Measured with it here, its error is no larger than that of ssrs, with as many faults on the way."
    return "rrs", (
        f"Ten strata by {_word(case)}, in an order fixed before the first label, and never much worse than simple random "
        f"sampling, even where {_word(case)} says nothing.{measured if case.figures else ''}"
    )


def _lacking(inputs: Inputs, case: Case, objective: str, technique: str) -> tuple[str, ...]:
    """What the reader should know besides the table, one sentence each: the case's own limits first."""
    said = [*_of_the_budget(case), *_of_the_task(case), *_of_the_variable(case)]
    if case.auxiliary is not None and objective == "balance" and technique == "rra" and case.figures != "confidence":
        said.append("Picks beside random draws were only measured by confidence, at 66 to 81% accuracy.")
    if technique == "deepest" and case.task.numeric:
        said.append(
            "The published figure for DeepEST (28.9 large errors of 200 on DO, sups 32.7) used another threshold "
            "than the paper's own, with which it found 114 here: one test set, so take it as a hint."
        )
    if technique == "severity-first" and not {"dsa", "lsa"} & set(inputs.scores):
        said.append("It was measured with dsa or lsa; what it loses without either was not.")
    return tuple(said)


def _of_the_budget(case: Case) -> list[str]:
    said = []
    if case.budget is not None and not FEWEST <= case.budget <= MOST:
        side = "below 50" if case.budget < FEWEST else "beyond 800"
        said.append(f"Nothing was measured {side} labels, in the paper or here; the nearest figures are in the table.")
    if case.few_failures and case.expected is not None:
        budget = case.budget or USUAL_BUDGET
        said.append(
            f"If the confidence is about right, {percent(1 - case.expected)} fail: about "
            f"{budget * (1 - case.expected):.0f} of {commas(budget)} labels drawn at random."
        )
    return said


def _of_the_task(case: Case) -> list[str]:
    if case.task.several:
        return [
            "Tasks with several labels per input were not measured; the figures are for one class per input, right or wrong."
        ]
    if case.task.top_k > 1:
        return [f"Top-{case.task.top_k} was not measured; the figures are for the first class, right or wrong."]
    if case.task.numeric:
        return ["For numbers the paper has two networks and this project one of them (DO, steering)."]
    return []


def _of_the_variable(case: Case) -> list[str]:
    if case.auxiliary is None:
        return [
            "Without an auxiliary variable no labels can be saved; DeepSample's srs and ces are rarely among its best three."
        ]
    if case.task.numeric and case.auxiliary in ("vae", "sae"):
        return [
            f"On DO no technique gained from {case.auxiliary}; lsa would serve better (52 of 60 for faults, table 11)."
        ]
    if not case.figures:
        return [f"No technique was measured with {case.auxiliary} on such a task; how much it helps is not known."]
    return []


def plan_request(
    inputs: Inputs,
    *,
    budget: int,
    seed: int,
    technique: str | None,
    auxiliary: Sequence[str],
    features: str | None,
    variant: str | None,
    options: Mapping[str, Any],
) -> Request:
    """The request for a list that is known before any label is.

    ``technique`` is by default the one advised for such a list, ``auxiliary`` its own, else what several models say together,
    else confidence; several are joined. ``features`` are by default those given with a table, else the last hidden layer.
    """
    for name in (one.partition(":")[0] for one in auxiliary):
        if inputs.is_left_out(name):
            inputs.score(name)  # says why, whether the technique takes it or not
    chosen = "+".join(auxiliary)
    if technique is None and CRITERIA in inputs.scores:
        technique = "rrs"
    if technique is None:
        advice = advise(inputs, "tight interval", live=False)
        technique, chosen = advice.technique, chosen or advice.auxiliary
    return Request(
        technique=technique,
        budget=budget,
        seed=seed,
        auxiliary=chosen or usual_auxiliary(inputs),
        features=features or (FILE_FEATURES if FILE_FEATURES in inputs.features else "LHL"),
        variant=variant,
        options=options,
    )
