"""The options of the Plan page, each a widget of its own, and a link that sets them, such as a lecturer gives.

The technique is advised with its reason and evidence, the share of its picks, or chosen by name. A plan may also have parts
that get the same width, grades and reasons, inputs whose answers are known, several models, the first k classes that count as
right, and colors of the classes.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from testimate.advice.advice import ROWS, Advice, Case
from testimate.advice.evidence import PAGE, TABLE_11
from testimate.advice.evidence import evidence as measured_evidence
from testimate.charts.palette import LIGHT
from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.core.session_record import RUBRIC_LETTERS
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.core.words import commas, counted
from testimate.demos.catalog import find_demo
from testimate.planning.build import titled
from testimate.planning.forecast import expected_half_widths
from testimate.planning.needs import default_auxiliary, learns_from_nothing, possible
from testimate.planning.parts import each_part_request, each_part_within
from testimate.planning.right_above import ladder_request, ladder_words
from testimate.planning.second_look import second_look_advice
from testimate.planning.top_up import MOST_MODELS
from testimate.project.cluster_review import columns_of_subject
from testimate.project.kept_labels import available_known_answers, chosen_known_answers, labels_that_exist
from testimate.project.version_labels import shared_request
from testimate.project.versions import can_be_version, versions_of
from testimate.selectors import SELECTORS
from testimate.session.draws import EVERY
from testimate.tasks.question import REASONS
from testimate.tasks.verdict import Criterion, check_criteria, criterion_of
from testimate.ui.components.terms import explained, technique_term
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import forget, remember
from testimate.ui.plan.expected_width import looked_at

MOST_COLORS = len(LIGHT.hues)
"""Classes that can have a color; more could not be told apart."""

ACROSS = 5


def class_colors(task: Task) -> dict[str, str]:
    """The color chosen for each class, #rrggbb by name; empty where colors are not wanted."""
    if not 2 <= len(task.classes) <= MOST_COLORS:
        return {}
    with st.expander("Colors of the classes"):
        wanted = st.toggle(
            "Color the buttons",
            help="A stripe on each class's button on Label, as in a tool your testers know. Its name and key stay.",
        )
        if not wanted:
            return {}
        chosen: dict[str, str] = {}
        for first in range(0, len(task.classes), ACROSS):
            names = task.classes[first : first + ACROSS]
            for place, (column, name) in enumerate(zip(st.columns(ACROSS), names, strict=False), start=first):
                with column:
                    usual = LIGHT.hues[place]
                    chosen[name] = st.color_picker(escape_markdown(name), usual, key=f"color of class {place}")
        return chosen


def for_each_part(subject: Subject, inputs: Inputs, request: Request) -> Request | None:
    """The request that gives every part of a column its own labels, with the same seed; None if this was not asked for."""
    if not inputs.task.measure.is_share:
        return None
    columns = columns_of_subject(project(), subject.key, inputs)
    if not columns:
        return None
    asked = st.toggle(
        "Same precision for every class",
        key=f"each part of {subject.key}",
        help="Each class or part gets labels until its interval should be narrow enough. The same labels estimate the "
        "whole set.",
    )
    if not asked:
        return None
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    name = left.selectbox("Parts by", list(columns), key=f"parts of {subject.key} by")
    wide = right.number_input("Each within ± points", 0.5, 50.0, 5.0, step=0.5, format="%.1f")
    try:
        plan = each_part_within(inputs, columns[name](), float(wide) / 100)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    dear = 2 * plan.total > len(inputs)
    (st.warning if dear else st.info)(escape_markdown(plan.words()), icon=":material/donut_small:")
    st.caption("These take the place of the labels and the technique. The expected result here is for those.")
    return each_part_request(plan, request.seed)


def above_confidence(subject: Subject, inputs: Inputs, request: Request) -> Request | None:
    """The request of a ladder of confidences, with the same budget and seed; None if this was not asked for."""
    if inputs.confidence is None or not inputs.task.one_class:
        return None
    asked = st.toggle(
        "Find a confidence to trust",
        key=f"above confidence of {subject.key}",
        help="Labels the surest inputs first, and less sure ones as long as enough of them are right.",
    )
    if not asked:
        return None
    right = st.number_input("Right above it, % at least", 50.0, 99.9, 95.0, step=0.5, format="%.1f", width=240)
    share = round(float(right) / 100, 6)
    st.info(escape_markdown(ladder_words(inputs, share)), icon=":material/stairs:")
    st.caption("These take the place of the technique. They say nothing about the accuracy of the whole set.")
    return ladder_request(inputs, share, budget=request.budget, seed=request.seed)


