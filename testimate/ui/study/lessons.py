"""The lessons of docs/how-to/lecture.md as cards, and the glossary to search: what Learn has without any subject."""

from dataclasses import dataclass, field

import streamlit as st

from testimate.core.terms import TERMS
from testimate.ui.components.terms import words
from testimate.ui.pages import CLUSTERS, PLAN, STRATA, STUDY, Page
from testimate.ui.tour import show_me_around

VIEW, RACE = "view", "Race"
"""The key of Learn's choice of a view, and the view that a lesson opens."""

CARD = 390
"""Pixels of a card: three stand in a row of 1,216."""


@dataclass(frozen=True)
class Step:
    """One step of a lesson: its words on a link, and the page with its parameters that it opens."""

    words: str
    page: Page
    opens: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """A lesson: what is asked, and its steps in order."""

    title: str
    question: str
    steps: tuple[Step, ...]


def _plan(subject: str, technique: str, budget: int) -> dict[str, str]:
    """Return the parameters of a plan as the lecture guide links it."""
    return {"subject": subject, "technique": technique, "budget": str(budget), "seed": "1"}


LESSONS = (
    Lesson(
        "Sampling and intervals",
        "How much do 50 labels tell about 10,000 inputs, and what does 95% promise?",
        (
            Step("Label 50 letters drawn at random", PLAN, _plan("glyphs", "srs", 50) | {"within": "5"}),
            Step("The same, looking where the network is unsure", PLAN, _plan("glyphs", "rra", 50) | {"within": "5"}),
            Step("Watch both intervals in a race", STUDY, {"subject": "glyphs", VIEW: RACE}),
        ),
    ),
    Lesson(
        "Clusters and criticisms",
        "Which inputs look alike to a network, and which represent the others?",
        (
            Step("Explore the clusters of the digits", CLUSTERS, {"subject": "digits"}),
            Step("See which inputs each technique picks", STRATA, {"subject": "digits"}),
            Step("Label 60 and see where it fails", PLAN, _plan("digits", "rra", 60)),
        ),
    ),
    Lesson(
        "Severity",
        "Which wrong answers matter most?",
        (
            Step("Label roads, whose answer is an angle", PLAN, _plan("road", "rrs", 60)),
            Step("Find letters the network is sure and wrong about", PLAN, _plan("glyphs", "severity-first", 60)),
            Step("Compare with letters at random", PLAN, _plan("glyphs", "srs", 60)),
        ),
    ),
)


def lessons() -> None:
    """Draw a card for each lesson, with its question and its steps as links, and the way to the tour."""
    with st.container(horizontal=True, gap="small", key="lessons"):
        for number, lesson in enumerate(LESSONS, start=1):
            with st.container(border=True, width=CARD, key=f"lesson {number}", gap="xsmall"):
                st.subheader(f"{number}. {lesson.title}", anchor=False)
                st.markdown(lesson.question)
                for place, step in enumerate(lesson.steps, start=1):
                    opened = st.button(
                        f"{place}. {step.words}",
                        key=f"lesson {number} step {place}",
                        type="tertiary",
                        icon=":material/arrow_forward:",
                        on_click=show_view,
                        args=(step.opens.get(VIEW),),
                    )
                    if opened:
                        st.switch_page(step.page.file, query_params=step.opens)
    st.caption("45 to 90 minutes each, with the demos. The guide for a class is docs/how-to/lecture.md in the source.")
    show_me_around()


def show_view(view: str | None) -> None:
    """Choose a view of Learn before its page is drawn; None leaves it as it is."""
    if view is not None:
        st.session_state[VIEW] = view


def glossary() -> None:
    """Draw every term that has all words of the search, with its meaning, formula and source."""
    wanted = st.text_input("Find a term", placeholder="Find a term", label_visibility="collapsed", max_chars=100)
    searched = wanted.casefold().split()
    found = [
        one.name
        for one in dict.fromkeys(TERMS.values())
        if all(word in f"{one.name} {' '.join(one.also)} {one.meaning}".casefold() for word in searched)
    ]
    if not found:
        st.info("No term has all of these words. Try fewer.", icon=":material/search_off:")
    words(sorted(found, key=str.casefold))
