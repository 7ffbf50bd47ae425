"""Writes testimate/advice/evidence.json: what the study pages found, for the advice on the Plan page and for what papers claim.

Run by `make study` after the pages, or alone once they are there: .venv/bin/python -m research.studies.make_studies evidence
The product reads the file and never a page, so that no figure stands in two places.
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "docs" / "studies"
FILE = ROOT / "testimate" / "advice" / "evidence.json"

SUBJECTS: dict[str, tuple[str, ...]] = {
    "confidence": ("D", "G", "CN12"),
    "confidence, high accuracy": ("LeNet-1", "LeNet-5"),
    "dsa": ("D", "G", "CN12"),
    "lsa": ("D", "G"),
    "regression, lsa": ("DO",),
    "regression, vae": ("DO",),
    "regression, sae": ("DO",),
}
"""What the figures are of, by kind of case."""

SEVERE = {
    "confidence": ("severity-first", "dsa", "confidence"),
    "confidence, high accuracy": ("severity-first", "dsa", "confidence", "deepgini"),
}
"""Prioritizers whose rates of severe faults are kept."""

FINDINGS: dict[str, tuple[str, str, int]] = {
    "least error": ("deepsample", "Which technique estimates best.", 1),
    "most failures": ("deepsample", "Who exposes most failures.", 1),
    "trade-off": ("deepsample", "The scaled distance gives", 3),
    "auxiliary variables": ("deepsample", "SUPS's unseen tail.", 2),
    "ssoa": ("ssoa", "Gains beyond the oracle.", 3),
    "pace": ("pace", "PACE against SRS.", 2),
    "order by WFDR": ("prioritizers", "DeepAbstraction over DeepGini by WFDR", 2),
    "order by SFDR": ("prioritizers", "Mean SFDR over D, G and CN12", 1),
    "flattering metrics": ("prioritizers", "APFD flatters", 2),
    "ranking without labels": ("laf", "LaF reaches", 2),
    "ranking under shift": ("laf-shift", "Under shift LaF without a label", 1),
    "quality and diversity": ("laf-shift", "In all of the", 2),
    "outliers of 2-ups": ("deepsample", "2-UPS's estimator.", 2),
    "inversions": ("deepsample", "91 lines are exact,", 2),
    "failures by budget": ("deepsample", "From n = 50 to n = 800,", 2),
    "bias of ssoa": ("ssoa", "Bias.", 3),
    "optimum allocation": ("ssoa", "On D, G and CN12 optimum allocation beats css", 2),
    "spreads": ("ssoa", "With three strata that test cannot find one", 2),
    "stability": ("ssoa", "As the paper finds: the errors of sampling", 1),
    "shifted inputs": ("ssoa", "Errors are higher than on the unchanged images", 2),
    "clusters": ("ssoa", "ssoa-c-p's gain is largest at k", 1),
    "features of pace": ("pace", "Features, least here", 1),
    "alpha of pace": ("pace", "Alpha, least here", 1),
    "dimensions of pace": ("pace", "Dimensions, least here", 1),
    "reductions of pace": ("pace", "Reductions, least here", 1),
    "parts of pace": ("pace", "The mean estimate of pace-art", 1),
    "attacked inputs": ("attacks", "PACE's error over that of srs", 1),
    "texts and code": ("laf-texts-and-code", "On source code without a shift", 1),
    "natural shift": ("laf-texts-and-code", "Under the natural shift,", 1),
    "severe faults of DeepGini": ("prioritizers", "DeepGini finds no severe fault within m", 2),
    "severe faults of DeepAbstraction": ("prioritizers", "DeepAbstraction finds fewer severe faults than published", 2),
}
"""Sentences that are quoted: the page, how they begin (a heading ends in a full stop and is left out), and how many."""


def evidence(studies: Path = STUDIES) -> dict[str, Any]:
    """Every figure and finding that the product shows, from the pages in this folder."""
    return {
        "subjects": SUBJECTS,
        "figures": {case: _figures(studies, case) for case in SUBJECTS},
        "picks": {picks: _picks(studies, picks) for picks in ("12+8", "4+16")},
        "faults of 200": {technique: _faults_of_200(studies, technique) for technique in ("srs", "rrs")},
        "stop-safe": _by_labels(studies, "200 simulated campaigns:", {"rrs": 5, "rra": 9}),
        "error by labels": _by_labels(
            studies,
            "it is biased, and its interval is not honest, so it is no rival as a default.",
            {"rrs": 2, "rra": 3},
        ),
        "severe": {case: _severe(studies, case) for case in SEVERE},
        "findings": {
            **{name: _passage(studies, *place) for name, place in FINDINGS.items()},
            "share of severe faults": _severe_shares(studies),
        },
    }


def write(studies: Path = STUDIES, file: Path = FILE) -> None:
    """Writes the evidence of these pages."""
    file.write_text(json.dumps(evidence(studies), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _table(studies: Path, page: str, after: str) -> list[list[str]]:
    """The cells of the first table of a page after some words: its head, a rule, and its rows."""
    text = re.sub(r"(?<=[a-z,])\n(?=[a-z])", " ", (studies / page).read_text(encoding="utf-8")).split(after, 1)[1]
    rows = [row for row in text.split("\n\n", 2)[1].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def _first_number(cell: str) -> float:
    return float(cell.split()[0])


def _figures(studies: Path, case: str) -> dict[str, list[list[float]]]:
    """By technique and subject: error and failures over simple random sampling's at 200 labels."""
    if case.startswith("regression"):
        return _regression_figures(studies, case.removeprefix("regression, "))
    head, _, *rows = _table(studies, "deepsample.md", "Best mean first:")
    columns = [head.index(f"{subject}, {case.split(',')[0]}") for subject in SUBJECTS[case]]
    found = {}
    for row in rows:
        pairs = [re.match(r"([\d.]+) / ([\d.]+)", row[column]) for column in columns]
        if all(pairs):
            found[row[0]] = [[float(pair[1]), float(pair[2])] for pair in pairs if pair is not None]
    return found