def wanted_criteria(task: Task, key: str) -> tuple[Criterion, ...]:
    """What is asked of each output, where several things are; nothing for other tasks. ``key`` : the subject's."""
    if not task.graded or task.compares:
        return ()
    field, demo = f"criteria of {key}", find_demo(key)
    typed = st.text_area(
        "Criteria, one per line",
        key=field,
        placeholder="faithful:1-5=judge_faithful | 5: every claim is in the source",
        help="Up to six things to judge in each output: NAME:SCALE=JUDGE | RUBRIC. The scale is right-wrong, or numbers such "
        "as 1-5. The judge is a column with its grades. Without criteria one question is asked.",
    )
    if demo is not None and demo.criteria and not typed.strip():
        st.button(
            "Take this demo's criteria",
            icon=":material/checklist:",
            on_click=partial(st.session_state.__setitem__, field, "\n".join(demo.criteria)),
        )
    try:
        return check_criteria([criterion_of(line) for line in typed.splitlines() if line.strip()])
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return ()


WHEN = {"never": "Never", "faults": "Where it is not right", "always": "Always"}


def grading(task: Task, key: str) -> tuple[str, str]:
    """What the grades mean, and when a reason must be given; nothing for right answers and for several criteria."""
    if not task.graded:
        return "", "never"
    if task.criteria:  # each has its own
        return "", "never"
    demo = find_demo(key)
    rubric = st.text_area(
        "Rubric",
        "" if demo is None else demo.rubric,
        max_chars=RUBRIC_LETTERS,
        placeholder="right: complete and true · partly: true, but something is missing · wrong: something is false",
        help="What each grade means. It stays in view on Label.",
    )
    asked = st.segmented_control(
        "Ask for a reason",
        [name for name in REASONS if not (task.compares and name == "faults")],
        default="never",
        required=True,
        format_func=WHEN.__getitem__,
        help="Testers type a reason with each answer. No answer is saved without one.",
    )
    return rubric, asked


def known_answers(subject: Subject, request: Request) -> tuple[tuple[int, Any], ...]:
    """Rows with their answers, as many as are wanted; if no answer is known, nothing is asked and there are none.

    The dataset's own answers are taken whether the truth is revealed or not: none of them is shown.
    """
    available = available_known_answers(project(), subject.key, project().inputs(subject.key))
    if not available:
        return ()
    count = st.number_input(
        "Control inputs (known answers)",
        0,
        len(available),
        0,
        help=explained(
            "known answer",
            f"{commas(len(available))} have a known answer. About 1 in {EVERY} shown will be one of them. Testers can't "
            "tell which.",
        ),
    )
    return chosen_known_answers(available, int(count), request.seed)


def known_labels(subject: Subject, inputs: Inputs) -> tuple[tuple[int, Any], ...]:
    """The labels that exist, where they are to be used; nothing is asked where there are none.

    By default those of the table are: its owner gave them for that. What earlier sessions said is for who asks for it.
    """
    whole = project().inputs(subject.key)  # the page's own may be without what a tester is not to see
    there = labels_that_exist(project(), subject.key, whole)
    if not there or whole.truth is not None:
        return ()
    used = st.toggle(
        f"Use labels that exist ({commas(len(there))} of {commas(len(inputs))} inputs)",
        bool(whole.known),
        key=f"known labels {subject.key}",
        help="Inputs are drawn as if nothing were known. One that is drawn and known is not asked again and counts as it "
        "is. The others enter no estimate: they help to guess and to forecast.",
    )
    return tuple(there.items()) if used else ()


def for_several_models(subject: Subject, request: Request) -> Request | None:
    """The request of a sample for this model and the chosen ones, with the same budget and seed; None if there is only one."""
    if not can_be_version(subject):
        return None
    others = {one.key: one.name for one in versions_of(project(), subject.key) if one.key != subject.key}
    if not others:
        return None
    chosen = st.multiselect(
        "Measure these models with the same labels",
        list(others),
        format_func=others.__getitem__,
        max_selections=MOST_MODELS - 1,
        key=f"several models of {subject.key}",
        help=explained("shared", "One sample serves all of them. You label once."),
    )
    if not chosen:
        return None
    try:
        with st.spinner("Finding where any of them may fail …"):
            shared = shared_request(project(), [subject.key, *chosen], request.budget, request.seed)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    st.caption(
        "The sample is drawn where any of these models may fail. The expected result here is for the technique above and "
        "this model alone."
    )
    return shared


