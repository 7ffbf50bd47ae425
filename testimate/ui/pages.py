"""The pages of the app, in one table: their addresses and titles, the tabs they stand in, who may see them, and their help.

The entry, the server, the tour and every button that leads to a page read it. It imports nothing heavy, because the
server reads it before anything else.
"""

from dataclasses import dataclass
from typing import Literal

from testimate.auxiliary import SLOW

Audience = Literal["everyone", "leads", "leads of a team"]


@dataclass(frozen=True)
class Point:
    """What the tour points at: the ``key`` of that part of the page, and what there is to see, in a sentence."""

    key: str
    says: str


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    address : below the server's own; also the name of the page's file.
    title : what it is called inside its tab.
    help : what to look at here, in a few sentences.
    terms : the glossary's terms that occur on the page.
    audience : who may open it; a person who works without a team is the lead.
    points : what the tour points at, in the order in which it numbers them.
    """

    address: str
    title: str
    help: str
    terms: tuple[str, ...]
    audience: Audience = "leads"
    points: tuple[Point, ...] = ()

    @property
    def file(self) -> str:
        """Where the page is, as Streamlit's navigation names it."""
        return f"pages/{self.address}.py"


SUBJECT = Page(
    "subject",
    "Project",
    "What you test: a trained model and its inputs, not yet labeled. Look at the sample inputs and the mean confidence. Models "
    "are often more confident than accurate. Further down: which techniques work with this test set.",
    ("operational set", "confidence", "accuracy", "auxiliary variable", *SLOW, "ORI", "FL", "LHL", "CON"),
    points=(
        Point("predicted classes", "What the model predicts. It may fail to recognize a class that hardly occurs."),
        Point("sample inputs", "Inputs as a tester will see them, with the model's predictions."),
    ),
)

CLUSTERS = Page(
    "clusters",
    "Clusters",
    "How the model sees the inputs. Inputs that are close on the map look alike to it. Point at one, click it, or draw a "
    "lasso. Typical inputs (prototypes) represent a cluster. Poorly represented ones (criticisms) are what those leave out. "
    "Inputs that fit no cluster are the minority space. Look there for faults.",
    (
        "cluster",
        "minority space",
        "GLOSH",
        "prototype",
        "criticism",
        "witness function",
        "kernel",
        "MMD-critic",
        "condensed tree",
        "mutual reachability distance",
        "min_cluster_size",
        "min_samples",
        "validity",
        "stability",
        "neighbor map",
        "neighbors kept",
        "FastICA",
        "PCA",
    ),
    points=(
        Point("map", "The map: each point is an input. Click one, or drag a lasso around several."),
        Point(
            "cluster-detail",
            "What you picked: a cluster's typical inputs, and the poorly represented ones.",
        ),
        Point("minority space", "Inputs that fit no cluster, in groups (the minority space). Look here for faults."),
    ),
)

STRATA = Page(
    "strata",
    "Strata",
    "Inputs grouped by how likely they are to fail. The last group is the hardest. The chart shows where each "
    "technique spends your labels.",
    ("auxiliary variable", "stratum", "Neyman allocation", "css", "ssrs", "rrs", "sups", "srs"),
    points=(
        Point("distribution", "Where the inputs are cut: from those that hardly fail to those that often do."),
        Point("allocation", "Where each technique spends the same number of labels."),
        Point("stratum", "The inputs of a stratum. The last one has what the model finds hard."),
    ),
)

PLAN = Page(
    "plan",
    "Plan",
    "Choose a goal and a number of labels. Testimate picks the technique and forecasts how precise the result will be. "
    "If there is no session yet, Next starts one as advised.",
    (
        "budget",
        "seed",
        "stop-safe interval",
        "ordinary interval",
        "half-width",
        "auxiliary variable",
        "inclusion probability",
        "balance",
        "exploit pick",
        "RMSE",
        "rra",
        "rrs",
        "ssrs",
        "sups",
        "deepest",
        "severity-first",
    ),
    points=(
        Point("objective", "What the labels are for."),
        Point("forecast", "What to expect of that many labels."),
        Point("advice", "The technique that serves the goal, and why."),
    ),
)