def _regression_figures(studies: Path, auxiliary: str) -> dict[str, list[list[float]]]:
    shown = auxiliary if auxiliary == "lsa" else auxiliary.upper()
    errors = {row[0]: row[3] for row in _table(studies, "deepsample.md", f"**DO, {shown}** (RMSE")[2:]}
    head, _, *rows = _table(studies, "deepsample.md", "an error beyond 12.5 degrees.")
    column = head.index(f"DO, {shown}")
    if auxiliary == "lsa":  # by the techniques' own definitions
        head, _, *rows = _table(studies, "deepsample.md", "### Regression, by the size of the error\n\n")
        column = head.index("≥ 12.5")
    failures = {row[0]: row[column] for row in rows}
    srs = _first_number(errors["srs"]), _first_number(failures["srs"])
    return {
        name: [[round(_first_number(error) / srs[0], 2), round(_first_number(failures[name]) / srs[1], 2)]]
        for name, error in errors.items()
        if name != "srs" and failures.get(name, "–") != "–"
    }


def _picks(studies: Path, picks: str) -> dict[str, list[float]]:
    """By subject: error over simple random sampling's and faults found, of rra with that many random draws + picks a round."""
    rows = {row[0]: row for row in _table(studies, "prioritizers.md", "what a larger share costs is width.")[2:]}
    chosen = {subject: rows[f"{subject}: {picks} failure chance"] for subject in SUBJECTS["confidence"]}
    return {subject: [float(row[1]), float(row[3])] for subject, row in chosen.items()}


def _faults_of_200(studies: Path, technique: str) -> list[float]:
    """Faults among 200 labels on each subject, with confidence."""
    head, _, *rows = _table(studies, "deepsample.md", "an error beyond 12.5 degrees.")
    [row] = [row for row in rows if row[0] == technique]
    return [_first_number(row[head.index(f"{subject}, confidence")]) for subject in SUBJECTS["confidence"]]


def _by_labels(studies: Path, after: str, columns: dict[str, int]) -> dict[str, dict[str, list[float]]]:
    """By number of labels and technique: a figure for each subject, from a table with a line for each of both."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in _table(studies, "numbers.md", after)[2:]:
        for technique, column in columns.items():
            found.setdefault(row[1], {}).setdefault(technique, {})[row[0]] = float(row[column])
    return {
        labels: {name: [figures[subject] for subject in SUBJECTS["confidence"]] for name, figures in techniques.items()}
        for labels, techniques in found.items()
    }


def _severe(studies: Path, case: str) -> dict[str, list[float]]:
    """By prioritizer: its severe fault detection rate on each subject, in percent."""
    rates: dict[str, list[float]] = {technique: [] for technique in SEVERE[case]}
    for subject in SUBJECTS[case]:
        head, _, *rows = _table(studies, "prioritizers.md", f"### {subject}: ")
        by_name = {row[0].strip("*"): row for row in rows}
        for technique, found in rates.items():
            found.append(float(by_name[technique][head.index("SFDR")]))
    return rates


def _severe_shares(studies: Path) -> str:
    """The share of the faults that is severe, subject by subject, as a sentence."""
    _, _, *rows = _table(studies, "prioritizers.md", "## How severe the faults are (figure 7)")
    return f"Of the faults severe are {', '.join(f'{float(row[4]):.1f}% on {row[0]}' for row in rows)}."


def _passage(studies: Path, page: str, start: str, sentences: int) -> str:
    """So many sentences of a page from ``start`` on, without Markdown."""
    text = (studies / f"{page}.md").read_text(encoding="utf-8").replace("**", "")
    found = re.search(rf"(?:^|(?<=\s)){re.escape(start)}.*", text, flags=re.DOTALL)
    if found is None:
        raise ValueError(f"docs/studies/{page}.md has no passage that begins {start!r}. Change FINDINGS with the page.")
    plain = " ".join(re.split(r"\n\s*\n|\n- ", found.group(), maxsplit=1)[0].split())
    if start.endswith("."):
        plain = plain.removeprefix(start).strip()
    return " ".join(re.split(r"(?<=[.!?])\s+(?=[A-Z])", plain)[:sentences])