MOST_PLACES = 10
BROUGHT = ("table-", "own-")
"""How the keys of uploaded subjects begin; a demo stays as it is described."""


def top_k(subject: Subject, inputs: Inputs) -> None:
    """Asks among how many of the most probable classes the true one must be; another number makes another subject."""
    task = inputs.task
    if not task.one_class or inputs.probabilities is None or not subject.key.startswith(BROUGHT):
        return
    if len(task.classes) < 3:
        return
    most = min(MOST_PLACES, len(task.classes) - 1)
    asked = st.number_input(
        "Right if the class is among the first",
        1,
        most,
        min(task.top_k, most),
        key=f"top k {subject.key}",
        help="1 counts the most probable class alone. 5 is the top-5 accuracy. A session keeps the number it was started with.",
    )
    if asked == task.top_k:
        return
    try:
        changed = project().with_top_k(subject.key, int(asked))
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    forget("session")
    remember("subject", changed.key)
    st.rerun()


def wrong_answers(inputs: Inputs, request: Request) -> None:
    """The advice below the forecast; nothing where there is no forecast."""
    advice = second_look_advice(looked_at(inputs, request.budget), request)
    if advice is not None:
        st.caption(escape_markdown(advice.words()))


NAMES = ("technique", "budget", "seed", "within")
_KEPT = "plan of a link"


@dataclass(frozen=True)
class LinkedPlan:
    """What a link asks for; None where it does not say.

    Attributes
    ----------
    technique : by its short name. budget : labels. seed : of the draws. within : half-width wanted, in points.
    """

    technique: str | None = None
    budget: int | None = None
    seed: int | None = None
    within: float | None = None


def linked_plan(subject: str, size: int) -> LinkedPlan:
    """The plan of the link this page was opened by, for a subject of ``size`` inputs; an empty one if there is none.

    The link is applied once, so changes on the page afterwards stay.
    """
    given = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if given:
        st.session_state[_KEPT] = (subject, *read_plan(given, size))
        for name in given:
            del st.query_params[name]
        st.session_state.pop("by name", None)  # the only field that would keep an earlier choice
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != subject:
        return LinkedPlan()
    for sentence in kept[2]:
        st.warning(escape_markdown(sentence), icon=":material/link_off:")
    plan: LinkedPlan = kept[1]
    return plan


def linked_words(linked: LinkedPlan) -> None:
    """Says which of the plan's values came from the link; nothing where none did."""
    values = [
        "" if linked.technique is None else titled(linked.technique),
        "" if linked.budget is None else counted(linked.budget, "label"),
        "" if linked.seed is None else f"seed {linked.seed}",
        "" if linked.within is None else f"goal ±{linked.within:g} points",
    ]
    if any(values):
        st.caption(escape_markdown(f"From the link: {', '.join(filter(None, values))}."))


def read_plan(given: dict[str, str], size: int) -> tuple[LinkedPlan, list[str]]:
    """The settings that can be taken, and a sentence for each that cannot."""
    refused: list[str] = []
    technique = given.get("technique")
    if technique is not None and technique not in SELECTORS:
        refused.append(
            f"The link asks for the technique {technique!r:.40}. Expected one of {', '.join(SELECTORS)}. The advised one is "
            "chosen instead."
        )
        technique = None
    budget = _number(given, "budget", 1, size, refused)
    seed = _number(given, "seed", 0, 2**31, refused)
    within = _number(given, "within", 0.5, 50, refused)
    whole = (None if budget is None else int(budget), None if seed is None else int(seed))
    return LinkedPlan(technique, *whole, within), refused


def _number(given: dict[str, str], name: str, low: float, high: float, refused: list[str]) -> float | None:
    text = given.get(name)
    if text is None:
        return None
    whole = isinstance(low, int) and name != "within"
    try:
        number = float(int(text)) if whole else float(text)
    except (ValueError, OverflowError):
        number = float("nan")
    if low <= number <= high:
        return number
    kind = "a whole number" if whole else "a number"
    refused.append(
        f"The link asks for {name}={text:.40}. Expected {kind} from {low:g} to {commas(int(high))}. The usual value is there "
        "instead."
    )
    return None