LABEL = Page(
    "label",
    "Label",
    "Label each input with the mouse or the keys shown on the answers. The model's prediction stays hidden until you have "
    "answered. The accuracy beside it moves with each answer, and a line says when you have reached your goal.",
    (
        "accuracy",
        "ordinary interval",
        "stop-safe interval",
        "fault",
        "severity",
        "WFDR",
        "SFDR",
        "stratum",
        "exploit pick",
        "can't tell",
    ),
    audience="everyone",
    points=(
        Point("surface", "The input and its answers. Press the key shown on one. Undo reverts the last one."),
        Point(
            "running estimate",
            "The accuracy of the whole set, label by label. Its stop-safe interval is valid whenever you stop.",
        ),
        Point("details", "The other interval, the accuracy of groups, and every round."),
    ),
)

RESULTS = Page(
    "results",
    "Results",
    "The result in one sentence, the faults (most severe first) and how it was measured. Export everything needed to "
    "recompute it.",
    (
        "accuracy",
        "ordinary interval",
        "stop-safe interval",
        "standard error",
        "design",
        "inclusion probability",
        "model-assisted estimate",
        "fault",
        "severity",
        "WFDR",
        "SFDR",
        "Krippendorff's alpha",
        "Cohen's kappa",
        "Fleiss' kappa",
        "Dawid-Skene",
    ),
    points=(
        Point("the answer", "The answer in a sentence, with what qualifies it."),
        Point(
            "as the labels came",
            "How it settled. The light band is stop-safe, the dark one is valid at the planned number.",
        ),
        Point("faults found", "The faults, by how sure the network was of its wrong answer."),
    ),
)

VERSIONS = Page(
    "versions",
    "Versions",
    "Models on the same inputs, measured with the same labels. Look at the difference from the version before, and at what "
    "got worse. A few more labels where they help most make either number more precise.",
    (
        "accuracy",
        "ordinary interval",
        "stop-safe interval",
        "standard error",
        "model-assisted estimate",
        "top-up",
    ),
    points=(
        Point("version history", "Each version's accuracy with its interval, by the labels of all of them."),
        Point("add version", "Another model's predictions for these inputs: judged at once, without a new label."),
    ),
)

COMPARE = Page(
    "compare",
    "Compare",
    "Several models on the same inputs, ranked without labels by how well their predictions agree. Read how far to trust "
    "the ranking. Then label a few inputs where the best ones differ.",
    (
        "LaF",
        "majority agreement",
        "quality",
        "diversity",
        "Spearman",
        "Kendall",
        "tell-apart",
        "sds",
    ),
    points=(Point("ranking", "The models in order, each with the range that its score would have on other inputs."),),
)

STUDY = Page(
    "study",
    "Learn",
    "Techniques side by side where the truth is known: error by labels, faults found, and how often intervals cover the "
    "truth. In the race the known truth does the labeling, so you see why a mean moves and an interval shrinks.",
    (
        "RMSE",
        "srs",
        "rrs",
        "rra",
        "sups",
        "pace",
        "ordinary interval",
        "stop-safe interval",
        "WFDR",
        "SFDR",
        "APFD",
    ),
    points=(
        Point(
            "view",
            "Lessons, a race, techniques side by side, orders of faults, what the papers claim, and the glossary.",
        ),
        Point("study techniques", "Which techniques take part."),
    ),
)

TEAM = Page(
    "team",
    "People",
    "Who labels, how fast, how well others agree with them, and which inputs they have open. Pause a tester, give their "
    "inputs to others, assign sessions, write instructions, or send all a message.",
    ("verdict", "Krippendorff's alpha"),
    audience="leads of a team",
)

DISPUTES = Page(
    "disputes",
    "Disputes",
    "Inputs your testers disagree on. Your answer settles them. Until then they count as unanswered.",
    ("verdict", "can't tell", "Krippendorff's alpha"),
    audience="leads of a team",
)


@dataclass(frozen=True)
class Tab:
    """A tab of the header: pages for one question, of which it opens the one visited last."""

    title: str
    pages: tuple[Page, ...]


TABS = (
    Tab("Project", (SUBJECT,)),
    Tab("Explore", (CLUSTERS, STRATA)),
    Tab("Label", (PLAN, LABEL)),
    Tab("Results", (RESULTS,)),
    Tab("Models", (VERSIONS, COMPARE)),
    Tab("Team", (TEAM, DISPUTES)),
    Tab("Learn", (STUDY,)),
)
"""The header, from left to right."""

PAGES = tuple(page for tab in TABS for page in tab.pages)
"""Every page, in the order of the tabs."""


def tab_of(page: Page) -> Tab:
    """The tab that the page stands in."""
    return next(tab for tab in TABS if page in tab.pages)


TOUR = tuple(page for page in PAGES if page.audience != "leads of a team")
"""The pages of the guided tour, in its order."""
