"""The demos that need no download, by name; listing them imports no framework."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.core.words import commas
from testimate.demos.answers import CRITERIA, open_answers, results_of_earlier_versions
from testimate.demos.digits import open_digits
from testimate.demos.glyphs import DEFAULT_LEVEL, LEVELS, key_of, open_glyphs
from testimate.demos.harbor import SIZE as HARBOR_PICTURES
from testimate.demos.harbor import open_harbor
from testimate.demos.road import open_road


@dataclass(frozen=True)
class Demo:
    """A subject that comes with the program.

    Attributes
    ----------
    name : its key, as the command line takes it. title : for people. description : one sentence for people.
    question : what a tester is asked of each input.
    open : makes it ready in a project folder and returns it; the first time may take a while and reports progress.
    rubric : of outputs that are judged, what the grades mean; else "".
    criteria : several things to ask of each output instead, as Plan takes them, a line each.
    earlier : returns what earlier versions of its program got right, as a table; None where none is offered.
    level : how far its inputs are shifted, in percent; None where there is no dial for that.
    """

    name: str
    title: str
    description: str
    question: str
    open: Callable[[Path, Progress], Subject]
    level: int | None = None
    rubric: str = ""
    criteria: tuple[str, ...] = ()
    earlier: Callable[[], bytes] | None = None


def _glyphs(level: int) -> Demo:
    return Demo(
        name=key_of(level),
        title="Printed letters",
        description=f"A network reads {commas(10_000)} letters, some in typefaces it was not trained on, and misreads "
        "about one in thirty. Turn up the shift, and it misreads more.",
        question="Which letter is this?",
        open=partial(open_glyphs, level=level),
        level=level,
    )


DEMOS: Mapping[str, Demo] = {
    demo.name: demo
    for demo in (
        _glyphs(DEFAULT_LEVEL),
        Demo(
            name="digits",
            title="Handwritten digits",
            description=f"A small network reads {commas(1497)} handwritten digits of 8 x 8 pixels and misreads about "
            "one in ten.",
            question="Which digit is this?",
            open=open_digits,
        ),
        Demo(
            name="answers",
            title="Questions and answers",
            description=f"A program answers {commas(900)} simple questions and gets about one in four wrong or only partly "
            "right. Three judges have scored every answer. Find out how good the answers are, and the judges.",
            question="Is this answer right?",
            open=open_answers,
            rubric="right: it says what the reference says, in whatever words\n"
            "partly: what it says is true, but something is missing, such as a name or the unit\n"
            "wrong: something in it is false",
            criteria=CRITERIA,
            earlier=results_of_earlier_versions,
        ),
        Demo(
            name="harbour",
            title="Ships in a harbor",
            description=f"A detector draws boxes around ships, boats and buoys in {commas(HARBOR_PICTURES)} drawn pictures. "
            "It misses some, most of all in fog, and takes rocks and gulls for buoys. Find out how many, class by class.",
            question="Which boxes are right, and what was missed?",
            open=open_harbor,
            rubric="right: the box is around one ship, boat or buoy and calls it so; rough edges do not matter\n"
            "wrong: it is around something else, calls it something else, or is the second box around the same thing\n"
            "missed: a ship, boat or buoy on the water without a right box; the quay and its cranes do not count",
        ),
        Demo(
            name="road",
            title="Steering by the road",
            description=f"A network looks at {commas(5614)} pictures of roads and predicts how many degrees to turn the "
            "wheel. You read the right angle off a ruler across the road. It is more than 6 degrees off in one picture of "
            "twelve. Find out when.",
            question="How many degrees should the wheel be turned?",
            open=open_road,
        ),
    )
}
"""In the order in which they are offered; the first is what a newcomer sees first."""

STRIPS = Path(__file__).parent / "strips"
"""The folder of the pictures for the first screen, which opens no demo."""

DIALS: tuple[Mapping[int, Demo], ...] = ({level: _glyphs(level) for level in LEVELS},)
"""The demos whose shift can be turned: each as it is at every level."""


def strip_of(demo: str) -> str:
    """The path of a picture of a few of the demo's inputs, as ``research.demos.draw_strips`` drew them."""
    return str(STRIPS / f"{demo}.png")


def find_demo(key: str) -> Demo | None:
    """The demo of that key, at any level of its shift; None where there is none."""
    turned = (dial[level] for dial in DIALS for level in dial if dial[level].name == key)
    return DEMOS.get(key) or next(turned, None)


def dial_of(key: str) -> Mapping[int, Demo]:
    """The demo of that key as it is at every level of its shift, in percent; empty where it has no dial."""
    return next((dial for dial in DIALS if any(demo.name == key for demo in dial.values())), {})