def link_to_plan(subject: str, request: Request, half_width: float | None) -> None:
    """The address of this plan, to put on a slide or send to a class."""
    said = {"subject": subject, "technique": request.technique, "budget": request.budget, "seed": request.seed}
    if half_width is not None:
        said["within"] = f"{100 * half_width:g}"
    address = (st.context.url or "http://localhost:8501/plan").split("?")[0]
    with st.popover("Link to this plan", icon=":material/link:", type="tertiary"):
        st.caption("Opens this plan with the same technique, budget and seed, so everyone starts with the same inputs.")
        st.code(f"{address}?{urlencode(said)}", language=None, wrap_lines=True)


FIGURES = ("error", "failures", "SFDR")


def evidence(advice: Advice) -> None:
    """Why a technique is advised: the reason, its definition, the candidates in a table, and what is not known."""
    st.markdown(escape_markdown(f"{titled(advice.technique)}. {advice.why}"))
    case = advice.case
    if case is None:
        return
    st.markdown(explained(advice.technique))
    for line in advice.lacking:
        st.markdown(f":material/info: {escape_markdown(line)}")
    st.table([cells(one) for one in table(advice)], border="horizontal", hide_index=True)
    for line in legend(case, advice.objective):
        st.caption(escape_markdown(line))
    if advice.options.get("exploit"):
        zones, picks = advice.options["zones"], advice.options["exploit"]
        st.caption(f"rra: with {zones} random draws and {picks} picks in a round (docs/studies/prioritizers.md).")


def table(advice: Advice) -> list[dict[str, str]]:
    """A line for each candidate; columns without any figure are left out."""
    shown = [name for name in FIGURES if any(name in one.measured for one in advice.candidates)]
    lines = []
    for one in advice.candidates:
        line = {"technique": titled(one.technique)}
        if ROWS[advice.objective]:
            line["in the paper"] = one.published
        line |= {f"{name}, measured": one.measured.get(name, "not measured") for name in shown}
        lines.append(line | {"why not": one.why_not or "advised"})
    return lines


def cells(line: dict[str, str]) -> dict[str, str]:
    """The line, letter by letter in Markdown."""
    return {name: escape_markdown(value) for name, value in line.items()}


def legend(case: Case, objective: str) -> list[str]:
    """What the columns of the table mean, and where they were measured."""
    said, rows, subjects = [], ROWS[objective], ", ".join(measured_evidence().subjects.get(case.figures, ()))
    if rows:
        said.append(
            f"In the paper: DeepSample, table 10, by {' / '.join(rows)}: rank 1 to 3 for "
            f"{'; '.join(case.breakdowns)}; a dash where it is not among the best three. RMSE is the error, RMedSE "
            "the error apart from outliers, T the trade-off with the faults exposed."
        )
    if subjects and objective == "severe faults":
        said.append(f"SFDR on {subjects}, with as many labels as faults (docs/studies/prioritizers.md).")
    elif subjects:
        said.append(
            f"Measured on {subjects} with 200 labels, as a multiple of simple random sampling's: a smaller error is better, "
            f"more faults are better ({PAGE})."
        )
    variables = TABLE_11["regression" if case.task.numeric else "classification"]
    if case.auxiliary in variables and objective != "severe faults":
        of = 60 if case.task.numeric else 270
        best = "; ".join(f"{name} {error} and {failures}" for name, (error, _, failures) in variables.items())
        said.append(f"The best auxiliary variable by RMSE and by faults, of {of} configurations: {best} (table 11).")
    return said


ROUND = 20
"""Inputs in a round, random draws and picks together."""

SHARES = (4, 6, 8, 10)
ORDERS = {
    "failure chance": "whatever is most likely to fail",
    "severe first": "what fails while the network is sure",
}
SEVERE = {"failure chance": "failure chance", "severe first": "severity first"}
"""The names on the page, and the option's."""


