"""The techniques that could serve an objective: the paper's results, our own, and why each is not advised."""

from dataclasses import dataclass

import numpy as np

from testimate.advice.case import Case
from testimate.advice.evidence import evidence
from testimate.advice.published_evidence import TABLE_10, Row, place
from testimate.core.inputs import Inputs
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS

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
            figures_in_words(case, objective, name, picks=name == chosen == "rra" and objective == "balance"),
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


def figures_in_words(case: Case, objective: str, technique: str, *, picks: bool) -> dict[str, str]:
    """The technique's error and failures relative to simple random sampling, by subject; for severity, its SFDR.

    ``picks`` : whether it is rra with exploit picks beside its random draws.
    """
    if objective == "severe faults" and case.figures in evidence().severe:
        rates = evidence().severe[case.figures].get(technique, ())
        return {"SFDR": ", ".join(f"{one:.0f} %" for one in rates)} if rates else {}
    if technique == "srs":
        return {"error": "1", "failures": "1"}
    found = _figures(case, technique, picks)
    if not found:
        return {}
    return {
        "error": ", ".join(f"{error:.2f}" for error, _ in found),
        "failures": ", ".join(f"{failures:.2f}" for _, failures in found),
    }


def _figures(case: Case, technique: str, picks: bool) -> list[tuple[float, float]]:
    """Error and failures relative to simple random sampling, one pair per subject."""
    if not picks:
        return [(one.error, one.failures) for one in evidence().measured(case.figures, technique).values()]
    if case.figures != "confidence":
        return []
    picks_found, random = evidence().picks["12+8"], evidence().faults_of_200["srs"]
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
        return "It looks for failures of any severity." if chosen != technique else ""
    return (
        "It puts inputs the network is unsure of first." if technique != "dsa" else "Its order ignores the confidence."
    )


def _by_figures(case: Case, objective: str, technique: str, chosen: str) -> str:
    """The argument against it from the figures for this kind of case; where they give none, from its definition."""
    if technique == "srs":
        return "It ignores what is known about the inputs."
    picks = objective == "balance" and chosen == "rra"
    own, best = _means(_figures(case, technique, False)), _means(_figures(case, chosen, picks))
    if own is not None and best is not None:
        (error, failures), (least, most) = own, best
        if objective == "many failures" and failures < most:
            return f"{100 * (1 - failures / most):.0f} % fewer failures on average."
        if objective == "balance" and failures < most:
            return "Fewer failures on the way."
        if objective != "many failures" and error > 1.005 * least:
            return f"A {100 * (error / least - 1):.0f} % larger error on average."
    return _by_definition(objective, technique)


def _by_definition(objective: str, technique: str) -> str:
    if objective == "many failures":
        return (
            "It does not look for failures."
            if technique in ("rra", "rrs", "ssrs", "gbs")
            else "Not shown to find more."
        )
    if objective == "balance":
        return "No picks that look for failures."
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