def two_streams(inputs: Inputs, request: Request) -> Request:
    """The plan with the share of picks, and their target, that the tester chooses; says how much width this costs."""
    left, right = st.columns(2)
    picks = left.select_slider(
        f"Picks among {ROUND} inputs",
        SHARES,
        8,
        key="picks",
        help=explained(
            "exploit pick",
            "The rest are drawn at random. Only they represent the unlabeled inputs, so the estimate stays unbiased.",
        ),
    )
    order = right.selectbox("They look for", list(ORDERS), format_func=ORDERS.__getitem__, key="picks go for")
    options = {**request.options, "zones": ROUND - picks, "exploit": picks, "exploit_order": SEVERE[order]}
    chosen = replace(request, options=options)
    if words := cost_in_words(inputs, chosen, picks):
        st.caption(escape_markdown(words))
    return chosen


def cost_in_words(inputs: Inputs, chosen: Request, picks: int) -> str:
    """How much wider the interval is expected to be for the picks; empty where there is no forecast."""
    without = replace(chosen, options={})
    pair = [
        expected_half_widths(inputs, [request.budget], techniques=("rra",), chosen=request).get("rra", [np.nan])[0]
        for request in (chosen, without)
    ]
    if not np.isfinite(pair).all():
        return ""
    return (
        f"Of {commas(chosen.budget)} labels about {commas(chosen.budget * picks // ROUND)} go to picks. The "
        f"interval is expected to be "
        f"±{100 * pair[0]:.1f} points instead of ±{100 * pair[1]:.1f} without them."
    )


TECHNIQUE_HELP = "How inputs are picked. Formula and source appear below."


def technique_by_name(inputs: Inputs, advised: Request, linked: str | None = None) -> Request | None:
    """What was chosen by name, with budget and seed as advised; None if the advice is followed.

    ``linked`` : the technique that the page starts with.
    """
    if not st.toggle("Choose the technique yourself", linked is not None, key="by name"):
        return None
    names = list(SELECTORS)
    # kept by its key: what is advised may change with the budget, and that must not undo what was chosen
    st.session_state.setdefault("technique by name", linked or advised.technique)
    technique = st.selectbox("Technique", names, key="technique by name", format_func=titled, help=TECHNIQUE_HELP)
    chosen, auxiliary, features, variant = SELECTORS[technique], advised.auxiliary, advised.features, None
    why_not = possible(inputs, chosen) or learns_from_nothing(inputs, chosen)
    if why_not:
        st.warning(escape_markdown(why_not))
    if "scores" in chosen.needs and inputs.scores:
        scores = list(inputs.scores)
        first = default_auxiliary(inputs) or scores[0]
        several = "Of several the mean counts, each scaled to 0 to 1."
        taken = st.multiselect("Failure scores", scores, [first], help=explained("auxiliary variable", several))
        auxiliary = "+".join(taken) or first
    if "features" in chosen.needs and inputs.features:
        roles = list(inputs.features)
        features = "+".join(st.multiselect("Features", roles, [roles[0]])) or roles[0]
    if chosen.variants:
        variant = st.selectbox("Definition", [None, *chosen.variants], format_func=lambda v: v or "as defined")
    fields, options = st.columns(2), {}
    for place, option in enumerate(chosen.options):
        with fields[place % 2]:
            options[option.name] = option_field(option)
    describe(chosen)
    return Request(technique, advised.budget, advised.seed, auxiliary, features, variant, options)


def option_field(option: Option) -> Any:
    """A field for one option of a technique."""
    label = option.name.replace("_", " ").capitalize()
    if option.choices:
        return st.selectbox(label, list(option.choices), list(option.choices).index(option.default), help=option.help)
    if isinstance(option.default, bool):
        return st.toggle(label, option.default, help=option.help)
    step = 1 if isinstance(option.default, int) else 0.01
    low, high = option.low, option.high
    if isinstance(option.default, int):
        low, high = (None if low is None else int(low)), (None if high is None else int(high))
    return st.number_input(label, low, high, option.default, step=step, help=option.help)


def describe(technique: type[Selector]) -> None:
    """What the technique claims, from its own data."""
    st.markdown(explained(technique_term(technique)))
    claims = technique.claims
    interval = "has an honest interval" if claims.honest_interval else "has no honest interval"
    always = ", also a stop-safe one" if claims.always_valid else ""
    unbiased = "biased" if claims.unbiased == "no" else f"unbiased at {claims.unbiased}".replace("at once", "once")
    st.caption(escape_markdown(f"{technique.source}. The estimate is {unbiased} and {interval}{always}. {claims.note}"))
